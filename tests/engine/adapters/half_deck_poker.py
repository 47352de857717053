"""Half-Deck Poker for the suites over all games (rules/half-deck-poker.md)."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from random import Random
from typing import Any

from engine.deal import Chance, Stream
from engine.games.half_deck_poker import State
from engine.types import Action, Json, Options, Seat
from tests.engine.adapters import Changed, Moment, Relabelling, Twin, as_stream

CLOCK_ONLY: frozenset[str] = frozenset()

_OTHER_SIDE = (3, 2, 1, 0, 7, 8, 9, 4, 5, 6)
"""Where each place of the deal is found from the other side of the table, where Alpha is Beta."""
_KNOWN = {0: (0, 1, 4, 5, 6), 1: (2, 3, 7, 8, 9), None: ()}
"""The places of the deal that a viewer sees."""


def relabellings(options: Options, seats: int) -> Iterator[Relabelling]:
    """Seat 0's left is Alpha, seat 1's left is Beta: from the other side the table looks the same."""

    def turned(chance: Chance) -> Chance:
        def stream(label: str) -> Stream:
            return as_stream(Changed(chance(label), order=lambda items: tuple(items[place] for place in _OTHER_SIDE)))

        return stream

    yield Relabelling((1, 0), lambda action: action, turned)


def totals(state: State) -> Json:
    """Stacks and bank add up to twice `start_chips`; no stack is negative; every round but the last costs two chips
    or more, and none brings any in."""
    stacks = [(state.options["start_chips"],) * 2, *(done.stacks for done in state.finished)]
    costs = [sum(before) - sum(after) for before, after in pairwise(stacks)]
    bank = state.options["start_chips"] * 2 - sum(stacks[-1])
    return [
        sum(state.stacks) + bank,
        all(chips >= 0 for pair in [*stacks, state.stacks] for chips in pair),
        all(cost >= 2 for cost in costs[:-1]) and all(cost >= 0 for cost in costs),
    ]


def parts(state: State, seat: Seat, action: Action) -> Mapping[str, list[Json]]:
    """No action has optional parts."""
    return {}


def worlds(state: State, viewer: Seat | None, rng: Random) -> Iterator[State]:
    """A seat sees its own two cards and three more; where the other five lie, it learns at the payout."""
    for _ in range(2 if state.deal else 0):
        yield state._replace(deal=_redealt(state.deal, viewer, rng))


def twins(moment: Moment, chance: Chance, viewer: Seat | None, rng: Random) -> Iterator[Twin]:
    """A payout shows all cards of its round, and the next deal again five to each seat."""
    state, choices, step = moment
    if len(step.state.finished) == len(state.finished):
        for world in worlds(state, viewer, rng):
            yield Twin(world, choices, chance)
        return

    def redealt(label: str) -> Stream:
        return as_stream(Changed(chance(label), order=lambda items: _redealt(items, viewer, rng)))

    yield Twin(state, choices, redealt)


def _redealt(deal: tuple[Any, ...], viewer: Seat | None, rng: Random) -> tuple[Any, ...]:
    hidden = [place for place in range(len(deal)) if place not in _KNOWN[viewer]]
    cards = [deal[place] for place in hidden]
    rng.shuffle(cards)
    fresh = dict(zip(hidden, cards, strict=True))
    return tuple(fresh.get(place, card) for place, card in enumerate(deal))
