"""The DynamoDB of the local service and of the tests: moto's operations, called as functions, one at a time.

A ``LocalDynamo`` stands where botocore's client stands below pynamodb (``dynamo_install``), since the road through
botocore and moto's HTTP mock takes ten times as long as the operations. moto is not safe under threads: conditional
writes have several winners. So a lock goes round each operation.
"""

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from moto.core.exceptions import JsonRESTError
from moto.dynamodb.exceptions import MockValidationException

from infra.local import dynamo_errors, dynamo_writes
from infra.local.dynamo_limits import key_problem, request_problem
from infra.local.dynamo_moto import LocalBackend, LocalHandler, shown
from infra.local.dynamo_records import RecordQueue, unchanged
from infra.local.dynamo_tokens import RequestTokens

Answer = dict[str, Any]
# Given the operation, its parameters and the call itself, do the call or not, once or more, and answer for it.
Around = Callable[[str, dict[str, Any], Callable[[], Answer]], Answer]

_METHODS = {
    "BatchGetItem": "batch_get_item",
    "BatchWriteItem": "batch_write_item",
    "CreateTable": "create_table",
    "DeleteItem": "delete_item",
    "DeleteTable": "delete_table",
    "DescribeTable": "describe_table",
    "DescribeTimeToLive": "describe_time_to_live",
    "GetItem": "get_item",
    "ListTables": "list_tables",
    "PutItem": "put_item",
    "Query": "query",
    "Scan": "scan",
    "TransactGetItems": "transact_get_items",
    "TransactWriteItems": "transact_write_items",
    "UpdateItem": "update_item",
    "UpdateTimeToLive": "update_time_to_live",
}
_OPERATIONS = {method: operation for operation, method in _METHODS.items()}
_TRANSACTED: Answer = {"ConsumedCapacity": [], "ItemCollectionMetrics": {}}
# What a table of a template may have that CreateTable knows, too.
_TABLE_PROPERTIES = (
    "TableName",
    "AttributeDefinitions",
    "KeySchema",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
    "BillingMode",
    "ProvisionedThroughput",
)


