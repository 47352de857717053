"""Round robin: everybody meets everybody, by Berger's tables; with `cycles` 2 twice, then on the other side."""

import sys
from collections.abc import Iterable, Sequence
from typing import cast

from engine.deal import Chance
from engine.tournament import course, tiebreaks
from engine.tournament.format import Format
from engine.tournament.protocol import (
    Entrant,
    Flow,
    Key,
    Nobody,
    Origin,
    Pairing,
    Row,
    Seed,
    Shape,
    Side,
    Source,
    Topology,
)
from engine.tournament.ranking import gone

ID = "round-robin"
KNOCK_OUT = False
BY_ROUNDS = True
REBUILDS = False
TABLES = False
MOST = 64
TIEBREAKS = (
    tiebreaks.HEAD_TO_HEAD,
    tiebreaks.WINS,
    tiebreaks.SONNEBORN_BERGER,
    tiebreaks.GAME_SCORE,
    tiebreaks.OPPONENTS_RATING,
)
DEFAULT_TIEBREAKS = (tiebreaks.HEAD_TO_HEAD, tiebreaks.WINS, tiebreaks.SONNEBORN_BERGER)

MAIN = "main"


def berger(n: int, number: int) -> tuple[tuple[Seed, Seed], ...]:
    """Round `number`, from 1, of the tables for an even n: who is named first has side 1.

    The last one meets a seed that moves on by n/2 a round, and changes sides; the others pair up around that seed.
    """
    others = n - 1
    middle = (number - 1) * (n // 2) % others
    met = middle + 1
    first = (met, n) if number % 2 else (n, met)
    return (first, *(((middle + i) % others + 1, (middle - i) % others + 1) for i in range(1, n // 2)))


def _rounds(topology: Topology) -> int:
    """Of one cycle."""
    return topology.n - 1 + topology.n % 2


def depth(topology: Topology) -> int:
    """As many as rounds."""
    return _rounds(topology) * topology.settings.cycles


def ordinal(topology: Topology, key: Key) -> int:
    """The round."""
    return key.round


def shapes(topology: Topology) -> tuple[Shape, ...]:
    """All rounds; with odd n a rest is a pairing with a bye."""
    return tuple(Shape(MAIN, number, (topology.n + 1) // 2) for number in range(1, depth(topology) + 1))


def blank(topology: Topology, key: Key) -> Pairing:
    """Raises `LookupError`: pairings come with their rounds."""
    raise LookupError(str(key))


def flows(topology: Topology, pairing: Pairing) -> tuple[Flow, ...]:
    """None: who meets whom does not depend on results."""
    return ()


def make_round(
    topology: Topology, field: Sequence[Entrant], pairings: Iterable[Pairing], number: int, chance: Chance
) -> tuple[Pairing, ...]:
    """Round `number`, in the order of the table; who is out has lost already."""
    if number > depth(topology):
        return ()
    out = gone(field, pairings)
    by_seed = {entrant.seed: entrant for entrant in field}
    cycle, index = divmod(number - 1, _rounds(topology))
    found = []
    for place, seeds in enumerate(berger(topology.n + topology.n % 2, index + 1), 1):
        # The second time on the other side.
        sides = tuple(_side(seed, by_seed.get(seed), out) for seed in (seeds if cycle % 2 == 0 else seeds[::-1]))
        found.append(course.arranged(_RULES, topology.settings, Pairing(Key(MAIN, number, place), sides)))
    return tuple(found)


def _side(seed: Seed, entrant: Entrant | None, out: frozenset[str]) -> Side:
    source = Source(Origin.SEED, seed)
    if entrant is None:
        return Side(source, nobody=Nobody.BYE)
    return Side(source, entrant.player, seed, out=entrant.player in out)


def ends(topology: Topology) -> tuple[Key, ...]:
    """None: it is over when no round is left."""
    return ()


def exit_level(topology: Topology, key: Key, won: bool) -> int:
    """Raises `LookupError`: nobody goes out by losing."""
    raise LookupError(str(key))


def standings(topology: Topology, field: Sequence[Entrant], pairings: Iterable[Pairing]) -> tuple[Row, ...]:
    """By points (1, ½, 0; a rest gives 0), then by the tie-breaks; who is equal in all of them shares a rank."""
    names = topology.settings.tiebreaks or DEFAULT_TIEBREAKS
    return tiebreaks.standings(names, topology.settings.cycles, field, pairings)


_RULES = cast(Format, sys.modules[__name__])
