"""Liar's Poker for the suites over all games (rules/liars-poker.md)."""

from collections.abc import Iterator, Mapping
from random import Random

from engine.deal import Chance, Stream
from engine.games.liars_poker import State
from engine.types import Action, Json, Options, Seat
from tests.engine.adapters import Changed, Moment, Relabelling, Twin, as_stream

CLOCK_ONLY: frozenset[str] = frozenset()


def relabellings(options: Options, seats: int) -> Iterator[Relabelling]:
    """The order of turns is a circle: every seat may move on by the same number of places."""
    for places in dict.fromkeys((1, seats - 1)):
        yield _turned(seats, places)


def _turned(seats: int, places: int) -> Relabelling:
    def turn(chance: Chance) -> Chance:
        def stream(label: str) -> Stream:
            if label == "liars/first":
                return as_stream(Changed(chance(label), below=lambda drawn, n: (drawn + places) % n))
            stem, seat = label.split("seat=")
            return chance(f"{stem}seat={(int(seat) - places) % seats}")

        return stream

    return Relabelling(tuple((seat + places) % seats for seat in range(seats)), lambda action: action, turn)


def totals(state: State) -> Json:
    """The sums of stakes are zero, in the match and in each of its rounds."""
    return sum(state.net)


def parts(state: State, seat: Seat, action: Action) -> Mapping[str, list[Json]]:
    """No action has optional parts."""
    return {}


def worlds(state: State, viewer: Seat | None, rng: Random) -> Iterator[State]:
    """The serials of the running round are seen by their holders alone."""
    if not state.serials:
        return
    others = [seat for seat in range(state.seats) if seat != viewer]
    for changed in (others, [rng.choice(others)]):
        fresh = {seat: "".join(rng.choices("0123456789", k=state.options["digits"])) for seat in changed}
        yield state._replace(serials=tuple(fresh.get(s, serial) for s, serial in enumerate(state.serials)))


def twins(moment: Moment, chance: Chance, viewer: Seat | None, rng: Random) -> Iterator[Twin]:
    """A settlement shows all serials; the serials of the next round are again seen by their holders alone."""
    state, choices, step = moment
    if len(step.state.settled) == len(state.settled):
        for world in worlds(state, viewer, rng):
            yield Twin(world, choices, chance)
        return

    def redealt(label: str) -> Stream:
        is_own = label.endswith(f"/seat={viewer}")
        return chance(label if is_own else f"{label}/redealt")

    yield Twin(state, choices, redealt)
