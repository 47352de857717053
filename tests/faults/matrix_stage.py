"""A stage for one operation: a world in which chance repeats itself, its streams, and whoever else acts in it."""

import hashlib
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

from engine.types import EpochMs
from functions.shared.delivery.parcels import Outcome, Parcel
from infra.local import filters
from tests.faults import world as worlds
from tests.faults.breaking import Killed
from tests.faults.world import STACK, Call, Caller, Reply, World

KILLED = "killed"
AGAIN = "reported"
RAISED = "raised"
DONE = "done"

KEY = "a-key-that-nobody-guesses"

SHARDS = 2
"""Of the due index of matches; the real number only adds queries that find nothing."""

Attempt = Callable[[], str]
"""Does something once, and says what came of it: a status with a problem's code, or one of the words above."""


class Setting(NamedTuple):
    """An operation that is about to happen."""

    go: Attempt
    rival: Attempt | None = None
    """A write that conflicts with it."""


class Stage(NamedTuple):
    """A world and what stands around it."""

    world: World
    streams: "Streams"
    sent: list[str]
    """The messages that reached webhooks."""

    def attempt(self, go: Attempt) -> str:
        """One attempt; the function that makes it may be stopped."""
        try:
            return go()
        except Killed:
            return KILLED

    def event_of(self, function: str) -> list[Any]:
        """What the streams have for a function now, taken from them; the others' records stay."""
        self.streams.collect()
        return self.streams.take(function)

    def minute(self, minutes: int = 1) -> None:
        """A minute passes, or several: the schedules run once, and the streams are delivered."""
        self.world.advance(60 * minutes)
        for schedule in STACK.schedules:
            self.world.invoke(schedule.function, {})
        self.streams.drain()


class Streams:
    """The records on their way to each consumer."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._lanes: list[list[Any]] = [[] for _ in STACK.streams]

    def collect(self) -> bool:
        """Moves what the tables have on; tells whether there was anything."""
        tables = sorted({trigger.table for trigger in STACK.streams})
        records = {table: self._world.dynamo.take_records(table, 100_000) for table in tables}
        for trigger, lane in zip(STACK.streams, self._lanes, strict=True):
            lane += filter(filters.fitting(trigger.patterns), records[trigger.table])
        return any(records.values())

    def take(self, function: str) -> list[Any]:
        """The records for a function."""
        found = []
        for trigger, lane in zip(STACK.streams, self._lanes, strict=True):
            if trigger.function == function:
                found += lane
                lane.clear()
        return found

    def drain(self) -> None:
        """Delivers until nothing is left, as Lambda does: what a function reports comes again."""
        for _ in range(100):
            if not self.collect() and not any(self._lanes):
                return
            for trigger, lane in zip(STACK.streams, self._lanes, strict=True):
                while lane:
                    batch = lane[: trigger.batch_size]
                    answer = self._world.invoke(trigger.function, {"Records": batch})
                    del lane[: _taken(batch, answer)]
        raise AssertionError("the streams never end")


def _taken(batch: Sequence[Any], answer: Any) -> int:
    failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
    numbers = [record["dynamodb"]["SequenceNumber"] for record in batch]
    return min((numbers.index(number) for number in failed), default=len(batch))


@contextmanager
def staged(setting: Callable[[Stage], Setting]) -> Iterator[tuple[Stage, Setting]]:
    """An operation in a world of its own, the same each time: ids, keys and deals of what was there before are equal.
    No instance is warm, and what the streams had to say of the past has been delivered unless it is the operation."""
    from functions.shared.http import identity

    sent: list[str] = []

    def deliver(parcels: Sequence[Parcel], now: EpochMs, **_: Any) -> list[Outcome]:
        sent.extend(message.id for parcel in parcels if not parcel.challenge for message in parcel.messages)
        return [Outcome(len(parcel.messages)) for parcel in parcels]

    with ExitStack() as undo:
        undo.enter_context(_repeating_chance())
        # Names lead nowhere here, and nothing is connected to.
        undo.enter_context(patch("functions.notify.handler.send_all", deliver))
        undo.enter_context(patch("functions.shared.delivery.targets.look_up", lambda *_: ["93.184.216.34"]))
        for module in ("store.due", "flows.referee", "flows.jobs", "flows.redrive"):
            undo.enter_context(patch(f"functions.shared.{module}.SHARDS", SHARDS))
        world = undo.enter_context(worlds.running())
        identity.forget()
        stage = Stage(world, Streams(world), sent)
        made = setting(stage)
        stage.streams.drain()
        identity.forget()
        yield stage, made


@contextmanager
def _repeating_chance() -> Iterator[None]:
    from functions.shared import wiring

    drawn = itertools.count()

    def random_bytes(length: int) -> bytes:
        return hashlib.shake_256(f"{next(drawn)}".encode()).digest(length)

    services = wiring.services()._replace(random_bytes=random_bytes, pause=lambda _: None)
    with patch.object(wiring, "services", lambda: services), patch.object(worlds, "_names", itertools.count(1)):
        yield


def asking(caller: Caller, method: str, path: str, body: Any = None, key: str | None = None) -> Attempt:
    """A request of a player's."""
    return lambda: told(caller.call(method, path, body, key))


