"""The whole service in one process: the stack's handlers behind its routes, streams and schedules."""

import importlib
import json
import math
import os
import secrets
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from engine.types import EpochMs
from functions.shared import clock
from infra.local import endpoint, permissions, schedules, template
from infra.local.context import REGION, LambdaContext
from infra.local.dynamo import LocalDynamo
from infra.local.dynamo_install import installed
from infra.local.gateway import Gateway, Handler
from infra.local.schedules import Scheduler, ScheduleThread
from infra.local.streams import StreamPump
from infra.local.template import Function, Schedule, Stack
from infra.local.wire import Reply, Request

TEMPLATE = Path(__file__).resolve().parents[2] / "template.yaml"

MAX_ADVANCE = 400 * 86_400
"""Seconds that the manual clock goes at once."""


class LocalService:
    """A stack that runs here. Between `start` and `stop` the handlers' environment, store and clock are its own,
    so a process runs one at a time; the handlers' modules keep the tables' names, which are the logical ids.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        endpoint_url: str | None = None,
        manual_clock: bool = False,
        loopback_webhooks: bool = False,
        path: Path = TEMPLATE,
    ) -> None:
        """`endpoint_url` is a DynamoDB-compatible endpoint to use instead of the embedded one; `loopback_webhooks` lets
        webhooks lead to this machine, too."""
        # Every run has a secret of its own, unless it is given one: cursors and retries outlive a run only with it.
        secret = os.environ.get("SERVICE_SECRET") or secrets.token_hex(32)
        log_level = os.environ.get("LOG_LEVEL", "WARNING")
        self.stack = template.load(path, {"LogLevel": log_level}, secret)
        self.url = ""
        self.dynamo: LocalDynamo | None = None
        self._address = (host, port)
        self._endpoint_url = endpoint_url
        self._loopback_webhooks = loopback_webhooks
        self._manual = ManualClock(clock.now()) if manual_clock else None
        self._advancing = threading.Lock()
        self._undo = ExitStack()
        self._handlers: Mapping[str, Handler] = {}
        self._pump: StreamPump | None = None
        self._scheduler = Scheduler(self.stack.schedules, clock.now())

    def start(self) -> None:
        """Serve, in the background. Raises `OSError` when the port is taken, botocore's errors for a bad endpoint."""
        with ExitStack() as undo:
            self._start(undo)
            self._undo = undo.pop_all()

    def stop(self) -> None:
        """Stop serving and give the process its environment, store and clock back."""
        self._undo.close()

    def settle(self) -> None:
        """Deliver the streams' records until nothing is left."""
        self._streams.settle()

    def advance(self, seconds: float) -> EpochMs:
        """Move the manual clock; each schedule runs at its moments on the way, with what follows on the streams.

        Gives the new time. Raises `ValueError` without a manual clock.
        """
        if self._manual is None:
            raise ValueError("the clock is not manual")
        with self._advancing:
            end = self._manual.now() + round(1000 * seconds)
            self.settle()
            self._scheduler.run_until(end, self._fire_at)
            self._manual.set(end)
            self.settle()
            return end

    @property
    def _streams(self) -> StreamPump:
        if self._pump is None:
            raise RuntimeError("the service has not been started")
        return self._pump

    def _start(self, undo: ExitStack) -> None:
        if self._manual is not None:
            undo.callback(setattr, clock, "source", clock.source)
            clock.source = self._manual.now
        self._set_environment(undo, _shared_environment(self.stack, self._endpoint_url))
        self._set_environment(undo, {"WEBHOOKS_TO_LOOPBACK": "on" if self._loopback_webhooks else "off"})
        self._open_store(undo)
        self._handlers = {name: self._load(function) for name, function in self.stack.functions.items()}
        host, port = self._address
        streams = self._streams
        chore = None if self.dynamo is None else streams.step
        gateway = Gateway(
            self.stack, self._handlers, clock.now, host=host, port=port, local=self._controls(), chore=chore
        )
        self.url = f"http://{host}:{gateway.port}"
        if self.dynamo is not None:

            def told(table: str) -> None:
                del table
                streams.wake()
                gateway.wake()

            self.dynamo.on_records = told
        else:
            # To ask another process for records takes longer than an answer may wait.
            streams.start()
            undo.callback(streams.stop)
        gateway.start()
        undo.callback(gateway.stop)
        if self._manual is None:
            thread = ScheduleThread(self._scheduler, clock.now, self._fire)
            thread.start()
            undo.callback(thread.stop)

    def _open_store(self, undo: ExitStack) -> None:
        if self._endpoint_url is None:
            dynamo = LocalDynamo(region=REGION, clock=lambda: clock.now() / 1000)
            dynamo.create_tables(self.stack.tables)
            undo.enter_context(installed(dynamo))
            self._pump = StreamPump(self.stack.streams, dynamo, self._invoke)
            dynamo.around = permissions.guard
            self.dynamo = dynamo
        else:
            dynamodb, streams = (endpoint.client(name, self._endpoint_url) for name in ("dynamodb", "dynamodbstreams"))
            endpoint.create_missing_tables(dynamodb, self.stack.tables)
            source = endpoint.PolledStreams(dynamodb, streams)
            self._pump = StreamPump(self.stack.streams, source, self._invoke, poll=endpoint.POLL)

    def _load(self, function: Function) -> Handler:
        # In Lambda each function has its own environment; here only what a module reads while it is imported can be.
        os.environ.update(function.environment)
        module, _, attribute = function.handler.rpartition(".")
        handler: Handler = getattr(importlib.import_module(module), attribute)

        def act(event: Any, context: Any) -> Any:
            with permissions.acting(function):
                return handler(event, context)

        return act

    def _set_environment(self, undo: ExitStack, environment: Mapping[str, str]) -> None:
        before = {name: os.environ.get(name) for name in environment}

        def restore() -> None:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value

        undo.callback(restore)
        os.environ.update(environment)

    def _invoke(self, name: str, event: Any) -> Any:
        return self._handlers[name](event, LambdaContext(self.stack.functions[name]))

    def _fire(self, schedule: Schedule, at: EpochMs) -> None:
        try:
            self._invoke(schedule.function, schedules.event(schedule, at))
        except Exception:  # noqa: BLE001 - whatever a function raises, the next time comes
            sys.stderr.write(f"{schedule.function} failed on its schedule\n{traceback.format_exc()}")

    def _fire_at(self, schedule: Schedule, at: EpochMs) -> None:
        if self._manual is not None:
            self._manual.set(at)
        self._fire(schedule, at)
        self.settle()

    def _controls(self) -> dict[str, Callable[[Request], Reply]]:
        controls: dict[str, Callable[[Request], Reply]] = {"/_local/health": lambda _: _json(200, {"status": "ok"})}
        controls["/_local/admin"] = self._administer
        controls["/_local/failures"] = lambda _: _json(200, [failure._asdict() for failure in self._streams.failures])
        if self._manual is not None:
            controls["/_local/clock"] = self._move_clock
        return controls

    def _administer(self, request: Request) -> Reply:
        """What `bluffhouse admin` sends to a deployed stack by invoking its function."""
        if request.method != "POST":
            return _json(405, {"message": 'POST {"command": …}'})
        try:
            event = json.loads(request.body)
        except ValueError:
            return _json(400, {"message": "the body must be JSON"})
        if not isinstance(event, dict):
            return _json(400, {"message": "the body must be a JSON object"})
        return _json(200, self._invoke("AdminFunction", event))

    def _move_clock(self, request: Request) -> Reply:
        if request.method != "POST":
            return _json(405, {"message": 'POST {"advance": seconds}'})
        seconds = _advance_of(request.body)
        if seconds is None:
            return _json(400, {"message": f"advance must be a number from 0 to {MAX_ADVANCE}"})
        return _json(200, {"now": clock.rfc3339(self.advance(seconds))})


