"""Tournaments, pure: a topology and pairings in, changed pairings out. `protocol` says how a caller drives it.

A format's module is loaded when it is first asked for.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from typing import cast

from engine.deal import Chance
from engine.errors import Code, Refused
from engine.tournament import course, leaving, spread
from engine.tournament.format import Format
from engine.tournament.protocol import (
    Entrant,
    Event,
    Exit,
    Key,
    Lookup,
    Pairing,
    Pairings,
    Player,
    Row,
    Settings,
    Shape,
    Topology,
)

_MODULES = {
    "single-elimination": "engine.tournament.single_elimination",
    "double-elimination": "engine.tournament.double_elimination",
    "round-robin": "engine.tournament.round_robin",
    "heats": "engine.tournament.heats",
}

IDS = tuple(_MODULES)

LEAST = 2
"""The fewest entrants; in heats the game's smallest table, if that is larger."""


@cache
def find(format_id: str) -> Format:
    """The format with this id. Raises `Refused` (invalid-request) naming those that are possible."""
    module = _MODULES.get(format_id)
    if module is None:
        raise Refused(Code.INVALID_REQUEST, "must be one of: " + ", ".join(IDS), ("format",))
    return cast(Format, import_module(module))


def least(format_id: str, settings: Settings) -> int:
    """With how many entrants an event can start: two, in heats as many as the game's smallest table seats."""
    return max(LEAST, settings.least) if find(format_id).TABLES else LEAST


def topology(format_id: str, n: int, settings: Settings) -> Topology:
    """What the course of an event with `n` entrants follows from.

    Raises `Refused` (invalid-request) for an unknown format, or for more or fewer entrants than it can have.
    """
    low, high = least(format_id, settings), find(format_id).MOST
    if not low <= n <= high:
        raise Refused(Code.INVALID_REQUEST, f"{format_id} takes {low} to {high} entrants", ("registration", "capacity"))
    return Topology(format_id, n, settings)


def shapes(topology: Topology) -> tuple[Shape, ...]:
    """All rounds in the order of display, those that may never come to be included."""
    return find(topology.format).shapes(topology)


def depth(topology: Topology) -> int:
    """How many round deadlines follow one another at most: the latest end is the start plus so many of them."""
    return find(topology.format).depth(topology)


def ordinal(topology: Topology, key: Key) -> int:
    """Which of the rounds that follow one another a pairing belongs to, from 1: all before it in the same bracket have
    lower ones, and `depth` is the highest."""
    return find(topology.format).ordinal(topology, key)


def by_rounds(topology: Topology) -> bool:
    """Whether a round is created when the last one has closed; else it is a bracket, known from the start."""
    return find(topology.format).BY_ROUNDS


def start(topology: Topology, field: Sequence[Entrant], chance: Chance) -> tuple[Pairing, ...]:
    """The pairings that somebody is known of, at the start, in the order of stages, rounds and places.

    `field` has the seeds 1…n, in any order. Byes are settled and carried on already.
    """
    if sorted(entrant.seed for entrant in field) != list(range(1, topology.n + 1)):
        raise ValueError("the field does not have the seeds 1 to n")
    return find(topology.format).make_round(topology, field, (), 1, chance)


def next_round(
    topology: Topology, field: Sequence[Entrant], pairings: Iterable[Pairing], number: int, chance: Chance
) -> tuple[Pairing, ...]:
    """Round `number` (from 2) of a format that makes its rounds one after the other; empty when the event is over.

    `pairings` are all of the rounds before, settled, and those of this round that a ruling has undone. Raises
    `ValueError` when one of the rounds before is not settled: the round is not closed.
    """
    known = tuple(pairings)
    if any(pairing.key.round < number and not course.is_done(pairing) for pairing in known):
        raise ValueError(f"round {number - 1} is not closed")
    return find(topology.format).make_round(topology, field, known, number, chance)


def blank(topology: Topology, key: Key) -> Pairing:
    """A pairing of a bracket of which nothing is stored: nobody is known, but where they will come from.

    Raises `LookupError` for a key that the topology does not have.
    """
    return find(topology.format).blank(topology, key)


def following(topology: Topology, key: Key) -> tuple[Key, ...]:
    """The pairings that take a side from this one: two at most, none where rounds are made one after the other."""
    if by_rounds(topology):
        return ()
    return tuple(dict.fromkeys(flow.key for flow in find(topology.format).flows(topology, blank(topology, key))))


def is_over(topology: Topology, lookup: Lookup) -> bool:
    """Whether a bracket has come to its end. `lookup` gives what is stored of the last pairings."""
    last = [lookup(key) or blank(topology, key) for key in find(topology.format).ends(topology)]
    return all(map(course.is_done, last))


def advance(topology: Topology, pairing: Pairing, event: Event | None, followers: Pairings) -> tuple[Pairing, ...]:
    """What an event changes: in the pairing, and in those that follow it directly; empty when it changes nothing.

    `followers` holds what is stored of `following(topology, pairing.key)`. With None instead of an event, a pairing
    that is owed is carried on. The result is to be written in one transaction; whatever in it is owed comes next.
    Raises `LookupError` for a game that the pairing never had. A ruling goes through `rulings.rule`.
    """
    return spread.step(find(topology.format), topology, pairing, event, followers.get)


def follow(topology: Topology, pairing: Pairing, event: Event | None, lookup: Lookup) -> tuple[Pairing, ...]:
    """Everything that an event changes, near and far, in one go: `advance` until nothing is owed."""
    rules = find(topology.format)
    known = {changed.key: changed for changed in spread.step(rules, topology, pairing, event, lookup)}
    spread.spread(rules, topology, known, [key for key, changed in known.items() if changed.owed], lookup)
    return tuple(known.values())


def whereabouts(topology: Topology, pairing: Pairing, player: Player) -> Key | None:
    """Where a player of this pairing went from here; None while it is not settled, or when the way ends here."""
    flows = find(topology.format).flows(topology, pairing)
    return next((flow.key for flow in flows if flow.side.player == player), None)


def exits(topology: Topology, pairing: Pairing) -> tuple[Exit, ...]:
    """Who goes no further after this pairing of a bracket, the champion included; nobody while it is not settled."""
    return leaving.of(find(topology.format), topology, pairing)


def standings(topology: Topology, field: Sequence[Entrant], pairings: Iterable[Pairing]) -> tuple[Row, ...]:
    """The table at any time, the best first. `pairings` are all that are stored; those of a bracket may be left out as
    long as nobody went out in them."""
    return find(topology.format).standings(topology, field, tuple(pairings))
