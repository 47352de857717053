"""A move: load, act, save under a condition. One read and one write, whatever the game (design.md, promise 2)."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from engine.errors import Refused
from engine.match import lobby, play
from engine.match.advance import advance
from engine.match.record import Left, Match, Status, sitters
from engine.types import Action, EpochMs, Seat, Turn
from functions.shared.flows.marks import Key, require_same_body
from functions.shared.flows.visibility import find
from functions.shared.problems import Problem, Rejected, busy, from_engine
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import MatchRecord

PAUSE_S = 0.01
"""The first pause after a conflict; each further one may be so much longer."""


Turns: TypeAlias = tuple[Turn, Turn]
"""The first and the last of a few turns."""


class Outcome(NamedTuple):
    """A match after a request, as it is stored."""

    record: MatchRecord
    replayed: bool = False
    """Whether the request had been carried out before."""


def current(services: Services, record: MatchRecord, now: EpochMs) -> MatchRecord:
    """The match at `now`: what time and house bots did is stored before anybody sees it."""
    if record.due is not None and now < record.due:
        return record
    for attempt in range(_attempts(record)):
        advanced = _brought_up(record, now)
        if advanced is record.match:
            return record
        try:
            return services.matches.save(record, record._replace(match=advanced))
        except ConflictError:
            record = _again(services, record, attempt)
    raise busy()


def _brought_up(record: MatchRecord, now: EpochMs) -> Match:
    return advance(unless_expired(record, now), now)


def unless_expired(record: MatchRecord, now: EpochMs) -> Match:
    """The match; if it is open and its time is over, as it ended then."""
    is_over = record.match.status is Status.OPEN and record.expires_at <= now
    return lobby.abort(record.match, record.expires_at) if is_over else record.match


def act(
    services: Services, record: MatchRecord, seat: Seat, key: Key, turn: Turn | None, action: Action, now: EpochMs
) -> Outcome:
    """Carries out an action of a seat (`turn` is needed unless it resigns).

    A conflict is met by reading and applying again while the decision is open: choices that several seats seal at once
    all count. Raises `Rejected`: key-reused, and the refusals of `engine.match.play`, in this order.
    """

    def step(match: Match) -> Match:
        request = play.Request(seat, now, key=key.stored)
        if action.get("type") == play.RESIGN["type"]:
            if len(action) > 1:
                play.resign(match, request)  # whether it may is said first
                raise Rejected(Problem.ILLEGAL_ACTION, "to resign takes no further field")
            return play.resign(match, request)
        if turn is None:
            raise Rejected(Problem.STALE_TURN, f"name the turn that you act in: the match is at turn {match.turn}")
        return play.act(match, request, turn, action)

    def earlier(match: Match) -> Turns | None:
        if turn is None:
            return (1, match.turn) if sitters(match)[seat].left == Left.RESIGNED else None
        return (turn, turn) if turn < match.turn else None

    return change(services, record, key, step, now, earlier)


def change(
    services: Services,
    record: MatchRecord,
    key: Key,
    step: Callable[[Match], Match],
    now: EpochMs,
    earlier: Callable[[Match], Turns | None],
    save: Callable[[MatchRecord, MatchRecord], MatchRecord] | None = None,
) -> Outcome:
    """Takes one step of a match, exactly once for a key, and saves it under the condition that nobody else did. A step
    that changes nothing writes nothing.

    `earlier` gives the turns in which the key may have come before; None when only the log's tail can tell.
    """
    save = save or services.matches.save
    for attempt in range(_attempts(record)):
        record = current(services, record, now)
        if was_done(services, record, key, earlier):
            return Outcome(record, replayed=key.is_given and attempt == 0)
        try:
            stepped = advance(step(record.match), now)
        except Refused as refused:
            raise from_engine(refused) from refused
        if stepped is record.match:
            return Outcome(record)
        try:
            return Outcome(save(record, record._replace(match=stepped)))
        except ConflictError:
            record = _again(services, record, attempt)
    raise busy()


def _attempts(record: MatchRecord) -> int:
    # Each conflict means that another seat got through; the two more are for the referee and for a reply that was lost.
    return len(record.match.seats) + 2


def _again(services: Services, record: MatchRecord, attempt: int) -> MatchRecord:
    jitter = services.random_bytes(1)[0] / 255
    services.pause(PAUSE_S * (attempt + 1) * jitter)
    return find(services, record.match.id)


def was_done(services: Services, record: MatchRecord, key: Key, earlier: Callable[[Match], Turns | None]) -> bool:
    """Whether the request with this key is in the match's log (`earlier`: as in `change`).

    Raises `Rejected` (key-reused) when it is with another body.
    """
    match = record.match
    marks = [choice.key for choice in match.seals] + [entry.key for entry in match.log]
    if not key.is_given:
        return key.stored in marks
    found = next((mark for mark in marks if mark.startswith(key.mark)), None)
    if found is None and record.parts and (turns := earlier(match)) is not None:
        found = _mark_put_away(services, record, key, turns)
    if found is None:
        return False
    require_same_body(key, found[len(key.mark) :])
    return True


def _mark_put_away(services: Services, record: MatchRecord, key: Key, turns: Turns) -> str | None:
    """Looks in the parts that can hold events of these turns: those that begin in them, and the one before."""
    begun = [part.first for part in record.parts if part.turn <= turns[1]]
    before = [part.first for part in record.parts if part.turn < turns[0]]
    if not begun:
        return None
    parts = services.matches.log_parts(record.match.id, before[-1] if before else begun[0], begun[-1])
    return next((entry.key for part in parts for entry in part.entries if entry.key.startswith(key.mark)), None)
