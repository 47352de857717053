"""What users of tournament software reported, as named tests: the numbers are those of the list of reports.

35 byes · 36 every field ends · 37 both absent · 38 withdrawn players · 39 rounds · 40 strange pairings ·
41 third place · 42 second grand final · 43 ties · 44 numbering · 45 rests
"""

from random import Random

import pytest

from engine import tournament
from engine.games.protocol import competition_ranks
from engine.tournament import course, series
from engine.tournament.protocol import Deadline, Facts, Key, Nobody, Pairing, Reason, Side, Started, Status, Withdrawn
from tests.engine.tournament.playing import (
    Play,
    begin,
    by_seed,
    chance,
    check_end,
    current_round,
    feed,
    next_round,
    nobody_came,
    rule,
    step,
    table,
    tasks,
    to_the_end,
    withdraw,
)

SINGLE, DOUBLE, ROBIN, HEATS = tournament.IDS
BRACKETS = (SINGLE, DOUBLE)


def fewest(format_id: str) -> int:
    return 3 if format_id == HEATS else 2


@pytest.mark.parametrize("format_id", BRACKETS)
@pytest.mark.parametrize("n", range(2, 34))
def test_35_a_side_is_a_bye_only_where_nobody_will_ever_come(format_id: str, n: int) -> None:
    play = begin(format_id, n)
    byes = {
        (key, i) for key, pairing in play.stored.items() for i, s in enumerate(pairing.sides) if s.nobody is Nobody.BYE
    }
    assert all(side.nobody is not Nobody.VACANT for pairing in play.stored.values() for side in pairing.sides)
    unknown = [s for pairing in play.stored.values() for s in pairing.sides if not course.is_known(s)]
    assert all(side.nobody is Nobody.NO for side in unknown)
    to_the_end(play, Random(n))
    assert byes == {
        (key, i) for key, pairing in play.stored.items() for i, s in enumerate(pairing.sides) if s.nobody is Nobody.BYE
    }


@pytest.mark.parametrize("n", range(2, 34))
def test_35_nobody_has_a_second_bye_in_a_single_elimination(n: int) -> None:
    play = begin(SINGLE, n)
    to_the_end(play, Random(n))
    byes = [p.sides for p in play.stored.values() if p.result and p.result.reason is Reason.BYE]
    names = [side.player for sides in byes for side in sides if side.player]
    assert len(names) == len(byes) == len(set(names))


@pytest.mark.parametrize("format_id", tournament.IDS)
def test_36_a_random_play_out_always_ends_with_an_absence_or_a_withdrawal_anywhere(format_id: str) -> None:
    for n in range(fewest(format_id), 34, 1 if format_id != ROBIN else 5):
        play, rng = begin(format_id, n, n), Random(n)
        while to_the_end(play, rng, limit=3):
            if tasks(play) and rng.random() < 0.3:
                withdraw(play, rng.choice(play.field).player)
            running = [task for task in tasks(play) if task[2] is None]
            if running and rng.random() < 0.3:
                step(play, rng.choice(running), nobody_came)
        check_end(play)


@pytest.mark.parametrize("format_id", BRACKETS)
def test_37_with_both_finalists_absent_the_final_is_over_and_the_first_place_stays_empty(format_id: str) -> None:
    play = begin(format_id, 4)
    final = tournament.find(format_id).ends(play.topology)[0]
    while final not in play.stored or play.stored[final].status is not Status.PLAYING:
        to_the_end(play, Random(1), by_seed, 1)
    to_the_end(play, Random(1), nobody_came)
    check_end(play)
    assert [row.rank for row in table(play)][:2] == [2, 2]


@pytest.mark.parametrize("format_id", BRACKETS)
def test_37_with_both_sides_absent_the_other_side_of_the_next_pairing_walks_over(format_id: str) -> None:
    play = begin(format_id, 4)
    first = min(key for key in play.stored if key.round == 1 and key.stage in ("main", "winners"))
    feed(play, first, Started(1))
    step(play, (first, 1, None), nobody_came)
    second = first._replace(place=2)
    feed(play, second, Started(1))
    step(play, (second, 1, None), by_seed)
    after = play.stored[first._replace(round=2)]
    assert after.result is not None
    assert (after.result.reason, after.result.ranks) == (Reason.WALKOVER, (2, 1))
    assert [side.nobody for side in after.sides] == [Nobody.VACANT, Nobody.NO]


