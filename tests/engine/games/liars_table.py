"""A table of Liar's Poker for tests: fixed serials, and a way to act on it."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from engine import games
from engine.deal import Chance, Stream
from engine.games import liars_poker as liars
from engine.games.options import chosen, complete
from engine.games.protocol import Event
from engine.types import Action

CHALLENGE = {"type": "challenge"}
STAND = {"type": "stand"}
PAGE_SERIALS = ("06742088", "92859819", "07202503")


def bid(count: int, digit: int) -> Action:
    return {"type": "bid", "count": count, "digit": digit}


class Drawn:
    """A stream whose draws are given."""

    def __init__(self, values: Iterable[int]) -> None:
        self._values = iter(values)

    def below(self, n: int) -> int:
        value = next(self._values)
        assert 0 <= value < n
        return value


def dealt(opener: int, *rounds: Sequence[str]) -> Chance:
    """The chance that has this opener and these serials, and no other label."""
    streams = {"liars/first": [opener]}
    for number, serials in enumerate(rounds, 1):
        for seat, serial in enumerate(serials):
            streams[f"liars/round={number}/seat={seat}"] = [int(d) for d in serial]
    return lambda label: cast(Stream, Drawn(streams[label]))


def start(deal: Chance, seats: int, **given: Any) -> liars.State:
    chosen(liars.OPTIONS, given, seats)
    return liars.new(complete(liars.OPTIONS, given, seats), seats, deal)


def act(state: liars.State, deal: Chance, *actions: Action) -> tuple[liars.State, list[Event]]:
    events: list[Event] = []
    for action in actions:
        (seat,) = liars.pending(state)
        state, happened = games.apply(cast(Any, liars), state, {seat: action}, deal)
        events += happened
    return state, events


def rebidding(seats: int, *actions: Action) -> tuple[liars.State, Chance]:
    """A round in which bidders are asked again, after these actions; every serial is 12345678."""
    deal = dealt(0, ["12345678"] * seats)
    state, _ = act(start(deal, seats, bidder_rebid="once", rounds=1), deal, *actions)
    return state, deal
