"""Single elimination: who loses is out; with `third_place` the losers of the semi-finals meet once more."""

import sys
from collections.abc import Iterable, Sequence
from typing import cast

from engine.deal import Chance
from engine.tournament import bracket
from engine.tournament.bracket import Slot, levels
from engine.tournament.format import Format
from engine.tournament.protocol import Entrant, Flow, Key, Origin, Pairing, Row, Shape, Topology

ID = "single-elimination"
KNOCK_OUT = True
BY_ROUNDS = False
REBUILDS = False
TABLES = False
MOST = bracket.MOST
TIEBREAKS: tuple[str, ...] = ()

MAIN, THIRD_PLACE = "main", "third-place"
THIRD_FROM = 4
"""The fewest entrants with a match for the third place."""

_STEPS = 4
"""Levels of exit from a round to the next: the match for the third place lies between the last two."""


def _has_third(topology: Topology) -> bool:
    return topology.settings.third_place and topology.n >= THIRD_FROM


def depth(topology: Topology) -> int:
    """log₂ P: the match for the third place is played beside the final."""
    return levels(topology.n)


def ordinal(topology: Topology, key: Key) -> int:
    """The round; of the match for the third place that of the final."""
    return levels(topology.n) if key.stage == THIRD_PLACE else key.round


def shapes(topology: Topology) -> tuple[Shape, ...]:
    """The rounds of the bracket, then the match for the third place."""
    rounds = {MAIN: levels(topology.n), THIRD_PLACE: int(_has_third(topology))}
    return tuple(
        Shape(stage, number, _pairings(topology, stage, number))
        for stage, most in rounds.items()
        for number in range(1, most + 1)
    )


def _pairings(topology: Topology, stage: str, number: int) -> int:
    """How many pairings a round has; 0 for one that does not exist."""
    last = levels(topology.n)
    if stage == MAIN and 1 <= number <= last:
        return 1 << (last - number)
    return 1 if stage == THIRD_PLACE and number == 1 and _has_third(topology) else 0


def blank(topology: Topology, key: Key) -> Pairing:
    """Winners of places 1 and 2 meet in 1, of 3 and 4 in 2. Raises `LookupError` for an unknown key."""
    if not 1 <= key.place <= _pairings(topology, key.stage, key.round):
        raise LookupError(str(key))
    if key.stage == THIRD_PLACE:
        semi = levels(topology.n) - 1
        return bracket.waiting(key, *((Origin.LOSER, Key(MAIN, semi, place)) for place in (1, 2)))
    if key.round == 1:
        return bracket.first_round(MAIN, topology, key.place)
    below = (Key(MAIN, key.round - 1, 2 * key.place - 1), Key(MAIN, key.round - 1, 2 * key.place))
    return bracket.waiting(key, *((Origin.WINNER, of) for of in below))


def flows(topology: Topology, pairing: Pairing) -> tuple[Flow, ...]:
    """The winner goes to the next round; the loser of a semi-final to the third-place match, if there is one."""
    key, last = pairing.key, levels(topology.n)
    if key.stage == THIRD_PLACE or key.round == last:
        return ()
    is_semi = key.round == last - 1 and _has_third(topology)
    loser: Slot | None = (Key(THIRD_PLACE, 1, 1), key.place - 1) if is_semi else None
    return bracket.flows(pairing, bracket.upwards(MAIN, key), loser)


def make_round(
    topology: Topology, field: Sequence[Entrant], pairings: Iterable[Pairing], number: int, chance: Chance
) -> tuple[Pairing, ...]:
    """The start; later rounds come from results."""
    return bracket.start(_RULES, MAIN, topology, field) if number == 1 else ()


def ends(topology: Topology) -> tuple[Key, ...]:
    """The final and the match for the third place."""
    final = Key(MAIN, levels(topology.n), 1)
    return (final, Key(THIRD_PLACE, 1, 1)) if _has_third(topology) else (final,)


def exit_level(topology: Topology, key: Key, won: bool) -> int:
    """The later the round, the higher; between the last two rounds the match for the third place."""
    if key.stage == THIRD_PLACE:
        return _STEPS * levels(topology.n) - (1 if won else 2)
    return _STEPS * key.round + won


def standings(topology: Topology, field: Sequence[Entrant], pairings: Iterable[Pairing]) -> tuple[Row, ...]:
    """1 2 3 3 5 5 5 5, or with the match for the third place 1 2 3 4 5 5 5 5."""
    return bracket.standings(_RULES, topology, field, pairings)


_RULES = cast(Format, sys.modules[__name__])
