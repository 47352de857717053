"""Time, schedules and streams under a test's hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from engine.types import EpochMs
from functions.shared import clock
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


def record_of(match: str) -> Any:
    """What is stored of a match."""
    from functions.shared import wiring  # it names the tables of the environment that a service has set

    record = wiring.services().matches.get(match)
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
