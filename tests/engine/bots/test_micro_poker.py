"""The house bot for Micro Poker: legal everywhere, plausible as a stranger, and a better tourist than chance."""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from engine import deal, games
from engine.bots import Bot, micro_poker, random_legal
from engine.games import micro_poker as game
from engine.games.micro_state import State
from engine.types import Action, Seat
from tests.engine.games.micro_rig import GAME, HONEST, LIAR, accuse, declared, laid, options, say, trust

CHANCE = deal.chance(bytes(32), "mat", "micro-poker@1", [b""] * 3)


def choice(state: State, seat: Seat, label: str = "x") -> Action:
    return micro_poker.choose(game.view(state, seat), game.legal_actions(state, seat), CHANCE(label))


def choices(state: State, seat: Seat, number: int = 200) -> list[Action]:
    return [choice(state, seat, f"x/{i}") for i in range(number)]


def play(bots: Sequence[Bot], number: int, **given: Any) -> State:
    """The end of a match between these bots, by seat. All chance follows from its number."""
    chance = deal.chance(bytes(32), f"duel-{number}", "micro-poker@1", [b""] * len(bots))
    state, turn = game.new(options(len(bots), **given), len(bots), chance), 0
    while asked := game.pending(state):
        turn += 1
        chosen = {
            seat: bots[seat].choose(
                game.view(state, seat), game.legal_actions(state, seat), chance(f"bot/seat={seat}/turn={turn}")
            )
            for seat in asked
        }
        state = games.apply(GAME, state, chosen, chance).state
    return state


@pytest.mark.parametrize(
    ("seats", "given", "matches", "least"),
    [
        # A seat that played no better than the others would win 67, 50, 30 and 25 of these.
        (3, {}, 200, 140),
        (4, {}, 200, 105),
        (5, {}, 150, 60),
        (6, {}, 150, 42),
        # And here 33, 33, 25 and 33.
        (3, {"scoring": "trust-only"}, 100, 58),
        (3, {"declaration": "category-rank"}, 100, 70),
        (4, {"table_talk": "none"}, 100, 52),
        (3, {"hand_rule": "chosen-only", "joker_hand": "blank"}, 100, 70),
    ],
)
def test_it_clearly_beats_random_legal_players(seats: int, given: dict[str, Any], matches: int, least: int) -> None:
    won = 0
    for number in range(matches):
        own = number % seats
        bots: list[Bot] = [random_legal] * seats
        bots[own] = micro_poker
        ranks = game.standing(play(bots, number, **given)).ranks
        won += ranks[own] == 1 and ranks.count(1) == 1
    assert won >= least


@pytest.mark.parametrize("seats", range(3, 7))
def test_it_plays_every_table_to_the_end_and_legally(seats: int) -> None:
    values = [getattr(option, "values", (0, 2)) for option in game.OPTIONS[:-1]]
    for number, row in enumerate(product(*values)):
        given = dict(zip((option.name for option in game.OPTIONS), row, strict=False))
        assert play([micro_poker] * seats, number, **given, max_turns=seats).ended


def test_the_same_draws_make_the_same_choice() -> None:
    state = laid("2dAd", HONEST, LIAR)
    assert choices(state, 2, 20) == choices(state, 2, 20)


def test_honest_it_tells_the_truth_about_everybody() -> None:
    assert choice(laid("2dAd", HONEST, LIAR), 1) == say("pair", seat2="pair")


def test_at_a_table_without_talk_it_makes_no_remarks() -> None:
    assert choice(laid("2dAd", HONEST, LIAR, table_talk="none"), 1) == say("pair")


def test_a_liar_claims_what_is_likely() -> None:
    said = Counter(action["hand"] for action in choices(laid("2dAd", HONEST, "4h9cTs"), 2))
    assert "high-card" not in said
    assert said["pair"] > 100
    assert said["straight-flush"] + said["three-of-a-kind"] < 20


def test_with_ranks_a_liar_does_not_claim_what_nobody_can_hold() -> None:
    said = choices(laid("2dAd", HONEST, "4h9c4s", declaration="category-rank"), 2)
    assert not {(a["hand"], a["rank"]) for a in said} & {("high-card", "2"), ("high-card", "3"), ("straight", "2")}
    assert len({(a["hand"], a["rank"]) for a in said}) > 10


def test_a_free_stranger_tells_the_truth_that_will_be_believed() -> None:
    said = choices(laid("2dAd", HONEST, "4h9cX1", joker_hand="blank"), 2, 20)
    assert {action["hand"] for action in said} == {"high-card"}
    assert all(action["remarks"] == [{"seat": 1, "hand": "pair"}] for action in said)


def test_a_free_stranger_that_nobody_would_believe_lies_about_everybody() -> None:
    said = choices(laid("2dAd", HONEST, "4h4cX1"), 2, 50)
    lies = [action for action in said if action["hand"] != "three-of-a-kind"]
    assert len(lies) > 25
    assert all(remark["hand"] != "pair" for action in lies for remark in action["remarks"])


@pytest.mark.parametrize("scoring", ["base", "trust-only"])
def test_the_tourist_trusts_strangers_who_bear_each_other_out(scoring: str) -> None:
    state = laid("2d3d", "7dThJc", "4h9cTs", "5d8hQc", scoring=scoring, jokers=0)
    said = say("high-card"), say("straight-flush"), say("high-card", seat1="high-card")
    assert choice(declared(state, *said), 0) in (trust(1), trust(3))


@pytest.mark.parametrize("scoring", ["base", "trust-only"])
def test_the_tourist_would_rather_accuse_an_evident_liar_than_trust_a_word_that_nobody_bears_out(scoring: str) -> None:
    state = laid("2d3d", "7dThJc", "4h9cTs", scoring=scoring, jokers=0, banks=("2h3h", "", ""))
    assert choice(declared(state, say("high-card"), say("straight-flush")), 0) == accuse(2)


def test_the_tourist_accuses_who_boasts() -> None:
    state = declared(laid("2dAd", "7dTh8c", "4h9cTs"), say("straight"), say("straight-flush"))
    assert choice(state, 0)["type"] == "accuse"


def test_a_tourist_that_holds_faces_itself_believes_less() -> None:
    said = say("high-card"), say("pair")
    without = declared(laid("2d3d", "7dThJc", "4h9cTs", jokers=0), *said)
    honest, total = micro_poker._honesty(game.view(without, 0))
    held = declared(laid("KdKc", "7dThJc", "4h9cTs", jokers=0), *said)
    fewer, of = micro_poker._honesty(game.view(held, 0))
    assert fewer[1] * total < honest[1] * of


def test_remarks_that_contradict_a_declaration_make_it_less_likely() -> None:
    hands = ("2d3d", "7dTh4c", "4h9cJs", "5h8cTc")
    silent = declared(laid(*hands), say("pair"), say("high-card"), say("pair"))
    spoken = declared(laid(*hands), say("pair"), say("high-card", seat1="high-card"), say("pair"))
    before, total = micro_poker._honesty(game.view(silent, 0))
    after, of = micro_poker._honesty(game.view(spoken, 0))
    assert after[1] * total < before[1] * of
    assert after[2] * total > before[2] * of
