"""What happens to a match, and what it makes of it: pure, by the engine alone."""

from typing import NamedTuple, TypeAlias

from engine.clock import Pause, is_slow
from engine.errors import Refused
from engine.match import lobby, play
from engine.match.advance import advance, next_due
from engine.match.play import Request
from engine.match.record import Match, Sitter, Status, seat_of
from engine.types import Action, EpochMs, Seat, Turn
from functions.shared.flows.marks import Key
from tests.faults.month_plan import Outage, Vacation

FORBIDDEN = "forbidden"
START_RATING = 1500


class Asked(NamedTuple):
    """A request of a player."""

    at: EpochMs
    player: str
    what: str
    """`join`, `leave`, `start` or `act`."""
    key: Key
    turn: Turn | None = None
    action: Action | None = None


class Away(NamedTuple):
    """A vacation begins."""

    at: EpochMs
    vacation: Vacation


class Back(NamedTuple):
    """A vacation ends before it was to."""

    at: EpochMs
    vacation: Vacation


class Declared(NamedTuple):
    """An outage is declared."""

    at: EpochMs
    outage: Outage


class Looked(NamedTuple):
    """Somebody sees the match: what time did becomes final."""

    at: EpochMs


Event: TypeAlias = Asked | Away | Back | Declared | Looked


class Life(NamedTuple):
    """A match, and what else tells its fate."""

    match: Match
    expires_at: EpochMs
    names: dict[str, str]
    """Of the players."""
    vacations: tuple[Vacation, ...]
    done: frozenset[str] = frozenset()
    """The marks of the keys of what was carried out."""


def due(life: Life) -> EpochMs | None:
    """When time changes the match next."""
    return life.expires_at if life.match.status is Status.OPEN else next_due(life.match)


def seen(life: Life, at: EpochMs) -> Life:
    """The match at a moment."""
    if life.match.status is Status.OPEN and life.expires_at <= at:
        return life._replace(match=lobby.abort(life.match, life.expires_at))
    return life._replace(match=advance(life.match, at))


def after(life: Life, event: Event) -> tuple[Life, str]:
    """What an event makes of a match, and why a request is refused: the empty text if it is not."""
    match event:
        case Asked():
            return _asked(seen(life, event.at), event)
        case Away(at, vacation):
            return _away(seen(life, at), vacation), ""
        case Back(at, vacation):
            return _back(seen(life, at), vacation, at), ""
        case Declared(at, outage):
            return _declared(life, outage, at), ""
        case Looked(at):
            return seen(life, at), ""


def _away(life: Life, vacation: Vacation) -> Life:
    """The slow clock of a player who is still in stands still."""
    seat = _seat_in(life.match, vacation.player)
    if seat is None or not is_slow(life.match.clock):
        return life
    pause = Pause(_pause_id(vacation), seat, vacation.at, vacation.whole)
    return life._replace(match=play.pause(life.match, pause, vacation.at))


def _back(life: Life, vacation: Vacation, at: EpochMs) -> Life:
    if _seat_in(life.match, vacation.player) is None:
        return life
    return life._replace(match=play.resume(life.match, _pause_id(vacation), at))


def _seat_in(match: Match, player: str) -> Seat | None:
    """The player's seat, unless they have left."""
    seat = seat_of(match, player)
    sitter = None if seat is None else match.seats[seat]
    return None if sitter is None or sitter.left else seat


def _pause_id(vacation: Vacation) -> str:
    return f"vacation#{vacation.player}#{vacation.at}"


def _declared(life: Life, outage: Outage, at: EpochMs) -> Life:
    """What fell due before the outage began did so whoever saw it. The rest gets the time of the outage back."""
    life = seen(life, min(at, outage.start)) if life.match.status is Status.ACTIVE else life
    if life.match.status is not Status.ACTIVE:
        return life
    pause = Pause(f"outage#{outage.start}-{outage.end}", None, outage.start, outage.end)
    start, written = min(at, outage.start), at if at > outage.start else 0
    paused, asked = play.pause(life.match, pause, start, written), play.asked(life.match)
    is_felt = [play.deadline(paused, seat) for seat in asked] != [play.deadline(life.match, seat) for seat in asked]
    return life._replace(match=paused) if is_felt or outage.end > at else life


def _asked(life: Life, asked: Asked) -> tuple[Life, str]:
    if asked.key.mark in life.done:
        return life, ""
    try:
        match = _stepped(life, asked)
    except Refused as refused:
        return life, refused.code.value
    if match is None:
        return life, FORBIDDEN
    life = life._replace(match=match, done=life.done | {asked.key.mark})
    if asked.what == "join":
        for vacation in life.vacations:
            if vacation.player == asked.player and vacation.at <= asked.at < vacation.end:
                life = _away(life, vacation)
    return seen(life, asked.at), ""


def _stepped(life: Life, asked: Asked) -> Match | None:
    """The match after the request; None for who has no seat."""
    match, at = life.match, asked.at
    if asked.what == "join":
        sitter = Sitter(asked.player, life.names[asked.player], START_RATING)
        return lobby.join(match, sitter, at, asked.key.stored)
    seat = seat_of(match, asked.player)
    if seat is None:
        return None
    if asked.what == "leave":
        return lobby.leave(match, seat, at, asked.key.stored)
    if asked.what == "start":
        return lobby.start(match, seat, at, asked.key.stored)
    assert asked.action is not None
    request = Request(seat, at, key=asked.key.stored)
    if asked.turn is None:
        return play.resign(match, request)
    return play.act(match, request, asked.turn, asked.action)
