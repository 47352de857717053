"""Promise 3 for webhooks: whatever is stopped, repeated, or comes in between, each event is sent, and the webhook ends
up to date."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import Context
from functools import partial
from typing import Any, NamedTuple

import pytest

from engine.types import EpochMs
from functions.shared.clock import rfc3339
from functions.shared.delivery.parcels import Failure, Outcome, Parcel
from functions.shared.store.records import Notice
from infra.local import filters
from tests.faults import world as worlds
from tests.faults.breaking import Counting, Killed, failing, killed_after, killed_before, lost
from tests.faults.world import STACK, Caller, World
from tests.service.moments import services

(TRIGGER,) = (trigger for trigger in STACK.streams if trigger.function == "NotifyFunction")
NEW = {"url": "https://hooks.example.com/", "events": ["*"]}
HOW = {
    "killed before": killed_before,
    "killed after": killed_after,
    "throttled": failing("ProvisionedThroughputExceededException"),
    "reply lost": lost,
}


class Mail:
    """The network: keeps what arrives. While `refuses` says so of a message, it fails."""

    def __init__(self) -> None:
        self.got: list[str] = []
        self.refuses: Callable[[str], bool] = lambda _: False

    def send(self, parcels: Sequence[Parcel], now: EpochMs, **_: Any) -> list[Outcome]:
        return [self._one(parcel) for parcel in parcels]

    def refuse_once(self, event_id: str) -> None:
        """Lets one message fail the first time."""
        left = [event_id]

        def refuses(tried: str) -> bool:
            if tried not in left:
                return False
            left.remove(tried)
            return True

        self.refuses = refuses

    def _one(self, parcel: Parcel) -> Outcome:
        for number, message in enumerate(parcel.messages):
            if self.refuses(message.id):
                return Outcome(number, Failure("no connection"))
            self.got += [] if parcel.challenge else [message.id]
        return Outcome(len(parcel.messages))


class Scene(NamedTuple):
    """A webhook in some state, and the records with which the consumer is called next."""

    world: World
    mail: Mail
    owner: Caller
    records: list[Any]
    expected: set[str]
    """The events that must have been sent in the end."""


@pytest.fixture
def mail(monkeypatch: pytest.MonkeyPatch) -> Mail:
    made = Mail()
    # Names lead nowhere here, and nothing is connected to.
    monkeypatch.setattr("functions.notify.handler.send_all", lambda *args, **more: made.send(*args, **more))
    monkeypatch.setattr("functions.shared.delivery.targets.look_up", lambda *_: ["93.184.216.34"])
    return made


def taken(world: World) -> list[Any]:
    """The records that the consumer would get now."""
    records = world.dynamo.take_records("PlayersTable", 10_000)
    return list(filter(filters.fitting(TRIGGER.patterns), records))


def put(world: World, owner: Caller, event_id: str, inserted: EpochMs | None = None) -> str:
    now = world.clock.now()
    notice = Notice(event_id, "invited", now, {"match": "mat_x", "game": "misfortune"})
    services().inbox.put([(owner.id, notice)], now if inserted is None else inserted)
    return event_id


def consume(world: World, records: list[Any]) -> None:
    """Delivers records as Lambda does, until none is left."""
    for _ in range(20):
        if not records:
            return
        failures = world.invoke("NotifyFunction", {"Records": records})["batchItemFailures"]
        again = {failure["itemIdentifier"] for failure in failures}
        first = next((i for i, one in enumerate(records) if one["dynamodb"]["SequenceNumber"] in again), len(records))
        records = records[first:] + taken(world)
    raise AssertionError("the records never end")


def to_the_end(world: World) -> None:
    """Lets everything follow that has to, the referee's minutes included."""
    consume(world, taken(world))
    for seconds in (60, 120, 300, 300):
        world.advance(seconds)
        world.sweep()
        consume(world, taken(world))


def owned(world: World) -> tuple[Caller, Any]:
    owner = world.player()
    made = owner.ok("POST", "/v1/webhooks", NEW)
    return owner, made


def new(world: World, mail: Mail) -> Scene:
    """It was just made, and something has come already."""
    owner, _ = owned(world)
    expected = {put(world, owner, "evt_a"), put(world, owner, "evt_b")}
    return Scene(world, mail, owner, taken(world), expected)


def fresh(world: World, mail: Mail) -> Scene:
    """It works, and something comes."""
    owner, _ = owned(world)
    consume(world, taken(world))
    expected = {put(world, owner, "evt_a"), put(world, owner, "evt_b")}
    return Scene(world, mail, owner, taken(world), expected)


