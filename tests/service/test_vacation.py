"""Vacations (api.md, "POST /me/vacation"; reports 22)."""

from datetime import UTC, datetime
from typing import Any

import pytest

from functions.shared import clock
from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.moments import DAY, HOUR, deadlines, jump, ms, record_of, sweep
from tests.service.playing import act, at, create, lay, me, read, table

SLOW: tuple[dict[str, Any], ...] = (
    {"kind": "per-move", "seconds": DAY},
    {"kind": "fischer", "seconds": 3 * DAY, "increment": DAY, "cap": 5 * DAY},
    {"kind": "byo-yomi", "seconds": 0, "periods": 2, "period_seconds": DAY},
)
FAST: tuple[dict[str, Any], ...] = (
    {"kind": "per-move", "seconds": DAY - 1},
    {"kind": "fischer", "seconds": 90 * DAY, "increment": DAY - 1, "cap": 90 * DAY},
    {"kind": "byo-yomi", "seconds": 50 * DAY, "periods": 1, "period_seconds": DAY - 1},
    {"kind": "none"},
)
DEFAULT = 259_200_000
"""Milliseconds a move."""


def away(client: Client, days: Any, **more: Any) -> Reply:
    return client.call("POST", "/v1/me/vacation", {"days": days}, **more)


def back(client: Client) -> Any:
    return client.ok("DELETE", "/v1/me/vacation")


def days_left(client: Client) -> int:
    return int(client.ok("GET", "/v1/me/vacation")["days_left"])


def of_type(client: Client, match: str, kind: str) -> list[Any]:
    return [event for event in client.ok("GET", f"/v1/matches/{match}/log")["items"] if event["type"] == kind]


def both(client: Client, match: str) -> tuple[int, int]:
    """The deadlines of a phase that asks both seats."""
    first, second = deadlines(client, match)
    assert first is not None
    assert second is not None
    return first, second


@pytest.mark.parametrize("own_clock", SLOW)
def test_a_slow_clock_stands_still_until_the_end_of_the_vacation(
    service: LocalService, ann: Client, bob: Client, own_clock: Any
) -> None:
    match = table(ann, bob, clock=own_clock)
    before = both(ann, match)
    jump(service, HOUR)
    begun = at(away(ann, 3))
    assert ms(begun["end"]) - ms(begun["start"]) == 3000 * DAY
    assert (begun["days_left"], ann.ok("GET", "/v1/me/vacation")) == (18, begun)
    assert both(bob, match) == (before[0] + 3000 * DAY, before[1])
    (paused,) = of_type(bob, match, "paused")
    assert (paused["seat"], paused["from"], paused["until"]) == (0, begun["start"], begun["end"])


@pytest.mark.parametrize("own_clock", FAST)
def test_faster_clocks_go_on(ann: Client, bob: Client, own_clock: Any) -> None:
    match = table(ann, bob, clock=own_clock)
    before = deadlines(ann, match)
    at(away(ann, 3))
    assert deadlines(ann, match) == before
    assert of_type(ann, match, "paused") == []


def test_the_others_time_runs_on_and_the_phase_waits(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, clock={**SLOW[0], "on_timeout": "forfeit"})
    at(away(ann, 3))
    jump(service, DAY)
    problem(lay(bob, match, "7", "higher", 1), 409, "not-your-turn")
    jump(service, 2 * DAY)
    assert read(ann, match)["status"] == "active"
    jump(service, DAY - 1)
    over = at(lay(ann, match, "7", "higher", 1))
    assert (over["result"]["reason"], over["result"]["ranks"]) == ("timeout", [1, 2])


def test_a_clock_that_stands_when_the_vacation_begins_stands_still_when_its_turn_comes(
    service: LocalService, ann: Client, bob: Client
) -> None:
    match = table(ann, bob, game="liars-poker", clock=SLOW[0])
    first, second = (ann, bob) if read(ann, match)["to_act"] == [0] else (bob, ann)
    begun = at(away(second, 2))
    jump(service, HOUR)
    at(act(first, match, {"type": "bid", "count": 1, "digit": 0}, 1))
    assert [limit for limit in deadlines(first, match) if limit] == [ms(begun["end"]) + 1000 * DAY]


