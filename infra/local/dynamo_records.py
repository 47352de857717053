"""Stream records: what each write changed, in the shape in which Lambda delivers it, in a queue a table."""

import base64
from collections import deque
from dataclasses import dataclass
from typing import Any

from moto.dynamodb.models.dynamo_type import DynamoType, Item

from infra.local.dynamo_table import Key, LocalTable

# 21 digits, as the real ones have.
_FIRST_SEQUENCE = 10**20

Image = dict[str, dict[str, Any]]


def image(item: Item) -> Image:
    """The item in DynamoDB JSON; binary values as base64 text, as Lambda events have them."""
    return {name: _plain(value) for name, value in item.attrs.items()}


def _plain(typed: DynamoType) -> dict[str, Any]:
    kind, value = typed.type, typed.value
    if kind == "L":
        return {"L": [_plain(element) for element in value]}
    if kind == "M":
        return {"M": {name: _plain(element) for name, element in value.items()}}
    if kind == "B":
        return {"B": _text(value)}
    if kind == "BS":
        return {"BS": [_text(element) for element in value]}
    return {kind: list(value) if kind in ("SS", "NS") else value}


def _text(binary: Any) -> str:
    return base64.b64encode(binary).decode()


def unchanged(before: Item | None, after: Item | None) -> bool:
    """Whether a write from ``before`` to ``after`` changed nothing, so that the stream gets no record of it."""
    if before is None or after is None:
        return before is after
    if before.attrs.keys() != after.attrs.keys():
        return False
    # Texts first: comparing them is quick, and they tell most items apart.
    return all(_same(value, after.attrs[name]) for name, value in before.attrs.items())


def _same(one: DynamoType, other: DynamoType) -> bool:
    if one.type != other.type:
        return False
    return bool(one.value == other.value if one.type == "S" else one == other)


@dataclass(slots=True)
class _Change:
    key: Key
    before: Item | None
    after: Item | None
    sequence: int
    at: int


class RecordQueue:
    """The records of one table's stream since the last ``take``, the newest ``retained`` of them.

    DynamoDB drops records after 24 hours; here the count is what is bounded.
    """

    def __init__(self, table: LocalTable, view: str, retained: int) -> None:
        self._table = table
        self._view = view
        self._changes: deque[_Change] = deque(maxlen=retained)

    def __len__(self) -> int:
        return len(self._changes)

    def add(self, key: Key, before: Item | None, after: Item | None, sequence: int, at: float) -> None:
        """Note one change. The items must not change afterwards."""
        self._changes.append(_Change(key, before, after, sequence, int(at)))

    def take(self, limit: int) -> list[dict[str, Any]]:
        """Remove and return the oldest records, at most ``limit``, in the order of the writes."""
        return [self._record(self._changes.popleft()) for _ in range(min(limit, len(self._changes)))]

    def _record(self, change: _Change) -> dict[str, Any]:
        images: dict[str, Image] = {"Keys": _keys(self._table, change.key)}
        if change.after is not None and self._view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES"):
            images["NewImage"] = image(change.after)
        if change.before is not None and self._view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES"):
            images["OldImage"] = image(change.before)
        name = "INSERT" if change.before is None else "REMOVE" if change.after is None else "MODIFY"
        return {
            "eventID": f"{change.sequence:032x}",
            "eventName": name,
            "eventVersion": "1.1",
            "eventSource": "aws:dynamodb",
            "awsRegion": self._table.region_name,
            "dynamodb": {
                "ApproximateCreationDateTime": change.at,
                **images,
                "SequenceNumber": str(_FIRST_SEQUENCE + change.sequence),
                "StreamViewType": self._view,
            },
            "eventSourceARN": f"{self._table.table_arn}/stream/{self._table.latest_stream_label}",
        }


def _keys(table: LocalTable, key: Key) -> Image:
    return {name: _plain(value) for name, value in zip(table.key_types, key, strict=False) if value is not None}
