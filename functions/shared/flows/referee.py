"""What time does when nobody asks: passed deadlines, expired matches, bots that were cut off, ends not yet settled."""

from collections import Counter
from enum import StrEnum

from engine.match.record import Status
from engine.types import EpochMs
from functions.shared.flows import play
from functions.shared.flows.settle import settle
from functions.shared.log import logger
from functions.shared.problems import Rejected
from functions.shared.store.due import SHARDS, due_at
from functions.shared.store.ports import ConflictError, Services, UnavailableError
from functions.shared.store.records import MatchRecord

BATCH = 100


class Done(StrEnum):
    """What became of a match that fell due."""

    ADVANCED = "advanced"
    EXPIRED = "expired"
    SETTLED = "settled"
    POSTPONED = "postponed"
    """It was due too early, since due times are written lazily."""
    BUSY = "busy"
    """Somebody else wrote; the next round looks again."""
    FAILED = "failed"
    """A fault of ours; the log says which. The others go on without it."""


_MOVED_ON = {Done.ADVANCED, Done.EXPIRED, Done.SETTLED, Done.POSTPONED}
"""After these a match is due later, or never again."""


def sweep(services: Services, now: EpochMs, limit: int) -> Counter[Done]:
    """Looks at up to `limit` matches that are due, shard by shard, and counts what became of them.

    It can be cut off, run late, twice or by two at once: each match is brought to `now` under its own condition.
    """
    done: Counter[Done] = Counter()
    for shard in range(SHARDS):
        while limit > 0:
            due = services.matches.due(shard, now, min(BATCH, limit))
            results = [_look(services, match_id, now) for match_id in due]
            done.update(results)
            limit -= len(due)
            if len(due) < BATCH or not _MOVED_ON.issuperset(results):
                break
    return done


def _look(services: Services, match_id: str, now: EpochMs) -> Done:
    try:
        record = services.matches.get(match_id)
        return Done.BUSY if record is None else _bring_up(services, record, now)
    except (ConflictError, Rejected):
        return Done.BUSY
    except UnavailableError:
        raise
    except Exception:  # noqa: BLE001 - whatever is wrong with one match, the others can't wait for it
        logger.exception("a match that is due can't be brought up", extra={"match": match_id})
        return Done.FAILED


def _bring_up(services: Services, record: MatchRecord, now: EpochMs) -> Done:
    if record.match.status in (Status.FINISHED, Status.ABORTED):
        settle(services, record)
        return Done.SETTLED
    # A due time that has come tells nothing any more: whatever is written now brings the next one along.
    advanced = play.current(services, record._replace(due=None), now)
    if advanced.match.status in (Status.FINISHED, Status.ABORTED):
        settle(services, advanced)
        return Done.EXPIRED if record.match.status is Status.OPEN else Done.ADVANCED
    if advanced.match is not record.match:
        return Done.ADVANCED
    if record.due != due_at(record):
        services.matches.save(record, record._replace(due=None))
    return Done.POSTPONED
