"""What time does when nobody asks: passed deadlines, expired matches, bots that were cut off, ends not yet settled."""

from collections import Counter
from enum import StrEnum
from typing import NamedTuple

from engine.match.record import Status
from engine.types import EpochMs
from functions.shared.flows import jobs, play, seeks
from functions.shared.flows.settle import make_good
from functions.shared.flows.tournaments import attending, life, running
from functions.shared.log import logger
from functions.shared.problems import Rejected
from functions.shared.store.due import SHARDS, TOURNAMENT_SHARDS, due_at
from functions.shared.store.ports import ConflictError, NewerRecordError, Services, UnavailableError
from functions.shared.store.records import JobKind, SeekStatus
from functions.shared.store.records_tournament import TournamentRecord

BATCH = 100


class Done(StrEnum):
    """What became of a match that fell due."""

    ADVANCED = "advanced"
    EXPIRED = "expired"
    SETTLED = "settled"
    WORKED = "worked"
    """A job went on to its end."""
    PAIRED = "paired"
    """Who seeks opponents has found them."""
    POSTPONED = "postponed"
    """It was due too early, since due times are written lazily; or a seek that waits on."""
    BUSY = "busy"
    """Somebody else wrote; the next round looks again."""
    FAILED = "failed"
    """A fault of ours; the log says which. The others go on without it."""


class Sweep(NamedTuple):
    """What one run came to."""

    done: Counter[Done]
    lag_ms: int
    """How long the longest due of them had been due; of those that failed, and stay due, nothing is said."""


def sweep(services: Services, now: EpochMs, limit: int) -> Sweep:
    """Looks at up to `limit` matches, jobs and tournaments that are due, shard by shard; counts what became of them.

    It can be cut off, run late, twice or by two at once: each match is brought to `now` under its own condition. It
    goes on behind what it could not do, so that this is in nobody's way.
    """
    done: Counter[Done] = Counter()
    lag_ms = 0
    first = now // 60_000 % SHARDS  # no shard waits behind the others for ever
    tournaments = [(services.tournaments.due, shard) for shard in range(TOURNAMENT_SHARDS)]
    matches = [(services.matches.due, shard) for shard in (*range(first, SHARDS), *range(first))]
    for find_due, shard in (*tournaments, *matches):
        after = None
        while limit > 0:
            due = find_due(shard, now, min(BATCH, limit), after)
            results = [_look(services, item.key, now) for item in due]
            done.update(results)
            looked_at = zip(due, results, strict=True)
            lag_ms = max([lag_ms, *(now - item.at for item, what in looked_at if what is not Done.FAILED)])
            limit -= len(due)
            if len(due) < BATCH:
                break
            after = due[-1].place
    return Sweep(done, lag_ms)


def _look(services: Services, key: str, now: EpochMs) -> Done:
    kind, _, item_id = key.partition("#")
    try:
        if kind == "SEEK":
            return _seek(services, key, now)
        if kind == "TRN":
            return _tournament(services, item_id, now)
        return _work(services, item_id, now) if kind == "JOB" else _bring_up(services, item_id, now)
    except (ConflictError, Rejected):
        return Done.BUSY
    except NewerRecordError:
        logger.warning("a later version of the service wrote what is due", extra={"due": key})
        return Done.FAILED
    except UnavailableError:
        raise
    except Exception:  # noqa: BLE001 - whatever is wrong with one match, the others can't wait for it
        logger.exception("what is due can't be done", extra={"due": key})
        return Done.FAILED


_SOUGHT = {
    SeekStatus.WAITING: Done.POSTPONED,
    SeekStatus.MATCHED: Done.PAIRED,
    SeekStatus.EXPIRED: Done.EXPIRED,
    SeekStatus.CANCELLED: Done.EXPIRED,
}


def _seek(services: Services, key: str, now: EpochMs) -> Done:
    seek = seeks.look_again(services, key, now)
    return Done.BUSY if seek is None else _SOUGHT[seek.status]


def _tournament(services: Services, where: str, now: EpochMs) -> Done:
    tournament_id, _, key = where.partition("|")
    if key:
        return Done.ADVANCED if attending.look(services, tournament_id, life.key_of(key), now) else Done.BUSY
    before = services.tournaments.get(tournament_id)
    after = running.run(services, tournament_id, now)
    if before is None or after is None or after == before:
        return Done.BUSY if after is None else _put_off(services, after)
    return Done.ADVANCED


def _put_off(services: Services, record: TournamentRecord) -> Done:
    running.postpone(services, record)
    return Done.POSTPONED


def _work(services: Services, kind_and_id: str, now: EpochMs) -> Done:
    kind, _, job_id = kind_and_id.partition("#")
    job = services.jobs.get(JobKind(kind), job_id)
    if job is None:
        return Done.BUSY
    jobs.run(services, job, now)
    return Done.WORKED


def _bring_up(services: Services, match_id: str, now: EpochMs) -> Done:
    record = services.matches.get(match_id)
    if record is None:
        return Done.BUSY
    if record.match.status in (Status.FINISHED, Status.ABORTED):
        due = due_at(record)
        if due is None or due > now:
            return Done.BUSY  # it has ended or was settled since the index was read; the stream has a minute first
        make_good(services, record, now)
        return Done.SETTLED
    # A due time that has come tells nothing any more: whatever is written now brings the next one along.
    advanced = play.current(services, record._replace(due=None), now)
    if advanced.match is not record.match:
        # If it is over now, the stream goes on with it, or else the referee a minute from now.
        return Done.EXPIRED if record.match.status is Status.OPEN else Done.ADVANCED
    if record.due != due_at(record):
        services.matches.save(record, record._replace(due=None))
    return Done.POSTPONED
