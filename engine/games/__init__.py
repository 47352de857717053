"""The games of the house, by id and rules version. A module is loaded when it is first asked for."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, TypeVar, cast

from engine.deal import Chance
from engine.errors import IllegalAction
from engine.games.protocol import Game, Standing, Step
from engine.types import Action, Seat

S = TypeVar("S")

_MODULES: dict[str, tuple[str, ...]] = {
    "micro-poker": ("engine.games.micro_poker",),
    "liars-poker": ("engine.games.liars_poker",),
    "misfortune": ("engine.games.misfortune",),
    "half-deck-poker": ("engine.games.half_deck_poker",),
}
"""The module of each version of a game's rules, from the first on. None is ever taken out: matches keep theirs."""

IDS = tuple(_MODULES)


@cache
def find(game_id: str, rules_version: int | None = None) -> Game[Any] | None:
    """The game with this id by a version of its rules, by default the newest; None where there is none."""
    modules = _MODULES.get(game_id, ())
    version = len(modules) if rules_version is None else rules_version
    return cast(Game[Any], import_module(modules[version - 1])) if 1 <= version <= len(modules) else None


def apply(game: Game[S], state: S, choices: Mapping[Seat, Action], chance: Chance) -> Step[S]:
    """Checks each choice and closes the decision.

    `choices` holds one action for each pending seat. Raises `IllegalAction` when one is missing, uncalled for or not
    allowed; the state has not changed then.
    """
    asked = game.pending(state)
    if tuple(sorted(choices)) != asked:
        raise IllegalAction(f"the decision asks the seats {list(asked)}")
    checked = {}
    for seat, action in choices.items():
        missed = game.missed_action(state, seat)
        # By their types too: True == 1, and is no number of chips.
        is_missed = action == missed and all(type(action[name]) is type(value) for name, value in missed.items())
        checked[seat] = missed if is_missed else game.check(state, seat, action)
    return game.resolve(state, checked, chance)


def result(game: Game[S], state: S) -> Standing | None:
    """The final standing, or None while somebody is pending."""
    return None if game.pending(state) else game.standing(state)
