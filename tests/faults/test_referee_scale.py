"""The referee with much to do: in batches, cut off anywhere, two at once, beside what can't be done (promise 3)."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from engine.clock import per_move
from engine.match import play
from engine.match.record import Status
from engine.types import EpochMs
from functions.referee import handler as referee_handler
from functions.shared.flows import referee
from functions.shared.store.due import SETTLE_AFTER_MS, SHARDS, TOURNAMENT_SHARDS, shard_of
from functions.shared.store.ports import Services
from functions.shared.store.records import Job, JobKind, MatchRecord
from tests.faults.breaking import Counting, Killed, killed_after, killed_before
from tests.faults.world import START, Call, World
from tests.storage.examples import acted, joined, new_id, open_match, resigned

HOUR = 3_600_000
DUE = START + HOUR
ALL = 1_000_000

QUERY, GET, PUT = ("Query", "MatchesTable"), ("GetItem", "MatchesTable"), ("PutItem", "MatchesTable")
BOOKS, RATE = ("BatchGetItem", "LadderTable"), ("TransactWriteItems", "LadderTable")
TELL, SETTLE = ("BatchWriteItem", "PlayersTable"), ("TransactWriteItems", "MatchesTable,PlayersTable")
IDLE = Counter({QUERY: SHARDS, ("Query", "TournamentsTable"): TOURNAMENT_SHARDS})


@pytest.fixture
def services(world: World) -> Services:
    """What the flows need, over the world's store."""
    from functions.shared import wiring

    return wiring.services()._replace(pause=lambda _: None)


