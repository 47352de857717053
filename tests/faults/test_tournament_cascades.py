"""Rulings that change more of a bracket than a transaction holds: carried on in steps that may be cut off anywhere."""

import random
from collections.abc import Iterable
from typing import Any

import pytest

from engine import tournament as engine
from engine.match.record import Status
from engine.tournament import course, rulings
from engine.tournament.protocol import Ended, Entrant, Facts, Key, Pairing, Settings, Started
from functions.shared import wiring
from functions.shared.flows.tournaments import cascading, life, rounds, ruling, starting
from functions.shared.problems import Problem, Rejected
from functions.shared.store.records_tournament import (
    Change,
    EntryRecord,
    EntryState,
    PairingRecord,
    Phase,
    Step,
    TournamentRecord,
)
from tests.faults import tournament_events as events
from tests.faults import world as worlds
from tests.faults.breaking import Killed, Stopping, plain
from tests.faults.tournament_events import Event, keyed, play_at, started
from tests.faults.world import Call, World

RULED = "winners/1/2"
HALF = starting.BATCH // 2
"""Each entry stands in its player's list, too."""


def rule(event: Event, where: str = RULED, ranks: tuple[int, ...] = (2, 1)) -> ruling.Ruling:
    pairing = life.pairing_id(event.id, life.key_of(where))
    key, now = keyed(event.organizer, where, "key"), event.world.clock.now()
    return ruling.rule(event.services, event.record, event.organizer, pairing, ranks, "a reason", True, key, now)


def before_the_final(world: World, n: int) -> Event:
    """A double elimination of which the grand final is being played; the earlier somebody entered, the stronger."""
    event = started(world, "double-elimination", n)
    while True:
        matches = events.running(event)
        fixtures = [event.match(match).fixture for match in matches]
        if [fixture.stage for fixture in fixtures if fixture] == ["final"]:
            return event
        for match in matches:
            events.finish(event, match, events.by_strength(event)(match))
        events.deliver(event)


def shown(event: Event) -> list[Any]:
    """What can be seen of a bracket, less the matches' ids."""
    return [
        (str(one.pairing.key), one.pairing.status, [side[1:4] for side in one.pairing.sides], one.pairing.result)
        for one in numbered(event)
    ]


