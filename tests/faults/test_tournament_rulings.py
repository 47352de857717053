"""Rulings of organizers, cancellation, and changes of a running tournament."""

from typing import Any

import pytest

from engine.match.record import Status, sitters
from engine.tournament.protocol import Reason
from functions.shared.flows.tournaments import creating, life, reading, ruling
from functions.shared.problems import Problem, Rejected
from functions.shared.store.records_tournament import Phase
from tests.faults import tournament_events as events
from tests.faults.tournament_events import Event, at, match_at, play_at, players_of, result, started
from tests.faults.world import World

DAY_S = 86_400


def rule(event: Event, where: str, ranks: tuple[int, ...], **fields: Any) -> ruling.Ruling:
    pairing = life.pairing_id(event.id, life.key_of(where))
    key = fields.pop("key", None) or events.keyed(event.organizer, "rule")
    cascade, by = fields.pop("cascade", False), fields.pop("by", event.organizer)
    now = event.world.clock.now()
    return ruling.rule(event.services, event.record, by, pairing, ranks, "a reason", cascade, key, now)


def impact(event: Event, where: str, ranks: tuple[int, ...]) -> dict[str, list[str]]:
    pairing = life.pairing_id(event.id, life.key_of(where))
    found = ruling.impact(event.services, event.record, event.organizer, pairing, ranks)
    return {name: list(map(str, keys)) for name, keys in found._asdict().items() if keys}


def test_a_ruling_settles_an_open_pairing_and_its_match_is_aborted_and_unrated(world: World) -> None:
    event = started(world, "single-elimination", 4)
    match_id = at(event, "main/1/1").matches[0]
    key = events.keyed(event.organizer, "rule", "key")
    made = rule(event, "main/1/1", (2, 1), key=key)
    again = rule(event, "main/1/1", (2, 1), key=key)
    assert (made.replayed, again.replayed) == (False, True)
    assert result(event, "main/1/1") == (Reason.RULING, (2, 1))
    assert event.match(match_id).match.status is Status.ABORTED
    events.deliver(event)
    settled = event.match(match_id)
    assert settled.settled
    ratings = event.services.ladder.ratings("misfortune", event.players)
    assert {rating.version for rating in ratings.values()} == {0}
    (entry, _) = reading.audit(event.services, event.record, None, 10).entries
    assert (entry.action, entry.player, entry.reason) == ("ruling", event.organizer, "a reason")
    assert (entry.before["ranks"], entry.after["ranks"]) == (None, [2, 1])
    events.play_on(event, events.by_strength(event))
    assert events.table(event) == [(1, 2), (2, 4), (3, 1), (3, 3)]


def test_a_ruling_over_followers_that_have_begun_needs_cascade_and_rebuilds_from_there(world: World) -> None:
    event = started(world, "single-elimination", 4)
    play_at(event, "main/1/1")
    play_at(event, "main/1/2")
    assert players_of(event, "main/2/1") == [1, 2]
    assert impact(event, "main/1/1", (2, 1)) == {"playing": ["main/2/1"]}
    with pytest.raises(Rejected) as caught:
        rule(event, "main/1/1", (2, 1))
    assert caught.value.code is Problem.CONFLICT
    first = at(event, "main/2/1").matches[0]
    rule(event, "main/1/1", (2, 1), cascade=True)
    events.deliver(event)
    assert event.match(first).match.status is Status.ABORTED
    assert players_of(event, "main/2/1") == [4, 2]
    told = [one.type for one in event.services.inbox.read(event.players[0], "", 100).notices]
    assert "tournament-ruling" in told
    events.play_on(event, events.by_strength(event))
    assert events.table(event) == [(1, 2), (2, 4), (3, 1), (3, 3)]


def test_a_played_follower_that_a_ruling_undoes_moves_no_rating_any_more(world: World) -> None:
    event = started(world, "double-elimination", 4)
    for where in ("winners/1/1", "winners/1/2", "winners/2/1"):
        play_at(event, where)
    before = event.services.ladder.ratings("misfortune", event.players)
    assert before[event.players[0]].standing.won == 2
    rule(event, "winners/1/1", (2, 1), cascade=True)
    events.deliver(event)
    after = event.services.ladder.ratings("misfortune", event.players)
    assert after[event.players[0]].standing.won == 1
    assert players_of(event, "winners/2/1") == [4, 2]
    events.play_on(event, events.by_strength(event))
    assert sorted(number for _, number in events.table(event)) == [1, 2, 3, 4]


