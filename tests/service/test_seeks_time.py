"""What time does to a seek: it accepts more, and it ends (ladder.md, "Seeks"). No request is needed for either."""

from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.moments import DAY, HOUR, jump, sweep
from tests.service.playing import me
from tests.service.seeking import end_all, finds, own, seated, waits
from tests.service.standings import rate

MINUTE = 60


@pytest.fixture(autouse=True)
def nobody_else_waits(service: LocalService) -> None:
    """What other tests left waiting is over."""
    end_all()


def state(client: Client, seek: str) -> Any:
    return client.ok("GET", f"/v1/seeks/{seek}")


def test_a_seek_accepts_fifty_points_more_after_each_full_hour(service: LocalService, ann: Client, bob: Client) -> None:
    """400 points apart, both accept 400 after five hours."""
    rate(bob, "misfortune", 1900)
    seeks = waits(ann), waits(bob)
    service.advance(HOUR)
    assert state(ann, seeks[0])["accepts"] == [1300, 1700]
    service.advance(4 * HOUR - MINUTE)
    assert [state(client, seek)["status"] for client, seek in zip((ann, bob), seeks, strict=True)] == ["waiting"] * 2
    service.advance(2 * MINUTE)
    found = [state(client, seek) for client, seek in zip((ann, bob), seeks, strict=True)]
    assert [seek["status"] for seek in found] == ["matched"] * 2
    assert found[0]["match"] == found[1]["match"]
    match = ann.ok("GET", f"/v1/matches/{found[0]['match']}")
    assert (match["status"], seated(match)) == ("active", [me(ann), me(bob)])
    events = [event["type"] for event in bob.ok("GET", "/v1/me/events?limit=100")["items"]]
    assert events == ["match-started", "your-turn"]


def test_both_must_have_waited_long_enough(service: LocalService, ann: Client, bob: Client) -> None:
    rate(bob, "misfortune", 1800)
    seek = waits(ann)
    service.advance(4 * HOUR)
    waits(bob)  # ann accepts 350 points, bob 150
    service.advance(3 * HOUR - MINUTE)
    assert state(ann, seek)["status"] == "waiting"
    service.advance(2 * MINUTE)
    assert state(ann, seek)["status"] == "matched"


def test_after_a_day_anybody_is_accepted_but_never_outside_a_given_range(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    rate(bob, "misfortune", 3700)
    rate(cyd, "misfortune", 1499)
    seeks = waits(ann, rating_range=[3701, 4095]), waits(cyd)
    service.advance(24 * HOUR - MINUTE)
    assert state(cyd, seeks[1])["accepts"] == [199, 2799]
    service.advance(2 * MINUTE)
    assert state(cyd, seeks[1])["accepts"] is None
    assert (state(ann, seeks[0])["accepts"], state(ann, seeks[0])["status"]) == ([3701, 4095], "waiting")
    assert seated(finds(bob, rating_range=[0, 4095])) == [me(cyd), me(bob)]
    service.advance(DAY)
    assert state(ann, seeks[0])["status"] == "waiting"


def test_a_seek_finds_who_has_waited_at_the_very_hour_though_no_referee_ran(
    service: LocalService, ann: Client, bob: Client
) -> None:
    rate(bob, "misfortune", 1700)
    waits(ann)
    jump(service, HOUR - 0.002)
    wishes = {"game": "misfortune", "rating_range": [0, 4095]}
    seek = bob.ok("POST", "/v1/seeks", wishes)["seek"]["id"]  # a millisecond too early
    assert bob.call("DELETE", f"/v1/seeks/{seek}").status == 204
    jump(service, 0.001)
    assert seated(bob.ok("POST", "/v1/seeks", wishes)["match"]) == [me(ann), me(bob)]


def test_ratings_that_have_come_near_are_seen_within_the_hour(service: LocalService, ann: Client, bob: Client) -> None:
    rate(bob, "misfortune", 2000)
    seeks = waits(ann, rating_range=[1000, 2500]), waits(bob, rating_range=[1700, 2500])
    rate(ann, "misfortune", 1750)
    service.advance(HOUR + MINUTE)
    assert [state(ann, seeks[0])["status"], state(bob, seeks[1])["status"]] == ["matched"] * 2


def test_a_seek_ends_after_two_weeks(service: LocalService, ann: Client, bob: Client) -> None:
    seek = waits(ann)
    assert sweep(service) == {}
    jump(service, 14 * DAY - 1)
    assert own(ann) == [seek]
    jump(service, 1)
    assert own(ann) == []
    waits(bob)  # it is over, though nobody has swept it up
    assert sweep(service)["expired"] >= 1
    assert state(ann, seek)["status"] == "expired"
    assert ann.call("DELETE", f"/v1/seeks/{seek}").status == 204
    assert seated(finds(ann)) == [me(bob), me(ann)]
