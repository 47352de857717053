"""The life of a tournament over HTTP: from its announcement to its end, by itself (tournaments.md, "Life")."""

from collections.abc import Callable
from typing import Any

import pytest

from functions.shared import clock
from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import less_moment, nothing_stored, problem
from tests.service.moments import DAY, jump, ms, sweep
from tests.service.organizing import (
    HOUR,
    ask,
    begin,
    by_player,
    enter,
    finish,
    items,
    open_matches,
    order,
    pairings,
    post,
    rows,
    scheduled,
    show,
    soon,
    started,
    status_of,
)
from tests.service.playing import at, me, read

NewPlayer = Callable[[], Client]


def events(client: Client) -> list[str]:
    """What kinds of things a player was told of tournaments."""
    told = client.ok("GET", "/v1/me/events?limit=100")["items"]
    return [one["type"] for one in told if one["type"].startswith("tournament-")]


def test_a_tournament_is_shown_whole_when_it_is_made(ann: Client, anybody: Client) -> None:
    asked = order(
        format="single-elimination",
        options={"prayer_from_round": 13},
        registration={"capacity": 8, "check_in_minutes": 10, "rating_range": [1000, 2000]},
        seeding="random",
        match={"best_of": 3, "replays": 1},
        round_deadline=6000,
        third_place=True,
        unrated=True,
        time_zone="Europe/Berlin",
    )
    reply = ann.call("POST", "/v1/tournaments", asked)
    body = at(reply)
    assert (reply.status, reply.headers["location"]) == (201, f"/v1/tournaments/{body['id']}")
    start = ms(asked["starts_at"])
    expected = {
        "name": asked["name"],
        "game": "misfortune",
        "options": asked["options"],
        "format": "single-elimination",
        "status": "registration",
        "starts_at": asked["starts_at"],
        "seeding": "random",
        "round_deadline": 6000,
        "third_place": True,
        "unrated": True,
        "time_zone": "Europe/Berlin",
        "round": 0,
        "rounds": 1,
        "latest_end": clock.rfc3339(start + 6_000_000),
        "organizers": [{"id": me(ann), "name": at(ann.call("GET", "/v1/me"))["name"]}],
        "entrants": None,
        "reason": None,
        "ended_at": None,
        "you": {"entry": None, "organizer": True},
    }
    assert expected.items() <= body.items()
    assert body["match"] == {
        "clock": {"kind": "per-move", "seconds": 6000 // (20 * 3), "on_timeout": "default-action"},
        "best_of": 3,
        "seats": 2,
        "replays": 1,
    }
    registration = body["registration"]
    assert registration["closes_at"] == registration["check_in_opens_at"] == clock.rfc3339(start - 600_000)
    assert (registration["capacity"], registration["entered"], registration["waitlisted"]) == (8, 0, 0)
    assert (registration["rating_range"], registration["needs_code"]) == ([1000, 2000], False)
    assert len(body["deal"]["commitment"]) == 64
    assert body["deal"]["key"] is None
    assert less_moment(show(ann, body["id"])) == less_moment(body)
    assert show(anybody, body["id"])["you"] is None
    assert body["server_time"] == clock.rfc3339(clock.now())


def test_a_status_follows_the_time(service: LocalService, ann: Client, bob: Client, cyd: Client) -> None:
    registration = {"opens_at": soon(600), "check_in_minutes": 10}
    tournament = scheduled(ann, registration=registration)
    assert status_of(ann, tournament) == "announced"
    problem(post(bob, tournament, "entries"), 409, "conflict")
    service.advance(600)
    assert status_of(ann, tournament) == "registration"
    enter(tournament, bob, cyd)
    problem(post(bob, tournament, "check-in"), 409, "conflict")
    service.advance(HOUR - 1200 - 0.003)
    assert status_of(ann, tournament) == "registration"
    service.advance(0.001)
    assert status_of(ann, tournament) == "check-in"
    for client in (bob, cyd):
        assert at(post(client, tournament, "check-in"))["status"] == "checked-in"
    service.advance(600)
    assert status_of(ann, tournament) == "running"
    service.settle()
    finish(service, ann, tournament, by_player([bob, cyd]))
    assert status_of(ann, tournament) == "finished"


def test_it_starts_by_itself_at_the_hour_and_matches_begin(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    tournament = started(service, ann, bob, cyd, match={"best_of": 1})
    body = show(bob, tournament)
    assert (body["entrants"], body["round"], body["rounds"]) == (2, 1, 1)
    assert body["you"]["entry"]["status"] == "playing"
    assert body["you"]["entry"]["rating"] == 1500
    (pairing,) = pairings(ann, tournament)
    assert (pairing["status"], pairing["stage"], pairing["round"], pairing["place"]) == ("playing", "main", 1, 1)
    (match,) = pairing["matches"]
    record = read(bob, match)
    assert (record["tournament"], record["rated"], record["talk"]) == (tournament, True, False)
    assert [seat["player"]["id"] for seat in record["seats"]] == [me(bob), me(cyd)]  # the higher seed has seat 0
    assert record["clock"]["seconds"] == 7 * DAY // 20
    assert pairing["deadline"] == clock.rfc3339(ms(body["starts_at"]) + 7 * DAY * 1000)
    service.settle()
    for client in (bob, cyd):
        assert events(client) == ["tournament-started"]
        mine = [head["id"] for head in items(client, "/v1/matches", mine="true")]
        assert mine == [match]


def test_the_end_tells_places_and_opens_the_key(service: LocalService, ann: Client, bob: Client, cyd: Client) -> None:
    from engine import deal

    tournament = started(service, ann, bob, cyd)
    before = show(ann, tournament)["deal"]
    over = finish(service, ann, tournament, by_player([bob, cyd]))
    assert over["deal"]["commitment"] == before["commitment"]
    assert before["key"] is None
    assert deal.commitment(tournament, bytes.fromhex(over["deal"]["key"])).hex() == before["commitment"]
    assert over["ended_at"] is not None
    table = rows(ann, tournament)
    assert [(row["rank"], row["player"]["id"]) for row in table] == [(1, me(bob)), (2, me(cyd))]
    assert show(ann, tournament, "standings")["final"] is True
    assert events(bob) == events(cyd) == ["tournament-started", "tournament-finished"]
    assert show(cyd, tournament)["you"]["entry"]["status"] in ("playing", "out")


def test_a_tournament_with_too_few_is_cancelled_at_its_start_and_says_why(
    service: LocalService, ann: Client, bob: Client
) -> None:
    lonely = scheduled(ann)
    enter(lonely, bob)
    tables = scheduled(ann, game="micro-poker", format="heats")
    enter(tables, bob, ann)
    begin(service)
    for tournament, least in ((lonely, "2"), (tables, "3")):
        body = show(ann, tournament)
        assert body["status"] == "cancelled"
        assert f"at least {least}" in body["reason"]
        assert show(ann, tournament, "bracket")["stages"] == []
    assert events(bob) == ["tournament-cancelled"] * 2


def test_a_late_or_doubled_schedule_starts_it_once(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    tournament = scheduled(ann)
    enter(tournament, bob, cyd)
    jump(service, HOUR + 600)  # the referee was stopped
    sweep(service)
    sweep(service)
    assert status_of(ann, tournament) == "running"
    assert show(ann, tournament)["starts_at"] != soon(0)
    assert len(open_matches(ann, tournament)) == 1
    assert len(list(items(bob, "/v1/matches", mine="true"))) == 1


def test_whoever_looks_after_the_hour_finds_it_started_without_the_referee(
    service: LocalService, ann: Client, anybody: Client, bob: Client, cyd: Client
) -> None:
    tournament = scheduled(ann)
    enter(tournament, bob, cyd)
    jump(service, HOUR - 0.004)  # entering took two milliseconds
    assert status_of(anybody, tournament) == "registration"
    jump(service, 0.001)
    with nothing_stored(service):
        assert show(ann, tournament)["starts_at"] > show(ann, tournament)["server_time"]
    jump(service, 0.001)
    assert status_of(anybody, tournament) == "running"
    service.settle()
    assert len(open_matches(ann, tournament)) == 1


def test_an_organizer_starts_it_early(service: LocalService, ann: Client, bob: Client, cyd: Client) -> None:
    tournament = scheduled(ann, registration={"check_in_minutes": 30})
    enter(tournament, bob)
    problem(post(ann, tournament, "start"), 409, "conflict")
    enter(tournament, cyd)
    begun = at(post(ann, tournament, "start"))
    assert (begun["status"], begun["starts_at"]) == ("running", clock.rfc3339(clock.now()))
    service.settle()
    assert len(open_matches(ann, tournament)) == 1
    with nothing_stored(service):
        assert at(post(ann, tournament, "start"))["starts_at"] == begun["starts_at"]
    service.advance(HOUR)
    assert len(list(items(bob, "/v1/matches", mine="true"))) == 1


@pytest.mark.parametrize("when", ["before", "while it is played"])
def test_a_cancelled_tournament_ends_what_is_open(
    service: LocalService, new_player: NewPlayer, ann: Client, bob: Client, cyd: Client, when: str
) -> None:
    tournament = scheduled(ann)
    enter(tournament, bob, cyd)
    if when != "before":
        begin(service)
    matches = open_matches(ann, tournament)
    cancelled = at(post(ann, tournament, "cancel", {"reason": "The hall is closed"}))
    assert (cancelled["status"], cancelled["reason"]) == ("cancelled", "The hall is closed")
    service.settle()
    assert [read(bob, match)["status"] for match in matches] == ["aborted"] * len(matches)
    assert {pairing["status"] for pairing in pairings(ann, tournament)} <= {"void"}
    with nothing_stored(service):
        assert at(post(ann, tournament, "cancel"))["reason"] == "The hall is closed"
    problem(post(new_player(), tournament, "entries"), 409, "conflict")
    service.advance(2 * HOUR)
    assert status_of(ann, tournament) == "cancelled"
    assert "tournament-cancelled" in events(bob)


def test_the_deadline_takes_a_match_as_it_stands(service: LocalService, ann: Client, bob: Client, cyd: Client) -> None:
    from tests.service.playing import act, legal

    tournament = started(service, ann, bob, cyd, round_deadline=DAY)
    (match,) = open_matches(ann, tournament)
    at(act(bob, match, legal(bob, match)["actions"][0]))  # cyd never acts
    jump(service, DAY)
    service.advance(60)
    service.settle()
    (pairing,) = pairings(ann, tournament)
    assert pairing["status"] == "settled"
    assert (pairing["result"]["ranks"], pairing["result"]["reason"]) == ([1, 2], "forfeit")
    assert status_of(ann, tournament) == "finished"
    assert read(bob, match)["status"] == "finished"


def test_lists_show_what_is_to_come_and_what_was(
    service: LocalService, ann: Client, bob: Client, cyd: Client, anybody: Client
) -> None:
    late = scheduled(ann, starts_at=soon(3 * HOUR))
    early = scheduled(ann, starts_at=soon(2 * HOUR), game="liars-poker")
    tournament = started(service, ann, bob, cyd)

    def listed(client: Client, **query: Any) -> list[str]:
        return [head["id"] for head in items(client, "/v1/tournaments", **query)]

    ours = [early, late, tournament]
    assert [one for one in listed(anybody) if one in ours] == [early, late]
    assert [one for one in listed(anybody, game="misfortune") if one in ours] == [late]
    assert tournament in listed(anybody, status="running")
    assert listed(anybody, status="finished", game="half-deck-poker") == []
    assert listed(bob, mine="true") == [tournament]
    assert set(ours) <= set(listed(ann, mine="true"))
    assert listed(ann, mine="true", status="running", limit=1)[0] == tournament
    head = at(anybody.call("GET", "/v1/tournaments?status=running"))["items"][0]
    assert "you" not in head
    assert {"id", "name", "registration", "latest_end"} <= set(head)


def test_a_creation_is_carried_out_once(service: LocalService, ann: Client) -> None:
    asked = order()
    first = ann.call("POST", "/v1/tournaments", asked, key="one")
    with nothing_stored(service):
        again = ann.call("POST", "/v1/tournaments", asked, key="one")
    assert (again.status, again.body, again.headers["location"]) == (201, first.body, first.headers["location"])
    assert again.headers["idempotency-replayed"] == "true"
    problem(ann.call("POST", "/v1/tournaments", asked | {"name": "Another"}, key="one"), 422, "key-reused")
    assert at(ask(ann))["id"] != first.body["id"]


def test_every_view_has_a_tag_that_changes_with_it_only(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    tournament = scheduled(ann)
    enter(tournament, bob, cyd)
    views = ["", "/entries", "/bracket", "/standings", "/audit", "/calendar.ics", "/standings.csv"]
    paths = [f"/v1/tournaments/{tournament}{view}" for view in views]
    tags = {path: ann.call("GET", path).headers["etag"] for path in paths}
    service.advance(1)
    for path, tag in tags.items():
        assert ann.call("GET", path, headers={"If-None-Match": tag}).status == 304, path
    begin(service)
    for path in paths[:4]:
        assert ann.call("GET", path, headers={"If-None-Match": tags[path]}).status == 200, path
