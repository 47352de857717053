"""Results to rate: by hand, and random ones."""

from collections.abc import Sequence

from hypothesis import strategies as st

from engine.games.protocol import competition_ranks
from engine.ladder.elo import CEILING, FLOOR, Change, Entrant

MIDDLE = (1_000_000, 3_000_000)
"""Ratings from which no single result reaches a bound."""


def entrants(*ratings: int, ranks: Sequence[int] = (), games: int = 0) -> list[Entrant]:
    """Players `a`, `b`, … with ratings in whole points, in the order in which they finished unless ranks are given."""
    places = ranks or range(1, len(ratings) + 1)
    pairs = zip(ratings, places, strict=True)
    return [Entrant("abcdefghij"[i], 1_000 * points, games, rank) for i, (points, rank) in enumerate(pairs)]


def after(changes: Sequence[Change]) -> list[int]:
    return [change.after for change in changes]


def gains(changes: Sequence[Change]) -> list[int]:
    return [change.after - change.before for change in changes]


@st.composite
def results(
    draw: st.DrawFn, ratings: tuple[int, int] = (FLOOR, CEILING), games: int | None = None, most: int = 10
) -> list[Entrant]:
    """Tables of two and more: near ratings and far ones, with shared ranks, in any order of seats and names."""
    size = draw(st.integers(2, most))
    rating = st.integers(*ratings) | st.integers(1_500_000, 1_500_999)
    names = draw(st.permutations([f"ply_{i}" for i in range(size)]))
    ranks = competition_ranks(draw(st.lists(st.integers(0, size), min_size=size, max_size=size)))
    played = st.integers(0, 60) if games is None else st.just(games)
    return [Entrant(names[i], draw(rating), draw(played), ranks[i], draw(st.booleans())) for i in range(size)]
