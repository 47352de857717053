"""moto's DynamoDB as plain functions over a store of its own, without what slows it down or makes it grow."""

from collections import deque
from functools import lru_cache
from typing import Any, cast

from moto.core.responses import ActionResult
from moto.dynamodb import comparisons, models, responses
from moto.dynamodb.comparisons import AttributeValue, ConditionExpressionParser, OpDefault
from moto.dynamodb.exceptions import ResourceInUseException
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item, LimitedSizeDict
from moto.dynamodb.models.table import GlobalSecondaryIndex, Table
from moto.dynamodb.models.utilities import dynamo_to_dict
from moto.dynamodb.responses import DynamoHandler

from infra.local import dynamo_queries, dynamo_transactions
from infra.local.dynamo_table import LocalTable, condition_of

ACCOUNT = "123456789012"

_PLAIN_GET = frozenset(("TableName", "Key", "ConsistentRead", "ReturnConsumedCapacity"))
_PLAIN_PUT = frozenset(
    (
        "TableName",
        "Item",
        "ConditionExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "ReturnConsumedCapacity",
    )
)
_EMPTY_KEY = (
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string "
    "value. Key: {}"
)


class LocalBackend(DynamoDBBackend):
    """One store. Nothing of it is registered with moto, so dropping the object drops the data."""

    def __init__(self, region: str) -> None:
        _tune()
        super().__init__(region, ACCOUNT)

    def create_table(self, name: str, **properties: Any) -> Table:  # type: ignore[override]
        """As moto's, with a ``LocalTable``. Raises moto's ``ResourceInUseException``."""
        if name in self.tables:
            raise ResourceInUseException(f"Table already exists: {name}")
        table = LocalTable(  # type: ignore[abstract]
            name, account_id=self.account_id, region=self.region_name, **properties
        )
        self.tables[name] = table
        return table

    def table(self, name: str) -> LocalTable:
        """The table of this name. Raises moto's ``ResourceNotFoundException``."""
        return cast(LocalTable, self.get_table(name))

    def query(
        self,
        table_name: str,
        hash_key_dict: dict[str, Any] | None,
        range_comparison: str | None,
        range_value_dicts: list[dict[str, Any]],
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """As moto's, over the items that share the hash key."""
        condition = condition_of(range_comparison, range_value_dicts)
        with self.table(table_name).narrowed(kwargs.get("index_name"), hash_key_dict, condition):
            return super().query(table_name, hash_key_dict, range_comparison, range_value_dicts, *args, **kwargs)


class LocalHandler(DynamoHandler):
    """moto's operations over a ``LocalBackend``: set ``body``, call the method. One call at a time."""

    def __init__(self, backend: LocalBackend) -> None:
        super().__init__()
        self._backend = backend

    @property
    def dynamodb_backend(self) -> LocalBackend:
        """The store."""
        return self._backend

    def run(self, method: str, body: dict[str, Any]) -> dict[str, Any]:
        """Run one operation by its method's name. Raises moto's ``JsonRESTError``."""
        self.body = body
        answer: ActionResult = getattr(self, method)()
        result: dict[str, Any] = answer.result  # type: ignore[assignment]
        return result

    @responses.include_consumed_capacity(0.5)  # type: ignore[arg-type] # it is a handler's
    def get_item(self) -> ActionResult:
        """As moto's, which walks through the parsers of projections, and copies the item, also for a whole one."""
        body = self.body
        if not body.keys() <= _PLAIN_GET or any(
            value in ("", b"") for (value,) in map(dict.values, body["Key"].values())
        ):
            return super().get_item()
        table = self._backend.table(body["TableName"])
        item = table.find(table.key_of(body["Key"]))
        return ActionResult({} if item is None else {"Item": shown(item)})

    @responses.include_consumed_capacity()  # type: ignore[arg-type]
    def query(self) -> ActionResult:
        """As moto's, which parses anew, sorts and copies also for a few items."""
        found = dynamo_queries.found(self._backend.table(self.body["TableName"]), self.body)
        if found is None:
            return super().query()
        items = [shown(item) for item in found.items]
        page = {"Items": items, "Count": len(items), "ScannedCount": len(items)}
        return ActionResult(page if found.last_key is None else {**page, "LastEvaluatedKey": found.last_key})

    def put_item(self) -> ActionResult:
        """As moto's, which makes an answer of the whole item before it takes it out again."""
        return self._put_plainly() if self.body.keys() <= _PLAIN_PUT else super().put_item()

    @responses.include_consumed_capacity()  # type: ignore[arg-type]
    def _put_plainly(self) -> ActionResult:
        body, table = self.body, self._backend.table(self.body["TableName"])
        item, condition = body["Item"], body.get("ConditionExpression")
        is_plain = table.is_plain(item)
        if not is_plain:
            responses.validate_put_has_empty_keys(item, table)
            responses.validate_put_has_empty_attrs(item, table)
            responses.validate_put_has_gsi_keys_set_to_none(item, table)
        names, values = body.get("ExpressionAttributeNames", {}), self._get_expr_attr_values()
        parser = CachingParser(condition, names, values)
        parsed = parser.parse()
        responses.validate_attributes_used(names, parser.expr_attr_names_found)
        if is_plain:
            table.put_plain(item, parsed if condition else None)
        else:
            table.put_item(item, None, condition, names, values, overwrite=not condition)
        return ActionResult({})

    def transact_write_items(self) -> ActionResult:
        """As moto's, over the road of ``dynamo_transactions`` where there is one."""
        actions, table = self.body["TransactItems"], self._backend.table
        if not dynamo_transactions.is_plain(actions, table):
            return super().transact_write_items()
        dynamo_transactions.write(actions, table)
        return ActionResult({"ConsumedCapacity": [], "ItemCollectionMetrics": {}})

    def batch_write_item(self) -> ActionResult:
        """As moto's, which writes all items out as JSON to find doubles: `dynamo_writes` has refused those."""
        capacity = []
        for name, requests in self.body["RequestItems"].items():
            table = self._backend.table(name)
            capacity.append({"TableName": name, "CapacityUnits": 1.0, "Table": {"CapacityUnits": 1.0}})
            for request in requests:
                if "PutRequest" in request:
                    item = request["PutRequest"]["Item"]
                    if not table.is_plain(item):
                        responses.validate_put_has_empty_keys(item, table, _EMPTY_KEY)
                    table.put_item(item, overwrite=True)
                else:
                    self._backend.delete_item(name, request["DeleteRequest"]["Key"])
        return ActionResult({"ConsumedCapacity": capacity, "ItemCollectionMetrics": {}, "UnprocessedItems": {}})


def shown(item: Item) -> dict[str, dict[str, Any]]:
    """An item in DynamoDB JSON, bytes as bytes."""
    return {name: _shown(value) for name, value in item.attrs.items()}


def _shown(value: DynamoType) -> dict[str, Any]:
    if value.type in _SCALARS or (value.type == "B" and type(value.value) is bytes):
        return {value.type: value.value}
    parts: dict[str, Any] = dynamo_to_dict(value)
    return parts


class _Syntax(ConditionExpressionParser):
    """Parses an expression as far as its values don't matter."""

    def _lookup_expression_attribute_value(self, name: str) -> dict[str, str]:
        return {}

    def _make_op_condition(self, node: Any) -> Any:
        return node


@lru_cache(maxsize=1024)
def _syntax(expression: str, names: tuple[tuple[str, str], ...]) -> tuple[Any, list[str], list[str]]:
    parser = _Syntax(expression, dict(names), None)
    return parser.parse(), parser.expr_attr_names_found, parser.expr_attr_values_found


class CachingParser(ConditionExpressionParser):
    """moto's parser of conditions and filters, which parses an expression once, not twice a call."""

    def parse(self) -> Any:
        """As moto's: the condition as an object with ``expr(item)``. Raises ValueError and KeyError."""
        if not self.condition_expression:
            return OpDefault(None, None)  # type: ignore[arg-type]
        node, names, values = _syntax(self.condition_expression, tuple((self.expression_attribute_names or {}).items()))
        self.expr_attr_names_found.extend(names)
        self.expr_attr_values_found.extend(values)
        return self._make_op_condition(node)

    def _make_operand(self, node: Any) -> Any:
        if node.kind == self.Kind.EXPRESSION_ATTRIBUTE_VALUE:
            return AttributeValue((self.expression_attribute_values or {})[node.text])
        return super()._make_operand(node)


moto_project = Item.project


def project(item: Item, paths: list[list[str]]) -> Item:
    """As moto's, which converts the whole item to Python values and back for each of the paths."""
    if any(len(path) > 1 or "[" in path[0] for path in paths):
        return moto_project(item, paths)
    return Item(item.hash_key, item.range_key, {name: item.attrs[name] for (name,) in paths if name in item.attrs})


def _read(value: DynamoType, source: DynamoType | dict[str, Any]) -> None:
    kind, content = (source.type, source.value) if isinstance(source, DynamoType) else next(iter(source.items()))
    if kind == "L":
        content = [DynamoType(part) for part in content]
    elif kind == "M":
        content = {name: DynamoType(part) for name, part in content.items()}
    elif kind in _SETS:
        content = list(content)  # a caller may go on to change it
    value.type, value.value = kind, content


def _equal(one: DynamoType, other: DynamoType) -> bool:
    if one.type != other.type:
        return False
    return bool(one.value == other.value if one.type in _TEXTS else one.cast_value == other.cast_value)


def _hash(value: DynamoType) -> int:
    return hash((value.type, value.value if value.type in _TEXTS else value.cast_value))


_TEXTS = frozenset("SB")
_SETS = frozenset(("SS", "NS", "BS"))
_SCALARS = frozenset(("S", "N", "BOOL", "NULL"))


def _tune() -> None:
    # moto keeps a reference to every instance of its models for a dashboard, so no item would ever be freed.
    for model in (Item, LocalTable, GlobalSecondaryIndex):
        model.instances_tracked = deque(maxlen=0)  # type: ignore[union-attr]
    # It measures the whole item again at each attribute; dynamo_limits measures it once.
    if "__setitem__" in vars(LimitedSizeDict):
        del LimitedSizeDict.__setitem__
    Item.project = project  # type: ignore[method-assign,assignment]
    # As moto's, which asks each value for its type up to eight times.
    DynamoType.__init__, DynamoType.__eq__, DynamoType.__hash__ = _read, _equal, _hash  # type: ignore[method-assign,assignment]
    for module in (comparisons, models, responses):
        module.create_condition_expression_parser = CachingParser  # type: ignore[attr-defined]
    # 25 until September 2022.
    responses.TRANSACTION_MAX_ITEMS = 100
