"""Ends that are not the game's: a match is taken as it stands at a moment, or called off."""

import pytest

from engine import games
from engine.clock import Clock
from engine.errors import Refused
from engine.match import play
from engine.match.record import Match, Status, replaced, rules
from engine.replay import replay
from engine.types import EpochMs
from tests.engine.match import tables
from tests.engine.match.tables import FORFEIT, START, act, everybody, people, resign

every_game = pytest.mark.parametrize("game", games.IDS)


def at(match: Match) -> EpochMs:
    return match.opened_at + 2000


@every_game
def test_a_match_that_is_adjudicated_ends_by_the_games_standing(game: str) -> None:
    match = everybody(people(game))
    ended = play.adjudicate(match, at(match))
    standing = rules(match).standing(match.state)
    assert ended.status is Status.FINISHED
    assert ended.result is not None
    assert (ended.result.reason, ended.result.ranks, ended.result.scores) == ("timeout", *standing)
    assert ended.ended_at == at(match)
    assert tables.types(ended)[-2:] == ["adjudicated", "finished"]
    assert replay(ended) == ended


@every_game
def test_nothing_comes_of_a_match_in_which_nobody_acted(game: str) -> None:
    ended = play.adjudicate(people(game), START + 2000)
    assert (ended.status, ended.result, ended.ended_at) == (Status.ABORTED, None, START + 2000)
    assert replay(ended) == ended


def test_who_left_is_below_who_stayed_when_it_is_adjudicated() -> None:
    match = resign(everybody(people("micro-poker", 4)), 2)
    ended = play.adjudicate(match, at(match))
    assert ended.result is not None
    assert ended.result.ranks[2] == 4
    assert max(ended.result.ranks[seat] for seat in (0, 1, 3)) < 4


def test_who_has_run_out_of_time_is_below_who_has_not_when_time_out_is_a_forfeit() -> None:
    match = act(people("misfortune", of=FORFEIT), 1)
    match = replaced(match, 0, reserve_ms=1000)
    ended = play.adjudicate(match, START + 1500)
    assert ended.result is not None
    assert ended.result.ranks == (2, 1)
    assert ended.seats[0] is not None
    assert ended.seats[0].left == "timeout"


@every_game
def test_a_match_that_is_called_off_has_no_result(game: str) -> None:
    match = act(people(game), play.asked(people(game))[0])
    ended = play.call_off(match, at(match))
    assert (ended.status, ended.result, ended.ended_at) == (Status.ABORTED, None, at(match))
    assert tables.types(ended)[-2:] == ["called-off", "aborted"]
    assert replay(ended) == ended


@pytest.mark.parametrize("end", [play.adjudicate, play.call_off])
def test_what_is_over_or_has_not_begun_has_no_end_from_outside(end: object) -> None:
    over = resign(everybody(people("misfortune")), 0)
    for match in (over, tables.opened("misfortune", of=Clock("per-move", 60))):
        with pytest.raises(Refused):
            end(match, START + 9000)  # type: ignore[operator]
