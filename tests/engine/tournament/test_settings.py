"""What an organizer may choose, and what a refusal says."""

from typing import Any

import pytest

from engine import games, tournament
from engine.errors import Code, Refused
from engine.tournament import settings
from engine.tournament.protocol import Settings

TWO, THREE_TO_SIX, TWO_TO_TEN = (2, 2), (3, 6), (2, 10)


def refusal(format_id: str, tables: tuple[int, int], given: dict[str, Any]) -> tuple[tuple[str, ...], str]:
    with pytest.raises(Refused) as caught:
        settings.parse(format_id, tables, given)
    assert caught.value.code is Code.INVALID_REQUEST
    return caught.value.loc, caught.value.detail


def test_nothing_given_is_the_defaults() -> None:
    assert settings.parse("single-elimination", TWO, {}) == Settings()
    assert settings.parse("heats", THREE_TO_SIX, {}) == Settings(seats=3, least=3)


def test_null_is_not_given() -> None:
    assert settings.parse("double-elimination", TWO, {"third_place": None, "best_of": None}) == Settings()


def test_what_is_given_is_kept() -> None:
    given = {"best_of": 5, "third_place": True, "seats": 2, "replays": 0}
    assert settings.parse("single-elimination", TWO_TO_TEN, given) == Settings(5, 0, True)
    robin = settings.parse("round-robin", TWO, {"cycles": 2, "tiebreaks": ["wins"]})
    assert robin == Settings(cycles=2, tiebreaks=("wins",))


@pytest.mark.parametrize("format_id", ["swiss", "groups-then-knockout", "ladder", ""])
def test_a_format_that_is_not_there_is_refused_with_those_that_are(format_id: str) -> None:
    loc, detail = refusal(format_id, TWO, {})
    assert loc == ("format",)
    assert detail == "must be one of: single-elimination, double-elimination, round-robin, heats"


@pytest.mark.parametrize(
    ("format_id", "tables", "given", "loc", "detail"),
    [
        ("single-elimination", TWO, {"best_of": 2}, "match.best_of", "must be one of 1, 3, 5, 7, 9"),
        ("single-elimination", TWO, {"best_of": 11}, "match.best_of", "must be one of 1, 3, 5, 7, 9"),
        ("single-elimination", TWO, {"best_of": True}, "match.best_of", "must be one of 1, 3, 5, 7, 9"),
        ("single-elimination", TWO, {"best_of": "3"}, "match.best_of", "must be one of 1, 3, 5, 7, 9"),
        ("single-elimination", TWO, {"third_place": 1}, "third_place", "must be true or false"),
        ("single-elimination", TWO, {"replays": 3}, "match.replays", "must be an integer from 0 to 2"),
        ("single-elimination", TWO_TO_TEN, {"seats": 3}, "match.seats", "must be 2 in single-elimination"),
        ("round-robin", TWO, {"cycles": 3}, "cycles", "must be 1 or 2"),
        (
            "round-robin",
            TWO,
            {"tiebreaks": ["buchholz"]},
            "tiebreaks",
            "must be a list, each at most once, of head-to-head, wins, sonneborn-berger, game-score, opponents-rating",
        ),
        ("heats", THREE_TO_SIX, {"seats": 7}, "match.seats", "must be an integer from 3 to 6"),
        ("heats", THREE_TO_SIX, {"seats": 2}, "match.seats", "must be an integer from 3 to 6"),
        ("heats", THREE_TO_SIX, {"seats": 4, "advance": 4}, "advance", "must be an integer from 1 to 3"),
        ("heats", THREE_TO_SIX, {"advance": 0}, "advance", "must be an integer from 1 to 2"),
        ("heats", THREE_TO_SIX, {"rounds": 31}, "rounds", "must be an integer from 1 to 30"),
        ("heats", THREE_TO_SIX, {"advance": 1, "rounds": 3}, "rounds", "give either advance or rounds, not both"),
        (
            "heats",
            THREE_TO_SIX,
            {"rounds": 3, "tiebreaks": ["wins", "wins"]},
            "tiebreaks",
            "must be a list, each at most once, of game-score, wins",
        ),
        (
            "heats",
            THREE_TO_SIX,
            {"tiebreaks": ["wins"]},
            "tiebreaks",
            "heats have tie-breaks with rounds only; with advance, places go by round and table",
        ),
    ],
)
def test_a_value_that_is_not_legal_is_refused_with_those_that_are(
    format_id: str, tables: tuple[int, int], given: dict[str, Any], loc: str, detail: str
) -> None:
    assert refusal(format_id, tables, given) == (tuple(loc.split(".")), detail)


