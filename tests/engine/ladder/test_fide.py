"""`fide/1`: the edges of the handbook's table, K in its three steps, the cap on the gap."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given

from engine.ladder import elo, fide
from engine.ladder.elo import CEILING, FLOOR, Entrant, Pair
from tests.engine.ladder.results import MIDDLE, after, entrants, gains, results

EDGES = {
    **{3: 50, 4: 51, 25: 53, 26: 54, 53: 57, 54: 58, 100: 64, 200: 76, 300: 85, 343: 88, 344: 88, 357: 89, 358: 90},
    **{391: 91, 392: 92, 411: 92, 412: 93, 619: 98, 620: 99, 735: 99, 736: 100},
}

LINES = 51
"""The table has one for each of .50, .51, … 1.00."""


@pytest.mark.parametrize(("gap", "hundredths"), EDGES.items())
def test_the_expectations_are_the_vectors(gap: int, hundredths: int) -> None:
    assert fide.expected(gap) == hundredths * 10_000
    assert fide.expected(-gap) == 1_000_000 - hundredths * 10_000


def test_the_table_rises_by_a_hundredth_a_line() -> None:
    values = [fide.expected(gap) for gap in range(4_096)]
    steps = [after - before for before, after in pairwise(values)]
    assert set(steps) == {0, 10_000}
    assert steps.count(10_000) == LINES - 1
    assert values[-1] == 1_000_000


def test_the_table_is_not_the_formula() -> None:
    differ = [gap for gap in range(401) if fide.expected(gap) != round(Fraction(elo.expected(gap), 10_000)) * 10_000]
    assert len(differ) == 134


@pytest.mark.parametrize(
    ("games", "reached", "k"),
    [
        (0, False, 40),
        (29, False, 40),
        (29, True, 40),
        (30, False, 20),
        (500, False, 20),
        (30, True, 10),
        (500, True, 10),
    ],
)
def test_k_has_three_steps(games: int, reached: bool, k: int) -> None:
    assert fide.k_factor(games, reached) == 1_000 * k


def test_k_is_10_for_ever_once_2400_was_shown() -> None:
    now = [Entrant("a", 2_399_500, 40, 1), Entrant("b", 2_399_499, 40, 2)]
    before = [Entrant("a", 1_900_000, 40, 1, reached_2400=True), Entrant("b", 1_900_000, 40, 2)]
    assert [change.k for change in fide.changes(now)] == [10_000, 20_000]
    assert [change.k for change in fide.changes(before)] == [10_000, 20_000]


@pytest.mark.parametrize(
    ("before", "rating", "reached"),
    [(False, 2_399_499, False), (False, 2_399_500, True), (True, 1_500_000, True), (False, 2_500_000, True)],
)
def test_2400_is_reached_when_it_is_shown_and_stays_so(before: bool, rating: int, reached: bool) -> None:
    assert fide.has_reached_2400(before, rating) is reached


@pytest.mark.parametrize(
    ("ratings", "games", "expected_after"),
    [
        ((1500, 1500), 0, [1_520_000, 1_480_000]),
        ((2400, 2000), 30, [2_400_800, 1_998_400]),  # K 10 and 20, .92 and .08
        ((2000, 2400), 30, [2_018_400, 2_390_800]),
        ((2649, 2000), 30, [2_649_800, 1_998_400]),  # a gap of 649 counts as 400 on both sides
        ((2650, 2000), 30, [2_650_100, 1_998_400]),  # but in full for who has 2650: .99, the other keeps .08
        ((2000, 2700), 30, [2_018_400, 2_690_100]),
        ((2700, 2000), 0, [2_700_400, 1_996_800]),
    ],
)
def test_results_are_as_by_hand(ratings: tuple[int, int], games: int, expected_after: list[int]) -> None:
    assert after(fide.changes(entrants(*ratings, games=games))) == expected_after


def test_a_draw_moves_both_towards_each_other() -> None:
    higher, lower = fide.changes(entrants(1700, 1500, ranks=(1, 1), games=30))
    assert (higher.after, lower.after) == (1_694_800, 1_505_200)
    assert higher.pairs == (Pair("b", 760_000, 500_000),)


def test_the_gap_is_that_of_the_ratings_as_shown() -> None:
    assert fide.gap(1_503_500, 1_500_499) == 4
    assert fide.gap(1_503_499, 1_499_500) == 3
    assert elo.shown(1_503_499 - 1_499_500) == 4


@pytest.mark.parametrize(
    ("own", "other", "gap"),
    [(2_649_499, 1_000_000, 400), (2_649_500, 1_000_000, 1_650), (1_000_000, 2_649_500, -400), (2_700, 3_500, -1)],
)
def test_a_gap_is_capped_by_the_own_rating(own: int, other: int, gap: int) -> None:
    assert fide.gap(own, other) == gap


def test_who_has_2650_can_win_without_gaining_at_a_gap_of_736() -> None:
    assert gains(fide.changes(entrants(2736, 2000, games=30))) == [0, -1_600]


@given(results(most=2))
def test_every_change_is_exact(result: list[Entrant]) -> None:
    for change in fide.changes(result):
        (pair,) = change.pairs
        exact = Fraction(change.k * (pair.score - pair.expected), 1_000_000)
        assert exact.denominator == 1
        assert change.after == min(max(change.before + int(exact), FLOOR), CEILING)


@given(results(ratings=MIDDLE, most=2))
def test_the_order_of_seats_changes_nothing(result: list[Entrant]) -> None:
    assert fide.changes(result) == fide.changes(result[::-1])[::-1]


@pytest.mark.parametrize("size", [0, 1, 3])
def test_any_other_number_of_seats_than_two_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="can't be rated"):
        fide.changes(entrants(*[1500] * size))


def test_a_player_is_not_rated_against_themself() -> None:
    with pytest.raises(ValueError, match="themself"):
        fide.changes([Entrant("a", 1_500_000, 0, 1), Entrant("a", 1_500_000, 0, 2)])
