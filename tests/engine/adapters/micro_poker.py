"""Micro Poker for the suites over all games (rules/micro-poker.md), with hands looked at in the slow and plain way."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from random import Random
from typing import Any, TypeAlias, cast

from engine.deal import Chance, Stream
from engine.errors import IllegalAction
from engine.games import micro_poker
from engine.types import Action, Json, Options, Seat
from tests.engine.adapters import Changed, Moment, Relabelling, Twin, as_stream

CLOCK_ONLY = frozenset({"pass"})

Claim: TypeAlias = tuple[tuple[str, str], ...]
"""The fields of a claim and their values."""

_CATEGORIES = ("high-card", "pair", "flush", "straight", "three-of-a-kind", "straight-flush")
_RANKS = "23456789TJQKA"
_CARDS = tuple(rank + suit for suit in "cdhs" for rank in _RANKS)


def relabellings(options: Options, seats: int) -> Iterator[Relabelling]:
    """The order of turns is a circle: every seat may move on by the same number of places."""
    for places in (1, seats - 1):
        yield _turned(seats, places)


def _turned(seats: int, places: int) -> Relabelling:
    def deal(cards: tuple[str, ...]) -> tuple[str, ...]:
        pairs = [cards[2 * seat : 2 * seat + 2] for seat in range(seats)]
        turned = [pairs[(seat - places) % seats] for seat in range(seats)]
        return (*(card for pair in turned for card in pair), *cards[2 * seats :])

    def turn(chance: Chance) -> Chance:
        def stream(label: str) -> Stream:
            if label == "micro/first":
                return as_stream(Changed(chance(label), below=lambda drawn, n: (drawn + places) % n))
            return as_stream(Changed(chance(label), order=deal)) if label == "micro/deal" else chance(label)

        return stream

    def action(old: Action) -> Action:
        new = {**old, "seat": (old["seat"] + places) % seats} if "seat" in old else dict(old)
        if "remarks" in old:
            new["remarks"] = [{**remark, "seat": (remark["seat"] + places) % seats} for remark in old["remarks"]]
        return new

    return Relabelling(tuple((seat + places) % seats for seat in range(seats)), action, turn)


def totals(state: Any) -> Json:
    """No card is lost or made; strangers hold three cards and the tourist two while the match goes on."""
    table = state.table
    cards = sorted([*table.deck, *(card for held in (*table.hands, *table.banks) for card in held)])
    sizes = [2 if seat == state.tourist else 3 for seat in range(state.seats)]
    return [cards, bool(state.ended) or [len(hand) for hand in table.hands] == sizes]


def parts(state: Any, seat: Seat, action: Action) -> Mapping[str, list[Json]]:
    """Remarks about the other strangers: true beside a true declaration, false beside a false one."""
    if action["type"] != "declare":
        return {}
    if state.options["table_talk"] == "none":
        return {"remarks": []}
    others = sorted(set(range(state.seats)) - {seat, state.tourist})
    truths = tuple((other, _truth(state, other)) for other in others)
    return {"remarks": list(_remarks(state.options["declaration"], truths, _said(action) == _truth(state, seat)))}


@cache
def _remarks(declaration: str, truths: tuple[tuple[Seat, Claim], ...], is_true: bool) -> tuple[Json, ...]:
    return tuple(
        {"seat": seat, **dict(claim)}
        for seat, truth in truths
        for claim in _claims(declaration)
        if (claim == truth) is is_true
    )


def _said(action: Action) -> Claim:
    return tuple((name, action[name]) for name in ("hand", "rank") if name in action)


@cache
def _claims(declaration: str) -> tuple[Claim, ...]:
    if declaration == "category":
        return tuple((("hand", category),) for category in _CATEGORIES)
    return tuple((("hand", category), ("rank", rank)) for category in _CATEGORIES for rank in _RANKS)


def _truth(state: Any, seat: Seat) -> Claim:
    category, rank = _best(state.table.hands[seat], state.options["joker_hand"] == "wild")
    claim = (("hand", _CATEGORIES[category]), ("rank", _RANKS[rank - 2]))
    return claim if state.options["declaration"] == "category-rank" else claim[:1]


@cache
def _best(hand: tuple[str, ...], wild: bool) -> tuple[int, int]:
    """The best category of a hand, then the highest rank in it; every card is tried for a wild joker."""
    naturals = tuple(card for card in hand if card[0] != "X")
    stand_ins = [card for card in _CARDS if card not in naturals] if wild else []
    hands = (naturals + added for added in product(stand_ins, repeat=(3 - len(naturals)) if wild else 0))
    return max(_made(cards) for cards in hands if len(set(cards)) == len(cards))


def _made(cards: tuple[str, ...]) -> tuple[int, int]:
    values = sorted(_RANKS.index(card[0]) + 2 for card in cards)
    pairs = [value for value in values if values.count(value) == 2]
    if pairs:
        return _CATEGORIES.index("pair"), pairs[0]
    if len(cards) < 3:
        return _CATEGORIES.index("high-card"), values[-1]
    if len(set(values)) == 1:
        return _CATEGORIES.index("three-of-a-kind"), values[0]
    is_flush = len({card[1] for card in cards}) == 1
    top = 3 if values == [2, 3, 14] else values[-1] if values[-1] - values[0] == 2 else 0
    kind = ("straight-flush" if is_flush else "straight") if top else "flush" if is_flush else "high-card"
    return _CATEGORIES.index(kind), top or values[-1]


def worlds(state: Any, viewer: Seat | None, rng: Random) -> Iterator[Any]:
    """A tourist sees its own two cards, strangers see each other's hands; nobody the deck, or a bank before the end."""
    hidden = sorted(_all(state) - _seen(state, viewer))
    for few in (False, True):
        yield _renamed(state, _exchange(hidden, few, rng))


