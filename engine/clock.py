"""Clocks: how long a seat may think, as data (api.md, "Clocks"). An instant is past its deadline when it equals it."""

from typing import NamedTuple

from engine.errors import Code, Refused
from engine.types import Data, EpochMs, Json

PER_MOVE = "per-move"
DEFAULT_ACTION = "default-action"
FORFEIT = "forfeit"

_SECONDS = (10, 2_592_000)


class Clock(NamedTuple):
    """`seconds` a move, and what happens to a seat that lets them run out."""

    kind: str
    seconds: int
    on_timeout: str = DEFAULT_ACTION


def per_move(seconds: int) -> Clock:
    """The clock of a game by default: so many seconds a move, a missed action after it."""
    return Clock(PER_MOVE, seconds)


def parse(data: Data) -> Clock:
    """The clock that a request describes. Raises `Refused` (invalid-request) naming what is possible."""
    if data.get("kind") != PER_MOVE:
        raise _invalid("kind", "must be per-move")
    for name in data:
        if name not in ("kind", "seconds", "on_timeout"):
            raise _invalid(name, "unknown field; a per-move clock has: kind, seconds, on_timeout")
    seconds = data.get("seconds")
    if type(seconds) is not int or not _SECONDS[0] <= seconds <= _SECONDS[1]:
        raise _invalid("seconds", f"must be an integer from {_SECONDS[0]} to {_SECONDS[1]}")
    on_timeout = data.get("on_timeout", DEFAULT_ACTION)
    if on_timeout not in (DEFAULT_ACTION, FORFEIT):
        raise _invalid("on_timeout", f"must be {DEFAULT_ACTION} or {FORFEIT}")
    return Clock(PER_MOVE, seconds, on_timeout)


def _invalid(field: str, detail: str) -> Refused:
    return Refused(Code.INVALID_REQUEST, detail, ("clock", field))


def describe(clock: Clock) -> dict[str, Json]:
    """The clock as a request would give it: `parse(describe(clock)) == clock`."""
    return {"kind": clock.kind, "seconds": clock.seconds, "on_timeout": clock.on_timeout}


def deadline(clock: Clock, opened_at: EpochMs) -> EpochMs:
    """The first instant that is too late for a decision that opened at `opened_at`."""
    return opened_at + 1000 * clock.seconds


def remaining(clock: Clock) -> int:
    """Milliseconds that a standing clock will have when it starts."""
    return 1000 * clock.seconds
