"""Who is to play whom, of those who seek (ladder.md, "Seeks"): pure arithmetic on their ratings and their wait."""

from collections.abc import Iterable, Sequence

from engine.types import EpochMs
from functions.shared.store.records import Seek

WIDTH, WIDER = 150, 50
"""Points to each side of the own rating that are accepted at first, and how many more after each full hour."""

ANYBODY_AFTER = 24
"""Hours after which everybody is accepted."""

HOUR_MS = 3_600_000

ANYBODY = (0, 9999)
"""A range that holds every rating."""


def accepted(seek: Seek, now: EpochMs) -> tuple[int, int]:
    """The lowest and the highest rating that the seek accepts at `now`. A given range never widens."""
    if seek.rating_range is not None:
        return seek.rating_range
    hours = (now - seek.created_at) // HOUR_MS
    if hours >= ANYBODY_AFTER:
        return ANYBODY
    width = WIDTH + WIDER * hours
    return max(0, seek.rating - width), seek.rating + width


def next_look(seek: Seek, now: EpochMs) -> EpochMs:
    """When a seek that waits is looked at again: each full hour of the first day, each day after it, at its end. Its
    range may be wider then, and ratings have changed."""
    waited = now - seek.created_at
    step = HOUR_MS if waited < ANYBODY_AFTER * HOUR_MS else ANYBODY_AFTER * HOUR_MS
    return min(now - waited % step + step, seek.expires_at)


def table(seek: Seek, others: Iterable[Seek], now: EpochMs) -> tuple[Seek, ...] | None:
    """The seeks that make a full table with this one, the oldest first; None where there are too few.

    Each accepts each. With two seats the nearest rating is chosen, then the oldest. With more, seats go to the oldest
    of them all, then to the ratings nearest to its own; where that leaves a seat free, from the next oldest on.
    """
    fitting = [other for other in others if other.player != seek.player and _accept(seek, other, now)]
    if seek.seats == 2:
        chosen = min(fitting, key=lambda other: _nearness(seek, other), default=None)
        return None if chosen is None else _by_age((seek, chosen))
    for oldest in _by_age([seek, *fitting]):
        seated = [seek] if oldest is seek else [seek, oldest]
        for other in sorted(fitting, key=lambda other: _nearness(oldest, other)):
            if len(seated) < seek.seats and _joins(other, seated, now):
                seated.append(other)
        if len(seated) == seek.seats:
            return _by_age(seated)
    return None


def _joins(other: Seek, seated: Sequence[Seek], now: EpochMs) -> bool:
    return all(other.player != one.player and _accept(one, other, now) for one in seated)


def _accept(one: Seek, other: Seek, now: EpochMs) -> bool:
    return _accepts(one, other, now) and _accepts(other, one, now)


def _accepts(one: Seek, other: Seek, now: EpochMs) -> bool:
    low, high = accepted(one, now)
    return low <= other.rating <= high


def _nearness(seek: Seek, other: Seek) -> tuple[int, EpochMs, str]:
    return abs(seek.rating - other.rating), other.created_at, other.id


def _by_age(seeks: Iterable[Seek]) -> tuple[Seek, ...]:
    return tuple(sorted(seeks, key=lambda seek: (seek.created_at, seek.id)))
