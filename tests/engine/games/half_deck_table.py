"""Half-Deck Poker with cards of one's choice: what the tests of its rounds and of its payouts share."""

from typing import Any

from engine import deal, games
from engine.games import half_deck_poker as half_deck
from engine.games import options
from engine.games.half_deck_poker import State
from engine.games.protocol import Step
from engine.types import Action

CHANCE = deal.chance(bytes(32), "mat", "half-deck-poker@1", [b"", b""])
CALL, FOLD = "call", "fold"
SWAP: Action = {"type": "swap", "swap": True}
STAY: Action = {"type": "swap", "swap": False}


def begin(first: tuple[int, int] = (8, 4), second: tuple[int, int] = (2, 9), **given: Any) -> State:
    """A match whose first deal has these cards: Alpha and Beta of seat 0, Alpha and Beta of seat 1."""
    state = half_deck.new(options.complete(half_deck.OPTIONS, given, 2), 2, CHANCE)
    rest = [card for card in range(1, 11) if card not in first + second]
    return state._replace(deal=(*first, *second, *rest))


def rich(state: State, *stacks: int) -> State:
    return state._replace(stacks=(stacks[0], stacks[1]))


def apply(state: State, **choices: Action) -> Step[State]:
    return games.apply(half_deck, state, {int(seat[1:]): action for seat, action in choices.items()}, CHANCE)


def bet(state: State, first: int, second: int) -> State:
    return apply(state, s0={"type": "raise", "chips": first}, s1={"type": "raise", "chips": second}).state


def swap(state: State, does: bool) -> State:
    (seat,) = half_deck.pending(state)
    return apply(state, **{f"s{seat}": SWAP if does else STAY}).state


def close(state: State, first: str, second: str) -> Step[State]:
    return apply(state, s0={"type": first}, s1={"type": second})


def payout(step: Step[State]) -> dict[str, Any]:
    (event,) = [event for event in step.events if event.type == "payout"]
    return dict(event.data)


def play(state: State, raises: tuple[int, int], swaps: bool | None, answers: tuple[str, str]) -> Step[State]:
    state = bet(state, *raises)
    if swaps is not None:
        state = swap(state, swaps)
    return close(state, *answers)
