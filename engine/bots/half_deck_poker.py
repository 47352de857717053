"""The house bot of Half-Deck Poker: five cards are known, so the opponent holds two of the other five.

It weighs each choice over the twenty ways in which these may lie opposite, all equally likely.
"""

from collections.abc import Iterator
from itertools import permutations

from engine.deal import Stream
from engine.games.half_deck_settlement import Pair, Showdown, settle
from engine.games.protocol import Legal
from engine.types import Action, Data, Seat

_BLUFF = 8
"""One raise in so many is made as if the card were the best."""
_SHARES = (0, 0, 0, 8, 4, 2)
"""The part of the smaller stack to raise (2: a half; 0: none), by how many of the five unknown cards are lower."""


def choose(view: Data, legal: Legal, stream: Stream) -> Action:
    """A raise by the strength of the left card; then the swap, call or fold that is worth most."""
    if view["phase"] == "raising":
        return _raise(view, legal, stream)
    if view["phase"] == "swapping":
        return max(legal.actions, key=lambda action: _worth_of_swap(view, bool(action["swap"])))
    cards: Pair = (view["cards"]["alpha"], view["cards"]["beta"])
    return max(legal.actions, key=lambda action: _worth(view, cards, view["swapper"], action["type"] == "fold"))


def _raise(view: Data, legal: Legal, stream: Stream) -> Action:
    left = view["cards"]["alpha" if view["seat"] == 0 else "beta"]
    lower = sum(card < left for card in _unknown(view))
    share = _SHARES[5 if stream.below(_BLUFF) == 0 else lower]
    most = min(view["stacks"]) // share if share else 0
    chips = most - stream.below(most // 2 + 1)
    lowest: int = legal.actions[0]["chips"]
    return legal.actions[max(0, chips - lowest)]


def _unknown(view: Data) -> list[int]:
    known = {view["cards"]["alpha"], view["cards"]["beta"], *view["seen"]}
    return [card for card in range(1, 11) if card not in known]


def _worth_of_swap(view: Data, swap: bool) -> int:
    alpha, beta = view["cards"]["alpha"], view["cards"]["beta"]
    seat: Seat = view["seat"]
    answers = (False, True) if view["raises"][1 - seat] else (False,)
    if swap:
        return max(_worth(view, (beta, alpha), seat, folds) for folds in answers)
    return max(_worth(view, (alpha, beta), None, folds) for folds in answers)


def _worth(view: Data, cards: Pair, swapper: Seat | None, folds: bool) -> int:
    """What a choice leaves the bot ahead by, summed over what may lie opposite and how that may be answered."""
    seat: Seat = view["seat"]
    raises: Pair = (view["raises"][0], view["raises"][1])
    stacks: Pair = (view["stacks"][0], view["stacks"][1])
    total = 0
    for other, weight, other_folds in _opposite(view, raises[seat] > 0):
        both = (cards, other) if seat == 0 else (other, cards)
        folded = (folds, other_folds) if seat == 0 else (other_folds, folds)
        left = settle(stacks, Showdown(both, raises, swapper, folded)).stacks
        total += weight * _lead(left, seat, sum(stacks))
    return total


def _opposite(view: Data, may_fold: bool) -> Iterator[tuple[Pair, int, bool]]:
    """What may lie opposite and how it answers, with a weight: the lower the card against the raise, the more folds."""
    for alpha, beta in permutations(_unknown(view), 2):
        against = alpha if view["seat"] == 0 else beta
        yield (alpha, beta), against if may_fold else 10, False
        if may_fold:
            yield (alpha, beta), 10 - against, True


def _lead(stacks: Pair, seat: Seat, prize: int) -> int:
    """The difference in chips; a win or a loss of the match counts as all chips."""
    if all(stacks):
        return stacks[seat] - stacks[1 - seat]
    return prize * ((stacks[seat] > 0) - (stacks[1 - seat] > 0))
