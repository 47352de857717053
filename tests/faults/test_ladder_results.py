"""What results do to ratings, through the stream's functions: reports 26 to 30 and 34 on comparable services."""

import itertools

import pytest

from engine.ladder.elo import FLOOR
from functions.shared.flows.annul import NotRatedError, annul
from functions.shared.store.ladder_records import LadderEntry
from functions.shared.store.records import DELETED, MatchRecord, RatedAs
from tests.faults import ladder_checks as checks
from tests.faults.breaking import on
from tests.faults.ladder_world import GAME, aborted, ended, player, rate_at, settle, store, told
from tests.faults.world import START, Call, World, record_of

ANN, BOB, CYD = map(player, range(3))
DAY_MS = 86_400_000


def entry(match: str) -> LadderEntry:
    """What the books say of a match."""
    found = checks.services().ladder.entry(match)
    assert found is not None
    return found


def moved(world: World) -> dict[str, int]:
    """The ratings, in milli-points."""
    return {who: rating.standing.rating for who, rating in checks.ratings(world).items()}


def test_an_end_that_is_told_five_times_and_to_two_consumers_at_once_is_rated_once(world: World) -> None:
    """Report 26."""
    match = store(ended([ANN, BOB], [1, 2]))

    def another_settles(operation: str, parameters: dict[str, object], call: Call) -> dict[str, object]:
        world.settle([told(match)])
        return call()

    with world.around(on("TransactWriteItems", another_settles, table="LadderTable")):
        answer = world.settle([told(match)] * 5)
    # The other has settled the match, too: this one's write of it comes too late, and it is looked at again.
    assert answer == {"batchItemFailures": [{"itemIdentifier": match}]}
    assert world.settle([told(match)] * 5) == {"batchItemFailures": []}
    assert moved(world) == {ANN: 1_560_000, BOB: 1_440_000}
    assert [rating.version for rating in checks.ratings(world).values()] == [1, 1]
    assert [row.match for row in checks.books(world)] == [match]
    assert record_of(match).rated_as == RatedAs("", ((1500, 1560), (1500, 1440)))


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_overlapping_matches_of_one_player_are_all_rated_in_any_order(world: World, order: tuple[int, ...]) -> None:
    """Report 27: each on the ratings as they are when it commits."""
    pairs = [(ANN, BOB), (ANN, CYD), (BOB, CYD)]
    matches = [store(ended(pair, [1, 2], START + number)) for number, pair in enumerate(pairs)]
    for number in order:
        world.settle([told(matches[number])])
    first, *later = (entry(matches[number]) for number in order)
    assert {line.before for line in first.lines} == {1_500_000}
    known = {line.player: line.after for line in first.lines}
    for row in later:
        assert {line.player: line.before for line in row.lines} == {
            line.player: known.get(line.player, 1_500_000) for line in row.lines
        }
        known |= {line.player: line.after for line in row.lines}
    assert moved(world) == known
    checks.check_books(world, matches)


def test_two_results_of_one_player_that_commit_at_once_both_count(world: World) -> None:
    """Report 27: one of them is computed again, on what the other left."""
    one, other = store(ended([ANN, BOB], [1, 2])), store(ended([ANN, CYD], [1, 2]))

    def the_other_settles(operation: str, parameters: dict[str, object], call: Call) -> dict[str, object]:
        world.settle([told(other)])
        return call()

    with world.around(on("TransactWriteItems", the_other_settles, table="LadderTable")):
        world.settle([told(one)])
    assert [line.before for line in entry(one).lines] == [1_560_000, 1_500_000]
    assert checks.ratings(world)[ANN].standing.won == 2
    checks.check_books(world, [one, other])


def test_the_order_of_seats_changes_nothing(world: World) -> None:
    """Report 27."""
    tables = [[player(10 * table + seat) for seat in range(4)] for table in range(2)]
    settle(world, ended(tables[0], [1, 2, 2, 4]), ended(tables[1][::-1], [4, 2, 2, 1]))
    after = moved(world)
    assert [after[who] for who in tables[0]] == [after[who] for who in tables[1]]


def unrated(what: str) -> MatchRecord:
    """A match that must not be rated."""
    played = ended([ANN, BOB], [1, 2])
    seats = played.match.seats
    assert seats[1] is not None
    bot = seats[1]._replace(player="bot-1", name="House bot 1", bot="house")
    return {
        "aborted": aborted(played),
        "unrated": ended([ANN, BOB], [1, 2], rated=False),
        "bots": played._replace(rated=False, match=played.match._replace(seats=(seats[0], bot))),
        "forfeit": ended([ANN, BOB], [1, 2], reason="forfeit"),
        "too-short": ended([ANN, BOB], [1, 2], reason="resigned", acted=[True, False]),
    }[what]


@pytest.mark.parametrize("what", ["aborted", "unrated", "bots", "forfeit", "too-short"])
def test_what_must_not_be_rated_moves_nothing_and_says_why(world: World, what: str) -> None:
    """Report 28."""
    (match,) = settle(world, unrated(what))
    row = entry(match)
    assert row.reason == ("unrated" if what == "bots" else what)
    assert (row.algorithm, {line.before - line.after for line in row.lines}) == ("", {0})
    assert [line.player for line in row.lines] == ([ANN] if what == "bots" else [ANN, BOB])
    assert set(moved(world).values()) <= {1_500_000}
    assert not any(rating.listed for rating in checks.ratings(world).values())
    for line in row.lines:
        assert [found.entry for found in checks.services().ladder.history(GAME, line.player, None, 5).rows] == [row]
    news = record_of(match).rated_as
    assert (news and news.reason) == (what if what in ("forfeit", "too-short") else None)


