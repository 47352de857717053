"""A DynamoDB-compatible endpoint as the store of the local service.

Its streams are read through the streams API of the same endpoint, from the oldest record that it still has: after a
restart everything is delivered again, which the functions have to bear anyway.
"""

import base64
import sys
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import botocore.session
from botocore.exceptions import BotoCoreError, ClientError

from infra.local.context import REGION
from infra.local.intrinsics import Properties
from infra.local.streams import Record

POLL = 0.2
"""Seconds between two looks for new records."""

_CREATE = ("TableName", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")
_LOST_ITERATORS = ("ExpiredIteratorException", "TrimmedDataAccessException")


def client(service: str, url: str) -> Any:
    """Make a botocore client for one service of an endpoint, which takes any credentials when none are set."""
    session = botocore.session.get_session()
    if session.get_credentials() is None:
        session.set_credentials("local", "local")
    return session.create_client(service, region_name=session.get_config_variable("region") or REGION, endpoint_url=url)


def create_missing_tables(dynamodb: Any, tables: Iterable[Properties]) -> None:
    """Create those tables of a template that the endpoint does not have. Raises botocore's errors."""
    for properties in tables:
        request = {name: properties[name] for name in _CREATE if name in properties}
        if "StreamSpecification" in properties:
            request["StreamSpecification"] = {"StreamEnabled": True, **properties["StreamSpecification"]}
        try:
            dynamodb.create_table(**request)
        except dynamodb.exceptions.ResourceInUseException:
            continue
        name = properties["TableName"]
        dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        if "TimeToLiveSpecification" in properties:
            dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification=properties["TimeToLiveSpecification"])


class PolledStreams:
    """The stream records of an endpoint's tables."""

    def __init__(self, dynamodb: Any, streams: Any) -> None:
        self._dynamodb = dynamodb
        self._streams = streams
        self._arns: dict[str, str] = {}
        self._iterators: dict[str, str | None] = {}
        """By shard; None for one that is read to its end."""
        self._last: dict[str, str] = {}

    def take_records(self, table: str, limit: int) -> list[Record]:
        """Give the next records of a table's stream, at most `limit`; none while the endpoint can't be reached."""
        try:
            return self._take(table, limit)
        except BotoCoreError as error:
            sys.stderr.write(f"the stream of {table} can't be read now: {error}\n")
            return []

    def _take(self, table: str, limit: int) -> list[Record]:
        if table not in self._arns:
            self._arns[table] = self._dynamodb.describe_table(TableName=table)["Table"]["LatestStreamArn"]
        arn = self._arns[table]
        shards = self._streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        names = {shard["ShardId"] for shard in shards}
        records: list[Record] = []
        for shard in shards:
            parent = shard.get("ParentShardId")
            if parent in names and self._iterators.get(parent, "") is not None:
                continue  # a shard goes on where its parent ended
            if len(records) < limit:
                records += self._read(arn, shard["ShardId"], limit - len(records))
        return records

    def _read(self, arn: str, shard: str, limit: int) -> list[Record]:
        if shard not in self._iterators:
            self._iterators[shard] = self._begin(arn, shard)
        iterator = self._iterators[shard]
        if iterator is None:
            return []
        try:
            answer = self._streams.get_records(ShardIterator=iterator, Limit=limit)
        except ClientError as error:
            if error.response["Error"]["Code"] not in _LOST_ITERATORS:
                raise
            del self._iterators[shard]
            return []
        self._iterators[shard] = answer.get("NextShardIterator")
        records = [{**_plain(record), "eventSourceARN": arn} for record in answer["Records"]]
        if records:
            self._last[shard] = records[-1]["dynamodb"]["SequenceNumber"]
        return records

    def _begin(self, arn: str, shard: str) -> str:
        where: dict[str, str] = {"ShardIteratorType": "TRIM_HORIZON"}
        if shard in self._last:
            where = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self._last[shard]}
        iterator: str = self._streams.get_shard_iterator(StreamArn=arn, ShardId=shard, **where)["ShardIterator"]
        return iterator


def _plain(value: Any) -> Any:
    """Write a record as Lambda's events have it: times as seconds, binary values as Base64."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, datetime):
        return int(value.timestamp())
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value
