"""Micro Poker's three-card hands: the best category, its rank, and the role that the last card gives."""

from typing import Literal, NamedTuple, TypeAlias

from engine.cards import ACE, VALUES, Card, is_face, is_joker

CATEGORIES = ("high-card", "pair", "flush", "straight", "three-of-a-kind", "straight-flush")
"""The worst first."""

HIGH_CARD, PAIR, FLUSH, STRAIGHT, THREE, STRAIGHT_FLUSH = range(len(CATEGORIES))

_RUNS = (*((top, {top - 2, top - 1, top}) for top in range(ACE, 3, -1)), (3, {ACE, 2, 3}))
"""Every straight by the rank that leads it, the highest first: an ace is high or low, never in the middle."""

Hand: TypeAlias = tuple[Card, ...]
"""Three cards in the order held, the one drawn last at the end."""

Role: TypeAlias = Literal["honest", "liar", "free"]


class Best(NamedTuple):
    """The best that a hand makes: an index of `CATEGORIES`, and the value (2…14) of the rank that leads it."""

    category: int
    rank: int


def role(hand: Hand) -> Role:
    """What the card drawn last makes of its holder."""
    last = hand[-1]
    if is_face(last):
        return "honest"
    return "free" if is_joker(last) else "liar"


def best(hand: Hand, wild: bool) -> Best:
    """The best category of three cards, and the highest rank in which they make it.

    A `wild` joker stands for the card that serves best and that the hand does not hold; any other counts for nothing.
    """
    naturals = [card for card in hand if not is_joker(card)]
    values = sorted(VALUES[card] for card in naturals)
    jokers = len(hand) - len(naturals)
    ranks = set(values)
    # Of three cards the middle one is in the pair; of fewer, all are.
    pair = values[len(values) // 2] if len(ranks) < len(values) else 0
    if jokers and not wild:
        return Best(PAIR, pair) if pair else Best(HIGH_CARD, values[-1])
    suited = len({card[1] for card in naturals}) == 1
    run = 0 if pair else next((top for top, run in _RUNS if ranks <= run), 0)
    if run and suited:
        return Best(STRAIGHT_FLUSH, run)
    if len(ranks) == 1:
        return Best(THREE, values[0])
    if run:
        return Best(STRAIGHT, run)
    if suited:
        return Best(FLUSH, ACE if jokers else values[-1])
    if pair or jokers:
        return Best(PAIR, pair or values[-1])
    return Best(HIGH_CARD, values[-1])
