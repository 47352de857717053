"""What a result counts for: won, drawn or lost; and which results move no rating, with their reason (ladder.md)."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from engine.types import EpochMs, Seat

_HOUR_MS = 3_600_000
REMATCH_MS = 24 * _HOUR_MS
"""A rated result counts towards the limit of rematches while it is younger."""

REMATCHES = 2
"""So many young rated results of the same players make the next one unrated."""

LET_OFF_MS = 30 * 24 * _HOUR_MS
"""A no-show is let off once in this time."""


class Outcome(StrEnum):
    """What a rank is to who has it."""

    WON = "won"
    DRAWN = "drawn"
    LOST = "lost"


class Reason(StrEnum):
    """Why a result moves no rating: a history row's `reason_code`."""

    UNRATED = "unrated"
    """The match was made so: house bots, no clock, private, other options, or asked for."""
    ABORTED = "aborted"
    RULING = "ruling"
    FORFEIT = "forfeit"
    """It ended with a closed account, or a withdrawal."""
    WALKOVER = "walkover"
    TOO_SHORT = "too-short"
    """Fewer than two seats have acted themselves."""
    REMATCH_LIMIT = "rematch-limit"
    """The same players have had enough rated results lately."""


_NEVER_RATED = (Reason.RULING, Reason.FORFEIT, Reason.WALKOVER)
_ACTED = 2


class Facts(NamedTuple):
    """What decides whether a result is rated. Tuples are by seat."""

    rated: bool
    """Whether the match was made to be rated."""
    aborted: bool
    ended: str
    """The reason of its result, `ruling` where an organizer gave it, or `walkover` where nobody played."""
    acted: tuple[bool, ...]
    """Whether the seat has acted itself."""
    let_off: tuple[EpochMs | None, ...]
    """When the seat's player was last let off as a no-show in this ladder."""
    at: EpochMs
    """When the result commits."""
    tournament: bool = False
    recent: tuple[EpochMs, ...] = ()
    """When results of exactly these players were rated in this ladder; older ones than a day may be left out."""


class Verdict(NamedTuple):
    """Whether a result is rated: it is when there is no reason against it."""

    reason: Reason | None
    let_off: tuple[Seat, ...] = ()
    """Seats whose players are let off as no-shows by this result, at its moment."""


def outcomes(ranks: Sequence[int]) -> tuple[Outcome, ...]:
    """Won for who is first alone, drawn for a shared first place, lost for all else; by seat."""
    first = Outcome.WON if list(ranks).count(1) == 1 else Outcome.DRAWN
    return tuple(first if rank == 1 else Outcome.LOST for rank in ranks)


def verdict(facts: Facts) -> Verdict:
    """Whether a result is rated, and if not why: the first reason that applies, in the order of `Reason`.

    With several no-shows at a table none is let off any more when one of them has been lately.
    """
    if not facts.rated:
        return Verdict(Reason.UNRATED)
    if facts.aborted:
        return Verdict(Reason.ABORTED)
    if facts.ended in _NEVER_RATED:
        return Verdict(Reason(facts.ended))
    if sum(facts.acted) < _ACTED:
        absent = tuple(seat for seat, acted in enumerate(facts.acted) if not acted)
        if all(_may_be_let_off(facts.let_off[seat], facts.at) for seat in absent):
            return Verdict(Reason.TOO_SHORT, absent)
    if not facts.tournament and sum(facts.at - at < REMATCH_MS for at in facts.recent) >= REMATCHES:
        return Verdict(Reason.REMATCH_LIMIT)
    return Verdict(None)


def _may_be_let_off(last: EpochMs | None, at: EpochMs) -> bool:
    return last is None or at - last >= LET_OFF_MS
