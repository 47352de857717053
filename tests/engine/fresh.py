"""Plays matches on from their dumps, in a process of its own: reads cases on stdin, writes what they led to.

Run as `python -m tests.engine.fresh`.
"""

import hashlib
import json
import sys
from typing import Any

from engine.types import Json
from tests.engine.cases import Case, chance_of, find, options_of, text
from tests.engine.conformance import everything
from tests.engine.walks import Walk, walk


def request(case: Case, at: int, steps: int) -> Json:
    """A walk's state at one decision, and the choices of the next ones."""
    done = walk(case)
    return {
        "case": list(case),
        "dump": done.game.dump(done.moments[at].state),
        "choices": [list(moment.choices.items()) for moment in done.moments[at : at + steps]],
    }


def trace(done: Walk, state: Any, choices: Json) -> list[str]:
    """A digest of everything that the game tells of each state and event, from this state on."""
    found = [_digest(everything(done, state))]
    for chosen in choices:
        step = done.game.resolve(state, dict(map(tuple, chosen)), done.chance)
        state = step.state
        found.append(_digest(text([list(event) for event in step.events]) + everything(done, state)))
    return found


def _digest(told: str) -> str:
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def answer(asked: Json) -> list[str]:
    """The trace of a request, from its dump alone."""
    game_id, seats, given, policy, salt = asked["case"]
    case = Case(game_id, seats, tuple(map(tuple, given)), policy, salt)
    game, options = find(game_id), options_of(case)
    state = game.load(asked["dump"], options, seats)
    return trace(Walk(game, options, seats, chance_of(case), (), None), state, asked["choices"])


if __name__ == "__main__":
    json.dump([answer(asked) for asked in json.load(sys.stdin)], sys.stdout)
