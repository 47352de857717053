"""What players are told of a tournament goes with what happens: of what is refused nobody is told, and what was done is
told whoever is stopped after it, each player once."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import pytest

from functions.shared.flows.tournaments import cascading, creating, drawing, life, ruling
from functions.shared.flows.tournaments.creating import RegistrationOrder
from functions.shared.problems import Problem, Rejected
from functions.shared.store.records_tournament import Phase, Step
from tests.faults import tournament_events as events
from tests.faults import world as worlds
from tests.faults.breaking import Counting, Killed, Stopping, killed_after, killed_before, on, plain
from tests.faults.tournament_events import Event
from tests.faults.world import Call, Hook, World

OF_COMMITS = ("tournament-invited", "tournament-promoted", "tournament-removed", "tournament-ruling")
"""News of what an organizer or another player does."""


def told(event: Event) -> Counter[tuple[int, str]]:
    """How often each player, by number, is told each of these."""
    notices = [
        (number, one)
        for number, player in enumerate(event.players, 1)
        for one in event.services.inbox.read(player, "", 1000).notices
    ]
    return Counter((number, one.type) for number, one in notices if one.type in OF_COMMITS)


def rule(event: Event, where: str, ranks: tuple[int, ...] = (2, 1), cascade: bool = True) -> ruling.Ruling:
    pairing = life.pairing_id(event.id, life.key_of(where))
    key, now = events.keyed(event.organizer, where, "key"), event.world.clock.now()
    return ruling.rule(event.services, event.record, event.organizer, pairing, ranks, "a reason", cascade, key, now)


def cancel(event: Event) -> None:
    key = events.keyed(event.organizer, "cancel")
    creating.cancel(event.services, event.record, event.organizer, "rain", key, event.world.clock.now())


# What is one transaction


class Deed(NamedTuple):
    """Something that players are told of, of an event of four of whom two have a place, or which has begun."""

    act: Callable[[Event], Any]
    has_begun: bool
    told: dict[tuple[int, str], int]


def invite(event: Event) -> None:
    events.enter(event, event.players[4], by=event.organizer)


DEEDS = {
    "an invitation": Deed(invite, False, {(5, "tournament-invited"): 1}),
    "a withdrawal": Deed(partial(events.withdraw, number=1), False, {(3, "tournament-promoted"): 1}),
    "a removal": Deed(
        lambda event: events.withdraw(event, 1, event.organizer),
        False,
        {(1, "tournament-removed"): 1, (3, "tournament-promoted"): 1},
    ),
    "a larger capacity": Deed(
        lambda event: creating.change(
            event.services, event.record, event.organizer, {"registration.capacity": 3}, event.world.clock.now()
        ),
        False,
        {(3, "tournament-promoted"): 1},
    ),
    "a removal from play": Deed(
        lambda event: events.withdraw(event, 1, event.organizer), True, {(1, "tournament-removed"): 1}
    ),
    "a ruling": Deed(
        partial(rule, where="main/1/1"), True, dict.fromkeys([(1, "tournament-ruling"), (4, "tournament-ruling")], 1)
    ),
}


def before(world: World, deed: Deed) -> Event:
    registration = RegistrationOrder(capacity=None if deed.has_begun else 2)
    event = events.entered(world, "single-elimination", 4, registration=registration)
    if deed.has_begun:
        events.begin(event)
    return event._replace(players=(*event.players, *events.register(1)))


def on_commit(hook: Hook, which: int = 1) -> Hook:
    """The hook for a transaction on the tournaments, by number."""
    left = [which]

    def chosen(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        left[0] -= 1
        return hook(operation, parameters, call) if left[0] == 0 else call()

    return on("TransactWriteItems", chosen, times=which, table="TournamentsTable")


def commits(name: str) -> int:
    """In which transaction players are told: a larger capacity comes before those who move up."""
    return 2 if name == "a larger capacity" else 1


@pytest.mark.parametrize("name", DEEDS)
def test_what_was_done_is_told_though_the_function_is_stopped_right_after_it(world: World, name: str) -> None:
    deed = DEEDS[name]
    event = before(world, deed)
    with world.around(on_commit(killed_after, commits(name))), pytest.raises(Killed):
        deed.act(event)
    assert told(event) == deed.told
    deed.act(event)
    world.advance(60)
    world.sweep()
    events.deliver(event)
    assert told(event) == deed.told


@pytest.mark.parametrize("name", DEEDS)
def test_nobody_is_told_before_it_is_done(world: World, name: str) -> None:
    deed = DEEDS[name]
    event = before(world, deed)
    with world.around(on_commit(killed_before, commits(name))), pytest.raises(Killed):
        deed.act(event)
    assert not told(event)


@pytest.mark.parametrize("name", DEEDS)
def test_what_players_are_told_costs_no_call_of_its_own(world: World, name: str) -> None:
    deed, counting = DEEDS[name], Counting()
    event = before(world, deed)
    with world.around(counting):
        deed.act(event)
    assert told(event) == deed.told
    assert counting.calls.count("TransactWriteItems") >= commits(name)
    assert "BatchWriteItem" not in counting.calls


@pytest.mark.parametrize("name", [name for name in DEEDS if name != "a larger capacity"])
def test_of_what_is_refused_nobody_is_told(world: World, name: str) -> None:
    """The tournament is cancelled at the last moment."""
    deed = DEEDS[name]
    event = before(world, deed)

    def overtaken(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        cancel(event)
        return call()

    with world.around(on_commit(overtaken)), pytest.raises(Rejected) as caught:
        deed.act(event)
    assert caught.value.code is Problem.CONFLICT
    events.deliver(event)
    assert event.record.phase is Phase.CANCELLED
    assert not told(event)


def test_a_ruling_that_now_needs_cascade_is_told_to_nobody(world: World) -> None:
    event = events.started(world, "single-elimination", 4)
    events.play_at(event, "main/1/2")

    def overtaken(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        events.play_at(event, "main/1/1")
        return call()

    with world.around(on_commit(overtaken)), pytest.raises(Rejected) as caught:
        rule(event, "main/1/1", cascade=False)
    assert caught.value.code is Problem.CONFLICT
    assert not told(event)
    rule(event, "main/1/1")
    assert told(event) == dict.fromkeys([(number, "tournament-ruling") for number in (1, 2, 4)], 1)


# What is carried on in steps


def of_a_bracket(world: World) -> Event:
    """A double elimination whose grand final is being played."""
    event = events.started(world, "double-elimination", 7)
    while True:
        matches = events.running(event)
        fixtures = [event.match(match).fixture for match in matches]
        if [fixture.stage for fixture in fixtures if fixture] == ["final"]:
            return event
        for match in matches:
            events.finish(event, match, events.by_strength(event)(match))
        events.deliver(event)


def of_heats(world: World) -> Event:
    """Heats for all, whose third round is being played."""
    event = events.started(world, "heats", 8, rounds=5, match=creating.MatchOrder(seats=3))
    for _ in range(2):
        for match in events.running(event):
            events.finish(event, match, events.by_strength(event)(match))
        events.deliver(event)
    assert event.record.round == 3
    return event


class Case(NamedTuple):
    """An event, a pairing that it begins with, and whom another result of that concerns, by number."""

    make: Callable[[World], Event]
    where: str
    concerned: list[int]


CASES = {
    "a bracket": Case(of_a_bracket, "winners/1/2", [1, 2, 3, 4, 5, 6]),
    "heats": Case(of_heats, "main/1/1", [1, 2, 3, 4, 5, 6, 7, 8]),
}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a transaction held twelve items, and a call brought two pairings on."""
    monkeypatch.setattr(cascading, "MOST", 12)
    monkeypatch.setattr(cascading, "CARRIED", 1)
    monkeypatch.setattr(cascading, "NOTES", 2)
    monkeypatch.setattr(drawing, "CALLED", 2)


