"""Clocks in a match: reserves that are spent, seats that run out while others think, no clock, and pauses."""

import pytest
from hypothesis import given, settings

from engine import games
from engine.clock import Clock, Pause, Reserve
from engine.errors import Code, Refused
from engine.match import lobby, play
from engine.match.advance import advance, next_due
from engine.match.play import Request
from engine.match.record import By, Left, Match, Status, sitters
from engine.types import EpochMs, Seat
from tests.engine.match import tables
from tests.engine.match.stories import TIMED, Story, moments, stories, tell
from tests.engine.match.tables import START, act, opened, people, person, refusal, robot

FISCHER = Clock("fischer", 60, "forfeit", increment=5, cap=90)
BYO_YOMI = Clock("byo-yomi", 20, "forfeit", periods=3, period_seconds=10)
NONE = Clock("none")
YEAR = 366 * 86_400_000


def in_hand(match: Match) -> list[tuple[int, int]]:
    return [(sitter.reserve_ms, sitter.periods) for sitter in sitters(match)]


def deadlines(match: Match) -> list[int | None]:
    """Milliseconds after the start at which each seat that is asked runs out of time."""
    found = [play.deadline(match, seat) for seat in play.asked(match)]
    return [None if at is None else at - START for at in found]


def uneven(clock: Clock = FISCHER) -> Match:
    """Misfortune's second round, in which seat 0 has 90 seconds and seat 1 just 20."""
    match = act(act(people("misfortune", of=clock), 0, after=1000), 1, after=45_000)
    assert deadlines(match) == [45_000 + 64_000, 45_000 + 20_000]
    return match


def paused(match: Match, start: EpochMs, end: EpochMs, seat: Seat | None = None, name: str = "p") -> Match:
    return play.pause(match, Pause(name, seat, START + start, START + end), START + start)


def test_each_seat_starts_with_its_whole_reserve() -> None:
    assert in_hand(people("misfortune", of=FISCHER)) == [(60_000, 0)] * 2
    assert in_hand(people("misfortune", of=BYO_YOMI)) == [(20_000, 3)] * 2
    assert deadlines(people("misfortune", of=FISCHER)) == [60_000, 60_000]
    assert deadlines(people("misfortune", of=BYO_YOMI)) == [50_000, 50_000]


def test_seats_that_start_with_fewer_have_their_reserves() -> None:
    match = opened("liars-poker", 5, of=FISCHER)
    for number in range(2):
        match = lobby.join(match, person(number), START)
    assert in_hand(lobby.start(match, 0, START)) == [(60_000, 0)] * 2


def test_each_seat_is_charged_for_its_own_thought_when_the_decision_closes() -> None:
    match = act(people("misfortune", of=FISCHER), 0, after=12_000)
    assert in_hand(match) == [(60_000, 0)] * 2
    match = act(match, 1, after=30_000)
    assert in_hand(match) == [(53_000, 0), (35_000, 0)]
    assert match.opened_at == START + 30_000


def test_a_seat_that_is_not_asked_spends_nothing() -> None:
    match = people("liars-poker", 3, of=FISCHER)
    opener = play.asked(match)[0]
    match = act(match, opener, after=20_000)
    assert in_hand(match) == [(45_000, 0) if seat == opener else (60_000, 0) for seat in range(3)]
    match = act(match, (opener + 1) % 3, after=59_999)
    assert in_hand(match)[(opener + 1) % 3] == (5001, 0)


def test_periods_are_spent_whole() -> None:
    match = people("misfortune", of=BYO_YOMI)
    match = act(act(match, 0, after=19_999), 1, after=41_000)
    assert in_hand(match) == [(1, 3), (0, 1)]
    assert deadlines(match) == [41_000 + 30_001, 41_000 + 10_000]


def test_who_has_run_out_of_time_is_waited_for_no_longer_but_stays_until_the_others_are_through() -> None:
    match = advance(uneven(), START + 80_000)
    assert (match.turn, match.status, tables.lefts(match)) == (2, Status.ACTIVE, ["", ""])
    assert play.asked(match) == (0, 1)
    late = Request(1, START + 80_000)
    assert not play.may_act(match, 1, late.at)
    with pytest.raises(Refused, match="run out") as refused:
        play.act(match, late, 2, tables.first(match, 1))
    assert refused.value.code == Code.NOT_YOUR_TURN
    match = act(match, 0, after=40_000)
    assert tables.lefts(match) == ["", Left.TIMEOUT]
    assert match.ended_at == sitters(match)[1].left_at == START + 85_000
    assert match.result is not None
    assert (match.result.reason, match.result.ranks) == ("timeout", (1, 2))


def test_a_seat_that_has_sealed_in_time_waits_for_the_others_clock() -> None:
    match = act(uneven(), 0)
    assert play.closes_at(match) == next_due(match) == START + 65_000
    match = advance(match, START + YEAR)
    assert (tables.lefts(match), match.ended_at) == (["", Left.TIMEOUT], START + 65_000)