class ManualClock:
    """A time that stands still until it is set."""

    def __init__(self, start: EpochMs) -> None:
        self._now = start

    def now(self) -> EpochMs:
        """The time, in milliseconds."""
        return self._now

    def set(self, now: EpochMs) -> None:
        """Go to another time."""
        self._now = now


def _shared_environment(stack: Stack, endpoint_url: str | None) -> dict[str, str]:
    environment = {
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "POWERTOOLS_METRICS_DISABLED": "true",  # they are log lines for a service that isn't here
        "RATE_LIMITS": os.environ.get("RATE_LIMITS", "off"),  # here all callers are one address
    }
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        environment[name] = os.environ.get(name, "local")
    if endpoint_url is not None:
        environment["AWS_ENDPOINT_URL_DYNAMODB"] = endpoint_url
    for function in stack.functions.values():
        environment.update(function.environment)
    return environment


def _advance_of(body: bytes) -> float | None:
    try:
        value = json.loads(body)
    except ValueError:
        return None
    seconds = value.get("advance") if isinstance(value, dict) else None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not math.isfinite(seconds):
        return None
    return seconds if 0 <= seconds <= MAX_ADVANCE else None


def _json(status: int, value: object) -> Reply:
    return Reply(status, (("content-type", "application/json"),), json.dumps(value).encode())
