"""Elo in integers, for two seats and more: the algorithm `elo/1` (ladder.md, "Rating").

Ratings and changes are milli-points, scores and expectations millionths. There are no floats: a result gives the same
ratings on every machine.
"""

from collections.abc import Sequence
from math import isqrt
from typing import NamedTuple, TypeAlias

MilliPoints: TypeAlias = int
"""A rating, or a difference of two, in thousandths of a point."""

Points: TypeAlias = int
"""A rating as it is shown, or a difference of two, in whole points."""

Millionths: TypeAlias = int
"""A score or an expectation: 1,000,000 is a win."""

ID = "elo/1"

START: MilliPoints = 1_500_000
FLOOR: MilliPoints = 100_000
CEILING: MilliPoints = 4_095_000

PROVISIONAL = 20
"""A rating is provisional below so many rated games."""

WIN: Millionths = 1_000_000
DRAW: Millionths = 500_000

WIDEST: Points = 1_600
"""A wider gap counts as this one."""

_LEAST_K: MilliPoints = 16_000

_ONE = 10**40
_STEP = 10057730630017382427356424900427596169646
"""10^(1/400) in units of 10^−40."""


class Entrant(NamedTuple):
    """Who took part in a result, as of the moment at which it commits."""

    player: str
    rating: MilliPoints
    games: int
    """Rated games before this one."""
    rank: int
    """1, 2, 2, 4: equal ranks are a draw."""
    reached_2400: bool = False
    """Whether a rating of 2400 was ever shown; only `fide/1` asks."""


class Pair(NamedTuple):
    """What a result says of a player against one opponent."""

    opponent: str
    expected: Millionths
    score: Millionths


class Change(NamedTuple):
    """What a result does to a rating, and why. `pairs` are ordered by opponent."""

    player: str
    before: MilliPoints
    after: MilliPoints
    k: MilliPoints
    pairs: tuple[Pair, ...]


def rounded(numerator: int, denominator: int) -> int:
    """The whole number nearest to a fraction with a positive denominator, halves away from zero."""
    nearest = (2 * abs(numerator) + denominator) // (2 * denominator)
    return nearest if numerator >= 0 else -nearest


def shown(rating: MilliPoints) -> Points:
    """A rating, or a difference of ratings, in whole points, halves away from zero."""
    return rounded(rating, 1_000)


def clamped(rating: MilliPoints) -> MilliPoints:
    """The rating, or the bound that it lies beyond."""
    return min(max(rating, FLOOR), CEILING)


def is_provisional(games: int) -> bool:
    """Whether a rating after so many rated games is marked as provisional."""
    return games < PROVISIONAL


def k_factor(games: int) -> MilliPoints:
    """K after so many rated games: max(16, 120/(1 + games/5)) points, rounded once to milli-points.

    Raises `ValueError` for a negative number.
    """
    if games < 0:
        raise ValueError("a number of games is not negative")
    return max(_LEAST_K, rounded(600_000, 5 + games))


def _table() -> tuple[Millionths, ...]:
    values = []
    power = _ONE
    for _ in range(WIDEST + 1):
        values.append(rounded(WIN * power, power + _ONE))
        power = power * _STEP // _ONE
    return tuple(values)


_EXPECTED = _table()


def expected(gap_points: Points) -> Millionths:
    """The expected score of who is so many points ahead: 1/(1 + 10^(−gap/400)); both sides add up to 1,000,000."""
    gap = min(abs(gap_points), WIDEST)
    return _EXPECTED[gap] if gap_points >= 0 else WIN - _EXPECTED[gap]


def score(own: int, other: int) -> Millionths:
    """What a rank scores against another one, the lower rank being the better."""
    return DRAW if own == other else WIN * (own < other)


def changes(entrants: Sequence[Entrant]) -> tuple[Change, ...]:
    """What a result does to each rating, in the order given; the order of seats decides nothing.

    Raises `ValueError` for fewer than two entrants, and for a player who is there twice.
    """
    return changes_at(entrants, [k_factor(entrant.games) for entrant in entrants])


def changes_at(entrants: Sequence[Entrant], ks: Sequence[MilliPoints]) -> tuple[Change, ...]:
    """`changes` with each entrant's K given."""
    require_players(entrants, most=len(entrants))
    pairs = [tuple(_pair(own, other) for other in _others(own, entrants)) for own in entrants]
    weighted = [k * sum(pair.score - pair.expected for pair in row) for k, row in zip(ks, pairs, strict=True)]
    deltas = _apportioned(weighted, _root(len(entrants) - 1), [entrant.player for entrant in entrants])
    return tuple(
        Change(entrant.player, entrant.rating, clamped(entrant.rating + delta), k, row)
        for entrant, delta, k, row in zip(entrants, deltas, ks, pairs, strict=True)
    )


def require_players(entrants: Sequence[Entrant], most: int) -> None:
    """Raises `ValueError` unless there are from two to `most` entrants, each another player."""
    if not 2 <= len(entrants) <= most:
        raise ValueError(f"{len(entrants)} entrants can't be rated")
    if len({entrant.player for entrant in entrants}) < len(entrants):
        raise ValueError("a player can't be rated against themself")


def _others(own: Entrant, entrants: Sequence[Entrant]) -> list[Entrant]:
    return sorted(other for other in entrants if other.player != own.player)


def _pair(own: Entrant, other: Entrant) -> Pair:
    return Pair(other.player, expected(shown(own.rating - other.rating)), score(own.rank, other.rank))


def _root(opponents: int) -> Millionths:
    """The square root of a number, in millionths."""
    return (isqrt(4 * opponents * 10**12) + 1) // 2


def _apportioned(weighted: Sequence[int], divisor: int, players: Sequence[str]) -> list[MilliPoints]:
    """Each weight over the divisor, in whole milli-points that add up to the rounded exact sum.

    All are floored, then the largest remainders get one more; of equal ones that of the lower player id.
    """
    parts = [weight // divisor for weight in weighted]
    by_remainder = sorted(range(len(parts)), key=lambda i: (-(weighted[i] % divisor), players[i]))
    for i in by_remainder[: rounded(sum(weighted), divisor) - sum(parts)]:
        parts[i] += 1
    return parts
