"""Who is to play whom (ladder.md, "Seeks"): the arithmetic, without a service."""

from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.shared.flows.opponents import ANYBODY, HOUR_MS, accepted, next_look, table
from functions.shared.store.records import Seek

DAY_MS = 24 * HOUR_MS
NOW = 100 * DAY_MS


def seek(
    player: str,
    rating: int,
    hours: float = 0,
    rating_range: tuple[int, int] | None = None,
    seats: int = 2,
) -> Seek:
    """A seek that has waited so long."""
    began = NOW - round(hours * HOUR_MS)
    return Seek(f"sek_{player}", player, "liars-poker", seats, {}, rating, rating_range, "", began, began + DAY_MS, 0)


def players(seated: tuple[Seek, ...] | None) -> str:
    return "" if seated is None else "".join(one.player for one in seated)


@pytest.mark.parametrize(
    ("hours", "expected"),
    [
        (0, (1350, 1650)),
        (1 - 1 / HOUR_MS, (1350, 1650)),
        (1, (1300, 1700)),
        (2.5, (1250, 1750)),
        (23.999, (200, 2800)),
        (24, ANYBODY),
        (300, ANYBODY),
    ],
)
def test_what_is_accepted_after_so_many_hours(hours: float, expected: tuple[int, int]) -> None:
    assert accepted(seek("a", 1500, hours), NOW) == expected
    assert accepted(seek("a", 1500, hours, (1400, 1410)), NOW) == (1400, 1410)


def test_no_range_begins_below_nothing() -> None:
    assert accepted(seek("a", 100), NOW) == (0, 250)


def test_a_seek_is_looked_at_each_full_hour_then_daily_then_at_its_end() -> None:
    begun = seek("a", 1500)._replace(expires_at=NOW + 14 * DAY_MS)
    assert next_look(begun, NOW) == NOW + HOUR_MS
    assert next_look(begun, NOW + HOUR_MS - 1) == NOW + HOUR_MS
    assert next_look(begun, NOW + HOUR_MS) == NOW + 2 * HOUR_MS
    assert next_look(begun, NOW + 24 * HOUR_MS) == NOW + 2 * DAY_MS
    assert next_look(begun, NOW + 13 * DAY_MS + 5) == begun.expires_at
    assert next_look(begun._replace(expires_at=NOW + 10), NOW) == NOW + 10


def test_the_oldest_of_all_is_seated_first_and_then_who_is_nearest_to_it() -> None:
    came = seek("s", 1500, 0, seats=3)
    others = [seek("a", 1620, 0.9, seats=3), seek("b", 1510, 0.2, seats=3), seek("c", 1520, 0.1, seats=3)]
    assert players(table(came, others, NOW)) == "acs"
    assert players(table(others[0], [came, *others[1:]], NOW)) == "abc"


def test_where_the_oldest_leaves_a_seat_free_the_next_oldest_is_asked() -> None:
    came = seek("s", 1500, 0, seats=3)
    alone = seek("a", 1640, 0.9, (1500, 1500), seats=3)
    others = [alone, seek("b", 1510, 0.2, seats=3), seek("c", 1490, 0.1, seats=3)]
    assert players(table(came, others, NOW)) == "bcs"
    assert table(came, others[:2], NOW) is None


@pytest.mark.parametrize("refuses", ["s", "a", "b"])
def test_each_has_to_accept_each(refuses: str) -> None:
    """Each of them alone can spoil a table of three, by refusing either of the others."""
    ratings = {"s": 1500, "a": 1550, "b": 1600}
    for refused in set(ratings) - {refuses}:
        low, high = (0, ratings[refused] - 1) if ratings[refused] > ratings[refuses] else (ratings[refused] + 1, 4095)
        seeks = {
            name: seek(name, points, 0, (low, high) if name == refuses else (0, 4095), seats=3)
            for name, points in ratings.items()
        }
        assert table(seeks["s"], [seeks["a"], seeks["b"]], NOW) is None


def test_nobody_is_seated_beside_themself() -> None:
    twice = seek("a", 1500, 1)._replace(id="sek_other")
    assert table(seek("a", 1500), [twice], NOW) is None
    three = [one._replace(seats=3) for one in (seek("a", 1500), seek("b", 1500), seek("b", 1500, 1))]
    assert table(three[0], three[1:], NOW) is None


RANGES = st.none() | st.tuples(st.integers(1300, 1500), st.integers(1500, 1800))
FIELD = st.lists(st.tuples(st.integers(1400, 1700), st.sampled_from([0.0, 0.5, 1.5, 3.0]), RANGES), max_size=8)


def accept(one: Seek, other: Seek) -> bool:
    ranges = accepted(one, NOW), accepted(other, NOW)
    return ranges[0][0] <= other.rating <= ranges[0][1] and ranges[1][0] <= one.rating <= ranges[1][1]


@given(FIELD)
def test_of_two_seats_the_nearest_that_fits_is_taken_then_the_oldest(field: list[tuple[int, float, None]]) -> None:
    others = [seek(f"p{number}", *one) for number, one in enumerate(field)]
    came = seek("s", 1500)
    fitting = [other for other in others if accept(came, other)]
    found = table(came, others, NOW)
    if not fitting:
        assert found is None
        return
    assert found is not None
    (taken,) = [one for one in found if one is not came]
    best = min((abs(other.rating - 1500), other.created_at) for other in fitting)
    assert (abs(taken.rating - 1500), taken.created_at) == best


@given(FIELD, st.integers(3, 4))
def test_a_table_is_full_of_players_who_accept_one_another(field: list[tuple[int, float, None]], seats: int) -> None:
    others = [seek(f"p{number}", *one)._replace(seats=seats) for number, one in enumerate(field)]
    came = seek("s", 1500, 0.25)._replace(seats=seats)
    found = table(came, others, NOW)
    if found is None:
        pairs = [accept(came, other) for other in others]
        assert sum(pairs) < seats - 1 or not all(accept(*pair) for pair in combinations([came, *others], 2))
        return
    assert len({one.player for one in found}) == seats
    assert came in found
    assert all(accept(*pair) for pair in combinations(found, 2))
    assert list(found) == sorted(found, key=lambda one: (one.created_at, one.id))


def test_the_order_in_which_seeks_are_read_decides_nothing() -> None:
    came = seek("s", 1500, seats=3)
    others = [seek(name, 1500 + 10 * i, i / 10, seats=3) for i, name in enumerate("abcd")]
    assert {players(table(came, order, NOW)) for order in permutations(others)} == {"dcs"}
