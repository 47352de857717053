"""The embedded DynamoDB: alike to moto over botocore where that is right, and right where it is not."""

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from moto.dynamodb.models.dynamo_type import Item
from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.connection import Connection
from pynamodb.exceptions import PutError, TableDoesNotExist, TransactWriteError
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from infra.local import dynamo_table
from infra.local.dynamo import LocalDynamo
from infra.local.dynamo_errors import client_error, exceptions
from infra.local.dynamo_install import install, installed, uninstall

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
    "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
    "TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": True},
}
PLAIN: dict[str, Any] = {
    "TableName": "plain",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
}
ONE = {"id": {"N": "1"}}
KEY = {"pk": {"S": "MAT#1"}, "sk": {"S": "M"}}


class Match(Model):
    class Meta:
        table_name = "matches"
        region = "us-east-1"

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    v = NumberAttribute(default=0)


@pytest.fixture
def dynamo() -> LocalDynamo:
    store = LocalDynamo(clock=lambda: 1_700_000_000.9)
    store.create_tables([MATCHES, PLAIN])
    return store


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def code_of(call: Callable[[], Any]) -> str:
    with pytest.raises(ClientError) as caught:
        call()
    return str(caught.value.response["Error"]["Code"])


def winners(threads: int, attempt: Callable[[int], Any]) -> int:
    """How many of the attempts, all begun at once, were not refused on their condition."""
    start = threading.Barrier(threads)
    errors = exceptions()
    refusals = (errors.ConditionalCheckFailedException, errors.TransactionCanceledException)

    def run(number: int) -> int:
        start.wait(10)
        try:
            attempt(number)
        except refusals:
            return 0
        return 1

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(run, range(threads)))


def put_version(dynamo: LocalDynamo, old: int, who: int) -> Any:
    return dynamo.put_item(
        TableName="matches",
        Item={**KEY, "v": {"N": str(old + 1)}, "who": {"N": str(who)}},
        ConditionExpression="attribute_not_exists(pk) OR #v = :v",
        ExpressionAttributeNames={"#v": "v"},
        ExpressionAttributeValues={":v": {"N": str(old)}},
    )


# Races


@pytest.mark.usefixtures("hasty_threads")
def test_of_sixteen_conditional_puts_one_wins(dynamo: LocalDynamo) -> None:
    for version in range(25):
        assert winners(16, partial(put_version, dynamo, version)) == 1


@pytest.mark.usefixtures("hasty_threads")
def test_of_sixteen_conditional_updates_one_wins(dynamo: LocalDynamo) -> None:
    def raise_version(old: int, who: int) -> Any:
        return dynamo.update_item(
            TableName="matches",
            Key=KEY,
            UpdateExpression="SET v = v + :one, who = :who",
            ConditionExpression="v = :old",
            ExpressionAttributeValues={":old": {"N": str(old)}, ":one": {"N": "1"}, ":who": {"N": str(who)}},
        )

    put_version(dynamo, 0, 0)
    for version in range(1, 15):
        assert winners(16, partial(raise_version, version)) == 1


@pytest.mark.usefixtures("hasty_threads")
def test_of_sixteen_transactions_for_the_same_item_one_wins(dynamo: LocalDynamo) -> None:
    def claim(seat: int, who: int) -> Any:
        item = {"pk": {"S": "MAT#1"}, "sk": {"S": f"SEAT#{seat}"}}
        own = {"pk": {"S": f"PLAYER#{who}"}, "sk": {"S": f"SEAT#{seat}"}}
        once = "attribute_not_exists(pk)"
        puts = [{"Put": {"TableName": "matches", "Item": it, "ConditionExpression": once}} for it in (own, item)]
        return dynamo.transact_write_items(TransactItems=puts)

    for seat in range(12):
        assert winners(16, partial(claim, seat)) == 1
    assert dynamo.scan(TableName="matches", Select="COUNT")["Count"] == 24


def test_without_the_lock_two_conditional_puts_win(dynamo: LocalDynamo, monkeypatch: pytest.MonkeyPatch) -> None:
    # The condition is checked, the new item is made, and stored. Both threads meet after the check.
    meeting = threading.Barrier(2)

    def item_after_meeting(*args: Any) -> Item:
        meeting.wait(10)
        return Item(*args)

    monkeypatch.setattr(dynamo_table, "Item", item_after_meeting)
    monkeypatch.setattr(dynamo, "_lock", contextlib.nullcontext())
    assert winners(2, partial(put_version, dynamo, 0)) == 2


