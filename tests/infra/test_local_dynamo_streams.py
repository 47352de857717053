"""The embedded DynamoDB leaves the stream records that Lambda would get."""

import gc
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto.dynamodb.models.dynamo_type import Item
from moto.dynamodb.models.table import StreamRecord

from infra.local.dynamo import LocalDynamo

MATCHES: dict[str, Any] = {
    "TableName": "matches",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "dp", "da")],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "due",
            "KeySchema": [{"AttributeName": "dp", "KeyType": "HASH"}, {"AttributeName": "da", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
    "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
}
PLAIN: dict[str, Any] = {
    "TableName": "plain",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
}
ONE = {"id": {"N": "1"}}
KEY = {"pk": {"S": "MAT#1"}, "sk": {"S": "M"}}


@pytest.fixture
def dynamo() -> LocalDynamo:
    store = LocalDynamo(clock=lambda: 1_700_000_000.9)
    store.create_tables([MATCHES, PLAIN])
    return store


def code_of(call: Callable[[], Any]) -> str:
    with pytest.raises(ClientError) as caught:
        call()
    return str(caught.value.response["Error"]["Code"])


def put_version(dynamo: LocalDynamo, old: int) -> Any:
    return dynamo.put_item(
        TableName="matches",
        Item={**KEY, "v": {"N": str(old + 1)}},
        ConditionExpression="attribute_not_exists(pk) OR v = :v",
        ExpressionAttributeValues={":v": {"N": str(old)}},
    )


def test_each_write_leaves_the_record_that_lambda_would_get(dynamo: LocalDynamo) -> None:
    first = {**KEY, "v": {"N": "1"}, "b": {"B": b"\0\xff"}, "m": {"M": {"tags": {"SS": ["a"]}}}}
    dynamo.put_item(TableName="matches", Item=first)
    dynamo.update_item(TableName="matches", Key=KEY, UpdateExpression="REMOVE b, m SET v = v + v")
    dynamo.delete_item(TableName="matches", Key=KEY)
    records = dynamo.take_records("matches", 10)
    old = {**first, "b": {"B": "AP8="}}
    new = {**KEY, "v": {"N": "2"}}
    assert [(r["eventName"], r["dynamodb"].get("OldImage"), r["dynamodb"].get("NewImage")) for r in records] == [
        ("INSERT", None, old),
        ("MODIFY", old, new),
        ("REMOVE", new, None),
    ]
    assert all(record["dynamodb"]["Keys"] == KEY for record in records)
    assert all(record["dynamodb"]["ApproximateCreationDateTime"] == 1_700_000_000 for record in records)
    assert all(record["eventSourceARN"].split("/")[1:3] == ["matches", "stream"] for record in records)
    numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
    assert numbers == sorted(set(numbers))
    assert {len(number) for number in numbers} == {21}
    assert len({record["eventID"] for record in records}) == 3


def test_records_are_taken_once_in_the_order_of_the_writes(dynamo: LocalDynamo) -> None:
    for version in range(5):
        put_version(dynamo, version)
    assert dynamo.pending_records("matches") == 5
    taken = [dynamo.take_records("matches", limit) for limit in (2, 9, 9)]
    versions = [[record["dynamodb"]["NewImage"]["v"]["N"] for record in records] for records in taken]
    assert versions == [["1", "2"], ["3", "4", "5"], []]


def test_a_write_that_changes_nothing_leaves_no_record(dynamo: LocalDynamo) -> None:
    item = {**KEY, "n": {"N": "1"}, "set": {"SS": ["a", "b"]}}
    dynamo.put_item(TableName="matches", Item=item)
    dynamo.take_records("matches", 10)
    dynamo.put_item(TableName="matches", Item={**item, "n": {"N": "1.0"}, "set": {"SS": ["b", "a"]}})
    same = {"UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "1.0"}}}
    dynamo.update_item(TableName="matches", Key=KEY, **same)
    dynamo.delete_item(TableName="matches", Key={**KEY, "sk": {"S": "missing"}})
    check = {"TableName": "matches", "Key": KEY, "ConditionExpression": "attribute_exists(pk)"}
    dynamo.transact_write_items(TransactItems=[{"ConditionCheck": check}])
    assert dynamo.take_records("matches", 10) == []
    dynamo.put_item(TableName="matches", Item={**item, "n": {"S": "1"}})
    assert dynamo.pending_records("matches") == 1


def test_refused_writes_leave_no_record(dynamo: LocalDynamo) -> None:
    put_version(dynamo, 0)
    dynamo.take_records("matches", 10)
    assert code_of(lambda: put_version(dynamo, 0)) == "ConditionalCheckFailedException"
    other = {**KEY, "sk": {"S": "other"}}
    once = {"TableName": "matches", "Item": KEY, "ConditionExpression": "attribute_not_exists(pk)"}
    puts = [{"Put": {"TableName": "matches", "Item": other}}, {"Put": once}]
    assert code_of(lambda: dynamo.transact_write_items(TransactItems=puts)) == "TransactionCanceledException"
    assert dynamo.take_records("matches", 10) == []


def test_an_update_that_makes_an_item_and_a_batch_leave_one_record_an_item(dynamo: LocalDynamo) -> None:
    announced: list[str] = []
    dynamo.on_records = announced.append
    update = {"UpdateExpression": "SET v = :v", "ExpressionAttributeValues": {":v": {"N": "1"}}}
    dynamo.update_item(TableName="matches", Key=KEY, **update)
    puts = [{"PutRequest": {"Item": {**KEY, "sk": {"S": str(number)}}}} for number in range(3)]
    dynamo.batch_write_item(RequestItems={"matches": puts, "plain": [{"PutRequest": {"Item": ONE}}]})
    assert [record["eventName"] for record in dynamo.take_records("matches", 10)] == ["INSERT"] * 4
    assert announced == ["matches", "matches"]


def test_the_view_of_the_stream_is_kept_and_a_table_without_a_stream_has_no_records(dynamo: LocalDynamo) -> None:
    dynamo.create_tables([{**PLAIN, "TableName": "keys", "StreamSpecification": {"StreamViewType": "KEYS_ONLY"}}])
    dynamo.put_item(TableName="keys", Item={**ONE, "v": {"N": "1"}})
    (record,) = dynamo.take_records("keys", 1)
    assert record["dynamodb"].keys().isdisjoint({"NewImage", "OldImage"})
    assert record["dynamodb"]["Keys"] == ONE
    dynamo.delete_table(TableName="keys")
    for table in ("plain", "keys"):
        with pytest.raises(KeyError):
            dynamo.take_records(table, 1)


def test_untaken_records_and_replaced_items_do_not_pile_up() -> None:
    dynamo = LocalDynamo(retained=3)
    dynamo.create_tables([MATCHES])
    key = {"pk": {"S": "MAT#replaced"}, "sk": {"S": "M"}}
    for version in range(50):
        dynamo.put_item(TableName="matches", Item={**key, "v": {"N": str(version)}})
        assert "Item" not in dynamo.get_item(TableName="matches", Key={**key, "sk": {"S": str(version)}})
    gc.collect()
    everything = gc.get_objects()
    assert not any(type(thing) is StreamRecord for thing in everything)
    items = [thing for thing in everything if type(thing) is Item and "pk" in thing.attrs]
    # The stored one, which is also the last record's new one, and the old ones of three records.
    assert sum(item.attrs["pk"].value == "MAT#replaced" for item in items) == 4
    newest = dynamo.take_records("matches", 10)
    assert [record["dynamodb"]["NewImage"]["v"]["N"] for record in newest] == ["47", "48", "49"]
