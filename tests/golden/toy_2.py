"""Version 2 of the toy's rules, in a module of its own that takes over what has not changed. A new option: by default
the lower number wins now."""

from engine.games.options import Choice, Option
from engine.games.protocol import Standing, competition_ranks
from tests.golden.toy_1 import (  # noqa: F401 - the game is the module
    ID,
    MOVE_SECONDS,
    RULES,
    SEATS,
    SUMMARY,
    TITLE,
    State,
    bound,
    check,
    dump,
    legal_actions,
    load,
    missed_action,
    new,
    pending,
    resolve,
    view,
)
from tests.golden.toy_1 import OPTIONS as FORMER

RULES_VERSION = 2
OPTIONS: tuple[Option, ...] = (*FORMER, Choice("wins", ("lower", "higher"), "Which number wins."))


def standing(state: State) -> Standing:
    numbers = state[1] or (0, 0)
    keys = [number if state[0]["wins"] == "higher" else -number for number in numbers]
    return Standing(competition_ranks(keys), numbers)
