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
    if seat is None or vacation is None or not is_slow(match.clock):
        return match
    pause_id = vacation.pause_id(profile.id)
    known = next((pause for pause in match.pauses if pause.id == pause_id), None)
    if known is not None and known.end > vacation.end:
        return play.resume(match, pause_id, vacation.end)
    if known is None and vacation.end > now:
        # What is overdue is taken first: a pause is for the time that is left.
        match = advance(match, now)
        return play.pause(match, Pause(pause_id, seat, max(now, vacation.start), vacation.end), now)
    return match


def in_outage(match: Match, pause: Pause, now: EpochMs) -> Match:
    """The match with an outage in it, if its open decision has anything to do with it. What was overdue before the
    outage began stays overdue."""
    if match.status is not Status.ACTIVE:
        return match
    paused = play.pause(match, pause, now)
    if play.closes_at(paused) != play.closes_at(match):
        return paused
    # Nothing that runs now is touched by what is past of it; what is still to come may touch later decisions.
    match = advance(match, now)
    return play.pause(match, pause, now) if pause.end > now else match
