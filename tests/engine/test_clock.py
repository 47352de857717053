"""Clocks as data: what a request may ask for, and when a decision is over."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import clock, games
from engine.clock import Clock
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


@given(SECONDS, POLICIES, st.integers(0, 2**43))
def test_time_is_up_so_many_seconds_after_the_decision_opened(seconds: int, policy: str, opened_at: int) -> None:
    own = Clock("per-move", seconds, policy)
    assert clock.deadline(own, opened_at) == opened_at + 1000 * seconds
    assert clock.remaining(own) == clock.deadline(own, opened_at) - opened_at


@pytest.mark.parametrize("game", games.IDS)
def test_the_default_clock_of_each_game_is_one_that_a_request_could_give(game: str) -> None:
    own = clock.per_move(find(game).MOVE_SECONDS)
    assert clock.parse(clock.describe(own)) == own
    assert own.seconds == (60 if game == "half-deck-poker" else 259_200)
