"""The profile of FIDE's handbook, two seats only: the algorithm `fide/1` (ladder.md, "Rating").

Rating regulations B.02, section 8: expectations from the table of 8.1.2, which no formula gives, and K in three steps.
Every change is a whole number of milli-points.
"""

from bisect import bisect_right
from collections.abc import Sequence

from engine.ladder.elo import (
    WIN,
    Change,
    Entrant,
    Millionths,
    MilliPoints,
    Pair,
    Points,
    clamped,
    require_players,
    score,
    shown,
)

ID = "fide/1"

MASTER: Points = 2_400
"""Who was once shown with it has the smallest K for ever."""

_NEW = 30
_K_NEW: MilliPoints = 40_000
_K: MilliPoints = 20_000
_K_MASTER: MilliPoints = 10_000

_WIDEST: Points = 400
_UNCAPPED: Points = 2_650

_STARTS = (
    *(0, 4, 11, 18, 26, 33, 40, 47, 54, 62),
    *(69, 77, 84, 92, 99, 107, 114, 122, 130, 138),
    *(146, 154, 163, 171, 180, 189, 198, 207, 216, 226),
    *(236, 246, 257, 268, 279, 291, 303, 316, 329, 345),
    *(358, 375, 392, 412, 433, 457, 485, 518, 560, 620),
    736,
)
"""Table 8.1.2: the smallest gap at which the higher side is expected to score .50, .51, … 1.00."""


def k_factor(games: int, reached_2400: bool) -> MilliPoints:
    """K after so many rated games: 40 below 30 of them; then 10 for who was ever shown with 2400, else 20."""
    if games < _NEW:
        return _K_NEW
    return _K_MASTER if reached_2400 else _K


def has_reached_2400(before: bool, rating: MilliPoints) -> bool:
    """Whether 2400 has been shown to date: it was `before`, or it is now."""
    return before or shown(rating) >= MASTER


def expected(gap_points: Points) -> Millionths:
    """The expected score of who is so many points ahead, by table 8.1.2."""
    higher = (49 + bisect_right(_STARTS, abs(gap_points))) * (WIN // 100)
    return higher if gap_points >= 0 else WIN - higher


def gap(own: MilliPoints, other: MilliPoints) -> Points:
    """The gap that counts for `own`: of the ratings as shown, at most 400 either way below an own rating of 2650."""
    true = shown(own) - shown(other)
    return true if shown(own) >= _UNCAPPED else min(max(true, -_WIDEST), _WIDEST)


def changes(entrants: Sequence[Entrant]) -> tuple[Change, ...]:
    """What a result does to both ratings, in the order given.

    Raises `ValueError` unless there are two entrants, each another player.
    """
    require_players(entrants, most=2)
    one, two = entrants
    return _change(one, two), _change(two, one)


def _change(own: Entrant, other: Entrant) -> Change:
    pair = Pair(other.player, expected(gap(own.rating, other.rating)), score(own.rank, other.rank))
    k = k_factor(own.games, has_reached_2400(own.reached_2400, own.rating))
    delta = k * (pair.score - pair.expected) // WIN  # exact: hundredths of whole points
    return Change(own.player, own.rating, clamped(own.rating + delta), k, (pair,))
