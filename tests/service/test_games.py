"""The games and what they offer (api.md, "Games")."""

import pytest

from infra.client import Client
from tests.service.checks import problem

IDS = ("micro-poker", "liars-poker", "misfortune", "half-deck-poker")
FIELDS = {"id", "title", "summary", "seats", "options", "default_clock", "rules_version"}


def test_the_list_has_the_four_games(anybody: Client) -> None:
    listed = anybody.ok("GET", "/v1/games")
    assert {game["id"] for game in listed["items"]} == set(IDS)
    assert listed["next_cursor"] is None
    for game in listed["items"]:
        assert set(game) >= FIELDS
        assert anybody.ok("GET", f"/v1/games/{game['id']}") == game


@pytest.mark.parametrize(
    ("game", "low", "high"),
    [("micro-poker", 3, 6), ("liars-poker", 2, 10), ("misfortune", 2, 2), ("half-deck-poker", 2, 2)],
)
def test_a_game_says_how_many_it_seats(anybody: Client, game: str, low: int, high: int) -> None:
    assert anybody.ok("GET", f"/v1/games/{game}")["seats"] == {"min": low, "max": high}


@pytest.mark.parametrize("game", IDS)
def test_a_game_names_its_clock(anybody: Client, game: str) -> None:
    seconds = 60 if game == "half-deck-poker" else 259_200
    clock = {"kind": "per-move", "seconds": seconds, "on_timeout": "default-action"}
    assert anybody.ok("GET", f"/v1/games/{game}")["default_clock"] == clock


@pytest.mark.parametrize("game", IDS)
def test_the_options_are_a_schema_with_defaults_and_bounds(anybody: Client, game: str) -> None:
    schema = anybody.ok("GET", f"/v1/games/{game}")["options"]
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    for option in schema["properties"].values():
        assert option["description"]
        if "enum" in option:
            assert option["default"] in option["enum"]
        else:
            assert option["type"] == "integer"
            assert option["minimum"] <= option["default"] <= option["maximum"]


@pytest.mark.parametrize("game", ["poker", "Misfortune", "liars_poker", "mis%66ortune%00", "x" * 5000, "..", "%0A"])
def test_an_unknown_game_is_not_found(anybody: Client, game: str) -> None:
    problem(anybody.call("GET", f"/v1/games/{game}"), 404, "not-found")
