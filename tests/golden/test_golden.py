"""Recorded matches of every game and option replay to the letter, whatever the bots have become since."""

import pytest

from engine import games
from tests.golden import playthrough

RECORDED = sorted(playthrough.FOLDER.glob("*.txt"))

HAPPENINGS = {
    "micro-poker": {
        *("declare", "trust", "accuse"),
        *("shown", "banked", "fined", "turn", "hand", "ended", "deck-empty", "deck-short", "max-turns"),
    },
    "liars-poker": {"bid", "challenge", "stand", "settled"},
    "misfortune": {"play", "higher", "lower", "equal", "agreement", "conflict", "prayer", "leftover"},
    "half-deck-poker": {"raise", "swap", "true", "false", "call", "fold", "payout"},
}
"""What can be chosen and what can happen in each game."""


@pytest.mark.parametrize("path", RECORDED, ids=[path.stem for path in RECORDED])
def test_a_recorded_match_replays_to_the_same_text(path):
    text = path.read_text(encoding="utf-8")
    assert playthrough.tell(*playthrough.read(text)) == text


def test_every_game_table_and_option_value_is_recorded():
    assert {path.stem for path in RECORDED} >= {name for name, _ in playthrough.setups()}


def test_every_recorded_match_goes_to_its_end():
    assert all("\nover\n" in path.read_text(encoding="utf-8") for path in RECORDED)


@pytest.mark.parametrize("game", games.IDS)
def test_everything_that_can_happen_in_a_game_is_recorded(game):
    lines = [line for path in RECORDED if path.stem.startswith(game) for line in path.read_text().splitlines()]
    chosen = " ".join(line for line in lines if line.startswith("> "))
    happened = [line.split()[0] for line in lines if line.startswith("  ")]
    told = " ".join(line for line in lines if line.startswith("  ended "))
    missing = {what for what in HAPPENINGS[game] if what not in happened and f'"{what}"' not in chosen + told}
    assert {what for what in missing if f'"swap": {what},' not in chosen} == set()


def test_cards_left_over_are_recorded_by_each_rule_about_them():
    left = {
        playthrough.read(path.read_text())[0]["options"].get("leftover", "void")
        for path in RECORDED
        if "\n  leftover " in path.read_text()
    }
    assert left == {"void", "split", "showdown"}
