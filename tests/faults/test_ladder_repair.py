"""What the operators' recount finds and puts right: records that the stream lost, marks and counters that are wrong."""

import pytest

from functions.shared.flows import fsck
from functions.shared.store.ports import ConflictError
from tests.faults import ladder_checks as checks
from tests.faults.ladder_world import GAME, changed, count, drain, ended, player, publish, settle
from tests.faults.world import START, Call, World

SOUND = {"players": 8, "uncounted": 0, "drift": 0}


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """The indexes of this store are never behind."""
    monkeypatch.setattr(fsck, "PAUSE_S", 0)


@pytest.fixture
def played(world: World) -> list[str]:
    """Eight players who have all played, and are counted."""
    matches = settle(world, *(ended([player(n), player(7 - n)], [1, 2], START + n) for n in range(4)))
    drain(world)
    assert checks.recounted() == SOUND
    return matches


def test_records_that_the_stream_lost_are_counted(world: World, played: list[str]) -> None:
    settle(world, ended([player(1), player(2), player(8)], [3, 2, 1], START + 9))
    assert len(changed(world)) == 3  # and nobody gets them
    found = checks.recounted()
    assert (found["players"], found["drift"]) == (8, 0)
    # Who was listed before is looked at by the rating and by the place in the list.
    assert found["uncounted"] == 5
    checks.recounted(repair=True)
    assert checks.recounted() == {**SOUND, "players": 9}
    publish(world)
    checks.check_counts(world)


def test_a_player_who_is_listed_by_a_mark_alone_is_taken_off(world: World, played: list[str]) -> None:
    ladder = checks.services().ladder
    rating = checks.ratings(world)[player(3)]
    ladder.change(rating, rating._replace(listed=False, due=None))
    changed(world)
    assert checks.recounted()["uncounted"] == 1
    checks.recounted(repair=True)
    assert checks.recounted() == {**SOUND, "players": 7}
    publish(world)
    checks.check_counts(world)


@pytest.mark.parametrize("pending", [False, True])
def test_counters_that_are_wrong_are_put_right_from_the_list(world: World, played: list[str], pending: bool) -> None:
    ladder = checks.services().ladder
    if pending:
        settle(world, ended([player(1), player(2)], [2, 1], START + 9))
        count(world, changed(world))
    snapshot = ladder.counters(GAME).snapshot
    counts = list(snapshot.counts)
    counts[1500] += 5
    counts[2000] += 1
    taken = next(n for n, held in enumerate(counts) if held and n not in (1500, 2000))
    counts[taken] -= 1
    ladder.publish(snapshot, snapshot._replace(counts=tuple(counts)), ())
    assert checks.recounted() == {**SOUND, "drift": 7}
    assert checks.recounted(repair=True) == {**SOUND, "drift": 7}
    assert checks.recounted() == SOUND
    publish(world)
    checks.check_counts(world)


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (99, 1000)])
def test_it_goes_on_part_by_part(
    world: World, played: list[str], size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    marks, page = size
    monkeypatch.setattr(fsck, "MARKS", marks)
    monkeypatch.setattr(fsck, "PAGE", page)
    monkeypatch.setattr(fsck, "PLAYERS", marks)
    assert checks.recounted() == SOUND
    settle(world, ended([player(1), player(2)], [2, 1], START + 9))
    changed(world)
    checks.recounted(repair=True)
    assert checks.recounted() == SOUND


@pytest.mark.parametrize("repair", [False, True])
def test_of_a_ladder_that_moves_all_the_time_nothing_is_said(world: World, played: list[str], repair: bool) -> None:
    ladder = checks.services().ladder
    snapshot = ladder.counters(GAME).snapshot
    counts = list(snapshot.counts)
    counts[1500] += 1
    ladder.publish(snapshot, snapshot._replace(counts=tuple(counts)), ())
    nested = [False]

    def others_publish(operation: str, parameters: dict[str, object], call: Call) -> dict[str, object]:
        if operation == "Query" and parameters.get("IndexName") == "lists" and not nested[0]:
            nested[0] = True
            now = ladder.counters(GAME).snapshot
            moved = list(now.counts)
            moved[1500] += 1
            ladder.publish(now, now._replace(counts=tuple(moved)), ())
            nested[0] = False
        return call()

    with world.around(others_publish), pytest.raises(ConflictError):
        checks.recounted(repair=repair)