def twins(moment: Moment, chance: Chance, viewer: Seat | None, rng: Random) -> Iterator[Twin]:
    """The hand that the tourist chose is shown; all else stays as hidden as the next state has it. Hands that were
    declared are exchanged only for others about which everybody may have said the same."""
    state, choices, step = moment
    known = _seen(state, viewer) | _seen(step.state, viewer)
    chosen = choices.get(state.tourist, {}).get("seat")
    if chosen is not None:
        known |= set(state.table.hands[chosen])
    hidden = sorted(_all(state) - known)
    hands = [hand for seat, hand in enumerate(state.table.hands) if seat != state.tourist and not known & set(hand)]
    found = 0
    for attempt in range(60):
        if hands and not state.declared:
            names = _other_hand(rng.choice(hands), [card for card in hidden if not any(card in h for h in hands)], rng)
        else:
            names = _exchange(hidden, bool(attempt % 2), rng)
        world = _renamed(state, names)
        if all(choice["type"] == "pass" or _may(world, seat, choice) for seat, choice in choices.items()):
            yield Twin(world, choices, chance)
            found += 1
        if found == 3:
            return


def _may(state: Any, seat: Seat, choice: Action) -> bool:
    try:
        micro_poker.check(state, seat, choice)
    except IllegalAction:
        return False
    return True


def _all(state: Any) -> set[str]:
    table = state.table
    return {card for held in (table.deck, *table.hands, *table.banks) for card in held}


def _seen(state: Any, viewer: Seat | None) -> set[str]:
    hands, banks = state.table.hands, state.table.banks
    if state.ended:
        return {card for held in (*banks, () if viewer is None else hands[viewer]) for card in held}
    if viewer is None:
        return set()
    if viewer == state.tourist:
        return set(hands[viewer])
    return {card for seat, hand in enumerate(hands) if seat != state.tourist for card in hand}


def _exchange(cards: list[str], few: bool, rng: Random) -> dict[str, str]:
    """A new place for each of the cards, or for two of them only."""
    if few and len(cards) > 1:
        one, other = rng.sample(cards, 2)
        return {one: other, other: one}
    return dict(zip(cards, rng.sample(cards, len(cards)), strict=True))


def _other_hand(hand: tuple[str, ...], others: list[str], rng: Random) -> dict[str, str]:
    """Some cards of a hand, the one drawn last among them, change places with others."""
    given = sorted({hand[-1], *rng.sample(hand, rng.randrange(3))})
    taken = rng.sample(others, min(len(given), len(others)))
    return {**dict(zip(given, taken, strict=False)), **dict(zip(taken, given, strict=False))}


def _renamed(state: Any, names: Mapping[str, str]) -> Any:
    def rename(cards: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(names.get(card, card) for card in cards)

    table = state.table
    renamed = table._replace(
        deck=rename(table.deck), hands=tuple(map(rename, table.hands)), banks=tuple(map(rename, table.banks))
    )
    return cast(Any, state._replace(table=renamed))
