"""The embedded DynamoDB refuses what DynamoDB refuses, and then changes nothing."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra.local.dynamo import LocalDynamo
from infra.local.dynamo_limits import MAX_ITEM_BYTES, item_size

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


def sized(size: int) -> dict[str, Any]:
    item = {**KEY, "fill": {"S": ""}}
    return {**item, "fill": {"S": "x" * (size - item_size(item))}}


def test_an_item_of_400_kb_is_stored_and_one_byte_more_is_refused(dynamo: LocalDynamo) -> None:
    dynamo.put_item(TableName="matches", Item=sized(MAX_ITEM_BYTES))
    larger = sized(MAX_ITEM_BYTES + 1)
    put = {"PutRequest": {"Item": larger}}
    assert code_of(lambda: dynamo.put_item(TableName="matches", Item=larger)) == "ValidationException"
    assert code_of(lambda: dynamo.batch_write_item(RequestItems={"matches": [put]})) == "ValidationException"
    transaction = {"TransactItems": [{"Put": {"TableName": "matches", "Item": larger}}]}
    assert code_of(lambda: dynamo.transact_write_items(**transaction)) == "TransactionCanceledException"


def test_an_update_that_outgrows_400_kb_is_refused_and_changes_nothing(dynamo: LocalDynamo) -> None:
    full = sized(MAX_ITEM_BYTES)
    dynamo.put_item(TableName="matches", Item=full)
    dynamo.take_records("matches", 10)
    update = {"TableName": "matches", "Key": KEY, "UpdateExpression": "SET more = :m"}
    update["ExpressionAttributeValues"] = {":m": {"S": "x"}}
    assert code_of(lambda: dynamo.update_item(**update)) == "ValidationException"
    with pytest.raises(ClientError) as caught:
        dynamo.transact_write_items(TransactItems=[{"Put": {"TableName": "plain", "Item": ONE}}, {"Update": update}])
    assert [reason["Code"] for reason in caught.value.response["CancellationReasons"]] == ["None", "ValidationError"]
    assert dynamo.get_item(TableName="matches", Key=KEY)["Item"] == full
    assert "Item" not in dynamo.get_item(TableName="plain", Key=ONE)
    assert dynamo.take_records("matches", 10) == []


def test_sizes_follow_the_developer_guide() -> None:
    assert item_size({"é": {"S": "é"}}) == 4
    assert item_size({"n": {"N": "-12300"}, "z": {"N": "0"}}) == 1 + 4 + 1 + 1
    assert item_size({"b": {"B": b"123"}, "t": {"BOOL": True}, "u": {"NULL": True}}) == 4 + 2 + 2
    assert item_size({"m": {"M": {"k": {"S": "v"}}}, "l": {"L": [{"S": "ab"}]}}) == 1 + (3 + 1 + 2) + 1 + (3 + 1 + 2)
    assert item_size({"s": {"SS": ["a", "bc"]}}) == 4


@pytest.mark.parametrize("item", [{**KEY, "dp": {"N": "1"}}, {**KEY, "sk": {"N": "1"}}, {"pk": {"S": "MAT#1"}}])
def test_an_item_with_wrong_keys_is_refused(dynamo: LocalDynamo, item: dict[str, Any]) -> None:
    assert code_of(lambda: dynamo.put_item(TableName="matches", Item=item)) == "ValidationException"


def test_an_update_may_not_give_an_index_key_another_type(dynamo: LocalDynamo) -> None:
    dynamo.put_item(TableName="matches", Item={**KEY, "dp": {"S": "1"}})
    update = {"UpdateExpression": "SET dp = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}
    assert code_of(lambda: dynamo.update_item(TableName="matches", Key=KEY, **update)) == "ValidationException"
    assert dynamo.get_item(TableName="matches", Key=KEY)["Item"]["dp"] == {"S": "1"}


@pytest.mark.parametrize("key", [{"pk": {"S": "x"}}, {**KEY, "da": {"S": "1"}}, {**KEY, "sk": {"N": "1"}}])
def test_a_key_that_is_not_the_tables_is_refused_by_every_operation(dynamo: LocalDynamo, key: dict[str, Any]) -> None:
    of = {"TableName": "matches", "Key": key}
    assert code_of(lambda: dynamo.get_item(**of)) == "ValidationException"
    assert code_of(lambda: dynamo.delete_item(**of)) == "ValidationException"
    assert code_of(lambda: dynamo.update_item(**of, UpdateExpression="REMOVE v")) == "ValidationException"
    assert code_of(lambda: dynamo.batch_get_item(RequestItems={"matches": {"Keys": [key]}})) == "ValidationException"
    assert code_of(lambda: dynamo.transact_get_items(TransactItems=[{"Get": of}])) == "ValidationException"
    cancelled = "TransactionCanceledException"
    assert code_of(lambda: dynamo.transact_write_items(TransactItems=[{"Delete": of}])) == cancelled


def ids(count: int) -> list[dict[str, Any]]:
    return [{"id": {"N": str(number)}} for number in range(count)]


def test_counts_up_to_the_limits_pass_and_one_more_is_refused(dynamo: LocalDynamo) -> None:
    def batch_write(count: int) -> Any:
        return dynamo.batch_write_item(RequestItems={"plain": [{"PutRequest": {"Item": item}} for item in ids(count)]})

    def batch_get(count: int) -> Any:
        return dynamo.batch_get_item(RequestItems={"plain": {"Keys": ids(count)}})

    def write(count: int) -> Any:
        return dynamo.transact_write_items(
            TransactItems=[{"Put": {"TableName": "plain", "Item": item}} for item in ids(count)]
        )

    def get(count: int) -> Any:
        return dynamo.transact_get_items(TransactItems=[{"Get": {"TableName": "plain", "Key": k}} for k in ids(count)])

    for call, limit in ((batch_write, 25), (batch_get, 100), (write, 100), (get, 100)):
        call(limit)
        assert code_of(partial(call, limit + 1)) == "ValidationException"
    for call in (batch_write, write):
        assert code_of(partial(call, 0)) == "ValidationException"
    put = {"Put": {"TableName": "plain", "Item": ONE}}
    request = {"TransactItems": [put], "ClientRequestToken": "t" * 37}
    assert code_of(lambda: dynamo.transact_write_items(**request)) == "ValidationException"
    assert code_of(lambda: dynamo.scan(TableName="plain", Limit=0)) == "ValidationException"


def test_a_batch_may_not_name_an_item_twice(dynamo: LocalDynamo) -> None:
    requests = [{"PutRequest": {"Item": {**ONE, "v": {"N": "1"}}}}, {"DeleteRequest": {"Key": ONE}}]
    assert code_of(lambda: dynamo.batch_write_item(RequestItems={"plain": requests})) == "ValidationException"


def test_an_update_that_fails_halfway_changes_nothing(dynamo: LocalDynamo) -> None:
    update = {"TableName": "plain", "Key": ONE, "UpdateExpression": "SET a = :a, b = c + :n"}
    update["ExpressionAttributeValues"] = {":a": {"S": "new"}, ":n": {"N": "1"}}
    assert code_of(lambda: dynamo.update_item(**update)) == "ValidationException"
    assert "Item" not in dynamo.get_item(TableName="plain", Key=ONE)


def test_the_bounds_of_a_range_have_to_be_in_order(dynamo: LocalDynamo) -> None:
    def query(low: str, high: str) -> Any:
        values = {":p": {"S": "MAT#1"}, ":a": {"S": low}, ":b": {"S": high}}
        condition = "pk = :p AND sk BETWEEN :a AND :b"
        return dynamo.query(TableName="matches", KeyConditionExpression=condition, ExpressionAttributeValues=values)

    assert query("a", "a")["Items"] == query("a", "b")["Items"] == []
    assert code_of(lambda: query("b", "a")) == "ValidationException"
