"""Work that takes longer than a request: done in the request as far as it goes, and by the referee after that.

A job can be cut off between any two of its writes, and two may work on it at once: each step looks at what is stored,
and does only what is still to do.
"""

from collections.abc import Callable, Mapping

from engine import games
from engine.clock import Pause
from engine.match import lobby, play
from engine.match.advance import advance
from engine.match.record import Match, Status, replaced, seat_of
from engine.types import EpochMs, Seat
from functions.shared.flows.changing import change_match
from functions.shared.flows.pauses import in_outage, on_vacation
from functions.shared.flows.tournaments.entering import withdraw_everywhere
from functions.shared.flows.tournaments.extending import extend
from functions.shared.flows.webhooks_setbacks import woken
from functions.shared.store.due import NEVER, SHARDS, TOURNAMENT_SHARDS
from functions.shared.store.ports import Services
from functions.shared.store.records import DELETED, Job, JobKind, SeekStatus

BATCH = 50

LINGER_MS = 60_000
"""After so long no request is under way that knows a profile as it was: a token is remembered for half a minute, and a
request takes ten seconds at most."""

_SINCE = "since"


def run(services: Services, job: Job, now: EpochMs) -> None:
    """Does a job and takes it off the list. Raises `ConflictError` when somebody else writes at the same moment."""
    _WORK[job.kind](services, job, now)


def _vacation(services: Services, job: Job, now: EpochMs) -> None:
    """Brings the player's live matches in line with their vacation, whatever it is by now."""
    profile = services.players.get(job.id)
    if profile is not None and profile.vacation is not None:
        for match_id in _live(services, job.id):
            change_match(services, match_id, lambda match: on_vacation(match, profile, now), now)
    _once_more(services, job)


def _close(services: Services, job: Job, now: EpochMs) -> None:
    """Takes a closed account off the ladders, out of its tournaments and matches, and its name out of those that have
    ended."""
    _unlist(services, job.id)
    for seek in services.seeks.of_player(job.id):
        services.seeks.end(seek, SeekStatus.CANCELLED, now)
    for webhook in services.webhooks.of_player(job.id):
        services.webhooks.remove(webhook)
    withdraw_everywhere(services, job.id, now)
    closed_at = job.data.get(_SINCE, job.due)
    for match_id in _live(services, job.id):
        change_match(services, match_id, lambda match: _without(match, job.id, closed_at, now), closed_at)
    _once_more(services, _take_name_away(services, job, now))


def _unlist(services: Services, player: str) -> None:
    """The ratings stay, since what others won is computed from them."""
    for rating in services.ladder.of_player(player, games.IDS).values():
        if rating.version and not rating.closed:
            services.ladder.change(rating, rating._replace(listed=False, closed=True, due=None))


def _once_more(services: Services, job: Job) -> None:
    """A job of a player is done twice: somebody who knew the profile as it was before may have sat the player down at a
    table that the first time missed."""
    if _SINCE in job.data:
        services.jobs.finish(job)
    else:
        services.jobs.save(job, job._replace(data={_SINCE: job.due}, due=job.due + LINGER_MS))


def _take_name_away(services: Services, job: Job, now: EpochMs) -> Job:
    """Goes through the matches that have ended, the newest first; the second time down to those of the first."""
    player, since, before = job.id, f"{job.data.get(_SINCE, 0):013d}", job.data.get("before")
    while True:
        page = services.matches.of_player(player, ended=True, before=before, limit=BATCH)
        for place in page.places:
            change_match(services, place.id, lambda match: _unnamed(match, player), now)
        if not page.more or page.places[-1].key < since:
            return job
        before = page.places[-1].key
        job = services.jobs.save(job, job._replace(data={**job.data, "before": before}))


def _without(match: Match, player: str, closed_at: EpochMs, now: EpochMs) -> Match:
    """The match without a player. What this ends has ended when the account was closed, however late that is written:
    nobody else's time runs out against who had gone. Where others play on, it happens now, or the next of them would
    lose time to a decision that nobody could see."""
    seat = seat_of(match, player)
    if seat is None:
        return match
    gone = _vacated(match, seat, closed_at)
    if gone.status is Status.ACTIVE:
        gone = _vacated(match, seat, now)
    return _unnamed(gone, player)


def _vacated(match: Match, seat: Seat, at: EpochMs) -> Match:
    match = advance(match, at)
    if match.status is Status.OPEN:
        return lobby.leave(match, seat, at)
    sitter = match.seats[seat]
    is_in = match.status is Status.ACTIVE and sitter is not None and not sitter.left
    return play.forfeit(match, seat, at) if is_in else match


def _unnamed(match: Match, player: str) -> Match:
    seat = seat_of(match, player)
    sitter = None if seat is None else match.seats[seat]
    if seat is None or sitter is None or sitter.name == DELETED:
        return match
    return replaced(match, seat, name=DELETED)


def _outage(services: Services, job: Job, now: EpochMs) -> None:
    """Writes a declared outage into every live match and every open pairing that is due some day, shard by shard."""
    pause, declared = Pause(f"outage#{job.id}", None, job.data["from"], job.data["until"]), job.data["declared"]
    shard, after = job.data.get("shard", 0), job.data.get("after")
    while shard < SHARDS + TOURNAMENT_SHARDS:
        find_due, number = (
            (services.matches.due, shard) if shard < SHARDS else (services.tournaments.due, shard - SHARDS)
        )
        page = find_due(number, NEVER, BATCH, after)
        for item in page:
            if item.key.startswith("TRN#"):
                extend(services, item.key.removeprefix("TRN#"), pause)
            if item.key.startswith("MAT#"):
                match_id = item.key.removeprefix("MAT#")
                change_match(services, match_id, lambda match: in_outage(match, pause, declared), declared)
        shard, after = (shard, page[-1].place) if len(page) == BATCH else (shard + 1, None)
        job = services.jobs.save(job, job._replace(data={**job.data, "shard": shard, "after": after}))
    services.jobs.finish(job)


def _webhook(services: Services, job: Job, now: EpochMs) -> None:
    """Wakes a webhook. Its deliveries are the work of the players stream's consumer: a target that is slow holds up no
    deadline."""
    webhook = services.webhooks.get(job.data["player"], job.id)
    if webhook is None or webhook.due is None:
        services.jobs.finish(job)
    elif webhook.due <= now:
        services.webhooks.save(webhook, woken(webhook, now))


def _live(services: Services, player: str) -> list[str]:
    page = services.matches.of_player(player, ended=False, before=None, limit=200)
    return [place.id for place in page.places]


_WORK: Mapping[JobKind, Callable[[Services, Job, EpochMs], None]] = {
    JobKind.VACATION: _vacation,
    JobKind.CLOSE: _close,
    JobKind.OUTAGE: _outage,
    JobKind.WEBHOOK: _webhook,
}
