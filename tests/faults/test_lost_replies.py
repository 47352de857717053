"""Ambiguous success: a write that landed although its reply was lost, sent again by the client, by botocore, or not."""

from collections.abc import Callable
from typing import Any

import pytest

from functions.shared import wiring
from functions.shared.store import packing
from tests.faults import world as worlds
from tests.faults.breaking import Counting, cancelled, failing, lost, on, plain, resent
from tests.faults.world import Caller, Hook, Reply, World, record_of

KEY = "a-key-that-nobody-guesses"
ACE = {"type": "play", "card": "Ac", "claim": "lower"}
WRITES = ("PutItem", "TransactWriteItems")

Send = Callable[[str | None], Reply]
Request = Callable[[World], tuple[Send, int]]


def act(world: World) -> tuple[Send, int]:
    ann, bob = world.players(2)
    match = world.table([ann, bob])
    return (lambda key: ann.act(match, 1, ACE, key)), 200


def resign(world: World) -> tuple[Send, int]:
    ann, bob = world.players(2)
    match = world.table([ann, bob])
    return (lambda key: ann.act(match, None, {"type": "resign"}, key)), 200


def join(world: World) -> tuple[Send, int]:
    ann, bob = world.players(2)
    match = ann.ok("POST", "/v1/matches", {"game": "misfortune"})["id"]
    return (lambda key: bob.call("POST", f"/v1/matches/{match}/join", None, key)), 200


def leave(world: World) -> tuple[Send, int]:
    ann, bob = world.players(2)
    match = ann.ok("POST", "/v1/matches", {"game": "liars-poker", "seats": 3})["id"]
    bob.ok("POST", f"/v1/matches/{match}/join")
    return (lambda key: bob.call("POST", f"/v1/matches/{match}/leave", None, key)), 200


def leave_a_private_match(world: World) -> tuple[Send, int]:
    ann, bob = world.players(2)
    order = {"game": "liars-poker", "seats": 3, "visibility": "private"}
    match = ann.ok("POST", "/v1/matches", order)
    bob.ok("POST", f"/v1/matches/{match['id']}/join", {"join_code": match["join_code"]})
    return (lambda key: bob.call("POST", f"/v1/matches/{match['id']}/leave", None, key)), 200


def start(world: World) -> tuple[Send, int]:
    ann, bob = world.players(2)
    match = ann.ok("POST", "/v1/matches", {"game": "liars-poker", "seats": 3})["id"]
    bob.ok("POST", f"/v1/matches/{match}/join")
    return (lambda key: ann.call("POST", f"/v1/matches/{match}/start", None, key)), 200


def create(world: World) -> tuple[Send, int]:
    ann = world.player()
    return (lambda key: ann.call("POST", "/v1/matches", {"game": "misfortune"}, key)), 201


def register(world: World) -> tuple[Send, int]:
    return (lambda key: world.call("POST", "/v1/players", {"name": "somebody"}, None, key)), 201


def add_token(world: World) -> tuple[Send, int]:
    ann = world.player()
    return (lambda key: ann.call("POST", "/v1/me/tokens", {"scopes": ["read"], "label": "one"}, key)), 201


REQUESTS: list[Request] = [act, resign, join, leave, leave_a_private_match, start, create, register, add_token]


def busy(reply: Reply) -> None:
    """The answer that asks for the same request once more."""
    assert (reply.status, reply.code, reply.headers["retry-after"]) == (503, "try-again", "1")
    assert reply.headers["Content-Type"] == "application/problem+json"


def kinds(world: World) -> dict[str, int]:
    """How many items of each kind there are, and which version matches have."""
    found: dict[str, int] = {}
    for (pk, sk), item in world.items().items():
        kind = "IDEM" if pk.startswith("IDEM#") else sk.partition("#")[0]
        found[kind] = found.get(kind, 0) + (int(item["v"]["N"]) if kind == "M" else 1)
    return found


