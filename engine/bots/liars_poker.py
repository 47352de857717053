"""Plays Liar's Poker by the odds of its own digits, and takes a bid of others as a hint that they hold the digit."""

from functools import cache

from engine.deal import Stream
from engine.games.liars_odds import ways_to_hold
from engine.games.protocol import Legal
from engine.types import Action, Data

_MILLION = 1_000_000
_SAFE = 650_000
"""A bid that holds with this chance, in millionths, is worth making for the pressure that it puts on the next seat."""

_LOOK_AHEAD = 30
"""How many of the next higher bids are considered: three counts of each digit."""

_BLUFF_ONE_IN = 12


def choose(view: Data, legal: Legal, stream: Stream) -> Action:
    """The highest safe bid; else whatever loses least, the best bid or the answer to the standing one. Now and then it
    bids the next higher one whatever it holds, so that its bids don't give its digits away."""
    bids = [action for action in legal.actions[:_LOOK_AHEAD] if action["type"] == "bid"]
    answer = None if legal.actions[-1]["type"] == "bid" else legal.actions[-1]
    if answer is None:
        return _best(view, bids)
    standing = view["bids"][-1]
    if not bids:
        return answer
    if stream.below(_BLUFF_ONE_IN) == 0 and _chance(view, bids[0]) > _SAFE // 3:
        return bids[0]
    best = _best(view, bids)
    others = len(view["net"]) - 1
    if answer["type"] == "stand":
        return best if _chance(view, best) > _chance(view, standing) else answer
    raising = others * (2 * _chance(view, best) - _MILLION)
    challenging = _MILLION - 2 * _chance(view, standing)
    return best if raising > challenging else answer


def _best(view: Data, bids: list[Action]) -> Action:
    safe = [bid for bid in bids if _chance(view, bid) >= _SAFE]
    return safe[-1] if safe else max(bids, key=lambda bid: _chance(view, bid))


def _chance(view: Data, bid: Data) -> int:
    """How likely the bid holds, in millionths."""
    digit = bid["digit"]
    own = view["serial"].count(str(digit))
    hints = len({other["seat"] for other in view["bids"] if other["digit"] == digit and other["seat"] != view["seat"]})
    unseen = len(view["serial"]) * (len(view["net"]) - 1)
    return _holds(unseen - hints, bid["count"] - own - hints)


@cache
def _holds(unseen: int, missing: int) -> int:
    all_ways: int = 10**unseen
    return _MILLION * ways_to_hold(unseen, missing) // all_ways
