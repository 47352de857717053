"""Derives again, from what is stored, what the streams' consumers should have made of it."""

from typing import NamedTuple

from engine.types import EpochMs
from functions.shared.flows.settle import make_good
from functions.shared.store.due import NEVER, SHARDS
from functions.shared.store.ports import ConflictError, Services

BATCH = 50
BATCHES = 20
"""Batches in one call."""


class Part(NamedTuple):
    """How many matches were looked at, and where the next call goes on; `shard` is None at the end."""

    matches: int
    shard: int | None
    after: str | None


def redrive(services: Services, shard: int, after: str | None, now: EpochMs) -> Part:
    """Settles what has ended, and tells the players of live matches anew what they may not know: invitations, the
    start, whose turn it is."""
    looked_at = 0
    for _ in range(BATCHES):
        page = services.matches.due(shard, NEVER, BATCH, after)
        for item in page:
            if item.key.startswith("MAT#"):
                _derive(services, item.key.removeprefix("MAT#"), now)
                looked_at += 1
        shard, after = (shard, page[-1].place) if len(page) == BATCH else (shard + 1, None)
        if shard == SHARDS:
            return Part(looked_at, None, None)
    return Part(looked_at, shard, after)


def _derive(services: Services, match_id: str, now: EpochMs) -> None:
    record = services.matches.get(match_id)
    if record is None:
        return
    try:
        make_good(services, record, now)
    except ConflictError:
        return  # somebody else does it at this moment
