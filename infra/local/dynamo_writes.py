"""What a write operation touches, so that it can be checked before, undone, or told to indexes and streams."""

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from moto.dynamodb.exceptions import MockValidationException, TransactionCanceledException
from moto.dynamodb.models.dynamo_type import Item

from infra.local.dynamo_limits import item_problem, key_problem, updated_problem
from infra.local.dynamo_table import Key, LocalTable

OPERATIONS = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})

_KINDS = {"PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete"}


@dataclass(slots=True)
class Write:
    """One item that an operation may change: where it lies, and what was there before."""

    kind: str
    table: LocalTable
    key: Key
    before: Item | None

    @property
    def after(self) -> Item | None:
        """What is there now."""
        return self.table.find(self.key)


def prepare(operation: str, body: Mapping[str, Any], table: Callable[[str], LocalTable]) -> list[Write]:
    """Check each item that ``operation`` would write, and remember it.

    Raises moto's ValidationException, or for a transaction TransactionCanceledException with the reason at its place.
    """
    parts = list(_parts(operation, body))
    writes: list[Write] = []
    for place, (kind, name, attributes) in enumerate(parts):
        target = table(name)
        problem = (item_problem if kind == "Put" else key_problem)(attributes, target)
        if problem is not None:
            raise _refusal(operation, problem, place, len(parts))
        key = target.key_of(attributes)
        writes.append(Write(kind, target, key, target.find(key)))
    if operation == "BatchWriteItem" and len({(write.table.name, write.key) for write in writes}) < len(writes):
        raise MockValidationException("Provided list of item keys contains duplicates")
    for write in writes:
        if write.kind == "Update" and write.before is not None:
            # moto updates in place, and leaves a half-done update behind when it fails.
            write.table.replace(write.key, copy.deepcopy(write.before))
    return writes


def _parts(operation: str, body: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    if operation == "BatchWriteItem":
        for name, requests in body["RequestItems"].items():
            for request in requests:
                ((kind, part),) = request.items()
                yield (kind.removesuffix("Request"), name, part["Item" if kind == "PutRequest" else "Key"])
    elif operation == "TransactWriteItems":
        for action in body["TransactItems"]:
            for kind, part in action.items():
                yield (kind, part["TableName"], part["Item" if kind == "Put" else "Key"])
    else:
        kind = _KINDS[operation]
        yield (kind, body["TableName"], body["Item" if kind == "Put" else "Key"])


def check_updated(operation: str, writes: list[Write]) -> None:
    """Check the items that the operation updated. Raises as ``prepare`` does; the caller undoes the writes."""
    for place, write in enumerate(writes):
        after = write.after if write.kind == "Update" else None
        if after is not None:
            attributes = {name: value.to_regular_json() for name, value in after.attrs.items()}
            problem = updated_problem(attributes, write.table)
            if problem is not None:
                raise _refusal(operation, problem, place, len(writes))


def undo(writes: list[Write]) -> None:
    """Put every touched item back as it was."""
    for write in writes:
        if write.after is not write.before:
            write.table.replace(write.key, write.before)


def _refusal(operation: str, problem: str, place: int, count: int) -> Exception:
    if operation != "TransactWriteItems":
        return MockValidationException(problem)
    reasons: list[Any] = [(None, None, None)] * count
    reasons[place] = ("ValidationError", problem, None)
    return TransactionCanceledException(reasons)
