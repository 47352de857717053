"""`elo/1`: the vectors of ladder.md, its tables recomputed, its bounds."""

from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from itertools import permutations

import pytest

from engine.ladder import elo
from engine.ladder.elo import CEILING, FLOOR, START, Entrant, Pair, changes, changes_at, expected, k_factor, shown
from tests.engine.ladder.results import after, entrants, gains

ROOTS = (1000000, 1414214, 1732051, 2000000, 2236068, 2449490, 2645751, 2828427, 3000000)


@pytest.mark.parametrize(("gap", "value"), [(0, 500_000), (191, 750_163), (400, 909_091), (-191, 249_837)])
def test_the_expectations_are_the_vectors(gap: int, value: int) -> None:
    assert expected(gap) == value


def test_every_expectation_is_the_formula_at_high_precision() -> None:
    with localcontext() as context:
        context.prec = 60
        formula = [1_000_000 / (1 + Decimal(10) ** (Decimal(-gap) / 400)) for gap in range(1_601)]
        assert [expected(gap) for gap in range(1_601)] == [
            int(value.quantize(Decimal(1), ROUND_HALF_UP)) for value in formula
        ]


def test_no_expectation_is_so_near_a_half_that_its_rounding_could_be_doubted() -> None:
    """Exact fractions about the value: 10^gap between the 400th powers of what the bounds of the rounding ask for."""
    for gap in range(1, 1_601):
        low, high = (Fraction(2 * expected(gap) + sign, 2_000_000) for sign in (-1, 1))
        assert (low.numerator**400) < 10**gap * (low.denominator - low.numerator) ** 400
        assert (high.numerator**400) > 10**gap * (high.denominator - high.numerator) ** 400


def test_both_sides_of_an_expectation_add_up_and_a_wider_gap_never_expects_less() -> None:
    values = [expected(gap) for gap in range(-2_000, 2_001)]
    assert all(expected(gap) + expected(-gap) == 1_000_000 for gap in range(2_001))
    assert values == sorted(values)


def test_a_gap_over_1600_counts_as_1600() -> None:
    assert expected(1_599) < expected(1_600) == expected(1_601) == expected(4_000) == 999_900
    assert expected(-1_601) == expected(-1_600) == 100


@pytest.mark.parametrize(
    ("games", "k"), [(0, 120_000), (1, 100_000), (2, 85_714), (20, 24_000), (32, 16_216), (33, 16_000), (900, 16_000)]
)
def test_k_is_the_vectors(games: int, k: int) -> None:
    assert k_factor(games) == k


def test_k_is_its_formula_rounded_once() -> None:
    for games in range(100):
        exact = max(Fraction(16), 120 / (1 + Fraction(games, 5)))
        assert abs(1_000 * exact - k_factor(games)) <= Fraction(1, 2)


def test_a_negative_number_of_games_is_refused() -> None:
    with pytest.raises(ValueError, match="not negative"):
        k_factor(-1)


@pytest.mark.parametrize(
    ("ratings", "ranks", "expected_after"),
    [
        ((1500, 1500, 1500), (1, 2, 3), [1_522_627, 1_500_000, 1_477_373]),
        ((1800, 1600, 1500, 1400), (1, 2, 3, 4), [1_808_908, 1_606_650, 1_497_210, 1_387_232]),
        ((1500, 1500, 1500, 1500), (1, 2, 2, 2), [1_527_713, 1_490_763, 1_490_762, 1_490_762]),
    ],
)
def test_results_with_k_32_are_the_vectors(
    ratings: tuple[int, ...], ranks: tuple[int, ...], expected_after: list[int]
) -> None:
    assert after(changes_at(entrants(*ratings, ranks=ranks), [32_000] * len(ratings))) == expected_after


def test_2400_beats_2000_with_k_20_as_in_the_vector() -> None:
    assert after(changes(entrants(2400, 2000, games=25))) == [2_401_818, 1_998_182]


