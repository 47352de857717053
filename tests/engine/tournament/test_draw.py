"""Keys, streams and addresses that follow from a tournament's own key."""

import hashlib
import hmac
import struct

import pytest

from engine import deal, tournament
from engine.tournament import draw
from engine.tournament.protocol import Key, Settings
from tests.engine.tournament.playing import ID, KEY, begin, players


def test_the_address_of_a_pairing_is_its_tournament_stage_round_and_place() -> None:
    assert draw.address("trn_1", Key("winners", 2, 3)) == "trn_1/winners/2/3"


@pytest.mark.parametrize("format_id", tournament.IDS)
def test_no_two_pairings_of_an_event_have_the_same_address(format_id: str) -> None:
    topology = begin(format_id, 33).topology
    shapes = tournament.shapes(topology)
    keys = [Key(shape.stage, shape.round, place) for shape in shapes for place in range(1, shape.pairings + 1)]
    assert len({draw.address(ID, key) for key in keys}) == len(keys)


def test_the_key_of_a_match_is_the_hmac_of_the_pairing_and_the_game_number() -> None:
    where = b"trn_test/main/1/2"
    message = b"bluff-rng/v1/tournament/" + struct.pack(">I", len(where)) + where + struct.pack(">I", 3)
    expected = hmac.new(KEY, message, hashlib.sha256).digest()
    assert draw.match_key(KEY, ID, Key("main", 1, 2), 3) == expected


def test_no_two_games_have_the_same_key() -> None:
    keys = [
        draw.match_key(KEY, which, Key(stage, number, place), game)
        for which in ("trn_1", "trn_11")
        for stage in ("main", "losers")
        for number in (1, 11)
        for place in (1, 11)
        for game in (1, 2)
    ]
    assert len(set(keys)) == 32


def test_draws_are_those_of_a_deal_with_the_tournaments_id_and_the_settings_as_rules() -> None:
    settings = Settings(seats=4, least=3, rounds=2)
    assert draw.ruleset("heats", settings) == 'heats@1 {"least":3,"rounds":2,"seats":4}'
    assert draw.ruleset("single-elimination", Settings()) == "single-elimination@1"
    stream = draw.chance(KEY, ID, "heats", settings, (b"ab", b""))("seeding")
    root = deal.root(KEY, ID, 'heats@1 {"least":3,"rounds":2,"seats":4}', (b"ab", b""))
    assert stream.key == deal.Stream(root, "seeding").key


def test_the_field_may_be_given_in_any_order() -> None:
    play = begin("double-elimination", 11)
    started = tournament.start(play.topology, players(11)[::-1], draw.chance(KEY, ID, "double-elimination", Settings()))
    assert {pairing.key: pairing for pairing in started} == play.stored
    assert [pairing.key for pairing in started] == list(play.stored)


def test_a_field_without_all_seeds_is_an_error() -> None:
    play = begin("round-robin", 4)
    with pytest.raises(ValueError, match="seeds 1 to n"):
        tournament.start(play.topology, play.field[1:], draw.chance(KEY, ID, "round-robin", Settings()))
