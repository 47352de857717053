"""Who is shown where: the list page by page and in both directions, the entries around a player, and who is on it at
all. Reports 31 to 33 of those on comparable services."""

from random import Random

import pytest

from engine.ladder.standing import LISTED_MS
from functions.shared.flows import ranks
from functions.shared.flows.count import every_minute
from tests.faults import ladder_checks as checks
from tests.faults.ladder_world import GAME, changed, count, drain, ended, publish, rate_at, settle, store, told
from tests.faults.world import START, World

DAY_S = 86_400
POINTS = [1700, 1699, 1699, 1520, 1519, 1519, 1519, 1504, 1500, 1500, 103, 100]


@pytest.fixture
def listed(world: World) -> list[str]:
    """Twelve players, best first; of equal ones who reached it first."""
    players = [caller.id for caller in world.players(len(POINTS))]
    for place, (who, points) in enumerate(zip(players, POINTS, strict=True)):
        rate_at({who: points}, START + place)
    drain(world)
    return players


def rows(found: ranks.Rows) -> list[tuple[int | None, str]]:
    return [(row.rank, row.player) for row in found.rows]


def page(beyond: str | None, limit: int, *, upwards: bool = False) -> ranks.Rows:
    return ranks.page(checks.services(), GAME, beyond, limit, upwards=upwards)


RANKS = [1, 2, 2, 4, 5, 5, 5, 8, 9, 9, 11, 12]


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 11, 12, 13, 100])
def test_pages_forward_and_back_are_one_list_and_a_tie_has_one_rank(
    world: World, listed: list[str], limit: int
) -> None:
    """Report 31."""
    whole = list(zip(RANKS, listed, strict=True))
    forward, beyond = list[tuple[int | None, str]](), None
    last = page(None, limit)
    while True:
        forward += rows(last)
        assert len(forward) <= last.of == 12
        if not last.more:
            break
        beyond = last.rows[-1].key
        last = page(beyond, limit)
    assert forward == whole
    back, beyond = rows(last)[::-1], last.rows[0].key
    while (found := page(beyond, limit, upwards=True)).rows:
        back += rows(found)[::-1]
        beyond = found.rows[0].key
        assert len(back) <= 12
        assert found.more == (len(back) < 12)
    assert back[::-1] == whole[-len(back) :]
    assert len(back) == 12


def test_a_page_begins_with_who_shares_a_rank(world: World, listed: list[str]) -> None:
    for rank, first in ((1, 0), (2, 1), (3, 1), (4, 3), (6, 4), (12, 11)):
        key = ranks.place_of_rank(checks.services(), GAME, rank)
        assert rows(page(key, 2))[0] == (RANKS[first], listed[first]), rank
    assert ranks.place_of_rank(checks.services(), GAME, 13) is None


def test_who_does_not_move_is_neither_skipped_nor_repeated_while_results_come_in(
    world: World, listed: list[str]
) -> None:
    """Report 31."""
    random = Random("pages")
    moving = set(listed[::2])
    still = [who for who in listed if who not in moving]
    for upwards in (False, True):
        seen, beyond = list[str](), "4095#~" if upwards else None
        for number in range(40):
            found = page(beyond, 2, upwards=upwards)
            if not found.rows:
                break
            assert [row.rank for row in found.rows] == sorted(row.rank or 0 for row in found.rows)
            seen += [row.player for row in (found.rows[::-1] if upwards else found.rows)]
            beyond = found.rows[0 if upwards else -1].key
            pair = random.sample(sorted(moving), 2)
            world.advance(90_000)
            settle(world, ended(pair, [1, 2], world.clock.now() + number))
            drain(world)
        assert [who for who in seen if who in still] == (still[::-1] if upwards else still)


@pytest.mark.parametrize("window", [1, 3, 20])
def test_the_window_is_right_everywhere_also_at_both_ends(world: World, listed: list[str], window: int) -> None:
    """Report 33."""
    whole = list(zip(RANKS, listed, strict=True))
    for place, who in enumerate(listed):
        found = ranks.around(checks.services(), GAME, who, "own name", window)
        assert rows(found) == whole[max(0, place - window) : place + window + 1]
        assert [row.name for row in found.rows if row.player == who] == ["own name"]


def test_a_ladder_of_one_and_of_nobody(world: World) -> None:
    """Report 33."""
    (ann,) = world.players(1)
    assert page(None, 10) == ranks.Rows((), 0, more=False)
    assert ranks.place_of_rank(checks.services(), GAME, 1) is None
    rate_at({ann.id: 1500})
    drain(world)
    assert rows(page(None, 10)) == rows(ranks.around(checks.services(), GAME, ann.id, "", 5)) == [(1, ann.id)]
    shown = ranks.standing(checks.services(), GAME, ann.id, ann.name)
    assert (shown.row.rank, shown.of, shown.percentile, shown.row.name) == (1, 1, 0, ann.name)


