"""What time and house bots do to a match: the same, whoever calls and however late or often."""

from copy import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import bots, games
from engine.match import lobby, play
from engine.match.advance import advance, next_due
from engine.match.record import By, Match, Status, chance, rules, sitters
from engine.types import Action
from tests.engine.match import tables
from tests.engine.match.stories import Story, beginning, ending, moments, stories, tell
from tests.engine.match.tables import START, act, opened, people, person, robot, seated

every_game = pytest.mark.parametrize("game", games.IDS)
DAY = 86_400_000


def table_with_bots(game: str, style: str = "house") -> Match:
    """A person in the last seat, bots in all others, none of whom has answered yet."""
    low, _ = rules(opened(game)).SEATS
    return seated(game, [*(robot(number, style) for number in range(low - 1)), person(9)])


@settings(max_examples=120, deadline=None)
@given(stories(most=30), st.lists(st.integers(0, 20 * 60_000), max_size=8), st.integers(1, 3))
def test_calls_at_any_times_come_to_the_same_match_as_one(story: Story, times: list[int], steps: int) -> None:
    match = ending(story)
    last = match.opened_at + max(times, default=0)
    at_once = advance(match, last)
    for time in sorted(times):
        match = advance(match, min(last, START + time), steps)
    while (due := next_due(match)) is not None and due <= last:
        match = advance(match, last, steps)
    assert match == at_once


@settings(max_examples=120, deadline=None)
@given(stories(), st.lists(st.floats(0, 1), max_size=3))
def test_calls_between_two_requests_change_nothing(story: Story, parts: list[float]) -> None:
    match, at = beginning(story), START
    for deed in tell(story):
        for part in sorted(parts):
            match = advance(match, at + int(part * (deed.at - at)), 1)
        assert advance(match, deed.at) == advance(deed.before, deed.at)
        match, at = deed.after, deed.at


@settings(max_examples=120, deadline=None)
@given(stories())
def test_a_match_changes_by_itself_when_it_is_due_and_not_before(story: Story) -> None:
    for match in moments(story):
        due = next_due(match)
        assert (due is None) is (match.status is not Status.ACTIVE)
        if due is None:
            assert advance(match, START + 1000 * DAY) is match
            continue
        assert advance(match, due - 1) is match
        after = advance(match, due)
        assert after is not match
        assert after.log or after.seals
        assert after.moves > match.moves or after.status is not Status.ACTIVE


def test_an_open_match_waits_for_nobody() -> None:
    match = lobby.join(opened("misfortune"), person(0), START)
    assert next_due(match) is None
    assert advance(match, START + 1000 * DAY) is match


@every_game
def test_a_match_of_persons_is_due_at_its_deadline(game: str) -> None:
    match = people(game)
    assert next_due(match) == play.closes_at(match) == START + 60_000


@every_game
def test_a_bot_that_is_asked_is_due_at_once(game: str) -> None:
    match = table_with_bots(game)
    if any(sitters(match)[seat].bot for seat in play.awaited(match)):
        assert next_due(match) == START
    match = advance(match, START)
    assert play.awaited(match) == (len(match.seats) - 1,)
    assert next_due(match) == match.opened_at + 60_000


@every_game
@pytest.mark.parametrize("style", bots.STYLES)
def test_bots_answer_at_the_moment_at_which_the_decision_opened(game: str, style: str) -> None:
    match, late = table_with_bots(game, style), 0
    while match.status is Status.ACTIVE and match.turn < 12:
        match = advance(match, match.opened_at + 5000)
        if match.status is Status.ACTIVE:
            late += 1000
            match = act(match, len(match.seats) - 1, after=late)
    opened_at = {1: START} | {entry.turn + 1: entry.at for entry in match.log if entry.move}
    made = [entry for entry in match.log if entry.by == By.BOT]
    assert made
    for entry in made:
        assert (entry.committed or entry.at) == opened_at[entry.turn]
        assert entry.key == ""