def test_when_nobody_chooses_all_leave_at_the_last_deadline_and_draw() -> None:
    match = advance(uneven(), START + YEAR)
    assert match.result is not None
    assert (match.result.ranks, match.result.reason, match.ended_at) == ((1, 1), "timeout", START + 109_000)


@pytest.mark.parametrize(("has_sealed", "ranks"), [(True, (2, 1)), (False, (1, 1))])
def test_who_resigns_after_the_other_ran_out_of_time_in_the_same_phase_draws(
    has_sealed: bool, ranks: tuple[int, int]
) -> None:
    """Both are out in one phase (rules/README.md); the one who resigns does not know whether the other has sealed."""
    match = act(uneven(), 1) if has_sealed else uneven()
    match = play.resign(match, Request(0, START + 70_000)) if not has_sealed else tables.resign(match, 0)
    assert match.result is not None
    assert match.result.ranks == ranks


def test_time_that_runs_out_in_a_larger_game_counts_when_the_phase_closes() -> None:
    match = people("micro-poker", 4, of=FISCHER)
    late, second, third = play.asked(match)
    match = match._replace(
        seats=tuple(s._replace(reserve_ms=10_000 if i == late else 60_000) for i, s in enumerate(sitters(match)))
    )
    match = advance(act(match, second, after=5_000), START + 30_000)
    assert (match.turn, tables.lefts(match)) == (1, [""] * 4)
    match = act(match, third, after=40_000)
    assert match.turn == 2
    assert (tables.lefts(match)[late], sitters(match)[late].left_at) == (Left.TIMEOUT, START + 40_000)
    assert tables.by_of(tables.choices(match, 1)) == {late: By.CLOCK, second: By.PLAYER, third: By.PLAYER}


def test_who_leaves_spends_no_more_time() -> None:
    match = people("liars-poker", 3, of=FISCHER)
    opener = play.asked(match)[0]
    match = tables.resign(match, (opener + 1) % 3)
    match = act(match, opener)
    assert in_hand(match)[(opener + 1) % 3] == (60_000, 0)


@pytest.mark.parametrize("game", games.IDS)
def test_without_a_clock_a_match_waits_for_ever(game: str) -> None:
    match = people(game, of=NONE)
    assert (play.closes_at(match), next_due(match), set(deadlines(match))) == (None, None, {None})
    assert advance(match, START + YEAR) is match
    match = tables.everybody(match, after=YEAR)
    assert (match.turn, match.opened_at) == (2, START + YEAR)


def test_bots_answer_without_a_clock() -> None:
    match = tables.seated("misfortune", [robot(0), person(1)], of=NONE)
    assert next_due(match) == START
    assert play.awaited(advance(match, START)) == (1,)


def test_while_a_clock_stands_still_nobody_runs_out_of_time() -> None:
    match = paused(people("misfortune"), 10_000, 100_000)
    assert deadlines(match) == [150_000, 150_000]
    assert (match.log[-1].type, match.log[-1].seat, match.log[-1].at) == ("paused", None, START + 10_000)
    assert match.log[-1].data == {"from": START + 10_000, "until": START + 100_000}
    assert advance(match, START + 149_999) is match
    assert advance(match, START + 150_000).turn == 2


def test_one_seats_pause_stops_its_own_clock_only() -> None:
    match = paused(people("misfortune"), 10_000, 100_000, seat=1)
    assert deadlines(match) == [60_000, 150_000]


def test_a_pause_gives_no_time_back() -> None:
    match = paused(people("misfortune", of=FISCHER), 10_000, 100_000)
    match = act(act(match, 0, after=110_000), 1, after=50_000)
    assert in_hand(match) == [(60_000 - 20_000 + 5_000, 0), (60_000 - 10_000 + 5_000, 0)]


def test_the_same_pause_counts_once() -> None:
    match = paused(people("misfortune"), 10_000, 100_000)
    assert paused(match, 10_000, 100_000) is match
    assert paused(match, 20_000, 300_000) is match


def test_pauses_that_overlap_count_once() -> None:
    match = paused(paused(people("misfortune"), 10_000, 50_000), 30_000, 60_000, name="q")
    assert deadlines(match) == [110_000, 110_000]


def test_what_was_overdue_when_a_pause_began_is_not_saved_by_it() -> None:
    match = paused(people("misfortune"), 60_000, 100_000)
    assert deadlines(match) == [60_000, 60_000]


def test_an_outage_that_is_declared_afterwards_extends_what_fell_into_it() -> None:
    match = play.pause(people("misfortune"), Pause("outage", None, START + 50_000, START + 90_000), START + 120_000)
    assert deadlines(match) == [100_000, 100_000]
    assert match.log[-1].at == START + 120_000


