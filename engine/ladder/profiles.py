"""How each ladder rates: for life, since history can't be read by another algorithm than it was written by."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from engine import games
from engine.ladder import elo, fide
from engine.ladder.elo import Change, Entrant

Algorithm: TypeAlias = Callable[[Sequence[Entrant]], tuple[Change, ...]]
"""Turns a result into changes, in the order of its entrants."""

ALGORITHMS: Mapping[str, Algorithm] = {elo.ID: elo.changes, fide.ID: fide.changes}
"""By the id that every result keeps. What an id computes never changes: another rule gets another id."""

ADAPTIVE = "adaptive"
FIDE = "fide"

PROFILES: Mapping[str, str] = {ADAPTIVE: elo.ID, FIDE: fide.ID}
"""The algorithm of each profile."""

_LADDERS: Mapping[str, str] = dict.fromkeys(games.IDS, ADAPTIVE)
"""The profile of each game's ladder; `fide` is for games of two seats."""


def profile(game: str) -> str:
    """The profile of a game's ladder. Raises `LookupError` for a game that has none."""
    return _LADDERS[game]


def algorithm(game: str) -> str:
    """The id of the algorithm that rates a game's results now. Raises `LookupError` as `profile`."""
    return PROFILES[profile(game)]