def test_there_are_21_days_a_year(service: LocalService, ann: Client) -> None:
    begun = at(away(ann, 20))
    problem(away(ann, 1), 409, "conflict")
    jump(service, 20 * DAY)
    assert ann.ok("GET", "/v1/me/vacation") == {"start": None, "end": None, "days_left": days_left(ann)}
    if begun["start"][:4] == datetime.fromtimestamp(clock.now() / 1000, UTC).isoformat()[:4]:
        with nothing_stored(service):
            problem(away(ann, 2), 409, "limit-reached")
        assert at(away(ann, 1))["days_left"] == 0
        jump(service, DAY)
        problem(away(ann, 1), 409, "limit-reached")
    year = datetime.fromtimestamp(clock.now() / 1000, UTC).year
    new_year = datetime(year + 1, 1, 1, tzinfo=UTC).timestamp()
    jump(service, new_year - 5 * DAY - clock.now() / 1000)
    assert days_left(ann) in (0, 21)
    jump(service, 5 * DAY - 0.001)
    assert days_left(ann) in (0, 21)
    jump(service, 0.001)
    assert days_left(ann) == 21


def test_a_vacation_over_new_year_is_of_the_year_in_which_it_began(service: LocalService, ann: Client) -> None:
    year = datetime.fromtimestamp(clock.now() / 1000, UTC).year
    jump(service, datetime(year + 1, 12, 30, tzinfo=UTC).timestamp() - clock.now() / 1000)
    assert at(away(ann, 21))["days_left"] == 0
    jump(service, 5 * DAY)
    assert days_left(ann) == 21
    assert back(ann)["days_left"] == 21
    assert at(away(ann, 21))["days_left"] == 0


@pytest.mark.parametrize(("after", "left"), [(0.001, 12), (DAY, 20), (DAY + 1, 19), (2.5 * DAY, 18), (9 * DAY, 12)])
def test_whole_days_that_were_not_used_are_given_back(
    service: LocalService, ann: Client, after: float, left: int
) -> None:
    at(away(ann, 9))
    jump(service, after)
    left = 20 if after == 0.001 else left
    assert back(ann) == {"start": None, "end": None, "days_left": left}
    with nothing_stored(service):
        assert back(ann)["days_left"] == left
    assert at(away(ann, left))["days_left"] == 0


@pytest.mark.parametrize("days", [0, -1, 22, 1.5, 1.0, True, "3", None, [1], 10**18])
def test_days_are_a_number_from_1_to_21(service: LocalService, ann: Client, days: Any) -> None:
    with nothing_stored(service):
        (error,) = problem(away(ann, days), 422, "invalid-request")["errors"]
    assert error["loc"] == ["days"]


def test_a_repeated_request_takes_the_days_once(service: LocalService, ann: Client, bob: Client) -> None:
    first = away(ann, 3, key="k")
    jump(service, HOUR)
    with nothing_stored(service):
        again = away(ann, 3, key="k")
        problem(away(ann, 4, key="k"), 422, "key-reused")
    assert (again.status, again.body) == (first.status, first.body)
    assert (first.headers.get("idempotency-replayed"), again.headers["idempotency-replayed"]) == (None, "true")
    assert at(away(bob, 4, key="k"))["days_left"] == 17
    problem(ann.call("POST", "/v1/me/vacation", {"days": 3}, key="not visible\t"), 400, "invalid-request")


def test_it_takes_the_scope_play_and_reading_takes_read(service: LocalService, ann: Client) -> None:
    for scope in ("read", "play"):
        body = {"scopes": [scope], "label": scope}
        limited = Client(service.url, ann.ok("POST", "/v1/me/tokens", body)["token"])
        assert limited.call("GET", "/v1/me/vacation").status == (200 if scope == "read" else 403)
        assert limited.call("DELETE", "/v1/me/vacation").status == (200 if scope == "play" else 403)
        assert away(limited, 1).status == (200 if scope == "play" else 403)
        limited.close()
    for method in ("GET", "POST", "DELETE"):
        problem(Client(service.url).call(method, "/v1/me/vacation"), 401, "unauthenticated")


def test_who_comes_back_early_has_what_remained(service: LocalService, ann: Client, bob: Client) -> None:
    matches = [table(ann, bob, clock=own_clock) for own_clock in SLOW]
    before = [both(ann, match)[0] for match in matches]
    jump(service, HOUR)
    at(away(ann, 9))
    jump(service, 100_000)
    back(ann)
    assert [both(ann, match)[0] for match in matches] == [limit + 100_000_000 for limit in before]
    (resumed,) = of_type(ann, matches[0], "resumed")
    assert (resumed["seat"], ms(resumed["until"])) == (0, clock.now())
    at(away(ann, 1))  # a further one within the same decision
    assert [both(ann, match)[0] for match in matches] == [limit + 100_000_000 + 1000 * DAY for limit in before]