def numbered(event: Event) -> list[PairingRecord]:
    """The stored pairings, with players by number."""
    return [
        one._replace(
            pairing=one.pairing._replace(
                sides=tuple(
                    side._replace(player=str(event.number(side.player)) if side.player else "")
                    for side in one.pairing.sides
                )
            )
        )
        for one in event.pairings
    ]


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a transaction held six items, and a call brought two pairings on."""
    monkeypatch.setattr(cascading, "MOST", 6)
    monkeypatch.setattr(cascading, "CARRIED", 1)
    monkeypatch.setattr(cascading, "NOTES", 2)


def test_carried_on_in_steps_a_ruling_comes_to_what_it_does_in_one_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for is_small in (False, True):
        if is_small:
            small(monkeypatch)
        with worlds.running() as world:
            event = before_the_final(world, 7)
            events.withdraw(event, 6)
            ruled = rule(event)
            assert ruled.pairing.pairing.result is not None
            assert event.record.step is (Step.UNDO if is_small else Step.REST)
            events.deliver(event)
            after = shown(event), event.record.round, sorted(map(str, open_of(event)))
            events.play_on(event, events.by_strength(event))
            found.append((after, shown(event), events.table(event), event.record.round))
    assert found[0] == found[1]


def open_of(event: Event) -> list[Key]:
    return [one.pairing.key for one in event.pairings if one.pairing.status == "playing"]


def stopped(place: int | None, *, is_forgotten: bool) -> tuple[Any, int]:
    """What an event comes to whose ruling is stopped after a write, and how many writes there were."""
    with worlds.running() as world:
        stopping = Stopping(place)
        event = before_the_final(world, 6)._replace(hook=stopping, is_forgotten=is_forgotten)
        try:
            with world.around(stopping):
                rule(event)
        except Killed:
            assert rule(event).replayed
        for _ in range(3):
            events.deliver(event)
            world.advance(60)
            events.sweep(event)
        event, writes = event._replace(hook=plain), stopping.writes
        assert event.record.step is Step.REST
        after = shown(event)
        events.play_on(event, events.by_strength(event))
        return (after, events.table(event)), writes


@pytest.mark.parametrize("is_forgotten", [pytest.param(False, marks=pytest.mark.soak), True])
def test_a_ruling_that_is_stopped_after_any_write_is_carried_to_its_end(
    monkeypatch: pytest.MonkeyPatch, is_forgotten: bool
) -> None:
    small(monkeypatch)
    clean, writes = stopped(None, is_forgotten=is_forgotten)
    assert writes > 20
    for place in range(int(is_forgotten), writes, 3):
        assert stopped(place, is_forgotten=is_forgotten)[0] == clean, place


def test_while_a_ruling_is_carried_on_nothing_else_happens_in_the_bracket(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(monkeypatch)
    event = before_the_final(world, 6)
    (final,) = events.running(event)
    rule(event)
    events.finish(event, final, [0, 1])
    record = {"dynamodb": {"Keys": {"pk": {"S": f"MAT#{final}"}}, "SequenceNumber": "1"}}
    assert world.settle([record]) == {"batchItemFailures": [{"itemIdentifier": "1"}]}
    for act in (lambda: rule(event, "winners/2/1"), lambda: events.withdraw(event, 1)):
        with pytest.raises(Rejected) as caught:
            act()
        assert caught.value.code is Problem.TRY_AGAIN
    events.deliver(event)
    assert event.match(final).settled
    assert events.at(event, "final/1/1").pairing.result is None
    events.play_on(event, events.by_strength(event))
    assert sorted(number for _, number in events.table(event)) == list(range(1, 7))


def test_a_tournament_whose_ruling_is_being_carried_on_can_be_cancelled(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(monkeypatch)
    event = before_the_final(world, 6)
    live = events.running(event)
    rule(event)
    key = keyed(event.organizer, "cancel")
    events.creating.cancel(event.services, event.record, event.organizer, "rain", key, world.clock.now())
    events.deliver(event)
    assert (event.record.phase, event.record.step) == (Phase.CANCELLED, Step.REST)
    assert {event.match(match).match.status for match in live} == {Status.ABORTED}
    assert events.running(event) == []


def test_the_end_of_an_event_that_follows_from_a_ruling_is_found_when_it_has_been_carried_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two are put out, a third one has withdrawn: nobody is left for the final but one."""
    monkeypatch.setattr(cascading, "MOST", 3)
    event = started(world, "double-elimination", 4)
    for where in ("winners/1/1", "winners/1/2", "winners/2/1", "losers/1/1", "losers/2/1"):
        play_at(event, where)
    assert events.players_of(event, "final/1/1") == [1, 2]
    events.withdraw(event, 3)
    rule(event, "winners/1/1", (2, 2))
    assert event.record.step is Step.UNDO
    assert events.at(event, "final/1/1").pairing.result is None
    events.deliver(event)
    assert event.record.phase is Phase.FINISHED
    assert events.table(event)[0] == (1, 2)


# The true size


def played(n: int) -> tuple[engine.Topology, dict[Key, Pairing]]:
    """A double elimination up to its grand final, by chance, without a store."""
    topology = engine.topology("double-elimination", n, Settings())
    field = [Entrant(f"p{seed}", seed, 0) for seed in range(1, n + 1)]
    stored = {one.key: one for one in engine.start(topology, field, lambda _: None)}  # type: ignore[arg-type, return-value]
    rng, waiting = random.Random(n), list(stored)
    while waiting:
        key = waiting.pop()
        for order in course.orders(stored[key]) if key.stage != "final" else ():
            ranks = rng.choice([(1, 2), (2, 1)])
            for event in (
                Started(order.number),
                Ended(order.number, Facts("played", ranks, ranks, ("", ""), (True,) * 2)),
            ):
                changed = engine.follow(topology, stored[key], event, stored.get)
                stored |= {one.key: one for one in changed}
            waiting += [one.key for one in changed]
    return topology, stored


