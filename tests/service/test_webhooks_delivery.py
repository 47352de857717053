"""What webhooks are sent, and when: the event as the inbox shows it, signed, once the target has echoed a challenge."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from functions.shared import clock
from functions.shared.clock import rfc3339
from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, stored
from tests.service.moments import DAY, HOUR, jump, sweep
from tests.service.playing import act, at, create, lay, me, table
from tests.service.receiver import Delivery, Receiver, hook, put, receiving, shown, signature


@pytest.fixture(scope="module")
def service() -> Iterator[LocalService]:
    running = LocalService(manual_clock=True, loopback_webhooks=True)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def target() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def inbox(client: Client) -> list[Any]:
    items: list[Any] = client.ok("GET", "/v1/me/events?limit=100")["items"]
    return items


def test_every_event_is_sent_as_the_inbox_shows_it_and_signed(
    service: LocalService, ann: Client, bob: Client, target: Receiver
) -> None:
    made = hook(ann, target.url + "/in?x=1")
    service.settle()
    match = table(ann, bob)
    at(lay(ann, match, "7", "higher", 1))
    at(lay(bob, match, "9", "higher", 1))
    at(act(bob, match, {"type": "resign"}))
    service.advance(0)
    (challenge,) = target.challenges
    assert {one.path for one in (challenge, *target.got)} == {"/in?x=1"}
    shown_there = {event["id"]: event for event in inbox(ann)}
    assert [one.event for one in target.got] == list(shown_there.values())
    assert len(target.got) >= 4
    for delivery in (challenge, *target.got):
        assert delivery.headers["webhook-signature"] == signature(made["secret"], delivery)
        assert delivery.headers["content-type"] == "application/json"
        assert delivery.headers["webhook-timestamp"] == str(clock.now() // 1000)
        assert delivery.id == delivery.event["id"]


def test_the_secret_that_a_replay_shows_signs_the_same(service: LocalService, ann: Client, target: Receiver) -> None:
    hook(ann, target.url, key="k")
    secret = hook(ann, target.url, key="k")["secret"]
    service.settle()
    put(ann, "invited")
    service.settle()
    (delivery,) = target.got
    assert delivery.headers["webhook-signature"] == signature(secret, delivery)


def test_only_the_events_that_were_asked_for_are_sent(service: LocalService, ann: Client, target: Receiver) -> None:
    kinds = ("invited", "your-turn", "match-finished")
    wanted = {
        ("*",): kinds,
        ("your-turn",): ("your-turn",),
        ("match-finished", "invited"): ("invited", "match-finished"),
        ("tournament-*",): (),
        ("rated",): (),
    }
    for number, asked in enumerate(wanted):
        hook(ann, f"{target.url}/{number}", *asked)
    service.settle()
    put(ann, *kinds)
    service.settle()
    for number, expected in enumerate(wanted.values()):
        assert tuple(one.event["type"] for one in target.got if one.path == f"/{number}") == expected


def test_nobody_is_sent_what_is_not_theirs(service: LocalService, ann: Client, bob: Client, target: Receiver) -> None:
    hook(ann, target.url + "/ann")
    hook(bob, target.url + "/bob")
    service.settle()
    match = table(ann, bob)
    at(lay(ann, match, "7", "higher", 1))
    service.settle()
    before = len(target.got)
    for path in ("/ann", "/bob"):
        assert [one.event["type"] for one in target.got if one.path == path] == ["match-started", "your-turn"]
    at(lay(bob, match, "9", "higher", 1))  # the first choice was news to nobody; the one that closes the phase is
    service.settle()
    assert {(one.path, one.event["type"]) for one in target.got[before:]} == {
        ("/ann", "your-turn"),
        ("/bob", "your-turn"),
    }
    for client, path in ((ann, "/ann"), (bob, "/bob")):
        assert [one.event for one in target.got if one.path == path] == inbox(client)


def test_nothing_is_sent_before_the_target_has_echoed_a_challenge(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    target.echoes = False
    made = hook(ann, target.url)
    ids = put(ann, "invited", "your-turn")
    service.settle()
    assert (len(target.challenges), target.tried) == (1, [])
    refused = shown(ann, made)
    assert (refused["status"], refused["failures"]) == ("pending", 1)
    assert refused["last_failure"] == {
        "at": rfc3339(clock.now()),
        "reason": "the answer does not echo the challenge",
    }
    assert refused["next_try_at"] == rfc3339(clock.now() + 60_000)
    service.advance(59)
    assert len(target.challenges) == 1
    target.echoes = True
    service.advance(60)
    assert len({one.event["challenge"] for one in target.challenges}) == 2
    # What came in the meantime was not lost.
    assert [one.id for one in target.got] == ids
    assert shown(ann, made) == refused | {"status": "active", "failures": 0, "next_try_at": None}


def test_what_came_before_the_webhook_is_not_sent(service: LocalService, ann: Client, target: Receiver) -> None:
    put(ann, "invited")
    service.advance(1)
    hook(ann, target.url)
    service.settle()
    assert target.tried == []
    ids = put(ann, "invited", prefix="later")
    service.settle()
    assert [one.id for one in target.got] == ids


def test_a_webhook_that_works_is_written_nothing(service: LocalService, ann: Client, target: Receiver) -> None:
    made = hook(ann, target.url)
    service.settle()
    before = {key: item for key, item in stored(service).items() if made["id"] in key[2] or made["id"] in key[1]}
    assert [key[2] for key in before] == [f"HOOK#{made['id']}"]
    put(ann, "invited", "your-turn")
    service.settle()
    assert len(target.got) == 2
    assert {
        key: item for key, item in stored(service).items() if made["id"] in key[2] or made["id"] in key[1]
    } == before


def test_a_player_without_webhooks_costs_one_eventual_read_for_all_events_of_a_batch(
    service: LocalService, ann: Client
) -> None:
    service.settle()
    put(ann, *["invited"] * 20)
    dynamo = service.dynamo
    assert dynamo is not None
    around, calls = dynamo.around, list[tuple[str, str, bool]]()

    def note(operation: str, parameters: dict[str, Any], call: Any) -> Any:
        calls.append((operation, parameters["TableName"], bool(parameters.get("ConsistentRead"))))
        assert around is not None
        return around(operation, parameters, call)

    dynamo.around = note
    try:
        service.settle()
    finally:
        dynamo.around = around
    assert len(calls) <= 2, calls  # the background thread may have begun with the first of them
    assert set(calls) <= {("Query", "PlayersTable", False)}


def test_an_ended_webhook_is_sent_nothing_more(service: LocalService, ann: Client, target: Receiver) -> None:
    made = hook(ann, target.url)
    service.settle()
    ann.ok("DELETE", f"/v1/webhooks/{made['id']}")
    put(ann, "invited")
    service.advance(600)
    assert target.tried == []


def test_one_that_is_ended_while_it_fails_is_forgotten(service: LocalService, ann: Client, target: Receiver) -> None:
    target.answers = lambda _: 500
    made = hook(ann, target.url)
    service.settle()
    put(ann, "invited")
    service.settle()
    assert len(target.tried) == 1
    ann.ok("DELETE", f"/v1/webhooks/{made['id']}")
    service.advance(HOUR)
    assert len(target.tried) == 1
    assert not [key for key in stored(service) if made["id"] in str(key)]


def test_records_that_come_again_or_in_another_order_carry_the_same_ids(
    service: LocalService, ann: Client, target: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(ann, target.url)
    service.settle()
    records: list[Any] = []
    handler = service._handlers["NotifyFunction"]

    def note(event: Any, context: Any) -> Any:
        records.extend(event["Records"])
        return handler(event, context)

    monkeypatch.setattr(service, "_handlers", {**service._handlers, "NotifyFunction": note})
    ids = put(ann, "invited", "your-turn", "match-finished")
    service.settle()
    once = {one.id: one.body for one in target.got}
    assert sorted(once) == sorted(ids)
    monkeypatch.setattr(service, "_handlers", {**service._handlers, "NotifyFunction": handler})
    for again in (records, records[::-1], records[1:] * 2):
        assert service._invoke("NotifyFunction", {"Records": again}) == {"batchItemFailures": []}
    assert len(target.got) > 2 * len(ids)
    assert all(once[one.id] == one.body for one in target.got)


def test_records_of_players_whose_store_is_out_of_reach_come_again_and_the_others_do_not(
    service: LocalService, ann: Client, bob: Client, target: Receiver
) -> None:
    from botocore.exceptions import ClientError

    hook(ann, target.url + "/ann")
    hook(bob, target.url + "/bob")
    service.settle()
    dynamo, owner = service.dynamo, me(bob)
    assert dynamo is not None
    around, faults = dynamo.around, [3]

    def throttled(operation: str, parameters: dict[str, Any], call: Any) -> Any:
        if operation == "Query" and owner in str(parameters) and faults[0]:
            faults[0] -= 1
            raise ClientError({"Error": {"Code": "ThrottlingException", "Message": "slow down"}}, operation)
        assert around is not None
        return around(operation, parameters, call)

    dynamo.around = throttled
    try:
        put(ann, "invited", prefix="ann")
        put(bob, "invited", prefix="bob")
        service.settle()
    finally:
        dynamo.around = around
    assert faults == [0]
    assert {one.path for one in target.got} == {"/ann", "/bob"}
    assert len([one for one in target.got if one.path == "/bob"]) == 1


def test_a_replay_sends_again_what_was_told_since(service: LocalService, ann: Client, target: Receiver) -> None:
    made = hook(ann, target.url)
    service.settle()
    moments, ids = [], []
    for number in range(4):
        moments.append(jump(service, HOUR))
        ids += put(ann, "invited", prefix=f"h{number}-")
        service.settle()
    service.advance(DAY)
    assert [one.id for one in target.got] == ids
    del target.got[:]
    ann.ok("POST", f"/v1/webhooks/{made['id']}/replay", {"since": rfc3339(moments[2])})
    service.settle()
    assert [one.id for one in target.got] == ids[2:]
    assert target.got[0].headers["webhook-timestamp"] == str(clock.now() // 1000)
    after = shown(ann, made)
    assert (after["status"], after["failures"]) == ("active", 0)
    new = put(ann, "invited", prefix="new")
    service.settle()
    assert [one.id for one in target.got] == [*ids[2:], *new]


def test_a_replay_goes_back_to_what_stood_in_the_inbox_before_the_webhook(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    since = service.advance(1)
    ids = put(ann, *["invited"] * 130)
    service.advance(40)
    made = hook(ann, target.url)
    service.settle()
    assert target.got == []
    ann.ok("POST", f"/v1/webhooks/{made['id']}/replay", {"since": rfc3339(since)})
    service.settle()
    assert [one.id for one in target.got] == ids


def test_more_than_one_run_can_send_is_sent_by_the_next_ones(
    service: LocalService, ann: Client, target: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("functions.shared.flows.webhooks_catch_up.PAGE", 3)
    monkeypatch.setattr("functions.shared.flows.webhooks_catch_up.PAGES", 1)
    since = service.advance(1)
    ids = []
    for number in range(10):
        ids += put(ann, *["your-turn"] * 2, "invited", "invited", prefix=f"{number}-")[2:]
        service.advance(1)
    service.advance(60)
    made = hook(ann, target.url, "invited")
    service.settle()
    ann.ok("POST", f"/v1/webhooks/{made['id']}/replay", {"since": rfc3339(since)})
    service.settle()
    assert list(dict.fromkeys(one.id for one in target.got)) == ids
    assert len(target.got) < 2 * len(ids)


def test_fresh_events_wait_behind_a_replay_that_is_not_through(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    since = service.advance(1)
    old = put(ann, "invited", "invited", prefix="old")
    service.advance(60)
    made = hook(ann, target.url)
    service.settle()
    target.answers = lambda _: 503
    ann.ok("POST", f"/v1/webhooks/{made['id']}/replay", {"since": rfc3339(since)})
    service.settle()
    fresh = put(ann, "invited", prefix="fresh")
    service.settle()
    assert [one.id for one in target.tried] == old[:1]
    target.answers = lambda _: 204
    service.advance(120)
    assert [one.id for one in target.got] == [*old, *fresh]


def test_a_bot_may_play_while_it_is_being_told(
    service: LocalService, ann: Client, bob: Client, target: Receiver
) -> None:
    """The whole match by webhooks, nobody asks for anything: each move follows from an event."""
    players = {"/ann": ann, "/bob": bob}

    def play(delivery: Delivery) -> int:
        event, client = delivery.event, players[delivery.path]
        if event["type"] == "your-turn":
            path = f"/v1/matches/{event['match']}"
            with_turn = client.ok("GET", f"{path}/legal-actions")
            if with_turn["turn"] == event["turn"] and with_turn["actions"]:
                action = {"turn": event["turn"], "action": with_turn["actions"][-1]}
                client.call("POST", f"{path}/actions", action, key=delivery.id[:60])
        return 200

    target.answers = play
    clients = {path: Client(service.url, client.token) for path, client in players.items()}
    players.update(clients)
    for path, client in ((path, client) for path, client in {"/ann": ann, "/bob": bob}.items()):
        hook(client, target.url + path)
    match = table(ann, bob, game="liars-poker", rated=False)
    service.advance(0)
    assert ann.ok("GET", f"/v1/matches/{match}")["status"] == "finished"
    assert target.kinds[-1] == ("match-finished", None)
    for client in clients.values():
        client.close()


def test_with_a_real_clock_events_are_sent_without_being_asked_for(target: Receiver) -> None:
    running = LocalService(loopback_webhooks=True)
    running.start()
    try:
        client = Client(running.url)
        client.token = client.ok("POST", "/v1/players", {"name": "real-clock"})["token"]
        made = hook(client, target.url, "invited")
        other = Client(running.url)
        other.token = other.ok("POST", "/v1/players", {"name": "real-clock-2"})["token"]
        create(other, invite=[me(client)])
        while not target.got:  # the test's own limit of time ends it
            time.sleep(0.01)
        assert target.kinds == [("invited", None)]
        assert target.got[0].headers["webhook-signature"] == signature(made["secret"], target.got[0])
        client.close()
        other.close()
    finally:
        running.stop()


def test_the_referee_does_nothing_for_webhooks_that_work(service: LocalService, ann: Client, target: Receiver) -> None:
    hook(ann, target.url)
    service.advance(HOUR)
    with nothing_stored(service):
        sweep(service)
    put(ann, "invited")
    jump(service, DAY)
    assert json.loads(target.got[0].body)["type"] == "invited"