def active(at: EpochMs = START) -> MatchRecord:
    """A match whose first deadline is an hour after `at`."""
    opened = open_match("ply-a", "misfortune", at=at, clock=per_move(HOUR // 1000))
    return joined(opened, "ply-b", at)


def ending(at: EpochMs = START) -> MatchRecord:
    """A match that ends with its next deadline."""
    opened = open_match("ply-a", "liars-poker", at=at, clock=per_move(HOUR // 1000)._replace(on_timeout="forfeit"))
    record = joined(opened, "ply-b", at)
    return acted(record, play.awaited(record.match)[0], at)


def unsettled(at: EpochMs = START) -> MatchRecord:
    """A match that has ended, and nobody has settled it an hour after `at`."""
    return resigned(active(at), 0, at + HOUR - SETTLE_AFTER_MS)


def expiring(at: EpochMs = START) -> MatchRecord:
    """An open match that expires an hour after `at`."""
    return open_match("ply-a", at=at)._replace(expires_at=at + HOUR)


def lazy(at: EpochMs = START) -> MatchRecord:
    """A match that is in the index for an hour after `at`, though its deadline has moved on since."""
    return acted(acted(active(at), 0, at + 1), 1, at + 1)._replace(due=at + HOUR)


def stored(services: Services, record: MatchRecord, count: int) -> list[str]:
    """So many matches like this one."""
    found = [new_id("mat_") for _ in range(count)]
    for match_id in found:
        services.matches.create(record._replace(match=record.match._replace(id=match_id)), "ply-a", None)
    return found


def calls(world: World, act: Callable[[], object]) -> Counter[tuple[str, str]]:
    """The calls of the database that something makes."""
    with world.dynamo.recorded_calls() as made:
        act()
    return Counter((operation, ",".join(sorted(tables.split(",")))) for operation, tables in made)


def turns(services: Services, matches: list[str]) -> Counter[tuple[int, int]]:
    """How many of the matches are at which turn, and which version."""
    records = [services.matches.get(match) for match in matches]
    return Counter((record.match.turn, record.version) for record in records if record is not None)


ONCE = (2, 2)
"""At the second turn, after the second write, the first being the creation."""


def test_a_run_that_finds_nothing_due_is_a_query_a_shard(world: World, services: Services) -> None:
    stored(services, active(START + 1), 20)
    assert calls(world, lambda: referee.sweep(services, DUE, ALL)) == IDLE


@pytest.mark.parametrize(
    ("record", "what", "expected"),
    [
        (active, "advanced", {GET: 1, PUT: 1}),
        (ending, "advanced", {GET: 1, PUT: 1}),
        (expiring, "expired", {GET: 1, PUT: 1}),
        (lazy, "postponed", {GET: 1, PUT: 1}),
        (unsettled, "settled", {GET: 1, TELL: 1, BOOKS: 1, RATE: 1, SETTLE: 1}),
    ],
)
def test_a_match_that_is_due_costs_one_read_and_its_writes(
    world: World, services: Services, record: Callable[[], MatchRecord], what: str, expected: dict[Any, int]
) -> None:
    matches = stored(services, record(), 5)
    done: list[referee.Sweep] = []
    made = calls(world, lambda: done.append(referee.sweep(services, DUE, ALL)))
    assert done[0].done == {what: 5}
    assert made == IDLE + Counter({call: 5 * many for call, many in expected.items()})
    assert calls(world, lambda: referee.sweep(services, DUE, ALL)) == IDLE
    if what == "advanced" and record is ending:
        assert {services.matches.get(match).match.status for match in matches} == {Status.FINISHED}  # type: ignore[union-attr]


def test_a_job_that_is_left_costs_its_own_calls_only(world: World, services: Services) -> None:
    services.jobs.start(Job(JobKind.VACATION, "ply-a", {}, DUE, 1))
    profile, job = ("GetItem", "PlayersTable"), ("TransactWriteItems", "MatchesTable")
    assert calls(world, lambda: referee.sweep(services, DUE, ALL)) == IDLE + Counter({GET: 1, profile: 1, job: 1})


def check_all_at_once(world: World, services: Services, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of the function until nothing is due: each does as many as it may, none twice, and says how late it is."""
    lags: list[tuple[str, int]] = []
    monkeypatch.setattr(referee_handler, "measure_ms", lambda name, value: lags.append((name, value)))
    matches = stored(services, active(), count)
    sizes, late = Counter(map(shard_of, matches)), []
    assert len(sizes) == SHARDS
    left = count
    for minute in range(-(-count // referee_handler.LIMIT)):
        world.clock.set(DUE + 60_000 * minute)
        with world.dynamo.recorded_calls() as made:
            todo = min(left, referee_handler.LIMIT)
            assert world.sweep() == {"advanced": todo}
        late.append(("RefereeLag", 60_000 * minute))
        of_each = Counter(made)
        assert (of_each[GET], of_each[PUT]) == (todo, todo)
        # A batch that is full, and one that is not at the end of each shard that it came to.
        assert of_each[QUERY] <= todo // referee.BATCH + SHARDS
        left -= todo
    assert lags == late
    assert turns(services, matches) == {ONCE: count}
    assert calls(world, world.sweep) == IDLE


def test_more_than_a_run_may_do_is_done_by_the_next_ones_each_match_once(
    world: World, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_all_at_once(world, services, 1200, monkeypatch)


@pytest.mark.soak
def test_ten_thousand_that_are_due_at_once_are_done_in_ten_runs(
    world: World, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_all_at_once(world, services, 10_000, monkeypatch)


def test_a_shard_costs_a_query_more_for_each_batch_that_is_full(world: World, services: Services) -> None:
    matches = [match for match in (new_id("mat_") for _ in range(6000)) if shard_of(match) == "due#3"][:250]
    for match in matches:
        record = active()
        services.matches.create(record._replace(match=record.match._replace(id=match)), "ply-a", None)
    made = calls(world, lambda: referee.sweep(services, DUE, ALL))
    assert made == IDLE + Counter({QUERY: 2, GET: 250, PUT: 250})


def test_two_at_once_that_come_between_one_anothers_calls_bring_each_match_up_once(
    world: World, services: Services
) -> None:
    matches = stored(services, active(), 300)
    done: Counter[referee.Done] = Counter()
    reads, inside = 0, False

    def other(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        nonlocal reads, inside, done
        answer = call()
        if operation == "GetItem" and not inside:
            reads += 1
            if reads % 5 == 0:
                inside = True
                done += referee.sweep(services, DUE, 3).done
                inside = False
        return answer

    with world.around(other):
        done += referee.sweep(services, DUE, ALL).done
    assert turns(services, matches) == {ONCE: 300}
    assert done[referee.Done.FAILED] == 0
    assert done.total() > 300
    assert calls(world, lambda: referee.sweep(services, DUE, ALL)) == IDLE


def test_one_that_sees_the_index_as_it_was_reads_and_writes_nothing(world: World, services: Services) -> None:
    kinds = [active, ending, expiring, lazy, unsettled]
    matches = [match for kind in kinds for match in stored(services, kind(), 8)]
    answers: dict[str, dict[str, Any]] = {}

    def old(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        if operation != "Query":
            return call()
        key = parameters["TableName"] + str(parameters["ExpressionAttributeValues"])
        return answers.setdefault(key, call())

    with world.around(old):
        referee.sweep(services, DUE, ALL)
        before = world.items()
        made = calls(world, lambda: referee.sweep(services, DUE, ALL))
    assert made == IDLE + Counter({GET: len(matches)})
    assert world.items() == before


@pytest.mark.parametrize("how", [killed_before, killed_after])
def test_a_run_that_is_cut_off_is_continued_by_the_next(world: World, services: Services, how: Any) -> None:
    matches = stored(services, active(), 40) + stored(services, unsettled(), 40)
    cut = 0
    for place in range(5, 200, 17):
        try:
            with world.around(Counting(place, how)):
                referee.sweep(services, DUE, ALL)
        except Killed:
            cut += 1
    assert cut > 3
    assert turns(services, matches[:40]) == {ONCE: 40}
    assert turns(services, matches[40:]) == {(1, 2): 40}
    assert calls(world, lambda: referee.sweep(services, DUE, ALL)) == IDLE


def test_what_cannot_be_read_stops_nothing_however_much_of_it_there_is(world: World, services: Services) -> None:
    """More than a batch of it, and all of it due before the rest of its shard."""
    of_a_shard = [match for match in (new_id("mat_") for _ in range(6000)) if shard_of(match) == "due#5"]
    for match in of_a_shard[:120]:
        record = active(START - HOUR)
        services.matches.create(record._replace(match=record.match._replace(id=match)), "ply-a", None)
        item = world.dynamo.get_item(TableName="MatchesTable", Key={"pk": {"S": f"MAT#{match}"}, "sk": {"S": "M"}})
        world.dynamo.put_item(TableName="MatchesTable", Item={**item["Item"], "body": {"B": b"\x00no record"}})
    whole = of_a_shard[120:240]
    for match in whole:
        record = active()
        services.matches.create(record._replace(match=record.match._replace(id=match)), "ply-a", None)
    assert referee.sweep(services, DUE, ALL).done == {"failed": 120, "advanced": 120}
    assert turns(services, whole) == {ONCE: 120}


def test_what_cannot_be_read_does_not_hide_how_late_the_rest_is(world: World, services: Services) -> None:
    (broken,) = stored(services, active(START - 100 * HOUR), 1)
    stored(services, active(), 1)
    item = world.items()[f"MAT#{broken}", "M"]
    world.dynamo.put_item(TableName="MatchesTable", Item={**item, "body": {"B": b"\x00no record"}})
    run = referee.sweep(services, DUE + 5000, ALL)
    assert run.done == {"failed": 1, "advanced": 1}
    assert run.lag_ms == 5000


def test_due_times_that_were_written_lazily_move_on_in_one_write(world: World, services: Services) -> None:
    matches = stored(services, lazy(), 150)
    assert referee.sweep(services, DUE, ALL).done == {"postponed": 150}
    assert {record.due for match in matches if (record := services.matches.get(match))} == {DUE + 1}
    assert referee.sweep(services, DUE, ALL).done == {}
    assert referee.sweep(services, DUE + 1, ALL).done == {"advanced": 150}


def test_an_end_is_left_to_the_stream_for_a_minute_also_by_who_saw_the_match_due_before(
    world: World, services: Services
) -> None:
    """Or its end would be told before the decisions that led to it."""
    (match,) = stored(services, ending(), 1)
    inside = False

    def overtaken(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        nonlocal inside
        answer = call()
        if operation == "Query" and answer["Items"] and not inside:
            inside = True
            assert referee.sweep(services, DUE, ALL).done == {"advanced": 1}
        return answer

    with world.around(overtaken):
        assert referee.sweep(services, DUE, ALL).done == {"busy": 1}
    record = services.matches.get(match)
    assert record is not None
    assert (record.match.status, record.settled) == (Status.FINISHED, False)