def test_who_withdrew_after_their_last_pairing_is_not_put_back_to_play_by_a_ruling(world: World) -> None:
    event = started(world, "single-elimination", 4, third_place=True)
    for where in ("main/1/1", "main/1/2"):
        play_at(event, where)
    play_at(event, "third-place/1/1")
    assert players_of(event, "third-place/1/1") == [4, 3]
    events.withdraw(event, 3)
    rule(event, "main/1/1", (2, 1), cascade=True)
    events.deliver(event)
    assert players_of(event, "third-place/1/1") == [1, 3]
    assert result(event, "third-place/1/1") == (Reason.WALKOVER, (1, 2))
    assert [sitter.player for sitter in sitters(match_at(event, "main/2/1"))] == [event.players[1], event.players[3]]
    assert len(events.running(event)) == 1
    events.play_on(event, events.by_strength(event))
    assert events.table(event) == [(1, 2), (2, 4), (3, 1), (4, 3)]


def test_a_ruling_in_heats_undoes_the_rounds_after_it(world: World) -> None:
    event = started(world, "heats", 8, match=creating.MatchOrder(seats=3))
    for match_id in events.running(event):
        events.finish(event, match_id, events.by_strength(event)(match_id))
    events.deliver(event)
    assert event.record.round == 2
    before = players_of(event, "main/2/1")
    running = events.running(event)
    sides = players_of(event, "main/1/1")
    worst_first = tuple(len(sides) - sorted(sides).index(number) for number in sides)
    with pytest.raises(Rejected):
        rule(event, "main/1/1", worst_first)
    rule(event, "main/1/1", worst_first, cascade=True)
    events.deliver(event)
    assert event.record.round == 2
    assert all(event.match(match_id).match.status is Status.ABORTED for match_id in running)
    assert players_of(event, "main/2/1") != before
    second = [one.pairing.sides for one in event.pairings if one.pairing.key.round == 2]
    assert max(sides) in [event.number(side.player) for found in second for side in found]
    events.play_on(event, events.by_strength(event))
    assert sorted(number for _, number in events.table(event)) == list(range(1, 9))


def test_each_pairing_has_an_id_of_its_own_that_is_always_the_same(world: World) -> None:
    event = started(world, "double-elimination", 8)
    keys = [one.pairing.key for part in reading.bracket(event.services, event.record) for one in part.pairings]
    ids = [life.pairing_id(event.id, key) for key in keys]
    assert len(set(ids)) == len(keys) == 15
    found = [ruling.find_pairing(event.services, event.record, one).pairing.key for one in ids]
    assert found == keys


def test_rulings_are_for_organizers_of_running_tournaments_and_existing_pairings(world: World) -> None:
    event = started(world, "single-elimination", 2)
    with pytest.raises(Rejected) as caught:
        rule(event, "main/1/1", (1, 2), by=event.players[0])
    assert caught.value.code is Problem.FORBIDDEN
    with pytest.raises(Rejected) as caught:
        rule(event, "main/1/2", (1, 2))
    assert caught.value.code is Problem.NOT_FOUND
    with pytest.raises(Rejected) as caught:
        rule(event, "main/1/1", (1, 1))
    assert caught.value.code is Problem.INVALID_REQUEST
    rule(event, "main/1/1", (1, 2))
    events.deliver(event)
    with pytest.raises(Rejected) as caught:
        rule(event, "main/1/1", (2, 1))
    assert caught.value.code is Problem.CONFLICT


# Cancellation and changes


def test_a_running_tournament_that_is_cancelled_aborts_its_matches(world: World) -> None:
    event = started(world, "double-elimination", 5)
    play_at(event, "winners/1/2")
    live = events.running(event)
    assert live
    world.advance(1)
    for _ in range(2):
        key = events.keyed(event.organizer, "cancel")
        creating.cancel(event.services, event.record, event.organizer, "rain", key, world.clock.now())
    events.deliver(event)
    assert (event.record.phase, event.record.reason, event.record.step) == (Phase.CANCELLED, "rain", "")
    assert {event.match(match_id).match.status for match_id in live} == {Status.ABORTED}
    assert events.running(event) == []
    assert all(one.due is None for one in event.pairings)
    told = event.services.inbox.read(event.players[4], "", 100).notices
    assert [one.type for one in told if one.type.startswith("tournament")] == [
        "tournament-started",
        "tournament-cancelled",
    ]


def test_what_has_not_begun_can_still_be_changed_and_nothing_else(world: World) -> None:
    event = started(world, "single-elimination", 4)

    def change(**changes: Any) -> None:
        fields = {name.replace("__", "."): value for name, value in changes.items()}
        creating.change(event.services, event.record, event.organizer, fields, world.clock.now())

    change(match__best_of=3, round_deadline=DAY_S)
    for where in ("main/1/1", "main/1/2"):
        play_at(event, where)
    final = at(event, "main/2/1")
    assert final.pairing.best_of == 3
    assert final.deadline - final.since == 1000 * DAY_S
    assert match_at(event, "main/2/1").clock.seconds == DAY_S // 60
    with pytest.raises(Rejected) as caught:
        change(seeding="random")
    assert caught.value.code is Problem.CONFLICT
