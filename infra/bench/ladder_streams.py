"""Synthetic ladders (ladder.md, "Quality"): players of known strength, and the order in which each table finished.

A performance is the strength plus Gumbel noise of the scale that makes the odds between two players those of Elo's
formula. Tables are played one after another.
"""

import math
import random
from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple, TypeAlias

Order: TypeAlias = tuple[int, ...]
"""The players of a table, the first one first. There are no shared places."""


class Stream(NamedTuple):
    """What a synthetic ladder is made of. Strengths are in Elo points."""

    name: str
    strength_sd: float
    seed: int
    players: int = 1_500
    tables: int = 12_000
    newcomers: float = 0.4
    """What share of the players joins in the course of the first three quarters."""
    tail: float = 1.3
    """The exponent of the Pareto distribution of activity: the lower, the heavier its tail."""
    drift_sd: float = 5.0
    """By how much a table changes the strength of who sits at it."""


STREAMS = (Stream("A", 300.0, 20_260_801), Stream("B", 150.0, 20_260_802))

_MEAN = 1500.0
_NOISE = 400 / math.log(10)
_SEATS = (2, 6)


def orders(stream: Stream) -> Iterator[Order]:
    """The results of a stream, in time; the same for the same seed."""
    chance = random.Random(stream.seed)  # noqa: S311 - a simulation, no secret
    strengths = [chance.gauss(_MEAN, stream.strength_sd) for _ in range(stream.players)]
    activity = list(accumulate(chance.paretovariate(stream.tail) for _ in range(stream.players)))
    first = round(stream.players * (1 - stream.newcomers))
    for number in range(stream.tables):
        arrived = min(1.0, number / (0.75 * stream.tables))
        present = first + round((stream.players - first) * arrived)
        table = _table(chance, activity, present)
        performances = {player: strengths[player] - _NOISE * math.log(chance.expovariate(1.0)) for player in table}
        yield tuple(sorted(table, key=performances.__getitem__, reverse=True))
        for player in table:
            strengths[player] += chance.gauss(0.0, stream.drift_sd)


def _table(chance: random.Random, activity: list[float], present: int) -> list[int]:
    """From two to six different players of those present, the active ones more often."""
    seats = chance.randint(*_SEATS)
    found: dict[int, None] = {}
    while len(found) < seats:
        found[bisect(activity, chance.random() * activity[present - 1], hi=present - 1)] = None
    return list(found)
