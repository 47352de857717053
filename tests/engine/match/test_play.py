"""Actions in a match: what is refused and in which order, and the numbering of decisions."""

from itertools import pairwise

import pytest
from hypothesis import given, settings

from engine import games
from engine.errors import Code, Refused
from engine.match import lobby, play
from engine.match.play import RESIGN, Request
from engine.match.record import By, Match, Status, last_event_at, rules, sitters
from engine.types import Action, Seat
from tests.engine.cases import find
from tests.engine.match import tables
from tests.engine.match.stories import Story, beginning, moments, stories, tell
from tests.engine.match.tables import START, act, opened, people, person, refusal

every_game = pytest.mark.parametrize("game", games.IDS)
NONSENSE: Action = {"type": "nonsense"}


def open_match() -> Match:
    return lobby.join(opened("liars-poker", 3), person(0), START)


def asked_of(match: Match) -> Seat:
    return play.asked(match)[0]


def idle_seat(match: Match) -> Seat:
    """A seat that the decision does not ask."""
    return next(seat for seat in range(len(match.seats)) if seat not in play.asked(match))


def test_an_open_match_takes_no_action_whatever_else_is_wrong() -> None:
    code, detail, _ = refusal(open_match(), 0, 5, NONSENSE)
    assert code == Code.MATCH_NOT_OPEN
    assert "not started" in detail


def test_a_match_that_is_over_takes_no_action_whatever_else_is_wrong() -> None:
    ended = tables.resign(people("liars-poker", 2), 0)
    aborted = lobby.abort(open_match(), START)
    for match in (ended, aborted):
        for turn in (0, match.turn, 99):
            code, detail, _ = refusal(match, 0, turn, NONSENSE)
            assert code == Code.MATCH_OVER
            assert match.status in detail


@every_game
def test_an_action_for_another_turn_is_stale_whoever_sends_it_and_whatever_it_is(game: str) -> None:
    match = tables.everybody(people(game))
    for turn in (match.turn - 1, match.turn + 1, 0, -1):
        for seat in range(len(match.seats)):
            code, detail, loc = refusal(match, seat, turn, NONSENSE)
            assert (code, loc) == (Code.STALE_TURN, ("turn",))
            assert f"turn {match.turn}" in detail


@pytest.mark.parametrize("game", ["liars-poker", "micro-poker"])
def test_a_seat_that_is_not_asked_is_told_so_whatever_it_sends(game: str) -> None:
    match = people(game)
    code, detail, _ = refusal(match, idle_seat(match), match.turn, NONSENSE)
    assert code == Code.NOT_YOUR_TURN
    assert str(list(play.asked(match))) in detail


def test_a_seat_that_has_left_is_told_so() -> None:
    match = tables.resign(people("liars-poker", 3), 1)
    assert refusal(match, 1, match.turn, NONSENSE)[:2] == (Code.NOT_YOUR_TURN, "you have left this match")


@every_game
def test_an_illegal_action_is_refused_by_the_game(game: str) -> None:
    match = people(game)
    code, _, loc = refusal(match, asked_of(match), match.turn, NONSENSE)
    assert (code, loc) == (Code.ILLEGAL_ACTION, ("action",))
    assert refusal(match, asked_of(match), match.turn, RESIGN)[0] == Code.ILLEGAL_ACTION


def test_only_the_clock_passes_in_micro_poker() -> None:
    match = tables.everybody(people("micro-poker"))
    assert play.asked(match) == (tables.tourist(match),)
    assert refusal(match, asked_of(match), match.turn, {"type": "pass"})[0] == Code.ILLEGAL_ACTION
    assert {"type": "pass"} not in play.legal(match, asked_of(match)).actions


@pytest.mark.parametrize(
    ("match", "code"),
    [
        (open_match(), Code.MATCH_NOT_OPEN),
        (lobby.abort(open_match(), START), Code.MATCH_OVER),
        (tables.resign(people("liars-poker", 2), 0), Code.MATCH_OVER),
        (tables.resign(people("liars-poker", 3), 0), Code.NOT_YOUR_TURN),
    ],
)
def test_who_cannot_resign_cannot_be_taken_out_either(match: Match, code: Code) -> None:
    with pytest.raises(Refused) as resigning:
        play.resign(match, Request(0, START))
    with pytest.raises(Refused) as taking_out:
        play.forfeit(match, 0, START)
    assert resigning.value.code == taking_out.value.code == code


def test_time_runs_out_for_nobody_before_the_start_and_after_the_end() -> None:
    for match in (open_match(), tables.resign(people("liars-poker", 2), 0)):
        assert play.closes_at(match) is None
        with pytest.raises(ValueError, match="waits for nobody's clock"):
            play.time_out(match)


@every_game
def test_what_is_listed_as_legal_is_accepted(game: str) -> None:
    match = people(game)
    seat = asked_of(match)
    for action in play.legal(match, seat).actions:
        assert act(match, seat, action).moves == 1


