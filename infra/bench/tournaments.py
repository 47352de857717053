"""How long brackets and rounds of 10,000 entrants take, and what a result touches: `make bench-tournaments`.

Each event is started, played to its end with random results and ranked, by the engine alone. The goal is 1 s for a
bracket or a round. A result touches its pairing and its direct followers, byes and walkovers apart, which pass on.
"""

import random
import sys
import time
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from engine import deal, tournament
from engine.tournament import course, draw, settings
from engine.tournament.protocol import Ended, Entrant, Facts, Key, Pairing, Started, Topology
from engine.types import Data

ENTRANTS = 10_000
KEY = bytes(32)

PAIRS, TABLES = (2, 2), (3, 6)
EVENTS: tuple[tuple[str, tuple[int, int], Data], ...] = (
    ("single-elimination", PAIRS, {}),
    ("single-elimination", PAIRS, {"third_place": True}),
    ("double-elimination", PAIRS, {}),
    ("heats", TABLES, {"seats": 4}),
    ("heats", TABLES, {"seats": 6, "advance": 1}),
    ("heats", TABLES, {"seats": 4, "rounds": 7}),
    ("heats", TABLES, {"seats": 6, "rounds": 7}),
)


class Figures(NamedTuple):
    """What was measured of an event. Times are in seconds."""

    rounds: list[float]
    """How long each round took to make; of a bracket there is one, the start."""
    results: int
    result_us: float
    """Microseconds a result, what follows from it included."""
    touched: float
    """Pairings that a result wrote, on average."""
    most_touched: int
    standings: float


def measure(format_id: str, tables: tuple[int, int], given: Data, entrants: int = ENTRANTS) -> Figures:
    """Plays an event with random results."""
    chosen = settings.parse(format_id, tables, given)
    topology = tournament.topology(format_id, entrants, chosen)
    field = [Entrant(f"ply_{seed}", seed, 2_000_000 - seed) for seed in range(1, entrants + 1)]
    chance = draw.chance(KEY, "trn_bench", format_id, chosen)
    stored: dict[Key, Pairing] = {}
    rounds: list[float] = []
    touched: list[int] = []
    playing = 0.0
    while made := _round(topology, field, stored, chance, rounds):
        stored.update((pairing.key, pairing) for pairing in made)
        begin = time.perf_counter()
        touched += _play(topology, stored, [pairing.key for pairing in made])
        playing += time.perf_counter() - begin
        if not tournament.by_rounds(topology):
            break
    begin = time.perf_counter()
    tournament.standings(topology, field, stored.values())
    standings = time.perf_counter() - begin
    return Figures(rounds, len(touched), 1e6 * playing / len(touched), fmean(touched), max(touched), standings)


def _round(
    topology: Topology,
    field: Sequence[Entrant],
    stored: dict[Key, Pairing],
    chance: deal.Chance,
    rounds: list[float],
) -> tuple[Pairing, ...]:
    begin = time.perf_counter()
    if stored:
        made = tournament.next_round(topology, field, stored.values(), len(rounds) + 1, chance)
    else:
        made = tournament.start(topology, field, chance)
    if made:
        rounds.append(time.perf_counter() - begin)
    return made


def _play(topology: Topology, stored: dict[Key, Pairing], keys: list[Key]) -> list[int]:
    """Plays all that is ready and what becomes so; how many pairings each result wrote."""
    rng = random.Random(1)  # noqa: S311 - results of a benchmark, no secret
    touched = []
    while keys:
        for order in course.orders(stored[keys.pop()]):
            started = tournament.follow(topology, stored[order.key], Started(order.number), stored.get)
            stored.update((pairing.key, pairing) for pairing in started)
            size = len(order.players)
            ranks = tuple(rng.sample(range(1, size + 1), size))
            facts = Facts("played", ranks, ranks, ("",) * size, (True,) * size)
            changed = tournament.follow(topology, stored[order.key], Ended(order.number, facts), stored.get)
            stored.update((pairing.key, pairing) for pairing in changed)
            touched.append(len(changed))
            keys += [pairing.key for pairing in changed]
    return touched


def main() -> None:
    """Prints a line an event."""
    heading = "event", "rounds", "slowest s", "results", "µs each", "touched", "at most", "standings s"
    sys.stdout.write(f"{ENTRANTS} entrants; the goal is 1 s for a bracket or a round\n")
    sys.stdout.write("{:44}{:>8}{:>11}{:>9}{:>9}{:>9}{:>9}{:>13}\n".format(*heading))
    for format_id, tables, given in EVENTS:
        name = " ".join([format_id, *(f"{key}={value}" for key, value in given.items())])
        found = measure(format_id, tables, given)
        cells = f"{len(found.rounds):8}{max(found.rounds):11.2f}{found.results:9}{found.result_us:9.0f}"
        sys.stdout.write(f"{name:44}{cells}{found.touched:9.2f}{found.most_touched:9}{found.standings:13.2f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
