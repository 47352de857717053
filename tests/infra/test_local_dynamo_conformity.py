"""The embedded DynamoDB answers as moto does behind botocore: the same random calls go both ways."""

import random
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws
from moto.dynamodb.comparisons import ConditionExpressionParser
from moto.dynamodb.models.dynamo_type import DynamoType, Item

from infra.local import dynamo_moto
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
}
PLAIN: dict[str, Any] = {
    "TableName": "plain",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
}


class Roads:
    """The same call to moto by way of botocore, and to a LocalDynamo."""

    def __init__(self) -> None:
        self.usual = boto3.client("dynamodb", region_name="us-east-1")
        self.local = LocalDynamo()
        self.local.create_tables([MATCHES, PLAIN])
        for table in (MATCHES, PLAIN):
            self.usual.create_table(**table)

    def compare(self, method: str, request: dict[str, Any]) -> Any:
        answers = [self._answer(client, method, request) for client in (self.usual, self.local)]
        assert answers[1] == answers[0], (method, request)
        return answers[0]

    def compare_tables(self) -> None:
        for table in ("matches", "plain"):
            stored = [client.scan(TableName=table)["Items"] for client in (self.usual, self.local)]
            assert sorted(stored[0], key=repr) == sorted(stored[1], key=repr)

    @staticmethod
    def _answer(client: Any, method: str, request: dict[str, Any]) -> Any:
        try:
            answer = getattr(client, method)(**request)
        except ClientError as error:
            answer = {"class": type(error).__name__, "text": str(error), **error.response}
        return {name: part for name, part in answer.items() if name != "ResponseMetadata"}


@pytest.fixture
def roads() -> Iterator[Roads]:
    with mock_aws():
        yield Roads()


def some_key(rng: random.Random) -> dict[str, Any]:
    return {"pk": {"S": f"P{rng.randrange(3)}"}, "sk": {"S": f"S{rng.randrange(4)}"}}


def some_item(rng: random.Random) -> dict[str, Any]:
    values = {
        "n": {"N": str(rng.randrange(3))},
        "s": {"S": rng.choice("xyzé")},
        "b": {"B": rng.randbytes(3)},
        "tags": {"SS": rng.sample(["a", "b", "c"], 2)},
        "list": {"L": [{"N": "1"}, {"B": b"\0"}, {"M": {"t": {"BOOL": True}}}]},
        "map": {"M": {"x": {"S": rng.choice("pq")}, "none": {"NULL": True}}},
        "dp": {"S": rng.choice("01")},
        "da": {"S": rng.choice("123")},
    }
    return {**some_key(rng), **{name: values[name] for name in rng.sample(sorted(values), rng.randrange(9))}}


CONDITIONS = [
    "attribute_exists(pk)",
    "attribute_not_exists(#n)",
    "#n = :n",
    "#n < :n OR attribute_not_exists(#n)",
    "begins_with(s, :s) AND NOT (n = :n)",
    "n IN (:n, :m) OR contains(tags, :s)",
    "n BETWEEN :n AND :m",
    "attribute_exists(pk) AND size(sk) > :n",
]


def some_condition(rng: random.Random) -> dict[str, Any]:
    if rng.random() < 0.4:
        return {}
    text = rng.choice(CONDITIONS)
    values = {":n": {"N": str(rng.randrange(3))}, ":m": {"N": "2"}, ":s": {"S": rng.choice("abxy")}}
    used = {name: value for name, value in values.items() if name in text}
    return {
        "ConditionExpression": text,
        **({"ExpressionAttributeNames": {"#n": "n"}} if "#n" in text else {}),
        **({"ExpressionAttributeValues": used} if used else {}),
        **({"ReturnValuesOnConditionCheckFailure": "ALL_OLD"} if rng.random() < 0.5 else {}),
    }


