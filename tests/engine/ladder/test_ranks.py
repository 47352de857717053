"""Ranks from the histogram: those of a sorted list, whatever the population."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ladder import ranks
from engine.ladder.elo import CEILING, shown

points = st.integers(100, 4_095) | st.integers(1_490, 1_510)
populations = st.lists(points, max_size=60)


def histogram(population: list[int]) -> tuple[int, ...]:
    return ranks.add(ranks.EMPTY, ranks.deltas((None, rating) for rating in population))


def listed(counts: tuple[int, ...], parts: tuple[ranks.Slice, ...]) -> list[int]:
    """The ratings that somebody reads who queries these parts of the list."""
    found: list[int] = []
    for part in parts:
        in_band = [p for p in reversed(range(part.band * 16, part.band * 16 + 16)) for _ in range(counts[p])]
        assert part.skip + part.take <= len(in_band)
        found += in_band[part.skip : part.skip + part.take]
    return found


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
    assert ranks.add(before, ranks.deltas(moves)) == recount


def test_moves_within_a_point_change_no_counter() -> None:
    assert ranks.deltas([(1_500, 1_500), (None, None), (1_400, 1_401), (1_401, 1_400)]) == {}


@pytest.mark.parametrize("changes", [{1_500: -2}, {1_499: -1}, {4_096: 1}, {-1: 1}])
def test_a_negative_or_unknown_counter_is_refused(changes: dict[int, int]) -> None:
    with pytest.raises(ValueError, match="counter"):
        ranks.add(histogram([1_500]), changes)


@given(populations, st.integers(1, 70), st.integers(0, 70))
def test_the_slices_hold_exactly_the_places_asked_for(population: list[int], first: int, last: int) -> None:
    counts = histogram(population)
    parts = ranks.slices(counts, first, last)
    in_order = sorted(population, reverse=True)
    assert listed(counts, parts) == in_order[first - 1 : max(last, 0)]
    assert {part.band for part in parts} == {ranks.band(rating) for rating in in_order[first - 1 : last]}


@given(populations, st.integers(1, 25))
def test_pages_by_place_are_the_whole_list_forward_and_back(population: list[int], size: int) -> None:
    counts = histogram(population)
    pages = [listed(counts, ranks.slices(counts, at, at + size - 1)) for at in range(1, len(population) + 1, size)]
    back: list[list[int]] = []
    last = len(population)
    while last > 0:
        back.insert(0, listed(counts, ranks.slices(counts, max(1, last - size + 1), last)))
        last -= size
    assert list(chain(*pages)) == list(chain(*back)) == sorted(population, reverse=True)


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_window_around_a_place_stays_within_a_small_ladder(place: int) -> None:
    counts = histogram([1_700, 1_600, 1_500])
    window = listed(counts, ranks.slices(counts, max(1, place - 1), place + 1))
    assert window == [1_700, 1_600, 1_500][max(0, place - 2) : place + 1]


def test_places_begin_with_1() -> None:
    with pytest.raises(ValueError, match="begin with 1"):
        ranks.slices(ranks.EMPTY, 0, 5)
