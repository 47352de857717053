"""When the referee looks at a match."""

import zlib

from engine.match.advance import next_due
from engine.match.record import Status
from engine.types import EpochMs
from functions.shared.store.records import MatchRecord

SHARDS = 16
"""Partitions of the due index: each takes 1,000 writes a second."""

TOURNAMENT_SHARDS = 4
"""Partitions of that of tournaments and their pairings, which move less often; each costs the referee a query."""

NEVER: EpochMs = 1 << 52
"""Later than any moment. A match without a clock is due then: who goes through all live matches finds it, too."""

SETTLE_AFTER_MS = 60_000
"""How long the stream has to settle an ended match before the referee does."""


def shard_of(item_id: str, shards: int | None = None) -> str:
    """The partition of the due index, of `shards` (16), that a match or a job belongs to."""
    return f"due#{zlib.crc32(item_id.encode()) % (shards or SHARDS)}"


def due_at(record: MatchRecord) -> EpochMs | None:
    """When the referee must look at a match at the latest; None when nothing is owed to it any more."""
    match = record.match
    if match.status is Status.OPEN:
        return record.expires_at
    if match.status is Status.ACTIVE:
        due = next_due(match)
        return NEVER if due is None else due
    return None if record.settled else match.ended_at + SETTLE_AFTER_MS


def indexed_due(record: MatchRecord) -> EpochMs | None:
    """The due time to store. While a match goes on it moves only when the stored one, `record.due`, would come too
    late: each changed index key costs two more writes."""
    due = due_at(record)
    if record.match.status is Status.ACTIVE and due is not None and record.due is not None:
        return min(record.due, due)
    return due
