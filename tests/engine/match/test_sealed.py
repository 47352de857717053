"""Decisions that ask several seats at once: what a sealed choice does before and when the decision closes."""

import pytest
from hypothesis import given, settings

from engine.errors import Code
from engine.match import play
from engine.match.play import Request
from engine.match.record import By, Match, Status
from engine.types import Action, Seat
from tests.engine.match import tables
from tests.engine.match.stories import Story, stories, tell
from tests.engine.match.tables import SIMULTANEOUS, START, act, first, people, refusal

every_game = pytest.mark.parametrize("game", SIMULTANEOUS)


def strangers() -> tuple[Match, tuple[Seat, ...]]:
    """Four seats of Micro Poker: three strangers declare."""
    match = people("micro-poker", 4)
    return match, play.asked(match)


def last_action(match: Match, seat: Seat) -> Action:
    action: Action = play.legal(match, seat).actions[-1]
    return action


@every_game
def test_a_sealed_choice_leaves_the_decision_open(game: str) -> None:
    match = people(game)
    asked = play.asked(match)
    after = act(match, asked[-1])
    assert play.asked(after) == asked
    assert play.awaited(after) == asked[:-1]
    assert play.legal(after, asked[-1]).actions == ()
    assert play.closes_at(after) == play.closes_at(match)
    assert (after.turn, after.state, after.log, after.opened_at) == (1, match.state, match.log, match.opened_at)


@every_game
def test_a_sealed_choice_cannot_be_changed(game: str) -> None:
    match = people(game)
    seat = play.asked(match)[0]
    after = act(match, seat)
    for action in play.legal(match, seat).actions:
        code, detail, _ = refusal(after, seat, after.turn, action)
        assert code == Code.NOT_YOUR_TURN
        assert "can't be changed" in detail


@every_game
def test_the_last_choice_closes_the_decision(game: str) -> None:
    match = people(game)
    asked = play.asked(match)
    for seat in asked:
        assert match.turn == 1
        match = act(match, seat)
    assert (match.turn, match.seals, match.moves) == (2, (), len(asked))
    assert match.opened_at == START + 1000


@every_game
def test_choices_enter_the_log_in_seat_order_dated_when_the_decision_closed(game: str) -> None:
    match = people(game)
    asked = play.asked(match)
    late = {seat: 5000 * (place + 1) for place, seat in enumerate(reversed(asked))}
    for seat, after in late.items():
        match = act(match, seat, after=after, key=f"k{seat}")
    closed = START + max(late.values())
    entries = tables.choices(match, 1)
    assert [entry.seat for entry in entries] == list(asked)
    assert {entry.at for entry in entries} == {closed}
    assert [entry.move for entry in entries] == list(range(len(asked), 0, -1))
    assert [entry.committed or entry.at for entry in entries] == [START + late[seat] for seat in asked]
    assert [entry.key for entry in entries] == [f"k{seat}" for seat in asked]
    assert tables.by_of(entries) == dict.fromkeys(asked, By.PLAYER)
    assert match.opened_at == closed


@every_game
def test_the_order_of_choosing_does_not_change_what_they_lead_to(game: str) -> None:
    match = people(game)
    asked = play.asked(match)
    forwards = backwards = match
    for seat in asked:
        forwards = act(forwards, seat, last_action(match, seat))
    for seat in reversed(asked):
        backwards = act(backwards, seat, last_action(match, seat))
    assert forwards.state == backwards.state
    for viewer in (*range(len(match.seats)), None):
        assert tables.observed(forwards, viewer) == tables.observed(backwards, viewer)


@every_game
def test_a_choice_that_was_made_earlier_but_comes_in_last_closes_at_the_time_of_the_later_one(game: str) -> None:
    """Whoever meets a conflict is applied again with the stamp of arrival: requests overtake one another."""
    match = people(game)
    *early, last = play.asked(match)
    for seat in early:
        match = act(match, seat, after=3000)
    match = act(match, last, after=2000)
    assert (match.turn, match.opened_at) == (2, START + 3000)
    for entry in tables.choices(match, 1):
        assert (entry.at, entry.committed) == (START + 3000, START + 2000 if entry.seat == last else 0)


def test_an_action_stamped_before_its_decision_opened_counts_from_the_opening() -> None:
    match = act(people("liars-poker"), play.asked(people("liars-poker"))[0], after=9000)
    match = act(match, play.asked(match)[0], after=-4000)
    assert match.log[-1].at == match.opened_at == START + 9000


