"""The house bot of Misfortune: counts the cards that the opponent can still hold, and what they say of a claim.

It knows what its view shows. Where shown cards do not stay in view it plays without a memory, as its view does.
"""

from typing import NamedTuple

from engine.deal import Stream
from engine.games.misfortune import ORDERS, PRAYER, ROUNDS
from engine.games.protocol import Legal
from engine.types import Action, Data, Seat

_BLUFF = 8
"""One claim in so many is the less likely one."""
_RICH = 2
"""So many cards face down are worth a card whose claim is nearly sure."""


class _Odds(NamedTuple):
    """How many of the cards that the opponent may have laid are below a card, equal to it, and above it."""

    below: int
    equal: int
    above: int


def choose(view: Data, legal: Legal, stream: Stream) -> Action:
    """A prayer when it is sure, or the last hope; else a likely claim, the surer the more lies on the table."""
    odds = {card: _odds(view, card) for card in view["hand"]}
    prayers = [action for action in legal.actions if action["claim"] == PRAYER]
    if prayers:
        best = max(prayers, key=lambda action: odds[action["card"]].equal)
        if _is_sure(odds[best["card"]]) or (_is_lost(view) and odds[best["card"]].equal):
            return best
    card = _card(view, odds, stream)
    is_higher = odds[card].below >= odds[card].above
    if stream.below(_BLUFF) == 0:
        is_higher = not is_higher
    claim = "higher" if is_higher else "lower"
    return next(action for action in legal.actions if (action["card"], action["claim"]) == (card, claim))


def _odds(view: Data, card: str) -> _Odds:
    order = ORDERS[view["ace"]]
    other: Seat = 1 - view["seat"]
    seen = {done["cards"][other][0] for done in view["played"] if done["cards"][other] is not None}
    own = order.index(card[0])
    unseen = [place for place, rank in enumerate(order) if rank not in seen]
    return _Odds(sum(p < own for p in unseen), sum(p == own for p in unseen), sum(p > own for p in unseen))


def _is_sure(odds: _Odds) -> bool:
    return odds.equal > 0 and odds.below + odds.above == 0


def _is_lost(view: Data) -> bool:
    """Whether all cards that no conflict has collected would not be enough."""
    collected, seat = view["collected"], view["seat"]
    return bool(collected[seat] + 2 * ROUNDS - sum(collected) < collected[1 - seat])


def _card(view: Data, odds: dict[str, _Odds], stream: Stream) -> str:
    """One of the surest cards when much lies on the table, else one of the least sure."""
    cards = sorted(odds, key=lambda card: abs(odds[card].below - odds[card].above))
    few = 1 + len(cards) // 3
    candidates = cards[-few:] if view["face_down"] >= _RICH else cards[:few]
    return candidates[stream.below(len(candidates))]
