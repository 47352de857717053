"""Who has which seed, and where seeds stand in a bracket (tournaments.md, "Formats")."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from engine.deal import Chance
from engine.errors import Code, Refused
from engine.tournament.protocol import Entrant, MilliPoints, Player, Seed
from engine.types import EpochMs

LABEL = "seeding"
"""The stream of a random seeding."""


class Method(StrEnum):
    """How the seeds are found."""

    RATING = "rating"
    RANDOM = "random"
    MANUAL = "manual"


class Entry(NamedTuple):
    """Who takes part, at the start."""

    player: Player
    at: EpochMs
    """When the player entered."""
    rating: MilliPoints
    seed: Seed | None = None
    """The organizer's, with manual seeding."""


def require_distinct(seeds: Iterable[Seed | None]) -> None:
    """Raises `Refused` (invalid-request) when an organizer gives a seed twice, or one below 1."""
    given = [seed for seed in seeds if seed is not None]
    if any(seed < 1 for seed in given):
        raise Refused(Code.INVALID_REQUEST, "must be 1 or more", ("seed",))
    twice = sorted({seed for seed in given if given.count(seed) > 1}) if len(set(given)) < len(given) else []
    if twice:
        raise Refused(Code.INVALID_REQUEST, f"seed {twice[0]} is given twice; each may be given once", ("seed",))


def seeded(entries: Sequence[Entry], method: Method, chance: Chance) -> tuple[Entrant, ...]:
    """The field, seeds 1…n in order, whatever the order of `entries`.

    `rating`: the highest first, then who entered first. `manual`: by the seeds given, gaps closed, the others after
    them by rating. `random`: a shuffle of the entry order. Equal moments go by the player's id. Raises `Refused` as
    `require_distinct` does.
    """
    if method is Method.RANDOM:
        order = list(chance(LABEL).shuffle(sorted(entries, key=lambda e: (e.at, e.player))))
    else:
        order = sorted(entries, key=lambda e: (-e.rating, e.at, e.player))
        if method is Method.MANUAL:
            require_distinct(entry.seed for entry in entries)
            order.sort(key=lambda e: (e.seed is None, e.seed or 0))
    return tuple(Entrant(entry.player, seed, entry.rating) for seed, entry in enumerate(order, 1))


@cache
def bracket_order(places: int) -> tuple[Seed, ...]:
    """The seeds of a bracket of 2^k places from top to bottom: each seed s of the order of half the size is followed by
    its opponent, places + 1 − s."""
    if places == 1:
        return (1,)
    return tuple(seed for s in bracket_order(places // 2) for seed in (s, places + 1 - s))


def snake(field: Sequence[Entrant], tables: int) -> list[list[Entrant]]:
    """The field dealt to tables, there and back again: 1…t, then t…1, and so on."""
    dealt: list[list[Entrant]] = [[] for _ in range(tables)]
    for i, entrant in enumerate(field):
        row, column = divmod(i, tables)
        dealt[column if row % 2 == 0 else tables - 1 - column].append(entrant)
    return dealt