def absent_in(play: Play, key: Key) -> None:
    """Plays on until a pairing is ready, and then nobody comes to it."""
    while key not in play.stored or play.stored[key].status is Status.WAITING:
        to_the_end(play, Random(1), by_seed, 1)
    if play.stored[key].status is Status.READY:
        feed(play, key, Started(1))
    step(play, (key, 1, None), nobody_came)


def test_37_with_both_absent_in_the_last_winners_pairing_the_survivor_wins_without_a_second_final() -> None:
    play = begin(DOUBLE, 8)
    absent_in(play, Key("winners", 3, 1))
    to_the_end(play, Random(1), by_seed)
    check_end(play)
    assert Key("final", 2, 1) not in play.stored
    assert [row.rank for row in table(play)] == [1, 2, 2, 4, 5, 5, 7, 7]


def test_37_both_absent_above_share_the_places_of_the_losers_round_that_a_loser_comes_to() -> None:
    play = begin(DOUBLE, 8)
    absent_in(play, Key("winners", 2, 1))
    gone = {side.player for side in play.stored[Key("winners", 2, 1)].sides}
    to_the_end(play, Random(1), by_seed)
    check_end(play)
    ranks = {row.player: row.rank for row in table(play)}
    beaten = next(side.player for side, rank in outcome(play, Key("losers", 2, 1)) if rank == 2 and side.player)
    assert {ranks[player] for player in gone | {beaten}} == {4}


def outcome(play: Play, key: Key) -> list[tuple[Side, int]]:
    result = play.stored[key].result
    assert result is not None
    return list(zip(play.stored[key].sides, result.ranks, strict=True))


def test_37_who_is_out_and_has_nobody_to_lose_against_falls_to_the_losers_bracket_all_the_same() -> None:
    play = begin(DOUBLE, 8)
    first, second = Key("winners", 1, 1), Key("winners", 1, 2)
    feed(play, first, Started(1))
    step(play, (first, 1, None), by_seed)
    withdraw(play, "p1")
    absent_in(play, second)
    fallen = play.stored[Key("losers", 2, 2)].sides[0]
    assert (fallen.player, fallen.out) == ("p1", True)
    to_the_end(play, Random(1))
    check_end(play)


