"""What calls cost: DynamoDB's rules for the sizes of items and for capacity units."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tests.faults.world import STACK, Call

WRITE_STEP, READ_STEP = 1024, 4096

Item = Mapping[str, Mapping[str, Any]]

INDEXES = {
    table["TableName"]: [
        tuple(key["AttributeName"] for key in index["KeySchema"]) for index in table.get("GlobalSecondaryIndexes", ())
    ]
    for table in STACK.tables
}
"""The key attributes of each table's indexes. All of them project keys only."""


def show(line: str) -> None:
    """A line of a report, for who runs the tests with -s."""
    sys.stdout.write(f"\n{line}")


def steps(size: int, step: int) -> int:
    """Units of so many bytes, each begun one counted."""
    return max(1, -(-size // step))


def size_of(item: Item) -> int:
    """Bytes of an item: names and values; a number takes a byte for two digits, and one more."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(value: Mapping[str, Any]) -> int:
    ((kind, data),) = value.items()
    match kind:
        case "S":
            return len(str(data).encode())
        case "B":
            return len(bytes(data))
        case "N":
            digits = str(data).lstrip("-").replace(".", "").strip("0")
            return (len(digits) + 1) // 2 + 1 + int(str(data).startswith("-"))
        case _:
            raise ValueError(kind)


class Cost(NamedTuple):
    """What one call took, on one table or for one request."""

    operation: str
    table: str
    read: float
    write: int
    size: int
    """Of the match item that was written; 0 where none was."""


class Meter:
    """A hook round the database that notes the cost of each call. It has to see every write."""

    def __init__(self) -> None:
        self.costs: list[Cost] = []
        self._items: dict[tuple[str, str, str], Item] = {}

    def __call__(self, operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        answer = call()
        table = parameters.get("TableName", "")
        if operation == "GetItem":
            units = steps(size_of(answer.get("Item", {})), READ_STEP) / (1 if parameters.get("ConsistentRead") else 2)
            self.costs.append(Cost(operation, table, units, 0, 0))
        elif operation in ("PutItem", "TransactWriteItems"):
            twice = 2 if operation == "TransactWriteItems" else 1
            self.costs += [
                Cost(operation, name, 0, twice * self._table_write(name, key, item) + self._index_writes, _size(item))
                for name, key, item in _written(operation, parameters)
            ]
        else:
            self.costs.append(Cost(operation, table, 0, 0, 0))
        return answer

    def _table_write(self, table: str, key: tuple[str, str], item: Item) -> int:
        """The larger of the item before and after counts. An index costs a write for each of its keys gone or come."""
        before = self._items.get((table, *key), {})
        self._items[(table, *key)] = item
        self._index_writes = 0
        for names in INDEXES[table]:
            old, new = _index_key(before, names), _index_key(item, names)
            if old != new:
                self._index_writes += (old is not None) + (new is not None)
        return steps(max(size_of(before), size_of(item)), WRITE_STEP)


def _index_key(item: Item, names: tuple[str, ...]) -> tuple[Any, ...] | None:
    return tuple(item[name] for name in names) if all(name in item for name in names) else None


def _size(item: Item) -> int:
    return size_of(item) if item.get("sk") == {"S": "M"} else 0


def _written(operation: str, parameters: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str], Item]]:
    actions = [{"Put": parameters}] if operation == "PutItem" else parameters["TransactItems"]
    for action in actions:
        for kind, part in action.items():
            item = part["Item"] if kind == "Put" else {}
            key = item or part["Key"]
            yield part["TableName"], (key["pk"]["S"], key["sk"]["S"]), item
