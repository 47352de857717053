"""Tables of Micro Poker laid by hand, and random matches of it."""

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, NamedTuple, cast

from engine import games
from engine.cards import unpack
from engine.deal import Chance, Stream, chance
from engine.games import micro_poker as micro
from engine.games.micro_scoring import Table
from engine.games.micro_state import State
from engine.games.options import chosen, complete
from engine.games.protocol import Event, Step
from engine.types import Action, Options, Seat

GAME = cast(Any, micro)

HONEST = "7dJhJc"
"""The page's honest hand: a pair."""
LIAR = "4h9c4s"
"""The page's liar, who holds a pair."""
FREE = "5d5hX1"
"""Three of a kind with a wild joker, a pair with a blank one."""


PASS: Action = {"type": "pass"}


class Kept:
    """A stream that leaves what it should shuffle in order, and remembers it."""

    def __init__(self, seen: list[tuple[str, ...]]) -> None:
        self._seen = seen

    def shuffle(self, items: Iterable[str]) -> tuple[str, ...]:
        self._seen.append(tuple(items))
        return self._seen[-1]


class Shuffles:
    """Chance that keeps every order, by the label that it was asked for."""

    def __init__(self) -> None:
        self.seen: dict[str, list[tuple[str, ...]]] = {}

    def __call__(self, label: str) -> Stream:
        return cast(Stream, Kept(self.seen.setdefault(label, [])))


def options(seats: int, **given: Any) -> Options:
    chosen(micro.OPTIONS, given, seats)
    return complete(micro.OPTIONS, given, seats)


def laid(
    *hands: str,
    deck: str = "2c3c4c5c6c7c8c9cTc",
    banks: Iterable[str] = (),
    tourist: Seat = 0,
    turn: int = 1,
    **given: Any,
) -> State:
    """A table whose strangers are about to declare. Hands, deck and banks are texts of cards; banks are empty."""
    filled = tuple(map(unpack, banks)) or ((),) * len(hands)
    table = Table(unpack(deck), tuple(map(unpack, hands)), filled)
    return State(options(len(hands), **given), len(hands), turn, tourist, table, (), "")


def say(hand: str, rank: str | None = None, **remarks: str) -> Action:
    """A declaration; remarks are categories by `seatN`."""
    action: dict[str, Any] = {"type": "declare", "hand": hand} | ({} if rank is None else {"rank": rank})
    if remarks:
        action["remarks"] = [{"seat": int(name.removeprefix("seat")), "hand": what} for name, what in remarks.items()]
    return action


def declared(state: State, *said: Action) -> State:
    """The table once its strangers have said this, by seat; those who say nothing miss."""
    asked = micro.pending(state)
    choices = dict(zip(asked, said, strict=False))
    choices = {seat: choices.get(seat, micro.missed_action(state, seat)) for seat in asked}
    return cast(State, games.apply(GAME, state, choices, no_chance).state)


def no_chance(label: str) -> Stream:
    raise AssertionError(f"nothing is drawn, and {label} was asked for")


def ordinary(**laying: Any) -> State:
    """A tourist (seat 0), an honest stranger and a liar, who have declared."""
    return declared(laid("2dAd", HONEST, LIAR, **laying), say("pair"), say("high-card"))


def decide(state: State, action: Action, deal: Chance | None = None) -> Step[State]:
    """What the tourist's decision leads to; by default no order changes when the deck is shuffled."""
    return cast(Step[State], games.apply(GAME, state, {state.tourist: action}, deal or Shuffles()))


def trust(seat: Seat) -> Action:
    return {"type": "trust", "seat": seat}


def accuse(seat: Seat) -> Action:
    return {"type": "accuse", "seat": seat}


def texts(cards: Iterable[tuple[str, ...]]) -> list[str]:
    return ["".join(pile) for pile in cards]


def kinds(events: Iterable[Event]) -> list[tuple[str, Seat | None]]:
    return [(event.type, event.seat) for event in events]


class Moment(NamedTuple):
    """A decision of a random match, and what it led to."""

    state: State
    choices: dict[Seat, Action]
    step: Step[State]
    deal: Chance


def addable(state: State, seat: Seat, action: Action) -> list[dict[str, Any]]:
    """The remarks that are offered with a listed declaration."""
    free = micro.view(state, seat)["remarks"]
    if free is None:
        return list(micro.legal_actions(state, seat).optional.get("remarks", []))
    me = next(stranger for stranger in micro.view(state, seat)["strangers"] if stranger["seat"] == seat)
    is_true = {name: action.get(name) for name in me["best"]} == me["best"]
    return list(free["honest" if is_true else "lying"])


def any_choice(state: State, seat: Seat, rng: Random) -> Action:
    """A random legal action, with a few remarks; sometimes the one that the clock makes."""
    if rng.random() < 0.05:
        return micro.missed_action(state, seat)
    action = rng.choice(micro.legal_actions(state, seat).actions)
    offered = addable(state, seat, action) if action["type"] == "declare" else []
    remarks = {remark["seat"]: remark for remark in offered if rng.random() < 0.5}
    return {**action, "remarks": list(remarks.values())} if remarks else action


def random_match(seed: int, seats: int, **given: Any) -> Iterator[Moment]:
    """The decisions of a match in which everybody plays at random."""
    rng, deal = Random(seed), chance(seed.to_bytes(32, "big"), "match", "micro-poker@1", [b""] * seats)
    state = micro.new(options(seats, **given), seats, deal)
    while asked := micro.pending(state):
        choices = {seat: any_choice(state, seat, rng) for seat in asked}
        step = games.apply(GAME, state, choices, deal)
        yield Moment(state, choices, step, deal)
        state = step.state


def moments_of(seats: int) -> list[Moment]:
    """All decisions of two random matches with different options."""
    tables: list[dict[str, Any]] = [{}, {"scoring": "trust-only", "hand_rule": "chosen-only"}]
    return [moment for seed, given in enumerate(tables) for moment in random_match(seed, seats, **given)]
