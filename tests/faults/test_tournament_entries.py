"""Who comes into a tournament and who does not: registration by time, capacity, waiting list, check-in, the start."""

from functools import partial
from typing import Any

import pytest

from functions.shared.flows.tournaments import creating, entering, life, reading
from functions.shared.flows.tournaments.creating import RegistrationOrder
from functions.shared.problems import Problem, Rejected
from functions.shared.store.records_tournament import EntryState, Phase
from tests.faults import tournament_events as events
from tests.faults.breaking import Killed, killed_after, on
from tests.faults.threads import colliding
from tests.faults.tournament_events import STARTS, Event, enter, keyed
from tests.faults.world import START, World

HOUR_MS = 3_600_000


def refused(problem: Problem, act: Any, *args: Any, **fields: Any) -> Rejected:
    with pytest.raises(Rejected) as caught:
        act(*args, **fields)
    assert caught.value.code is problem
    return caught.value


def withdraw(event: Event, player: str, by: str | None = None) -> entering.Entered:
    return entering.withdraw(event.services, event.record, player, by or player, event.world.clock.now())


def check_in(event: Event, player: str) -> entering.Entered:
    return entering.check_in(event.services, event.record, player, keyed(player, "check-in"), event.world.clock.now())


def counts(event: Event) -> tuple[int, int]:
    record = event.record
    return record.entered, record.waitlisted


def states(event: Event) -> list[str]:
    found = event.services.tournaments.some_entries(event.id, event.players)
    return [str(found[player].state) if player in found else "none" for player in event.players]


def test_the_status_follows_from_the_time(world: World) -> None:
    registration = RegistrationOrder(opens_at=START + 60_000, check_in_minutes=10)
    event = events.announced(world, "round-robin", registration=registration)
    assert event.record.registration.closes_at == STARTS - 600_000
    moments = [START, START + 59_999, START + 60_000, STARTS - 600_001, STARTS - 600_000, STARTS - 1]
    found = [life.status(event.record, at) for at in moments]
    assert found == ["announced", "announced", "registration", "registration", "check-in", "check-in"]


def test_entries_are_taken_from_the_opening_to_the_closing_and_by_organizers_to_the_start(world: World) -> None:
    registration = RegistrationOrder(opens_at=START + 60_000, closes_at=START + 120_000)
    event = events.announced(world, "round-robin", registration=registration)
    ann, bob, cyd = events.register(3)
    refused(Problem.CONFLICT, enter, event, ann)
    world.advance(60)
    assert enter(event, ann).entry.state is EntryState.ENTERED
    world.advance(60)
    refused(Problem.CONFLICT, enter, event, bob)
    assert enter(event, bob, by=event.organizer).entry.confirmed is False
    world.clock.set(STARTS)
    refused(Problem.CONFLICT, enter, event, cyd, by=event.organizer)


def test_an_entry_is_made_once_however_often_it_is_asked_for(world: World) -> None:
    event = events.announced(world, "round-robin")
    (ann,) = events.register(1)
    key = events.keyed(ann, "enter", "key")
    first = enter(event, ann, key=key)
    world.advance(5)
    again, without = enter(event, ann, key=key), enter(event, ann)
    assert (first.replayed, again.replayed, without.replayed) == (False, True, False)
    assert first.entry == again.entry == without.entry
    assert counts(event) == (1, 0)


def test_an_entry_that_is_cut_off_is_all_or_nothing(world: World) -> None:
    event = events.announced(world, "round-robin")
    (ann,) = events.register(1)
    with world.around(on("TransactWriteItems", killed_after, table="TournamentsTable")), pytest.raises(Killed):
        enter(event, ann)
    assert counts(event) == (1, 0)
    enter(event, ann)
    assert counts(event) == (1, 0)


def test_beyond_the_capacity_entries_wait_and_move_up_in_their_order(world: World) -> None:
    event = events.entered(world, "round-robin", 5, registration=RegistrationOrder(capacity=2))
    assert states(event) == ["entered"] * 2 + ["waitlisted"] * 3
    assert counts(event) == (2, 3)
    withdraw(event, event.players[0])
    assert states(event) == ["withdrawn", "entered", "entered", "waitlisted", "waitlisted"]
    withdraw(event, event.players[3])
    withdraw(event, event.players[1])
    assert states(event) == ["withdrawn", "withdrawn", "entered", "withdrawn", "entered"]
    assert counts(event) == (2, 0)
    withdraw(event, event.players[2])
    withdraw(event, event.players[2])
    assert counts(event) == (1, 0)
    enter(event, event.players[2])
    enter(event, event.players[0])
    assert states(event) == ["waitlisted", "withdrawn", "entered", "withdrawn", "entered"]
    told = [one.type for one in event.services.inbox.read(event.players[2], "", 100).notices]
    assert told == ["tournament-promoted"]


