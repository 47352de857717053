"""Each format, with a few players, from the first entry to the last notice, by the schedule and the streams alone."""

from typing import Any

import pytest

from engine.match.record import Status
from functions.shared.store.records_tournament import Phase, Step
from tests.faults import tournament_events as events
from tests.faults.world import World

FORMATS: list[tuple[str, dict[str, Any]]] = [
    ("single-elimination", {}),
    ("single-elimination", {"third_place": True}),
    ("single-elimination", {"match": events.creating.MatchOrder(best_of=3)}),
    ("double-elimination", {}),
    ("round-robin", {}),
    ("round-robin", {"cycles": 2}),
    ("heats", {"match": events.creating.MatchOrder(seats=3)}),
    ("heats", {"rounds": 2, "match": events.creating.MatchOrder(seats=3)}),
]


@pytest.mark.parametrize("n", range(2, 9))
@pytest.mark.parametrize(("format_id", "fields"), FORMATS)
def test_an_event_plays_itself_to_the_end(world: World, format_id: str, fields: dict[str, Any], n: int) -> None:
    event = events.entered(world, format_id, n, **fields)
    events.begin(event)
    assert event.record.phase is Phase.RUNNING
    events.play_on(event, events.at_random(event, n))
    record = event.record
    assert (record.phase, record.step, record.due) == (Phase.FINISHED, Step.REST, None)
    table = events.table(event)
    assert sorted(number for _, number in table) == list(range(1, n + 1))
    assert all(pairing.due is None for pairing in event.pairings)
    for pairing in event.pairings:
        assert pairing.pairing.status in ("settled", "void")
        for match_id in filter(None, pairing.matches):
            found = event.services.matches.get(match_id)
            assert found is not None
            assert found.match.status is Status.FINISHED
            assert found.settled
            assert found.fixture is not None
            assert found.fixture.tournament == event.id
            assert not found.talk
            assert found.rated
