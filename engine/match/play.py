"""A match from its first decision to its result: actions, seals, missed actions, leaving (rules/README.md)."""

from itertools import zip_longest
from typing import Any, NamedTuple

from engine import clock
from engine.errors import Code, Refused
from engine.games.protocol import Event, Legal
from engine.match.outcome import is_decided, outcome
from engine.match.record import (
    PLAYED,
    By,
    Entry,
    Left,
    Match,
    Result,
    Sealed,
    Sitter,
    Status,
    chance,
    last_event_at,
    logged,
    not_before,
    published,
    replaced,
    rules,
    sitters,
)
from engine.types import Action, EpochMs, Json, Seat, Turn

MISSES = 3
"""A seat that misses so many actions in a row leaves."""

RESIGN: Action = {"type": "resign"}


class Request(NamedTuple):
    """Who acts, when, and the marks by which the request is recognised when it comes again."""

    seat: Seat
    at: EpochMs
    by: By = By.PLAYER
    key: str = ""


def asked(match: Match) -> tuple[Seat, ...]:
    """The seats that the open decision asks and that are still in. It does not shrink as choices come in."""
    if match.status is not Status.ACTIVE:
        return ()
    return tuple([seat for seat in rules(match).pending(match.state) if not _sitter(match, seat).left])


def awaited(match: Match) -> tuple[Seat, ...]:
    """The seats of `asked` that have not chosen yet: not for anybody's eyes but each seat's own."""
    if not match.seals:
        return asked(match)
    sealed = {choice.seat for choice in match.seals}
    return tuple([seat for seat in asked(match) if seat not in sealed])


def legal(match: Match, seat: Seat) -> Legal:
    """What a seat may do now, resigning apart; nothing when it is not awaited."""
    return rules(match).legal_actions(match.state, seat) if seat in awaited(match) else Legal()


def deadline(match: Match, seat: Seat) -> EpochMs | None:
    """The first instant that is too late for a seat that the open decision asks; None without a clock.

    It does not tell whether the seat has chosen.
    """
    sitter = _sitter(match, seat)
    pauses = clock.of_seat(match.pauses, seat)
    return clock.deadline(match.clock, _reserve(sitter), match.opened_at, pauses)


def may_act(match: Match, seat: Seat, at: EpochMs) -> bool:
    """Whether the seat is awaited, and in time at `at`."""
    return seat in awaited(match) and not _is_late(match, seat, at)


def closes_at(match: Match) -> EpochMs | None:
    """When time closes the open decision, if nobody else does before; None while it waits for nobody's clock."""
    return max([at for seat in awaited(match) if (at := deadline(match, seat)) is not None], default=None)


def act(match: Match, request: Request, turn: Turn, action: Action) -> Match:
    """A seat's choice in decision `turn`; the last one that is awaited closes it.

    Raises `Refused`: match-not-open, match-over, stale-turn, not-your-turn, illegal-action, in this order.
    """
    require_active(match)
    if turn != match.turn:
        raise Refused(Code.STALE_TURN, f"turn {turn} is not open: the match is at turn {match.turn}", ("turn",))
    if request.seat not in awaited(match):
        raise Refused(Code.NOT_YOUR_TURN, _why_not(match, request.seat))
    if _is_late(match, request.seat, request.at):
        raise Refused(Code.NOT_YOUR_TURN, "your time for this decision has run out")
    action = rules(match).check(match.state, request.seat, action)
    match = _seal(match, request, action, misses=0, acted=True, seen=published(match))
    return settle(match, match.seals[-1].at)


def resign(match: Match, request: Request) -> Match:
    """A seat leaves of its own will; a choice that it has sealed stands. Raises `Refused` as `act`, turn apart."""
    require_active(match)
    if _sitter(match, request.seat).left:
        raise Refused(Code.NOT_YOUR_TURN, _why_not(match, request.seat))
    at = not_before(match, request.at)
    entry = Entry(at, match.turn, "resign", request.seat, by=request.by, key=request.key, move=match.moves + 1)
    match = replaced(match, request.seat, left=Left.RESIGNED, left_at=at, seen=published(match))
    return settle(logged(match._replace(moves=match.moves + 1), entry), at)


def forfeit(match: Match, seat: Seat, at: EpochMs) -> Match:
    """A seat is taken out: a closed account, a withdrawal, a ruling. Raises `Refused` as `resign`."""
    require_active(match)
    if _sitter(match, seat).left:
        raise Refused(Code.NOT_YOUR_TURN, _why_not(match, seat))
    at = not_before(match, at)
    return settle(_leave(match, (seat,), Left.FORFEIT, at), at)


