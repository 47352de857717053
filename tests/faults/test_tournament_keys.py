"""Requests of organizers and entrants that are cut off, or come twice at once, with one key: carried out once."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.types import EpochMs
from functions.shared.flows.marks import Key
from functions.shared.flows.tournaments import creating, entering, life, reading, ruling
from functions.shared.flows.tournaments.creating import RegistrationOrder
from functions.shared.store.ports import Services
from tests.faults import tournament_events as events
from tests.faults.breaking import Killed, killed_after, on
from tests.faults.tournament_events import STARTS, Event, keyed
from tests.faults.world import Call, World

Request = Callable[[Event, Services, Key, EpochMs], Any]


def cancel(event: Event, services: Services, key: Key, now: EpochMs) -> Any:
    return creating.cancel(services, event.record, event.organizer, "rain", key, now)


def start(event: Event, services: Services, key: Key, now: EpochMs) -> Any:
    return creating.start_now(services, event.record, event.organizer, key, now)


def name_organizer(event: Event, services: Services, key: Key, now: EpochMs) -> Any:
    return creating.add_organizer(services, event.record, event.organizer, event.players[0], key, now)


def check_in(event: Event, services: Services, key: Key, now: EpochMs) -> Any:
    return entering.check_in(services, event.record, event.players[0], key, now)


def confirm(event: Event, services: Services, key: Key, now: EpochMs) -> Any:
    """Asks for an entry that is there already."""
    player = event.players[0]
    return entering.enter(services, event.record, player, player, None, None, lambda: None, key, now)


def rule(event: Event, services: Services, key: Key, now: EpochMs) -> Any:
    pairing = life.pairing_id(event.id, life.key_of("main/1/1"))
    return ruling.rule(services, event.record, event.organizer, pairing, (2, 1), "a reason", False, key, now)


REQUESTS: list[Request] = [cancel, start, name_organizer, check_in, confirm, rule]


def prepared(world: World, request: Request) -> Event:
    """An event in which the request can be carried out."""
    registration = RegistrationOrder(check_in_minutes=0 if request is rule else 10)
    event = events.entered(world, "single-elimination", 4, registration=registration)
    if request is rule:
        events.begin(event)
    if request is check_in:
        world.clock.set(STARTS - 60_000)
    return event


def done(event: Event) -> list[str]:
    """What the audit says was done."""
    return [entry.action for entry in reading.audit(event.services, event.record, None, 20).entries]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: one.__name__)
def test_a_request_that_was_cut_off_is_known_when_it_comes_again(world: World, request_: Request) -> None:
    event = prepared(world, request_)
    services, key = event.services, keyed(event.organizer, "request", "key")
    now = world.clock.now()
    with world.around(on("TransactWriteItems", killed_after, table="PlayersTable")), pytest.raises(Killed):
        request_(event, services, key, now)
    before = done(event)
    assert request_(event, services, key, now).replayed
    assert done(event) == before


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: one.__name__)
def test_of_two_that_come_at_once_one_is_carried_out(world: World, request_: Request) -> None:
    event = prepared(world, request_)
    services, key = event.services, keyed(event.organizer, "request", "key")
    now = world.clock.now()
    found = []

    def overtaken(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        found.append(request_(event, services, key, now))
        return call()

    with world.around(on("TransactWriteItems", overtaken, table="PlayersTable")):
        found.append(request_(event, services, key, now))
    assert [one.replayed for one in found] == [False, True]
    assert len(done(event)) == len(set(done(event)))