@pytest.mark.parametrize("request_", REQUESTS)
def test_the_same_key_finishes_a_request_whose_reply_was_lost_and_does_nothing_twice(
    world: World, request_: Request
) -> None:
    send, status = request_(world)
    with world.around(on(WRITES, lost, table=_table_of(request_))):
        busy(send(KEY))
    landed = world.items()
    again = send(KEY)
    assert (again.status, again.headers.get("idempotency-replayed")) == (status, "true")
    assert world.items() == landed
    third = send(KEY)
    assert less_moment(third.body) == less_moment(again.body)


@pytest.mark.parametrize("key", [KEY, None])
@pytest.mark.parametrize("request_", REQUESTS)
def test_a_write_that_botocore_sends_twice_counts_once_and_is_a_success(request_: Request, key: str | None) -> None:
    outcomes = []
    for hook in (resent, None):
        with worlds.running() as world:
            send, status = request_(world)
            with world.around(on(WRITES, hook or plain, table=_table_of(request_))):
                reply = send(key)
            assert (reply.status, reply.headers.get("idempotency-replayed")) == (status, None)
            outcomes.append(kinds(world))
    assert outcomes[0] == outcomes[1]


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every write puts all events but the last away."""
    for name, value in (("BOUND", 0), ("FEWEST", 1), ("LAST_EVENTS", 1)):
        monkeypatch.setattr(packing, name, value)


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize("request_", [act, join, create])
def test_a_put_away_or_joint_write_whose_reply_was_lost_is_finished_too(world: World, request_: Request) -> None:
    send, status = request_(world)
    with world.around(on(WRITES, lost)):
        busy(send(KEY))
    landed = world.items()
    reply = send(KEY)
    assert (reply.status, reply.headers.get("idempotency-replayed")) == (status, "true")
    assert world.items() == landed


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize(
    "code", ["ProvisionedThroughputExceededException", "ThrottlingException", "InternalServerError"]
)
def test_a_throttled_call_is_a_503_that_changes_nothing_wherever_it_comes(request_: Request, code: str) -> None:
    with worlds.running() as world:
        send, status = request_(world)
        calls = Counting()
        before = world.items()
        with world.around(calls):
            assert send(KEY).status == status
    for place in range(len(calls.calls)):
        with worlds.running() as world:
            send, status = request_(world)
            before = world.items()
            world.advance(30)  # so that the token is looked up again
            with world.around(Counting(place, failing(code))):
                busy(send(KEY))
            assert world.items() == before
            assert send(KEY).status == status


@pytest.mark.parametrize("request_", [join, leave, create])
@pytest.mark.parametrize("reason", ["ThrottlingError", "ProvisionedThroughputExceeded"])
def test_a_transaction_that_is_throttled_is_a_503_that_changes_nothing(
    world: World, request_: Request, reason: str
) -> None:
    send, status = request_(world)
    before = world.items()
    with world.around(on("TransactWriteItems", cancelled(reason))):
        busy(send(KEY))
    assert world.items() == before
    assert send(KEY).status == status


@pytest.mark.parametrize("request_", [act, resign, start])
def test_a_write_that_meets_a_transaction_under_way_is_tried_again(world: World, request_: Request) -> None:
    send, status = request_(world)
    with world.around(on("PutItem", failing("TransactionConflictException"))):
        assert send(KEY).status == status


def test_a_job_whose_end_meets_a_transaction_under_way_is_ended_the_next_time(world: World) -> None:
    (ann,) = world.players(1)
    ann.ok("POST", "/v1/me/vacation", {"days": 3})
    world.advance(60)
    with world.around(on("DeleteItem", failing("TransactionConflictException"))):
        assert world.sweep() == {"busy": 1}
    assert world.sweep() == {"worked": 1}
    assert world.sweep() == {}


def test_a_webhook_whose_end_meets_a_transaction_under_way_says_try_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("functions.shared.delivery.targets.look_up", lambda *_: ["93.184.216.34"])
    (ann,) = world.players(1)
    made = ann.ok("POST", "/v1/webhooks", {"url": "https://hooks.example.com/", "events": ["*"]})
    path = f"/v1/webhooks/{made['id']}"
    with world.around(on("DeleteItem", failing("TransactionConflictException"), table="PlayersTable")):
        busy(ann.call("DELETE", path))
    assert ann.call("DELETE", path).status == 204


@pytest.mark.parametrize("request_", [join, leave])
def test_a_transaction_that_meets_another_one_is_tried_again(world: World, request_: Request) -> None:
    send, status = request_(world)
    with world.around(on("TransactWriteItems", cancelled("TransactionConflict"))):
        assert send(KEY).status == status


@pytest.mark.parametrize("key", [KEY, None])
@pytest.mark.parametrize("request_", [create, register, add_token])
def test_a_creation_that_meets_another_transaction_says_try_again_and_nothing_else(
    world: World, request_: Request, key: str | None
) -> None:
    send, status = request_(world)
    before = world.items()
    with world.around(on("TransactWriteItems", cancelled("TransactionConflict"), table="PlayersTable")):
        busy(send(key))
    assert world.items() == before
    assert send(key).status == status


@pytest.mark.parametrize(
    ("request_", "operation", "hook"),
    [
        (act, "PutItem", failing("ConditionalCheckFailedException")),
        (start, "PutItem", failing("ConditionalCheckFailedException")),
        (join, "TransactWriteItems", cancelled("ConditionalCheckFailed")),
        (leave, "TransactWriteItems", cancelled("ConditionalCheckFailed")),
    ],
)
def test_somebody_else_always_being_faster_ends_in_a_503_after_a_bounded_number_of_attempts(
    world: World, request_: Request, operation: str, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    services = wiring.services()._replace(pause=pauses.append)
    monkeypatch.setattr(wiring, "services", lambda: services)
    send, status = request_(world)
    before = world.items()
    calls = Counting()
    with world.around(calls), world.around(on(operation, hook, times=1000)):
        busy(send(KEY))
    seats = len(record_of(next(iter(_matches(world)))).match.seats)
    assert calls.calls.count(operation) == seats + 2
    assert len(pauses) == seats + 2
    assert sum(pauses) < 0.5
    assert world.items() == before
    assert send(KEY).status == status


def _matches(world: World) -> set[str]:
    return {pk.removeprefix("MAT#") for pk, sk in world.items() if sk == "M"}


@pytest.mark.usefixtures("forgetful")
def test_a_key_is_known_for_as_long_as_the_match_though_its_event_was_put_away(world: World) -> None:
    ann, bob, cyd = world.players(3)
    path = f"/v1/matches/{ann.ok('POST', '/v1/matches', {'game': 'liars-poker', 'seats': 4})['id']}"
    sent: list[Callable[[], Reply]] = []

    def send(caller: Caller, what: str, body: Any = None) -> None:
        def again() -> Reply:
            return caller.call("POST", f"{path}/{what}", body, f"key-{what}")

        assert again().status == 200
        sent.append(again)
        for earlier in sent:
            reply = earlier()
            assert (reply.status, reply.headers.get("idempotency-replayed")) == (200, "true")

    send(bob, "join")
    send(cyd, "join")
    send(cyd, "leave")
    send(ann, "start")
    actor = (ann, bob)[ann.ok("GET", path)["to_act"][0]]
    send(actor, "actions", {"turn": 1, "action": {"type": "bid", "count": 1, "digit": 0}})
    reused = bob.call("POST", f"{path}/join", {"nonce": "00"}, "key-join")
    assert (reused.status, reused.code) == (422, "key-reused")


def _table_of(request: Request) -> str:
    return "PlayersTable" if request in (register, add_token) else "MatchesTable"


def less_moment(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in ("server_time", "poll_after")}