def posting(caller: Caller, path: str, body: Any = None) -> Attempt:
    """A POST, with the same key each time."""
    return asking(caller, "POST", path, body, KEY)


def delivering(stage: Stage, function: str, records: list[Any]) -> Attempt:
    """A delivery of a stream's records."""
    return lambda: AGAIN if stage.world.invoke(function, {"Records": records})["batchItemFailures"] else DONE


def firing(stage: Stage, function: str) -> Attempt:
    """A run of a schedule."""
    return lambda: _unless_raised(lambda: stage.world.invoke(function, {}))


def commanding(stage: Stage, command: str, **more: Any) -> Attempt:
    """A command of an operator's. One that is refused, as where a conflict cut it short, is given again."""

    def give() -> str:
        return DONE if stage.world.invoke("AdminFunction", {"command": command, **more})["ok"] else AGAIN

    return lambda: _unless_raised(give)


def _unless_raised(go: Callable[[], object]) -> str:
    from functions.shared.store.ports import UnavailableError

    try:
        answer = go()
    except UnavailableError:
        return RAISED
    return answer if isinstance(answer, str) else DONE


def cold(go: Attempt) -> str:
    """An attempt by a new instance, which has looked no token up."""
    from functions.shared.http import identity

    identity.forget()
    return go()


def told(reply: Reply) -> str:
    """A reply in short: its status, with a problem's code, or whether it is answered from the record."""
    assert reply.status != 500, reply
    replayed = " replayed" if reply.headers.get("idempotency-replayed") == "true" else ""
    return f"{reply.status}{reply.code and ' ' + reply.code}{replayed}"


class Meanwhile:
    """A hook that lets something happen in another instance before one of the calls, and keeps what came of it."""

    def __init__(self, place: int, deed: Attempt) -> None:
        self.answer = ""
        self._calls = itertools.count()
        self._place, self._deed, self._is_elsewhere = place, deed, False

    def __call__(self, operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        if not self._is_elsewhere and next(self._calls) == self._place:
            self._is_elsewhere = True
            self.answer = elsewhere(self._deed)
            self._is_elsewhere = False
        return call()


def elsewhere(deed: Attempt) -> str:
    """What comes of something in a thread of its own, for which this one waits."""
    answers: list[str | BaseException] = []

    def run() -> None:
        try:
            answers.append(deed())
        except BaseException as error:  # noqa: BLE001 - it is raised by who waits
            answers.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    (answer,) = answers
    if isinstance(answer, BaseException):
        raise answer
    return answer
