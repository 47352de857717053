"""Targets that fail: tried again with back-off, switched off in the end, and never in the way of anybody else."""

from collections.abc import Iterator
from typing import Any

import pytest

from functions.shared import clock
from functions.shared.clock import rfc3339
from functions.shared.delivery import sending, targets
from functions.shared.delivery.parcels import Outcome
from functions.shared.flows.webhooks_setbacks import AWAKE_MS, LEFT_OUT_AT, WAITS_MS
from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import stored
from tests.service.moments import DAY, deaf, jump, sweep
from tests.service.playing import act, at, lay, table
from tests.service.receiver import Delivery, Receiver, hook, put, receiving, shown


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


def active(service: LocalService, client: Client, url: str, *events: str) -> Any:
    """A webhook whose target has echoed its challenge, and that is up to date."""
    made = hook(client, url, *events)
    service.settle()
    assert shown(client, made)["status"] == "active"
    return made


def on(client: Client, made: Any) -> tuple[str, int, str | None]:
    """Status, failures, and when it is tried next."""
    seen = shown(client, made)
    return seen["status"], seen["failures"], seen["next_try_at"]


def later(ms: int) -> str:
    return rfc3339(clock.now() + ms)


def wait(service: LocalService, ms: int) -> None:
    """Until the referee has come after so long: it comes at the first minute after that."""
    jump(service, ms / 1000)
    sweep(service)


