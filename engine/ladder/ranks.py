"""Exact ranks from a histogram of shown ratings (ladder.md, "Exact ranks at any size").

A histogram has a counter for each whole point; equal ratings share a rank, so the counters alone give everybody's. The
list itself is kept in bands of 16 points: the counters say which of them have anybody in them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.ladder.elo import Points

BUCKETS = 4_096
"""One counter for each rating from 0 to 4,095."""

BAND: Points = 16
"""So many ratings share a band of the list."""

EMPTY = (0,) * BUCKETS
"""The histogram of a ladder without players."""


def total(counts: Sequence[int]) -> int:
    """How many players are listed."""
    return sum(counts)


def above(counts: Sequence[int], points: Points) -> int:
    """How many have a higher rating."""
    return sum(counts[points + 1 :])


def below(counts: Sequence[int], points: Points) -> int:
    """How many have a lower rating."""
    return sum(counts[:points])


def rank(counts: Sequence[int], points: Points) -> int:
    """The rank that goes with a rating: 1, 2, 2, 4."""
    return 1 + above(counts, points)


def percentile(lower: int, of: int) -> int:
    """What share of a ladder of `of` players is rated lower, in whole percent, floored.

    Raises `ValueError` where `lower` of `of` can't be: who asks is listed too.
    """
    if not 0 <= lower < of:
        raise ValueError(f"{lower} of {of} can't be rated lower")
    return 100 * lower // of


def deltas(moves: Iterable[tuple[Points | None, Points | None]]) -> dict[int, int]:
    """What players who were counted at one rating, and now count at another, do to the counters.

    None is not listed. Counters that stay as they are don't appear.
    """
    found: Counter[int] = Counter()
    for before, after in moves:
        if before is not None:
            found[before] -= 1
        if after is not None:
            found[after] += 1
    return {bucket: change for bucket, change in sorted(found.items()) if change}


def band(points: Points) -> int:
    """The band of the list that holds a rating: 0 for 0…15, and so on."""
    return points // BAND
