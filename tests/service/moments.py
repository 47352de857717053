"""Time, schedules and streams under a test's hand."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from engine.types import EpochMs
from functions.shared import clock
from functions.shared.store.ports import Services
from infra.client import Client
from infra.local.schedules import Scheduler
from infra.local.service import LocalService

DAY, HOUR = 86_400, 3600


def ms(text: str) -> EpochMs:
    """The instant that the API writes so."""
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def jump(service: LocalService, seconds: float) -> EpochMs:
    """Moves the clock while the referee is stopped; it goes on afterwards, as if nothing had been missed."""
    scheduler = service._scheduler
    service._scheduler = Scheduler((), clock.now())
    try:
        return service.advance(seconds)
    finally:
        scheduler.skip_to(clock.now())
        service._scheduler = scheduler


def sweep(service: LocalService) -> dict[str, int]:
    """Lets the referee run once; gives what it did."""
    done: dict[str, int] = service._invoke("RefereeFunction", {})
    service.settle()
    return done


def admin(service: LocalService, command: str, **more: Any) -> Any:
    """What an operator asks of the service."""
    return service._invoke("AdminFunction", {"command": command, **more})


def services() -> Services:
    """What the service's handlers use."""
    from functions.shared import wiring  # it reads the environment that a service has set

    return wiring.services()


def record_of(match: str) -> Any:
    """What is stored of a match."""
    record = services().matches.get(match)
    assert record is not None
    return record


def deadlines(client: Client, match: str) -> list[EpochMs | None]:
    """When each seat runs out of time; None where its clock stands."""
    seats = client.ok("GET", f"/v1/matches/{match}")["seats"]
    return [ms(seat["clock"]["deadline"]) if "deadline" in seat["clock"] else None for seat in seats]


@contextmanager
def deaf(service: LocalService) -> Iterator[None]:
    """Drops what the streams tell within the block: no consumer gets it."""
    service.settle()
    pump = service._pump
    assert pump is not None
    lanes, pump._lanes = pump._lanes, []
    try:
        yield
        service.settle()
    finally:
        pump._lanes = lanes


@contextmanager
def just_before_it_is_saved(service: LocalService, match: str, do: Callable[[], object]) -> Iterator[None]:
    """Does something once, between the reads of a request of the block and the transaction that saves its match."""
    service.settle()  # what earlier matches still write is not meant
    dynamo, done = service.dynamo, list[object]()
    assert dynamo is not None
    guard = dynamo.around

    def around(operation: str, parameters: dict[str, Any], call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        if operation == "TransactWriteItems" and f"MAT#{match}" in str(parameters) and not done:
            done.append(None)
            do()
        return call() if guard is None else guard(operation, parameters, call)

    dynamo.around = around
    try:
        yield
    finally:
        dynamo.around = guard
    assert done, "nothing saved the match"


class Stopped(BaseException):
    """The function was stopped: no line of it runs after this."""


_WRITES = ("PutItem", "DeleteItem", "UpdateItem", "BatchWriteItem", "TransactWriteItems")


@contextmanager
def cut_off(service: LocalService, place: int = -1, *, is_written: bool = True) -> Iterator[list[str]]:
    """Stops what this thread does within the block at a write of it, when that is done, or before. Gives its writes."""
    dynamo, thread, writes = service.dynamo, threading.get_ident(), list[str]()
    assert dynamo is not None
    guard = dynamo.around

    def around(operation: str, parameters: dict[str, Any], call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        if threading.get_ident() != thread or operation not in _WRITES:
            return call() if guard is None else guard(operation, parameters, call)
        writes.append(operation)
        is_here = len(writes) - 1 == place
        if is_here and not is_written:
            raise Stopped
        answer = call()
        if is_here:
            raise Stopped
        return answer

    dynamo.around = around
    try:
        with suppress(Stopped):
            yield writes
    finally:
        dynamo.around = guard
