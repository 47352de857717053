"""Heats: tables of two to ten, as many seats as the game has (tournaments.md, "Formats", `heats`).

With `advance` the best of each table go on until one table is left, the final. With `rounds` everybody plays that many
rounds, and points decide.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from engine.deal import Chance
from engine.tournament import heats_standings, heats_tables, series
from engine.tournament.format import Format
from engine.tournament.heats_standings import Past
from engine.tournament.heats_tables import number_of_tables
from engine.tournament.protocol import (
    Entrant,
    Flow,
    Key,
    Origin,
    Pairing,
    Player,
    Row,
    Settings,
    Shape,
    Side,
    Source,
    Status,
    Topology,
)
from engine.tournament.ranking import gone
from engine.tournament.seeding import snake

ID = "heats"
KNOCK_OUT = False
BY_ROUNDS = True
REBUILDS = True
TABLES = True
MOST = 10_000
TIEBREAKS = heats_standings.TIEBREAKS

MAIN = "main"


class Table(NamedTuple):
    """Who sits at a table; by seat, once the seats are drawn."""

    players: tuple[Player, ...]
    seats: tuple[int, ...]


def _goers(settings: Settings, sizes: Sequence[int]) -> int:
    """How many of each table go on (step 3)."""
    wanted = settings.advance or settings.seats // 2
    return min(max(wanted, -(-settings.least // len(sizes))), min(sizes) - 1)


def _sizes(n: int, tables: int) -> list[int]:
    return [n // tables + (number < n % tables) for number in range(tables)]


def ordinal(topology: Topology, key: Key) -> int:
    """The round."""
    return key.round


def shapes(topology: Topology) -> tuple[Shape, ...]:
    """The rounds, as long as nobody withdraws."""
    settings, left = topology.settings, topology.n
    found: list[Shape] = []
    while True:
        tables = number_of_tables(left, settings.seats, settings.least)
        found.append(Shape(MAIN, len(found) + 1, tables))
        if len(found) == settings.rounds or (tables == 1 and not settings.rounds):
            return tuple(found)
        if not settings.rounds:
            left = tables * _goers(settings, _sizes(left, tables))


def depth(topology: Topology) -> int:
    """As many as rounds."""
    return len(shapes(topology))


def blank(topology: Topology, key: Key) -> Pairing:
    """Raises `LookupError`: tables come with their rounds."""
    raise LookupError(str(key))


def flows(topology: Topology, pairing: Pairing) -> tuple[Flow, ...]:
    """None: the next round comes from all tables together."""
    return ()


def ends(topology: Topology) -> tuple[Key, ...]:
    """None: it is over when no round is left."""
    return ()


def exit_level(topology: Topology, key: Key, won: bool) -> int:
    """Raises `LookupError`: places go by round and table."""
    raise LookupError(str(key))


def make_round(
    topology: Topology, field: Sequence[Entrant], pairings: Iterable[Pairing], number: int, chance: Chance
) -> tuple[Pairing, ...]:
    """Round `number` of those who are left; empty after the last one, or when fewer than the game's minimum are."""
    settings = topology.settings
    undone = {pairing.key: pairing for pairing in pairings if pairing.status is Status.VOID}
    played = tuple(p for p in pairings if p.key not in undone and p.key.round < number)
    left = _left(topology, field, played, number)
    if len(left) < settings.least:
        return ()
    tables = number_of_tables(len(left), settings.seats, settings.least)
    past = heats_standings.past(played)
    if settings.rounds and number > 1:
        order = sorted(left, key=lambda entrant: (-past.points[entrant.player], entrant.seed))
        seated = heats_tables.cut([entrant.player for entrant in order], tables)
        seated = heats_tables.mixed(seated, heats_tables.meetings(played))
    else:
        seated = [[entrant.player for entrant in table] for table in snake(left, tables)]
    sat = heats_tables.places(played) if settings.rounds else Counter[Player]()
    seeds = {entrant.player: entrant.seed for entrant in field}
    return tuple(
        _table(undone, Key(MAIN, number, place), players, seeds, sat, chance) for place, players in enumerate(seated, 1)
    )


def _left(topology: Topology, field: Sequence[Entrant], played: Sequence[Pairing], number: int) -> list[Entrant]:
    """Who plays round `number`, by seed."""
    settings = topology.settings
    by_seed = sorted(field, key=lambda entrant: entrant.seed)
    out = gone(field, played)
    if number == 1 or number <= settings.rounds:
        return [entrant for entrant in by_seed if entrant.player not in out]
    last = [pairing for pairing in played if pairing.key.round == number - 1]
    if settings.rounds or len(last) <= 1:
        return []
    chosen = goers(topology, last, heats_standings.past(played), out)
    return [entrant for entrant in by_seed if entrant.player in chosen]


def goers(topology: Topology, last: Sequence[Pairing], past: Past, out: frozenset[Player]) -> frozenset[Player]:
    """Who goes on from a round that was no final: the best of each settled table who are not out, by rank, points so
    far, scores so far, seed."""
    most = _goers(topology.settings, [len(pairing.sides) for pairing in last])
    found: list[Player] = []
    for pairing in last:
        if pairing.result is None:
            continue
        able = [
            (rank, -past.points[side.player], -past.scores[side.player], side.seed, side.player)
            for side, rank in zip(pairing.sides, pairing.result.ranks, strict=True)
            if side.player not in out
        ]
        found += [player for *_, player in sorted(able)[:most]]
    return frozenset(found)


def _table(
    undone: dict[Key, Pairing],
    key: Key,
    players: Sequence[Player],
    seeds: dict[Player, int],
    sat: Counter[Player],
    chance: Chance,
) -> Pairing:
    sides = tuple(Side(Source(Origin.SEED, seeds[player]), player, seeds[player]) for player in players)
    # Who has sat late so far sits early now; equals as the shuffle has them, all of them in the first round.
    shuffled = chance(f"heats/round={key.round}/table={key.place}").shuffle(range(len(players)))
    seats = tuple(sorted(shuffled, key=lambda index: -sat[players[index]]))
    before = undone[key].games if key in undone else ()
    return series.with_game(Pairing(key, sides, Status.READY, games=before), seats)


def standings(topology: Topology, field: Sequence[Entrant], pairings: Iterable[Pairing]) -> tuple[Row, ...]:
    """With `rounds` by points; with `advance` by the round and the place at the table that each came to."""
    played = tuple(pairing for pairing in pairings if pairing.status is not Status.VOID)
    settings = topology.settings
    if settings.rounds:
        return heats_standings.by_points(settings.tiebreaks, field, played)
    number = max((pairing.key.round for pairing in played), default=0)
    last = [pairing for pairing in played if pairing.key.round == number]
    is_final = len(last) == 1
    past = heats_standings.past(played)
    on = frozenset[Player]() if is_final else goers(topology, last, past, gone(field, played))
    is_closed = all(pairing.result is not None for pairing in last)
    has_ended = not is_final and is_closed and len(on) < settings.least
    return heats_standings.by_rounds(field, played, on, has_ended)


_RULES = cast(Format, sys.modules[__name__])
