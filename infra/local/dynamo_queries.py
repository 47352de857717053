"""Queries as pynamodb writes them: of one partition, by its range key. moto takes ten times as long for them.

What is anything else, or large, is left to moto.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from moto.dynamodb.models.dynamo_type import DynamoType, Item

from infra.local.dynamo_table import Condition, LocalTable, condition_of

_PLAIN = frozenset(
    (
        "TableName",
        "IndexName",
        "KeyConditionExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "ScanIndexForward",
        "ConsistentRead",
        "Limit",
        "ExclusiveStartKey",
        "ReturnConsumedCapacity",
    )
)
_LARGE = 200_000
"""Characters and bytes from which a page might become full by its size."""
_EXPRESSION = re.compile(
    r"(?P<hash>#?\w+) = (?P<value>:\w+)(?: AND (?:"
    r"(?P<compared>#?\w+) (?P<comparison><=|>=|<|>|=) (?P<to>:\w+)"
    r"|(?P<within>#?\w+) BETWEEN (?P<low>:\w+) AND (?P<high>:\w+)"
    r"|begins_with ?\((?P<begun>#?\w+), (?P<prefix>:\w+)\)))?"
)


class _Parsed(NamedTuple):
    hash_key: str
    hash_value: str
    range_key: str
    comparison: str
    range_values: tuple[str, ...]


@lru_cache(maxsize=256)
def _parsed(expression: str) -> _Parsed | None:
    is_in_brackets = expression.startswith("(") and expression.endswith(")")
    found = _EXPRESSION.fullmatch(expression[1:-1] if is_in_brackets else expression)
    if found is None:
        return None
    part = found.groupdict()
    hash_key, value = part["hash"], part["value"]
    if part["compared"]:
        return _Parsed(hash_key, value, part["compared"], part["comparison"], (part["to"],))
    if part["within"]:
        return _Parsed(hash_key, value, part["within"], "BETWEEN", (part["low"], part["high"]))
    if part["begun"]:
        return _Parsed(hash_key, value, part["begun"], "BEGINS_WITH", (part["prefix"],))
    return _Parsed(hash_key, value, "", "", ())


class Found(NamedTuple):
    """A page of items, and the last one's key when there may be more."""

    items: list[Item]
    last_key: dict[str, Any] | None


def found(table: LocalTable, body: Mapping[str, Any]) -> Found | None:
    """The answer to a query that this module takes; None for any other. Raises moto's errors."""
    parsed = _parsed(body.get("KeyConditionExpression", ""))
    if parsed is None or not body.keys() <= _PLAIN:
        return None
    names, values = body.get("ExpressionAttributeNames", {}), body.get("ExpressionAttributeValues", {})
    index = body.get("IndexName")
    used = {name for name in (parsed.hash_key, parsed.range_key) if name.startswith("#")}
    if names.keys() != used or not {parsed.hash_value, *parsed.range_values} <= values.keys():
        return None
    keys = table.index_keys(index)
    named = tuple(names.get(name, name) for name in (parsed.hash_key, parsed.range_key) if name)
    if keys is None or named != keys[: len(named)]:
        return None
    typed = [values[name] for name in parsed.range_values]
    condition = condition_of(parsed.comparison, typed)
    if table.types[keys[0]] not in values[parsed.hash_value] or any(table.types[keys[1]] not in one for one in typed):
        return None
    if typed and condition is None:
        return None
    if index is not None and body.get("ConsistentRead"):
        return None
    partition = table.partition(index, DynamoType(values[parsed.hash_value]))
    if not partition:
        return Found([], None)
    if sum(map(_length, partition)) > _LARGE:
        return None
    if index is None:
        return _page(table, partition, condition, body)
    # What is due by now, asked each minute, is mostly nothing.
    return None if condition is None or _any(condition, keys[1], partition) else Found([], None)


def _any(condition: Condition, name: str, items: list[Item]) -> bool:
    return any(condition.holds(condition.of(item.attrs[name].value)) for item in items if name in item.attrs)


def _length(item: Item) -> int:
    return sum(len(value.value) if value.type in "SNB" else _LARGE for value in item.attrs.values())


def _page(
    table: LocalTable, partition: list[Item], condition: Condition | None, body: Mapping[str, Any]
) -> Found | None:
    of, start = table.range_value, body.get("ExclusiveStartKey")
    forward = body.get("ScanIndexForward", True) is not False
    if start is not None and start.keys() != table.key_types.keys():
        return None
    places = [(of(item.range_key), item) for item in partition]
    matching = places if condition is None else [place for place in places if condition.holds(place[0])]
    if start is not None:
        after = of(DynamoType(start[table.range_key_attr or ""]))
        matching = [place for place in matching if (place[0] > after if forward else place[0] < after)]
    matching.sort(key=itemgetter(0), reverse=not forward)
    page = matching[: body.get("Limit")]
    last_key = None
    if len(page) == body.get("Limit"):
        last, item = page[-1]
        # To moto a page that is full is not the last one when anything at all lies behind it.
        if any(value > last if forward else value < last for value, _ in places):
            last_key = {name: {kind: item.attrs[name].value} for name, kind in table.key_types.items()}
    return Found([item for _, item in page], last_key)