@pytest.mark.parametrize(
    ("format_id", "name"),
    [
        ("double-elimination", "third_place"),
        ("round-robin", "third_place"),
        ("heats", "third_place"),
        ("heats", "best_of"),
        ("heats", "cycles"),
        ("single-elimination", "cycles"),
        ("single-elimination", "rounds"),
        ("single-elimination", "advance"),
        ("round-robin", "rounds"),
        ("round-robin", "replays"),
        ("double-elimination", "tiebreaks"),
        ("single-elimination", "groups"),
        ("single-elimination", "least"),
    ],
)
def test_a_setting_of_another_format_is_refused_with_those_of_this_one(format_id: str, name: str) -> None:
    loc, detail = refusal(format_id, THREE_TO_SIX if format_id == "heats" else TWO, {name: 3})
    assert loc[-1] == name
    assert "seats" in detail


@pytest.mark.parametrize("format_id", ["single-elimination", "double-elimination", "round-robin"])
def test_a_game_for_three_and_more_can_be_played_in_heats_only(format_id: str) -> None:
    loc, detail = refusal(format_id, THREE_TO_SIX, {})
    assert loc == ("match", "seats")
    assert "3 to 6" in detail
    assert "heats" in detail


def test_a_game_for_two_only_has_no_heats() -> None:
    loc, detail = refusal("heats", TWO, {})
    assert loc == ("match", "seats")
    assert detail == "heats need a game with tables of 2 to 3 seats, it has 2 to 2"


@pytest.mark.parametrize("game_id", games.IDS)
def test_each_game_of_the_house_has_a_format(game_id: str) -> None:
    game = games.find(game_id)
    assert game is not None
    low, high = game.SEATS
    can_pair = low == 2
    for format_id in tournament.IDS:
        if can_pair if format_id != "heats" else high > low:
            assert settings.parse(format_id, game.SEATS, {}).seats == low


@pytest.mark.parametrize(
    ("format_id", "n", "detail"),
    [
        ("round-robin", 65, "round-robin takes 2 to 64 entrants"),
        ("single-elimination", 1, "single-elimination takes 2 to 10000 entrants"),
        ("double-elimination", 10_001, "double-elimination takes 2 to 10000 entrants"),
        ("heats", 2, "heats takes 3 to 10000 entrants"),
    ],
)
def test_more_or_fewer_entrants_than_a_format_takes_are_refused(format_id: str, n: int, detail: str) -> None:
    with pytest.raises(Refused, match=detail):
        tournament.topology(format_id, n, Settings(least=3) if format_id == "heats" else Settings())


@pytest.mark.parametrize(
    ("format_id", "n", "given", "depth"),
    [
        ("single-elimination", 2, {}, 1),
        ("single-elimination", 10_000, {"third_place": True}, 14),
        ("double-elimination", 2, {}, 3),
        ("double-elimination", 16, {}, 9),
        ("round-robin", 10, {}, 9),
        ("round-robin", 9, {"cycles": 2}, 18),
        ("heats", 22, {"seats": 4}, 4),
        ("heats", 22, {"seats": 4, "rounds": 7}, 7),
    ],
)
def test_the_depth_of_an_event_is_known_beforehand(format_id: str, n: int, given: dict[str, Any], depth: int) -> None:
    tables = THREE_TO_SIX if format_id == "heats" else TWO
    assert tournament.depth(tournament.topology(format_id, n, settings.parse(format_id, tables, given))) == depth


def test_the_latest_end_is_the_start_and_all_deadlines() -> None:
    assert settings.latest_end(1_000, 3, 604_800) == 1_000 + 3 * 604_800_000


@pytest.mark.parametrize(
    ("deadline", "best_of", "seconds"), [(604_800, 1, 30_240), (604_800, 3, 10_080), (60, 9, 10), (10**9, 1, 2_592_000)]
)
def test_the_default_clock_lets_twenty_moves_a_game_fit(deadline: int, best_of: int, seconds: int) -> None:
    assert settings.clock_seconds(deadline, best_of) == seconds


def test_table_sizes_are_all_that_can_occur() -> None:
    heats = settings.parse("heats", THREE_TO_SIX, {"seats": 3})
    assert list(settings.table_sizes(heats, tournament.find("heats"))) == [3, 4, 5]
    assert list(settings.table_sizes(Settings(), tournament.find("round-robin"))) == [2]
