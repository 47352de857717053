"""The house bot for Micro Poker: believes what is likely, and lies likewise.

It knows how often hands and roles come up, and nothing of the others' habits. All weights are integers, so that it
chooses the same on every machine.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from engine.cards import RANKS, is_face, is_joker
from engine.deal import Stream
from engine.games.protocol import Legal
from engine.types import Action, Data, Seat

Said: TypeAlias = tuple[str, str | None]
"""A claim about a hand: category, and rank where the table declares it."""

_HANDS = ("high-card", "pair", "flush", "straight", "three-of-a-kind", "straight-flush")
_FREQUENCIES = {
    0: (16440, 3744, 1096, 720, 52, 48),
    1: (16440, 4380, 1308, 1020, 130, 148),
    2: (16440, 5016, 1520, 1320, 208, 300),
}
"""Three-card hands by category and number of wild jokers (rules/micro-poker.md, "Fixtures")."""

_HIGHEST = tuple(i * (i - 1) // 2 for i in range(len(RANKS)))
_SPREAD = {
    "high-card": _HIGHEST,
    "flush": _HIGHEST,
    "pair": (1,) * 13,
    "three-of-a-kind": (1,) * 13,
    "straight": (0, *(1,) * 12),
    "straight-flush": (0, *(1,) * 12),
}
"""How a category's hands are spread over the ranks that lead them, from the two to the ace."""

_COMMON = 1716
"""A multiple of the sum of every spread."""

_SCALE = 1 << 20
"""A likelihood of 1."""


def choose(view: Data, legal: Legal, stream: Stream) -> Action:
    """The bot's action, one of the legal ones, for the seat that the view belongs to."""
    if view["phase"] == "decision":
        return _decide(view, legal, stream)
    return _declare(view, legal, stream)


def _said(claim: Data) -> Said:
    return claim["hand"], claim.get("rank")


def _odds(options: Data) -> dict[Said, int]:
    """How often a hand is truly worth each claim."""
    wild = options["jokers"] if options["joker_hand"] == "wild" else 0
    odds: dict[Said, int] = {}
    for hand, weight in zip(_HANDS, _FREQUENCIES[wild], strict=True):
        if options["declaration"] == "category":
            odds[hand, None] = weight
            continue
        part = weight * _COMMON // sum(_SPREAD[hand])
        odds.update({(hand, rank): part * share for rank, share in zip(RANKS, _SPREAD[hand], strict=True)})
    return odds


def _lie(odds: Mapping[Said, int], said: Said, true: Said, total: int) -> int:
    """The likelihood of a lie about a hand: half of all liars say what is likely, half say anything."""
    return _SCALE * odds[said] // (2 * (total - odds[true])) + _SCALE // (2 * (len(odds) - 1))


def _draws(view: Data) -> tuple[int, int]:
    """How often a stranger that the viewer can't see is honest, and how often lying: a free one is either."""
    own = view["cards"] if view["seat"] == view["tourist"] else ()
    faces = 12 - sum(map(is_face, own))
    jokers = view["options"]["jokers"] - sum(map(is_joker, own))
    unseen = 52 + view["options"]["jokers"] - len(own)
    honest = 2 * faces + jokers
    return honest, 2 * unseen - honest


def _decide(view: Data, legal: Legal, stream: Stream) -> Action:
    honest, total = _honesty(view)

    def value(action: Action) -> int:
        seat = action["seat"]
        gains = [_net(view, seat, action["type"], lying)[0] for lying in (False, True)]
        return honest[seat] * gains[0] + (total - honest[seat]) * gains[1]

    best = max(map(value, legal.actions))
    return _one_of([action for action in legal.actions if value(action) == best], stream)


def _honesty(view: Data) -> tuple[dict[Seat, int], int]:
    """The weight of all cases in which a stranger is honest, by seat, and of all cases."""
    odds = _odds(view["options"])
    declared = {said["seat"]: _said(said) for said in view["declarations"]}
    about: dict[Seat, list[tuple[Seat, Said]]] = {seat: [] for seat in declared}
    for said in view["declarations"]:
        for remark in said.get("remarks", ()):
            about[remark["seat"]].append((said["seat"], _said(remark)))
    prior = _draws(view)
    honest = dict.fromkeys(declared, 0)
    total = 0
    for case in product((True, False), repeat=len(declared)):
        is_honest = dict(zip(declared, case, strict=True))
        weight = 1
        for seat, claim in declared.items():
            weight *= prior[0 if is_honest[seat] else 1]
            told = [(is_honest[seat], claim), *((is_honest[by], remark) for by, remark in about[seat])]
            weight *= _likelihood(odds, told)
            if not weight:
                break
        total += weight
        for seat in declared:
            honest[seat] += weight if is_honest[seat] else 0
    return honest, total