# Tokens of transactions


def deposit(dynamo: LocalDynamo, token: str, amount: int = 1) -> Any:
    add = {"TableName": "plain", "Key": {"id": {"N": "1"}}, "UpdateExpression": "ADD n :a"}
    update = {**add, "ExpressionAttributeValues": {":a": {"N": str(amount)}}}
    return dynamo.transact_write_items(TransactItems=[{"Update": update}], ClientRequestToken=token)


def balance(dynamo: LocalDynamo) -> str:
    return str(dynamo.get_item(TableName="plain", Key={"id": {"N": "1"}})["Item"]["n"]["N"])


def test_a_transaction_repeated_under_its_token_succeeds_and_applies_once(dynamo: LocalDynamo) -> None:
    assert deposit(dynamo, "t1") == deposit(dynamo, "t1")
    assert balance(dynamo) == "1"


def test_a_token_used_for_another_transaction_is_refused(dynamo: LocalDynamo) -> None:
    deposit(dynamo, "t1")
    assert code_of(lambda: deposit(dynamo, "t1", amount=2)) == "IdempotentParameterMismatchException"
    assert balance(dynamo) == "1"


def test_a_token_is_forgotten_after_ten_minutes() -> None:
    now = [0.0]
    dynamo = LocalDynamo(clock=lambda: now[0])
    dynamo.create_tables([PLAIN])
    for now[0] in (0.0, 599.0, 600.0):
        deposit(dynamo, "t1")
    assert balance(dynamo) == "2"


def test_a_cancelled_transaction_leaves_its_token_free(dynamo: LocalDynamo) -> None:
    check = {"TableName": "plain", "Key": {"id": {"N": "1"}}, "ConditionExpression": "attribute_exists(id)"}
    put = {"Put": {"TableName": "matches", "Item": KEY}}
    request = {"TransactItems": [{"ConditionCheck": check}, put], "ClientRequestToken": "t1"}
    assert code_of(lambda: dynamo.transact_write_items(**request)) == "TransactionCanceledException"
    dynamo.put_item(TableName="plain", Item={"id": {"N": "1"}})
    dynamo.transact_write_items(**request)
    assert "Item" in dynamo.get_item(TableName="matches", Key=KEY)


def test_a_transaction_whose_reply_is_lost_applies_once_when_sent_again(dynamo: LocalDynamo) -> None:
    def send_twice(operation: str, body: dict[str, Any], call: Callable[[], Any]) -> Any:
        call()
        return call()

    dynamo.around = send_twice
    dynamo.transact_write_items(TransactItems=[{"Put": {"TableName": "matches", "Item": KEY}}])
    assert dynamo.pending_records("matches") == 1


# Below pynamodb, and the hooks


def test_pynamodb_models_and_connections_call_the_installed_store(dynamo: LocalDynamo) -> None:
    with installed(dynamo):
        Match("MAT#2", "M", v=1).save(Match.pk.does_not_exist())
        assert Match.get("MAT#2", "M", consistent_read=True).v == 1
        with pytest.raises(PutError) as refused:
            Match("MAT#2", "M").save(Match.pk.does_not_exist())
        assert refused.value.cause_response_code == "ConditionalCheckFailedException"
        transaction = TransactWrite(connection=Connection("us-east-1"))
        transaction.save(Match("MAT#3", "M"))
        transaction.save(Match("MAT#2", "M"), condition=Match.v == 7, return_values="ALL_OLD")
        with pytest.raises(TransactWriteError) as cancelled:
            transaction._commit()
        (first, second) = cancelled.value.cancellation_reasons
        assert first is None
        assert second is not None
        assert (second.code, second.raw_item and second.raw_item["v"]) == ("ConditionalCheckFailed", {"N": "1"})
        with Match.batch_write() as batch:
            batch.save(Match("MAT#4", "M"))
        assert [match.pk for match in Match.batch_get([("MAT#4", "M"), ("MAT#3", "M")])] == ["MAT#4"]
        assert [match.sk for match in Match.query("MAT#2", Match.sk.startswith("M"))] == ["M"]
        assert Match.exists()


def test_a_fresh_store_is_empty_and_the_one_before_comes_back(dynamo: LocalDynamo) -> None:
    original = vars(Connection)["client"]
    with installed(dynamo), installed(LocalDynamo()):
        with pytest.raises(TableDoesNotExist):
            Connection("us-east-1").describe_table("matches")
        install(dynamo)
        assert Match.count() == 0
    assert vars(Connection)["client"] is original
    install(dynamo)
    uninstall()
    assert vars(Connection)["client"] is original


