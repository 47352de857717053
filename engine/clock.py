"""Clocks: how long a seat may think, as data (api.md, "Clocks"). An instant is past its deadline when it equals it.

A seat has a reserve; while a decision asks it, the reserve runs, but not during pauses. All of it is pure arithmetic on
the record: who computes a deadline, and when, makes no difference.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.errors import Code, Refused
from engine.types import Data, EpochMs, Json, Seat

PER_MOVE = "per-move"
FISCHER = "fischer"
BYO_YOMI = "byo-yomi"
NONE = "none"

DEFAULT_ACTION = "default-action"
FORFEIT = "forfeit"

_DAY = 86_400
BANK = 90 * _DAY
"""Seconds that a seat can have in hand at most."""

_MOVE = (10, 2_592_000)
_BOUNDS: Mapping[str, Mapping[str, tuple[int, int]]] = {
    PER_MOVE: {"seconds": _MOVE},
    FISCHER: {"seconds": (10, BANK), "increment": (0, BANK), "cap": (10, BANK)},
    BYO_YOMI: {"seconds": (0, BANK), "periods": (1, 20), "period_seconds": _MOVE},
    NONE: {},
}
SLOW = _DAY
"""Seconds a move from which a clock stands still on a vacation."""


class Clock(NamedTuple):
    """The clock of a match, the same for each seat. Times are in seconds; what a kind does not have is 0."""

    kind: str
    seconds: int = 0
    on_timeout: str = DEFAULT_ACTION
    increment: int = 0
    cap: int = 0
    periods: int = 0
    period_seconds: int = 0


class Reserve(NamedTuple):
    """What a seat has in hand: milliseconds, and with byo-yomi the whole periods after them."""

    ms: int = 0
    periods: int = 0


class Pause(NamedTuple):
    """From `start` up to `end` the clock of a seat (None: of all) stands still."""

    id: str
    seat: Seat | None
    start: EpochMs
    end: EpochMs


def per_move(seconds: int) -> Clock:
    """The clock of a game by default: so many seconds a move, a missed action after it."""
    return Clock(PER_MOVE, seconds)


def parse(data: Data) -> Clock:
    """The clock that a request describes. Raises `Refused` (invalid-request) naming what is possible."""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in _BOUNDS:
        raise _invalid("kind", "must be one of: " + ", ".join(_BOUNDS))
    bounds = _BOUNDS[kind]
    allowed = ["kind", *bounds, *([] if kind == NONE else ["on_timeout"])]
    for name in data:
        if name not in allowed:
            raise _invalid(name, f"unknown field; this clock has: {', '.join(allowed)}")
    fields = {name: _integer(data, name, *limits) for name, limits in bounds.items()}
    if kind == FISCHER and fields["cap"] < fields["seconds"]:
        raise _invalid("cap", "must not be less than seconds")
    if kind == BYO_YOMI and fields["seconds"] + fields["periods"] * fields["period_seconds"] > BANK:
        raise _invalid("periods", f"seconds and all periods together must not be more than {BANK}")
    return Clock(kind, on_timeout=_on_timeout(kind, data), **fields)


def _on_timeout(kind: str, data: Data) -> str:
    choices = {PER_MOVE: (DEFAULT_ACTION, FORFEIT), NONE: (DEFAULT_ACTION,)}.get(kind, (FORFEIT,))
    value = data.get("on_timeout", choices[0])
    if value not in choices:
        raise _invalid("on_timeout", "must be " + " or ".join(choices))
    return str(value)


def _integer(data: Data, name: str, low: int, high: int) -> int:
    value = data.get(name)
    if type(value) is not int or not low <= value <= high:
        raise _invalid(name, f"must be an integer from {low} to {high}")
    return value


def _invalid(field: str, detail: str) -> Refused:
    return Refused(Code.INVALID_REQUEST, detail, ("clock", field))


def describe(clock: Clock) -> dict[str, Json]:
    """The clock as a request would give it: `parse(describe(clock)) == clock`."""
    fields = {name: getattr(clock, name) for name in _BOUNDS[clock.kind]}
    policy = {} if clock.kind == NONE else {"on_timeout": clock.on_timeout}
    return {"kind": clock.kind, **fields, **policy}


def is_slow(clock: Clock) -> bool:
    """Whether it gives a day a move or more: then it stands still while its player is on vacation."""
    by_kind = {PER_MOVE: clock.seconds, FISCHER: clock.increment, BYO_YOMI: clock.period_seconds}
    return by_kind.get(clock.kind, 0) >= SLOW


def full(clock: Clock) -> Reserve:
    """What a seat has before its first move."""
    return Reserve(1000 * clock.seconds, clock.periods)


def total(clock: Clock, reserve: Reserve) -> int:
    """Milliseconds until the seat is out of time, periods included."""
    return reserve.ms + reserve.periods * 1000 * clock.period_seconds


def deadline(clock: Clock, reserve: Reserve, opened_at: EpochMs, pauses: Sequence[Pause]) -> EpochMs | None:
    """The first instant that is too late for a decision that opened at `opened_at`; None without a clock.

    `pauses` are those of the seat.
    """
    if clock.kind == NONE:
        return None
    at = opened_at + total(clock, reserve)
    if not pauses:
        return at
    for start, end in merged(pauses):
        if start < at and end > opened_at:
            at += end - max(start, opened_at)
    return at


def after_move(clock: Clock, reserve: Reserve, opened_at: EpochMs, at: EpochMs, pauses: Iterable[Pause]) -> Reserve:
    """What a seat has in hand after it chose at `at`, before its deadline."""
    # Who chose in time has something left, also where the moment of the commit was moved behind another's.
    spent = min(elapsed(opened_at, at, pauses), total(clock, reserve) - 1)
    if clock.kind == FISCHER:
        return Reserve(min(1000 * clock.cap, reserve.ms - spent + 1000 * clock.increment))
    if clock.kind == BYO_YOMI:
        over = spent - reserve.ms
        # A period that is not used up is whole again with the next move.
        used = max(0, over) // (1000 * clock.period_seconds)
        return Reserve(max(0, -over), reserve.periods - used)
    return reserve


def of_seat(pauses: Sequence[Pause], seat: Seat) -> list[Pause]:
    """The pauses that a seat's clock stands still in."""
    return [pause for pause in pauses if pause.seat in (None, seat)]


def elapsed(start: EpochMs, end: EpochMs, pauses: Iterable[Pause]) -> int:
    """Milliseconds from `start` to `end` less those of pauses."""
    paused = sum(max(0, min(end, until) - max(start, since)) for since, until in merged(pauses))
    return max(0, end - start) - paused


def merged(pauses: Iterable[Pause]) -> list[tuple[EpochMs, EpochMs]]:
    """The pauses in order, those that overlap as one."""
    found: list[tuple[EpochMs, EpochMs]] = []
    for start, end in sorted((pause.start, pause.end) for pause in pauses):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found