def test_seats_that_do_not_choose_are_not_asked() -> None:
    match, asked = strangers()
    assert set(asked) == set(range(4)) - {tables.tourist(match)}
    for seat in asked:
        match = act(match, seat)
    assert play.asked(match) == (tables.tourist(match),)


def test_a_seat_that_left_and_was_sealed_for_does_not_count_among_the_asked() -> None:
    match, asked = strangers()
    match = tables.resign(match, asked[1])
    assert play.asked(match) == (asked[0], asked[2])
    assert [choice.seat for choice in match.seals] == [asked[1]]
    assert match.turn == 1


def test_who_resigns_with_a_sealed_choice_has_made_it() -> None:
    match, asked = strangers()
    sealed = last_action(match, asked[0])
    match = tables.resign(act(match, asked[0], sealed), asked[0], after=2000)
    assert [choice.action for choice in match.seals] == [sealed]
    for seat in asked[1:]:
        match = act(match, seat, after=3000)
    entry = tables.choices(match, 1)[0]
    assert (entry.seat, entry.by, entry.committed) == (asked[0], By.PLAYER, START + 1000)
    assert {"type": entry.type, **entry.data} == sealed


def test_who_resigns_while_others_have_sealed_closes_the_decision_with_a_missed_action() -> None:
    match, asked = strangers()
    for seat in asked[1:]:
        match = act(match, seat)
    match = tables.resign(match, asked[0], after=2000)
    assert match.turn == 2
    assert tables.types(match)[-4:] == ["resign", "declare", "declare", "declare"]
    entries = tables.choices(match, 1)
    assert [entry.by for entry in entries] == [By.CLOCK, By.PLAYER, By.PLAYER]
    assert {entry.at for entry in entries} == {START + 2000}
    assert [entry.committed for entry in entries] == [0, START + 1000, START + 1000]


def test_a_resignation_is_not_dated_by_a_choice_that_nobody_may_know_of() -> None:
    match, asked = strangers()
    match = act(match, asked[0], after=5000)
    match = tables.resign(match, asked[1], after=2000)
    assert (match.log[-1].type, match.log[-1].at) == ("resign", START + 2000)
    match = act(match, asked[2], after=3000)
    assert (match.turn, match.opened_at) == (2, START + 5000)


@pytest.mark.parametrize("game", ["misfortune", "half-deck-poker"])
def test_a_choice_in_a_decision_that_never_closes_is_not_published(game: str) -> None:
    match = tables.resign(act(people(game), 0), 1)
    assert match.status is Status.FINISHED
    assert tables.choices(match, 1) == []
    assert (match.turn, match.moves) == (1, 2)


@settings(max_examples=150, deadline=None)
@given(stories(only=SIMULTANEOUS, bots=False))
def test_every_choice_that_was_accepted_is_in_the_log_once_its_decision_has_closed(story: Story) -> None:
    accepted: dict[tuple[int, Seat], tuple[int, int]] = {}
    match = None
    for deed in tell(story):
        match = deed.after
        if deed.what == "act" and deed.seat is not None:
            accepted[deed.before.turn, deed.seat] = deed.before.moves + 1, deed.at
    if match is None:
        return
    logged = {(entry.turn, entry.seat): entry for entry in match.log if entry.move and entry.by == By.PLAYER}
    for (turn, seat), (move, at) in accepted.items():
        if turn < match.turn:
            entry = logged[turn, seat]
            assert entry.move == move
            assert entry.at >= (entry.committed or entry.at) >= at


@settings(max_examples=150, deadline=None)
@given(stories(only=SIMULTANEOUS))
def test_who_is_asked_shrinks_only_when_a_seat_leaves(story: Story) -> None:
    for deed in tell(story):
        if deed.after.turn == deed.before.turn and deed.after.status is Status.ACTIVE:
            gone = set(play.asked(deed.before)) - set(play.asked(deed.after))
            assert gone <= ({deed.seat} if deed.what in ("resign", "forfeit") else set())
            bots = set(story.bots)  # may answer meanwhile
            assert set(play.awaited(deed.after)) - bots == set(play.awaited(deed.before)) - bots - {deed.seat}
            if deed.what not in ("pause", "resume"):
                for seat in play.asked(deed.after):
                    assert play.deadline(deed.after, seat) == play.deadline(deed.before, seat)


@every_game
def test_a_bots_request_is_marked_as_such(game: str) -> None:
    match = people(game)
    seat = play.asked(match)[0]
    match = play.act(match, Request(seat, START, By.BOT), 1, first(match, seat))
    assert match.seals[0].by == By.BOT
