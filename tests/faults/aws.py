"""The functions over botocore and moto, with every request to DynamoDB noted as botocore makes it."""

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import botocore.session
from moto import mock_aws
from moto.core.botocore_stubber import BotocoreStubber

from infra.local.context import REGION
from tests.faults.world import STACK, World, standing_clock

_CREATES = ("TableName", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")


class Sent(NamedTuple):
    """A request to DynamoDB; a retry would be another one."""

    operation: str
    body: dict[str, Any]

    @property
    def table(self) -> str:
        """The one table that it is about; empty for several."""
        return str(self.body.get("TableName", ""))

    def __str__(self) -> str:
        strong = " strongly" if self.body.get("ConsistentRead") else ""
        condition = " if" if "ConditionExpression" in self.body else ""
        return f"{self.operation}{strong}{condition} {self.table}".rstrip()


class Cloud(NamedTuple):
    """A world over botocore, and what it sent since the list was last emptied."""

    world: World
    sent: list[Sent]

    def drain(self) -> list[Sent]:
        """What was sent, once."""
        found = list(self.sent)
        self.sent.clear()
        return found


@contextmanager
def cloud() -> Iterator[Cloud]:
    """Tables in moto, and the functions with the clients that pynamodb makes for them."""
    with ExitStack() as undo:
        now = undo.enter_context(standing_clock())
        undo.enter_context(mock_aws())
        undo.enter_context(_one_at_a_time())
        client = botocore.session.get_session().create_client("dynamodb", REGION)
        for table in STACK.tables:
            client.create_table(**{name: table[name] for name in _CREATES if name in table})
        sent: list[Sent] = []
        undo.enter_context(_noting(sent))
        yield Cloud(World(None, now), sent)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """moto is not safe under threads."""
    lock, dispatch = threading.Lock(), BotocoreStubber.__call__

    def locked(stubber: BotocoreStubber, *args: Any, **kwargs: Any) -> Any:
        with lock:
            return dispatch(stubber, *args, **kwargs)

    BotocoreStubber.__call__ = locked
    try:
        yield
    finally:
        BotocoreStubber.__call__ = dispatch


@contextmanager
def _noting(sent: list[Sent]) -> Iterator[None]:
    from functions.shared.store.models import connection

    def note(request: Any, operation_name: str, **_: Any) -> None:
        sent.append(Sent(operation_name, json.loads(request.data)))

    hook = connection().client.meta.events  # one client sends everything
    hook.register_first("request-created.dynamodb", note)
    try:
        yield
    finally:
        hook.unregister("request-created.dynamodb", note)
