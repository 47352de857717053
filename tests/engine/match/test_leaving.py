"""Seats that leave: when that ends a match, for which reason, and who ranks where."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine import games
from engine.clock import FORFEIT
from engine.match import play
from engine.match.outcome import is_decided, outcome
from engine.match.play import Request
from engine.match.record import By, Left, Match, Result, Status, last_event_at, replaced, rules, sitters
from engine.types import Seat
from tests.engine.match import tables
from tests.engine.match.stories import Story, moments, stories, tell
from tests.engine.match.tables import START, act, people, person, resign, robot

every_game = pytest.mark.parametrize("game", games.IDS)
PAIRS = ("liars-poker", "misfortune", "half-deck-poker")


def result(match: Match) -> Result:
    assert match.status is Status.FINISHED
    assert match.result is not None
    return match.result


def resigned(match: Match, seat: Seat, at: int) -> Match:
    return play.resign(match, Request(seat, START + at))


@pytest.mark.parametrize("game", PAIRS)
@pytest.mark.parametrize("leaver", [0, 1])
def test_at_a_table_of_two_a_resignation_ends_the_match(game: str, leaver: Seat) -> None:
    match = resign(tables.everybody(people(game)), leaver)
    assert result(match).reason == "resigned"
    assert result(match).ranks == ((2, 1) if leaver == 0 else (1, 2))
    assert result(match).scores == rules(match).standing(match.state).scores
    assert tables.types(match)[-2:] == ["resign", "finished"]
    assert match.log[-1].data == {
        "reason": "resigned",
        "ranks": list(result(match).ranks),
        "scores": [*result(match)[2]],
    }


def test_a_resignation_is_logged_as_an_action_with_mark_and_number() -> None:
    match = act(people("micro-poker", 4), play.asked(people("micro-poker", 4))[0])
    match = play.resign(match, Request(3, START + 2000, key="mark"))
    entry = match.log[-1]
    assert (entry.type, entry.seat, entry.by, entry.key, entry.move) == ("resign", 3, By.PLAYER, "mark", 2)
    assert (entry.at, entry.turn) == (START + 2000, 1)
    assert (sitters(match)[3].left, sitters(match)[3].left_at) == (Left.RESIGNED, START + 2000)


def test_to_resign_counts_as_an_action_of_ones_own() -> None:
    match = resign(people("misfortune"), 1)
    assert (match.turn, result(match).reason, result(match).ranks) == (1, "resigned", (1, 2))


@every_game
def test_a_seat_that_is_taken_out_leaves_with_the_reason_forfeit(game: str) -> None:
    match = tables.everybody(people(game, 3 if game in ("liars-poker", "micro-poker") else 2))
    match = play.forfeit(match, 1, match.opened_at + 5)
    assert tables.lefts(match)[1] == Left.FORFEIT
    entry = next(entry for entry in match.log if entry.type == "left")
    assert (entry.seat, entry.data, entry.by, entry.move) == (1, {"reason": "forfeit"}, "", 0)
    if len(match.seats) == 2:
        assert (result(match).reason, result(match).ranks) == ("forfeit", (1, 2))
    else:
        assert match.status is Status.ACTIVE


def test_a_seat_that_is_taken_out_has_lost_whether_or_not_the_other_one_has_sealed() -> None:
    match = people("misfortune")
    assert result(play.forfeit(match, 0, START)).ranks == (2, 1)
    sealed = play.act(match, play.Request(1, START), 1, play.legal(match, 1).actions[0])
    assert result(play.forfeit(sealed, 0, START)) == result(play.forfeit(match, 0, START))


def test_three_seats_play_on_until_one_is_left() -> None:
    match = tables.everybody(people("liars-poker", 4))
    match = resigned(match, 0, at=2000)
    match = resigned(match, 3, at=3000)
    assert (match.status, match.result) == (Status.ACTIVE, None)
    match = resigned(match, 1, at=4000)
    assert result(match).ranks == (4, 2, 1, 3)


def test_later_leavers_rank_above_earlier_ones_and_the_same_instant_is_equal() -> None:
    match = people("liars-poker", 6)
    for seat, at in ((4, 1000), (1, 2000), (5, 2000), (0, 3000)):
        match = resigned(match, seat, at)
    match = resigned(match, 2, at=4000)
    assert result(match).ranks == (3, 4, 2, 1, 6, 4)


def test_who_stayed_ranks_by_the_games_standing_whatever_the_leavers_have() -> None:
    """A bid of one copy, challenged by all, holds: its bidder is ahead."""
    match = people("liars-poker", 4)
    while match.state.round == 1:
        seat = play.awaited(match)[0]
        match = act(match, seat, {"type": "challenge"} if match.state.bids else None)
    bidder = match.state.net.index(3)
    match = play.resign(match, Request(bidder, match.opened_at))
    others = [seat for seat in range(4) if seat != bidder]
    for seat in others[:2]:
        match = play.resign(match, Request(seat, match.opened_at + seat))
    assert result(match).scores == match.state.net
    assert (result(match).ranks[bidder], result(match).ranks[others[2]]) == (4, 1)


@pytest.mark.parametrize("game", ["liars-poker", "micro-poker"])
def test_a_match_that_the_game_ends_keeps_its_leavers_last(game: str) -> None:
    match = resigned(people(game, 5), 2, at=1000)
    while match.status is Status.ACTIVE:
        match = tables.everybody(match)
    assert (result(match).reason, result(match).ranks[2], min(result(match).ranks)) == ("played", 5, 1)


def test_a_leaver_whose_request_was_overtaken_leaves_no_earlier_than_the_one_that_got_through() -> None:
    match = resigned(people("liars-poker", 4), 0, at=2000)
    match = resigned(match, 1, at=1000)
    assert [sitter.left_at for sitter in sitters(match)] == [START + 2000, START + 2000, 0, 0]


def test_who_is_taken_out_leaves_no_earlier_than_what_was_logged_before() -> None:
    match = play.forfeit(resigned(people("liars-poker", 4), 0, at=2000), 1, START + 1000)
    assert (sitters(match)[1].left_at, match.log[-1].at) == (START + 2000, START + 2000)


def test_the_reason_of_a_match_is_that_of_who_left_last() -> None:
    match = tables.everybody(people("liars-poker", 3))
    match = resigned(match, 0, at=2000)
    match = play.forfeit(match, 1, START + 3000)
    assert result(match).reason == "forfeit"


def test_the_match_ends_when_no_person_is_left() -> None:
    match = tables.seated("liars-poker", [person(0), robot(1), robot(2), robot(3)])
    match = resign(match, 0)
    assert (result(match).reason, result(match).ranks) == ("resigned", (4, 1, 1, 1))


def test_two_persons_among_bots_play_on_until_both_have_left() -> None:
    match = tables.seated("micro-poker", [person(0), robot(1), robot(2), person(3)])
    match = resigned(match, 3, at=1000)
    assert match.status is Status.ACTIVE
    match = resigned(match, 0, at=2000)
    assert result(match).ranks == (3, 1, 1, 4)


LATE_BEFORE_A_PAUSE = Story(game="micro-poker", seats=3, given=(), clock="fischer", bots=(), seed=44, steps=10)
"""Seat 2 is out of time when seat 0 resigns, and a pause has begun before anybody looked."""


def is_late(match: Match, seat: Seat) -> bool:
    limit = play.deadline(match, seat)
    return limit is not None and limit <= last_event_at(match)


@settings(max_examples=100, deadline=None)
@example(LATE_BEFORE_A_PAUSE, 0)
@given(stories(bots=False), st.integers(0, 9))
def test_resigning_is_possible_in_each_phase_and_is_not_undone_by_what_follows(story: Story, seat: int) -> None:
    for match in moments(story):
        leaver = seat % story.seats
        if match.status is not Status.ACTIVE or sitters(match)[leaver].left:
            continue
        stay = [sitter for sitter in sitters(match) if not sitter.left]
        after = resign(match, leaver, after=0)
        assert sitters(after)[leaver].left == Left.RESIGNED
        assert leaver not in play.asked(after)
        if len(stay) == 2:
            assert after.status is Status.FINISHED
            assert after.turn == match.turn
            is_out = match.clock.on_timeout == FORFEIT and any(
                is_late(match, other) for other in play.awaited(match) if other != leaver
            )
            assert result(after).reason == ("timeout" if is_out else "resigned")
        sealed = [choice for choice in match.seals if choice.seat == leaver]
        if sealed and after.turn > match.turn:
            own = next(entry for entry in tables.choices(after, match.turn) if entry.seat == leaver)
            assert own.by == By.PLAYER
        if play.awaited(match) == (leaver,) and len(stay) > 2:
            assert after.turn > match.turn or after.status is not Status.ACTIVE


@settings(max_examples=200, deadline=None)
@given(stories())
def test_a_match_goes_on_while_a_person_and_somebody_else_are_in_and_no_longer(story: Story) -> None:
    for match in moments(story):
        stay = [sitter for sitter in sitters(match) if not sitter.left]
        decided = len(stay) < 2 or not [sitter for sitter in stay if not sitter.bot]
        assert is_decided(match) is decided
        if match.status is Status.ACTIVE:
            assert not decided
        elif match.result is not None and match.result.reason != "played":
            assert decided


@settings(max_examples=200, deadline=None)
@given(stories(most=100))
def test_ranks_follow_from_who_stayed_when_the_others_left_and_the_games_standing(story: Story) -> None:
    last = None
    for deed in tell(story):
        last = deed.after
    if last is None or last.result is None:
        return
    standing = rules(last).standing(last.state)
    assert last.result.scores == standing.scores
    seats = sitters(last)
    for one in range(story.seats):
        above = sum(_is_above(last, standing.ranks, other, one) for other in range(story.seats))
        assert last.result.ranks[one] == 1 + above
    if last.result.reason == "played":
        assert rules(last).pending(last.state) == ()
    else:
        when = max(sitter.left_at for sitter in seats)
        assert last.result.reason in {str(sitter.left) for sitter in seats if sitter.left_at == when}
        assert last.ended_at == when


def _is_above(match: Match, ranks: tuple[int, ...], one: Seat, other: Seat) -> bool:
    here, there = sitters(match)[one], sitters(match)[other]
    if bool(here.left) != bool(there.left):
        return bool(there.left)
    return here.left_at > there.left_at if here.left else ranks[one] < ranks[other]


def test_an_outcome_can_be_asked_for_at_any_time() -> None:
    match = replaced(people("liars-poker", 3), 1, left=Left.TIMEOUT, left_at=START)
    assert outcome(match) == Result("timeout", (1, 3, 1), (0, 0, 0))
    assert outcome(match, "played").reason == "played"
