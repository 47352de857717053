"""The start of large events, through the functions: in calls of bounded work, with small items and without a scan,
and cut off again and again on its way, into the very pairings and matches that the engine draws."""

import time
from collections import Counter
from typing import Any, NamedTuple

import pytest

from engine import tournament as engine
from engine.tournament import course
from engine.tournament.protocol import Act
from functions.shared.flows.tournaments import creating, life, starting
from functions.shared.store.records_tournament import Change, EntryState, Phase, Step
from infra.bench.capacity import size_of
from tests.faults import tournament_events as events
from tests.faults import world as worlds
from tests.faults.breaking import Killed, plain
from tests.faults.telling import show
from tests.faults.tournament_events import Event
from tests.faults.world import Call, World

MOST_ITEM = 100_000
"""Bytes of an item: a quarter of what DynamoDB allows."""

MOST_CALLS, MOST_WRITTEN = 800, 6000
"""Calls of the database, and items written, of one call of a function: some seconds of the 60 that it has."""

MOST_READ = 10_000 + 2 * 2**14
"""Items that a call of a function reads: each entry and each pairing of a double elimination of ten thousand once, some
10 MB."""

TABLES = {"match": creating.MatchOrder(seats=10)}
SMALL = [("single-elimination", 200, {}), ("double-elimination", 200, {}), ("heats", 200, TABLES)]
LARGE = [(format_id, 10_000, fields) for format_id, _, fields in SMALL]
ROUNDS = ("round-robin", 64, {})
"""As many as a round robin may have."""


class Work(NamedTuple):
    """What one call of a function did."""

    calls: int
    written: int
    read: int
    seconds: float