@pytest.mark.parametrize("format_id", tournament.IDS)
def test_38_who_has_withdrawn_never_gets_another_match(format_id: str) -> None:
    for n in range(fewest(format_id), 14):
        play = begin(format_id, n, n)
        to_the_end(play, Random(n), limit=n // 2)
        withdraw(play, "p1")
        had = {(k, g.number) for k, p in play.stored.items() for g in series.live(p) if seated(p, "p1")}
        to_the_end(play, Random(n))
        has = {(k, g.number) for k, p in play.stored.items() for g in series.live(p) if seated(p, "p1")}
        assert has <= had
        check_end(play)


def seated(pairing: Pairing, player: str) -> bool:
    return any(side.player == player for side in pairing.sides)


def test_38_who_withdraws_above_is_out_below_too() -> None:
    play = begin(DOUBLE, 8)
    withdraw(play, "p1")
    to_the_end(play, Random(1), by_seed)
    lost = [p for p in play.stored.values() if seated(p, "p1")]
    assert {p.key.stage for p in lost} == {"winners", "losers"}
    assert all(p.result is not None and p.result.reason is Reason.WALKOVER for p in lost)


@pytest.mark.parametrize(("acted", "is_out"), [(False, True), (True, False)])
def test_38_who_never_acted_above_is_out_below_but_not_who_ran_out_of_time(acted: bool, is_out: bool) -> None:
    play = begin(DOUBLE, 4)
    first, below = Key("winners", 1, 1), Key("losers", 1, 1)

    def p4_is_late(play: Play, pairing: Pairing, number: int) -> Facts:
        return Facts("timeout", (1, 2), (0, 0), ("", "timeout"), (True, acted))

    feed(play, first, Started(1))
    step(play, (first, 1, None), p4_is_late)
    second = first._replace(place=2)
    feed(play, second, Started(1))
    step(play, (second, 1, None), by_seed)
    assert [side.player for side in play.stored[below].sides] == ["p4", "p3"]
    assert play.stored[below].status is (Status.SETTLED if is_out else Status.READY)


@pytest.mark.parametrize("format_id", [ROBIN, HEATS])
def test_38_who_never_acted_plays_no_later_round(format_id: str) -> None:
    play = begin(format_id, 6)

    def p1_is_away(play: Play, pairing: Pairing, number: int) -> Facts:
        names = [pairing.sides[index].player for index in pairing.games[number - 1].seats]
        left = tuple("abandoned" if name == "p1" else "" for name in names)
        ranks = competition_ranks([name != "p1" for name in names])
        return Facts("abandoned", ranks, (0,) * len(names), left, tuple(name != "p1" for name in names))

    to_the_end(play, Random(1), p1_is_away)
    check_end(play)
    assert [p.key.round for p in play.stored.values() if seated(p, "p1") and p.games] == [1]
    if format_id == ROBIN:
        assert table(play)[-1].player == "p1"


@pytest.mark.parametrize("format_id", tournament.IDS)
def test_38_when_all_withdraw_it_is_over(format_id: str) -> None:
    for n in range(fewest(format_id), 14):
        play = begin(format_id, n)
        for entrant in play.field:
            withdraw(play, entrant.player)
        to_the_end(play, Random(1))
        check_end(play)


@pytest.mark.parametrize("format_id", [ROBIN, HEATS])
def test_39_a_round_that_is_created_twice_is_the_same_round(format_id: str) -> None:
    play = begin(format_id, 10, 2)
    while tasks(play):
        to_the_end(play, Random(1), limit=1)
    known = tuple(play.stored.values())
    made = [
        tournament.next_round(play.topology, play.field, pairings, 2, chance(play)) for pairings in (known, known[::-1])
    ]
    assert made[0]
    assert made[0] == made[1]
    assert not {pairing.key for pairing in made[0]} & set(play.stored)


@pytest.mark.parametrize("format_id", [ROBIN, HEATS])
def test_39_a_round_does_not_close_before_its_last_match(format_id: str) -> None:
    play = begin(format_id, 10, 2)
    while tasks(play):
        with pytest.raises(ValueError, match="round 1 is not closed"):
            tournament.next_round(play.topology, play.field, play.stored.values(), 2, chance(play))
        step(play, tasks(play)[0])
    assert tournament.next_round(play.topology, play.field, play.stored.values(), 2, chance(play))


@pytest.mark.parametrize("format_id", tournament.IDS)
def test_39_a_pairing_whose_match_was_never_created_ends_at_its_deadline(format_id: str) -> None:
    play = begin(format_id, 6)
    while ready := [key for key, pairing in play.stored.items() if pairing.status is Status.READY]:
        for key in ready:
            feed(play, key, Deadline())
            assert play.stored[key].result is not None
        if not any(pairing.status is Status.READY for pairing in play.stored.values()):
            next_round(play)
    for key, pairing in list(play.stored.items()):
        for order in course.orders(pairing):
            step(play, (key, order.number, order.act))
    check_end(play)


@pytest.mark.parametrize("format_id", tournament.IDS)
def test_40_nobody_meets_himself_after_a_removal_and_a_ruling(format_id: str) -> None:
    for n in range(fewest(format_id), 12):
        play = begin(format_id, n, n)
        to_the_end(play, Random(n), limit=n)
        settled = [k for k, p in play.stored.items() if p.result and all(s.player for s in p.sides)]
        withdraw(play, "p2")
        for key in settled:
            # A ruling on an earlier round may have undone this one.
            if play.stored[key].status is not Status.VOID and all(side.player for side in play.stored[key].sides):
                rule(play, key, tuple(range(len(play.stored[key].sides), 0, -1)))
        to_the_end(play, Random(n))
        check_end(play)


def test_40_two_who_meet_twice_in_a_round_robin_change_sides() -> None:
    play = begin(ROBIN, 7, cycles=2)
    to_the_end(play, Random(1))
    pairs = [tuple(side.player for side in pairing.sides) for pairing in play.stored.values()]
    assert len(set(pairs)) == len(pairs)
    assert all(pair[::-1] in pairs for pair in pairs)


def test_41_the_match_for_the_third_place_before_or_after_the_final_gives_the_same_standings() -> None:
    tables = []
    for order in (1, -1):
        play = begin(SINGLE, 8, 3, third_place=True)
        while open_tasks := sorted(tasks(play), key=lambda task: (task[0].round, task[0].stage))[::order]:
            step(play, open_tasks[0])
        check_end(play)
        tables.append(table(play))
    assert tables[0] == tables[1]
    assert [row.rank for row in tables[0]][:4] == [1, 2, 3, 4]
    third = outcome(play, Key("third-place", 1, 1))
    assert [row.player for row in tables[0][2:4]] == [side.player for side, _ in sorted(third, key=lambda it: it[1])]


def test_41_an_event_is_not_over_before_the_match_for_the_third_place() -> None:
    play = begin(SINGLE, 4, third_place=True)
    third = Key("third-place", 1, 1)
    while any(task[0] != third for task in tasks(play)):
        step(play, next(task for task in tasks(play) if task[0] != third))
    assert not tournament.is_over(play.topology, play.stored.get)
    to_the_end(play, Random(1))
    assert tournament.is_over(play.topology, play.stored.get)


def test_42_the_second_grand_final_disappears_when_a_ruling_makes_it_needless() -> None:
    play = begin(DOUBLE, 4)
    first, second = Key("final", 1, 1), Key("final", 2, 1)
    while first not in play.stored or play.stored[first].status is not Status.READY:
        to_the_end(play, Random(1), by_seed, 1)
    assert second not in play.stored
    rule(play, first, (2, 1))
    assert play.stored[second].status is Status.READY
    assert not tournament.is_over(play.topology, play.stored.get)
    rule(play, first, (1, 2))
    assert play.stored[second].status is Status.VOID
    assert tournament.is_over(play.topology, play.stored.get)
    to_the_end(play, Random(1))
    check_end(play)


def test_42_a_withdrawn_winner_of_the_upper_bracket_loses_both_grand_finals() -> None:
    play = begin(DOUBLE, 4)
    first = Key("final", 1, 1)
    while first not in play.stored or play.stored[first].status is not Status.READY:
        to_the_end(play, Random(1), by_seed, 1)
    champion = play.stored[first].sides[1].player
    feed(play, first, Withdrawn(play.stored[first].sides[0].player))
    for pairing in list(play.stored.values()):
        for order in course.orders(pairing):
            step(play, (pairing.key, order.number, order.act))
    check_end(play)
    assert play.stored[Key("final", 2, 1)].status is Status.SETTLED
    assert table(play)[0].player == champion


@pytest.mark.parametrize("format_id", tournament.IDS)
def test_43_after_a_shared_rank_comes_the_number_of_those_before(format_id: str) -> None:
    for n in range(fewest(format_id), 20):
        play = begin(format_id, n, n)
        while True:
            ranks = [row.rank for row in table(play)]
            assert ranks == [1 + ranks.index(rank) for rank in ranks]
            if not to_the_end(play, Random(n), limit=7):
                break


def test_43_a_later_withdrawal_changes_nothing_of_what_was_finished() -> None:
    for format_id in tournament.IDS:
        play = begin(format_id, 9, 4)
        to_the_end(play, Random(1))
        before = table(play), dict(play.stored)
        withdraw(play, "p3")
        assert (table(play), play.stored) == before


@pytest.mark.parametrize("format_id", tournament.IDS)
def test_44_places_rounds_and_seeds_count_from_one_without_gaps(format_id: str) -> None:
    for n in range(fewest(format_id), 34, 3):
        play = begin(format_id, n, n)
        to_the_end(play, Random(n))
        for stage in {key.stage for key in play.stored}:
            rounds = sorted({key.round for key in play.stored if key.stage == stage})
            assert rounds == list(range(1, len(rounds) + 1))
            for number in rounds:
                places = sorted(key.place for key in play.stored if key[:2] == (stage, number))
                assert places == list(range(1, len(places) + 1))
        assert sorted(row.seed for row in table(play)) == list(range(1, n + 1))


@pytest.mark.parametrize("n", range(3, 34, 2))
def test_45_in_an_odd_round_robin_one_rests_each_round_and_everybody_once(n: int) -> None:
    play = begin(ROBIN, n)
    rests = []
    while True:
        number = current_round(play)
        resting = [p for key, p in play.stored.items() if key.round == number and any(s.nobody for s in p.sides)]
        assert len(resting) == 1
        assert resting[0].result is not None
        assert resting[0].result.reason is Reason.BYE
        rests += [side.player for side in resting[0].sides if side.player]
        while tasks(play):
            step(play, tasks(play)[0])
        if not next_round(play):
            break
    assert sorted(rests) == sorted(entrant.player for entrant in play.field)
