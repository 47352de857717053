"""Won, drawn, lost; and which results are rated, with the reasons of those that are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ladder.outcome import Facts, Outcome, Reason, Verdict, outcomes, verdict
from engine.types import EpochMs

NOW: EpochMs = 1_800_000_000_000
HOUR = 3_600_000
DAY = 24 * HOUR
PLAYED = Facts(True, False, "played", (True, True), (None, None), NOW)
NO_SHOW = PLAYED._replace(ended="timeout", acted=(True, False))

W, D, L = Outcome.WON, Outcome.DRAWN, Outcome.LOST


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((1, 2), (W, L)),
        ((2, 1), (L, W)),
        ((1, 1), (D, D)),
        ((1, 1, 3), (D, D, L)),
        ((2, 1, 2, 4), (L, W, L, L)),
        ((1, 1, 1), (D, D, D)),
    ],
)
def test_first_alone_has_won_a_shared_first_has_drawn_all_else_has_lost(
    ranks: tuple[int, ...], expected: tuple[Outcome, ...]
) -> None:
    assert outcomes(ranks) == expected


def test_a_played_match_is_rated() -> None:
    assert verdict(PLAYED) == Verdict(None)


@pytest.mark.parametrize("ended", ["played", "resigned", "timeout", "abandoned"])
def test_leaving_a_match_does_not_make_it_unrated(ended: str) -> None:
    assert verdict(PLAYED._replace(ended=ended)) == Verdict(None)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (PLAYED._replace(rated=False), "unrated"),
        (PLAYED._replace(aborted=True, acted=(False, False)), "aborted"),
        (PLAYED._replace(ended="ruling"), "ruling"),
        (PLAYED._replace(ended="forfeit"), "forfeit"),
        (PLAYED._replace(ended="walkover", acted=(False, False)), "walkover"),
        (NO_SHOW, "too-short"),
        (PLAYED._replace(recent=(NOW - HOUR, NOW - 2 * HOUR)), "rematch-limit"),
    ],
)
def test_an_unrated_result_has_its_reason(facts: Facts, reason: str) -> None:
    assert verdict(facts).reason == reason


def test_the_first_reason_that_applies_is_given() -> None:
    facts = NO_SHOW._replace(rated=False, aborted=True, ended="forfeit", recent=(NOW, NOW))
    seen = []
    for fix in ({}, {"rated": True}, {"aborted": False}, {"ended": "timeout"}, {"acted": (True, True)}, {"recent": ()}):
        facts = facts._replace(**fix)
        seen.append(verdict(facts).reason)
    assert seen == ["unrated", "aborted", "forfeit", "too-short", "rematch-limit", None]


def test_nobody_is_let_off_by_a_result_that_is_unrated_for_another_reason() -> None:
    for facts in (NO_SHOW._replace(rated=False), NO_SHOW._replace(aborted=True), NO_SHOW._replace(ended="forfeit")):
        assert verdict(facts).let_off == ()


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        (None, Verdict(Reason.TOO_SHORT, (1,))),
        (0, Verdict(None)),
        (30 * DAY - 1, Verdict(None)),
        (30 * DAY, Verdict(Reason.TOO_SHORT, (1,))),
        (-HOUR, Verdict(None)),  # let off by a later match that was settled before this one
    ],
)
def test_a_no_show_is_let_off_once_in_thirty_days_then_rated(since: int | None, expected: Verdict) -> None:
    last = None if since is None else NOW - since
    assert verdict(NO_SHOW._replace(let_off=(None, last))) == expected


def test_having_been_a_no_show_is_held_against_nobody_who_acts() -> None:
    assert verdict(NO_SHOW._replace(let_off=(NOW - DAY, None))) == Verdict(Reason.TOO_SHORT, (1,))


def test_several_no_shows_are_let_off_together_or_not_at_all() -> None:
    table = PLAYED._replace(acted=(False, True, False), let_off=(None, NOW - DAY, NOW - 40 * DAY))
    assert verdict(table) == Verdict(Reason.TOO_SHORT, (0, 2))
    assert verdict(table._replace(let_off=(None, None, NOW - DAY))) == Verdict(None)


def test_a_no_show_at_a_table_where_two_have_acted_is_rated() -> None:
    assert verdict(PLAYED._replace(acted=(True, False, True), let_off=(None, None, None))) == Verdict(None)


def test_a_series_of_no_shows_gains_its_opponent_at_most_what_rematches_allow() -> None:
    """A month of one lost match an hour: the first is let off, then two a day count."""
    last: EpochMs | None = None
    rated: list[EpochMs] = []
    for at in range(NOW, NOW + 30 * DAY, HOUR):
        found = verdict(NO_SHOW._replace(at=at, let_off=(None, last), recent=tuple(rated)))
        last = at if found.let_off else last
        rated += [at] if found.reason is None else []
    assert last == NOW
    assert len(rated) == 2 * 30
    assert all(later - first >= DAY for first, later in zip(rated, rated[2:], strict=False))


@pytest.mark.parametrize(
    ("ages", "reason"),
    [
        ([0], None),
        ([0, DAY - 1], Reason.REMATCH_LIMIT),
        ([0, DAY], None),
        ([DAY, 2 * DAY, 3 * DAY], None),
        ([1, 2, 5 * DAY], Reason.REMATCH_LIMIT),
    ],
)
def test_a_third_rated_result_of_the_same_players_within_a_day_is_not_rated(
    ages: list[int], reason: Reason | None
) -> None:
    facts = PLAYED._replace(recent=tuple(NOW - age for age in ages))
    assert verdict(facts).reason == reason
    assert verdict(facts._replace(tournament=True)).reason is None


facts_of_any_kind = st.integers(2, 10).flatmap(
    lambda seats: st.builds(
        Facts,
        rated=st.booleans(),
        aborted=st.booleans(),
        ended=st.sampled_from(["played", "resigned", "timeout", "abandoned", "forfeit", "ruling", "walkover"]),
        acted=st.tuples(*[st.booleans()] * seats),
        let_off=st.tuples(*[st.none() | st.integers(NOW - 60 * DAY, NOW)] * seats),
        at=st.just(NOW),
        tournament=st.booleans(),
        recent=st.lists(st.integers(NOW - 2 * DAY, NOW), max_size=4).map(tuple),
    )
)


@given(facts_of_any_kind)
def test_who_is_let_off_has_not_acted_and_the_match_is_too_short(facts: Facts) -> None:
    found = verdict(facts)
    assert bool(found.let_off) == (found.reason is Reason.TOO_SHORT)
    assert all(not facts.acted[seat] for seat in found.let_off)