def adjudicate(match: Match, at: EpochMs) -> Match:
    """A match that goes on ends at a moment that is not its own: by the game's standing, below it who has left or run
    out of time. Nothing comes of it where nobody has acted. Raises `Refused` (match-not-open, match-over)."""
    require_active(match)
    at = not_before(match, at)
    match = logged(match, Entry(at, match.turn, "adjudicated", secret=_order(match)))
    if match.clock.on_timeout == clock.FORFEIT:
        match = _leave(match, [seat for seat in awaited(match) if _is_late(match, seat, at)], Left.TIMEOUT, at)
    return _finish(match, outcome(match, Left.TIMEOUT))


def call_off(match: Match, at: EpochMs) -> Match:
    """A match that goes on is aborted from outside: a ruling. Raises `Refused` (match-not-open, match-over)."""
    require_active(match)
    at = not_before(match, at)
    ended = logged(match, Entry(at, match.turn, "called-off", secret=_order(match)))
    return logged(ended._replace(status=Status.ABORTED, ended_at=at), Entry(at, match.turn, "aborted"))


def time_out(match: Match) -> Match:
    """Closes the open decision at its deadline: the awaited seats miss their action, or forfeit.

    The caller has seen that `closes_at` has come.
    """
    at = closes_at(match)
    if at is None:
        raise ValueError("the open decision waits for nobody's clock")
    return settle(match, not_before(match, at))


def settle(match: Match, at: EpochMs) -> Match:
    """Takes the match as far as it goes at `at` without anybody: seats that left miss their actions, a decision in
    which everybody has chosen or run out of time closes, and a match that is over ends."""
    game = rules(match)
    while asked_seats := game.pending(match.state):
        if is_decided(match):
            if match.clock.on_timeout == clock.FORFEIT:
                # Who ran out of time while others could still choose is out in the same phase as they.
                match = _leave(match, [s for s in awaited(match) if _is_late(match, s, at)], Left.TIMEOUT, at)
            return _finish(match, outcome(match))
        sealed = {choice.seat for choice in match.seals}
        for seat in asked_seats:
            if seat not in sealed and _sitter(match, seat).left:
                match = _miss(match, seat, at)
        late = awaited(match)
        if any(not _is_late(match, seat, at) for seat in late):
            return match
        if late and match.clock.on_timeout == clock.FORFEIT:
            match = _leave(match, late, Left.TIMEOUT, at)
        else:
            match = _close_with_misses(match, late, at)
    return _finish(match, outcome(match, PLAYED))


def pause(match: Match, new: clock.Pause, at: EpochMs, written: EpochMs = 0) -> Match:
    """The match with a further pause, once; as it is when it has this one or has ended.

    What was overdue when the pause began is not touched by it. `written` is when it is written in, if later than `at`.
    """
    if match.status not in (Status.OPEN, Status.ACTIVE) or any(known.id == new.id for known in match.pauses):
        return match
    data = {"from": new.start, "until": new.end}
    at = not_before(match, at)
    entry = Entry(at, match.turn, "paused", new.seat, data, key=new.id, committed=written, secret=_order(match))
    return logged(match._replace(pauses=(*match.pauses, new)), entry)


def resume(match: Match, pause_id: str, at: EpochMs) -> Match:
    """The match with a pause that ends at `at`; as it is without that pause, or when it is over."""
    found = next((known for known in match.pauses if known.id == pause_id and known.end > at), None)
    if found is None or match.status not in (Status.OPEN, Status.ACTIVE):
        return match
    end = max(found.start, at)
    pauses = tuple(known._replace(end=end) if known is found else known for known in match.pauses)
    at, data = not_before(match, at), {"until": end}
    entry = Entry(at, match.turn, "resumed", found.seat, data, key=pause_id, secret=_order(match))
    return logged(match._replace(pauses=pauses), entry)


def require_active(match: Match) -> None:
    """Raises `Refused` (match-not-open, match-over) unless the match has started and goes on."""
    if match.status is Status.OPEN:
        raise Refused(Code.MATCH_NOT_OPEN, "the match has not started: seats are free")
    if match.status is not Status.ACTIVE:
        raise Refused(Code.MATCH_OVER, f"the match is {match.status}")


