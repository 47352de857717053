"""The service without its gateway and pollers: handlers called with payload 2.0 events, over the embedded DynamoDB.

The clock stands still, streams and schedules move, and calls of the database fail, only when a test says so.
"""

import hashlib
import importlib
import itertools
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlencode

from engine.match.record import Match
from functions.shared import clock
from infra.local import events, permissions, template
from infra.local.context import REGION, LambdaContext
from infra.local.dynamo import LocalDynamo
from infra.local.dynamo_install import installed
from infra.local.routes import Router
from infra.local.service import TEMPLATE, ManualClock
from infra.local.wire import Request

STACK = template.load(TEMPLATE, {"LogLevel": "CRITICAL"}, "secret of the fault tests")
START = 1_764_460_800_000
"""30 November 2025, midnight UTC."""

_ROUTER = Router(STACK.routes)
_names = itertools.count(1)

Call = Callable[[], dict[str, Any]]
Hook = Callable[[str, dict[str, Any], Call], dict[str, Any]]


def environment() -> dict[str, str]:
    """What the handlers' modules find in their environment; they read it when they are first imported."""
    found = {"AWS_REGION": REGION, "AWS_DEFAULT_REGION": REGION, "POWERTOOLS_METRICS_DISABLED": "true"}
    found["RATE_LIMITS"] = "off"
    found |= dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), "local")
    for function in STACK.functions.values():
        found |= function.environment
    return found


def prepare() -> None:
    """Let modules be imported that read the environment; what is set already stays."""
    for name, value in environment().items():
        os.environ.setdefault(name, value)


def record_of(match: str) -> Any:
    """What is stored of a match, in the store that is installed."""
    from functions.shared import wiring

    found = wiring.services().matches.get(match)
    assert found is not None
    return found


def whole_of(match: str) -> Match:
    """A match with all of its log, what was put away included."""
    from functions.shared import wiring

    kept: Match = record_of(match).match
    parts = wiring.services().matches.log_parts(match, 1, kept.put_away) if kept.put_away else []
    numbers = [part.first + i for part in parts for i in range(len(part.entries))]
    assert numbers == list(range(1, kept.put_away + 1))
    return kept._replace(put_away=0, log=(*(entry for part in parts for entry in part.entries), *kept.log))


class Reply(NamedTuple):
    """What a handler answered."""

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def code(self) -> str:
        """The problem's code; the empty text for a success."""
        return str(self.body["code"]) if self.status >= 400 else ""


class Caller(NamedTuple):
    """A player and their token."""

    world: "World"
    id: str
    name: str
    token: str

    def call(self, method: str, path: str, body: Any = None, key: str | None = None, **query: object) -> Reply:
        """One request."""
        return self.world.call(method, path, body, self.token, key, **query)

    def ok(self, method: str, path: str, body: Any = None, key: str | None = None, **query: object) -> Any:
        """The body of a request that succeeds."""
        reply = self.call(method, path, body, key, **query)
        assert reply.status < 300, reply
        return reply.body

    def act(self, match: str, turn: int | None, action: Any, key: str | None = None) -> Reply:
        """An action in a turn."""
        body = {"action": action} | ({} if turn is None else {"turn": turn})
        return self.call("POST", f"/v1/matches/{match}/actions", body, key)


