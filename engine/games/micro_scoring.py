"""What Micro Poker's cards do between two turns: the reward, the return to the deck, and the new cards."""

from typing import NamedTuple

from engine.cards import Card
from engine.deal import Stream
from engine.types import Seat

HAND_CARDS = 2


class Table(NamedTuple):
    """Where every card is. The deck is dealt from its front; the card banked last is a bank's last."""

    deck: tuple[Card, ...]
    hands: tuple[tuple[Card, ...], ...]
    banks: tuple[tuple[Card, ...], ...]


class Payment(NamedTuple):
    """Cards that went into a seat's bank: from its `hand`, from the `deck`, or from the `bank` of the seat `of`."""

    seat: Seat
    source: str
    cards: int
    of: Seat | None = None


def after(seat: Seat, seats: int) -> tuple[Seat, ...]:
    """All other seats, in their order after `seat`."""
    return tuple((seat + i) % seats for i in range(1, seats))


def _with_item(items: tuple[tuple[Card, ...], ...], seat: Seat, item: tuple[Card, ...]) -> tuple[tuple[Card, ...], ...]:
    return (*items[:seat], item, *items[seat + 1 :])


def _bank(table: Table, seat: Seat, cards: tuple[Card, ...]) -> Table:
    return table._replace(banks=_with_item(table.banks, seat, table.banks[seat] + cards))


def bank_hand(table: Table, seat: Seat) -> tuple[Table, tuple[Payment, ...]]:
    """The seat banks its hand in the order held."""
    hand = table.hands[seat]
    table = _bank(table, seat, hand)._replace(hands=_with_item(table.hands, seat, ()))
    return table, (Payment(seat, "hand", len(hand)),)


def bank_from_deck(table: Table, seat: Seat, cards: int) -> tuple[Table, tuple[Payment, ...]]:
    """The seat banks so many cards of the deck, or as many as there are."""
    taken = table.deck[:cards]
    if not taken:
        return table, ()
    return _bank(table, seat, taken)._replace(deck=table.deck[cards:]), (Payment(seat, "deck", len(taken)),)


def bank_from_bank(table: Table, seat: Seat, of: Seat) -> tuple[Table, tuple[Payment, ...]]:
    """The seat banks the card that `of` banked last; when there is none the deck pays."""
    bank = table.banks[of]
    if not bank:
        return bank_from_deck(table, seat, 1)
    table = table._replace(banks=_with_item(table.banks, of, bank[:-1]))
    return _bank(table, seat, bank[-1:]), (Payment(seat, "bank", 1, of),)


def reward(
    table: Table, scoring: str, tourist: Seat, stranger: Seat, *, trusts: bool, lying: bool
) -> tuple[Table, tuple[Payment, ...]]:
    """What the tourist's decision about a stranger pays (rules/micro-poker.md, step 4), the stranger first.

    The fine of `trust-only` for an accused honest stranger is no payment: see `give_back`.
    """
    base = scoring == "base"
    if trusts:
        held = len(table.hands[stranger])
        table, first = bank_hand(table, stranger)
        if lying:
            table, second = bank_from_bank(table, stranger, tourist) if base else (table, ())
        else:
            table, second = bank_from_deck(table, tourist, held) if base else bank_hand(table, tourist)
        return table, first + second
    if not base:
        return table, ()
    return bank_from_bank(table, tourist, stranger) if lying else bank_from_bank(table, stranger, tourist)


def give_back(
    table: Table, hand_rule: str, tourist: Seat, chosen: Seat | None, *, fined: bool, stream: Stream
) -> Table:
    """Strangers' cards return to the deck, which is shuffled (step 5). `chosen` is None after a pass.

    They are appended in seat order after the tourist, each hand in the order held; the card of a tourist that is
    `fined`, the last of its bank, goes ahead of them.
    """
    hands, banks = list(table.hands), table.banks
    returned: tuple[Card, ...] = ()
    if fined:
        returned = banks[tourist][-1:]
        banks = _with_item(banks, tourist, banks[tourist][:-1])
    for seat in after(tourist, len(hands)):
        kept = HAND_CARDS if hand_rule == "chosen-only" and seat != chosen else 0
        returned += hands[seat][kept:]
        hands[seat] = hands[seat][:kept]
    return Table(stream.shuffle(table.deck + returned), tuple(hands), banks)


def can_go_on(table: Table) -> bool:
    """Whether the deck can serve every reset and the draws of the next turn in full."""
    return len(table.deck) >= sum(HAND_CARDS - len(hand) for hand in table.hands) + len(table.hands) - 1


def refill(table: Table, tourist: Seat) -> Table:
    """Each seat that is short takes up to two cards, in seat order after the tourist, and the tourist last."""
    deck, hands = table.deck, list(table.hands)
    for seat in (*after(tourist, len(hands)), tourist):
        short = HAND_CARDS - len(hands[seat])
        hands[seat] += deck[:short]
        deck = deck[short:]
    return Table(deck, tuple(hands), table.banks)


def draw(table: Table, tourist: Seat) -> Table:
    """Each stranger draws one card, in seat order after the tourist (step 1)."""
    hands = list(table.hands)
    order = after(tourist, len(hands))
    for seat, card in zip(order, table.deck, strict=False):
        hands[seat] += (card,)
    return Table(table.deck[len(order) :], tuple(hands), table.banks)
