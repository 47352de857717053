"""moto's table, with lookups by index instead of walks over all items."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from operator import itemgetter
from typing import Any, NamedTuple

from moto.dynamodb import comparisons
from moto.dynamodb.exceptions import ConditionalCheckFailed, MockValidationException
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

_SHORT_KEY, _SHORT_NUMBER = 256, 38
"""Characters and digits that are within the limits in any case."""

Key = tuple[DynamoType, DynamoType | None]


class Condition(NamedTuple):
    """A query's condition on the range key."""

    of: Callable[[str], Any]
    """What is compared of a key."""
    holds: Callable[[Any], bool]


class LocalTable(Table):
    """moto's table, with lookups by index instead of walks over all items.

    A stored item is never changed in place: whoever runs an update puts a copy in its place first (``replace``).
    So an item that was once found stays as it was.
    """

    def __init__(self, name: str, **properties: Any) -> None:
        super().__init__(name, **properties)
        # moto would keep every record for ever, and copy them all into each transaction.
        self.stream_shard = None
        types = {attribute["AttributeName"]: attribute["AttributeType"] for attribute in self.attr}
        self.types: dict[str, str] = types
        """What each key attribute holds, those of indexes included."""
        self.key_types = {name: types[name] for name in self.table_key_attrs}
        self.index_key_types = [
            (name, types[name], index.name) for index in self.all_indexes() for name in index.schema_key_attrs
        ]
        self._attribute_keys = super().attribute_keys
        self._index_hash_attrs = {
            index.name: next(key["AttributeName"] for key in index.schema if key["KeyType"] == "HASH")
            for index in self.all_indexes()
        }
        self._index_range_attrs = {
            index.name: key["AttributeName"]
            for index in self.all_indexes()
            for key in index.schema
            if key["KeyType"] == "RANGE"
        }
        self._entries: dict[tuple[str, DynamoType], dict[Key, None]] = {}
        self._narrowed: list[Item] | None = None

    @property
    def attribute_keys(self) -> list[str]:
        """The names of all key attributes; moto collects them again for each attribute of each put."""
        return self._attribute_keys

    def __deepcopy__(self, memo: dict[int, Any]) -> "LocalTable":
        """The table itself. moto copies whole tables to undo a transaction; here its caller undoes what it touched."""
        return self

    def key_of(self, attributes: dict[str, Any]) -> Key:
        """The key within an item or a request's key, both in DynamoDB JSON."""
        hash_key = DynamoType(attributes[self.hash_key_attr])
        return hash_key, DynamoType(attributes[self.range_key_attr]) if self.range_key_attr else None

    def find(self, key: Key) -> Item | None:
        """The stored item with this key."""
        hash_key, range_key = key
        found: Any = self.items.get(hash_key)
        item: Item | None = found.get(range_key) if found is not None and range_key is not None else found
        return item

    def index_keys(self, index: str | None) -> tuple[str, str] | None:
        """The names of hash and range key, of the table or of an index; None where there is no such pair."""
        if index is None:
            return (self.hash_key_attr, self.range_key_attr) if self.range_key_attr else None
        if index not in self._index_hash_attrs or index not in self._index_range_attrs:
            return None
        return self._index_hash_attrs[index], self._index_range_attrs[index]

    def partition(self, index: str | None, hash_key: DynamoType) -> list[Item]:
        """The items with a hash key, of the table or of an index, in no order."""
        if index is not None:
            found = [self.find(key) for key in self._entries.get((index, hash_key), ())]
        elif self.range_key_attr:
            found = list(self.items[hash_key].values()) if hash_key in self.items else []
        else:
            found = [self.find((hash_key, None))]
        return [item for item in found if item is not None]

    def range_value(self, key: DynamoType | None) -> Any:
        """A range key as what it is ordered by. Raises ``LookupError`` where the table has none."""
        if key is None:
            raise LookupError(self.name)
        return Decimal(key.value) if key.type == "N" else key.value

    def stored(self) -> list[Item]:
        """All items, in no order."""
        if self.range_key_attr is None:
            return list(self.items.values())  # type: ignore[arg-type]
        return [item for partition in self.items.values() for item in partition.values()]

    def replace(self, key: Key, item: Item | None) -> None:
        """Store an item under its key, or remove what is there. The indexes follow with ``reindex``."""
        hash_key, range_key = key
        if range_key is None and item is not None:
            self.items[hash_key] = item  # type: ignore[assignment]
        elif range_key is not None and item is not None:
            self.items[hash_key][range_key] = item
        elif range_key is None:
            self.items.pop(hash_key, None)
        else:
            self.items[hash_key].pop(range_key, None)
            self._drop_if_empty(hash_key)

    def put_item(
        self,
        item_attrs: dict[str, Any],
        expected: dict[str, Any] | None = None,
        condition_expression: str | None = None,
        expression_attribute_names: dict[str, str] | None = None,
        expression_attribute_values: dict[str, Any] | None = None,
        overwrite: bool = False,
        return_values_on_condition_check_failure: str | None = None,
    ) -> Item:
        """As moto's, for keys that have been checked. Raises moto's ``ConditionalCheckFailed``."""
        condition = (condition_expression, expression_attribute_names, expression_attribute_values)
        if expected or return_values_on_condition_check_failure or not self.is_plain(item_attrs):
            return super().put_item(
                item_attrs, expected, *condition, overwrite, return_values_on_condition_check_failure
            )
        return self.put_plain(item_attrs, None if overwrite else comparisons.get_filter_expression(*condition))

    def put_plain(self, attributes: dict[str, Any], condition: Any) -> Item:
        """``put_item`` for an item that ``is_plain``, with its condition parsed."""
        key = self.key_of(attributes)
        if condition is not None and not condition.expr(self.find(key)):
            raise ConditionalCheckFailed
        item = Item(*key, attributes)
        self.replace(key, item)
        return item

    def is_plain(self, attributes: dict[str, Any]) -> bool:
        """Whether an item holds texts, bytes, short whole numbers and truths only, and short keys: moto's checks of
        values, which look at each of them several times, would find nothing."""
        for name, typed in attributes.items():
            ((kind, value),) = typed.items()
            if kind == "S":
                fits = type(value) is str and value and (len(value) <= _SHORT_KEY or name not in self._attribute_keys)
            elif kind == "N":
                fits = type(value) is str and value.isdecimal() and value.isascii() and len(value) <= _SHORT_NUMBER
            else:
                fits = kind == "BOOL" or (kind == "B" and value and name not in self._attribute_keys)
            if not fits:
                return False
        return True

    def reindex(self, key: Key, before: Item | None, after: Item | None) -> None:
        """Note in the indexes that the item with this key was ``before`` and is ``after``."""
        for index, attribute in self._index_hash_attrs.items():
            old = before.attrs.get(attribute) if before is not None else None
            new = after.attrs.get(attribute) if after is not None else None
            if old is not None and new is not None and old == new:
                continue
            if old is not None:
                entries = self._entries[index, old]
                del entries[key]
                if not entries:
                    del self._entries[index, old]
            if new is not None:
                self._entries.setdefault((index, new), {})[key] = None
        if after is None and self.range_key_attr:
            self._drop_if_empty(key[0])

    def _drop_if_empty(self, hash_key: DynamoType) -> None:
        if hash_key in self.items and not self.items[hash_key]:
            del self.items[hash_key]

    def get_item(
        self,
        hash_key: DynamoType,
        range_key: DynamoType | None = None,
        projection_expression: list[list[str]] | None = None,
    ) -> Item | None:
        """As moto's, but a miss leaves no empty partition behind."""
        return super().get_item(hash_key, range_key, projection_expression) if hash_key in self.items else None

    @contextmanager
    def narrowed(
        self, index: str | None, hash_key: dict[str, Any] | None, condition: Condition | None
    ) -> Iterator[None]:
        """Let ``all_items`` give only those that a query for this hash key can find, in the table or in the index."""
        if hash_key is None or (index is not None and index not in self._index_hash_attrs):
            yield
            return
        items = self.partition(index, DynamoType(hash_key))
        name = self.range_key_attr if index is None else self._index_range_attrs.get(index)
        self._narrowed = items if condition is None or name is None else _meeting(condition, name, items)
        try:
            yield
        finally:
            self._narrowed = None

    def all_items(self) -> list[Item]:
        """All items, or those that the running query can find."""
        return super().all_items() if self._narrowed is None else self._narrowed


