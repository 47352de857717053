"""A history in the making: instances of the functions over one store, tasks that call them, and faults on the way."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from random import Random
from typing import Any, NamedTuple

from botocore.exceptions import ClientError

from engine.types import EpochMs
from functions.shared import clock, wiring
from functions.shared.flows import jobs, referee
from functions.shared.http import identity
from functions.shared.store import due, packing, tournament_items
from functions.shared.store.ports import ConflictError, Services, UnavailableError
from infra.local import permissions
from infra.local.dynamo import LocalDynamo
from tests.faults import world as worlds
from tests.faults.breaking import WRITES, Killed
from tests.faults.history_faults import FAILED_CONDITION, TWICE_AT_ONCE, Faults
from tests.faults.history_tasks import Tasks
from tests.faults.world import START, Call, Reply, World
from tests.kept import Kept

INSTANCES = 2
CALLS = 30_000
"""Of the database, in a history: far more than any has."""

SHARDS = 2
"""Of the due index, so that a referee has fewer to ask."""

SKEW_MS = 300
"""How far an instance's clock is off at most."""

_SHARDS = ("SHARDS", "TOURNAMENT_SHARDS")
_CONFLICTS = ("ConditionalCheckFailedException", "TransactionCanceledException")

Answer = dict[str, Any]


class Request(NamedTuple):
    """A request over HTTP."""

    method: str
    path: str
    body: Any = None
    token: str | None = None
    key: str | None = None


class Attempt:
    """One time that a request was sent."""

    def __init__(self, began: EpochMs) -> None:
        self.began = began
        self.ended: EpochMs | None = None
        self.reply: Reply | None = None
        """What the service answered, heard or not; None when the function was stopped."""


class Sent:
    """A request, however often it is sent."""

    def __init__(self, owner: str, request: Request) -> None:
        self.owner = owner
        """The player's id; empty for who has none yet."""
        self.request = request
        self.attempts: list[Attempt] = []
        self.heard: Reply | None = None
        """What its client took for the answer; None: it gave up."""
        self.heard_at: EpochMs | None = None

    @property
    def replies(self) -> list[Reply]:
        """The answers that the service gave, but for those that say to try again."""
        found = sorted((one for one in self.attempts if one.ended is not None), key=lambda one: one.ended or 0)
        return [one.reply for one in found if one.reply is not None and one.reply.status != 503]


class Instance:
    """What one process of the functions has for itself: a clock, and what it keeps in memory."""

    def __init__(self, skew_ms: int) -> None:
        self.skew_ms = skew_ms
        self.identities: dict[str, Any] = {}
        self.records = Kept()
        self.is_gone = False
        """Whether what runs in it is stopped at its next call."""


class _Run(threading.local):
    """What runs in this thread."""

    instance: Instance | None = None
    is_killed = False
    again: Callable[[], object] | None = None
    """Does the same once more, in another thread."""
    is_again = False
    """Whether this is that thread: what is done there is not done again."""


