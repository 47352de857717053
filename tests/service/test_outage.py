"""Outages of the service, declared afterwards (reports 25): deadlines that fell into one are extended, once."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.clock import Clock, Pause
from engine.match import play
from engine.match.advance import advance
from engine.match.record import Match, Status
from functions.shared import clock
from functions.shared.flows.pauses import in_outage, on_vacation
from functions.shared.store.records import JobKind, Profile, Vacation
from infra.client import Client
from infra.local.service import LocalService
from tests.engine.match import tables
from tests.engine.match.stories import Story, moments, stories
from tests.service.moments import DAY, HOUR, admin, cut_off, deadlines, jump, ms, record_of, services, sweep
from tests.service.playing import act, at, create, lay, me, read, table

LONG = 10 * 366 * 86_400_000
MINUTE = {"kind": "per-move", "seconds": 60}
FORFEIT = {**MINUTE, "on_timeout": "forfeit"}


def declare(service: LocalService, start: int, until: int) -> Any:
    return admin(service, "declare-outage", **{"from": start, "until": until})


def declared(service: LocalService, start: int, until: int) -> None:
    assert declare(service, start, until) == {"ok": True, "outage": f"{start}-{until}", "finished": True}


def pauses(match: str) -> list[tuple[int, int]]:
    return [(pause.start, pause.end) for pause in record_of(match).match.pauses]


def test_deadlines_that_fell_into_an_outage_are_extended_once(service: LocalService, ann: Client, bob: Client) -> None:
    matches = [table(ann, bob, clock=own) for own in (MINUTE, FORFEIT, {**MINUTE, "seconds": 1000})]
    before = [deadlines(ann, match)[0] or 0 for match in matches]
    start = clock.now() + 50_000
    until = start + 100_000
    jump(service, 155)
    for _ in range(2):
        declared(service, start, until)
    assert [deadlines(ann, match) for match in matches] == [[limit + 100_000] * 2 for limit in before]
    log = ann.ok("GET", f"/v1/matches/{matches[0]}/log")["items"]
    (paused,) = [event for event in log if event["type"] == "paused"]
    assert (paused["seat"], ms(paused["from"]), ms(paused["until"])) == (None, start, until)
    assert services().jobs.get(JobKind.OUTAGE, f"{start}-{until}") is None


def test_who_could_not_act_in_an_outage_still_can(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, clock=FORFEIT)
    start = clock.now() + 50_000
    jump(service, 80)
    declared(service, start, start + 30_000)
    jump(service, 9.999)
    at(lay(ann, match, "7", "higher", 1))
    assert at(lay(bob, match, "7", "higher", 1))["turn"] == 2


def test_what_was_overdue_before_is_not_saved_and_the_turn_after_it_is(
    service: LocalService, ann: Client, bob: Client
) -> None:
    lost, missed = table(ann, bob, clock=FORFEIT), table(ann, bob, clock=MINUTE)
    limit = deadlines(ann, lost)[0] or 0
    for match in (lost, missed):
        at(lay(bob, match, "7", "higher", 1))
    jump(service, 500)
    declared(service, limit, limit + 390_000)
    over = read(ann, lost)
    assert (over["result"]["reason"], over["result"]["ranks"], ms(over["ended_at"])) == ("timeout", [2, 1], limit)
    assert deadlines(ann, missed) == [limit + 450_000] * 2
    log = ann.ok("GET", f"/v1/matches/{missed}/log")["items"]
    assert {ms(event["at"]) for event in log if event["turn"] == 1 and event.get("by")} == {limit}


def test_what_was_settled_already_stays_as_it_is(service: LocalService, ann: Client, bob: Client) -> None:
    """A time-out that somebody was shown stands, also where it fell into the outage."""
    lost, over, timed_out = table(ann, bob, clock=FORFEIT), table(ann, bob), table(ann, bob, clock=MINUTE)
    waiting, unclocked = create(ann), table(ann, bob, clock={"kind": "none"})
    at(act(ann, over, {"type": "resign"}))
    at(lay(bob, lost, "7", "higher", 1))
    start = clock.now() + 50_000
    jump(service, 70)
    assert read(bob, lost)["status"] == "finished"
    assert read(bob, timed_out)["turn"] == 2
    service.settle()
    matches = (lost, over, waiting, unclocked)
    before = [record_of(match) for match in matches]
    jump(service, 10)
    declared(service, start, start + 30_000)
    assert [record_of(match) for match in matches] == before
    seen = read(bob, timed_out)
    assert (seen["turn"], deadlines(bob, timed_out)) == (2, [start + 10_000 + 60_000 + 20_000] * 2)


def test_one_players_vacation_does_not_keep_the_others_deadline_from_being_extended(
    service: LocalService, ann: Client, bob: Client
) -> None:
    match = table(ann, bob, clock={"kind": "per-move", "seconds": DAY, "on_timeout": "forfeit"})
    at(ann.call("POST", "/v1/me/vacation", {"days": 5}))
    own, others = deadlines(bob, match)
    assert own is not None
    assert others is not None
    jump(service, DAY + HOUR)
    declared(service, others - 1, others + 500_000)
    assert deadlines(bob, match) == [own, others + 500_001]


def test_an_outage_that_goes_on_stops_later_turns_too(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, game="liars-poker", clock=MINUTE)
    first, second = (ann, bob) if read(ann, match)["to_act"] == [0] else (bob, ann)
    now = clock.now()
    declared(service, now, now + 100_000)
    at(act(first, match, {"type": "bid", "count": 1, "digit": 0}, 1))
    assert [limit for limit in deadlines(second, match) if limit] == [now + 160_000]


@pytest.mark.parametrize("span", [(5, 5), (6, 5), (-1, 5), (None, 5), ("1", 5), (1, True), (1.0, 5)])
def test_an_outage_goes_from_one_instant_to_a_later_one(service: LocalService, span: Any) -> None:
    answer = declare(service, *span)
    assert (answer["ok"], set(answer)) == (False, {"ok", "error"})


def test_an_unknown_command_does_nothing(service: LocalService) -> None:
    assert admin(service, "format-disk")["ok"] is False


@pytest.fixture
def many(service: LocalService, new_player: Any) -> list[str]:
    """More matches than an outage is written into in one go, of one shard and of all."""
    from functions.shared.flows import creating
    from functions.shared.flows.marks import key_of

    made = []
    for player in (me(new_player()) for _ in range(3)):
        for _ in range(70):
            order = creating.Order("misfortune", bots=1, clock={"kind": "per-move", "seconds": 1000})
            key = key_of(services(), player, "here", None, None)
            made.append(creating.create(services(), player, order, key, clock.now()).record.match.id)
    return made


@pytest.mark.parametrize("shards", [1, 16])
def test_an_outage_is_written_into_many_matches_in_batches_and_goes_on_where_it_was_cut_off(
    service: LocalService, many: list[str], shards: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from functions.shared.flows import jobs
    from functions.shared.store import due

    if shards == 1:
        monkeypatch.setattr(due, "SHARDS", 1)
        monkeypatch.setattr(jobs, "SHARDS", 1)
        for match in many:  # into the one shard
            record = record_of(match)
            services().matches.save(record, record._replace(due=None))
    start = clock.now() + 50_000
    limits: Counter[int] = Counter()
    for place in (70, 131):
        jump(service, 60)
        with cut_off(service, place) as writes:
            declare(service, start, start + 50_000) if place == 70 else sweep(service)
        assert len(writes) == place + 1
    pending = services().jobs.get(JobKind.OUTAGE, f"{start}-{start + 50_000}")
    assert pending is not None
    sweep(service)
    assert services().jobs.get(JobKind.OUTAGE, f"{start}-{start + 50_000}") is None
    for match in many:
        found = record_of(match).match
        assert [pause for pause in found.pauses if pause.id.startswith("outage#")] == [
            Pause(f"outage#{start}-{start + 50_000}", None, start, start + 50_000)
        ]
        limits[(play.closes_at(found) or 0) - found.opened_at] += 1
    assert limits == {1_050_000: len(many)}


def test_the_same_outage_declared_while_it_is_being_written_in_is_left_to_the_referee(
    service: LocalService, ann: Client, bob: Client
) -> None:
    match = table(ann, bob, clock=MINUTE)
    now = clock.now()
    with cut_off(service, 0):
        declare(service, now, now + 50_000)
    assert declare(service, now, now + 50_000)["finished"] is False
    assert pauses(match) == []
    sweep(service)
    assert pauses(match) == [(now, now + 50_000)]
    declared(service, now, now + 50_000)
    assert deadlines(ann, match) == [now + 110_000] * 2


SLOW = Clock("fischer", 3 * DAY, "forfeit", increment=DAY, cap=5 * DAY)


def slow(match: Match) -> Match:
    """The same match by a clock that vacations stop; its seats have had little time so far."""
    return match._replace(clock=SLOW)


@settings(max_examples=60, deadline=None)
@given(stories(clocks=("fischer",), bots=False), st.integers(0, 3 * 86_400_000), st.integers(0, 10**9), st.integers())
def test_a_vacation_that_is_written_in_late_gives_what_it_would_have_given_in_time(
    story: Story, start: int, late: int, seed: int
) -> None:
    *_, match = map(slow, moments(story))
    if match.status is not Status.ACTIVE:
        return
    begun = match.opened_at + start
    player = tables.person(seed % len(match.seats)).player
    profile = Profile(player, "x", 0, "", Vacation(begun, begun + 5 * 86_400_000, 5), 5)
    in_time = on_vacation(match, profile, begun)
    assert on_vacation(match, profile, begun + late % (5 * 86_400_000)) == in_time
    assert on_vacation(in_time, profile, begun + late) is in_time


@settings(max_examples=60, deadline=None)
@given(stories(), st.integers(-100_000, 200_000), st.integers(1, 200_000), st.integers(0, 300_000))
def test_an_outage_gives_each_seat_the_time_that_it_took_whoever_has_chosen(
    story: Story, start: int, length: int, late: int
) -> None:
    for match in moments(story):
        if match.status is not Status.ACTIVE or match.pauses:
            continue
        outage = Pause("o", None, match.opened_at + start, match.opened_at + start + length)
        declared_at = max(outage.end, match.opened_at) + late
        after = in_outage(match, outage, declared_at)
        before = advance(match, outage.start)
        assert in_outage(after, outage, declared_at) == after
        assert (after is match) == (before.status is not Status.ACTIVE or outage.end <= before.opened_at)
        for seat in play.asked(before) if after is not match else ():
            limit = play.deadline(before, seat)
            assert limit is not None
            taken = outage.end - max(outage.start, before.opened_at) if limit > outage.start else 0
            assert play.deadline(after, seat) == limit + taken
