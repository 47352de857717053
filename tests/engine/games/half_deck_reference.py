"""A second referee for the payout of Half-Deck Poker, written from its rules page alone: it moves chips on a table."""

from collections.abc import Callable

Cards = dict[tuple[str, str], int]
"""What lies where: by player (`L` with the left at Alpha, `R` with the left at Beta) and place."""

LEFT = {"L": "alpha", "R": "beta"}
OTHER = {"L": "R", "R": "L"}


class Table:
    """Purses, pots, bank and unpaid debts of one round; every chip is always in one of these places."""

    def __init__(self, purses: dict[str, int]) -> None:
        self.purse = dict(purses)
        self.pot = {"alpha": 0, "beta": 0}
        self.bank = 0
        self.debt = {"L": 0, "R": 0}

    def bet(self, player: str, place: str, chips: int) -> None:
        assert 0 <= chips <= self.purse[player]
        self.purse[player] -= chips
        self.pot[place] += chips

    def take(self, player: str, place: str, chips: int) -> None:
        assert 0 <= chips <= self.pot[place]
        self.pot[place] -= chips
        self.purse[player] += chips

    def at_once(self, bills: list[tuple[str, int, Callable[[int], None]]]) -> None:
        """Several bills of one step: nobody can pay one with what another brings in."""
        collected = []
        for player, chips, receive in bills:
            paid = 0
            while paid < chips and self.purse[player] > 0:
                self.purse[player] -= 1
                paid += 1
            self.debt[player] += chips - paid
            collected.append((receive, paid))
        for receive, paid in collected:
            receive(paid)

    def to_bank(self, chips: int) -> None:
        self.bank += chips

    def to_player(self, player: str) -> Callable[[int], None]:
        def receive(chips: int) -> None:
            self.purse[player] += chips

        return receive


def play_out(
    purses: dict[str, int], announced: dict[str, int], cards: Cards, swapped_by: str | None, folds: set[str]
) -> Table:
    """The round from the raises to the payout. `cards` lie as they were dealt; the swap is made here."""
    table = Table(purses)
    for player in "LR":
        table.bet(player, LEFT[player], announced[player])

    if swapped_by:
        mine = [(swapped_by, "alpha"), (swapped_by, "beta")]
        cards = {**cards, mine[0]: cards[mine[1]], mine[1]: cards[mine[0]]}

    for caller in "LR":
        if caller not in folds:
            raiser = OTHER[caller]
            place = LEFT[raiser]
            matched = min(announced[raiser], purses[caller] - announced[caller])
            table.bet(caller, place, matched)
            table.take(raiser, place, announced[raiser] - matched)

    taker = {}
    for raiser in "LR":
        place, caller = LEFT[raiser], OTHER[raiser]
        caller_is_better = caller not in folds and cards[caller, place] > cards[raiser, place]
        taker[place] = caller if caller_is_better else raiser
    for place, player in taker.items():
        table.take(player, place, table.pot[place])

    bills: list[tuple[str, int, Callable[[int], None]]] = []
    for player in sorted(folds):
        place = LEFT[OTHER[player]]
        against = cards[OTHER[player], place]
        if against == 1:
            bills.append((player, 5, table.to_bank))
        if against == 2 and cards[player, place] != 1:
            bills.append((player, 2, table.to_bank))
    table.at_once(bills)

    if swapped_by:
        opponent = OTHER[swapped_by]
        bills = []
        for place, elsewhere in (("alpha", "beta"), ("beta", "alpha")):
            is_lower = cards[swapped_by, place] < cards[swapped_by, elsewhere]
            if is_lower and taker[place] == swapped_by:
                bills.append((opponent, announced[opponent], table.to_player(swapped_by)))
            if not is_lower and taker[place] == opponent:
                bills.append((swapped_by, announced[swapped_by], table.to_player(opponent)))
        table.at_once(bills)

    table.at_once([("L", 1, table.to_bank), ("R", 1, table.to_bank)])
    return table