def some_update(rng: random.Random) -> dict[str, Any]:
    condition = some_condition(rng)
    updates: list[tuple[str, dict[str, Any]]] = [
        ("SET s = :u, da = :u", {":u": {"S": "new"}}),
        ("ADD n :u", {":u": {"N": "1"}}),
        ("REMOVE dp, tags", {}),
        ("SET map = :u REMOVE s", {":u": {"M": {"x": {"L": [{"S": "p"}]}}}}),
    ]
    text, values = rng.choice(updates)
    values = {**condition.pop("ExpressionAttributeValues", {}), **values}
    return {
        **condition,
        "UpdateExpression": text,
        **({"ExpressionAttributeValues": values} if values else {}),
    }


def some_transaction(rng: random.Random) -> dict[str, Any]:
    def action() -> dict[str, Any]:
        kind = rng.choice(["Put", "Update", "Delete", "ConditionCheck"])
        what = {"Item": some_item(rng)} if kind == "Put" else {"Key": some_key(rng)}
        how = some_update(rng) if kind == "Update" else some_condition(rng)
        if kind == "ConditionCheck" and not how:
            how = {"ConditionExpression": "attribute_exists(pk)"}
        return {kind: {"TableName": "matches", **what, **how}}

    return {"TransactItems": [action() for _ in range(rng.randint(1, 3))]}


def some_query(rng: random.Random) -> dict[str, Any]:
    order: dict[str, Any] = {"Limit": rng.randint(1, 4), "ScanIndexForward": rng.random() < 0.5}
    if rng.random() < 0.5:
        values = {":p": {"S": f"P{rng.randrange(3)}"}, ":s": {"S": "S1"}}
        return {**order, "KeyConditionExpression": "pk = :p AND sk >= :s", "ExpressionAttributeValues": values}
    values = {":p": {"S": rng.choice("01")}, ":a": {"S": "2"}, ":b": {"S": "3"}}
    between = "dp = :p AND da BETWEEN :a AND :b"
    return {**order, "IndexName": "due", "KeyConditionExpression": between, "ExpressionAttributeValues": values}


def some_call(rng: random.Random) -> tuple[str, dict[str, Any]]:
    table = {"TableName": "matches"}
    method = rng.choice(
        ["put_item"] * 4
        + ["update_item", "delete_item"] * 2
        + ["get_item", "query", "batch_get_item", "batch_write_item", "transact_write_items", "transact_get_items"]
    )
    if method == "put_item":
        old = rng.choice(["NONE", "ALL_OLD"])
        return method, {**table, "Item": some_item(rng), "ReturnValues": old, **some_condition(rng)}
    if method == "update_item":
        shown = rng.choice(["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_NEW"])
        return method, {**table, "Key": some_key(rng), "ReturnValues": shown, **some_update(rng)}
    if method == "delete_item":
        return method, {**table, "Key": some_key(rng), "ReturnValues": "ALL_OLD", **some_condition(rng)}
    if method == "get_item":
        projection = rng.choice([{}, {"ProjectionExpression": "pk, n, b, missing"}, {"ProjectionExpression": "map.x"}])
        return method, {**table, "Key": some_key(rng), "ReturnConsumedCapacity": "TOTAL", **projection}
    if method == "query":
        return method, {**table, **some_query(rng)}
    keys = [{"pk": {"S": f"P{p}"}, "sk": {"S": f"S{s}"}} for p, s in rng.sample([(0, 0), (1, 1), (2, 2), (2, 3)], 3)]
    if method == "batch_get_item":
        return method, {"RequestItems": {"matches": {"Keys": keys}}}
    if method == "transact_get_items":
        return method, {"TransactItems": [{"Get": {**table, "Key": key}} for key in keys]}
    if method == "transact_write_items":
        return method, some_transaction(rng)
    put = {"PutRequest": {"Item": {**some_item(rng), **keys[0]}}}
    other = {"PutRequest": {"Item": {"id": {"N": str(rng.randrange(9))}}}}
    return method, {"RequestItems": {"matches": [put, {"DeleteRequest": {"Key": keys[1]}}], "plain": [other]}}


