"""The payout of a round of Half-Deck Poker (rules/half-deck-poker.md, "Payout"), step by step."""

from typing import NamedTuple, TypeAlias

from engine.types import Seat

Pair: TypeAlias = tuple[int, int]
"""A value for each seat."""

FOLD_PENALTIES = {1: 5, 2: 2}
"""What a fold costs, by the card that it was made against."""
ANTE = 1
"""What each seat pays to the bank each round."""


class Showdown(NamedTuple):
    """A round whose choices are all in. Seat 0 has raised on Alpha (place 0), seat 1 on Beta (place 1)."""

    cards: tuple[Pair, Pair]
    """By seat: its cards at Alpha and at Beta, as they lie after a swap."""
    raises: Pair
    swapper: Seat | None
    """Who has swapped, if somebody has."""
    folded: tuple[bool, bool]
    """By seat: whether it folded its card opposite the other's raise."""


class Payout(NamedTuple):
    """What a round comes to. Fines, bonuses and debts are by the seat that owes them."""

    winners: Pair
    """Who takes Alpha, and who Beta."""
    calls: Pair
    """What each seat put in to match the other's raise."""
    fines: Pair
    """Due to the bank for folds."""
    bonuses: Pair
    """Due to the other seat because of a swap."""
    debts: Pair
    """What could not be paid."""
    stacks: Pair


def settle(stacks: Pair, round_: Showdown) -> Payout:
    """The four steps of a payout. `stacks` are those before the raises, and cover them."""
    winners = _winner(round_, 0), _winner(round_, 1)
    calls = _call(stacks, round_, 0), _call(stacks, round_, 1)
    fines = _fine(round_, 0), _fine(round_, 1)
    bonuses = _bonus(round_, winners, 0), _bonus(round_, winners, 1)
    table = _Table(_pots(stacks, winners, calls), (0, 0))
    for due, goes_over in ((fines, False), (bonuses, True), ((ANTE, ANTE), False)):
        table = _booked(table, due, goes_over)
    return Payout(winners, calls, fines, bonuses, table.debts, table.stacks)


def _winner(round_: Showdown, place: int) -> Seat:
    """The seat that raises at a place has the same number; the other may have folded there."""
    if round_.folded[1 - place]:
        return place
    return 0 if round_.cards[0][place] > round_.cards[1][place] else 1


def _call(stacks: Pair, round_: Showdown, seat: Seat) -> int:
    """A call matches the other's raise with what is left; the unmatched part of the raise never enters the pot."""
    return 0 if round_.folded[seat] else min(round_.raises[1 - seat], stacks[seat] - round_.raises[seat])


def _pots(stacks: Pair, winners: Pair, calls: Pair) -> Pair:
    """Each place moves the call from its loser to its winner: the raise that it matched is as much. A raise against
    a fold just returns."""
    change = sum(calls[1 - place] if winners[place] == 0 else -calls[1 - place] for place in (0, 1))
    return stacks[0] + change, stacks[1] - change


def _fine(round_: Showdown, seat: Seat) -> int:
    if not round_.folded[seat]:
        return 0
    place = 1 - seat
    own, other = round_.cards[seat][place], round_.cards[1 - seat][place]
    return 0 if (own, other) == (1, 2) else FOLD_PENALTIES.get(other, 0)


def _bonus(round_: Showdown, winners: Pair, seat: Seat) -> int:
    """What `seat` owes the other: as the swapper for losing with its higher card, as the other one for losing to the
    swapper's lower card. Raises count as announced."""
    if round_.swapper is None:
        return 0
    swapper = round_.swapper
    cards = round_.cards[swapper]
    lower = 0 if cards[0] < cards[1] else 1
    is_due = winners[1 - lower] != swapper if seat == swapper else winners[lower] == swapper
    return round_.raises[seat] if is_due else 0


class _Table(NamedTuple):
    stacks: Pair
    debts: Pair


def _booked(table: _Table, due: Pair, goes_over: bool) -> _Table:
    """Both pay what they can at once, to the other seat or to the bank; the rest is debt, which no income pays."""
    paid = min(due[0], table.stacks[0]), min(due[1], table.stacks[1])
    income = (paid[1], paid[0]) if goes_over else (0, 0)
    return _Table(
        (table.stacks[0] - paid[0] + income[0], table.stacks[1] - paid[1] + income[1]),
        (table.debts[0] + due[0] - paid[0], table.debts[1] + due[1] - paid[1]),
    )
