"""Vacations (api.md, "POST /me/vacation"; reports 22)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.match import play
from functions.shared import clock
from functions.shared.flows.marks import key_of
from functions.shared.store.ports import ConflictError
from functions.shared.store.records import JobKind
from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.moments import (
    DAY,
    HOUR,
    cut_off,
    deadlines,
    jump,
    just_before_it_is_saved,
    ms,
    record_of,
    services,
    sweep,
)
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


def to_next_year(service: LocalService, month: int, day: int) -> None:
    """Moves the clock to midnight UTC of a day."""
    year = datetime.fromtimestamp(clock.now() / 1000, UTC).year + 1
    jump(service, datetime(year, month, day, tzinfo=UTC).timestamp() - clock.now() / 1000)


def test_there_are_21_days_a_year_of_utc(service: LocalService, ann: Client) -> None:
    to_next_year(service, 11, 1)
    assert at(away(ann, 20))["days_left"] == 1
    problem(away(ann, 1), 409, "conflict")
    jump(service, 20 * DAY - 0.001)
    problem(away(ann, 1), 409, "conflict")
    jump(service, 0.001)
    assert ann.ok("GET", "/v1/me/vacation") == {"start": None, "end": None, "days_left": 1}
    with nothing_stored(service):
        problem(away(ann, 2), 409, "limit-reached")
    assert at(away(ann, 1))["days_left"] == 0
    jump(service, DAY)
    problem(away(ann, 1), 409, "limit-reached")
    to_next_year(service, 1, 1)
    assert days_left(ann) == 21
    assert at(away(ann, 21))["days_left"] == 0


def test_a_vacation_over_new_year_is_of_the_year_in_which_it_began(service: LocalService, ann: Client) -> None:
    to_next_year(service, 12, 30)
    assert at(away(ann, 20))["days_left"] == 1
    jump(service, 2 * DAY - 0.001)
    assert days_left(ann) == 1
    jump(service, 0.001)
    assert days_left(ann) == 21
    assert back(ann)["days_left"] == 21
    assert at(away(ann, 21))["days_left"] == 0


@pytest.mark.parametrize(("after", "left"), [(0.001, 20), (DAY, 20), (DAY + 1, 19), (2.5 * DAY, 18), (9 * DAY, 12)])
def test_whole_days_that_were_not_used_are_given_back(
    service: LocalService, ann: Client, after: float, left: int
) -> None:
    at(away(ann, 9))
    jump(service, after)
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


def test_it_takes_the_scope_play_and_reading_takes_read(service: LocalService, anybody: Client, ann: Client) -> None:
    for scope in ("read", "play"):
        body = {"scopes": [scope], "label": scope}
        limited = Client(service.url, ann.ok("POST", "/v1/me/tokens", body)["token"])
        assert limited.call("GET", "/v1/me/vacation").status == (200 if scope == "read" else 403)
        assert limited.call("DELETE", "/v1/me/vacation").status == (200 if scope == "play" else 403)
        assert away(limited, 1).status == (200 if scope == "play" else 403)
        limited.close()
    for method in ("GET", "POST", "DELETE"):
        problem(anybody.call(method, "/v1/me/vacation"), 401, "unauthenticated")


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
    assert record_of(create(ann, clock=FAST[0])).match.pauses == ()


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
    match, other, begun = create(bob), Client(service.url, ann.token), list[Any]()
    with just_before_it_is_saved(service, match, lambda: begun.append(at(away(other, 3)))):
        at(ann.call("POST", f"/v1/matches/{match}/join"))
    other.close()
    limits = both(ann, match)
    assert limits[0] == limits[1]
    jump(service, 60)
    sweep(service)
    assert both(ann, match) == (limits[0], limits[1] + 3000 * DAY)
    (paused,) = of_type(ann, match, "paused")
    assert paused["from"] == begun[0]["start"]
    assert pending(ann) is None


def pending(client: Client) -> Any:
    """What is still to be done of the player's vacation."""
    return services().jobs.get(JobKind.VACATION, me(client))


def begin(client: Client) -> None:
    """Three days, without the way through the gateway."""
    from functions.shared.flows import absence  # logging reads the environment that a service has set

    key = key_of(services(), me(client), "here", None, None)
    absence.begin_vacation(services(), me(client), 3, key, clock.now())


def end(client: Client) -> None:
    from functions.shared.flows import absence

    absence.end_vacation(services(), me(client), clock.now())


def picture(match: str) -> Any:
    """The pauses of a match and what its log says of them, by the moment of its start."""
    found = record_of(match).match
    pauses = [(pause.seat, pause.start - found.started_at, pause.end - found.started_at) for pause in found.pauses]
    log = [(entry.at - found.started_at, entry.type, entry.seat) for entry in found.log if entry.turn]
    return pauses, log, [play.deadline(found, seat) - found.started_at for seat in play.asked(found)]


@pytest.mark.parametrize("is_written", [True, False])
@pytest.mark.parametrize("ends", [True, False])
def test_a_vacation_that_is_cut_off_at_any_write_is_written_in_as_in_a_clean_run(
    service: LocalService, ann: Client, bob: Client, new_player: Callable[[], Client], is_written: bool, ends: bool
) -> None:
    """By the referee, once, as if in time; whether it begins or ends."""

    def run(player: Client, place: int) -> tuple[list[Any], list[str]]:
        matches = [table(player, bob, clock=SLOW[0]), table(bob, player, clock=SLOW[1])]
        jump(service, HOUR)
        if ends:
            begin(player)
            jump(service, HOUR)
        with cut_off(service, place, is_written=is_written) as writes:
            (end if ends else begin)(player)
        if writes and place == 0 and not is_written:
            (end if ends else begin)(player)  # which had not been begun at all
        for _ in range(3):
            jump(service, 60)
            sweep(service)
        assert pending(player) is None
        return [picture(match) for match in matches], writes

    clean, writes = run(ann, -1)
    assert len(writes) == 4  # profile and job, each match, and how far the job has come
    for place in range(len(writes)):
        assert run(new_player(), place)[0] == clean, place


def test_a_vacation_that_is_written_in_twice_at_once_counts_once(
    service: LocalService, ann: Client, bob: Client
) -> None:
    from functions.shared.flows import jobs

    matches = [table(ann, bob) for _ in range(5)]
    before = [both(ann, match) for match in matches]
    with cut_off(service, 0):
        begin(ann)
    job = pending(ann)

    def work() -> None:
        with suppress(ConflictError):
            jobs.run(services(), job, clock.now())

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work) for _ in range(4)]:
            done.result()
    assert [both(ann, match) for match in matches] == [(limit + 3000 * DAY, other) for limit, other in before]
    assert [len(of_type(ann, match, "paused")) for match in matches] == [1] * 5


def test_who_comes_back_while_the_vacation_is_still_being_written_in_has_come_back(
    service: LocalService, ann: Client, bob: Client
) -> None:
    match = table(ann, bob)
    before = both(ann, match)
    with cut_off(service, 0):
        begin(ann)
    jump(service, 10)
    back(ann)
    assert both(ann, match) == (before[0] + 10_000, before[1])
    jump(service, 60)
    sweep(service)
    assert (both(ann, match), pending(ann)) == ((before[0] + 10_000, before[1]), None)
