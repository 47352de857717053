"""House bots. A bot gets what its seat may see, what it may do, and a stream of chance: nothing else."""

from functools import cache
from importlib import import_module
from typing import Protocol, cast

from engine.deal import Stream
from engine.games.protocol import Legal
from engine.types import Action, Data

HOUSE = "house"
"""Plays the game sensibly: each game has its own."""

RANDOM = "random"
"""Plays any legal action."""

STYLES = (HOUSE, RANDOM)


class Bot(Protocol):
    """A module that plays one game, or any."""

    def choose(self, view: Data, legal: Legal, stream: Stream) -> Action:
        """One of the legal actions, of which there is at least one."""


def choose(game_id: str, style: str, view: Data, legal: Legal, stream: Stream) -> Action:
    """What a bot of this style does."""
    return _find("random_legal" if style == RANDOM else game_id.replace("-", "_")).choose(view, legal, stream)


@cache
def _find(module: str) -> Bot:
    return cast(Bot, import_module(f"engine.bots.{module}"))