def overturn(event: Event, where: str) -> ruling.Ruling:
    """Turns the result of a pairing round, as it was at first."""
    size = len(events.at(event, where).pairing.sides)
    strongest_last = sorted(range(size), key=lambda side: -events.players_of(event, where)[side])
    return rule(event, where, tuple(strongest_last.index(side) + 1 for side in range(size)))


def carried(case: Case, place: int | None = None, *, is_forgotten: bool = False) -> tuple[dict[int, list[int]], int]:
    """A ruling that is stopped after a write and carried to its end: how often who is told of it is, for each id that
    this has; and how many writes there were."""
    with worlds.running() as world:
        stopping = Stopping(place)
        event = case.make(world)._replace(hook=stopping, is_forgotten=is_forgotten)
        try:
            with world.around(stopping):
                overturn(event, case.where)
        except Killed:
            assert overturn(event, case.where).replayed
        for _ in range(3):
            events.deliver(event)
            world.advance(60)
            events.sweep(event)
        assert event.record.step is Step.REST
        found: dict[int, Counter[str]] = {}
        for number, player in enumerate(event.players, 1):
            notices = event.services.inbox.read(player, "", 1000).notices
            found[number] = Counter(one.id for one in notices if one.type == "tournament-ruling")
        return {number: list(ids.values()) for number, ids in found.items() if ids}, stopping.writes