@pytest.mark.parametrize("seed", range(3))
def test_random_calls_are_answered_as_moto_answers_botocore(roads: Roads, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(150):
        roads.compare(*some_call(rng))
    roads.compare_tables()


@pytest.mark.parametrize("seed", range(3))
def test_random_transactions_do_what_motos_own_do(roads: Roads, seed: int) -> None:
    rng = random.Random(seed)
    outcomes = set()
    for _ in range(60):
        answer = roads.compare("transact_write_items", some_transaction(rng))
        outcomes.add(answer.get("class", "applied"))
        roads.compare_tables()
    assert outcomes == {"applied", "TransactionCanceledException", "ClientError"}


@pytest.mark.parametrize("seed", range(3))
def test_random_transactions_without_updates_do_what_motos_own_do(roads: Roads, seed: int) -> None:
    rng = random.Random(seed)
    outcomes = set()
    for _ in range(80):
        request = some_transaction(rng)
        for action in request["TransactItems"]:
            for part in action.values():
                part.pop("ReturnValuesOnConditionCheckFailure", None)
        if not any("Update" in action for action in request["TransactItems"]):
            outcomes.add(roads.compare("transact_write_items", request).get("class", "applied"))
            roads.compare_tables()
    assert outcomes >= {"applied", "TransactionCanceledException"}


RANGES = {
    "": (),
    " AND #1 = :1": (":1",),
    " AND #1 < :1": (":1",),
    " AND #1 <= :1": (":1",),
    " AND #1 > :1": (":1",),
    " AND #1 >= :1": (":1",),
    " AND #1 BETWEEN :1 AND :2": (":1", ":2"),
    " AND begins_with (#1, :1)": (":1",),
}
"""As pynamodb writes them."""


@pytest.mark.parametrize("seed", range(4))
def test_each_page_of_each_query_is_that_of_moto(roads: Roads, seed: int) -> None:
    rng = random.Random(seed)
    texts = [f"{letter}{digit}" for letter in "ABö" for digit in (1, 2, 10)]
    for _ in range(14):
        key = {"pk": {"S": rng.choice("PQ")}, "sk": {"S": rng.choice(texts)}}
        index = {"dp": {"S": "0"}, "da": {"S": rng.choice(texts)}} if rng.random() < 0.5 else {}
        roads.compare("put_item", {"TableName": "matches", "Item": {**key, **index, "n": {"N": "1"}}})
    for text, values in RANGES.items():
        for forward in (True, False):
            low, high = sorted(rng.sample([*texts, "A", "B"], 2))
            names = {"#0": "pk", **({"#1": "sk"} if values else {})}
            request: dict[str, Any] = {
                "TableName": "matches",
                "KeyConditionExpression": f"(#0 = :0{text})" if values else "#0 = :0",
                "ExpressionAttributeNames": names,
                "ExpressionAttributeValues": {
                    ":0": {"S": rng.choice("PQR")},
                    **dict(zip(values, ({"S": low}, {"S": high}), strict=False)),
                },
                "ScanIndexForward": forward,
                "ConsistentRead": rng.random() < 0.5,
                "ReturnConsumedCapacity": "TOTAL",
                **({"Limit": limit} if (limit := rng.randrange(5)) else {}),
            }
            page = roads.compare("query", request)
            while "LastEvaluatedKey" in page:
                page = roads.compare("query", {**request, "ExclusiveStartKey": page["LastEvaluatedKey"]})
            request |= {
                "IndexName": "due",
                "ExpressionAttributeNames": {"#0": "dp", **({"#1": "da"} if values else {})},
            }
            roads.compare("query", {**request, "ConsistentRead": False})
            request["ExpressionAttributeValues"] |= {":0": {"S": "0"}}
            roads.compare("query", request)


@pytest.mark.parametrize(
    "change",
    [
        {"KeyConditionExpression": "#0 = :0 AND"},
        {"KeyConditionExpression": "#1 = :0"},
        {"KeyConditionExpression": "#0 = :0 AND #1 < :0"},
        {"KeyConditionExpression": "#0 = :0 AND begins_with (#1, :3)"},
        {"KeyConditionExpression": "#0 < :0"},
        {"ExpressionAttributeNames": {"#0": "pk", "#1": "sk"}},
        {"ExpressionAttributeNames": {"#0": "sk"}},
        {"ExpressionAttributeNames": {"#0": "n"}},
        {"ExpressionAttributeNames": {}},
        {"IndexName": "nowhere"},
        {"TableName": "nowhere"},
        {"ReturnConsumedCapacity": "ALL"},
        {"Select": "COUNT"},
        {"ProjectionExpression": "n"},
        {"FilterExpression": "n > :1", "ExpressionAttributeValues": {":0": {"S": "P"}, ":1": {"N": "1"}}},
        {"ExclusiveStartKey": {"pk": {"S": "P"}, "sk": {"S": "S2"}}},
        {"ExpressionAttributeValues": {":0": {"N": "1"}}},
    ],
)
def test_a_query_that_is_out_of_the_ordinary_is_answered_by_moto(roads: Roads, change: dict[str, Any]) -> None:
    for number in range(4):
        item = {"pk": {"S": "P"}, "sk": {"S": f"S{number}"}, "n": {"N": str(number)}}
        roads.compare("put_item", {"TableName": "matches", "Item": item})
    request = {
        "TableName": "matches",
        "KeyConditionExpression": "#0 = :0",
        "ExpressionAttributeNames": {"#0": "pk"},
        "ExpressionAttributeValues": {":0": {"S": "P"}},
    }
    roads.compare("query", request | change)


def test_pages_of_an_index_follow_each_other_as_in_moto(roads: Roads) -> None:
    for number in range(7):
        item = {"pk": {"S": f"P{number}"}, "sk": {"S": "M"}, "dp": {"S": "0"}, "da": {"S": str(number // 2)}}
        roads.compare("put_item", {"TableName": "matches", "Item": item})
    request = {"TableName": "matches", "IndexName": "due", "KeyConditionExpression": "dp = :p", "Limit": 3}
    request["ExpressionAttributeValues"] = {":p": {"S": "0"}}
    page = roads.compare("query", request)
    found = page["Items"]
    while "LastEvaluatedKey" in page:
        page = roads.compare("query", {**request, "ExclusiveStartKey": page["LastEvaluatedKey"]})
        found += page["Items"]
    assert [item["pk"]["S"] for item in found] == [f"P{number}" for number in range(7)]


@pytest.mark.parametrize("seed", range(5))
def test_a_cached_condition_decides_as_one_parsed_by_moto(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        condition = some_condition(rng)
        names = condition.get("ExpressionAttributeNames")
        given = (condition.get("ConditionExpression"), names, condition.get("ExpressionAttributeValues"))
        ours, motos = dynamo_moto.CachingParser(*given), ConditionExpressionParser(*given)
        attributes = some_item(rng)
        item = rng.choice([None, Item(None, None, attributes)])  # type: ignore[arg-type]
        assert ours.parse().expr(item) == motos.parse().expr(item)
        assert ours.expr_attr_names_found == motos.expr_attr_names_found
        assert ours.expr_attr_values_found == motos.expr_attr_values_found


@pytest.mark.parametrize("seed", range(5))
def test_a_projection_to_whole_attributes_is_that_of_moto(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        attributes = some_item(rng)
        item = Item(DynamoType(attributes["pk"]), DynamoType(attributes["sk"]), attributes)
        paths = [[name] for name in rng.sample(["pk", "sk", "n", "b", "tags", "map", "list", "missing"], 4)]
        assert dynamo_moto.project(item, paths) == dynamo_moto.moto_project(item, paths)
