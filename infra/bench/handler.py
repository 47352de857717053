"""What a warm function takes for a move, beside one that is written by hand: `make bench-handler`.

DynamoDB is answered by a stub at botocore's HTTP layer. Both functions read the match's item strongly, write it on
condition of its version and answer in JSON; the hand-written one does nothing else. From ours the engine's part of the
move is taken off.
"""

import base64
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from http import HTTPStatus
from importlib import import_module
from os import devnull, environ
from pathlib import Path
from typing import Any, NamedTuple

import boto3  # type: ignore[import-untyped]
from botocore.awsrequest import AWSResponse
from botocore.httpsession import URLLib3Session

from engine.match import play
from engine.match.record import rules
from infra.client import Client
from infra.local import dynamo_install
from infra.local.context import REGION, LambdaContext
from infra.local.dynamo import LocalDynamo
from infra.local.events import event, target
from infra.local.routes import Router
from infra.local.service import LocalService
from infra.local.template import Function
from infra.local.wire import Request

MOVES = 1500
WARM_UP = 200
BEGUN = 6
"""Moves that the match has seen before the one that is measured."""

BUDGET = 1.3
"""Times what the one written by hand takes."""

Call = Callable[[], float]
"""Does something once and gives the seconds that it took."""


class Warm(NamedTuple):
    """Medians of a move, microseconds."""

    written_by_hand: float
    ours: float
    """With a record that was kept from the last move."""
    ours_anew: float
    """With a record that another instance has written."""
    engine: float


def warm(moves: int = MOVES) -> Warm:
    """Measures so many moves of each kind, in turn. Ours writes its lines and metrics as a deployed function does, but
    to nowhere: `functions.shared.log` may not have been imported before."""
    environ["LOG_LEVEL"] = "INFO"
    service = LocalService(manual_clock=True)
    with Path(devnull).open("w") as nowhere, redirect_stdout(nowhere):
        service.start()
        try:
            move = _prepare(service)
            with _stubbed(service):
                environ["POWERTOOLS_METRICS_DISABLED"] = "false"
                calls = [_hand_written(move), _ours(service, move), _ours(service, move, anew=True), _engine(move)]
                times = _in_turn(calls, moves)
        finally:
            service.stop()
    return Warm(*(1e6 * statistics.median(taken) for taken in times))


def _in_turn(calls: Sequence[Call], moves: int) -> list[list[float]]:
    """The seconds of each; in turn, so that a slow moment of the machine meets all of them."""
    for _ in range(WARM_UP):
        for call in calls:
            call()
    return [list(taken) for taken in zip(*([call() for call in calls] for _ in range(moves)), strict=True)]


class _Move(NamedTuple):
    """The next move of a match of Liar's Poker, which can be made again and again."""

    match: str
    seat: int
    token: str
    body: dict[str, Any]


def _prepare(service: LocalService) -> _Move:
    clients = [Client(service.url), Client(service.url)]
    tokens = []
    for name, client in zip(("ann", "bob"), clients, strict=True):
        client.token = token = client.ok("POST", "/v1/players", {"name": name})["token"]
        tokens.append(token)
    ann, bob = clients
    match = ann.ok("POST", "/v1/matches", {"game": "liars-poker"})["id"]
    seen = bob.ok("POST", f"/v1/matches/{match}/join")
    for _ in range(BEGUN):
        seen = clients[seen["to_act"][0]].ok("POST", f"/v1/matches/{match}/actions", _next(seen))
    service.settle()
    for client in clients:
        client.close()
    seat = seen["to_act"][0]
    return _Move(match, seat, tokens[seat], _next(seen))


def _forget() -> None:
    from functions.shared.store import packing

    packing._kept.clear()


def _next(seen: Any) -> dict[str, Any]:
    """A bid that is a little higher than the last one."""
    bids = seen["view"]["bids"]
    count, digit = (bids[-1]["count"], bids[-1]["digit"] + 1) if bids else (1, 0)
    return {"turn": seen["turn"], "action": {"type": "bid", "count": count, "digit": digit}}


def _event(service: LocalService, move: _Move) -> tuple[Function, str]:
    """The function that takes the move, and its event as JSON."""
    head = (("host", "bench"), ("content-type", "application/json"), ("authorization", f"Bearer {move.token}"))
    path, body = f"/v1/matches/{move.match}/actions", json.dumps(move.body).encode()
    request = Request("POST", path, "HTTP/1.1", head, body, keep_alive=True)
    where = target(request)
    found = Router(service.stack.routes).match(request.method, where.path)
    if found is None:
        raise ValueError(request.target)
    made = event(request, where, found, "127.0.0.1", 80, 0)
    return service.stack.functions[found.route.function], json.dumps(made)


