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
from functions.shared.flows.settle import settle
from functions.shared.store.due import SHARDS
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import DELETED, Job, JobKind, MatchRecord

BATCH = 50
_FAR = 1 << 52
"""Later than any due time."""

Change = Callable[[Match], Match]


def run(services: Services, job: Job, now: EpochMs) -> None:
    """Does a job and takes it off the list. Raises `ConflictError` when somebody else writes at the same moment."""
    _WORK[job.kind](services, job, now)


def _vacation(services: Services, job: Job, now: EpochMs) -> None:
    """Brings the player's live matches in line with their vacation, whatever it is by now."""
    profile = services.players.get(job.id)
    if profile is not None and profile.vacation is not None:
        for match_id in _live(services, job.id):
            change_match(services, match_id, lambda match: on_vacation(match, profile, now))
    services.jobs.finish(job)


def _close(services: Services, job: Job, now: EpochMs) -> None:
    """Takes a closed account out of its matches; then its name out of those that have ended."""
    player = job.id
    for match_id in _live(services, player):
        change_match(services, match_id, lambda match: _without(match, player, now))
        record = services.matches.get(match_id)
        if record is not None:
            settle(services, record)
    while True:
        page = services.matches.of_player(job.id, ended=True, before=job.data.get("before"), limit=BATCH)
        for place in page.places:
            change_match(services, place.id, lambda match: _unnamed(match, player))
        if not page.more:
            break
        job = services.jobs.save(job, job._replace(data={"before": page.places[-1].key}))
    services.jobs.finish(job)


def _without(match: Match, player: str, now: EpochMs) -> Match:
    seat = seat_of(match, player)
    if seat is None:
        return match
    match = advance(match, now)
    if match.status is Status.OPEN:
        return lobby.leave(match, seat, now)
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
    pause = Pause(f"outage#{job.id}", None, job.data["from"], job.data["until"])
    shard, after = job.data.get("shard", 0), job.data.get("after")
    while shard < SHARDS:
        page = services.matches.due(shard, _FAR, BATCH, after)
        for item in page:
            if item.key.startswith("MAT#"):
                change_match(services, item.key.removeprefix("MAT#"), lambda match: in_outage(match, pause, now))
        shard, after = (shard, page[-1].place) if len(page) == BATCH else (shard + 1, None)
        job = services.jobs.save(job, job._replace(data={**job.data, "shard": shard, "after": after}))
    services.jobs.finish(job)


def change_match(services: Services, match_id: str, change: Change) -> None:
    """One change of a match under its condition, read and tried again while others write. Raises `ConflictError`."""
    for _ in range(5):
        record = services.matches.get(match_id)
        if record is None:
            return
        changed = change(record.match)
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