def condition_of(comparison: str | None, typed: list[dict[str, Any]]) -> Condition | None:
    """What a query says of the range key, where that is of texts or of numbers.

    Raises moto's ``MockValidationException`` for bounds in the wrong order, which moto lets through.
    """
    compare = comparisons.get_comparison_func(comparison) if comparison else None
    kinds = {kind for value in typed for kind in value}
    if compare is None or kinds not in ({"S"}, {"N"}):
        return None
    (kind,) = kinds
    of: Callable[[str], Any] = str if kind == "S" else Decimal
    values = [of(value[kind]) for value in typed]
    if comparison == "BETWEEN" and values[0] > values[1]:
        raise MockValidationException(
            "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to "
            f"lower bound; lower bound operand: AttributeValue: {{{kind}:{values[0]}}}, upper bound operand: "
            f"AttributeValue: {{{kind}:{values[1]}}}"
        )
    return Condition(of, lambda key: compare(key, *values))


def _meeting(condition: Condition, name: str, items: list[Item]) -> list[Item]:
    """The items that meet a condition, which moto would come to after sorting all of them; and the first and the last
    of the others, since to moto a page that is full is not the last one when anything at all lies behind it."""
    found, others = [], []
    for item in items:
        if name in item.attrs:
            key = condition.of(item.attrs[name].value)
            if condition.holds(key):
                found.append(item)
            else:
                others.append((key, item))
    if others:
        found += [choose(others, key=itemgetter(0))[1] for choose in (min, max)]
    return found