def _why_not(match: Match, seat: Seat) -> str:
    if _sitter(match, seat).left:
        return "you have left this match"
    if seat in asked(match):
        return "you have chosen already; a sealed choice can't be changed"
    return f"the decision asks the seats {list(asked(match))}, you have seat {seat}"


def _sitter(match: Match, seat: Seat) -> Sitter:
    sitter = match.seats[seat]
    if sitter is None:
        raise LookupError(seat)
    return sitter


def _reserve(sitter: Sitter) -> clock.Reserve:
    return clock.Reserve(sitter.reserve_ms, sitter.periods)


def _is_late(match: Match, seat: Seat, at: EpochMs) -> bool:
    limit = deadline(match, seat)
    return limit is not None and limit <= at


def _seal(match: Match, request: Request, action: Action, **changes: Json) -> Match:
    """The match with a choice, and with changes to whom sits at its seat."""
    at = not_before(match, request.at)
    choice = Sealed(request.seat, action, at, request.by, request.key, match.moves + 1)
    seats = list(match.seats)
    seats[request.seat] = _sitter(match, request.seat)._replace(**changes)
    return match._replace(seals=(*match.seals, choice), moves=choice.move, seats=tuple(seats))


def _miss(match: Match, seat: Seat, at: EpochMs, **changes: Json) -> Match:
    return _seal(match, Request(seat, at, By.CLOCK), rules(match).missed_action(match.state, seat), **changes)


def _leave(match: Match, seats: tuple[Seat, ...] | list[Seat], why: Left, at: EpochMs) -> Match:
    for seat in seats:
        match = replaced(match, seat, left=why, left_at=at)
        match = logged(match, Entry(at, match.turn, "left", seat, {"reason": why}, secret=_order(match)))
    return match


def _order(match: Match) -> dict[str, Any]:
    """Where among the actions something happened that is none. Nobody may know before the end: it counts the seals."""
    return {"after": match.moves}


def _close_with_misses(match: Match, late: tuple[Seat, ...], at: EpochMs) -> Match:
    """Closes the decision. The third action that a seat misses in a row is still played, before the seat leaves."""
    for seat in late:
        match = _miss(match, seat, at, misses=_sitter(match, seat).misses + 1)
    match = _close(match)
    if not rules(match).pending(match.state):
        return match
    return _leave(match, [seat for seat in late if _sitter(match, seat).misses >= MISSES], Left.ABANDONED, at)


def _close(match: Match) -> Match:
    choices = sorted(match.seals)
    at = max(choice.at for choice in choices)
    match = _clocked(match, choices)
    actions = {choice.seat: choice.action for choice in choices}
    state, events = rules(match).resolve(match.state, actions, chance(match))
    entries = [_entry(match, at, event, choice) for event, choice in zip_longest(events, choices)]
    log, pauses = (*match.log, *entries), tuple(known for known in match.pauses if known.end > at)
    return match._replace(state=state, turn=match.turn + 1, opened_at=at, seals=(), log=log, pauses=pauses)


def _clocked(match: Match, choices: list[Sealed]) -> Match:
    """The match with what the players who chose have left in hand."""
    for choice in choices:
        if choice.by == By.PLAYER:
            before, pauses = _reserve(_sitter(match, choice.seat)), clock.of_seat(match.pauses, choice.seat)
            left = clock.after_move(match.clock, before, match.opened_at, choice.at, pauses)
            if left != before:
                match = replaced(match, choice.seat, reserve_ms=left.ms, periods=left.periods)
    return match


def _entry(match: Match, at: EpochMs, event: Event, choice: Sealed | None) -> Entry:
    known: dict[str, Any] = {"secret": event.secret, "to": event.to, "brief": event.brief}
    if choice is None:
        return Entry(at, match.turn, event.type, event.seat, event.data, **known)
    committed = 0 if choice.at == at else choice.at
    made = (choice.by, choice.key, choice.move, committed)
    return Entry(at, match.turn, event.type, event.seat, event.data, *made, **known)


def _finish(match: Match, result: Result) -> Match:
    at = last_event_at(match)
    has_acted = any(sitter.acted or sitter.left in (Left.RESIGNED, Left.FORFEIT) for sitter in sitters(match))
    if not has_acted:
        return logged(match._replace(status=Status.ABORTED, ended_at=at), Entry(at, match.turn, "aborted"))
    data = {"reason": result.reason, "ranks": list(result.ranks), "scores": list(result.scores)}
    entry = Entry(at, match.turn, "finished", None, data)
    return logged(match._replace(status=Status.FINISHED, ended_at=at, result=result), entry)