class World:
    """The functions over one store. Any thread may call."""

    def __init__(self, dynamo: LocalDynamo | None, now: ManualClock) -> None:
        self._dynamo = dynamo
        self.clock = now
        self.handlers = {
            name: getattr(importlib.import_module(module), attribute)
            for name, function in STACK.functions.items()
            for module, _, attribute in [function.handler.rpartition(".")]
        }

    @property
    def dynamo(self) -> LocalDynamo:
        """The embedded store."""
        assert self._dynamo is not None
        return self._dynamo

    def invoke(self, name: str, event: Any) -> Any:
        """Call a function as Lambda does: its event is JSON, its policies hold."""
        function = STACK.functions[name]
        with permissions.acting(function):
            return self.handlers[name](json.loads(json.dumps(event)), LambdaContext(function))

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        token: str | None = None,
        key: str | None = None,
        **query: object,
    ) -> Reply:
        """One HTTP request, through API Gateway's event and answer."""
        headers = [("host", "localhost"), ("content-type", "application/json")]
        headers += [("authorization", f"Bearer {token}")] if token is not None else []
        headers += [("idempotency-key", key)] if key is not None else []
        target = path + ("?" + urlencode(query) if query else "")
        sent = Request(method, target, "HTTP/1.1", headers, b"" if body is None else json.dumps(body).encode(), True)
        where = events.target(sent)
        match = _ROUTER.match(method, where.path)
        assert match is not None
        event = events.event(sent, where, match, "127.0.0.1", 80, self.clock.now())
        answer = events.reply(self.invoke(match.route.function, event))
        return Reply(answer.status, dict(answer.headers), json.loads(answer.body) if answer.body else None)

    def player(self) -> Caller:
        """A new player."""
        name = f"fault-{next(_names)}"
        reply = self.call("POST", "/v1/players", {"name": name})
        assert reply.status == 201, reply
        return Caller(self, reply.body["player"]["id"], name, reply.body["token"])

    def players(self, count: int) -> list[Caller]:
        """New players."""
        return [self.player() for _ in range(count)]

    def table(self, callers: list[Caller], game: str = "misfortune", **order: Any) -> str:
        """A match that has started, with the callers in their order, each with a nonce of 16 bytes."""
        nonces = [hashlib.sha256(caller.id.encode()).hexdigest()[:32] for caller in callers]
        order = {"game": game, "seats": len(callers), "nonce": nonces[0], **order}
        match = callers[0].ok("POST", "/v1/matches", order)["id"]
        for caller, nonce in zip(callers[1:], nonces[1:], strict=True):
            caller.ok("POST", f"/v1/matches/{match}/join", {"nonce": nonce})
        return str(match)

    def advance(self, seconds: float) -> None:
        """Move the clock; nothing else happens."""
        self.clock.set(self.clock.now() + round(1000 * seconds))

    def sweep(self) -> dict[str, int]:
        """Run the referee once."""
        done: dict[str, int] = self.invoke("RefereeFunction", {})
        return done

    def stream(self) -> list[dict[str, Any]]:
        """Take the records of the matches' stream that the settling function would get."""
        records = self.dynamo.take_records("MatchesTable", 10_000)
        return [record for record in records if "ended" in record["dynamodb"].get("NewImage", {})]

    def settle(self, records: list[dict[str, Any]]) -> Any:
        """Give records to the settling function."""
        return self.invoke("SettleFunction", {"Records": records})

    def items(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Every item of both tables, by its key."""
        tables = ("PlayersTable", "MatchesTable")
        every = [item for name in tables for item in self.dynamo.items(name)]
        return {(item["pk"]["S"], item["sk"]["S"]): item for item in every}

    @contextmanager
    def around(self, hook: Hook) -> Iterator[None]:
        """Let a hook stand round every call of the database within the block; of several the first is the outermost."""
        before = self.dynamo.around
        assert before is not None
        guard = before

        def hooked(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
            return guard(operation, parameters, lambda: hook(operation, parameters, call))

        self.dynamo.around = hooked
        try:
            yield
        finally:
            self.dynamo.around = before


@contextmanager
def standing_clock() -> Iterator[ManualClock]:
    """Let the service's time stand still at `START`."""
    source, now = clock.source, ManualClock(START)
    clock.source = now.now
    try:
        yield now
    finally:
        clock.source = source


@contextmanager
def running() -> Iterator[World]:
    """A world of its own: an empty store, and the clock at `START`."""
    with standing_clock() as now:
        dynamo = LocalDynamo(region=REGION, clock=lambda: now.now() / 1000)
        dynamo.create_tables(STACK.tables)
        dynamo.around = permissions.guard
        with installed(dynamo):
            yield World(dynamo, now)
