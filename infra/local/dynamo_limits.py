"""What DynamoDB refuses and moto lets through: sizes, types of keys, counts. Each function gives a message or None.

The limits stand in the developer guide under "Quotas in Amazon DynamoDB" and "DynamoDB item sizes and formats".
"""

from collections.abc import Mapping
from typing import Any, Protocol

MAX_ITEM_BYTES = 400 * 1024
MAX_BATCH_WRITES = 25
MAX_TOKEN_LENGTH = 36

_SETS = frozenset({"SS", "NS", "BS"})


class Schema(Protocol):
    """What the checks need to know of a table."""

    key_types: dict[str, str]
    index_key_types: list[tuple[str, str, str]]


def item_size(item: Mapping[str, Mapping[str, Any]]) -> int:
    """Bytes of an item in DynamoDB JSON, names included, by DynamoDB's rules."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(typed: Mapping[str, Any]) -> int:
    ((kind, value),) = typed.items()
    if kind == "S":
        return len(value.encode())
    if kind == "N":
        return _number_size(value)
    if kind == "B":
        return len(value)
    if kind == "M":
        return 3 + len(value) + item_size(value)
    if kind == "L":
        return 3 + len(value) + sum(_value_size(element) for element in value)
    if kind in _SETS:
        return sum(_value_size({kind[0]: element}) for element in value)
    return 1


def _number_size(number: str) -> int:
    digits = number.lstrip("+-").lower().partition("e")[0].replace(".", "").strip("0")
    return (len(digits) + 1) // 2 + 1 + number.startswith("-")


def request_problem(operation: str, body: Mapping[str, Any]) -> str | None:
    """What is wrong with the request as a whole: how much it asks for at once."""
    if operation == "BatchWriteItem":
        count = sum(map(len, body["RequestItems"].values()))
        if count > MAX_BATCH_WRITES:
            return "Too many items requested for the BatchWriteItem call"
        return None if count else _constraint("requestItems", "length greater than or equal to 1")
    if operation in ("TransactWriteItems", "TransactGetItems"):
        if not body["TransactItems"]:
            return _constraint("transactItems", "length greater than or equal to 1")
        if len(body.get("ClientRequestToken", "")) > MAX_TOKEN_LENGTH:
            return _constraint("clientRequestToken", f"length less than or equal to {MAX_TOKEN_LENGTH}")
    if body.get("Limit", 1) < 1:
        return _constraint("limit", "value greater than or equal to 1")
    return None


def _constraint(member: str, rule: str) -> str:
    return f"1 validation error detected: Value at '{member}' failed to satisfy constraint: Member must have {rule}"


def key_problem(key: Mapping[str, Mapping[str, Any]], schema: Schema) -> str | None:
    """What is wrong with the key of a read, an update or a deletion. It has the table's key attributes, no others."""
    if {name: next(iter(value)) for name, value in key.items()} == schema.key_types:
        return None
    return "The provided key element does not match the schema"


def item_problem(item: Mapping[str, Mapping[str, Any]], schema: Schema) -> str | None:
    """What is wrong with an item that is put: its keys, the keys of the indexes that it would appear in, its size."""
    wrong = "One or more parameter values were invalid: "
    for name, expected in schema.key_types.items():
        if name not in item:
            return f"{wrong}Missing the key {name} in the item"
        actual = next(iter(item[name]))
        if actual != expected:
            return f"{wrong}Type mismatch for key {name} expected: {expected} actual: {actual}"
    for name, expected, index in schema.index_key_types:
        actual = next(iter(item[name])) if name in item else expected
        if actual != expected:
            return f"{wrong}Type mismatch for Index Key {name} Expected: {expected} Actual: {actual} IndexName: {index}"
    return "Item size has exceeded the maximum allowed size" if item_size(item) > MAX_ITEM_BYTES else None


def updated_problem(item: Mapping[str, Mapping[str, Any]], schema: Schema) -> str | None:
    """What is wrong with an item as an update would leave it."""
    for name, expected, _ in schema.index_key_types:
        if name in item and expected not in item[name]:
            return "The update expression attempted to update the secondary index key to unsupported type"
    return "Item size to update has exceeded the maximum allowed size" if item_size(item) > MAX_ITEM_BYTES else None
