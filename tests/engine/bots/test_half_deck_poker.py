from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine import deal, games
from engine.bots import Bot, half_deck_poker, random_legal
from engine.games import half_deck_poker as game
from engine.games import options
from engine.games.protocol import Legal
from engine.types import Action
from tests.engine.bots.duels import duel

CHANCE = deal.chance(bytes(32), "mat", "half-deck-poker@1", [b"", b""])


def begin(cards: tuple[int, int], seen: tuple[int, int, int], **given: Any) -> game.State:
    """A match in which seat 0 has these cards at Alpha and Beta and sees these three."""
    state = game.new(options.complete(game.OPTIONS, given, 2), 2, CHANCE)
    rest = [card for card in range(1, 11) if card not in cards + seen]
    return state._replace(deal=(*cards, *rest[:2], *seen, *rest[2:]))


def bet(state: game.State, first: int, second: int) -> game.State:
    raises = {0: {"type": "raise", "chips": first}, 1: {"type": "raise", "chips": second}}
    return games.apply(game, state, raises, CHANCE).state


def choice(state: game.State, label: str = "x") -> Action:
    return half_deck_poker.choose(game.view(state, 0), game.legal_actions(state, 0), CHANCE(label))


def always_calling(view: Any, legal: Legal, stream: deal.Stream) -> Action:
    return legal.actions[-1 if view["phase"] == "swapping" else 0]


def always_folding(view: Any, legal: Legal, stream: deal.Stream) -> Action:
    return legal.actions[0 if view["phase"] == "raising" else -1]


def test_it_clearly_beats_the_random_legal_player() -> None:
    tally = duel("half-deck-poker", half_deck_poker, random_legal, 200)
    assert tally.won > 170, tally


@pytest.mark.parametrize("rival", [always_calling, always_folding])
def test_it_clearly_beats_players_that_mind_no_cards(rival: Any) -> None:
    tally = duel("half-deck-poker", half_deck_poker, cast(Bot, SimpleNamespace(choose=rival)), 60)
    assert tally.won > 45, tally


@pytest.mark.parametrize("given", [{"start_chips": 10}, {"start_chips": 200}, {"min_raise": 0}])
def test_it_beats_the_random_legal_player_under_other_options(given: dict[str, Any]) -> None:
    tally = duel("half-deck-poker", half_deck_poker, random_legal, 60, **given)
    assert tally.won > 45, tally


def test_it_raises_more_on_a_card_that_can_not_lose() -> None:
    sure, weak = begin((10, 4), (1, 2, 3)), begin((4, 10), (1, 2, 3))
    sums = [sum(choice(state, str(number))["chips"] for number in range(50)) for state in (sure, weak)]
    assert sums[0] > 3 * sums[1]


def test_it_bluffs_at_times_and_raises_the_least_else_on_a_weak_card() -> None:
    chips = [choice(begin((4, 10), (1, 2, 3)), str(number))["chips"] for number in range(100)]
    assert chips.count(1) > 70
    assert max(chips) > 5


def test_it_calls_with_a_card_that_can_not_lose_and_folds_one_that_can_not_win() -> None:
    state = bet(begin((5, 10), (1, 2, 3)), 6, 6)
    assert choice(state) == {"type": "call"}
    state = bet(begin((10, 4), (1, 2, 3)), 6, 6)
    assert choice(state) == {"type": "fold"}


def test_it_swaps_a_sure_card_to_where_it_has_bet() -> None:
    assert choice(bet(begin((4, 10), (1, 2, 3)), 12, 1)) == {"type": "swap", "swap": True}
    assert choice(bet(begin((10, 4), (1, 2, 3)), 12, 1)) == {"type": "swap", "swap": False}


def test_the_cards_opposite_change_nothing() -> None:
    state = bet(begin((5, 8), (1, 2, 3)), 3, 6)
    state = games.apply(game, state, {1: {"type": "swap", "swap": False}}, CHANCE).state
    for alpha, beta in ((4, 6), (10, 9), (7, 10)):
        rest = [card for card in (4, 6, 7, 9, 10) if card not in (alpha, beta)]
        other = state._replace(deal=(5, 8, alpha, beta, 1, 2, 3, *rest))
        assert choice(other) == choice(state)
