"""What a rank costs, and what a result costs: the same in a ladder of three and of ten million."""

from collections.abc import Callable
from random import Random

import pytest

from engine.ladder.ranks import BUCKETS
from functions.shared.flows import ranks
from functions.shared.flows.count import marked
from functions.shared.store import ladder_counts
from functions.shared.store.ladder_records import Snapshot
from tests.faults import ladder_checks as checks
from tests.faults.ladder_world import GAME, changed, count, drain, ended, player, publish, settle, store, told
from tests.faults.world import Call, World

MILLIONS = 10_000_000
Item = dict[str, object]


def ten_million() -> tuple[int, ...]:
    """Counters as of players around 1500, with a standard deviation of 300, none of them smooth."""
    random = Random("ten million")
    counts = [0] * BUCKETS
    for _ in range(100_000):
        counts[min(4095, max(100, round(random.gauss(1500, 300))))] += 100
    return tuple(max(0, count + random.randrange(-50, 51)) if count else 0 for count in counts)


@pytest.fixture
def many() -> tuple[int, ...]:
    """The counters of a ladder of ten million, which are its snapshot."""
    counts = ten_million()
    before = checks.services().ladder.counters(GAME).snapshot
    checks.services().ladder.publish(before, before._replace(counts=counts), ())
    return counts


def read(world: World, what: Callable[[], object]) -> tuple[list[str], int]:
    """The operations of a piece of work, and how many items they brought."""
    operations, items = [], 0

    def note(operation: str, parameters: Item, call: Call) -> Item:
        nonlocal items
        answer = call()
        operations.append(operation)
        found = [answer.get("Item"), *answer.get("Items", []), *answer.get("Responses", {}).get("LadderTable", [])]
        items += sum(item is not None for item in found)
        return answer

    with world.around(note):
        what()
    return operations, items


def written(world: World, what: Callable[[], object]) -> list[str]:
    """The kinds of items that a piece of work writes, one by one."""
    kinds = []

    def note(operation: str, parameters: Item, call: Call) -> Item:
        for action in parameters.get("TransactItems", []):  # type: ignore[attr-defined]
            for kind, part in action.items():
                key = part.get("Item") or part["Key"]
                name = key["sk"]["S"] if key["pk"]["S"].startswith("COUNTS#") else key["pk"]["S"]
                kinds.append(f"{kind} {name.partition('#')[0]}")
        assert operation in ("TransactWriteItems", "GetItem", "BatchGetItem", "Query")
        return call()

    with world.around(note):
        what()
    return sorted(kinds)


def test_ten_million_players_are_five_kilobytes_of_counters() -> None:
    counts = ten_million()
    assert sum(counts) == pytest.approx(MILLIONS, rel=0.01)
    packed = ladder_counts.pack(counts)
    assert ladder_counts.unpack(packed) == counts
    assert len(packed) < 5 * 1024


def test_the_rank_of_any_player_is_three_item_reads_at_ten_million(world: World, many: tuple[int, ...]) -> None:
    settle(world, ended([player(1), player(2)], [1, 2]))
    drain(world)
    shown: list[ranks.Standing] = []
    found = read(world, lambda: shown.append(ranks.standing(checks.services(), GAME, player(1), "")))
    assert found == (["BatchGetItem", "Query"], 3)
    points = checks.ratings(world)[player(1)].points
    assert shown[0].row.rank == 1 + sum(many[points + 1 :])
    assert shown[0].of == sum(many) + 2
    assert shown[0].percentile == 100 * (sum(many[:points]) + 1) // (sum(many) + 2)


@pytest.mark.parametrize("size", ["few", "many"])
def test_a_result_costs_the_same_writes_whatever_the_size_of_the_ladder(
    world: World, request: pytest.FixtureRequest, size: str
) -> None:
    if size == "many":
        request.getfixturevalue("many")
    players = [player(number) for number in range(3)]
    settle(world, ended(players, [1, 2, 3]))
    drain(world)
    match = store(ended(players, [3, 1, 2]))
    entered = written(world, lambda: world.settle([told(match)]))
    of_the_match = [kind for kind in entered if kind.split()[1] in ("MAT", "PLAYER")]
    once = sorted(["Put RESULT", "Put PAIR", *["Put RATING", "Put HIST"] * 3])
    assert [kind for kind in entered if kind not in of_the_match] == once
    records = changed(world)
    assert len(records) == 3
    assert written(world, lambda: count(world, records)) == ["Put DELTA", *["Put MARK"] * 3]
    assert written(world, lambda: publish(world)) == ["Delete DELTA", "Put SNAPSHOT"]
    assert written(world, lambda: count(world, records)) == []
    assert written(world, lambda: publish(world)) == []


def test_the_keys_of_the_indexes_change_only_where_they_must(world: World) -> None:
    """Each changed key costs two more writes. A result leaves the due time of a listing as it is, and the place in the
    list too where the shown rating stays."""
    players = [player(1), player(2)]
    settle(world, ended(players, [1, 1]))
    drain(world)
    due = {who: rating.due for who, rating in checks.ratings(world).items()}
    places = {mark["la"]["S"] for mark in checks.items(world, "MARK#")}
    world.advance(3600)
    settle(world, ended(players, [1, 1], world.clock.now()))
    drain(world)
    stored = checks.ratings(world)
    assert {rating.version for rating in stored.values()} == {2}
    assert {rating.played_at for rating in stored.values()} == {world.clock.now()}
    assert {who: rating.due for who, rating in stored.items()} == due
    assert {mark["la"]["S"] for mark in checks.items(world, "MARK#")} == places
    settle(world, ended(players, [1, 2], world.clock.now()), ended([player(1), player(3)], [1, 2], world.clock.now()))
    drain(world)
    assert {who: checks.ratings(world)[who].due for who in players} == due
    assert len({mark["la"]["S"] for mark in checks.items(world, "MARK#")} & places) == 1  # the third was not rated


def test_a_batch_of_many_versions_and_players_is_one_mark_a_player(world: World) -> None:
    for number in range(6):
        settle(world, ended([player(number), player(7)], [1, 2]))
    records = changed(world)
    assert len(records) == 12
    kinds = written(world, lambda: count(world, records))
    assert kinds == ["Put DELTA", *["Put MARK"] * 7]
    stored = checks.ratings(world)
    assert checks.marks(world) == {who: marked(rating) for who, rating in stored.items()}


def test_what_does_not_fit_one_transaction_is_counted_and_published_in_several(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from functions.shared.flows import count as counting

    monkeypatch.setattr(counting, "MARKS", 3)
    monkeypatch.setattr(counting, "TAKEN", 2)
    for number in range(8):
        settle(world, ended([player(number), player(10 + number)], [1, 2]))
    count(world, changed(world))
    assert len(checks.services().ladder.counters(GAME).deltas) == 6
    assert publish(world) == {"published": 6, "unlisted": 0}
    checks.check_counts(world)


def test_no_snapshot_is_a_ladder_of_nobody(world: World) -> None:
    assert checks.services().ladder.counters(GAME).snapshot == Snapshot(GAME)
    assert ranks.page(checks.services(), GAME, None, 10) == ranks.Rows((), 0, more=False)
    alone = ranks.standing(checks.services(), GAME, player(1), "")
    assert (alone.row.rank, alone.row.points, alone.of, alone.percentile) == (None, 1500, 0, None)
    assert ranks.around(checks.services(), GAME, player(1), "", 5).rows == ()