@pytest.mark.parametrize("stage", ["committed", "counted", "published"])
@pytest.mark.parametrize("wins", [True, False])
def test_a_players_own_last_result_is_in_their_rank_at_once(
    world: World, listed: list[str], stage: str, wins: bool
) -> None:
    """Also when what was counted of them before would stand above them, or is in no snapshot yet."""
    own, other = listed[3], listed[6]
    first = ended([own, other], [1, 2] if wins else [2, 1], START + 50)
    settle(world, first)
    if stage != "committed":
        count(world, changed(world))
    if stage == "published":
        publish(world)
    stored = checks.ratings(world)
    if stage == "committed":  # the other's result is not counted yet
        stored[other] = stored[other]._replace(standing=stored[other].standing._replace(rating=1_519_000))
    shown = ranks.standing(checks.services(), GAME, own, "")
    assert shown.row.points == checks.ratings(world)[own].points
    assert (shown.row.rank, shown.of) == (checks.sorted_ranks(stored)[own], 12)
    around = ranks.around(checks.services(), GAME, own, "", 20)
    assert len({row.player for row in around.rows}) == len(around.rows) == 12
    assert [row.points for row in around.rows] == sorted((row.points for row in around.rows), reverse=True)
    assert [row.rank for row in around.rows if row.player == own] == [shown.row.rank]


def test_who_has_lost_before_anybody_counted_it_is_not_above_themself(world: World) -> None:
    ann, bob = world.players(2)
    settle(world, ended([ann.id, bob.id], [2, 1]))
    for who, rank in ((ann, 1), (bob, 1)):  # neither is on the list, but each is in their own rank
        shown = ranks.standing(checks.services(), GAME, who.id, "")
        assert (shown.row.rank, shown.of, shown.percentile) == (rank, 1, 0)
    assert page(None, 5).rows == ()
    drain(world)
    assert rows(page(None, 5)) == [(1, bob.id), (2, ann.id)]


def test_a_player_is_listed_for_ninety_days_after_the_last_rated_result_and_anew_with_the_next(world: World) -> None:
    ann, bob, cyd = (caller.id for caller in world.players(3))
    settle(world, ended([ann, bob], [1, 2], START))
    world.advance(60 * DAY_S)
    settle(world, ended([ann, cyd], [1, 2], START + 60 * DAY_S * 1000))
    drain(world)
    world.clock.set(START + LISTED_MS - 1)
    drain(world)
    assert [who for _, who in rows(page(None, 5))] == [ann, cyd, bob]
    world.advance(0.001)
    drain(world)
    assert rows(page(None, 5)) == [(1, ann), (2, cyd)]
    gone = ranks.standing(checks.services(), GAME, bob, "")
    assert (gone.row.rank, gone.of, gone.percentile, gone.row.points) == (None, 2, None, 1440)
    assert ranks.around(checks.services(), GAME, bob, "", 5) == ranks.Rows((), 2, more=False)
    world.advance(61 * DAY_S)
    drain(world)
    assert page(None, 5) == ranks.Rows((), 0, more=False)
    settle(world, ended([ann, bob], [1, 2], world.clock.now()))
    drain(world)
    assert [who for _, who in rows(page(None, 5))] == [ann, bob]
    checks.check_counts(world)


def test_who_plays_as_they_are_unlisted_stays_on_the_list(world: World) -> None:
    ann, bob = (caller.id for caller in world.players(2))
    settle(world, ended([ann, bob], [1, 2], START))
    world.advance(90 * DAY_S)
    match = store(ended([ann, bob], [1, 2], world.clock.now()))
    late: list[str] = []

    def plays(operation: str, parameters: dict[str, object], call: object) -> dict[str, object]:
        if operation == "TransactWriteItems" and not late:
            late.append(match)
            world.settle([told(match)])
        return call()  # type: ignore[operator, no-any-return]

    with world.around(plays):
        every_minute(checks.services(), world.clock.now())
    drain(world)
    assert [who for _, who in rows(page(None, 5))] == [ann, bob]
    checks.check_counts(world)


def test_a_closed_account_is_off_the_list_and_everybody_below_moves_up(world: World, listed: list[str]) -> None:
    """Report 32: no ghost, and nobody shifted by one."""
    callers = world.players(3)
    rate_at({callers[0].id: 1600, callers[1].id: 1600, callers[2].id: 1490})
    drain(world)
    assert ranks.standing(checks.services(), GAME, callers[2].id, "").row.rank == 13
    assert callers[0].call("DELETE", "/v1/me").status == 204
    before = [who for _, who in rows(page(None, 100))]
    assert callers[0].id not in before  # not even until it is counted
    drain(world)
    found = page(None, 100)
    assert [row.player for row in found.rows] == before
    assert (found.of, len(found.rows)) == (14, 14)
    assert ranks.standing(checks.services(), GAME, callers[2].id, "").row.rank == 12
    assert [row.rank for row in found.rows if row.player == callers[1].id] == [4]
    checks.check_counts(world)
    assert checks.recounted() == {"players": 14, "uncounted": 0, "drift": 0}


def test_a_result_that_was_on_its_way_when_the_account_closed_does_not_list_it_again(world: World) -> None:
    ann, bob = world.players(2)
    match = store(ended([ann.id, bob.id], [1, 2]))
    assert ann.call("DELETE", "/v1/me").status == 204
    assert world.settle([told(match)]) == {"batchItemFailures": []}
    for _ in range(3):
        world.advance(60)
        world.sweep()
        drain(world)
    assert rows(page(None, 5)) == [(1, bob.id)]
    assert checks.ratings(world)[ann.id].closed
    settle(world, ended([ann.id, bob.id], [1, 2]))
    drain(world)
    assert rows(page(None, 5)) == [(1, bob.id)]