def test_a_failure_is_tried_again_a_minute_later_and_nothing_is_lost(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    made = active(service, ann, target.url)
    target.answers = lambda _: 500
    first = put(ann, "invited", prefix="first")
    service.settle()
    assert on(ann, made) == ("active", 1, later(60_000))
    assert shown(ann, made)["last_failure"] == {"at": rfc3339(clock.now()), "reason": "answered with status 500"}
    # What comes meanwhile waits behind it: a target that is down is not tried for each event.
    second = put(ann, "your-turn", prefix="second")
    service.settle()
    assert [one.id for one in target.tried] == first
    wait(service, 59_999)
    assert len(target.tried) == 1
    target.answers = lambda _: 200
    wait(service, 1)
    assert [one.id for one in target.got] == first + second
    assert on(ann, made) == ("active", 0, None)
    third = put(ann, "invited", prefix="third")
    service.settle()
    assert [one.id for one in target.got] == first + second + third


def test_the_waits_grow_and_a_target_that_takes_nothing_is_switched_off(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    made = active(service, ann, target.url)
    first, second = put(ann, "invited", "your-turn")
    target.answers = lambda _: 503
    service.settle()
    for number, ms in enumerate(WAITS_MS, 1):
        if number == LEFT_OUT_AT:
            continue  # the next message had its turn at once
        assert on(ann, made) == ("active", number, later(ms))
        wait(service, ms - 1)
        assert on(ann, made)[1] == number
        wait(service, 1)
    assert on(ann, made) == ("disabled", len(WAITS_MS) + 1, None)
    assert shown(ann, made)["last_failure"]["reason"] == "answered with status 503"
    assert [one.id for one in target.tried] == [first] * LEFT_OUT_AT + [second] * (len(WAITS_MS) + 1 - LEFT_OUT_AT)
    tried = len(target.tried)
    put(ann, "invited", prefix="later")
    service.advance(DAY)
    assert len(target.tried) == tried
    assert not [key for key in stored(service) if made["id"] in key[1]]


def test_a_target_that_is_not_there_is_switched_off_with_nothing_left_out(service: LocalService, ann: Client) -> None:
    with receiving() as gone:
        made = active(service, ann, gone.url)
    ids = put(ann, "invited", "your-turn")
    service.settle()
    for number, ms in enumerate(WAITS_MS, 1):
        assert on(ann, made) == ("active", number, later(ms))
        wait(service, ms)
    assert on(ann, made)[0] == "disabled"
    assert shown(ann, made)["last_failure"]["reason"] == "no connection"
    with receiving() as back:
        moved = active(service, ann, back.url)
        ann.ok("POST", f"/v1/webhooks/{moved['id']}/replay", {"since": later(-7 * DAY * 1000)})
        service.settle()
        assert [one.id for one in back.got] == ids


def test_a_replay_switches_it_on_again_after_a_new_challenge(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    made = active(service, ann, target.url)
    target.answers = lambda _: 410
    ids = put(ann, "invited", "your-turn")
    since = later(0)
    service.settle()
    assert on(ann, made) == ("disabled", 1, None)  # who says that it is gone is believed
    assert [one.id for one in target.tried] == ids[:1]
    service.advance(60)
    target.answers, target.echoes = lambda _: 200, False
    reply = ann.call("POST", f"/v1/webhooks/{made['id']}/replay", {"since": since})
    assert (reply.status, reply.body["status"]) == (202, "pending")
    service.settle()
    assert (on(ann, made)[0], target.got, len(target.challenges)) == ("pending", [], 2)
    target.echoes = True
    wait(service, 60_000)
    assert on(ann, made) == ("active", 0, None)
    assert [one.id for one in target.got] == ids


def test_a_replay_takes_one_that_is_behind_further_back(service: LocalService, ann: Client, target: Receiver) -> None:
    since = later(0)
    old = put(ann, "invited", prefix="old")
    service.advance(60)
    made = active(service, ann, target.url)
    target.answers = lambda _: 500
    new = put(ann, "invited", prefix="new")
    service.settle()
    target.answers = lambda _: 200
    ann.ok("POST", f"/v1/webhooks/{made['id']}/replay", {"since": later(0)})  # what it missed is not forgotten by that
    ann.ok("POST", f"/v1/webhooks/{made['id']}/replay", {"since": since})
    service.settle()
    assert list(dict.fromkeys(one.id for one in target.got)) in (old + new, new + old)


def test_a_target_that_never_echoes_is_switched_off(service: LocalService, ann: Client, target: Receiver) -> None:
    target.echoes = False
    made = hook(ann, target.url)
    service.settle()
    for number, ms in enumerate(WAITS_MS, 1):
        assert on(ann, made) == ("pending", number, later(ms))
        wait(service, ms)
    assert on(ann, made)[0] == "disabled"
    assert (len(target.challenges), target.tried) == (len(WAITS_MS) + 1, [])


def test_one_message_that_is_always_refused_is_left_out_at_last(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    made = active(service, ann, target.url)
    bad, *good = put(ann, "invited", "your-turn", "match-finished")
    target.answers = lambda delivery: 400 if delivery.id == bad else 200
    service.settle()
    for ms in WAITS_MS[: LEFT_OUT_AT - 1]:
        assert target.got == []
        wait(service, ms)
    assert [one.id for one in target.tried] == [bad] * LEFT_OUT_AT + good
    assert [one.id for one in target.got] == good
    assert on(ann, made) == ("active", 0, None)


def test_messages_that_come_one_by_one_and_are_all_refused_switch_it_off_too(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    """Left out is not delivered: only a success starts the count anew."""
    made = active(service, ann, target.url)
    target.answers = lambda _: 400
    put(ann, "invited")
    service.settle()
    for ms in WAITS_MS[: LEFT_OUT_AT - 1]:
        wait(service, ms)
    assert on(ann, made) == ("active", LEFT_OUT_AT, None)
    put(ann, "invited", prefix="next")
    service.settle()
    assert on(ann, made) == ("active", LEFT_OUT_AT + 1, later(WAITS_MS[LEFT_OUT_AT]))
    for ms in WAITS_MS[LEFT_OUT_AT:]:
        wait(service, ms)
    assert on(ann, made)[0] == "disabled"


def test_a_success_after_a_message_was_left_out_starts_the_count_anew(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    made = active(service, ann, target.url)
    target.answers = lambda _: 400
    put(ann, "invited")
    service.settle()
    for ms in WAITS_MS[: LEFT_OUT_AT - 1]:
        wait(service, ms)
    target.answers = lambda _: 200
    put(ann, "invited", prefix="next")
    service.settle()
    assert on(ann, made) == ("active", 0, None)
    assert len(target.got) == 1


def test_a_target_that_fails_is_in_nobodys_way(
    service: LocalService, ann: Client, bob: Client, target: Receiver
) -> None:
    with receiving() as gone:
        failing = [active(service, client, gone.url) for client in (ann, bob)]
    active(service, ann, target.url + "/ann")
    active(service, bob, target.url + "/bob")
    match = table(ann, bob)
    service.settle()
    at(lay(ann, match, "7", "higher", 1))
    at(lay(bob, match, "9", "higher", 1))
    at(act(bob, match, {"type": "resign"}))
    service.settle()
    for client, path in ((ann, "/ann"), (bob, "/bob")):
        events = client.ok("GET", "/v1/me/events?limit=100")["items"]
        assert [one.event for one in target.got if one.path == path] == events
    assert [on(client, made)[1] for client, made in zip((ann, bob), failing, strict=True)] == [1, 1]


def test_only_what_failed_is_sent_again(service: LocalService, ann: Client, target: Receiver) -> None:
    """What came before it in the same half minute has arrived, and what comes after it waits."""
    active(service, ann, target.url)
    one, two, three = put(ann, "invited", "your-turn", "match-finished")
    target.answers = lambda delivery: 500 if delivery.id == two else 200
    service.settle()
    assert [each.id for each in target.tried] == [one, two]
    target.answers = lambda _: 200
    wait(service, 60_000)
    assert [each.id for each in target.got] == [one, two, three]


def test_an_event_that_comes_into_the_inbox_late_before_the_one_that_failed_is_sent_too(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    active(service, ann, target.url)
    moment = service.advance(10)
    target.answers = lambda _: 500
    (failed,) = put(ann, "invited")
    service.settle()
    (late,) = put(ann, "invited", prefix="late", inserted=moment - 8000)
    service.settle()
    assert [one.id for one in target.tried] == [failed]
    target.answers = lambda _: 200
    wait(service, 60_000)
    assert [one.id for one in target.got] == [late, failed]


def test_one_that_was_woken_and_forgotten_is_woken_again(service: LocalService, ann: Client, target: Receiver) -> None:
    """The stream's record is lost for good, as after its last attempt."""
    with deaf(service):
        made = hook(ann, target.url)
        ids = put(ann, "invited")
    assert target.challenges == []
    wait(service, AWAKE_MS - 1)
    assert on(ann, made) == ("pending", 0, None)
    wait(service, 1)
    assert on(ann, made) == ("active", 0, None)
    assert [one.id for one in target.got] == ids


def test_a_redirect_is_a_refusal_and_nobody_goes_there(service: LocalService, ann: Client, target: Receiver) -> None:
    made = active(service, ann, target.url)
    target.answers = lambda _: 307
    put(ann, "invited")
    service.settle()
    assert shown(ann, made)["last_failure"]["reason"] == "answered with status 307"
    assert len(target.tried) == 1


def test_a_name_that_leads_to_a_private_address_by_then_is_not_connected_to(
    service: LocalService, ann: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ["93.184.216.34"]
    connected: list[Any] = []

    def connect(address: tuple[str, int], timeout: float) -> Any:
        if address[1] == 443:  # the others are what other tests have left behind
            connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(targets, "look_up", lambda *_: found)
    net = sending.NET._replace(lookup=lambda *_: found, connect=connect)
    monkeypatch.setattr("functions.notify.handler.send_all", _with(sending.send_all, net))
    made = hook(ann, "https://hooks.example.com/")
    service.settle()
    assert connected == [("93.184.216.34", 443)]
    found[:] = ["93.184.216.34", "192.168.1.1"]
    wait(service, 60_000)
    assert connected == [("93.184.216.34", 443)]
    assert shown(ann, made)["last_failure"]["reason"] == "its name leads to an address that is not public"


def _with(send_all: Any, net: Any) -> Any:
    return lambda parcels, now, **more: send_all(parcels, now, net=net, **more)


def test_when_there_is_no_time_for_all_the_rest_is_sent_next_and_counts_as_no_failure(
    service: LocalService, ann: Client, target: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = active(service, ann, target.url)

    def one_each(parcels: Any, now: int, **more: Any) -> list[Outcome]:
        first = [parcel._replace(messages=parcel.messages[:1]) for parcel in parcels]
        return sending.send_all(first, now, **more)

    monkeypatch.setattr("functions.notify.handler.send_all", one_each)
    ids = put(ann, *["invited"] * 3)
    service.settle()
    assert on(ann, made)[:2] == ("active", 0)
    for _ in range(3):
        wait(service, 60_000)
    assert [one.id for one in target.got][:1] == ids[:1]
    assert {one.id for one in target.got} == set(ids)
    monkeypatch.undo()
    wait(service, 60_000)
    assert on(ann, made) == ("active", 0, None)


def test_a_delivery_that_the_owner_ends_the_webhook_in_is_the_last(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    made = active(service, ann, target.url)
    other = Client(service.url, ann.token)

    def end(_: Delivery) -> int:
        other.call("DELETE", f"/v1/webhooks/{made['id']}")
        return 500

    target.answers = end
    put(ann, "invited")
    service.advance(600)
    assert len(target.tried) == 1
    assert not [key for key in stored(service) if made["id"] in str(key)]
    other.close()


def test_a_replay_that_is_asked_for_during_a_delivery_is_carried_out(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    since = later(0)
    old = put(ann, "invited", prefix="old")
    service.advance(60)
    made = active(service, ann, target.url)
    other, asked = Client(service.url, ann.token), list[Any]()

    def replay(_: Delivery) -> int:
        if not asked:
            asked.append(other.ok("POST", f"/v1/webhooks/{made['id']}/replay", {"since": since}))
        return 500 if len(target.tried) == 1 else 200

    target.answers = replay
    new = put(ann, "invited", prefix="new")
    service.settle()
    assert [one.id for one in target.got] == old + new
    assert on(ann, made) == ("active", 0, None)
    other.close()