@every_game
def test_nothing_is_legal_for_who_is_not_awaited(game: str) -> None:
    match = act(people(game), play.asked(people(game))[-1])
    for seat in range(len(match.seats)):
        assert bool(play.legal(match, seat).actions) is (seat in play.awaited(match))


def test_an_action_is_logged_with_its_maker_its_mark_and_its_number() -> None:
    match = people("liars-poker")
    opener = asked_of(match)
    bid = {"type": "bid", "count": 2, "digit": 7}
    match = act(match, opener, bid, after=1500, key="mark")
    entry = match.log[-1]
    assert (entry.type, entry.seat, entry.data) == ("bid", opener, {"count": 2, "digit": 7})
    assert (entry.at, entry.turn, entry.by, entry.key) == (START + 1500, 1, By.PLAYER, "mark")
    assert (entry.move, entry.committed) == (1, 0)


@settings(max_examples=150, deadline=None)
@given(stories())
def test_the_turn_counts_closed_decisions_and_nothing_else(story: Story) -> None:
    """A decision leaves its choices in the log when it closes: one of each seat that it asked."""
    for deed in tell(story):
        before, after = deed.before, deed.after
        for turn in range(before.turn, after.turn):
            assert tables.choices(after, turn)
        assert not tables.choices(after, after.turn)
        if deed.what == "act":
            at = max(deed.at, last_event_at(before))
            in_time = {seat for seat in play.awaited(before) if play.may_act(before, seat, at)}
            # A bot answers at once, but no request that was stamped before its decision opened.
            answering = set(story.bots) if deed.at >= before.opened_at else set()
            is_last = in_time <= {deed.seat} | answering
            assert is_last is (after.turn > before.turn or after.status is not Status.ACTIVE)
            assert after.moves > before.moves
        if deed.what in ("nothing", "pause", "resume"):
            assert after.turn == before.turn or after.opened_at <= deed.at
        assert after.turn >= before.turn


@settings(max_examples=100, deadline=None)
@given(stories())
def test_each_decision_logs_the_choices_of_its_seats_in_seat_order(story: Story) -> None:
    asked = {}
    for match in moments(story):
        if match.status is Status.ACTIVE:
            asked[match.turn] = rules(match).pending(match.state)
        for turn, seats in asked.items():
            logged = [entry.seat for entry in tables.choices(match, turn)]
            assert tuple(logged) == (seats if turn < match.turn else ())


@settings(max_examples=100, deadline=None)
@given(stories())
def test_every_action_has_a_number_of_its_own_in_the_order_of_commitment(story: Story) -> None:
    for match in moments(story):
        logged = [entry.move for entry in match.log if entry.move]
        hidden = [choice.move for choice in match.seals]
        assert sorted(logged + hidden) == list(range(1, match.moves + 1))
        assert hidden == sorted(hidden)


@settings(max_examples=100, deadline=None)
@given(stories())
def test_time_never_runs_backwards_however_requests_overtake_one_another(story: Story) -> None:
    for match in moments(story):
        times = [entry.at for entry in match.log]
        assert times == sorted(times)
        for entry in match.log:
            assert entry.committed <= entry.at
        starts = [entry.at for entry in match.log if entry.type == "started"]
        assert starts == [match.started_at] == [START]
        assert match.opened_at <= times[-1]
        assert all(choice.at >= match.opened_at for choice in match.seals)
        assert match.ended_at == (0 if match.status is Status.ACTIVE else times[-1])


@settings(max_examples=100, deadline=None)
@given(stories())
def test_the_same_match_action_and_time_give_the_same_match_and_change_no_argument(story: Story) -> None:
    stored = tables.text(beginning(story))
    assert tables.text(beginning(story)) == stored
    for deed, again in zip(tell(story), tell(story), strict=True):
        kept = tables.text(deed.before)
        assert deed == again
        assert tables.text(again.before) == kept
        assert tables.text(deed.after) == tables.text(again.after)


@settings(max_examples=60, deadline=None)
@given(stories())
def test_a_refused_action_changes_nothing(story: Story) -> None:
    for match in moments(story):
        before = tables.text(match)
        for seat in range(len(match.seats)):
            for turn in (match.turn - 1, match.turn):
                refusal(match, seat, turn, NONSENSE)
        assert tables.text(match) == before


@settings(max_examples=100, deadline=None)
@given(stories())
def test_a_match_that_is_over_stays_as_it_is(story: Story) -> None:
    last = None
    for one, other in pairwise(moments(story)):
        assert one.status is Status.ACTIVE
        last = other
    if last is not None and last.status is not Status.ACTIVE:
        assert play.asked(last) == play.awaited(last) == ()
        for seat in range(len(last.seats)):
            assert refusal(last, seat, last.turn, NONSENSE)[0] == Code.MATCH_OVER


@every_game
def test_who_sits_where_never_changes_once_a_match_has_started(game: str) -> None:
    match = people(game, find(game).SEATS[1])
    names = [sitter.player for sitter in sitters(match)]
    match = tables.resign(tables.everybody(match), 1)
    assert [sitter.player for sitter in sitters(match)] == names
