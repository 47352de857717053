"""Inboxes in DynamoDB: `INBOX#p | EVENT#inserted#id`, by the moment of insertion, for 30 days."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from engine.types import EpochMs
from functions.shared.store.availability import guarded
from functions.shared.store.models import Attributes, PlayerItem, connection
from functions.shared.store.ports import UnavailableError
from functions.shared.store.records import InboxPage, Notice

KEPT_S = 30 * 86_400

_PREFIX = "EVENT#"

_AT_ONCE = 25
"""Items that BatchWriteItem takes."""
_TRIES = 3

_LAST = "9" * 40
"""As long as a sequence number of a stream can be."""


class DynamoInbox:
    """`ports.Inbox` over the players table."""

    @guarded
    def put(self, notices: Sequence[tuple[str, Notice]], now: EpochMs, order: str = _LAST) -> None:
        """See `ports.Inbox`."""
        items = [_event(*told, now, number, order) for number, told in enumerate(notices)]
        for start in range(0, len(items), _AT_ONCE):
            _put(items[start : start + _AT_ONCE])

    @guarded
    def read(self, player: str, after: str, limit: int) -> InboxPage:
        """See `ports.Inbox`."""
        later = PlayerItem.sk.between(_PREFIX + after, _PREFIX + "~")
        query = PlayerItem.query(f"INBOX#{player}", later, consistent_read=True, limit=limit + 1)
        found = [item for item in query if item.sk != _PREFIX + after][:limit]
        notices = tuple(_notice(item.body or "") for item in found)
        return InboxPage(notices, tuple(item.sk.removeprefix(_PREFIX) for item in found), len(found) == limit)


def event_item(player: str, notice: Notice, now: EpochMs, number: int) -> PlayerItem:
    """A notice in an inbox, inserted at `now`: behind what the stream tells then, among others by number."""
    return PlayerItem.from_raw_data(_event(player, notice, now, number, _LAST))


def _event(player: str, notice: Notice, now: EpochMs, number: int, order: str) -> Attributes:
    # Those of a smaller order come before those of a larger one, among them it goes by number.
    key = f"{_PREFIX}{now:013d}{order.zfill(len(_LAST))}{number:05d}#{notice.id}"
    body = msgspec.json.encode(notice).decode()
    texts = {"pk": f"INBOX#{player}", "sk": key, "body": body}
    return {name: {"S": text} for name, text in texts.items()} | {"ttl": {"N": str(now // 1000 + KEPT_S)}}


def _put(items: Sequence[Attributes]) -> None:
    """Stores items as a batch. What was throttled of it is tried again, a few times."""
    table = PlayerItem.Meta.table_name
    for _ in range(_TRIES):
        answer = connection().batch_write_item(table, put_items=items)
        items = [request["PutRequest"]["Item"] for request in answer.get("UnprocessedItems", {}).get(table, ())]
        if not items:
            return
    raise UnavailableError(f"{len(items)} notices could not be stored")


def told_at(key: str, image: Mapping[str, Any]) -> tuple[str, Notice] | None:
    """The place of an event and the event itself, of a new item as a stream has it; None for an item of another kind,
    or one that is gone."""
    if not key.startswith(_PREFIX) or "body" not in image:
        return None
    return key.removeprefix(_PREFIX), _notice(image["body"]["S"])


def _notice(body: str) -> Notice:
    return Notice(*msgspec.json.decode(body))
