"""Several at once, or one stopped between two writes: two results for one follower, one round, one waiting list."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from engine.tournament.protocol import Reason
from functions.shared.flows.tournaments import creating
from functions.shared.flows.tournaments.creating import RegistrationOrder
from functions.shared.problems import Rejected
from functions.shared.store.records_tournament import EntryState, Phase
from tests.faults import tournament_events as events
from tests.faults.breaking import Killed, killed_after, on
from tests.faults.threads import together
from tests.faults.tournament_events import Event, at, play_at, players_of, result, started, withdraw
from tests.faults.world import Call, World

SLOW = {"kind": "per-move", "seconds": 2_592_000}
DEADLINE_S = 7 * 86_400


def meeting(world: World, what: str, jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """The jobs at once, none of which goes on before all have read an item whose key begins so."""
    barrier, thread = threading.Barrier(len(jobs)), threading.local()

    def meet(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        answer = call()
        keys = [parameters.get("Key", {})]
        for request in parameters.get("RequestItems", {}).values():
            keys += request.get("Keys", []) if isinstance(request, dict) else []
        is_read = operation in ("GetItem", "BatchGetItem")
        if (
            is_read
            and not hasattr(thread, "met")
            and any(key.get("sk", {}).get("S", "").startswith(what) for key in keys)
        ):
            thread.met = True
            barrier.wait(20)
        return answer

    with world.around(meet):
        return together(jobs)


def settling(event: Event) -> list[Callable[[], Any]]:
    """A call for each match that runs, which ends now."""
    jobs = []
    for match_id in events.running(event):
        events.finish(event, match_id, events.by_strength(event)(match_id))
        record = {"dynamodb": {"Keys": {"pk": {"S": f"MAT#{match_id}"}}, "SequenceNumber": "1"}}
        jobs.append(partial(event.world.settle, [record]))
    return jobs


def test_two_results_that_come_to_one_follower_at_once_both_do(world: World) -> None:
    event = started(world, "single-elimination", 4)
    answers = meeting(world, "PAIR#", settling(event))
    assert answers == [{"batchItemFailures": []}] * 2
    assert players_of(event, "main/2/1") == [1, 2]
    assert len(at(event, "main/2/1").matches) == 1


def test_the_last_two_results_of_a_round_that_come_at_once_close_it(world: World) -> None:
    event = started(world, "round-robin", 4)
    answers = meeting(world, "ROUND#", settling(event))
    assert answers == [{"batchItemFailures": []}] * 2
    events.deliver(event)
    assert event.record.round == 2
    assert len(events.running(event)) == 2


def test_the_final_and_the_match_for_the_third_place_that_end_at_once_end_the_event(world: World) -> None:
    event = started(world, "single-elimination", 4, third_place=True)
    for where in ("main/1/1", "main/1/2"):
        play_at(event, where)
    meeting(world, "PAIR#", settling(event))
    events.deliver(event)
    assert event.record.phase is Phase.FINISHED
    assert events.table(event) == [(1, 1), (2, 2), (3, 3), (4, 4)]


def overtaken_by(world: World, act: Callable[[], object]) -> Any:
    """A hook by which something else happens before the next transaction on the tournaments."""

    def overtaken(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        act()
        return call()

    return on("TransactWriteItems", overtaken, table="TournamentsTable")


def test_a_place_that_is_given_up_while_somebody_comes_to_wait_for_it_is_theirs(world: World) -> None:
    event = events.entered(world, "round-robin", 2, registration=RegistrationOrder(capacity=2))
    (late,) = events.register(1)
    with world.around(overtaken_by(world, partial(events.enter, event, late))):
        withdraw(event, 1)
    entry = event.services.tournaments.entry(event.id, late)
    assert entry is not None
    assert entry.state is EntryState.ENTERED
    assert (event.record.entered, event.record.waitlisted) == (2, 0)


def test_whoever_waits_when_a_place_falls_free_is_not_overtaken_by_who_comes_then(world: World) -> None:
    event = events.entered(world, "round-robin", 2, registration=RegistrationOrder(capacity=2))
    withdraw(event, 1)
    first, second = events.register(2)
    with world.around(overtaken_by(world, partial(events.enter, event, first))):
        assert events.enter(event, second).entry.state is EntryState.WAITLISTED
    found = event.services.tournaments.some_entries(event.id, [first, second])
    assert [found[player].state for player in (first, second)] == ["entered", "waitlisted"]


def test_an_entry_that_the_start_overtakes_is_too_late(world: World) -> None:
    event = events.entered(world, "round-robin", 2)
    (late,) = events.register(1)

    def start() -> None:
        world.clock.set(events.STARTS)
        world.sweep()

    with world.around(overtaken_by(world, start)), pytest.raises(Rejected):
        events.enter(event, late)
    assert event.record.n == 2
    assert event.services.tournaments.entry(event.id, late) is None


@pytest.mark.parametrize("who", ["the stream", "the referee"])
def test_a_match_that_the_deadline_ended_means_the_same_whoever_brings_it(world: World, who: str) -> None:
    event = started(world, "single-elimination", 2, match=creating.MatchOrder(clock=SLOW))
    world.advance(DEADLINE_S)
    stopped = event._replace(hook=on("PutItem", killed_after, table="MatchesTable"))
    events.sweep(stopped)
    assert at(event, "main/1/1").pairing.result is None
    if who == "the referee":
        world.advance(60)
        events.sweep(event)
    events.deliver(event)
    assert result(event, "main/1/1") == (Reason.DOUBLE_FORFEIT, (2, 2))


def test_a_match_that_is_to_begin_begins_though_whoever_should_have_begun_it_was_stopped(world: World) -> None:
    event = started(world, "single-elimination", 4)
    play_at(event, "main/1/1")
    (job,) = settling(event)
    with world.around(on("TransactWriteItems", killed_after, table="TournamentsTable")), pytest.raises(Killed):
        job()
    assert players_of(event, "main/2/1") == [1, 2]
    assert at(event, "main/2/1").matches == ()
    world.advance(60)
    world.sweep()
    assert len(at(event, "main/2/1").matches) == 1


def test_a_tournament_in_the_middle_of_its_start_is_brought_on_by_the_referee(world: World) -> None:
    event = events.entered(world, "single-elimination", 4)
    world.clock.set(events.STARTS)
    for _ in range(12):
        with world.around(on("TransactWriteItems", killed_after, table="TournamentsTable")):
            try:
                world.sweep()
            except Killed:
                world.advance(60)
    world.advance(60)
    world.sweep()
    assert len(events.running(event)) == 2
