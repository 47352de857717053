"""Taking seats, giving them up, starting, nonces (api.md, "Matches")."""

from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.playing import act, at, create, legal, me, read, table

OPEN_S = 14 * 86_400


def join(client: Client, match: str, **body: Any) -> Any:
    return client.call("POST", f"/v1/matches/{match}/join", body)


def leave(client: Client, match: str) -> Any:
    return client.call("POST", f"/v1/matches/{match}/leave")


def start(client: Client, match: str) -> Any:
    return client.call("POST", f"/v1/matches/{match}/start")


def put_nonce(client: Client, match: str, nonce: str) -> Any:
    return client.call("PUT", f"/v1/matches/{match}/nonce", {"nonce": nonce})


def sitting(client: Client, match: str) -> dict[int, str]:
    return {seat["seat"]: seat["player"]["id"] for seat in read(client, match)["seats"]}


def test_a_match_starts_when_its_last_seat_is_taken(ann: Client, bob: Client, cyd: Client) -> None:
    match = create(ann, "liars-poker", seats=3)
    second = at(join(bob, match))
    assert (second["status"], second["you"], second["view"]) == ("open", {"seat": 1, "to_act": False}, None)
    third = at(join(cyd, match))
    assert (third["status"], third["turn"], third["you"]["seat"]) == ("active", 1, 2)
    assert third["view"] is not None
    assert third["started_at"] == third["server_time"]
    assert third["expires_at"] is None
    assert third["seats"] == read(ann, match)["seats"]


def test_joining_needs_no_body(ann: Client, bob: Client) -> None:
    assert at(bob.call("POST", f"/v1/matches/{create(ann)}/join"))["status"] == "active"


