"""Work that takes longer than a request: done in the request as far as it goes, and by the referee after that.

A job can be cut off between any two of its writes, and two may work on it at once: each step looks at what is stored,
and does only what is still to do.
"""

from collections.abc import Callable, Mapping

from engine.clock import Pause
from engine.match import lobby, play
from engine.match.advance import advance
from engine.match.record import Match, Status, replaced, seat_of
from engine.types import EpochMs
from functions.shared.flows.pauses import in_outage, on_vacation
from functions.shared.flows.play import unless_expired
from functions.shared.store.due import NEVER, SHARDS
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import DELETED, Job, JobKind, MatchRecord

BATCH = 50

LINGER_MS = 60_000
"""After so long no request is under way that knows a profile as it was: a token is remembered for half a minute, and a
request takes ten seconds at most."""

_SINCE = "since"

Change = Callable[[Match], Match]


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
    """Takes a closed account out of its matches, and its name out of those that have ended."""
    for match_id in _live(services, job.id):
        change_match(services, match_id, lambda match: _without(match, job.id, now), now)
    _once_more(services, _take_name_away(services, job, now))


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


def _without(match: Match, player: str, now: EpochMs) -> Match:
    seat = seat_of(match, player)
    if seat is None:
        return match
    match = advance(match, now)
    if match.status is Status.OPEN:
        return _unnamed(lobby.leave(match, seat, now), player)
    sitter = match.seats[seat]
    if match.status is Status.ACTIVE and sitter is not None and not sitter.left:
        match = play.forfeit(match, seat, now)
    return _unnamed(match, player)


def _unnamed(match: Match, player: str) -> Match:
    seat = seat_of(match, player)
    sitter = None if seat is None else match.seats[seat]
    if seat is None or sitter is None or sitter.name == DELETED:
        return match
    return replaced(match, seat, name=DELETED)


def _outage(services: Services, job: Job, now: EpochMs) -> None:
    """Writes a declared outage into every live match that is due some day, shard by shard."""
    pause, declared = Pause(f"outage#{job.id}", None, job.data["from"], job.data["until"]), job.data["declared"]
    shard, after = job.data.get("shard", 0), job.data.get("after")
    while shard < SHARDS:
        page = services.matches.due(shard, NEVER, BATCH, after)
        for item in page:
            if item.key.startswith("MAT#"):
                match_id = item.key.removeprefix("MAT#")
                change_match(services, match_id, lambda match: in_outage(match, pause, declared), declared)
        shard, after = (shard, page[-1].place) if len(page) == BATCH else (shard + 1, None)
        job = services.jobs.save(job, job._replace(data={**job.data, "shard": shard, "after": after}))
    services.jobs.finish(job)


def change_match(services: Services, match_id: str, change: Change, now: EpochMs) -> None:
    """One change of a match under its condition, read and tried again while others write. What is open and has expired
    does so first. Raises `ConflictError`."""
    for _ in range(5):
        record = services.matches.get(match_id)
        if record is None:
            return
        changed = change(unless_expired(record, now))
        if changed is record.match:
            return
        try:
            _save(services, record, record._replace(match=changed))
        except ConflictError:
            continue
        return
    raise ConflictError(match_id)


def _save(services: Services, before: MatchRecord, after: MatchRecord) -> None:
    gone = [s.player for s in before.match.seats if s is not None and seat_of(after.match, s.player) is None]
    if gone and after.match.status is Status.OPEN:
        services.matches.unseat(before, after, gone[0])
    else:
        services.matches.save(before, after)


def _live(services: Services, player: str) -> list[str]:
    page = services.matches.of_player(player, ended=False, before=None, limit=200)
    return [place.id for place in page.places]


_WORK: Mapping[JobKind, Callable[[Services, Job, EpochMs], None]] = {
    JobKind.VACATION: _vacation,
    JobKind.CLOSE: _close,
    JobKind.OUTAGE: _outage,
}