def _ours(service: LocalService, move: _Move, *, anew: bool = False) -> Call:
    """Calls the function as Lambda does, with an event of its own each time; `anew`: it has kept no record."""
    function, text = _event(service, move)
    module, _, name = function.handler.rpartition(".")
    handler, context = getattr(import_module(module), name), LambdaContext(function)

    def call() -> float:
        given = json.loads(text)
        if anew:
            _forget()
        begin = time.perf_counter()
        answer = handler(given, context)
        taken = time.perf_counter() - begin
        if answer["statusCode"] != HTTPStatus.OK:
            raise RuntimeError(answer["body"])
        return taken

    return call


def _engine(move: _Move) -> Call:
    """The engine's part: applying the action, and the view of what it leads to."""
    from functions.shared import wiring  # it reads the environment that the service has set

    record = wiring.services().matches.get(move.match)
    if record is None:
        raise ValueError(move.match)
    match, request = record.match, play.Request(move.seat, record.match.opened_at, key="a key")

    def call() -> float:
        begin = time.perf_counter()
        after = play.act(match, request, move.body["turn"], move.body["action"])
        rules(after).view(after.state, move.seat)
        return time.perf_counter() - begin

    return call


def _hand_written(move: _Move) -> Call:
    """A handler that reads the item and writes it with the next version, by boto3 alone."""
    client, table = boto3.client("dynamodb", region_name=REGION), environ["MATCHES_TABLE"]
    text = json.dumps({"body": json.dumps(move.body), "pathParameters": {"match": move.match}})

    def handler(event: Any) -> dict[str, Any]:
        asked = json.loads(event["body"])
        key = {"pk": {"S": f"MAT#{event['pathParameters']['match']}"}, "sk": {"S": "M"}}
        item = client.get_item(TableName=table, Key=key, ConsistentRead=True)["Item"]
        version = item["v"]["N"]
        client.put_item(
            TableName=table,
            Item=item | {"v": {"N": str(int(version) + 1)}},
            ConditionExpression="v = :v",
            ExpressionAttributeValues={":v": {"N": version}},
        )
        headers = {"content-type": "application/json"}
        return {"statusCode": 200, "headers": headers, "body": json.dumps(asked | {"version": int(version) + 1})}

    def call() -> float:
        given = json.loads(text)
        begin = time.perf_counter()
        handler(given)
        return time.perf_counter() - begin

    return call


@contextmanager
def _stubbed(service: LocalService) -> Iterator[None]:
    """botocore's clients below everything; what they send is answered from what is stored, and changes nothing."""
    dynamo = service.dynamo
    if dynamo is None:
        raise ValueError("the service has no store of its own")
    answers: dict[bytes, bytes] = {}

    def send(session: URLLib3Session, request: Any) -> AWSResponse:
        body = b"{}"
        if request.headers["X-Amz-Target"].endswith(b".GetItem"):
            asked = bytes(request.body)
            body = answers.get(asked) or answers.setdefault(asked, _stored(dynamo, json.loads(asked)))
        answer = AWSResponse(request.url, 200, {}, None)
        answer._content = body
        return answer

    before, URLLib3Session.send = URLLib3Session.send, send
    dynamo_install.uninstall()
    try:
        yield
    finally:
        dynamo_install.install(dynamo)
        URLLib3Session.send = before


def _stored(dynamo: LocalDynamo, asked: Mapping[str, Any]) -> bytes:
    """DynamoDB's answer on the wire."""
    answer = dynamo.get_item(TableName=asked["TableName"], Key=asked["Key"])
    return json.dumps({"Item": answer["Item"]}, default=lambda data: base64.b64encode(data).decode()).encode()


def main() -> None:
    """Prints the medians and the ratios."""
    found = warm()
    sys.stdout.write(f"a warm move, µs: by hand {found.written_by_hand:.0f}, the engine's part {found.engine:.0f}\n")
    for name, taken in (("kept", found.ours), ("read anew", found.ours_anew)):
        rest = taken - found.engine
        ratio = f"{rest / found.written_by_hand:.2f} (budget {BUDGET})"
        sys.stdout.write(f"  ours, record {name}: {taken:.0f}, less the engine's part {rest:.0f}: {ratio}\n")


if __name__ == "__main__":
    main()