def late(world: World, n: int) -> tuple[Event, dict[Key, Pairing]]:
    """An event of so many before its grand final, of which that is stored which a ruling on the first pairing may
    touch."""
    topology, pairings = played(n)
    event = events.announced(world, "double-elimination")
    services, now = event.services, world.clock.now()
    reach = rulings.reach(topology, life.key_of(RULED))
    names = sorted({side.player for key in reach if key in pairings for side in pairings[key].sides if side.player})
    ids = dict(zip(names, events.register(len(names)), strict=True))
    out = exits(topology, pairings.values())

    def known(pairing: Pairing) -> Pairing:
        sides = (side._replace(player=ids.get(side.player, side.player)) for side in pairing.sides)
        return pairing._replace(sides=tuple(sides))

    stored = {key: known(pairing) for key, pairing in pairings.items()}
    before = event.record
    running = life.at_rest(before._replace(phase=Phase.RUNNING, n=n, round=2 * (n - 1).bit_length(), drawn=Settings()))
    counted = rounds.drawn(services, running, list(stored.values()))
    services.tournaments.commit(Change(event.id, before, running, rounds=counted))
    entries = [
        EntryRecord(player, now, EntryState.OUT if name in out else EntryState.ENTERED, seed=int(name[1:]))
        for name, player in ids.items()
    ]
    kept = [PairingRecord(stored[key], now, now + 1) for key in reach if key in stored]
    for first in range(0, len(entries), HALF):
        batch = entries[first : first + HALF]
        services.tournaments.commit(Change(event.id, entries=tuple((None, entry) for entry in batch)))
    for first in range(0, len(kept), starting.BATCH):
        services.tournaments.commit(Change(event.id, pairings=tuple(kept[first : first + starting.BATCH])))
    return event._replace(players=tuple(ids.values())), stored


class Sizes:
    """Notes how many items each transaction has."""

    def __init__(self) -> None:
        self.items: list[int] = []

    def __call__(self, operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        assert operation != "Scan"
        if operation == "TransactWriteItems":
            self.items.append(len(parameters["TransactItems"]))
        return plain(operation, parameters, call)


def check_large(n: int) -> None:
    with worlds.running() as world:
        event, stored = late(world, n)
        topology, key = life.topology(event.record), life.key_of(RULED)
        expected = rulings.rule(topology, stored[key], other_ranks(stored[key]), stored.get, cascade=True)
        sizes = Sizes()
        with world.around(sizes):
            ruled = rule(event, ranks=other_ranks(stored[key]))
            assert event.record.step is Step.UNDO
            assert ruled.pairing.pairing.result is not None
            events.deliver(event)
        assert event.record.step is Step.REST
        assert max(sizes.items) <= cascading.MOST
        # Everything that the ruling changes, in one act, would have been too much.
        before = [stored[one.key] for one in expected if one.key in stored]
        assert len(expected) + len(exits(topology, before) ^ exits(topology, expected)) > cascading.MOST
        found = {one.pairing.key: one.pairing for one in event.pairings}
        for one in expected:
            assert [side[1:] for side in found[one.key].sides] == [side[1:] for side in one.sides]
            assert found[one.key].result == one.result
            assert found[one.key].status in (one.status, "playing")
        assert check_rounds(event.record, topology, stored | found) == []


def other_ranks(pairing: Pairing) -> tuple[int, ...]:
    """The result, turned round."""
    assert pairing.result is not None
    return pairing.result.ranks[::-1]


def exits(topology: engine.Topology, pairings: Iterable[Pairing]) -> set[str]:
    """Who goes no further after one of these."""
    return {one.player for pairing in pairings for one in engine.exits(topology, pairing)}


def check_rounds(record: TournamentRecord, topology: engine.Topology, pairings: dict[Key, Pairing]) -> list[str]:
    """Rounds whose number of open pairings is not what is stored of them."""
    true = {one.round: one.open for one in rounds.drawn(wiring.services(), record, list(pairings.values()))}
    kept = {one.round: one.open for one in wiring.services().tournaments.rounds(record.id)}
    assert record.round == min(number for number, still_open in true.items() if still_open)
    return [f"round {number}: {kept[number]}, not {true[number]}" for number in true if kept[number] != true[number]]


def test_a_late_ruling_of_two_thousand_entrants_is_carried_on_in_transactions_of_a_hundred() -> None:
    check_large(2_000)


@pytest.mark.soak
def test_a_late_ruling_of_ten_thousand_entrants_is_carried_on_in_transactions_of_a_hundred() -> None:
    check_large(10_000)