def test_calls_are_recorded_by_operation_and_table(dynamo: LocalDynamo) -> None:
    with installed(dynamo), dynamo.recorded_calls() as calls:
        Match("MAT#2", "M").save()
        dynamo.batch_get_item(RequestItems={"matches": {"Keys": [KEY]}, "plain": {"Keys": [ONE]}})
        puts = [{"Put": {"TableName": "matches", "Item": {**KEY, "sk": {"S": s}}}} for s in "ab"]
        dynamo.transact_write_items(TransactItems=puts)
    dynamo.list_tables()
    assert calls == [("PutItem", "matches"), ("BatchGetItem", "matches,plain"), ("TransactWriteItems", "matches")]


def test_a_fault_may_come_before_the_write_or_after_it(dynamo: LocalDynamo) -> None:
    def throttle(operation: str, body: dict[str, Any], call: Callable[[], Any]) -> Any:
        raise client_error(operation, "ProvisionedThroughputExceededException", "slow down")

    def lose_reply(operation: str, body: dict[str, Any], call: Callable[[], Any]) -> Any:
        call()
        raise ReadTimeoutError(endpoint_url="local")

    dynamo.around = throttle
    assert code_of(lambda: put_version(dynamo, 0, 0)) == "ProvisionedThroughputExceededException"
    dynamo.around = None
    assert dynamo.pending_records("matches") == 0
    dynamo.around = lose_reply
    with installed(dynamo), pytest.raises(PutError):
        Match("MAT#1", "M", v=5).save()
    dynamo.around = None
    assert dynamo.get_item(TableName="matches", Key=KEY)["Item"]["v"] == {"N": "5"}


def test_errors_are_of_the_classes_that_a_client_has(dynamo: LocalDynamo) -> None:
    with pytest.raises(dynamo.exceptions.ResourceNotFoundException):
        dynamo.get_item(TableName="nowhere", Key=KEY)
    with pytest.raises(AttributeError):
        dynamo.restore_table_from_backup()
    with pytest.raises(NotImplementedError):
        dynamo._make_api_call("UpdateTable", {"TableName": "matches"})


def test_what_a_caller_changes_afterwards_is_not_stored(dynamo: LocalDynamo) -> None:
    def given() -> dict[str, Any]:
        return {"tags": {"SS": ["a"]}, "list": {"L": [{"NS": ["1"]}]}, "map": {"M": {"inner": {"L": [{"S": "a"}]}}}}

    def spoil(item: dict[str, Any]) -> None:
        item["tags"]["SS"].append("b")
        item["list"]["L"][0]["NS"].append("2")
        item["list"]["L"].append({"S": "b"})
        item["map"]["M"]["inner"]["L"].append({"S": "b"})
        item["map"]["M"]["more"] = {"S": "b"}

    put, updated, written = given(), given(), given()
    dynamo.put_item(TableName="matches", Item={**KEY, **put})
    spoil(put)
    spoil(dynamo.get_item(TableName="matches", Key=KEY)["Item"])
    assert dynamo.get_item(TableName="matches", Key=KEY)["Item"] == {**KEY, **given()}
    names = {f"#{name}": name for name in updated}
    values = {f":{name}": value for name, value in updated.items()}
    assignments = ", ".join(f"#{name} = :{name}" for name in updated)
    dynamo.update_item(
        TableName="matches",
        Key=KEY,
        UpdateExpression=f"SET {assignments}",
        ExpressionAttributeNames=names,
        ExpressionAttributeValues=values,
    )
    spoil(updated)
    assert dynamo.get_item(TableName="matches", Key=KEY)["Item"] == {**KEY, **given()}
    dynamo.transact_write_items(TransactItems=[{"Put": {"TableName": "matches", "Item": {**KEY, **written}}}])
    spoil(written)
    assert dynamo.get_item(TableName="matches", Key=KEY)["Item"] == {**KEY, **given()}


def test_tables_keep_what_the_template_says_of_streams_and_expiry(dynamo: LocalDynamo) -> None:
    table = dynamo.describe_table(TableName="matches")["Table"]
    assert table["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES", "StreamEnabled": True}
    expiry = dynamo.describe_time_to_live(TableName="matches")["TimeToLiveDescription"]
    assert expiry == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
