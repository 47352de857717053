"""When the clocks of a match stand still: a player's vacation, an outage of the service."""

from engine.clock import Pause, is_slow
from engine.match import play
from engine.match.advance import advance
from engine.match.record import Match, Status, seat_of
from engine.types import EpochMs
from functions.shared.store.records import Profile


def on_vacation(match: Match, profile: Profile, now: EpochMs) -> Match:
    """The match as the vacation of one of its players wants it: their slow clock stands still until its end."""
    seat, vacation = seat_of(match, profile.id), profile.vacation
    sitter = None if seat is None else match.seats[seat]
    if sitter is None or sitter.left or vacation is None or not is_slow(match.clock):
        return match
    pause_id = vacation.pause_id(profile.id)
    known = next((pause for pause in match.pauses if pause.id == pause_id), None)
    if known is None:
        return _with(match, Pause(pause_id, seat, vacation.start, vacation.end), now)
    if known.end <= vacation.end:
        return match
    # What is overdue for the others is taken at its own moment, not at that of the return.
    return play.resume(advance(match, vacation.end), pause_id, vacation.end)


def in_outage(match: Match, outage: Pause, declared: EpochMs) -> Match:
    """The match with an outage in it, if it has anything to do with it."""
    return match if match.status is not Status.ACTIVE else _with(match, outage, declared, declared)


def _with(match: Match, pause: Pause, now: EpochMs, written: EpochMs = 0) -> Match:
    """The match with a pause, unless it changes no deadline and is over.

    What was overdue when it began is taken first: a pause is for the time that is left. What is written in late counts
    as if it had been written in time.
    """
    at = min(pause.start, now)
    before = advance(match, at)
    if pause.seat is not None and (sitter := before.seats[pause.seat]) is not None and sitter.left:
        return before
    paused = play.pause(before, pause, at, written if written > at else 0)
    # Of all seats that are asked: who has chosen must not show.
    is_felt = any(play.deadline(paused, seat) != play.deadline(before, seat) for seat in play.asked(before))
    return paused if is_felt or pause.end > now else match
