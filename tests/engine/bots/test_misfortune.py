from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine import deal, games
from engine.bots import Bot, misfortune, random_legal
from engine.games import misfortune as game
from engine.games import options
from engine.games.protocol import Legal
from engine.types import Action
from tests.engine.bots.duels import duel

CHANCE = deal.chance(bytes(32), "mat", "misfortune@1", [b"", b""])


def choice(state: game.State, seat: int, label: str = "x") -> Action:
    return misfortune.choose(game.view(state, seat), game.legal_actions(state, seat), CHANCE(label))


def after(*rounds: tuple[str, str, str, str], **given: Any) -> game.State:
    """A match after rounds of: seat 0's rank and claim, seat 1's rank and claim."""
    state = game.new(options.complete(game.OPTIONS, given, 2), 2, CHANCE)
    for rank0, claim0, rank1, claim1 in rounds:
        plays = {
            0: {"type": "play", "card": rank0 + "c", "claim": claim0},
            1: {"type": "play", "card": rank1 + "h", "claim": claim1},
        }
        state = games.apply(game, state, plays, CHANCE).state
    return state


def without_prayers(view: Any, legal: Legal, stream: deal.Stream) -> Action:
    kept = [action for action in legal.actions if action["claim"] != "equal"]
    return kept[stream.below(len(kept))]


def test_it_clearly_beats_the_random_legal_player() -> None:
    tally = duel("misfortune", misfortune, random_legal, 300)
    assert tally.won > 250, tally


def test_it_clearly_beats_a_random_player_that_never_prays() -> None:
    rival = cast(Bot, SimpleNamespace(choose=without_prayers))
    tally = duel("misfortune", misfortune, rival, 300)
    assert tally.won > 220, tally


@pytest.mark.parametrize(
    "given", [{"ace": "high"}, {"recall": "event-only"}, {"leftover": "showdown"}, {"prayer_from_round": 13}]
)
def test_it_beats_the_random_legal_player_under_other_options(given: dict[str, Any]) -> None:
    tally = duel("misfortune", misfortune, random_legal, 100, **given)
    assert tally.won > 60, tally


TWELVE_EQUAL = [(rank, "higher", rank, "higher") for rank in "A23456789TJQ"]


def test_it_prays_when_the_only_card_left_is_equal() -> None:
    state = after(*TWELVE_EQUAL)
    assert all(choice(state, seat)["claim"] == "equal" for seat in (0, 1))


def test_it_does_not_pray_when_the_opponents_last_card_is_another_one() -> None:
    state = after(*TWELVE_EQUAL[:11], ("Q", "higher", "K", "higher"))
    for seat in (0, 1):
        assert all(choice(state, seat, str(number))["claim"] != "equal" for number in range(20))


def test_it_prays_as_a_last_hope_when_the_cards_can_no_longer_win() -> None:
    ahead = list(zip("3456789TJQK", "23456789TJQ", strict=True))
    state = after(*[(mine, "higher", theirs, "higher") for mine, theirs in ahead])
    assert state.collected == (22, 0)
    assert choice(state, 1) == {"type": "play", "card": "Ah", "claim": "equal"}
    assert choice(state, 0)["claim"] != "equal"


def test_it_counts_shown_cards_and_not_hidden_ones() -> None:
    """All of the opponent's cards above the nine are out: the ten is surely higher, and is mostly said to be so."""
    shown = [(mine, "lower", theirs, "lower") for mine, theirs in zip("2345", "TJQK", strict=True)]
    state = after(*shown, ("6", "lower", "A", "higher"))
    choices = [choice(state, 0, str(number)) for number in range(200)]
    tens = [play["claim"] for play in choices if play["card"] in ("Tc", "Jc", "Qc", "Kc")]
    assert tens
    assert tens.count("higher") > 0.7 * len(tens)
    hidden = after(*shown, ("6", "lower", "9", "higher"))
    assert [choice(hidden, 0, str(number)) for number in range(200)] == choices


def test_it_bluffs_at_times() -> None:
    state = after(("7", "lower", "6", "higher"))
    claims = {(play["card"], play["claim"]) for play in (choice(state, 0, str(number)) for number in range(300))}
    assert {("Kc", "higher"), ("Kc", "lower")} <= claims


def test_the_same_view_and_stream_give_the_same_choice() -> None:
    state = after(("7", "lower", "6", "higher"))
    assert all(choice(state, 1, str(number)) == choice(state, 1, str(number)) for number in range(20))