def test_a_new_player_who_beats_a_new_one_three_times_is_the_vector() -> None:
    ratings, seen = [START, START], []
    for games in range(3):
        ratings = after(changes([Entrant("a", ratings[0], games, 1), Entrant("b", ratings[1], games, 2)]))
        seen.append(ratings[0])
    assert seen == [1_560_000, 1_593_386, 1_615_173]
    assert sum(ratings) == 2 * START


def test_of_equal_remainders_the_lower_player_id_gets_the_milli_point_left_over_wherever_it_sits() -> None:
    table = entrants(1500, 1500, 1500, 1500, ranks=(1, 2, 2, 2))
    for order in permutations(table):
        after_of = {change.player: change.after for change in changes_at(order, [32_000] * 4)}
        assert after_of == {"a": 1_527_713, "b": 1_490_763, "c": 1_490_762, "d": 1_490_762}


@pytest.mark.parametrize("others", range(1, 10))
def test_the_sum_over_the_others_is_divided_by_the_root_of_their_number(others: int) -> None:
    winner = changes(entrants(*[1500] * (others + 1), ranks=[1] + [2] * others))[0]
    exact = Fraction(120_000 * others * 500_000, ROOTS[others - 1])
    assert abs(winner.after - START - exact) < 1


def test_a_change_carries_all_that_it_is_computed_from() -> None:
    first, second, third = changes(entrants(1800, 1600, 1500, ranks=(1, 2, 2), games=20))
    assert (first.player, first.before, first.k) == ("a", 1_800_000, 24_000)
    assert first.pairs == (Pair("b", expected(200), 1_000_000), Pair("c", expected(300), 1_000_000))
    assert second.pairs == (Pair("a", expected(-200), 0), Pair("c", expected(100), 500_000))
    assert third.pairs == (Pair("a", expected(-300), 0), Pair("b", expected(-100), 500_000))


@pytest.mark.parametrize(
    ("milli", "points"),
    [(1_500_499, 1500), (1_500_500, 1501), (499, 0), (500, 1), (-499, 0), (-500, -1), (-1_500, -2), (100_000, 100)],
)
def test_ratings_are_shown_in_whole_points_halves_away_from_zero(milli: int, points: int) -> None:
    assert shown(milli) == points


@pytest.mark.parametrize(("gap", "points"), [(499, 0), (500, 1), (1_499, 1), (1_500, 2)])
def test_a_gap_is_rounded_once_from_milli_points_not_taken_from_shown_ratings(gap: int, points: int) -> None:
    higher, lower = changes([Entrant("a", 1_500_400 + gap, 0, 1), Entrant("b", 1_500_400, 0, 2)])
    assert (higher.pairs[0].expected, lower.pairs[0].expected) == (expected(points), expected(-points))


def test_the_floor_and_the_ceiling_hold_after_the_change_and_raise_nobody_who_lost() -> None:
    low = changes(entrants(110, 100, games=0))
    assert after(low) == [100 * 1_000 + 10_000 + 120_000 - 120 * expected(10) // 1_000, FLOOR]
    high = changes(entrants(4095, 4090))
    assert high[0].after == CEILING
    assert high[1].after < high[1].before


def test_three_and_thirty_seats_do_not_freeze_the_ratings() -> None:
    many = [Entrant(f"ply_{i:02}", START, 900, i + 1) for i in range(33)]
    assert gains(changes(many))[0] > 16_000
    assert sum(gains(changes(many))) == 0


def test_a_heavy_favourites_loss_costs_nearly_all_of_k() -> None:
    assert gains(changes(entrants(1000, 3000, games=900))) == [15_998, -15_998]


@pytest.mark.parametrize("players", [[], ["a"], ["a", "a"], ["a", "b", "a"]])
def test_fewer_than_two_players_or_one_twice_are_refused(players: list[str]) -> None:
    with pytest.raises(ValueError, match="rated"):
        changes([Entrant(player, START, 0, rank) for rank, player in enumerate(players, 1)])


def test_a_rating_is_provisional_below_twenty_games() -> None:
    assert [elo.is_provisional(games) for games in (0, 19, 20)] == [True, True, False]