def test_nobody_sits_down_twice_or_where_no_seat_is_free(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    match = create(ann)
    with nothing_stored(service):
        problem(join(ann, match), 409, "already-joined")
    at(join(bob, match))
    with nothing_stored(service):
        problem(join(bob, match), 409, "already-joined")
        problem(join(cyd, match), 409, "match-full")
    at(act(bob, match, {"type": "resign"}))
    problem(join(cyd, match), 409, "match-not-open")


def test_who_joins_gets_the_lowest_free_seat(ann: Client, bob: Client, cyd: Client) -> None:
    match = create(ann, "liars-poker", seats=4)
    for client in (bob, cyd):
        at(join(client, match))
    left = at(leave(bob, match))
    assert left["you"] is None
    assert sitting(ann, match) == {0: me(ann), 2: me(cyd)}
    assert at(join(bob, match))["you"]["seat"] == 1


def test_a_match_is_aborted_when_its_creator_leaves(service: LocalService, ann: Client, bob: Client) -> None:
    match = create(ann, "liars-poker", seats=3)
    at(join(bob, match))
    assert at(leave(ann, match))["status"] == "aborted"
    seen = read(bob, match)
    assert (seen["status"], seen["result"], seen["turn"], seen["to_act"]) == ("aborted", None, 0, [])
    service.settle()
    for client in (ann, bob):
        assert not client.ok("GET", "/v1/matches?mine=true&status=open")["items"]
    for reply in (join(bob, match), leave(bob, match), put_nonce(bob, match, "00")):
        assert problem(reply, 409, reply.body["code"])["code"] in ("match-not-open", "already-joined")
    problem(act(bob, match, {"type": "resign"}), 409, "match-over")


def test_who_has_no_seat_can_neither_leave_nor_start(service: LocalService, ann: Client, cyd: Client) -> None:
    match = create(ann)
    with nothing_stored(service):
        for reply in (leave(cyd, match), start(cyd, match), put_nonce(cyd, match, "00")):
            problem(reply, 403, "forbidden")


def test_seats_are_for_good_once_the_match_has_started(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob)
    with nothing_stored(service):
        for reply in (leave(bob, match), leave(ann, match), start(ann, match), put_nonce(bob, match, "00")):
            problem(reply, 409, "match-not-open")


def test_the_creator_starts_with_the_seats_that_are_taken(ann: Client, bob: Client, cyd: Client) -> None:
    match = create(ann, "liars-poker", seats=6)
    problem(start(ann, match), 409, "conflict")
    at(join(bob, match))
    at(join(cyd, match))
    at(leave(bob, match))
    problem(start(cyd, match), 403, "forbidden")
    begun = at(start(ann, match))
    assert (begun["status"], begun["size"], begun["options"]["rounds"]) == ("active", 2, 5)
    assert sitting(ann, match) == {0: me(ann), 1: me(cyd)}
    assert read(cyd, match)["you"]["seat"] == 1
    assert not read(bob, match)["you"]


def test_a_nonce_may_be_given_and_replaced_until_the_start(ann: Client, bob: Client) -> None:
    match = create(ann, nonce="00")
    commitment = read(ann, match)["deal"]
    for nonce in ("AB", "", "ff" * 64):
        assert at(put_nonce(ann, match, nonce))["deal"] == commitment
    at(join(bob, match, nonce="0102"))
    problem(put_nonce(ann, match, "00"), 409, "match-not-open")
    assert read(ann, match)["deal"] == commitment


@pytest.mark.parametrize("nonce", ["a", "zz", "ab" * 65, "0x00", "ab cd", "ab\n", 1, None, ["ab"]])
def test_what_is_no_nonce_is_refused(service: LocalService, ann: Client, bob: Client, nonce: Any) -> None:
    match = create(ann)
    with nothing_stored(service):
        for reply in (put_nonce(ann, match, nonce), join(bob, match, nonce=nonce)):
            assert problem(reply, 422, "invalid-request")["errors"][0]["loc"] == ["nonce"]


def test_a_nonce_is_shown_to_nobody(anybody: Client, ann: Client, bob: Client) -> None:
    nonces = ("c0ffee" * 3, "beef" * 4)
    match = create(ann, nonce=nonces[0])
    at(join(bob, match, nonce=nonces[1]))
    for client in (ann, bob, anybody):
        for path in ("", "/log"):
            assert not any(nonce in str(client.call("GET", f"/v1/matches/{match}{path}")) for nonce in nonces)


def test_a_rating_range_lets_in_who_fits_and_who_was_invited(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    match = create(ann, "liars-poker", seats=4, rating_range=[1501, 2000], invite=[me(bob)])
    with nothing_stored(service):
        problem(join(cyd, match), 403, "forbidden")
    assert match not in [head["id"] for head in cyd.ok("GET", "/v1/matches?joinable=true")["items"]]
    assert at(join(bob, match))["rating_range"] == [1501, 2000]
    fitting = create(ann, "liars-poker", seats=4, rating_range=[1500, 1500])
    assert join(cyd, fitting).status == 200


def test_an_open_match_expires_after_two_weeks_and_not_before(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    match, started = create(ann, "liars-poker", seats=3), table(ann, bob)
    expires = read(ann, match)["expires_at"]
    service.advance(OPEN_S - 1)
    assert at(join(bob, match))["status"] == "open"
    service.advance(1)
    seen = read(bob, match)
    assert (seen["status"], seen["ended_at"], seen["expires_at"]) == ("aborted", expires, None)
    problem(join(cyd, match), 409, "match-not-open")
    assert read(ann, started)["status"] != "open"
    assert not ann.ok("GET", "/v1/matches?mine=true&status=open")["items"]


def test_an_open_match_expires_though_nobody_has_looked_after_it(
    service: LocalService, ann: Client, bob: Client
) -> None:
    service.advance(30)  # half a minute off the referee's rounds
    joined, read_late = create(ann), create(ann)
    expires = read(ann, joined)["expires_at"]
    service.advance(OPEN_S + 1)
    problem(join(bob, joined), 409, "match-not-open")
    assert read(ann, read_late)["status"] == "aborted"
    assert read(ann, read_late)["ended_at"] == read(ann, joined)["ended_at"] == expires


def test_house_bots_take_seats_and_play_at_once(ann: Client, bob: Client) -> None:
    match = create(ann, "micro-poker", seats=4, bots=2)
    waiting = read(ann, match)
    assert [(seat["seat"], seat["bot"]) for seat in waiting["seats"]] == [(0, False), (1, True), (2, True)]
    assert waiting["status"] == "open"
    started = at(join(bob, match))
    assert (started["status"], started["you"]["seat"]) == ("active", 3)
    assert started["to_act"]
    assert legal(bob, match)["actions"] or legal(ann, match)["actions"]
