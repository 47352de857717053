"""Every rank equals a sorted list's when the queues have drained, whatever happened on the way (ladder.md, "Exact ranks
at any size"). A test of the total would prove nothing."""

import pytest

from tests.faults import ladder_checks as checks
from tests.faults.ladder_chaos import Chaos
from tests.faults.ladder_world import player
from tests.faults.world import World

SEEDS = range(3)


def run(world: World, seed: str, players: int, results: int) -> Chaos:
    chaos = Chaos(world, seed, players, results)
    chaos.run()
    checks.check_counts(world)
    checks.check_books(world, chaos.matches)
    return chaos


@pytest.mark.parametrize("seed", SEEDS)
def test_all_ranks_are_exact_when_the_queues_have_drained(world: World, seed: int) -> None:
    chaos = run(world, f"ladder/{seed}", players=60, results=300)
    assert chaos.broken > 50
    stored = checks.ratings(world)
    assert len(stored) > 50
    assert any(not rating.listed for rating in stored.values())
    entries = checks.books(world)
    assert any(entry.annuls for entry in entries)
    assert {entry.reason for entry in entries} == {"", "too-short", "rematch-limit"}
    checks.check_reads(world, [player(number) for number in range(60)])
    checks.check_fsck(world, listed=len(checks.sorted_ranks(stored)))


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_all_ranks_are_exact_in_a_large_ladder(world: World) -> None:
    chaos = run(world, "ladder/large", players=20_000, results=40_000)
    assert chaos.broken > 500
    assert len(checks.ratings(world)) > 15_000
    checks.check_reads(world, [player(number) for number in range(0, 20_000, 500)])