@pytest.mark.parametrize("clock", [tables.MINUTE, tables.FORFEIT])
def test_a_time_out_that_is_found_after_another_event_is_not_dated_before_it(clock: Clock) -> None:
    match = tables.everybody(people("misfortune", of=clock))
    outage = Pause("outage", None, START + 50_000, START + 90_000)
    match = advance(play.pause(match, outage, START + 120_000), START + YEAR)
    times = [entry.at for entry in match.log]
    assert times == sorted(times)
    assert {sitter.left_at for sitter in sitters(match)} == {match.ended_at}


def test_a_pause_can_be_cut_short() -> None:
    match = play.resume(paused(people("misfortune"), 10_000, 100_000), "p", START + 30_000)
    assert deadlines(match) == [80_000, 80_000]
    assert (match.log[-1].type, match.log[-1].at) == ("resumed", START + 30_000)
    assert play.resume(match, "p", START + 30_000) is match
    assert play.resume(match, "other", START) is match


def test_a_pause_is_not_logged_before_what_has_happened_already() -> None:
    match = act(people("liars-poker", 3), play.asked(people("liars-poker", 3))[0], after=30_000)
    match = play.resume(paused(match, 10_000, 100_000), "p", START + 20_000)
    assert [entry.at for entry in match.log[-2:]] == [START + 30_000] * 2


def test_a_pause_that_is_cut_before_it_begins_counts_for_nothing() -> None:
    match = paused(people("misfortune"), 20_000, 100_000)
    assert deadlines(play.resume(match, "p", START + 5_000)) == [60_000, 60_000]


def test_a_pause_runs_on_into_the_next_decision_and_is_forgotten_when_it_is_over() -> None:
    match = tables.everybody(paused(people("misfortune"), 10_000, 100_000), after=20_000)
    assert [known.id for known in match.pauses] == ["p"]
    assert deadlines(match) == [160_000, 160_000]
    assert tables.everybody(match, after=90_000).pauses == ()


def test_a_match_that_is_over_is_not_paused() -> None:
    match = tables.resign(paused(people("misfortune"), 10_000, 100_000), 0)
    assert paused(match, 20_000, 30_000, name="q") is match
    assert play.resume(match, "p", START + 50_000) is match


def test_a_pause_may_begin_before_the_match() -> None:
    match = lobby.join(opened("misfortune"), person(0), START)
    match = lobby.join(paused(match, 10_000, 100_000), person(1), START + 50_000)
    assert (match.started_at, deadlines(match)) == (START + 50_000, [160_000, 160_000])


@settings(max_examples=150, deadline=None)
@given(stories(clocks=("fischer", "byo-yomi")))
def test_what_a_seat_has_in_hand_changes_only_with_its_own_actions_and_stays_within_the_clock(story: Story) -> None:
    for deed in tell(story):
        clock = deed.after.clock
        for seat, (before, after) in enumerate(zip(in_hand(deed.before), in_hand(deed.after), strict=True)):
            ms, periods = after
            assert 0 <= ms <= 1000 * max(clock.seconds, clock.cap)
            assert 0 <= periods <= clock.periods
            assert ms + periods > 0
            if before != after:
                turns = range(deed.before.turn, deed.after.turn)
                made = [e for turn in turns for e in tables.choices(deed.after, turn) if e.seat == seat]
                assert By.PLAYER in {entry.by for entry in made}


@settings(max_examples=100, deadline=None)
@given(stories(clocks=TIMED))
def test_a_decision_is_due_when_the_last_of_those_that_are_awaited_runs_out(story: Story) -> None:
    for match in moments(story):
        limits = [play.deadline(match, seat) for seat in play.awaited(match)]
        assert play.closes_at(match) == (max(limit or 0 for limit in limits) if limits else None)
        for seat, limit in zip(play.awaited(match), limits, strict=True):
            assert limit is not None
            assert play.may_act(match, seat, limit - 1)
            assert not play.may_act(match, seat, limit)


@settings(max_examples=100, deadline=None)
@given(stories(clocks=("none",)))
def test_without_a_clock_no_seat_ever_misses_an_action_while_it_is_in(story: Story) -> None:
    for match in moments(story):
        assert {sitter.misses for sitter in sitters(match)} == {0}
        assert not {Left.TIMEOUT, Left.ABANDONED} & set(tables.lefts(match))
        if match.status is Status.ACTIVE:
            assert play.closes_at(match) is None


def test_a_reserve_is_as_the_clock_has_it() -> None:
    assert [Reserve(*hand) for hand in in_hand(people("half-deck-poker"))] == [Reserve(60_000, 0)] * 2


def test_a_choice_at_the_deadline_is_refused_before_anybody_has_closed_the_decision() -> None:
    """Also by the engine itself, should a caller not have brought the match up to its moment."""
    match = people("misfortune")
    with pytest.raises(Refused, match="run out"):
        act(match, 0, after=60_000)
    assert act(match, 0, after=59_999).seals
    assert refusal(match, 0, 1, {"type": "nonsense"})[0] == Code.ILLEGAL_ACTION
