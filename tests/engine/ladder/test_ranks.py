"""Ranks from the histogram: those of a sorted list, whatever the population."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ladder import ranks
from engine.ladder.elo import CEILING, shown

points = st.integers(100, 4_095) | st.integers(1_490, 1_510)
populations = st.lists(points, max_size=60)


def histogram(population: list[int]) -> list[int]:
    counted = Counter(population)
    return [counted[rating] for rating in range(ranks.BUCKETS)]


def test_every_rating_has_a_counter() -> None:
    assert shown(CEILING) == ranks.BUCKETS - 1
    assert len(ranks.EMPTY) == ranks.BUCKETS


def test_equal_ratings_share_a_rank() -> None:
    counts = histogram([1_600, 1_500, 1_500, 1_400])
    assert [ranks.rank(counts, p) for p in (1_600, 1_500, 1_500, 1_400)] == [1, 2, 2, 4]


@given(populations)
def test_ranks_are_those_of_a_sorted_list(population: list[int]) -> None:
    counts = histogram(population)
    in_order = sorted(population, reverse=True)
    assert ranks.total(counts) == len(population)
    for rating in population:
        assert ranks.rank(counts, rating) == in_order.index(rating) + 1
        assert ranks.above(counts, rating) == sum(other > rating for other in population)
        assert ranks.below(counts, rating) == sum(other < rating for other in population)


@given(st.lists(points, min_size=1, max_size=60))
def test_the_percentile_is_the_share_that_is_rated_lower(population: list[int]) -> None:
    counts = histogram(population)
    best = ranks.percentile(ranks.below(counts, max(population)), len(population))
    assert ranks.percentile(ranks.below(counts, min(population)), len(population)) == 0
    assert best == 100 * (len(population) - population.count(max(population))) // len(population)
    assert best < 100


@pytest.mark.parametrize(("lower", "of", "value"), [(0, 1, 0), (1, 3, 33), (2, 3, 66), (999, 1_000, 99)])
def test_percentiles_are_floored(lower: int, of: int, value: int) -> None:
    assert ranks.percentile(lower, of) == value


@pytest.mark.parametrize(("lower", "of"), [(0, 0), (1, 1), (-1, 5), (6, 5)])
def test_a_percentile_of_who_is_not_listed_is_refused(lower: int, of: int) -> None:
    with pytest.raises(ValueError, match="rated lower"):
        ranks.percentile(lower, of)


@given(st.lists(st.tuples(st.none() | points, st.none() | points), max_size=40))
def test_moves_leave_what_a_recount_finds(moves: list[tuple[int | None, int | None]]) -> None:
    before = histogram([old for old, _ in moves if old is not None])
    recount = histogram([new for _, new in moves if new is not None])
    changes = ranks.deltas(moves)
    assert 0 not in changes.values()
    assert [count + changes.get(rating, 0) for rating, count in enumerate(before)] == recount


def test_moves_within_a_point_change_no_counter() -> None:
    assert ranks.deltas([(1_500, 1_500), (None, None), (1_400, 1_401), (1_401, 1_400)]) == {}
