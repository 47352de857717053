"""How the games of a pairing decide it."""

from typing import Any

import pytest

from engine.tournament import series
from engine.tournament.protocol import Deadline, Ended, Pairing, Reason, Started, Status
from tests.engine.tournament.pairs import ROBIN, after, at_table, facts, overdue, pair, play

WON, LOST, DRAWN = (1, 2), (2, 1), (1, 1)


def outcome(pairing: Pairing) -> tuple[Reason, tuple[int, ...], tuple[int, ...]] | None:
    return pairing.result and (pairing.result.reason, pairing.result.ranks, pairing.result.points)


def test_one_game_decides_a_pairing_of_one() -> None:
    assert outcome(play(pair(), LOST)) == (Reason.PLAYED, LOST, (0, 2))


@pytest.mark.parametrize("best_of", [3, 5, 7, 9])
def test_a_series_ends_when_the_lead_cannot_be_caught(best_of: int) -> None:
    pairing = pair(best_of)
    for number in range(1, best_of // 2 + 1):
        pairing = play(pairing, WON)
        assert pairing.result is None
        assert len(pairing.games) == number + 1
    assert outcome(play(pairing, WON)) == (Reason.PLAYED, WON, (best_of + 1, 0))


def test_half_a_point_more_than_can_be_caught_is_enough() -> None:
    assert play(pair(3), WON).result is None
    assert play(pair(3), WON, DRAWN).result is None
    assert outcome(play(pair(3), WON, DRAWN, DRAWN)) == (Reason.PLAYED, WON, (4, 2))
    assert play(pair(5), WON, WON, DRAWN).result is None
    assert outcome(play(pair(5), WON, WON, DRAWN, DRAWN)) == (Reason.PLAYED, WON, (6, 2))


def test_a_level_series_of_three_is_replayed_twice_in_a_knock_out() -> None:
    pairing = play(pair(3), DRAWN, DRAWN, DRAWN)
    assert pairing.result is None
    pairing = play(pairing, DRAWN)
    assert pairing.result is None
    assert outcome(play(pairing, LOST)) == (Reason.PLAYED, LOST, (4, 6))


def test_after_two_level_replays_more_scores_over_all_decide() -> None:
    pairing = play(pair(), DRAWN, DRAWN, scores=(5, 7))
    assert pairing.result is None
    pairing = play(pairing, DRAWN, scores=(1, 0))
    assert outcome(pairing) == (Reason.PLAYED, LOST, (3, 3))
    assert pairing.result is not None
    assert pairing.result.scores == (11, 14)


@pytest.mark.parametrize(("seeds", "ranks"), [((1, 2), WON), ((2, 1), LOST)])
def test_after_level_scores_the_higher_seed_wins(seeds: tuple[int, int], ranks: tuple[int, int]) -> None:
    assert outcome(play(pair(seeds=seeds), DRAWN, DRAWN, DRAWN)) == (Reason.PLAYED, ranks, (3, 3))


def test_a_draw_in_a_round_robin_stays_one() -> None:
    pairing = play(pair(format_id=ROBIN), DRAWN, format_id=ROBIN, scores=(9, 1))
    assert outcome(pairing) == (Reason.PLAYED, DRAWN, (1, 1))


def test_without_replays_a_draw_goes_to_the_scores_at_once() -> None:
    pairing = after(pair(), Started(1))
    pairing = after(pairing, Ended(1, facts(pairing, DRAWN, (3, 4))), replays=0)
    assert outcome(pairing) == (Reason.PLAYED, LOST, (1, 1))


@pytest.mark.parametrize(("seeds", "first"), [((1, 2), 0), ((5, 4), 1)])
def test_the_higher_seed_has_the_first_seat_in_the_first_game_and_then_they_alternate(
    seeds: tuple[int, int], first: int
) -> None:
    pairing = play(pair(3, seeds=seeds), DRAWN, DRAWN, DRAWN, DRAWN)
    assert [game.seats[0] for game in pairing.games] == [first, 1 - first, first, 1 - first, first]


def test_in_a_round_robin_the_table_says_who_has_the_first_seat() -> None:
    assert pair(format_id=ROBIN, seeds=(6, 1)).games[0].seats == (0, 1)


def test_a_game_is_counted_by_side_wherever_the_sides_sat() -> None:
    pairing = play(pair(3), WON, WON)
    assert [game.end.ranks for game in pairing.games if game.end] == [WON, WON]


@pytest.mark.parametrize("left", ["resigned", "timeout", "abandoned"])
def test_leaving_after_an_own_action_is_a_plain_loss(left: str) -> None:
    pairing = play(pair(3), WON, left=("", left))
    assert pairing.result is None
    pairing = play(pairing, LOST, left=(left, ""))
    assert pairing.result is None


@pytest.mark.parametrize("left", ["resigned", "timeout", "abandoned"])
def test_who_leaves_without_an_own_action_loses_the_whole_series_and_is_out(left: str) -> None:
    pairing = play(pair(3), WON, left=("", left), acted=(True, False))
    assert outcome(pairing) == (Reason.FORFEIT, WON, (2, 0))
    assert pairing.result is not None
    assert pairing.result.out == (False, True)


def test_who_never_acted_because_the_other_one_left_first_is_not_out() -> None:
    pairing = play(pair(), WON, left=("", "timeout"), acted=(False, False))
    assert pairing.result is not None
    assert pairing.result.out == (False, True)


def test_an_aborted_match_counts_for_who_stayed() -> None:
    pairing = after(pair(), Started(1))
    pairing = after(pairing, Ended(1, facts(pairing, (), left=("timeout", ""), acted=(False, False))))
    assert outcome(pairing) == (Reason.FORFEIT, LOST, (0, 2))


def test_an_action_in_an_earlier_game_of_the_series_counts() -> None:
    pairing = play(pair(5), WON)
    pairing = play(pairing, WON, left=("", "abandoned"), acted=(True, False))
    assert pairing.result is None


def test_who_is_taken_out_of_a_match_is_out_even_after_an_own_action() -> None:
    pairing = play(pair(3), WON, left=("", "forfeit"))
    assert pairing.result is not None
    assert pairing.result[:2] == (Reason.FORFEIT, WON)
    assert pairing.result.out == (False, True)


@pytest.mark.parametrize("acted", [True, False])
def test_both_leaving_at_once_is_a_double_forfeit(acted: bool) -> None:
    pairing = play(pair(3), DRAWN, left=("timeout", "timeout"), acted=(acted, acted))
    assert pairing.result is not None
    assert pairing.result[:2] == (Reason.DOUBLE_FORFEIT, (2, 2))
    assert pairing.result.out == (True, True)


def test_a_match_aborted_from_outside_is_played_again() -> None:
    pairing = after(pair(), Started(1))
    pairing = after(pairing, Ended(1, facts(pairing, (), acted=(False, False))))
    assert pairing.status is Status.PLAYING
    assert [(game.number, game.void) for game in pairing.games] == [(1, True), (2, False)]
    assert pairing.games[0].seats == pairing.games[1].seats
    assert outcome(play(pairing, WON)) == (Reason.PLAYED, WON, (2, 0))


# At the deadline.


def test_at_the_deadline_a_match_counts_as_it_stands() -> None:
    assert outcome(overdue(pair(), LOST)) == (Reason.DEADLINE, LOST, (0, 2))


def test_after_the_deadline_there_is_no_further_game() -> None:
    assert outcome(overdue(play(pair(5), WON), DRAWN)) == (Reason.DEADLINE, WON, (3, 1))


def test_level_at_the_deadline_more_scores_decide_then_the_seed() -> None:
    assert outcome(overdue(pair(), DRAWN, scores=(1, 2))) == (Reason.DEADLINE, LOST, (1, 1))
    assert outcome(overdue(pair(seeds=(2, 1)), DRAWN)) == (Reason.DEADLINE, LOST, (1, 1))
    assert outcome(overdue(pair(format_id=ROBIN), DRAWN, ROBIN, scores=(1, 2))) == (Reason.DEADLINE, DRAWN, (1, 1))


def test_at_the_deadline_who_never_acted_forfeits_whatever_the_standing() -> None:
    pairing = overdue(pair(), WON, acted=(False, True))
    assert pairing.result is not None
    assert pairing.result[:2] == (Reason.FORFEIT, LOST)
    assert pairing.result.out == (True, False)


def test_at_the_deadline_two_who_never_acted_forfeit_both() -> None:
    pairing = overdue(pair(), DRAWN, acted=(False, False))
    assert pairing.result is not None
    assert pairing.result[:2] == (Reason.DOUBLE_FORFEIT, (2, 2))
    assert pairing.result.out == (True, True)


def test_at_the_deadline_of_a_later_game_those_who_played_the_first_are_not_out() -> None:
    pairing = overdue(play(pair(3), WON), DRAWN, acted=(False, False))
    assert outcome(pairing) == (Reason.DEADLINE, WON, (3, 1))
    assert pairing.result is not None
    assert pairing.result.out == (False, False)


def test_a_deadline_between_two_games_takes_the_games_so_far() -> None:
    pairing = after(play(pair(3), LOST), Deadline())
    assert outcome(pairing) == (Reason.DEADLINE, LOST, (0, 2))
    assert [game.void for game in pairing.games] == [False, True]


def test_a_deadline_before_any_match_was_created_lets_the_higher_seed_win_and_nobody_is_out() -> None:
    pairing = after(pair(seeds=(2, 1)), Deadline())
    assert outcome(pairing) == (Reason.DEADLINE, LOST, (0, 0))
    assert pairing.result is not None
    assert pairing.result.out == (False, False)


def test_a_deadline_with_another_match_than_the_running_one_changes_nothing() -> None:
    pairing = after(play(pair(3), WON), Started(2))
    assert after(pairing, Deadline(1, facts(pairing, WON))) is pairing
    assert after(pairing, Deadline()) is pairing


# Tables.


@pytest.mark.parametrize("size", range(2, 11))
def test_points_of_a_table_are_the_share_of_opponents_beaten_and_add_up(size: int) -> None:
    order = tuple(range(1, size + 1))
    result = series.table_result(at_table(size), Reason.PLAYED, order, (False,) * size)
    assert result.points[0] == 5040
    assert result.points[-1] == 0
    assert sum(result.points) * 2 == 5040 * size
    assert set(series.table_result(at_table(size), Reason.PLAYED, (1,) * size, (False,) * size).points) == {2520}


def test_equals_at_a_table_share_half_of_what_is_between_them() -> None:
    result = series.table_result(at_table(4), Reason.PLAYED, (1, 2, 2, 4), (False,) * 4)
    assert result.points == (5040, 2520, 2520, 0)


def test_at_a_table_who_never_acted_is_out_and_last_at_the_deadline() -> None:
    table = at_table(3)
    more: dict[str, Any] = {"scores": (3, 2, 1), "left": ("", "", ""), "acted": (False, True, True)}
    done = after(
        after(table, Started(1), "heats"),
        Deadline(1, facts(table, (1, 2, 3), **more)),
        "heats",
    )
    assert done.result is not None
    assert done.result.ranks == (3, 1, 2)
    assert done.result.out == (True, False, False)


def test_at_a_table_who_left_after_an_own_action_is_not_out() -> None:
    table = at_table(3)
    more: dict[str, Any] = {"scores": (3, 2, 1), "left": ("", "resigned", "abandoned"), "acted": (True, True, False)}
    done = after(after(table, Started(1), "heats"), Ended(1, facts(table, (1, 2, 3), **more)), "heats")
    assert done.result is not None
    assert done.result.out == (False, False, True)