def failed(world: World, mail: Mail) -> Scene:
    """It works, and what comes now will fail the first time."""
    owner, _ = owned(world)
    consume(world, taken(world))
    expected = {put(world, owner, event_id) for event_id in ("evt_a", "evt_b", "evt_c")}
    mail.refuse_once("evt_b")
    return Scene(world, mail, owner, taken(world), expected)


def behind(world: World, mail: Mail) -> Scene:
    """It has failed, and is woken now."""
    owner, _ = owned(world)
    consume(world, taken(world))
    mail.refuses = lambda _: True
    expected = {put(world, owner, event_id) for event_id in ("evt_a", "evt_b")}
    consume(world, taken(world))
    mail.refuses = lambda _: False
    world.advance(60)
    world.sweep()
    return Scene(world, mail, owner, taken(world), expected)


def behind_till_now(world: World, mail: Mail) -> Scene:
    """It has failed, is woken now, and something came a moment ago."""
    owner, _ = owned(world)
    consume(world, taken(world))
    mail.refuses = lambda _: True
    expected = {put(world, owner, "evt_a")}
    consume(world, taken(world))
    world.advance(60)
    expected |= {put(world, owner, "evt_b", world.clock.now() - 5000), put(world, owner, "evt_c")}
    consume(world, taken(world))
    world.sweep()
    mail.refuses = lambda _: False
    return Scene(world, mail, owner, taken(world), expected)


def failing_again(world: World, mail: Mail) -> Scene:
    """The same, and it will fail at what came last."""
    scene = behind_till_now(world, mail)
    mail.refuse_once("evt_c")
    return scene


def replayed(world: World, mail: Mail) -> Scene:
    """It works, and is asked to send again what was told before it was made."""
    owner = world.player()
    since = rfc3339(world.clock.now())
    expected = {put(world, owner, event_id) for event_id in ("evt_a", "evt_b")}
    world.advance(60)
    made = owner.ok("POST", "/v1/webhooks", NEW)
    consume(world, taken(world))
    owner.ok("POST", f"/v1/webhooks/{made['id']}/replay", {"since": since})
    return Scene(world, mail, owner, taken(world), expected)


BEHIND = (new, behind, behind_till_now, failing_again, replayed)
SCENES = (*BEHIND, fresh, failed)

Setting = Callable[[World, Mail], Scene]


def is_done(scene: Scene) -> None:
    """Everything was sent, and nothing is owed any more."""
    assert scene.expected <= set(scene.mail.got)
    (webhook,) = services().webhooks.of_player(scene.owner.id)
    assert (webhook.status, webhook.live, webhook.cursor, webhook.due, webhook.failures) == (
        "active",
        True,
        None,
        None,
        0,
    )
    assert not [pk for pk, _ in scene.world.items() if pk.startswith("JOB#")]


@contextmanager
def staged(setting: Setting, mail: Mail) -> Iterator[Scene]:
    mail.got, mail.refuses = [], lambda _: False
    with worlds.running() as world:
        yield setting(world, mail)


def calls_of(setting: Setting, mail: Mail) -> list[str]:
    """The calls of the consumer when nothing goes wrong."""
    with staged(setting, mail) as scene:
        calls = Counting()
        with scene.world.around(calls):
            scene.world.invoke("NotifyFunction", {"Records": scene.records})
        to_the_end(scene.world)
        is_done(scene)
        return calls.calls


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("setting", SCENES)
def test_whatever_call_the_consumer_is_stopped_at_every_event_is_sent(mail: Mail, setting: Setting, how: str) -> None:
    """Its records are delivered again, as after each failure."""
    for place in range(len(calls_of(setting, mail))):
        with staged(setting, mail) as scene:
            with scene.world.around(Counting(place, HOW[how])):
                try:
                    answer = scene.world.invoke("NotifyFunction", {"Records": scene.records})
                    again = scene.records if answer["batchItemFailures"] else []
                except Killed:
                    again = scene.records
            consume(scene.world, again)
            to_the_end(scene.world)
            is_done(scene)


@pytest.mark.parametrize("setting", BEHIND)
def test_when_its_records_are_lost_after_it_was_stopped_the_referee_makes_it_good(mail: Mail, setting: Setting) -> None:
    """Events for a webhook that is live are not among them: of those nothing but the stream knows."""
    for place in range(len(calls_of(setting, mail))):
        with staged(setting, mail) as scene:
            with scene.world.around(Counting(place, killed_before)), pytest.raises(Killed):
                scene.world.invoke("NotifyFunction", {"Records": scene.records})
            to_the_end(scene.world)
            is_done(scene)


