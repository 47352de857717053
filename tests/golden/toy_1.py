"""A toy for the tests: each of two seats names a number once, the higher one wins. Version 1 of its rules."""

from collections.abc import Mapping

from engine.deal import Chance
from engine.errors import IllegalAction
from engine.games import fields
from engine.games.options import Option, Range
from engine.games.protocol import Event, Legal, Standing, Step, competition_ranks
from engine.types import Action, Json, Options, Seat

ID, TITLE, SUMMARY, RULES = "toy", "Toy", "Name the higher number.", "Name a number; the higher one wins."
RULES_VERSION = 1
SEATS = (2, 2)
MOVE_SECONDS = 60
OPTIONS: tuple[Option, ...] = (Range("most", 1, 9, 3, "The highest number that can be named."),)

State = tuple[Options, tuple[int, ...]]


def bound(options: Options, seats: int) -> int:
    return 1


def new(options: Options, seats: int, chance: Chance) -> State:
    return options, ()


def pending(state: State) -> tuple[Seat, ...]:
    return () if state[1] else (0, 1)


def legal_actions(state: State, seat: Seat) -> Legal:
    return Legal([{"type": "name", "number": n} for n in range(state[0]["most"] + 1)] if seat in pending(state) else ())


def check(state: State, seat: Seat, action: Action) -> Action:
    fields.kind(action, ("name",))
    fields.exactly(action, "number")
    if type(action["number"]) is not int or not 0 <= action["number"] <= state[0]["most"]:
        raise IllegalAction("another number")
    return action


def missed_action(state: State, seat: Seat) -> Action:
    return {"type": "name", "number": 0}


def resolve(state: State, choices: Mapping[Seat, Action], chance: Chance) -> Step[State]:
    events = tuple(Event("name", seat, {"number": choices[seat]["number"]}) for seat in (0, 1))
    return Step((state[0], (choices[0]["number"], choices[1]["number"])), events)


def view(state: State, seat: Seat | None) -> dict[str, Json]:
    return {"named": list(state[1])}


def standing(state: State) -> Standing:
    numbers = state[1] or (0, 0)
    return Standing(competition_ranks(numbers), numbers)


def dump(state: State) -> Json:
    return list(state[1])


def load(data: Json, options: Options, seats: int) -> State:
    return options, tuple(data)
