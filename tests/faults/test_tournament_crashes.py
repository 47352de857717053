"""A function that is stopped after any of its writes, in an event's whole life: what is left of it is done by whoever
comes next, and the event ends as a clean run does."""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from functions.shared.flows import referee
from functions.shared.flows.tournaments import reading
from functions.shared.store import due
from functions.shared.store.records_tournament import Phase
from tests.faults import tournament_events as events
from tests.faults import world as worlds
from tests.faults.breaking import Stopping, plain
from tests.faults.world import World

STRIDE = 7
"""The default run stops at every seventh write, each format beginning with another one."""

EVENTS: dict[str, tuple[str, int, dict[str, Any]]] = {
    "single": ("single-elimination", 5, {"third_place": True}),
    "double": ("double-elimination", 4, {}),
    "round robin": ("round-robin", 3, {}),
    "round robin of four": ("round-robin", 4, {}),
    "heats": ("heats", 6, {"match": events.creating.MatchOrder(seats=3)}),
}


class Left(NamedTuple):
    """What an event leaves that a player can see."""

    table: list[tuple[int, int]]
    pairings: list[tuple[str, str, object, int]]
    digests: int
    ratings: list[tuple[int, int]]
    """In whole points: who gets the odd thousandth hangs on the ids."""
    news: Counter[tuple[int, str, str]]
    """What each was told, once for each id."""
    live: int


def life(world: World, event: events.Event, stopping: Stopping, *, is_forgotten: bool) -> Left:
    """The event's whole life, and what it leaves."""
    event = event._replace(hook=stopping, is_forgotten=is_forgotten)
    events.begin(event)
    events.play_on(event, events.at_random(event, 3))
    event = event._replace(hook=plain)
    for _ in range(3):
        world.advance(60)
        events.sweep(event)
        events.deliver(event)
    return left_by(world, event)


def left_by(world: World, event: events.Event) -> Left:
    services = event.services
    ratings = services.ladder.ratings(event.record.game, event.players)
    told = {
        (event.number(player), notice.id): notice
        for player in event.players
        for notice in services.inbox.read(player, "", 1000).notices
    }
    return Left(
        events.table(event),
        [
            (str(one.pairing.key), str(one.pairing.status), one.pairing.result, sum(map(bool, one.matches)))
            for one in event.pairings
        ],
        len(services.tournaments.rounds(event.id)),
        [(rating.points, rating.version) for rating in map(ratings.__getitem__, event.players)],
        Counter(
            (number, notice.type, str(notice.data.get("rank", "")))
            for (number, _), notice in told.items()
            if notice.type.startswith("tournament-")
        ),
        sum(sk.startswith("LIVE#") for _, sk in world.items()),
    )


@pytest.fixture(autouse=True)
def few_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer queries a sweep."""
    for module in (due, referee):
        monkeypatch.setattr(module, "SHARDS", 2)


def run(name: str, place: int | None, *, is_forgotten: bool = False) -> tuple[Left, int]:
    format_id, n, fields = EVENTS[name]
    with worlds.running() as world:
        event = events.entered(world, format_id, n, **fields)
        stopping = Stopping(place)
        left = life(world, event, stopping, is_forgotten=is_forgotten)
        assert event.record.phase is Phase.FINISHED
        return left, stopping.writes


def check(name: str, places: Callable[[int], range], *, is_forgotten: bool) -> None:
    clean, writes = run(name, None)
    assert writes > 20
    assert clean.live == 0
    assert clean.digests
    for place in places(writes):
        left, _ = run(name, place, is_forgotten=is_forgotten)
        assert left == clean, (name, place)


@pytest.mark.parametrize("is_forgotten", [False, True])
@pytest.mark.parametrize("name", EVENTS)
def test_an_event_that_is_stopped_after_a_write_ends_as_a_clean_run_does(name: str, is_forgotten: bool) -> None:
    """The stream comes again, or it does not and the referee makes it good."""
    first = list(EVENTS).index(name)
    check(name, lambda writes: range(first, writes, STRIDE), is_forgotten=is_forgotten)


@pytest.mark.soak
@pytest.mark.parametrize("is_forgotten", [False, True])
@pytest.mark.parametrize("name", EVENTS)
def test_an_event_that_is_stopped_after_any_write_ends_as_a_clean_run_does(name: str, is_forgotten: bool) -> None:
    check(name, range, is_forgotten=is_forgotten)


@pytest.mark.parametrize("name", EVENTS)
def test_the_standings_can_be_read_at_any_moment(name: str, world: World) -> None:
    format_id, n, fields = EVENTS[name]
    event = events.entered(world, format_id, n, **fields)
    assert reading.standings(event.services, event.record, None, 100).rows == ()
    events.begin(event)
    for match_id in events.running(event):
        events.finish(event, match_id, events.by_strength(event)(match_id))
        events.deliver(event)
        rows = reading.standings(event.services, event.record, None, 100).rows
        assert sorted(event.number(row.player) for row in rows) == list(range(1, n + 1))
