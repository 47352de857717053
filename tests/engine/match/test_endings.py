"""Every match ends (design.md, promise 9): whoever plays, stays away, resigns or is taken out."""

import pytest
from hypothesis import given, settings

from engine import games
from engine.match import play
from engine.match.advance import advance
from engine.match.record import Match, Status, all_options, rules, sitters
from tests.engine.cases import find
from tests.engine.cases import tables as sizes
from tests.engine.match import tables
from tests.engine.match.stories import Story, beginning, ending, over, stories
from tests.engine.match.tables import FORFEIT, START, people

every_table = pytest.mark.parametrize(("game", "seats"), [(game, n) for game in games.IDS for n in sizes(game)])


def bound(match: Match) -> int:
    return rules(match).bound(all_options(match), len(match.seats))


def assert_ended(match: Match) -> None:
    assert match.status in (Status.FINISHED, Status.ABORTED)
    assert match.turn <= bound(match) + 1
    assert tables.types(match)[-1] == match.status
    assert tables.types(match).count(match.status) == 1
    if match.status is Status.FINISHED:
        assert match.result is not None
        assert min(match.result.ranks) == 1
        assert len(match.result.ranks) == len(match.result.scores) == len(match.seats)
        assert match.ended_at == match.log[-1].at


@settings(max_examples=200, deadline=None)
@given(stories(most=120))
def test_a_random_match_that_is_then_left_alone_ends_within_its_bound(story: Story) -> None:
    assert_ended(over(ending(story)))


@settings(max_examples=100, deadline=None)
@given(stories(most=20))
def test_a_match_that_nobody_comes_to_any_more_is_over_when_as_many_deadlines_have_passed_as_it_has_decisions(
    story: Story,
) -> None:
    match = ending(story)
    left = bound(match) + 1 - match.turn
    last = match.opened_at + 60_000 * left
    assert_ended(advance(match, last, 2 * len(match.seats) * (left + 1)))


@every_table
def test_a_match_at_any_table_ends_when_nobody_comes(game: str, seats: int) -> None:
    for clock in (tables.MINUTE, FORFEIT):
        match = over(people(game, seats, of=clock))
        assert match.status is Status.ABORTED
        assert match.turn <= 3 * seats * 2


@every_table
def test_a_match_at_any_table_ends_when_all_but_one_resign_in_turn(game: str, seats: int) -> None:
    match = tables.everybody(people(game, seats))
    for seat in range(seats - 1):
        assert match.status is Status.ACTIVE
        match = tables.resign(match, seat)
    assert_ended(match)
    assert match.result is not None
    assert (match.result.reason, match.result.ranks) == ("resigned", tuple(range(seats, 0, -1)))


@every_table
def test_a_match_at_any_table_that_is_played_comes_to_the_end_of_its_game(game: str, seats: int) -> None:
    match = people(game, seats)
    while match.status is Status.ACTIVE:
        match = tables.everybody(match)
    assert_ended(match)
    assert match.result is not None
    assert match.result.reason == "played"
    assert match.result.ranks == find(game).standing(match.state).ranks


def test_a_seat_that_keeps_acting_does_not_keep_an_absent_opponent_in() -> None:
    match = people("half-deck-poker", given={"start_chips": 200, "min_raise": 0})
    while match.status is Status.ACTIVE:
        match = tables.act(match, 0) if 0 in play.awaited(match) else play.time_out(match)
    assert tables.lefts(match) == ["", "abandoned"]
    assert match.turn < 10


def test_a_story_is_told_with_all_that_can_happen() -> None:
    """The properties of these suites would prove little if the stories were all alike."""
    reasons, games_ended, kinds = set(), set(), set()
    for number in range(60):
        for game, seats in (("liars-poker", 4), ("misfortune", 2), ("half-deck-poker", 2), ("micro-poker", 4)):
            bots = (0,) if number % 3 == 0 else ()
            clock = ("default-action", "forfeit")[number % 2]
            match = ending(Story(game, seats, (), clock, bots, number, 60))
            reasons.add(match.result.reason if match.result else match.status)
            games_ended |= {(game, match.status)}
            kinds |= {entry.by for entry in match.log} | {entry.type for entry in match.log}
    assert reasons >= {"played", "resigned", "timeout", "abandoned", "forfeit", Status.ABORTED, Status.ACTIVE}
    assert kinds >= {"player", "bot", "clock", "resign", "left", "aborted", "finished", "pass", "challenge", "payout"}
    assert {game for game, status in games_ended if status is Status.FINISHED} == set(games.IDS)


def test_a_story_begins_at_the_first_decision() -> None:
    match = beginning(Story("micro-poker", 4, (), "default-action", (), 0, 0))
    assert (match.turn, match.started_at, sitters(match)[3].player) == (1, START, "ply-3")
