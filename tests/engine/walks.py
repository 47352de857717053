"""Random matches of every registered game, for the suites that know no game by name."""

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any, NamedTuple

from engine.deal import Chance
from engine.games.protocol import Game
from engine.types import Action, Json, Options, Seat
from tests.engine import adapters
from tests.engine.adapters import Moment
from tests.engine.cases import Case, chance_of, find, options_of


class Walk(NamedTuple):
    """A match from its first decision to its result."""

    game: Game[Any]
    options: Options
    seats: int
    chance: Chance
    moments: tuple[Moment, ...]
    end: Any

    def states(self) -> tuple[Any, ...]:
        return (*(moment.state for moment in self.moments), self.end)


@cache
def walk(case: Case) -> Walk:
    """The case's match, played by its policy. Fails when it goes past the game's bound."""
    game, options, deal, rng = find(case.game), options_of(case), chance_of(case), Random(str(case))
    state = game.new(options, case.seats, deal)
    moments = []
    while asked := game.pending(state):
        choices = {seat: choose(game, state, seat, case.policy, rng) for seat in asked}
        step = game.resolve(state, choices, deal)
        moments.append(Moment(state, choices, step))
        state = step.state
        assert len(moments) <= game.bound(options, case.seats), f"{case} goes on after {len(moments)} decisions"
    return Walk(game, options, case.seats, deal, tuple(moments), state)


def choose(game: Game[Any], state: Any, seat: Seat, policy: str, rng: Random) -> Action:
    """A choice that `resolve` takes: mixed over the types of action, the lowest one mostly, or evenly over all."""
    if policy == "mixed" and rng.random() < 0.1:
        return game.missed_action(state, seat)
    actions = game.legal_actions(state, seat).actions
    if policy == "timid" and rng.random() < 0.8:
        action = actions[0]
    elif policy == "bold":
        action = rng.choice(actions)
    else:
        kind = rng.choice(sorted({action["type"] for action in actions}))
        of_kind = [action for action in actions if action["type"] == kind]
        action = of_kind[int(len(of_kind) * rng.random() ** 2)]
    parts = adapters.of(game.ID).parts(state, seat, action)
    return game.check(state, seat, with_some(action, parts, rng))


def with_some(action: Action, parts: Mapping[str, list[Json]], rng: Random) -> Action:
    """The action with some of its optional parts, one a seat, in any order, or with none."""
    for name, values in parts.items():
        some = {part["seat"]: part for part in rng.sample(values, rng.randrange(len(values) + 1))}
        shuffled = rng.sample(list(some.values()), len(some))
        action = {**action, name: shuffled}
    return action


def sample(walk: Walk, most: int, salt: str = "") -> list[Moment]:
    """At most so many of the walk's decisions: the first, the last, and others evenly drawn."""
    if len(walk.moments) <= most:
        return list(walk.moments)
    rng = Random(f"{salt}{len(walk.moments)}")
    inner = sorted(rng.sample(range(1, len(walk.moments) - 1), most - 2))
    return [walk.moments[0], *(walk.moments[i] for i in inner), walk.moments[-1]]
