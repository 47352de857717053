"""The demonstration plays a whole match of each game and tells all of it."""

import re

import pytest
from typer.testing import CliRunner

from engine import games
from infra.cli.account import sentences
from infra.cli.main import app


@pytest.mark.parametrize("game", games.IDS)
def test_a_match_is_told_from_the_first_seat_to_the_places(game):
    run = CliRunner().invoke(app, ["demo", game])
    assert run.exit_code == 0, run.output
    lines = run.output.strip().splitlines()
    assert lines[1].endswith("sits down.")
    assert any("The match is over" in line for line in lines)
    assert re.fullmatch(r"  1\. .+ \(-?\d+\), [12]\. .+", lines[-1])


def test_an_unknown_game_is_refused_with_the_known_ones():
    run = CliRunner().invoke(app, ["demo", "chess"])
    assert run.exit_code == 2
    assert "liars-poker" in run.output


def test_an_event_without_a_sentence_is_told_by_its_type():
    assert sentences([{"type": "thunder", "seat": None}, {"type": "resign", "seat": 1}], ["ann", "bob"]) == [
        "thunder.",
        "bob resigns.",
    ]