class Watching:
    """A hook that counts the work of each call of a function, measures items, and stops the function after every
    so-many-th write. After one that has been stopped comes another one."""

    def __init__(self, stop_after: int | None) -> None:
        self.works: list[Work] = []
        self.largest = 0
        self.stops = 0
        self._left = self._stop_after = stop_after
        self._now = Work(0, 0, 0, 0)
        self._since = time.perf_counter()

    def __call__(self, operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        assert operation != "Scan"
        answer = plain(operation, parameters, call)
        written = list(_written(operation, parameters))
        self.largest = max([self.largest, *map(size_of, written)])
        work = self._now
        self._now = Work(work.calls + 1, work.written + len(written), work.read + _read(answer), 0)
        if written and self._left is not None:
            self._left -= 1
            if self._left == 0:
                self._left = self._stop_after
                self.stops += 1
                raise Killed
        return answer

    def note(self) -> None:
        """One call of a function is over."""
        self.works.append(self._now._replace(seconds=time.perf_counter() - self._since))
        self._now, self._since = Work(0, 0, 0, 0), time.perf_counter()

    def most(self) -> Work:
        """The most of each that a call of a function did."""
        return Work(*(max(column) for column in zip(*self.works, strict=True)))


def _written(operation: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
    """What a call writes; of a deletion or an update the key and what comes to it."""
    if operation == "TransactWriteItems":
        assert len(parameters["TransactItems"]) <= 100
        actions = [next(iter(action.items())) for action in parameters["TransactItems"]]
        return [
            part.get("Item") or part["Key"] | part.get("ExpressionAttributeValues", {})
            for kind, part in actions
            if kind != "ConditionCheck"
        ]
    if operation == "BatchWriteItem":
        requests = [request for found in parameters["RequestItems"].values() for request in found]
        return [request["PutRequest"]["Item"] for request in requests]
    return [parameters["Item"]] if operation == "PutItem" else []


def _read(answer: dict[str, Any]) -> int:
    several = sum(map(len, answer.get("Responses", {}).values())) if isinstance(answer.get("Responses"), dict) else 0
    return len(answer.get("Items", ())) + several + ("Item" in answer)


def crowd(world: World, format_id: str, n: int, fields: dict[str, Any]) -> Event:
    """An event with so many entries, a few of whom have left or wait in vain, a millisecond apart."""
    event = events.announced(world, format_id, **fields)
    players = events.register(n + 1)
    for player in players:
        events.enter(event, player)
        world.clock.set(world.clock.now() + 1)
    event = event._replace(players=tuple(players))
    events.withdraw(event, n // 2)
    return event


def begin(event: Event, watching: Watching) -> None:
    """The hour comes; the referee and the consumers of the streams bring the event on, one call of a function after the
    other, until it waits for results."""
    event = event._replace(hook=watching)
    event.world.clock.set(max(event.world.clock.now(), event.record.starts_at))
    for _ in range(4000):
        events.sweep(event)
        watching.note()
        while found := events.records(event.world):
            events.settled(event, found)
            watching.note()
        if event.record.step is Step.REST:
            return
        event.world.advance(60)
    raise AssertionError("the event never starts")


def check(event: Event, n: int) -> None:
    """Each player, pairing and match is what the engine says of this field."""
    record = event.record
    assert (record.phase, record.n, record.round) == (Phase.RUNNING, n, 1)
    topology = life.topology(record)
    entries = event.services.tournaments.entries(record.id)
    playing = [entry for entry in entries if entry.seed]
    assert [entry.state for entry in entries if not entry.seed] == [EntryState.WITHDRAWN]
    in_order = sorted(playing, key=lambda entry: entry.at)  # all have the same rating
    assert [entry.seed for entry in in_order] == list(range(1, n + 1))
    expected = engine.start(topology, starting.field_of(entries), life.chance(record, playing))
    stored = {one.pairing.key: one for one in event.pairings}
    assert list(stored) == sorted(pairing.key for pairing in expected)
    for pairing in expected:
        kept = stored[pairing.key]
        assert kept.pairing.sides == pairing.sides
        assert kept.pairing.result == pairing.result
        is_due = [order.number for order in course.orders(pairing) if order.act is Act.START]
        assert len(kept.matches) == len(is_due)
    matches = [match for one in stored.values() for match in one.matches]
    assert len(set(matches)) == len(matches)
    assert table_size(event, "MatchesTable", "MAT#") == len(matches)
    told = Counter(
        notice.type for player in event.players[:5] for notice in event.services.inbox.read(player, "", 100).notices
    )
    assert told["tournament-started"] == 5


def table_size(event: Event, table: str, prefix: str) -> int:
    """How many items of a table have such a partition key."""
    found, start = 0, dict[str, Any]()
    while True:
        page = event.world.dynamo.scan(TableName=table, **start)
        found += sum(item["pk"]["S"].startswith(prefix) and item["sk"]["S"] == "M" for item in page["Items"])
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def run(format_id: str, n: int, fields: dict[str, Any], stop_after: int | None) -> Watching:
    with worlds.running() as world:
        event, watching = crowd(world, format_id, n, fields), Watching(stop_after)
        begin(event, watching)
        check(event, n)
    most = watching.most()
    show(f"{format_id} {n}: {len(watching.works)} calls of functions, {watching.stops} stopped; at most {most}")
    show(f"largest item {watching.largest} bytes, {sum(work.calls for work in watching.works)} calls of the database")
    assert most.calls <= MOST_CALLS
    assert most.written <= MOST_WRITTEN
    assert most.read <= MOST_READ
    assert watching.largest < MOST_ITEM
    return watching


@pytest.mark.parametrize(("format_id", "n", "fields"), [*SMALL, ROUNDS], ids=lambda value: str(value)[:20])
def test_a_start_that_is_stopped_again_and_again_comes_to_what_the_engine_draws(
    format_id: str, n: int, fields: dict[str, Any]
) -> None:
    if format_id == "round-robin":
        fields = {"registration": creating.RegistrationOrder(capacity=n)}
    watching = run(format_id, n, fields, stop_after=7)
    assert watching.stops >= 5


# How it is shown


def bracket_pages(world: World, event: Event, n: int, **query: object) -> list[Any]:
    """The pages of a bracket of so many, of whom nothing is stored but that they have begun."""
    running = event.record._replace(phase=Phase.RUNNING, n=n, round=1)
    event.services.tournaments.commit(Change(event.id, event.record, running))
    pages: list[Any] = []
    while not pages or query["cursor"] is not None:
        reply = world.call("GET", f"/v1/tournaments/{event.id}/bracket", **query)
        assert reply.status == 200
        pages.append(reply.body)
        query["cursor"] = reply.body["next_cursor"]
    return pages


def rounds_of(page: Any) -> list[tuple[str, int, list[int]]]:
    """The places that a page has, by round."""
    return [
        (stage["stage"], part["round"], [pairing["place"] for pairing in part["pairings"]])
        for stage in page["stages"]
        for part in stage["rounds"]
    ]


@pytest.mark.parametrize(("n", "sizes"), [(513, [512, 256, 128, 64, 32, 16, 8, 4, 2, 1]), (1025, [512, 512, 512, 256])])
def test_beyond_512_entrants_a_bracket_comes_in_pages_of_a_round_or_512_pairings(
    world: World, n: int, sizes: list[int]
) -> None:
    event = events.announced(world, "single-elimination")
    pages = [rounds_of(page) for page in bracket_pages(world, event, n)]
    assert {len(rounds) for rounds in pages} == {1}
    found = [rounds[0] for rounds in pages]
    assert [len(places) for _, _, places in found][: len(sizes)] == sizes
    shapes = engine.shapes(life.topology(event.record))
    assert [(number, place) for _, number, places in found for place in places] == [
        (shape.round, place) for shape in shapes for place in range(1, shape.pairings + 1)
    ]
    last = [rounds_of(page) for page in bracket_pages(world, event, n, round=len(shapes))]
    assert last == [[("main", len(shapes), [1])]]


def test_512_entrants_are_shown_at_once(world: World) -> None:
    event = events.announced(world, "double-elimination")
    (page,) = bracket_pages(world, event, 512)
    found = rounds_of(page)
    assert sum(len(places) for _, _, places in found) == 2 * 512 - 1
    assert [stage for stage, _, _ in found] == ["winners"] * 9 + ["losers"] * 16 + ["final"] * 2


@pytest.mark.soak
@pytest.mark.parametrize(("format_id", "n", "fields"), LARGE, ids=lambda value: str(value)[:20])
def test_ten_thousand_start_in_calls_of_bounded_work(format_id: str, n: int, fields: dict[str, Any]) -> None:
    run(format_id, n, fields, stop_after=None)


@pytest.mark.soak
def test_a_start_of_ten_thousand_that_is_stopped_again_and_again_comes_to_what_the_engine_draws() -> None:
    assert run("double-elimination", 10_000, {}, stop_after=199).stops > 20
