"""Playing cards as text: `9h`, `Td`, `As`, and the jokers `X1`, `X2` (rules/README.md, "Common to all games")."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

Card: TypeAlias = str
"""Rank and suit, or a joker: always two characters."""

SUITS = "cdhs"
RANKS = "23456789TJQKA"
JOKERS: tuple[Card, ...] = ("X1", "X2")
ACE = 14

_STANDARD: tuple[Card, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)

VALUES: Mapping[Card, int] = {
    **{card: RANKS.index(card[0]) + 2 for card in _STANDARD},
    **dict.fromkeys(JOKERS, 0),
}
"""What a card counts: 2…10, J 11, Q 12, K 13, A 14, a joker 0."""


def deck(jokers: int = 0) -> tuple[Card, ...]:
    """The 52 cards in the canonical order, suit by suit from the two to the ace, and then 0…2 jokers."""
    return _STANDARD + JOKERS[:jokers]


def is_joker(card: Card) -> bool:
    """Whether the card is `X1` or `X2`."""
    return card[0] == "X"


def is_face(card: Card) -> bool:
    """Whether the card is a jack, queen or king. An ace is none."""
    return card[0] in "JQK"


def pack(cards: Iterable[Card]) -> str:
    """The cards as one text, in their order."""
    return "".join(cards)


def unpack(text: str) -> tuple[Card, ...]:
    """The cards of a text that `pack` gave."""
    return tuple(text[i : i + 2] for i in range(0, len(text), 2))