def requested(owner: Caller, path: str, body: Any) -> Any:
    """The answer to a request with a key that is sent as often as it is answered with try-again."""
    reply = owner.call("POST", path, body, "a-key")
    while reply.code == "try-again":
        reply = owner.call("POST", path, body, "a-key")
    return reply.body


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("what", ["add", "replay"])
def test_a_request_that_is_stopped_at_any_call_is_made_good_by_a_repetition(mail: Mail, what: str, how: str) -> None:
    place, is_over = 0, False
    while not is_over:
        with worlds.running() as world:
            owner, path, body = world.player(), "/v1/webhooks", dict[str, Any](NEW)
            if what == "replay":
                path += f"/{owner.ok('POST', path, NEW)['id']}/replay"
                body = {"since": rfc3339(world.clock.now())}
                consume(world, taken(world))
            calls = Counting(place, HOW[how])
            with world.around(calls), suppress(Killed):
                requested(owner, path, body)
            is_over = len(calls.calls) <= place
            first = requested(owner, path, body)
            assert requested(owner, path, body) == first
            (webhook,) = services().webhooks.of_player(owner.id)
            assert (webhook.woken, webhook.live) == (True, False)
            expected = {put(world, owner, "evt_a")}
            to_the_end(world)
            is_done(Scene(world, mail, owner, [], expected))
        place += 1
    assert place > 2


def test_of_two_requests_at_once_one_makes_the_tenth_webhook(mail: Mail) -> None:
    with worlds.running() as world:
        owner = world.player()
        for _ in range(9):
            owner.ok("POST", "/v1/webhooks", NEW)
        calls = Counting()
        with world.around(calls):
            owner.ok("POST", "/v1/webhooks", NEW)
    for place in range(len(calls.calls)):
        with worlds.running() as world:
            owner = world.player()
            for _ in range(9):
                owner.ok("POST", "/v1/webhooks", NEW)
            other = partial(owner.call, "POST", "/v1/webhooks", NEW)
            with world.around(Meanwhile(place, other)):
                reply = owner.call("POST", "/v1/webhooks", NEW)
            assert reply.code in ("limit-reached", "try-again")
            assert len(owner.ok("GET", "/v1/webhooks")["items"]) == 10


class Meanwhile:
    """A hook that lets something happen elsewhere before one of the calls."""

    def __init__(self, place: int, deed: Callable[[], Any]) -> None:
        self.calls = 0
        self._place, self._deed, self._is_elsewhere = place, deed, False

    def __call__(self, operation: str, parameters: dict[str, Any], call: Any) -> dict[str, Any]:
        answer: dict[str, Any]
        if not self._is_elsewhere:
            self.calls += 1
            if self.calls - 1 == self._place:
                self._is_elsewhere = True
                Context().run(self._deed)  # by whoever it is, not by the function that is called
                self._is_elsewhere = False
        answer = call()
        return answer


@pytest.mark.parametrize("late_ms", [0, 1, 20_000])
@pytest.mark.parametrize("setting", SCENES)
def test_an_event_that_comes_between_any_two_calls_is_sent(mail: Mail, setting: Setting, late_ms: int) -> None:
    """It is put into the inbox at its place in time, or up to half a minute before, and another instance gets its
    record at that very moment."""
    for place in range(len(calls_of(setting, mail)) + 1):
        with staged(setting, mail) as scene:
            come = partial(_come, scene, late_ms)
            meanwhile = Meanwhile(place, come)
            with scene.world.around(meanwhile):
                scene.world.invoke("NotifyFunction", {"Records": scene.records})
            if meanwhile.calls <= place:
                come()
            to_the_end(scene.world)
            is_done(scene._replace(expected=scene.expected | {"evt_between"}))


def _come(scene: Scene, late_ms: int) -> None:
    put(scene.world, scene.owner, "evt_between", scene.world.clock.now() - late_ms)
    consume(scene.world, taken(scene.world))


@pytest.mark.parametrize("setting", SCENES)
def test_two_instances_with_the_same_records_at_once_leave_what_one_does(mail: Mail, setting: Setting) -> None:
    for place in range(len(calls_of(setting, mail))):
        with staged(setting, mail) as scene:
            again = partial(scene.world.invoke, "NotifyFunction", {"Records": scene.records})
            with scene.world.around(Meanwhile(place, again)):
                scene.world.invoke("NotifyFunction", {"Records": scene.records})
            to_the_end(scene.world)
            is_done(scene)
