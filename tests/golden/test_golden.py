"""Recorded matches of every game and option replay to the letter, whatever the bots have become since."""

import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("playthrough", Path(__file__).with_name("playthrough.py"))
assert _spec is not None
assert _spec.loader is not None
playthrough = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(playthrough)

RECORDED = sorted(playthrough.FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", RECORDED, ids=[path.stem for path in RECORDED])
def test_a_recorded_match_replays_to_the_same_text(path):
    text = path.read_text(encoding="utf-8")
    assert playthrough.tell(*playthrough.read(text)) == text


def test_every_game_table_and_option_value_is_recorded():
    assert {path.stem for path in RECORDED} >= {name for name, _ in playthrough.setups()}


def test_every_recorded_match_goes_to_its_end():
    assert all("\nover\n" in path.read_text(encoding="utf-8") for path in RECORDED)
