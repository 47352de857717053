"""Holds each function to the DynamoDB actions that the template allows it, as IAM does."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from infra.local.template import Function, Grant

_TRANSACTED = {
    "Get": "GetItem",
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}

_acting: ContextVar[Function | None] = ContextVar("acting", default=None)


class AccessDenied(Exception):
    """A function did what its policies in the template don't allow."""


@contextmanager
def acting(function: Function) -> Iterator[None]:
    """Count the DynamoDB calls within the block as the function's."""
    token = _acting.set(function)
    try:
        yield
    finally:
        _acting.reset(token)


def guard(operation: str, parameters: dict[str, Any], call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Do a DynamoDB call if the function that acts may; outside of functions everything is allowed.

    Raises `AccessDenied`.
    """
    function = _acting.get()
    if function is not None:
        for grant in _needs(operation, parameters):
            if grant not in function.grants:
                raise AccessDenied(f"{function.name} has no policy for dynamodb:{grant.action} on {grant.resource}")
    return call()


def _needs(operation: str, parameters: Mapping[str, Any]) -> Iterator[Grant]:
    if "TransactItems" in parameters:
        for item in parameters["TransactItems"]:
            for kind, action in item.items():
                yield Grant(_TRANSACTED[kind], action["TableName"])
    elif "RequestItems" in parameters:
        for table in parameters["RequestItems"]:
            yield Grant(operation, table)
    elif "IndexName" in parameters:
        yield Grant(operation, f"{parameters['TableName']}/index/{parameters['IndexName']}")
    else:
        yield Grant(operation, parameters["TableName"])