class History:
    """Everything that one seed decides. Tasks call its methods; what they leave is looked at when it is over."""

    def __init__(self, seed: str, world: World, *, has_faults: bool) -> None:
        self.seed = seed
        self.world = world
        self.tasks = Tasks(START)
        self.faults = Faults(self.random("faults"), is_on=has_faults)
        self.sent: list[Sent] = []
        self.images: list[dict[str, Any]] = []
        """What each write to the table of matches changed, in order."""
        self.busy = 0
        """How many clients are not done."""
        self.calls = 0
        self._rng = self.random("world")
        self._trace = hashlib.sha256()
        self._run = _Run()
        self._instances: list[Instance] = []

    @property
    def dynamo(self) -> LocalDynamo:
        """The store."""
        return self.world.dynamo

    @property
    def services(self) -> Services:
        """What the flows need, for looking at what is stored."""
        return wiring.services()

    @property
    def digest(self) -> str:
        """Of every call that was made, by whom and when: equal for equal histories."""
        return self._trace.hexdigest()

    def random(self, name: str) -> Random:
        """Chance for one purpose."""
        return Random(f"{self.seed} {name}")

    def deploy(self, *, cut: bool = False) -> None:
        """Replaces the oldest instance by a new one. What runs in the old one goes on to its end, unless it is cut."""
        if len(self._instances) == INSTANCES:
            self._instances.pop(0).is_gone = cut
        self._instances.append(Instance(self._rng.randint(-SKEW_MS, SKEW_MS)))

    def spawn(self, name: str, work: Any, after_ms: int = 0) -> None:
        """A client: the history goes on until it is done."""
        self.busy += 1

        def until_done() -> None:
            work()
            self.busy -= 1

        self.tasks.spawn(name, until_done, after_ms)

    def serve(self, sent: Sent) -> Reply | None:
        """Sends a request once. None when the function was stopped."""
        request, attempt = sent.request, Attempt(self.tasks.now)
        sent.attempts.append(attempt)
        path, _, query = request.path.partition("?")
        parts = dict(part.split("=") for part in query.split("&")) if query else {}
        try:
            with self._somewhere(partial(self.serve, sent) if request.key is not None else None):
                reply = self.world.call(request.method, path, request.body, request.token, request.key, **parts)
        except Killed:
            attempt.ended = self.tasks.now
            return None
        assert reply.status < 500 or reply.code == "try-again", (request, reply)
        attempt.reply, attempt.ended = reply, self.tasks.now
        return reply

    def invoke(self, function: str, event: Any) -> Any:
        """Calls a function that a stream or a schedule drives. Raises `Killed`."""
        with self._somewhere(partial(self.fire, function, event)):
            return self.world.invoke(function, event)

    def fire(self, function: str, event: Any) -> None:
        """Calls a function; when it fails, or is stopped, others do what is left."""
        with suppress(Killed, UnavailableError, ConflictError):
            done = self.invoke(function, event)
            assert not done.get("failed"), (function, done)

    def now(self) -> EpochMs:
        """The time, as the instance has it that asks."""
        instance = self._run.instance
        return self.tasks.now + (0 if instance is None else instance.skew_ms)

    def wire(self, services: Services) -> Services:
        """The services with the time, the chance and the pauses of this history."""
        return services._replace(
            now=self.now, random_bytes=self._rng.randbytes, pause=self._pause, secret=b"secret of the histories"
        )

    def around(self, operation: str, parameters: Answer, call: Call) -> Answer:
        """Stands round every call of the database."""
        return permissions.guard(operation, parameters, lambda: self._called(operation, parameters, call))

    @contextmanager
    def _somewhere(self, again: Callable[[], object] | None) -> Iterator[None]:
        run = self._run
        run.instance, run.is_killed, run.again = self._rng.choice(self._instances), False, again
        if run.is_again:
            run.again = None
        self._go_on()
        try:
            yield
        finally:
            run.instance = None

    def _do_again(self, work: Callable[[], object]) -> None:
        self._run.is_again = True
        work()

    def _go_on(self) -> None:
        """What runs in this thread has the memory of its instance again, and the time that has passed."""
        instance = self._run.instance
        if instance is not None:
            identity._kept, packing._kept = instance.identities, instance.records
        self.world.clock.set(self.tasks.now)

    def _pause(self, seconds: float) -> None:
        self.tasks.sleep(round(1000 * seconds))
        self._go_on()

    def _called(self, operation: str, parameters: Answer, call: Call) -> Answer:
        run = self._run
        if run.instance is None:
            return call()
        self.tasks.sleep(self.faults.latency_ms())
        if run.again is not None and operation in WRITES and self.faults.happens(TWICE_AT_ONCE, 4):
            self.tasks.spawn(f"{self.tasks.name}, at once", partial(self._do_again, run.again))
            self.tasks.sleep(self._rng.randrange(3000))
        self._go_on()
        if run.instance.is_gone and not run.is_killed:
            self.faults.done["cut off by a deploy"] += 1
            run.is_killed = True
        if run.is_killed:  # of what was stopped no line runs any more, whatever is written to run at the end
            raise Killed
        hook = self.faults.draw(operation, parameters)
        self.calls += 1
        assert self.calls < CALLS, "the history has no end"
        self._trace.update(f"{self.tasks.now} {self.tasks.name} {operation} {hook.__name__}\n".encode())
        try:
            return hook(operation, parameters, call)
        except Killed:
            run.is_killed = True
            raise
        except ClientError as error:
            if error.response["Error"]["Code"] in _CONFLICTS and "a fault of the tests" not in str(error):
                self.faults.done[FAILED_CONDITION] += 1
            raise


@contextmanager
def begun(seed: str, *, has_faults: bool = True) -> Iterator[History]:
    """A history with an empty store. Afterwards time and chance are what they were."""
    with worlds.running() as world:
        history = History(seed, world, has_faults=has_faults)
        before: Any = clock.source, wiring.services, identity._kept, packing._kept, world.dynamo.around
        services = history.wire(wiring.services())
        clock.source, wiring.services = history.now, lambda: services  # type: ignore[assignment]
        world.dynamo.around = history.around
        for _ in range(INSTANCES):
            history.deploy()
        try:
            with _few_shards():
                yield history
        finally:
            history.tasks.abandon()
            clock.source, wiring.services, identity._kept, packing._kept, world.dynamo.around = before


@contextmanager
def _few_shards() -> Iterator[None]:
    places = [
        (module, name) for module in (due, referee, jobs, tournament_items) for name in _SHARDS if hasattr(module, name)
    ]
    before = [getattr(module, name) for module, name in places]
    for module, name in places:
        setattr(module, name, SHARDS)
    try:
        yield
    finally:
        for (module, name), shards in zip(places, before, strict=True):
            setattr(module, name, shards)
