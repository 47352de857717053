"""Transactions of puts, deletions and checks of plain items: every condition first, then every write. moto checks each
item's values again and again, and looks at each condition three times.

What is anything else is left to moto.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from moto.dynamodb import comparisons, responses
from moto.dynamodb.exceptions import (
    ConditionalCheckFailed,
    MultipleTransactionsException,
    TransactionCanceledException,
)

from infra.local.dynamo_table import Key, LocalTable

_KINDS = frozenset(("Put", "Delete", "ConditionCheck"))
_PLAIN = frozenset(
    (
        "TableName",
        "Item",
        "Key",
        "ConditionExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
    )
)
_MOST = 100

Action = Mapping[str, Mapping[str, Any]]


def is_plain(actions: Sequence[Action], table: Callable[[str], LocalTable]) -> bool:
    """Whether this module takes these actions. Raises moto's ``ResourceNotFoundException``."""
    return len(actions) <= _MOST and all(_is_plain(action, table) for action in actions)


def _is_plain(action: Action, table: Callable[[str], LocalTable]) -> bool:
    ((kind, part),) = action.items()
    if kind not in _KINDS or not part.keys() <= _PLAIN or part.get("ExpressionAttributeValues") == {}:
        return False
    return kind != "Put" or table(part["TableName"]).is_plain(part["Item"])


def write(actions: Sequence[Action], table: Callable[[str], LocalTable]) -> None:
    """Do all of the actions, whose keys have been checked, or none.

    Raises moto's ``TransactionCanceledException`` with a reason for each, or its validation errors.
    """
    places: list[tuple[str, Mapping[str, Any], LocalTable, Key]] = []
    for action in actions:
        ((kind, part),) = action.items()
        target = table(part["TableName"])
        places.append((kind, part, target, target.key_of(part["Item" if kind == "Put" else "Key"])))
    held = [_holds(part, target, key) for _, part, target, key in places]
    if len({(target.name, key) for _, _, target, key in places}) < len(places):
        raise MultipleTransactionsException
    if not all(held):
        failed = ("ConditionalCheckFailed", str(ConditionalCheckFailed().message), None)
        reasons: list[Any] = [(None, None, None) if one else failed for one in held]
        raise TransactionCanceledException(reasons)
    for kind, part, target, key in places:
        if kind == "Put":
            target.put_plain(part["Item"], None)
        elif kind == "Delete":
            target.replace(key, None)


def _holds(part: Mapping[str, Any], table: LocalTable, key: Key) -> bool:
    names = part.get("ExpressionAttributeNames", {})
    parser: Any = comparisons.create_condition_expression_parser(
        part.get("ConditionExpression"), names, part.get("ExpressionAttributeValues", {})
    )
    condition = parser.parse()
    responses.validate_attributes_used(names, parser.expr_attr_names_found, validation_error_prefix=False)
    return bool(condition.expr(table.find(key)))