def test_a_larger_capacity_moves_up_who_waits_and_a_smaller_one_than_the_entered_is_refused(world: World) -> None:
    event = events.entered(world, "round-robin", 5, registration=RegistrationOrder(capacity=2))

    def change(**changes: Any) -> None:
        fields = {name.replace("__", "."): value for name, value in changes.items()}
        creating.change(event.services, event.record, event.organizer, fields, world.clock.now())

    change(registration__capacity=4)
    assert states(event) == ["entered"] * 4 + ["waitlisted"]
    assert counts(event) == (4, 1)
    error = refused(Problem.INVALID_REQUEST, change, registration__capacity=3)
    assert error.errors[0].loc == ("registration", "capacity")
    change(registration__capacity=None)
    assert counts(event) == (5, 0)


@pytest.mark.parametrize(
    ("format_id", "fields"),
    [
        ("single-elimination", {"third_place": True, "match": creating.MatchOrder(best_of=3, replays=1)}),
        ("double-elimination", {"registration": RegistrationOrder(capacity=9, check_in_minutes=5, join_code="abcd")}),
        ("round-robin", {"cycles": 2, "tiebreaks": ("wins",), "round_deadline": 3600}),
        ("heats", {"rounds": 3, "match": creating.MatchOrder(seats=4, clock={"kind": "per-move", "seconds": 60})}),
        ("heats", {"advance": 2, "match": creating.MatchOrder(seats=5)}),
    ],
)
def test_a_change_of_one_thing_leaves_all_else_as_it_was(world: World, format_id: str, fields: dict[str, Any]) -> None:
    event = events.announced(world, format_id, **fields)
    before, now = event.record, world.clock.now()
    same = creating.change(event.services, before, event.organizer, {"name": "An event"}, now)
    assert same == before
    renamed = creating.change(event.services, before, event.organizer, {"name": "Another"}, now)
    assert renamed._replace(name="An event", changes=0, version=before.version) == before
    later = creating.change(event.services, renamed, event.organizer, {"starts_at": STARTS + HOUR_MS}, now)
    assert later.registration.closes_at == before.registration.closes_at + HOUR_MS
    assert later.due == STARTS + HOUR_MS


@pytest.mark.usefixtures("restless")
def test_the_last_places_go_to_as_many_as_there_are(world: World) -> None:
    event = events.announced(world, "round-robin", registration=RegistrationOrder(capacity=3))
    players = events.register(8)

    def tried(player: str) -> str:
        for _ in range(40):
            try:
                return str(enter(event, player).entry.state)
            except Rejected as rejected:
                if rejected.code is not Problem.TRY_AGAIN:
                    raise
        raise AssertionError("always busy")

    found = colliding(world, "TRN#", [partial(tried, player) for player in players])
    assert sorted(found) == ["entered"] * 3 + ["waitlisted"] * 5
    assert counts(event) == (3, 5)


def test_who_has_not_checked_in_is_dropped_and_who_waits_and_has_moves_up_in_order(world: World) -> None:
    registration = RegistrationOrder(capacity=3, check_in_minutes=10)
    event = events.entered(world, "round-robin", 6, registration=registration)
    ann, bob, cyd, _, eve, fay = event.players
    refused(Problem.CONFLICT, check_in, event, ann)
    world.clock.set(STARTS - 600_000)
    for player in (fay, eve, ann, ann):
        check_in(event, player)
    refused(Problem.NOT_FOUND, check_in, event, event.organizer)
    withdraw(event, bob)
    # Who has waited longest has the place, checked in or not; at the start it goes to who has checked in.
    assert states(event) == [
        "checked-in",
        "withdrawn",
        "entered",
        "entered",
        "waitlisted-checked-in",
        "waitlisted-checked-in",
    ]
    events.begin(event)
    entries = event.services.tournaments.some_entries(event.id, event.players)
    assert [player for player in event.players if entries[player].seed] == [ann, eve, fay]
    shown = [str(life.standing(event.record, entries[player])) for player in event.players]
    assert shown == ["playing", "withdrawn", "out", "out", "playing", "playing"]
    refused(Problem.CONFLICT, check_in, event, cyd)
    assert event.record.n == 3


def test_an_entry_that_an_organizer_made_waits_for_the_players_agreement(world: World) -> None:
    event = events.entered(world, "round-robin", 2)
    ann, bob = events.register(2)
    for player in (ann, bob):
        enter(event, player, by=event.organizer)
    assert enter(event, ann).entry.confirmed
    events.begin(event)
    entries = event.services.tournaments.entries(event.id)
    assert sorted(entry.player for entry in entries if entry.seed) == sorted([*event.players, ann])
    told = [one.type for one in event.services.inbox.read(bob, "", 100).notices]
    assert told == ["tournament-invited"]


