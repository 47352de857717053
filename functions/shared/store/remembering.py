"""Outcomes of requests, kept under their idempotency keys for as long as they may come again."""

import msgspec
from pynamodb.expressions.condition import Condition

from engine.types import EpochMs
from functions.shared.store.models import PlayerItem
from functions.shared.store.records import Remembered


def remembered_item(remembered: Remembered) -> PlayerItem:
    """`IDEM#owner | mark`."""
    return PlayerItem(
        f"IDEM#{remembered.owner}",
        remembered.mark,
        body=msgspec.json.encode([remembered.body, remembered.ids, remembered.at]).decode(),
        ttl=remembered.expires_at // 1000 + 1,
        v=remembered.expires_at,
    )


def unless_remembered(remembered: Remembered) -> Condition:
    """What a request with this key expects: none came before, or long ago and nobody has swept it up yet."""
    none_or_old: Condition = PlayerItem.pk.does_not_exist() | (PlayerItem.v <= remembered.at)
    return none_or_old


def read_remembered(owner: str, mark: str, now: EpochMs) -> Remembered | None:
    """What is remembered at `now`. An item that is still there after its time counts for nothing."""
    try:
        item = PlayerItem.get(f"IDEM#{owner}", mark, consistent_read=True)
    except PlayerItem.DoesNotExist:
        return None
    if item.v is None or item.v <= now or item.body is None:
        return None
    body, ids, at = msgspec.json.decode(item.body)
    return Remembered(owner, mark, body, tuple(ids), at, int(item.v))
