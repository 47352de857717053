"""Budgets: what an accepted action costs, over whole matches between client programs that play as house bots do."""

from collections.abc import Iterator
from random import Random
from statistics import fmean, median
from typing import Any

import pytest

from functions.shared import wiring
from infra.bench.capacity import Cost, Meter
from tests.faults.clients import actions, house
from tests.faults.telling import show
from tests.faults.world import STACK, World

MATCHES: dict[str, tuple[int, ...]] = {
    "liars-poker": (2, 2, 3, 4, 5, 6, 8, 10),
    "misfortune": (2, 2, 2, 2),
    "half-deck-poker": (2, 2),
    "micro-poker": (3, 4, 6),
}


def percentile(values: list[float], part: float) -> float:
    """The smallest of the values that at least this part of them doesn't exceed."""
    return sorted(values)[max(0, -int(-part * len(values) // 1) - 1)]


@pytest.fixture(autouse=True)
def same_matches_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids and keys come from a seed, and from them the deals."""
    services = wiring.services()._replace(random_bytes=Random(1).randbytes)
    monkeypatch.setattr(wiring, "services", lambda: services)


def costs_of_actions(world: World, game: str, seats: int) -> Iterator[list[Cost]]:
    """What each accepted action of a match cost on the table of matches."""
    meter = Meter(STACK)
    callers = world.players(seats)
    with world.around(meter):
        match = world.table(callers, game)
        for number, (caller, turn, action) in enumerate(actions(world, callers, match, house)):
            meter.costs.clear()
            assert caller.act(match, turn, action, f"key-{number}").status == 200
            assert {cost.operation for cost in meter.costs} <= {"GetItem", "PutItem", "TransactWriteItems"}
            yield [cost for cost in meter.costs if cost.table == "MatchesTable"]


@pytest.mark.parametrize("game", MATCHES)
def test_an_action_costs_one_read_unit_and_two_write_units_mostly_and_seldom_more_than_eight(
    world: World, game: str
) -> None:
    costs: list[Any] = [one for seats in MATCHES[game] for one in costs_of_actions(world, game, seats)]
    reads = [sum(cost.read for cost in one) for one in costs]
    writes = [sum(cost.write for cost in one) for one in costs]
    units = [read + write for read, write in zip(reads, writes, strict=True)]
    sizes = [max(cost.size for cost in one) for one in costs]
    put_away = sum(any(cost.operation == "TransactWriteItems" for cost in one) for one in costs)
    show(
        f"{game:16}{len(MATCHES[game])} matches, {len(costs):4} actions: read {median(reads):.0f}, write "
        f"{median(writes):.0f} (mean {fmean(writes):.2f}), p99 {percentile(units, 0.99):.0f}, most {max(units):.0f} "
        f"units; item {median(sizes):.0f}, most {max(sizes)} bytes; put away {put_away} times"
    )
    assert median(reads) == 1
    assert median(writes) <= 2
    assert percentile(units, 0.99) <= 8
    assert median(sizes) <= 2048
    assert max(sizes) <= 24 * 1024
