"""Actions near to the legal ones and far from them, and which of them a list of legal actions allows."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from random import Random
from typing import Any, NamedTuple

from engine.types import Action, Json, Seat
from tests.engine.adapters import Adapter, Moment
from tests.engine.cases import same
from tests.engine.walks import Walk, sample, with_some


class Menu(NamedTuple):
    """What a seat may do by the listed actions and by the rules on optional parts."""

    actions: dict[str, Action]
    """The listed actions, by their text."""
    optional: tuple[str, ...]
    """The names of optional parts."""
    parts: Callable[[Action], Mapping[str, list[Json]]]
    """The parts that may be added to a listed action."""
    texts: Callable[[str], dict[str, set[str]]]
    """The same as text, for the text of a listed action."""


def menu(done: Walk, adapter: Adapter, state: Any, seat: Seat) -> Menu:
    """The menu of a seat that is asked."""
    actions = {same(action): action for action in done.game.legal_actions(state, seat).actions}

    def parts(action: Action) -> Mapping[str, list[Json]]:
        return adapter.parts(state, seat, action)

    @cache
    def texts(written: str) -> dict[str, set[str]]:
        return {name: set(map(same, added)) for name, added in parts(actions[written]).items()}

    return Menu(actions, tuple(parts(next(iter(actions.values())))), parts, texts)


def canonical(menu: Menu, action: Action) -> str | None:
    """The text of the canonical form of an action that is on the menu; None for any other."""
    bare = {name: value for name, value in action.items() if name not in menu.optional}
    written = same(bare)
    if written not in menu.actions:
        return None
    for name in set(action) & set(menu.optional):
        added = action[name]
        if type(added) is not list or not all(type(part) is dict and type(part.get("seat")) is int for part in added):
            return None
        if len({part["seat"] for part in added}) < len(added):
            return None
        if not set(map(same, added)) <= menu.texts(written)[name]:
            return None
        if added:
            bare[name] = sorted(added, key=lambda part: int(part["seat"]))
    return same(bare)


def with_parts(offered: Menu, rng: Random, most: int) -> Iterator[Action]:
    """A few listed actions that may have optional parts, with none, and with some of them."""
    actions = list(offered.actions.values()) if offered.optional else []
    for action in rng.sample(actions, min(most, len(actions))):
        yield {**action, **{name: [] for name in offered.optional}}
        yield from (with_some(action, offered.parts(action), rng) for _ in range(3))


def near_and_far(done: Walk, adapter: Adapter, moment: Moment) -> Iterator[tuple[Seat, Action, str | None]]:
    """For two of the asked seats, actions like their legal ones, of other seats, of other decisions, and of no game;
    with their canonical form where they are legal."""
    rng = Random(repr(moment.state))
    foreign = [action for other in sample(done, 20) for action in other.choices.values()]
    asked = done.game.pending(moment.state)
    for seat in rng.sample(asked, min(2, len(asked))):
        offered = menu(done, adapter, moment.state, seat)
        for action in neighbours(done, moment, seat, offered, foreign, rng):
            yield seat, action, canonical(offered, action)


def neighbours(
    done: Walk, moment: Moment, seat: Seat, offered: Menu, foreign: list[Action], rng: Random
) -> Iterator[Action]:
    """The actions of `near_and_far` for one seat."""
    game, state = done.game, moment.state
    own = list(offered.actions.values())
    seeds = [own[0], own[-1], rng.choice(own), moment.choices[seat], game.missed_action(state, seat)]
    seeds += list(with_parts(offered, rng, 1))[-1:]
    yield from ({}, {"type": None}, {"type": []}, {"type": ""}, {"type": "resign"}, {"type": "pass"})
    yield {"action": own[0]}
    yield from rng.sample(foreign, min(6, len(foreign)))
    for other in range(done.seats):
        theirs = game.legal_actions(state, other).actions
        yield from rng.sample(theirs, min(4, len(theirs)))
    for action in {same(action): action for action in seeds}.values():
        yield from mutants(action)


def mutants(action: Action) -> Iterator[Action]:
    """An action with one field of another type, out of bounds, missing, or too many."""
    for name in action:
        yield {key: value for key, value in action.items() if key != name}
        for value in other_values(action[name]):
            yield {**action, name: value}
    for name in ("", "seat", "x", "Type", "remarks", "hand", "count"):
        if name not in action:
            yield {**action, name: None}
            yield {**action, name: 0}


def other_values(value: Json) -> Iterator[Json]:
    """Values that could be mistaken for this one, and some that could not."""
    yield from (None, True, False, 0, 1, 1.0, -1, 10**40, "", "\ud800", [], {}, [value], {"seat": 0}, float("nan"))
    if isinstance(value, str):
        yield from (value.upper(), value.capitalize(), value + " ", value + "\0", value[:-1])
    elif type(value) is int:
        yield from (value + 1, value - 1, -value, float(value), str(value), value + 2**32, value * 10)
    elif isinstance(value, list):
        yield from (value * 2, value * 1000, [*value, None], [[]], {"0": value}, value[::-1])
        if value and isinstance(value[-1], dict):
            yield from ([*value[:-1], mutant] for mutant in mutants(value[-1]))