def _likelihood(odds: Mapping[Said, int], told: Sequence[tuple[bool, Said]]) -> int:
    """The likelihood of all that is said of one hand, each by somebody who is honest or not."""
    truths: Iterable[Said] = {said for honest, said in told if honest} or odds
    total = sum(odds.values())
    likelihood = 0
    for true in truths:
        weight = odds[true]
        for honest, said in told:
            if honest is not (said == true):
                break
            weight *= _SCALE if honest else _lie(odds, said, true, total)
        else:
            likelihood += weight
    return likelihood


def _net(view: Data, stranger: Seat, decision: str, lying: bool) -> tuple[int, int]:
    """What a decision is worth to the tourist and to the stranger: own cards, less what the other gets of them.

    In units of 1 / (seats − 1) cards: of the other's gain each opponent has that share.
    """
    banks = view["banks"]
    lost, taken = min(banks[view["tourist"]], 1), min(banks[stranger], 1)
    if view["options"]["scoring"] == "base":
        cards = {("trust", False): (3, 3), ("trust", True): (-lost, 4)}
        cards |= {("accuse", True): (1, -taken), ("accuse", False): (-lost, 1)}
    else:
        cards = {("trust", False): (2, 3), ("trust", True): (0, 3)}
        cards |= {("accuse", True): (0, 0), ("accuse", False): (-lost, 0)}
    tourist, other = cards[decision, lying]
    others = len(banks) - 1
    return tourist * others - other, other * others - tourist


def _declare(view: Data, legal: Legal, stream: Stream) -> Action:
    odds = _odds(view["options"])
    (me,) = (stranger for stranger in view["strangers"] if stranger["seat"] == view["seat"])
    true = _said(me["best"])
    lies = [action for action in legal.actions if _said(action) != true]
    action = _likely(odds, lies, stream) if lies else legal.actions[0]
    offered = legal.optional.get("remarks", [])
    if me["role"] == "free":
        honest = next(action for action in legal.actions if _said(action) == true)
        if _worth(view, odds, honest, False) >= _worth(view, odds, action, True):
            action = honest
        if view["remarks"]:
            offered = view["remarks"]["honest" if action is honest else "lying"]
    remarks = _remarks(odds, offered, stream)
    return {**action, "remarks": remarks} if remarks else action


def _worth(view: Data, odds: Mapping[Said, int], action: Action, lying: bool) -> int:
    """What a free stranger may expect of a declaration, if it is trusted as often as such a one is honest."""
    prior = _draws(view)
    believed, doubted = (p * _likelihood(odds, [(h, _said(action))]) for p, h in zip(prior, (True, False), strict=True))
    trusted = _net(view, view["seat"], "trust", lying)[1]
    accused = _net(view, view["seat"], "accuse", lying)[1]
    return (believed * trusted + doubted * accused) * _SCALE // (believed + doubted)


def _remarks(odds: Mapping[Said, int], offered: Sequence[Data], stream: Stream) -> list[Data]:
    """One remark on each seat that may be talked about."""
    by_seat: dict[Seat, list[Data]] = {}
    for remark in offered:
        by_seat.setdefault(remark["seat"], []).append(remark)
    return [_likely(odds, choices, stream) for _, choices in sorted(by_seat.items())]


def _likely(odds: Mapping[Said, int], choices: Sequence[Data], stream: Stream) -> Data:
    """One of the choices, drawn as often as a hand is worth what it claims."""
    weights = [odds[_said(choice)] + 1 for choice in choices]
    drawn = stream.below(sum(weights))
    for choice, weight in zip(choices, weights, strict=True):
        if drawn < weight:
            return choice
        drawn -= weight
    raise AssertionError("the weights add up to more than was drawn")


def _one_of(choices: Sequence[Action], stream: Stream) -> Action:
    return choices[stream.below(len(choices))]
