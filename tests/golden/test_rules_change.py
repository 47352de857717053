"""A change of rules: a second version beside the first; matches keep the one that they began with (promise 8)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from engine import games
from engine.match import codec, lobby, play
from engine.match.record import Match, all_options, rules, ruleset
from engine.proof import prove
from engine.replay import replay
from tests.engine.match.tables import KEY, MINUTE, START, act, person
from tests.verify.proofs import fault, forged

FIRST = ("tests.golden.toy_1",)
SECOND = (*FIRST, "tests.golden.toy_2")


@pytest.fixture(autouse=True)
def _registry() -> Iterator[None]:
    """What a test registers is gone after it."""
    yield
    games.find.cache_clear()


def deploy(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    monkeypatch.setitem(games._MODULES, "toy", modules)
    monkeypatch.setattr(games, "IDS", tuple(games._MODULES))
    games.find.cache_clear()


def started() -> Match:
    match = lobby.create("match", "toy", 2, {}, MINUTE, KEY, START)
    return lobby.join(lobby.join(match, person(0), START), person(1), START)


def stored(match: Match) -> Match:
    return codec.load(json.loads(json.dumps(codec.dump(match))))


def named(match: Match, seat: int, number: int) -> Match:
    return act(match, seat, {"type": "name", "number": number})


def result(match: Match) -> Any:
    return None if match.result is None else match.result.ranks


def test_a_match_goes_on_by_the_rules_that_it_began_with(monkeypatch: pytest.MonkeyPatch) -> None:
    deploy(monkeypatch, *FIRST)
    old = named(started(), 0, 3)
    lobby_of_old = lobby.join(lobby.create("open", "toy", 2, {}, MINUTE, KEY, START), person(0), START)
    deploy(monkeypatch, *SECOND)
    old, new = stored(old), started()
    assert [(match.rules_version, ruleset(match)) for match in (old, new)] == [(1, "toy@1"), (2, "toy@2")]
    assert [dict(all_options(match)) for match in (old, new)] == [{"most": 3}, {"most": 3, "wins": "lower"}]
    old, new = named(old, 1, 1), named(named(new, 0, 3), 1, 1)
    assert [result(old), result(new)] == [(1, 2), (2, 1)]
    # Also one that was waiting for players.
    late = named(named(lobby.join(stored(lobby_of_old), person(1), START), 0, 3), 1, 1)
    assert (late.rules_version, result(late)) == (1, (1, 2))


def test_a_finished_match_replays_and_is_proven_by_its_own_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    deploy(monkeypatch, *FIRST)
    old = named(named(started(), 0, 3), 1, 1)
    proof = prove(old)
    deploy(monkeypatch, *SECOND)
    new = named(named(started(), 0, 3), 1, 1)
    for match in (old, new):
        assert replay(stored(match)) == match
        assert fault(json.loads(json.dumps(prove(match)))) == ""
    assert prove(stored(old)) == proof
    assert fault(forged(proof | {"ruleset": "toy@2"})) == "options, wins"
    assert fault(forged(proof | {"ruleset": "toy@3"})) == "ruleset"


def test_a_match_whose_rules_are_gone_is_not_played_by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    deploy(monkeypatch, *SECOND)
    match = named(started(), 0, 3)
    deploy(monkeypatch, *FIRST)
    with pytest.raises(LookupError, match="toy@2"):
        play.legal(match, 1)


@pytest.mark.parametrize("game_id", games.IDS)
def test_each_version_of_a_game_is_where_its_number_says(game_id: str) -> None:
    for version in range(1, len(games._MODULES[game_id]) + 1):
        game = games.find(game_id, version)
        assert game is not None
        assert (game_id, version) == (game.ID, game.RULES_VERSION)
    newest = games.find(game_id)
    assert newest is games.find(game_id, len(games._MODULES[game_id]))
    assert games.find(game_id, 0) is None
    assert games.find(game_id, len(games._MODULES[game_id]) + 1) is None


def test_the_rules_of_a_match_are_those_of_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    deploy(monkeypatch, *SECOND)
    match = started()
    assert rules(match).RULES_VERSION == 2
    assert rules(match._replace(rules_version=1)).RULES_VERSION == 1
