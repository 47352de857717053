"""Clocks as data: what a request may ask for, and when a decision is over."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import clock, games
from engine.clock import Clock, Pause, Reserve
from engine.errors import Code, Refused
from tests.engine.cases import find

SECONDS = st.integers(10, 2_592_000)
POLICIES = st.sampled_from(["default-action", "forfeit"])


@given(SECONDS, POLICIES)
def test_a_clock_is_described_as_a_request_would_give_it(seconds: int, policy: str) -> None:
    own = Clock("per-move", seconds, policy)
    assert clock.describe(own) == {"kind": "per-move", "seconds": seconds, "on_timeout": policy}
    assert clock.parse(clock.describe(own)) == own


@given(SECONDS)
def test_a_missed_action_is_what_a_clock_leads_to_unless_it_says_otherwise(seconds: int) -> None:
    expected = Clock("per-move", seconds, "default-action")
    assert clock.parse({"kind": "per-move", "seconds": seconds}) == clock.per_move(seconds) == expected


@pytest.mark.parametrize("seconds", [10, 2_592_000])
def test_the_bounds_are_possible(seconds: int) -> None:
    assert clock.parse({"kind": "per-move", "seconds": seconds}).seconds == seconds


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"kind": "sundial"}, "kind"),
        ({"kind": None}, "kind"),
        ({"kind": ["per-move"]}, "kind"),
        ({"seconds": 9}, "seconds"),
        ({"seconds": 2_592_001}, "seconds"),
        ({"seconds": 0}, "seconds"),
        ({"seconds": -60}, "seconds"),
        ({"seconds": True}, "seconds"),
        ({"seconds": 60.0}, "seconds"),
        ({"seconds": "60"}, "seconds"),
        ({"seconds": None}, "seconds"),
        ({"seconds": 10**400}, "seconds"),
        ({"on_timeout": "shrug"}, "on_timeout"),
        ({"on_timeout": None}, "on_timeout"),
        ({"on_timeout": True}, "on_timeout"),
        ({"on_timeout": ["forfeit"]}, "on_timeout"),
        ({"grace": 5}, "grace"),
        ({"Seconds": 60}, "Seconds"),
    ],
)
def test_what_is_no_clock_is_refused_with_the_field_that_is_wrong(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        clock.parse({"kind": "per-move", "seconds": 60, **changes})
    assert (refused.value.code, refused.value.loc) == (Code.INVALID_REQUEST, ("clock", field))
    assert refused.value.detail


@pytest.mark.parametrize("lacking", ["kind", "seconds"])
def test_a_clock_needs_its_kind_and_its_seconds(lacking: str) -> None:
    data = {name: value for name, value in {"kind": "per-move", "seconds": 60}.items() if name != lacking}
    with pytest.raises(Refused) as refused:
        clock.parse(data)
    assert refused.value.loc == ("clock", lacking)


@pytest.mark.parametrize("game", games.IDS)
def test_the_default_clock_of_each_game_is_one_that_a_request_could_give(game: str) -> None:
    own = clock.per_move(find(game).MOVE_SECONDS)
    assert clock.parse(clock.describe(own)) == own
    assert own.seconds == (60 if game == "half-deck-poker" else 259_200)


DAY_MS = 86_400_000
CLOCKS = st.one_of(
    st.builds(clock.per_move, SECONDS),
    st.builds(
        lambda seconds, more, increment: Clock("fischer", seconds, "forfeit", increment, seconds + more),
        st.integers(10, 10**6),
        st.integers(0, 10**5),
        st.integers(0, 10**5),
    ),
    st.builds(
        lambda seconds, periods, each: Clock("byo-yomi", seconds, "forfeit", 0, 0, periods, each),
        st.integers(0, 10**6),
        st.integers(1, 20),
        st.integers(10, 10**5),
    ),
)
PAUSES = st.lists(
    st.builds(
        lambda start, length: Pause("p", None, start, start + length), st.integers(0, 10**9), st.integers(0, 10**9)
    ),
    max_size=4,
)


@given(CLOCKS)
def test_each_kind_of_clock_is_described_as_a_request_would_give_it(own: Clock) -> None:
    assert clock.parse(clock.describe(own)) == own


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"kind": "fischer", "seconds": 60, "increment": 5}, "cap"),
        ({"kind": "fischer", "seconds": 60, "increment": 5, "cap": 59}, "cap"),
        ({"kind": "fischer", "seconds": 60, "increment": -1, "cap": 60}, "increment"),
        ({"kind": "fischer", "seconds": 7_776_001, "increment": 0, "cap": 7_776_001}, "seconds"),
        ({"kind": "fischer", "seconds": 60, "increment": 0, "cap": 60, "on_timeout": "default-action"}, "on_timeout"),
        ({"kind": "byo-yomi", "seconds": 60, "periods": 21, "period_seconds": 10}, "periods"),
        ({"kind": "byo-yomi", "seconds": 60, "periods": 0, "period_seconds": 10}, "periods"),
        ({"kind": "byo-yomi", "seconds": 60, "periods": 1, "period_seconds": 9}, "period_seconds"),
        ({"kind": "byo-yomi", "seconds": 7_776_000, "periods": 1, "period_seconds": 10}, "periods"),
        ({"kind": "none", "on_timeout": "forfeit"}, "on_timeout"),
        ({"kind": "none", "seconds": 60}, "seconds"),
    ],
)
def test_each_kind_has_its_own_fields_and_bounds(data: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        clock.parse(data)
    assert (refused.value.code, refused.value.loc) == (Code.INVALID_REQUEST, ("clock", field))


@given(CLOCKS, st.integers(0, 10**9))
def test_a_seat_that_has_not_moved_runs_out_of_time_when_its_whole_reserve_has_passed(own: Clock, opened: int) -> None:
    reserve = clock.full(own)
    assert clock.deadline(own, reserve, opened, []) == opened + clock.total(own, reserve)


@given(CLOCKS, PAUSES, st.integers(0, 10**9), st.integers(0, 10**9))
def test_pausing_and_resuming_preserves_what_remained(own: Clock, pauses: list[Pause], opened: int, spent: int) -> None:
    """However it was interrupted, a seat that has thought for as long has as much left."""
    reserve = clock.full(own)
    spent %= clock.total(own, reserve)
    at = opened + spent
    for start, end in clock.merged(pauses):  # the moment at which so much has been thought
        if start <= at and end > opened:
            at += end - max(start, opened)
    uninterrupted = clock.after_move(own, reserve, opened, opened + spent, [])
    assert clock.after_move(own, reserve, opened, at, pauses) == uninterrupted


@given(CLOCKS, PAUSES, st.integers(0, 10**9))
def test_a_deadline_is_the_first_instant_with_nothing_left(own: Clock, pauses: list[Pause], opened: int) -> None:
    reserve = clock.full(own)
    limit = clock.deadline(own, reserve, opened, pauses)
    assert limit is not None
    assert clock.elapsed(opened, limit, pauses) == clock.total(own, reserve)
    assert clock.elapsed(opened, limit - 1, pauses) == clock.total(own, reserve) - 1


@given(CLOCKS, PAUSES, st.integers(0, 10**9))
def test_what_is_overdue_already_is_not_paused(own: Clock, pauses: list[Pause], opened: int) -> None:
    limit = clock.deadline(own, clock.full(own), opened, pauses)
    assert limit is not None
    late = Pause("late", None, limit, limit + DAY_MS)
    assert clock.deadline(own, clock.full(own), opened, [*pauses, late]) == limit


@given(PAUSES, st.integers(0, 10**9), st.integers(0, 10**9))
def test_the_same_pause_twice_is_one(pauses: list[Pause], start: int, length: int) -> None:
    assert clock.elapsed(start, start + length, pauses * 2) == clock.elapsed(start, start + length, pauses)


def test_fischer_adds_its_increment_up_to_the_cap() -> None:
    own = Clock("fischer", 100, "forfeit", increment=30, cap=120)
    assert clock.after_move(own, Reserve(100_000), 0, 40_000, []) == Reserve(90_000)
    assert clock.after_move(own, Reserve(100_000), 0, 5_000, []) == Reserve(120_000)


def test_byo_yomi_spends_the_main_time_then_whole_periods() -> None:
    own = Clock("byo-yomi", 60, "forfeit", periods=3, period_seconds=10)
    reserve = clock.full(own)
    assert clock.after_move(own, reserve, 0, 59_999, []) == Reserve(1, 3)
    assert clock.after_move(own, reserve, 0, 69_999, []) == Reserve(0, 3)
    assert clock.after_move(own, reserve, 0, 70_000, []) == Reserve(0, 2)
    assert clock.after_move(own, Reserve(0, 2), 0, 19_999, []) == Reserve(0, 1)
    assert clock.deadline(own, Reserve(0, 2), 0, []) == 20_000


def test_without_a_clock_there_is_no_deadline() -> None:
    own = Clock("none")
    assert clock.deadline(own, clock.full(own), 5, []) is None


def test_a_vacation_stops_clocks_of_a_day_a_move_and_slower() -> None:
    assert clock.is_slow(clock.per_move(86_400))
    assert not clock.is_slow(clock.per_move(86_399))
    assert clock.is_slow(Clock("fischer", 10, "forfeit", 86_400, 10**6))
    assert not clock.is_slow(Clock("byo-yomi", 10**6, "forfeit", periods=1, period_seconds=86_399))
    assert not clock.is_slow(Clock("none"))