def test_what_is_overdue_is_not_paused_and_what_follows_is(service: LocalService, ann: Client, bob: Client) -> None:
    missed = table(ann, bob)
    lost = table(ann, bob, clock={**SLOW[0], "on_timeout": "forfeit"})
    at(lay(bob, missed, "7", "higher", 1))
    at(lay(bob, lost, "7", "higher", 1))
    first, last = both(ann, missed)[0], both(ann, lost)[0]
    jump(service, DEFAULT / 1000 + HOUR)
    begun = at(away(ann, 2))
    log = ann.ok("GET", f"/v1/matches/{missed}/log")["items"]
    assert {ms(event["at"]) for event in log if event.get("by") == "clock"} == {first}
    assert both(ann, missed) == (first + DEFAULT + 2000 * DAY, first + DEFAULT)
    assert ms(begun["start"]) < first + DEFAULT
    over = read(ann, lost)
    assert (over["result"]["reason"], ms(over["ended_at"])) == ("timeout", last)
    assert of_type(ann, lost, "paused") == []


def test_who_is_away_and_sits_down_has_the_rest_of_the_vacation(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    waiting = create(ann, "liars-poker", seats=5)
    begun = at(away(ann, 5))
    jump(service, DAY)
    end = ms(begun["end"])
    created, joined = create(ann), create(bob)
    at(bob.call("POST", f"/v1/matches/{created}/join"))
    at(ann.call("POST", f"/v1/matches/{joined}/join"))
    assert both(ann, created) == (end + DEFAULT, clock.now() + DEFAULT)
    assert both(ann, joined) == (clock.now() + DEFAULT, end + DEFAULT)
    for client in (cyd, bob):
        at(client.call("POST", f"/v1/matches/{waiting}/join"))
    at(cyd.call("POST", f"/v1/matches/{waiting}/leave"))
    at(ann.call("POST", f"/v1/matches/{waiting}/start"))
    pauses = record_of(waiting).match.pauses
    assert [(pause.seat, pause.end) for pause in pauses] == [(0, end)]
    assert create(ann, clock=FAST[0])  # whose clock does not stand still
    assert record_of(ann.ok("GET", "/v1/matches?mine=true")["items"][0]["id"]).match.pauses == ()


def test_a_seat_that_was_given_up_takes_its_vacation_along(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    at(away(bob, 5))
    match = create(ann, "liars-poker", seats=4)
    for client in (cyd, bob):
        at(client.call("POST", f"/v1/matches/{match}/join"))
    at(cyd.call("POST", f"/v1/matches/{match}/leave"))
    at(ann.call("POST", f"/v1/matches/{match}/start"))
    assert [pause.seat for pause in record_of(match).match.pauses] == [1]  # bob, who had seat 2

    other = create(ann, "liars-poker", seats=3)
    at(bob.call("POST", f"/v1/matches/{other}/join"))
    at(bob.call("POST", f"/v1/matches/{other}/leave"))
    at(cyd.call("POST", f"/v1/matches/{other}/join"))
    assert [pause.seat for pause in record_of(other).match.pauses] == []


def test_who_has_left_a_match_pauses_nothing_in_it(ann: Client, bob: Client, cyd: Client) -> None:
    match = table(ann, bob, cyd, game="liars-poker")
    at(act(ann, match, {"type": "resign"}))
    over = table(ann, bob)
    at(act(ann, over, {"type": "resign"}))
    at(away(ann, 5))
    assert record_of(match).match.pauses == record_of(over).match.pauses == ()


def test_a_seat_that_is_taken_while_the_vacation_is_written_in_is_found_the_second_time(
    service: LocalService, ann: Client, bob: Client
) -> None:
    """The request that sat ann down had read her profile before; what it missed is made good a minute later."""
    match = create(bob)
    dynamo = service.dynamo
    assert dynamo is not None
    guard, begun = dynamo.around, []

    def between(operation: str, parameters: Any, call: Any) -> Any:
        if operation == "TransactWriteItems" and not begun:
            begun.append(None)
            other = Client(service.url, ann.token)
            begun[0] = other.ok("POST", "/v1/me/vacation", {"days": 3})
            other.close()
        return call()

    dynamo.around = between
    try:
        at(ann.call("POST", f"/v1/matches/{match}/join"))
    finally:
        dynamo.around = guard
    limits = both(ann, match)
    assert limits[0] == limits[1]
    jump(service, 60)
    assert sweep(service) == {"worked": 1}
    assert both(ann, match) == (limits[0], limits[1] + 3000 * DAY)
    (paused,) = of_type(ann, match, "paused")
    assert paused["from"] == begun[0]["start"]
    assert sweep(service) == {}
