"""What a tournament costs: calls for a result whatever its size, items whatever their number."""

from itertools import accumulate
from typing import Any

import pytest

from engine import tournament as engine
from engine.deal import Stream
from engine.tournament import settings
from engine.tournament.protocol import Amount, Entrant, Part, Row, Settings, Tiebreak
from functions.shared import ids
from functions.shared.flows.tournaments import closing
from functions.shared.store import tournament_items as items
from functions.shared.store.records_tournament import (
    EntryRecord,
    PairingRecord,
    Registration,
    RoundRecord,
    TournamentRecord,
)
from infra.bench.capacity import size_of
from tests.faults import tournament_events as events
from tests.faults import world as worlds
from tests.faults.breaking import plain
from tests.faults.world import Call

NOW = 1_764_460_800_000
LARGEST = 100_000
"""Bytes of an item: a quarter of what DynamoDB allows."""

READS, WRITES = "BatchGetItem", "TransactWriteItems"


class Noting:
    """A hook that notes the calls, with their tables."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __call__(self, operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        self.calls.append(f"{operation} {parameters.get('TableName', '')}".rstrip())
        return plain(operation, parameters, call)


def result_calls(n: int) -> list[list[str]]:
    """What settling two matches of the first round costs whose winners meet."""
    found = []
    with worlds.running() as world:
        event = events.entered(world, "single-elimination", n)
        events.begin(event)
        for match_id in events.running(event)[:2]:
            events.finish(event, match_id, events.by_strength(event)(match_id))
            noting = Noting()
            with world.around(noting):
                events.deliver(event)
            found.append(noting.calls)
    return found


def test_a_result_costs_the_same_calls_in_a_bracket_of_eight_and_of_five_hundred_and_twelve() -> None:
    first, second = result_calls(8)
    # The tournament; the pairing with its follower; the rounds; who is out; what that changes.
    read = ["GetItem MatchesTable", READS, WRITES]
    move = ["GetItem TournamentsTable", READS, "Query TournamentsTable", READS, WRITES]
    # Both sides of the follower are known: names, ratings, nonces; the match, and that it has begun.
    begin = [READS, READS, READS, WRITES]
    assert first == [*read, *move, WRITES]
    assert second == [*read, *move, *begin, WRITES]
    assert result_calls(512) == [first, second]


# Storage for 10,000 entrants, computed without a match


def player(number: int) -> str:
    return ids.derived(ids.PLAYER, NOW, number.to_bytes(10, "big"))


def tournament(n: int) -> TournamentRecord:
    return TournamentRecord(
        ids.new(ids.TOURNAMENT, NOW),
        "x" * 80,
        "misfortune",
        {},
        "double-elimination",
        NOW,
        Registration(NOW, NOW, n, 60, (0, 4000), "c" * 64),
        "rating",
        Settings(),
        {"kind": "per-move", "seconds": 1, "on_timeout": "default-action"},
        1,
        False,
        "America/Argentina/ComodRivadavia",
        "f" * 64,
        tuple(map(player, range(20))),
        NOW,
    )


def test_the_item_of_a_tournament_does_not_grow_with_its_entrants() -> None:
    sizes = [size_of(items.meta_item(tournament(n)).serialize()) for n in (2, 10_000)]
    assert max(sizes) < 2_000


@pytest.mark.parametrize("format_id", ["single-elimination", "double-elimination", "heats"])
def test_ten_thousand_entrants_are_items_far_below_the_bound(format_id: str) -> None:
    n = 10_000
    chosen = settings.parse(format_id, (3, 10), {"seats": 10}) if format_id == "heats" else Settings()
    field = tuple(Entrant(player(seed), seed, 1_500_000) for seed in range(1, n + 1))
    topology = engine.topology(format_id, n, chosen)
    pairings = engine.start(topology, field, lambda label: Stream(b"key", label))
    event = ids.new(ids.TOURNAMENT, NOW)
    rows = engine.standings(topology, field, pairings)
    stored = [
        *(
            items.pairing_item(event, PairingRecord(one, NOW, NOW, ("m" * 30,), ("1/" + player(1),)))
            for one in pairings
        ),
        *(items.entry_item(event, EntryRecord(one.player, NOW, nonce="f" * 128)) for one in field),
        *(items.chunk_item(event, chunk) for chunk in closing.chunks(rows)),
        items.round_item(event, RoundRecord("main", 1, len(pairings), len(pairings), "f" * 64, NOW)),
    ]
    sizes = [size_of(item.serialize()) for item in stored]
    assert len(stored) > n + 1000
    assert max(sizes) < LARGEST
    kept = {row.player for chunk in closing.chunks(rows) for row in chunk.rows}
    assert len(kept) == n


def test_standings_with_many_summands_stay_below_the_bound() -> None:
    """A double round robin of 64: 126 rounds, three criteria, each with a summand a round."""
    parts = tuple(Part(number, player(number), Amount(1, 2)) for number in range(126))
    tiebreaks = tuple(Tiebreak(name, Amount(63), parts) for name in ("head-to-head", "wins", "sonneborn-berger"))
    rows = [Row(seed, player(seed), seed, Amount(63), tiebreaks, "wins") for seed in range(64)]
    chunks = closing.chunks(rows)
    assert [row for chunk in chunks for row in chunk.rows] == rows
    assert [chunk.first for chunk in chunks] == [0, *accumulate(len(chunk.rows) for chunk in chunks[:-1])]
    assert max(size_of(items.chunk_item("trn_x", chunk).serialize()) for chunk in chunks) < LARGEST