def test_seeds_are_the_organizers_where_seeding_is_manual(world: World) -> None:
    event = events.entered(world, "round-robin", 4, seeding="manual")
    _, bob, cyd, dan = event.players
    refused(Problem.FORBIDDEN, enter, event, cyd, seed=1)
    enter(event, cyd, by=event.organizer, seed=1)
    error = refused(Problem.INVALID_REQUEST, enter, event, dan, by=event.organizer, seed=1)
    assert error.errors[0].loc == ("seed",)
    enter(event, bob, by=event.organizer, seed=7)
    events.begin(event)
    entries = event.services.tournaments.some_entries(event.id, event.players)
    assert [entries[player].seed for player in event.players] == [3, 2, 1, 4]


def test_ratings_and_join_codes_decide_who_may_enter(world: World) -> None:
    limited = events.announced(world, "round-robin", registration=RegistrationOrder(rating_range=(0, 1000)))
    coded = events.announced(world, "round-robin", registration=RegistrationOrder(join_code="s3cret"))
    (ann,) = events.register(1)
    refused(Problem.FORBIDDEN, enter, limited, ann)
    assert enter(limited, ann, by=limited.organizer).entry.player == ann
    refused(Problem.FORBIDDEN, enter, coded, ann)
    for _ in range(9):
        refused(Problem.NOT_FOUND, enter, coded, ann, code="guess")
    assert enter(coded, ann, code="s3cret").entry.confirmed
    (bob,) = events.register(1)
    for _ in range(10):
        refused(Problem.NOT_FOUND, enter, coded, bob, code="guess")
    refused(Problem.RATE_LIMITED, enter, coded, bob, code="s3cret")


@pytest.mark.parametrize("runs", [1, 2, 5])
def test_it_starts_once_however_often_the_schedule_fires(world: World, runs: int) -> None:
    event = events.entered(world, "single-elimination", 4)
    world.clock.set(STARTS - 1)
    world.sweep()
    assert event.record.phase is Phase.OPEN
    world.clock.set(STARTS)
    for _ in range(runs):
        world.sweep()
    events.deliver(event)
    assert [len(one.matches) for one in event.pairings] == [1, 1]
    assert event.record.starts_at == STARTS


def test_it_starts_late_where_the_schedule_does_and_the_time_is_the_same(world: World) -> None:
    event = events.entered(world, "single-elimination", 4)
    world.clock.set(STARTS + 5 * HOUR_MS)
    world.sweep()
    events.deliver(event)
    assert event.record.starts_at == STARTS
    day = 86_400_000
    assert {one.deadline for one in event.pairings} == {STARTS + 7 * day}


def test_whoever_comes_after_its_time_finds_it_started_though_no_schedule_ever_fires(world: World) -> None:
    event = events.entered(world, "single-elimination", 4)
    world.clock.set(STARTS)
    withdraw(event, event.players[3])
    assert event.record.phase is Phase.RUNNING
    assert event.record.n == 4
    assert states(event)[3] == "withdrawn"


def test_with_too_few_it_is_cancelled_with_a_reason_and_its_entrants_are_told(world: World) -> None:
    event = events.entered(world, "single-elimination", 1)
    events.begin(event)
    record = event.record
    assert (record.phase, record.reason) == (Phase.CANCELLED, "1 took part; single-elimination needs at least 2")
    told = event.services.inbox.read(event.players[0], "", 100).notices
    assert [(one.type, one.data["reason"]) for one in told] == [("tournament-cancelled", record.reason)]
    assert record.due is None


@pytest.mark.parametrize("entrants", [0, 1, 4])
def test_where_nobody_has_confirmed_nothing_begins(world: World, entrants: int) -> None:
    event = events.entered(world, "single-elimination", entrants, registration=RegistrationOrder(check_in_minutes=10))
    events.begin(event)
    assert event.record.phase is Phase.CANCELLED
    assert event.record.reason == "0 took part; single-elimination needs at least 2"
    assert not event.services.tournaments.all_pairings(event.id)


def test_an_organizer_starts_it_early_and_not_with_too_few(world: World) -> None:
    event = events.entered(world, "round-robin", 1, registration=RegistrationOrder(check_in_minutes=10))

    def start() -> Any:
        key = keyed(event.organizer, "start")
        return creating.start_now(event.services, event.record, event.organizer, key, world.clock.now()).record

    refused(Problem.CONFLICT, start)
    (bob,) = events.register(1)
    enter(event, bob)
    started = start()
    assert (started.phase, started.starts_at) == (Phase.RUNNING, world.clock.now())
    assert start().starts_at == started.starts_at
    events.deliver(event)
    assert len(events.running(event)) == 1
    actions = [entry.action for entry in reading.audit(event.services, event.record, None, 10).entries]
    assert actions == ["started", "created"]


def test_an_entry_changes_nothing_of_what_others_are_told_and_a_closed_account_leaves(world: World) -> None:
    event = events.entered(world, "round-robin", 2)
    ann = world.player()
    enter(event, ann.id)
    assert counts(event) == (3, 0)
    ann.ok("DELETE", "/v1/me")
    world.sweep()
    assert counts(event) == (2, 0)
    refused(Problem.UNAUTHENTICATED, enter, event, ann.id)
