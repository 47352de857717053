"""Deadlines that pass: missed actions, the third in a row, and clocks that forfeit."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine import games
from engine.errors import Code
from engine.match import play
from engine.match.advance import advance
from engine.match.record import By, Left, Match, Status, rules, sitters
from engine.types import Seat
from tests.engine.match import tables
from tests.engine.match.stories import PER_MOVE, Story, stories, tell
from tests.engine.match.tables import FORFEIT, START, act, people, refusal

every_game = pytest.mark.parametrize("game", games.IDS)


def misses(match: Match) -> list[int]:
    return [sitter.misses for sitter in sitters(match)]


def missed(match: Match, *absent: Seat) -> Match:
    """All that are awaited choose, but for the absent ones, whose time runs out."""
    for seat in play.awaited(match):
        if seat not in absent:
            match = act(match, seat)
    return play.time_out(match) if set(absent) & set(play.awaited(match)) else match


@every_game
def test_a_missed_action_is_the_games_own_and_logged_as_the_clocks_at_the_deadline(game: str) -> None:
    match = people(game)
    asked = play.asked(match)
    expected = [rules(match).missed_action(match.state, seat) for seat in asked]
    match = play.time_out(match)
    entries = tables.choices(match, 1)
    assert [entry.seat for entry in entries] == list(asked)
    assert [{"type": entry.type, **entry.data, **entry.secret} for entry in entries] == expected
    assert {(entry.by, entry.at, entry.committed, entry.key) for entry in entries} == {
        (By.CLOCK, START + 60_000, 0, "")
    }
    assert [entry.move for entry in entries] == list(range(1, len(asked) + 1))
    assert (match.turn, match.opened_at) == (2, START + 60_000)
    assert misses(match) == [int(seat in asked) for seat in range(len(match.seats))]


def test_a_sealed_choice_stands_when_the_others_time_runs_out() -> None:
    chosen = {"type": "play", "card": "9h", "claim": "higher"}
    match = play.time_out(act(people("misfortune"), 1, chosen, after=4000, key="mark"))
    absent, present = tables.choices(match, 1)
    assert (absent.by, absent.secret, absent.move) == (By.CLOCK, {"card": "Ac"}, 2)
    assert (present.by, present.secret, present.move) == (By.PLAYER, {"card": "9h"}, 1)
    assert (present.at, present.committed, present.key) == (START + 60_000, START + 4000, "mark")
    assert misses(match) == [1, 0]


def test_an_own_action_resets_the_count_of_missed_ones() -> None:
    match = people("misfortune")
    for absent in (1, 1, None, 1, 1, None, 1, 1, None):
        match = missed(match) if absent is None else missed(match, absent)
        assert sitters(match)[1].left == ""
    assert misses(match) == [0, 0]
    assert match.status is Status.ACTIVE


def test_a_choice_that_is_sealed_and_not_yet_published_resets_the_count() -> None:
    match = play.time_out(play.time_out(people("misfortune")))
    assert misses(match) == [2, 2]
    match = act(match, 0)
    assert misses(match) == [0, 2]
    match = play.time_out(match)
    assert tables.lefts(match) == ["", Left.ABANDONED]


def test_the_third_missed_action_in_a_row_is_played_before_the_seat_leaves() -> None:
    match = missed(missed(missed(people("misfortune"), 1), 1), 1)
    assert tables.choices(match, 3)[1].by == By.CLOCK
    assert tables.types(match)[-2:] == ["left", "finished"]
    left = match.log[-2]
    assert (left.seat, left.turn, left.data, left.at) == (1, 4, {"reason": "abandoned"}, match.opened_at)
    assert match.result is not None
    assert (match.result.reason, match.result.ranks) == ("abandoned", (1, 2))


def test_a_seat_whose_third_missed_action_ends_the_game_has_not_left() -> None:
    match = people("misfortune")
    while match.turn <= 10:
        match = missed(match)
    while match.status is Status.ACTIVE:
        match = missed(match, 1)
    assert (match.turn, misses(match), tables.lefts(match)) == (14, [0, 3], ["", ""])
    assert "left" not in tables.types(match)
    assert match.result is not None
    assert match.result.reason == "played"


def test_seats_that_miss_their_third_action_together_leave_in_seat_order_at_the_same_instant() -> None:
    match = tables.everybody(people("micro-poker", 4))
    match = tables.everybody(match)
    while not any(tables.lefts(match)):
        match = play.time_out(match)
    left = [entry for entry in match.log if entry.type == "left"]
    assert len(left) > 1
    assert [entry.seat for entry in left] == sorted(seat for seat, why in enumerate(tables.lefts(match)) if why)
    assert len({entry.at for entry in left}) == 1


def test_both_seats_of_a_table_of_two_that_stay_away_together_draw() -> None:
    match = tables.everybody(people("misfortune"))
    for _ in range(3):
        match = play.time_out(match)
    assert match.result is not None
    assert (match.result.reason, match.result.ranks) == ("abandoned", (1, 1))


@every_game
def test_a_match_in_which_no_seat_has_acted_at_all_is_aborted(game: str) -> None:
    for clock in (tables.MINUTE, FORFEIT):
        match = people(game, of=clock)
        while match.status is Status.ACTIVE:
            match = play.time_out(match)
        assert (match.status, match.result) == (Status.ABORTED, None)
        assert tables.types(match)[-1] == "aborted"
        assert match.ended_at == match.log[-1].at


def test_that_holds_too_when_the_clock_alone_has_played_the_game_to_its_end() -> None:
    match = people("liars-poker", 5)
    for _ in range(5):
        match = play.time_out(match)
    assert tables.types(match)[-2:] == ["settled", "aborted"]
    assert (match.status, misses(match)) == (Status.ABORTED, [1] * 5)


@every_game
def test_one_own_action_is_enough_for_a_result(game: str) -> None:
    for clock in (tables.MINUTE, FORFEIT):
        match = act(people(game, of=clock), play.asked(people(game))[0])
        while match.status is Status.ACTIVE:
            match = play.time_out(match)
        assert match.status is Status.FINISHED
        assert match.result is not None


def test_with_a_clock_that_forfeits_who_runs_out_of_time_leaves_at_once() -> None:
    match = play.time_out(act(people("misfortune", of=FORFEIT), 0))
    assert tables.lefts(match) == ["", Left.TIMEOUT]
    assert tables.types(match)[-2:] == ["left", "finished"]
    assert tables.choices(match, 1) == []
    assert match.result is not None
    assert (match.result.reason, match.result.ranks, match.ended_at) == ("timeout", (1, 2), START + 60_000)


def test_with_a_clock_that_forfeits_both_seats_that_run_out_of_time_together_draw() -> None:
    match = tables.everybody(people("misfortune", of=FORFEIT))
    match = play.time_out(match)
    assert match.result is not None
    assert (match.result.reason, match.result.ranks) == ("timeout", (1, 1))
    assert [entry.seat for entry in match.log if entry.type == "left"] == [0, 1]


def test_with_a_clock_that_forfeits_the_others_play_on_and_the_missed_action_is_made() -> None:
    match = people("micro-poker", 5, of=FORFEIT)
    *present, absent = play.asked(match)
    for seat in present:
        match = act(match, seat)
    match = play.time_out(match)
    assert (match.status, match.turn) == (Status.ACTIVE, 2)
    assert tables.lefts(match)[absent] == Left.TIMEOUT
    entries = tables.by_of(tables.choices(match, 1))
    assert entries == {seat: By.CLOCK if seat == absent else By.PLAYER for seat in play.asked(people("micro-poker", 5))}


def test_who_has_left_is_not_waited_for_in_later_decisions() -> None:
    match = people("liars-poker", 4)
    first, second, third, _ = ((play.asked(match)[0] + i) % 4 for i in range(4))
    match = tables.resign(match, second)
    match = act(match, first, after=3000)
    entries = tables.choices(match, 2)
    assert [(entry.seat, entry.type, entry.by) for entry in entries] == [(second, "challenge", By.CLOCK)]
    assert entries[0].at == START + 1000 + 2000
    assert (play.asked(match), match.turn, match.opened_at) == ((third,), 3, START + 3000)
    assert misses(match)[second] == 0


def test_a_tourist_who_has_left_passes_at_once() -> None:
    match = people("micro-poker", 4)
    guest = tables.tourist(match)
    match = tables.resign(match, guest)
    assert match.turn == 1
    match = tables.everybody(match, after=7000)
    assert (match.turn, tables.types(match).count("pass")) == (3, 1)
    assert tables.choices(match, 2)[0].at == tables.choices(match, 1)[0].at == START + 7000
    assert tables.tourist(match) == (guest + 1) % 4


@pytest.mark.parametrize(("early", "in_time"), [(-1, True), (0, False), (1, False)])
@every_game
def test_before_the_deadline_an_action_counts_and_at_it_time_is_up(game: str, early: int, in_time: bool) -> None:
    match = people(game)
    seat, action, turn = play.asked(match)[0], tables.first(match, play.asked(match)[0]), match.turn
    now = START + 60_000 + early
    arrived = advance(match, now)
    if in_time:
        assert arrived is match
        match = play.time_out(act(match, seat, action, after=60_000 + early))
        assert tables.by_of(tables.choices(match, 1))[seat] == By.PLAYER
    else:
        assert refusal(arrived, seat, turn, action)[0] == Code.STALE_TURN
        assert tables.by_of(tables.choices(arrived, 1))[seat] == By.CLOCK
        assert arrived.log[-1].at == START + 60_000


@settings(max_examples=150, deadline=None)
@given(stories(bots=False, clocks=PER_MOVE), st.integers(-2, 2), st.booleans())
@example(Story("micro-poker", 4, (), "default-action", (), 11394, 43), -1, False)
def test_at_the_deadline_there_is_one_outcome_whoever_comes_first(story: Story, offset: int, is_first: bool) -> None:
    """A request stamped about the deadline and the referee: whichever is committed first decides, and the other one
    changes nothing any more."""
    match = None
    for deed in tell(story):
        match = deed.before
    if match is None or match.status is not Status.ACTIVE:
        return
    closes = play.closes_at(match)
    assert closes is not None
    # Pauses of single seats make their deadlines differ: it is about the last one.
    seat = next(seat for seat in play.awaited(match) if play.deadline(match, seat) == closes)
    turn, now = match.turn, closes + offset
    action = tables.first(match, seat)

    def request(match: Match) -> Match:
        match = advance(match, now)
        if match.turn != turn or match.status is not Status.ACTIVE:
            assert refusal(match, seat, turn, action)[0] in (Code.STALE_TURN, Code.MATCH_OVER)
            return match
        return play.act(match, play.Request(seat, now), turn, action)

    def referee(match: Match) -> Match:
        return advance(match, max(now, closes))

    timed_out, acted = advance(match, closes), referee(request(match))
    if is_first and offset < 0:
        assert acted != timed_out
        by = tables.by_of(tables.choices(acted, turn))
        assert by.get(seat, By.PLAYER) == By.PLAYER
    else:
        assert request(referee(match)) == referee(match) == timed_out
        if offset >= 0:
            assert acted == timed_out


@settings(max_examples=150, deadline=None)
@given(stories(clocks=("default-action",)))
def test_a_seat_leaves_after_three_missed_actions_in_a_row_and_not_before(story: Story) -> None:
    """Counted from the log: who acted and who let the time run out."""
    match = None
    for deed in tell(story):
        match = deed.after
    if match is None:
        return
    row = dict.fromkeys(range(story.seats), 0)
    gone: set[Seat | None] = set()
    for entry in match.log:
        if entry.type in ("left", "resign"):
            if entry.data.get("reason") == Left.ABANDONED and entry.seat is not None:
                assert row[entry.seat] == 3
            gone.add(entry.seat)
        elif entry.move and entry.seat is not None and entry.seat not in gone:
            row[entry.seat] = row[entry.seat] + 1 if entry.by == By.CLOCK else 0
            assert row[entry.seat] <= 3
    if match.status is Status.ACTIVE:
        assert all(row[seat] < 3 for seat in range(story.seats) if seat not in gone)


@settings(max_examples=100, deadline=None)
@given(stories(clocks=("forfeit", "fischer", "byo-yomi")))
def test_with_a_clock_that_forfeits_nobody_who_is_in_misses_an_action(story: Story) -> None:
    for deed in tell(story):
        assert misses(deed.after) == [0] * story.seats
        assert Left.ABANDONED not in tables.lefts(deed.after)
        gone = {entry.seat for entry in deed.after.log if entry.type in ("left", "resign")}
        assert {entry.seat for entry in deed.after.log if entry.by == By.CLOCK} <= gone
