"""Which round is being played: the first one with an open pairing, whatever ends, is walked over or is undone."""

import random
from contextlib import suppress

import pytest

from engine import tournament as engine
from engine.tournament import course
from engine.tournament.protocol import Key
from functions.shared.flows.tournaments import life, ruling
from functions.shared.problems import Rejected
from functions.shared.store.records_tournament import Phase
from tests.faults import tournament_events as events
from tests.faults.tournament_events import Event, keyed, play_at, started
from tests.faults.world import World


def true_round(event: Event) -> int:
    """The first round with an open pairing, by what is stored."""
    topology = life.topology(event.record)
    stored = {one.pairing.key: one.pairing for one in event.pairings}
    keys = [
        Key(shape.stage, shape.round, place)
        for shape in engine.shapes(topology)
        for place in range(1, shape.pairings + 1)
    ]
    every = {key: stored.get(key) or engine.blank(topology, key) for key in keys}
    return min(engine.ordinal(topology, key) for key, one in every.items() if not course.is_done(one))


def test_a_bracket_shows_the_round_that_is_being_played(world: World) -> None:
    event = events.entered(world, "single-elimination", 5, third_place=True)
    assert event.record.round == 0
    events.begin(event)
    # The highest seeds but one have met in round 2 from the start on; round 1 has one match.
    assert [events.at(event, where).pairing.status for where in ("main/1/2", "main/2/2")] == ["playing"] * 2
    seen = [event.record.round]
    for where in ("main/2/2", "main/1/2", "main/2/1", "main/3/1", "third-place/1/1"):
        play_at(event, where)
        seen.append(event.record.round)
    assert seen == [1, 1, 2, 3, 3, 3]
    assert event.record.phase is Phase.FINISHED


@pytest.mark.parametrize(("upset", "last"), [(False, 4), (True, 5)])
def test_the_second_grand_final_is_a_round_where_it_is_needed(world: World, upset: bool, last: int) -> None:
    event = started(world, "double-elimination", 4)
    seen = [event.record.round]
    for where in ("winners/1/1", "winners/1/2", "losers/1/1", "winners/2/1", "losers/2/1"):
        play_at(event, where)
        seen.append(event.record.round)
    # The winners' second round is played beside the losers' first one.
    assert seen == [1, 1, 2, 2, 3, 4]
    play_at(event, "final/1/1", upset=upset)
    if upset:
        assert event.record.round == 5
        play_at(event, "final/2/1")
    assert (event.record.phase, event.record.round) == (Phase.FINISHED, last)
    assert engine.depth(life.topology(event.record)) == 5


@pytest.mark.parametrize("format_id", ["single-elimination", "double-elimination"])
@pytest.mark.parametrize("seed", range(4))
def test_the_round_is_the_first_open_one_after_results_withdrawals_and_rulings(
    world: World, format_id: str, seed: int
) -> None:
    rng = random.Random(f"{format_id} {seed}")
    event = started(world, format_id, rng.choice([4, 6, 7]))
    rulings = 2
    for _ in range(40):
        matches = events.running(event)
        if not matches:
            break
        kind = rng.random()
        if kind < 0.15:
            events.withdraw(event, rng.randrange(len(event.players)) + 1)
        elif kind < 0.4 and rulings:
            rulings -= 1
            pairing = rng.choice(event.pairings).pairing
            with suppress(Rejected):  # nobody to rule on
                where = life.pairing_id(event.id, pairing.key)
                key, now = keyed(event.organizer, "rule"), world.clock.now()
                ruling.rule(event.services, event.record, event.organizer, where, (2, 1), "a reason", True, key, now)
        else:
            match = rng.choice(matches)
            events.finish(event, match, events.at_random(event, seed)(match))
        events.deliver(event)
        if event.record.phase is Phase.RUNNING:
            assert event.record.round == true_round(event)
    assert event.record.phase is Phase.FINISHED


def test_where_rounds_are_made_one_after_the_other_it_is_the_last_one_that_was_made(world: World) -> None:
    event = started(world, "round-robin", 4)
    seen = [event.record.round]
    for match in [*events.running(event)]:
        events.finish(event, match, [0, 1])
        events.deliver(event)
        seen.append(event.record.round)
    assert seen == [1, 1, 2]
    events.play_on(event, events.by_strength(event))
    assert event.record.round == 3