@settings(max_examples=100, deadline=None)
@given(stories())
def test_bots_answer_at_the_opening_in_any_story(story: Story) -> None:
    match = ending(story)
    opened_at = {1: START} | {entry.turn + 1: entry.at for entry in match.log if entry.move and entry.type != "resign"}
    for entry in match.log:
        if entry.by == By.BOT:
            assert (entry.committed or entry.at) == opened_at[entry.turn]
            assert entry.seat in story.bots


@every_game
@pytest.mark.parametrize("style", bots.STYLES)
def test_a_bot_is_given_its_seats_view_what_is_legal_and_its_own_fresh_stream(
    game: str, style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, ...]] = []
    choose = bots.choose

    def watched(*given: Any) -> Action:
        *others, stream = given
        asked.append((*others, [copy(stream).word() for _ in range(3)]))
        return choose(*given)

    monkeypatch.setattr(bots, "choose", watched)
    match = table_with_bots(game, style)
    while match.status is Status.ACTIVE and match.turn < 10:
        waiting = [seat for seat in play.awaited(match) if sitters(match)[seat].bot]
        if not waiting:
            match = tables.everybody(match)
            continue
        seat, before = waiting[0], match
        match = advance(match, match.opened_at, 1)
        stream = chance(before)(f"bot/seat={seat}/turn={before.turn}")
        view, legal = rules(before).view(before.state, seat), play.legal(before, seat)
        assert asked.pop() == (game, style, view, legal, [copy(stream).word() for _ in range(3)])
        assert asked == []
        assert seat not in play.awaited(match) or match.turn > before.turn


@pytest.mark.parametrize("game", ["misfortune", "half-deck-poker"])
def test_what_a_person_has_sealed_does_not_change_what_a_bot_answers(game: str) -> None:
    match, answers = table_with_bots(game), set()
    for action in play.legal(match, 1).actions:
        after = advance(act(match, 1, action, after=0), START)
        answer = tables.choices(after, 1)[0]
        assert (answer.seat, answer.by) == (0, By.BOT)
        answers.add(str((answer.data, answer.secret)))
    assert len(answers) == 1


def test_a_bot_answers_anew_in_each_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """It draws from the stream of its seat and turn: the same state of play does not bring the same draw."""
    choose, drawn = bots.choose, list[bytes]()

    def noting(game: str, style: str, view: Any, legal: Any, stream: Any) -> Action:
        drawn.append(stream.key)
        return choose(game, style, view, legal, stream)

    monkeypatch.setattr(bots, "choose", noting)
    match = advance(seated("liars-poker", [robot(0, "random"), person(1)]), START)
    while match.status is Status.ACTIVE:
        match = act(match, 1)
        match = advance(match, match.opened_at)
    streams = [chance(match)(f"bot/seat=0/turn={turn}").key for turn in range(1, match.turn + 1)]
    assert len(drawn) > 10
    assert drawn == [stream for stream in streams if stream in drawn]


def test_who_is_cut_off_is_due_at_once_and_goes_on_from_there() -> None:
    match = seated("liars-poker", [robot(0), robot(1), robot(2), person(3)])
    while play.awaited(match) != (0,):
        match = advance(match, match.opened_at, 1) if next_due(match) == match.opened_at else act(match, 3)
    once = advance(match, match.opened_at, 1)
    assert (once.turn, next_due(once)) == (match.turn + 1, once.opened_at)
    assert advance(once, once.opened_at) == advance(match, match.opened_at)


def test_one_call_makes_at_most_so_many_steps() -> None:
    match = people("half-deck-poker", given={"start_chips": 200})
    late = START + 1000 * DAY
    for steps in (0, 1, 2):
        assert advance(match, late, steps).turn == 1 + steps


def test_time_outs_that_were_overlooked_fall_on_their_deadlines() -> None:
    match = act(people("misfortune"), 0)
    match = advance(match, START + DAY)
    closed = sorted({entry.at - START for entry in match.log if entry.move})
    assert closed == [60_000, 120_000, 180_000]
    assert match.ended_at == START + 180_000