def test_what_nobody_else_may_see_and_what_never_began_is_in_no_history(world: World) -> None:
    private = ended([ANN, BOB], [1, 2], rated=False, private=True)
    left = aborted(ended([ANN, BOB], [1, 2]))
    settle(world, private, left._replace(match=left.match._replace(started_at=0)))
    assert world.dynamo.scan(TableName="LadderTable")["Items"] == []


def test_a_no_show_is_let_off_once_in_thirty_days(world: World) -> None:
    """Reports 28 and 34: who lets games time out in series loses them."""
    opponents = [player(number) for number in range(10, 15)]
    days = [0, 1, 29, 30, 31]
    matches = settle(
        world,
        *(
            ended([ANN, who], [2, 1], START + day * DAY_MS, reason="timeout", acted=[False, True])
            for who, day in zip(opponents, days, strict=True)
        ),
    )
    assert [entry(match).reason for match in matches] == ["too-short", "", "", "too-short", ""]
    assert [[line.let_off for line in entry(match).lines] for match in matches[:2]] == [[True, False], [False, False]]
    ratings = [entry(match).lines[0].after for match in matches]
    assert ratings == sorted(ratings, reverse=True)
    assert checks.ratings(world)[ANN].standing.lost == 3
    checks.check_books(world, matches)


def test_the_third_result_of_the_same_players_within_a_day_is_not_rated(world: World) -> None:
    hours = [0, 1, 2, 23, 24, 25, 48]
    order = [[ANN, BOB], [BOB, ANN]]
    matches = settle(
        world, *(ended(order[number % 2], [1, 2], START + hour * 3_600_000) for number, hour in enumerate(hours))
    )
    others = settle(world, ended([ANN, BOB, CYD], [1, 2, 3], START), ended([ANN, CYD], [1, 2], START))
    limited = "rematch-limit"
    assert [entry(match).reason for match in matches] == ["", "", limited, limited, "", "", ""]
    assert [entry(match).reason for match in others] == ["", ""]


@pytest.mark.parametrize("seats", [2, 3, 6, 9])
def test_gains_and_losses_add_up_and_the_heaviest_favourites_loss_costs(world: World, seats: int) -> None:
    """Report 29."""
    players = [player(number) for number in range(seats)]
    rate_at({who: 3000 if seat == 0 else 1000 for seat, who in enumerate(players)})
    before = moved(world)
    settle(world, ended(players, [seats, *range(1, seats)], START + 1))
    after = moved(world)
    assert sum(after.values()) == sum(before.values())
    assert after[players[0]] < before[players[0]]


def test_nobody_falls_through_the_floor_and_nobody_is_raised_by_it(world: World) -> None:
    """Report 30."""
    rate_at({ANN: 100, BOB: 101})
    settle(world, ended([ANN, BOB], [2, 1], START + 1))
    after = moved(world)
    assert after[ANN] == FLOOR
    assert after[BOB] > 101_000
    settle(world, ended([ANN, CYD], [2, 1], START + 2))
    assert moved(world)[ANN] == FLOOR


def test_an_annulled_match_is_taken_back_by_what_it_moved_and_stays_in_the_history(world: World) -> None:
    first, second = settle(world, ended([ANN, BOB], [1, 2], START), ended([ANN, CYD], [1, 2], START + 1))
    later = {line.player: line.after - line.before for line in entry(second).lines}
    made, is_new = annul(checks.services(), first, START + 9)
    assert is_new
    assert annul(checks.services(), first, START + 99) == (made, False)
    after = checks.ratings(world)
    assert after[ANN].standing == (1_500_000 + later[ANN], 1, 0, 0, False)
    assert after[BOB].standing == (1_500_000, 0, 0, 0, False)
    assert (after[ANN].listed, after[BOB].listed, after[ANN].version) == (True, False, 3)
    rows = checks.services().ladder.history(GAME, ANN, None, 9).rows
    assert [(row.entry.match, row.entry.annuls) for row in rows] == [(first, True), (second, False), (first, False)]
    checks.check_books(world, [first, second])


def test_what_was_never_rated_can_not_be_annulled(world: World) -> None:
    (match,) = settle(world, ended([ANN, BOB], [1, 2], rated=False))
    for wrong in (match, "mat_unknown"):
        with pytest.raises(NotRatedError):
            annul(checks.services(), wrong, START)


def test_a_result_of_a_closed_account_counts_for_both_and_lists_the_other_alone(world: World) -> None:
    """Report 32."""
    played = ended([ANN, BOB], [1, 2])
    seats = played.match.seats
    assert seats[0] is not None
    gone = (seats[0]._replace(name=DELETED), seats[1])
    settle(world, played._replace(match=played.match._replace(seats=gone)))
    after = checks.ratings(world)
    assert moved(world) == {ANN: 1_560_000, BOB: 1_440_000}
    assert (after[ANN].listed, after[ANN].closed, after[BOB].listed) == (False, True, True)
    settle(world, ended([ANN, CYD], [1, 2], START + 1))
    assert not checks.ratings(world)[ANN].listed


def test_who_keeps_getting_in_between_leaves_the_match_to_the_next_delivery(world: World) -> None:
    match = store(ended([ANN, BOB], [1, 2]))
    rate_at({ANN: 1500})
    busy = [False]

    def another_changes_it(operation: str, parameters: dict[str, object], call: Call) -> dict[str, object]:
        if not busy[0]:
            busy[0] = True
            rating = checks.services().ladder.ratings(GAME, [ANN])[ANN]
            checks.services().ladder.change(rating, rating)
            busy[0] = False
        return call()

    with world.around(on("TransactWriteItems", another_changes_it, times=1000, table="LadderTable")):
        assert world.settle([told(match)])["batchItemFailures"]
    assert not record_of(match).settled
    assert world.settle([told(match)]) == {"batchItemFailures": []}
    assert record_of(match).settled
