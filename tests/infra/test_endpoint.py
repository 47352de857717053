"""The endpoint mode, against moto behind botocore as the endpoint."""

import json

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from moto import mock_aws

from infra.local import endpoint
from infra.local.service import TEMPLATE
from infra.local.template import load

TABLES = load(TEMPLATE).tables
URL = "https://dynamodb.us-east-1.amazonaws.com"
STREAMS = "https://streams.dynamodb.us-east-1.amazonaws.com"


@pytest.fixture
def clients(monkeypatch):
    monkeypatch.setenv("AWS_ACCOUNT_ID_ENDPOINT_MODE", "disabled")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        dynamodb, streams = endpoint.client("dynamodb", URL), endpoint.client("dynamodbstreams", STREAMS)
        endpoint.create_missing_tables(dynamodb, TABLES)
        yield dynamodb, streams


def put(dynamodb, pk, **attributes):
    dynamodb.put_item(TableName="MatchesTable", Item={"pk": {"S": pk}, "sk": {"S": "M"}, **attributes})


def test_missing_tables_are_created_as_the_template_says(clients):
    dynamodb, _ = clients
    described = dynamodb.describe_table(TableName="MatchesTable")["Table"]
    assert {index["IndexName"] for index in described["GlobalSecondaryIndexes"]} == {"lists", "due"}
    assert described["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    ttl = dynamodb.describe_time_to_live(TableName="PlayersTable")["TimeToLiveDescription"]
    assert (ttl["AttributeName"], ttl["TimeToLiveStatus"]) == ("ttl", "ENABLED")


def test_tables_that_are_there_are_left_as_they_are(clients):
    dynamodb, _ = clients
    put(dynamodb, "a")
    endpoint.create_missing_tables(dynamodb, TABLES)
    assert dynamodb.scan(TableName="MatchesTable")["Count"] == 1


def test_records_come_once_and_in_the_shape_of_lambda_events(clients):
    dynamodb, streams = clients
    source = endpoint.PolledStreams(dynamodb, streams)
    assert source.take_records("MatchesTable", 10) == []
    put(dynamodb, "a", body={"B": b"\x00\xff"}, ended={"N": "5"})
    put(dynamodb, "b")
    first, second = source.take_records("MatchesTable", 10)
    json.dumps(first)
    assert first["eventName"] == "INSERT"
    assert first["eventSourceARN"].startswith("arn:aws:dynamodb:us-east-1:")
    assert first["dynamodb"]["NewImage"]["body"] == {"B": "AP8="}
    assert isinstance(first["dynamodb"]["ApproximateCreationDateTime"], int)
    assert second["dynamodb"]["Keys"]["pk"] == {"S": "b"}
    assert source.take_records("MatchesTable", 10) == []
    put(dynamodb, "c")
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in source.take_records("MatchesTable", 10)] == ["c"]


def test_no_more_records_come_than_asked_for(clients):
    dynamodb, streams = clients
    source = endpoint.PolledStreams(dynamodb, streams)
    for number in range(5):
        put(dynamodb, str(number))
    taken = [len(source.take_records("MatchesTable", 2)) for _ in range(4)]
    assert taken == [2, 2, 1, 0]


class Streams:
    """An endpoint's streams API: shards with their parents and records, and faults on demand."""

    def __init__(self, shards):
        self.shards = shards
        self.fault = None

    def describe_stream(self, **_):
        shards = [
            {"ShardId": name, **({"ParentShardId": parent} if parent else {})}
            for name, (parent, _) in self.shards.items()
        ]
        return {"StreamDescription": {"Shards": shards}}

    def get_shard_iterator(self, ShardId, ShardIteratorType, SequenceNumber="0", **_):
        return {"ShardIterator": f"{ShardId}/{SequenceNumber}"}

    def get_records(self, ShardIterator, Limit):
        if self.fault is not None:
            fault, self.fault = self.fault, None
            raise fault
        shard, _, last = ShardIterator.partition("/")
        numbers = [number for number in self.shards[shard][1] if number > int(last)][:Limit]
        position = numbers[-1] if numbers else int(last)
        closed = any(parent == shard for parent, _ in self.shards.values()) and position == max(self.shards[shard][1])
        answer = {"Records": [{"dynamodb": {"SequenceNumber": str(number)}} for number in numbers]}
        return answer if closed else {**answer, "NextShardIterator": f"{shard}/{position}"}


class Tables:
    def describe_table(self, **_):
        return {"Table": {"LatestStreamArn": "arn"}}


def numbers(source, limit=2):
    return [int(record["dynamodb"]["SequenceNumber"]) for record in source.take_records("T", limit)]


def test_a_shard_that_splits_is_read_to_its_end_before_its_children():
    streams = Streams({"a": (None, [1, 2, 3]), "b": ("a", [4, 5]), "c": ("a", [6])})
    source = endpoint.PolledStreams(Tables(), streams)
    assert [numbers(source) for _ in range(5)] == [[1, 2], [3, 4], [5, 6], [], []]
    streams.shards["b"][1].append(7)
    assert numbers(source) == [7]


def test_a_lost_iterator_goes_on_after_the_last_record():
    streams = Streams({"a": (None, [1, 2, 3, 4])})
    source = endpoint.PolledStreams(Tables(), streams)
    assert numbers(source) == [1, 2]
    streams.fault = ClientError({"Error": {"Code": "ExpiredIteratorException"}}, "GetRecords")
    assert numbers(source) == []
    assert numbers(source) == [3, 4]


def test_an_endpoint_that_is_away_has_no_records_and_goes_on_later(capfd):
    streams = Streams({"a": (None, [1])})
    source = endpoint.PolledStreams(Tables(), streams)
    streams.fault = EndpointConnectionError(endpoint_url="x")
    assert numbers(source) == []
    assert "the stream of T can't be read now" in capfd.readouterr().err
    assert numbers(source) == [1]


def test_any_other_error_is_raised():
    streams = Streams({"a": (None, [1])})
    streams.fault = ClientError({"Error": {"Code": "AccessDeniedException"}}, "GetRecords")
    with pytest.raises(ClientError):
        numbers(endpoint.PolledStreams(Tables(), streams))
