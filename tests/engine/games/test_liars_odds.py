"""The odds of a bid, against the figures of the page, an enumeration, and what has to hold for all of them."""

from decimal import Decimal
from itertools import pairwise, product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Code, Refused
from engine.games.liars_odds import odds

THREE_FIVES = "55512340"


def holds(own: str, seats: int, digits: int, digit: int, count: int) -> Decimal:
    return Decimal(odds(own, seats, digits, digit, count)["holds"])


def test_a_bid_that_needs_one_or_two_of_sixteen_unseen_digits_holds_as_the_page_says() -> None:
    assert odds(THREE_FIVES, 3, 8, 5, 4) == {"holds": "0.814697981", "break_even": "0.250000000"}
    assert odds(THREE_FIVES, 3, 8, 5, 5) == {"holds": "0.485272170", "break_even": "0.250000000"}


def test_sixteen_unseen_digits_have_no_copy_or_exactly_one_as_often_as_the_page_says() -> None:
    three, four, five = (holds(THREE_FIVES, 3, 8, 5, count) for count in (3, 4, 5))
    assert three - four == Decimal("0.185302019")
    assert abs(four - five - Decimal("0.329425811")) <= Decimal("0.000000001")


def test_one_serial_holds_copies_of_a_digit_as_often_as_the_page_says() -> None:
    at_least = [holds("11111111", 2, 8, 0, count) for count in range(1, 9)]
    exactly = [1 - at_least[0], *(more - fewer for more, fewer in pairwise(at_least))]
    assert exactly[:4] == [Decimal(p) for p in ("0.43046721", "0.38263752", "0.14880348", "0.03306744")]


@pytest.mark.parametrize(
    ("seats", "expected"),
    [(2, "0.000000000"), (3, "0.250000000"), (4, "0.333333333"), (5, "0.375000000"), (6, "0.400000000")],
)
def test_the_break_even_is_the_pages(seats: int, expected: str) -> None:
    assert odds("00000000", seats, 8, 0, 1)["break_even"] == expected


def test_a_bid_that_the_own_serial_bears_out_is_certain() -> None:
    assert odds(THREE_FIVES, 2, 8, 5, 3)["holds"] == "1.000000000"
    assert odds(THREE_FIVES, 2, 8, 5, 1)["holds"] == "1.000000000"


def test_a_bid_beyond_all_unseen_digits_is_impossible() -> None:
    assert odds(THREE_FIVES, 2, 8, 5, 12)["holds"] == "0.000000000"
    assert odds("1" * 12, 10, 12, 0, 109)["holds"] == "0.000000000"


def test_the_last_place_is_rounded_and_halves_go_up() -> None:
    # Five copies or more among eleven unseen digits: 0.00275096350, the only tie among all tables.
    assert odds("0" * 11, 2, 11, 1, 5)["holds"] == "0.002750964"
    assert odds("0000", 8, 4, 0, 1)["break_even"] == "0.428571429"
    assert odds("0000", 10, 4, 0, 1)["break_even"] == "0.444444444"


@pytest.mark.parametrize("count", range(1, 9))
def test_all_tables_of_four_unseen_digits_agree(count: int) -> None:
    tables = sum(2 + unseen.count("7") >= count for unseen in product("0123456789", repeat=4))
    assert holds("7170", 2, 4, 7, count) == Decimal(tables) / 10_000


@given(st.text("0123456789", min_size=4, max_size=4), st.integers(2, 10), st.integers(0, 9))
def test_a_larger_count_is_never_likelier(own: str, seats: int, digit: int) -> None:
    chances = [holds(own, seats, 4, digit, count) for count in range(1, 4 * seats + 1)]
    assert chances == sorted(chances, reverse=True)
    assert all(0 <= chance <= 1 for chance in chances)


@given(st.integers(4, 12), st.integers(2, 10), st.data())
def test_the_chance_is_the_exact_one_to_nine_places(digits: int, seats: int, data: st.DataObject) -> None:
    own = data.draw(st.text("0123456789", min_size=digits, max_size=digits))
    count = data.draw(st.integers(1, digits * seats))
    unseen = digits * (seats - 1)
    fewer = range(max(0, count - own.count("3")))
    ways = 10**unseen - sum(comb(unseen, found) * 9 ** (unseen - found) for found in fewer)
    shown = odds(own, seats, digits, 3, count)["holds"]
    assert shown[1] == "."
    assert len(shown) == 11
    off_by = 2 * (int(shown.replace(".", "")) * 10**unseen - ways * 10**9)
    assert -(10**unseen) < off_by <= 10**unseen


@pytest.mark.parametrize(
    ("digit", "count", "loc"), [(-1, 1, "digit"), (10, 1, "digit"), (0, 0, "count"), (0, 17, "count"), (0, -1, "count")]
)
def test_a_digit_or_count_that_no_bid_has_is_refused(digit: int, count: int, loc: str) -> None:
    with pytest.raises(Refused) as refused:
        odds("00000000", 2, 8, digit, count)
    assert refused.value.code is Code.INVALID_REQUEST
    assert refused.value.loc == (loc,)
    assert loc in refused.value.detail


def test_the_bounds_of_count_follow_the_table() -> None:
    assert odds("0000", 10, 4, 9, 40)["holds"] == "0.000000000"
    assert odds("0000", 2, 4, 0, 8)["holds"] == "0.000100000"
