"""Deadlines (api.md, "Clocks"; design.md, promise 7)."""

from typing import Any

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import problem
from tests.service.playing import act, at, create, lay, read, table

CLOCK = {"kind": "per-move", "seconds": 600}
FORFEIT = {**CLOCK, "on_timeout": "forfeit"}


def clocks(client: Client, match: str) -> list[Any]:
    return [seat["clock"] for seat in read(client, match)["seats"]]


def by_clock(client: Client, match: str) -> list[tuple[int, int]]:
    events = client.ok("GET", f"/v1/matches/{match}/log?limit=100")["items"]
    return [(event["turn"], event["seat"]) for event in events if event.get("by") == "clock"]


def test_a_running_clock_is_a_deadline_and_a_standing_one_what_it_will_have(ann: Client, bob: Client) -> None:
    match = create(ann, "liars-poker", clock=CLOCK)
    assert clocks(ann, match) == [{"remaining_ms": 600_000}]
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    seen = read(ann, match)
    running, standing = seen["to_act"][0], 1 - seen["to_act"][0]
    assert set(seen["seats"][running]["clock"]) == {"deadline"}
    assert seen["seats"][standing]["clock"] == {"remaining_ms": 600_000}


def test_a_deadline_stays_where_it_is_until_the_turn_has_passed(
    service: LocalService, ann: Client, bob: Client
) -> None:
    match = table(ann, bob, clock=CLOCK)
    before = clocks(ann, match)
    service.advance(300)
    assert clocks(bob, match) == before
    at(lay(ann, match, "7", "higher", 1))
    assert clocks(ann, match) == clocks(bob, match) == before
    at(lay(bob, match, "7", "higher", 1))
    assert clocks(bob, match) != before


def test_before_the_deadline_it_counts(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, clock=CLOCK)
    service.advance(599.999)
    at(lay(ann, match, "K", "higher", 1))
    assert at(lay(bob, match, "Q", "higher", 1))["turn"] == 2
    assert by_clock(ann, match) == []


def test_at_the_deadline_time_is_up(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, clock=CLOCK)
    at(lay(bob, match, "Q", "higher", 1))
    service.advance(600)
    problem(lay(ann, match, "K", "higher", 1), 409, "stale-turn")
    seen = read(ann, match)
    assert (seen["turn"], by_clock(ann, match)) == (2, [(1, 0)])
    assert seen["view"]["played"][0]["cards"][0] == "Ac"
    assert seen["view"]["played"][0]["claims"] == ["lower", "higher"]


def test_a_time_out_that_nobody_saw_is_dated_at_its_deadline(service: LocalService, ann: Client, bob: Client) -> None:
    service.advance(30)  # half a minute off the referee's rounds
    match = table(ann, bob, clock=CLOCK)
    at(lay(bob, match, "Q", "higher", 1))
    deadline = read(ann, match)["seats"][0]["clock"]["deadline"]
    service.advance(610)
    seen = read(ann, match)
    assert seen["turn"] == 2
    events = ann.ok("GET", f"/v1/matches/{match}/log")["items"]
    assert {event["at"] for event in events if event["turn"] == 1} == {deadline}
    assert seen["seats"][0]["clock"]["deadline"] > seen["server_time"]


def test_a_seat_that_misses_three_times_in_a_row_has_abandoned(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, clock=CLOCK)
    for turn, rank in ((1, "A"), (2, "2"), (3, "3")):
        at(lay(bob, match, rank, "higher", turn))
        assert read(ann, match)["status"] == "active"
        service.advance(600)
    over = read(ann, match)
    assert over["result"]["reason"] == "abandoned"
    assert over["result"]["ranks"] == [2, 1]
    assert [seat["left"] for seat in over["seats"]] == ["abandoned", None]
    assert by_clock(ann, match) == [(1, 0), (2, 0), (3, 0)]


def test_an_own_action_makes_up_for_misses(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, clock=CLOCK)
    for turn in range(1, 6):
        at(lay(bob, match, "A2345"[turn - 1], "higher", turn))
        if turn == 3:
            at(lay(ann, match, "K", "lower", turn))
        else:
            service.advance(600)
    assert read(ann, match)["status"] == "active"
    assert by_clock(ann, match) == [(1, 0), (2, 0), (4, 0), (5, 0)]


def test_a_clock_may_forfeit(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, clock=FORFEIT)
    at(lay(bob, match, "Q", "higher", 1))
    service.advance(600)
    over = read(bob, match)
    assert over["result"]["reason"] == "timeout"
    assert over["result"]["ranks"] == [2, 1]
    assert [seat["left"] for seat in over["seats"]] == ["timeout", None]


def test_a_match_in_which_nobody_has_acted_is_aborted(service: LocalService, ann: Client, bob: Client) -> None:
    forfeited, missed = table(ann, bob, clock=FORFEIT), table(ann, bob, clock=CLOCK)
    service.advance(3 * 600)
    for match in (forfeited, missed):
        over = read(ann, match)
        assert (over["status"], over["result"]) == ("aborted", None)
        problem(act(ann, match, {"type": "resign"}), 409, "match-over")


def test_time_takes_a_match_to_its_end_though_nobody_looks(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, game="liars-poker", clock=CLOCK)
    first = read(ann, match)["to_act"][0]
    at(act((ann, bob)[first], match, {"type": "bid", "count": 1, "digit": 0}))
    service.advance(86_400)
    over = read(ann, match)
    assert over["status"] == "finished"
    assert over["ended_at"] < over["server_time"]