@pytest.mark.parametrize("name", CASES)
def test_whom_a_ruling_concerns_is_told_once(name: str) -> None:
    case = CASES[name]
    assert carried(case)[0] == {number: [1] for number in case.concerned}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", CASES)
def test_whom_a_ruling_concerns_that_is_carried_on_is_told_once(name: str) -> None:
    case = CASES[name]
    assert carried(case)[0] == {number: [1] for number in case.concerned}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("is_forgotten", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_whom_a_ruling_concerns_is_told_whatever_write_it_is_stopped_after(name: str, is_forgotten: bool) -> None:
    case = CASES[name]
    _, writes = carried(case)
    for place in range(int(is_forgotten), min(writes, 9), 3):
        found, _ = carried(case, place, is_forgotten=is_forgotten)
        assert {number: len(ids) for number, ids in found.items()} == dict.fromkeys(case.concerned, 1), place


class Sizes:
    """Notes how many items each transaction has."""

    def __init__(self) -> None:
        self.items: list[int] = []

    def __call__(self, operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        if operation == "TransactWriteItems":
            self.items.append(len(parameters["TransactItems"]))
        return plain(operation, parameters, call)


def within(most: int) -> tuple[bool, int]:
    """Whether a ruling has to be carried on when a transaction holds so many items, and how many its first one has."""
    case, sizes = CASES["a bracket"], Sizes()
    with pytest.MonkeyPatch.context() as patch, worlds.running() as world:
        patch.setattr(cascading, "MOST", most)
        event = case.make(world)
        with world.around(sizes):
            overturn(event, case.where)
        return event.record.step is Step.UNDO, sizes.items[0]


def test_a_ruling_is_one_transaction_as_long_as_that_has_room_for_all_who_are_told() -> None:
    is_carried_on, size = within(100)
    assert not is_carried_on
    assert within(size) == (False, size)
    is_carried_on, first = within(size - 1)
    assert is_carried_on
    assert first < size


@pytest.mark.usefixtures("small")
def test_whom_the_first_transaction_of_a_ruling_concerns_is_told_in_it(world: World) -> None:
    case = CASES["a bracket"]
    event = case.make(world)
    first = [case.where, "winners/2/1", "losers/1/1"]
    whom = {number for where in first for number in events.players_of(event, where)}
    overturn(event, case.where)
    whom |= {number for where in first for number in events.players_of(event, where)}
    assert len(whom) < len(case.concerned)
    assert whom <= {number for number, _ in told(event)}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", CASES)
def test_whom_a_ruling_has_not_reached_when_the_tournament_is_cancelled_is_not_told_of_it(
    world: World, name: str
) -> None:
    case = CASES[name]
    event = case.make(world)
    overturn(event, case.where)
    at_once = told(event)
    assert len(at_once) < len(case.concerned)
    cancel(event)
    events.deliver(event)
    assert told(event) == at_once