class LocalDynamo:
    """An empty DynamoDB, safe under threads. It also has the methods of a boto3 client, those of tables and items.

    ``around``, if set, stands round every call, outside the lock: tests lose replies, throttle or delay with it.
    ``on_records``, if set, is called after a write with the name of each table whose stream got a record.
    """

    def __init__(
        self, *, region: str = "us-east-1", clock: Callable[[], float] = time.time, retained: int = 50_000
    ) -> None:
        self.around: Around | None = None
        self.on_records: Callable[[str], None] | None = None
        self.meta = SimpleNamespace(region_name=region, endpoint_url="local")
        self.exceptions = dynamo_errors.exceptions()
        self._clock = clock
        self._retained = retained
        self._lock = threading.Lock()
        self._backend = LocalBackend(region)
        self._handler = LocalHandler(self._backend)
        self._queues: dict[str, RecordQueue] = {}
        self._sequence = 0
        self._tokens = RequestTokens()
        self._recordings: list[list[tuple[str, str]]] = []

    def __getattr__(self, name: str) -> Callable[..., Answer]:
        if name not in _OPERATIONS:
            raise AttributeError(f"LocalDynamo has no {name}")
        return lambda **kwargs: self._make_api_call(_OPERATIONS[name], kwargs)

    def create_tables(self, definitions: Iterable[Mapping[str, Any]]) -> None:
        """Create tables from the properties of AWS::DynamoDB::Table, each with its TableName.

        What concerns neither data nor streams (backups, encryption, tags) is passed over.
        """
        for properties in definitions:
            request = {name: properties[name] for name in _TABLE_PROPERTIES if name in properties}
            if "StreamSpecification" in properties:
                request["StreamSpecification"] = {**properties["StreamSpecification"], "StreamEnabled": True}
            self._make_api_call("CreateTable", request)
            if "TimeToLiveSpecification" in properties:
                expiry = {name: properties[name] for name in ("TableName", "TimeToLiveSpecification")}
                self._make_api_call("UpdateTimeToLive", expiry)

    def items(self, table: str) -> list[dict[str, Any]]:
        """All items of a table in DynamoDB JSON, bytes as bytes, in no order. A look from outside: no call is recorded.

        Raises moto's ``ResourceNotFoundException``.
        """
        with self._lock:
            return [shown(item) for item in self._backend.table(table).stored()]

    def take_records(self, table: str, limit: int) -> list[dict[str, Any]]:
        """Remove and return the oldest records of the table's stream, at most ``limit``, oldest first.

        Raises KeyError if the table has no stream.
        """
        with self._lock:
            return self._queues[table].take(limit)

    def pending_records(self, table: str) -> int:
        """How many records ``take_records`` could take. Raises KeyError if the table has no stream."""
        with self._lock:
            return len(self._queues[table])

    @contextmanager
    def recorded_calls(self) -> Iterator[list[tuple[str, str]]]:
        """A list that gets (operation, tables joined by commas) of each call made within the block."""
        calls: list[tuple[str, str]] = []
        self._recordings.append(calls)
        try:
            yield calls
        finally:
            self._recordings = [others for others in self._recordings if others is not calls]

    def _make_api_call(self, operation_name: str, api_params: Mapping[str, Any]) -> Answer:
        # The name is botocore's, and pynamodb's way in. Raises botocore's ClientError.
        if operation_name not in _METHODS:
            raise NotImplementedError(f"LocalDynamo has no {operation_name}")
        for calls in self._recordings:
            calls.append((operation_name, _tables(api_params)))
        body = dict(api_params)
        if operation_name == "TransactWriteItems":
            # As botocore does, so that a repetition of this very call is recognised.
            body.setdefault("ClientRequestToken", str(uuid.uuid4()))
        if self.around is None:
            return self._call(operation_name, body)
        return self.around(operation_name, body, lambda: self._call(operation_name, body))

    def _call(self, operation: str, body: dict[str, Any]) -> Answer:
        streams: list[str] = []
        try:
            with self._lock:
                answer = self._perform(operation, body, streams)
        except JsonRESTError as error:
            raise dynamo_errors.to_client_error(operation, error) from error
        if self.on_records is not None:
            for table in streams:
                self.on_records(table)
        metadata = {"RequestId": "local", "HTTPStatusCode": 200, "HTTPHeaders": {}, "RetryAttempts": 0}
        return {**answer, "ResponseMetadata": metadata}

    def _perform(self, operation: str, body: dict[str, Any], streams: list[str]) -> Answer:
        _refuse_if(request_problem(operation, body))
        if operation in dynamo_writes.OPERATIONS:
            return self._write(operation, body, streams)
        for table, key in _read_keys(operation, body):
            _refuse_if(key_problem(key, self._backend.table(table)))
        answer = self._handler.run(_METHODS[operation], body)
        if operation == "CreateTable":
            self._open_stream(body["TableName"])
        elif operation == "DeleteTable":
            self._queues.pop(body["TableName"], None)
        return answer

    def _write(self, operation: str, body: dict[str, Any], streams: list[str]) -> Answer:
        now = self._clock()
        if operation == "TransactWriteItems" and self._tokens.repeats(body, now):
            return dict(_TRANSACTED)
        writes = dynamo_writes.prepare(operation, body, self._backend.table)
        try:
            answer = self._handler.run(_METHODS[operation], body)
            dynamo_writes.check_updated(operation, writes)
        except BaseException:
            dynamo_writes.undo(writes)
            raise
        for write in writes:
            self._publish(write, now, streams)
        if operation == "TransactWriteItems":
            self._tokens.succeeded(body, now)
        answer.pop("ConsumedCapacityUnits", None)  # moto's own, no client shows it
        return answer

    def _publish(self, write: dynamo_writes.Write, now: float, streams: list[str]) -> None:
        after = write.after
        if after is write.before:
            return
        write.table.reindex(write.key, write.before, after)
        queue = self._queues.get(write.table.name)
        if queue is not None and not unchanged(write.before, after):
            self._sequence += 1
            queue.add(write.key, write.before, after, self._sequence, now)
            if write.table.name not in streams:
                streams.append(write.table.name)

    def _open_stream(self, name: str) -> None:
        table = self._backend.table(name)
        specification = table.stream_specification or {}
        if specification["StreamEnabled"]:
            self._queues[name] = RecordQueue(table, specification["StreamViewType"], self._retained)


def _refuse_if(problem: str | None) -> None:
    if problem is not None:
        raise MockValidationException(problem)


def _tables(parameters: Mapping[str, Any]) -> str:
    if "TransactItems" in parameters:
        return ",".join(
            dict.fromkeys(part["TableName"] for item in parameters["TransactItems"] for part in item.values())
        )
    return ",".join(parameters.get("RequestItems", ())) or parameters.get("TableName", "")


def _read_keys(operation: str, body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    if operation == "GetItem":
        yield body["TableName"], body["Key"]
    elif operation == "BatchGetItem":
        for table, request in body["RequestItems"].items():
            for key in request["Keys"]:
                yield table, key
    elif operation == "TransactGetItems":
        for action in body["TransactItems"]:
            yield action["Get"]["TableName"], action["Get"]["Key"]
