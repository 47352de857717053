"""What calls cost: DynamoDB's rules for the sizes of items and for capacity units."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from infra.local.template import Stack

WRITE_STEP, READ_STEP = 1024, 4096

Item = Mapping[str, Mapping[str, Any]]
Call = Callable[[], dict[str, Any]]


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
    """A hook round the database that notes the cost of each call. It has to see every write.

    Raises `ValueError` for an operation that it can't price.
    """

    def __init__(self, stack: Stack) -> None:
        self.costs: list[Cost] = []
        self._items: dict[tuple[str, str, str], Item] = {}
        self._indexes = {
            table["TableName"]: [
                tuple(key["AttributeName"] for key in index["KeySchema"])
                for index in table.get("GlobalSecondaryIndexes", ())
            ]
            for table in stack.tables
        }
        """The key attributes of each table's indexes. All of them project keys only."""

    def __call__(self, operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        """Do the call and note what it took."""
        answer = call()
        self.costs += _reads(operation, parameters, answer)
        twice = 2 if operation == "TransactWriteItems" else 1
        self.costs += [
            Cost(operation, name, 0, twice * self._table_write(name, key, item) + self._index_writes, _size(item))
            for name, key, item in _written(operation, parameters)
        ]
        return answer

    def _table_write(self, table: str, key: tuple[str, str], item: Item) -> int:
        """The larger of the item before and after counts. An index costs a write for each of its keys gone or come."""
        before = self._items.get((table, *key), {})
        self._items[(table, *key)] = item
        self._index_writes = 0
        for names in self._indexes[table]:
            old, new = _index_key(before, names), _index_key(item, names)
            if old != new:
                self._index_writes += (old is not None) + (new is not None)
        return steps(max(size_of(before), size_of(item)), WRITE_STEP)


def _index_key(item: Item, names: tuple[str, ...]) -> tuple[Any, ...] | None:
    return tuple(item[name] for name in names) if all(name in item for name in names) else None


def _size(item: Item) -> int:
    return size_of(item) if item.get("sk") == {"S": "M"} else 0


def _reads(operation: str, parameters: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[Cost]:
    if operation == "GetItem":
        items = [answer.get("Item", {})]
        yield Cost(operation, parameters["TableName"], _read(items, strong=_is_strong(parameters)), 0, 0)
    elif operation == "BatchGetItem":
        for table, asked in parameters["RequestItems"].items():
            found = answer["Responses"].get(table, [])
            missing: list[Item] = [{}] * (len(asked["Keys"]) - len(found))
            read = sum(_read([item], strong=_is_strong(asked)) for item in (*found, *missing))
            yield Cost(operation, table, read, 0, 0)
    elif operation == "Query":
        yield Cost(operation, parameters["TableName"], _read(answer["Items"], strong=_is_strong(parameters)), 0, 0)


def _is_strong(asked: Mapping[str, Any]) -> bool:
    return bool(asked.get("ConsistentRead"))


def _read(items: list[Item], *, strong: bool) -> float:
    return steps(sum(map(size_of, items)), READ_STEP) / (1 if strong else 2)


_READS = ("GetItem", "BatchGetItem", "Query")


def _written(operation: str, parameters: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str], Item]]:
    match operation:
        case "PutItem":
            puts: list[tuple[str, Any]] = [("Put", parameters)]
        case "TransactWriteItems":
            puts = [pair for action in parameters["TransactItems"] for pair in action.items()]
        case "BatchWriteItem":
            puts = [
                (kind.removesuffix("Request"), {**part, "TableName": table})
                for table, requests in parameters["RequestItems"].items()
                for request in requests
                for kind, part in request.items()
            ]
        case _ if operation in _READS:
            puts = []
        case _:
            raise ValueError(f"{operation} has no price here")
    for kind, part in puts:
        if kind not in ("Put", "Delete"):
            raise ValueError(f"{kind} in {operation} has no price here")
        item = part["Item"] if kind == "Put" else {}
        key = item or part["Key"]
        yield part["TableName"], (key["pk"]["S"], key["sk"]["S"]), item
