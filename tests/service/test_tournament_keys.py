"""Requests about tournaments that come again with their Idempotency-Key: carried out once (api.md, "retries")."""

from collections.abc import Callable
from typing import Any

import pytest

from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.checks import less_moment, nothing_stored, problem
from tests.service.organizing import HOUR, enter, items, order, pairings, post, scheduled, show, soon, started
from tests.service.playing import at, me

NewPlayer = Callable[[], Client]
Ask = Callable[[str], Reply]
"""The request with this key."""

HALF_HOUR = HOUR / 2


def cancelling(service: LocalService, new_player: NewPlayer) -> Ask:
    ann = new_player()
    tournament = scheduled(ann)
    return lambda key: post(ann, tournament, "cancel", {"reason": "Rain"}, key=key)


def starting(service: LocalService, new_player: NewPlayer) -> Ask:
    ann = new_player()
    tournament = scheduled(ann)
    enter(tournament, new_player(), new_player())
    return lambda key: post(ann, tournament, "start", key=key)


def checking_in(service: LocalService, new_player: NewPlayer) -> Ask:
    ann, bob = new_player(), new_player()
    tournament = scheduled(ann, registration={"check_in_minutes": 40})
    enter(tournament, bob)
    service.advance(HALF_HOUR)
    return lambda key: post(bob, tournament, "check-in", key=key)


def naming_an_organizer(service: LocalService, new_player: NewPlayer) -> Ask:
    ann, bob = new_player(), new_player()
    tournament = scheduled(ann)
    return lambda key: post(ann, tournament, f"organizers/{me(bob)}", key=key)


def entering(service: LocalService, new_player: NewPlayer) -> Ask:
    ann, bob = new_player(), new_player()
    tournament = scheduled(ann)
    return lambda key: post(bob, tournament, "entries", {"nonce": "00ff"}, key=key)


def entering_somebody(service: LocalService, new_player: NewPlayer) -> Ask:
    ann, bob = new_player(), new_player()
    tournament = scheduled(ann)
    return lambda key: post(ann, tournament, "entries", {"player": me(bob)}, key=key)


def ruling(service: LocalService, new_player: NewPlayer) -> Ask:
    ann = new_player()
    tournament = started(service, ann, *[new_player() for _ in range(4)])
    pairing = pairings(ann, tournament)[0]["id"]
    body = {"ranks": [2, 1], "reason": "They agreed"}
    return lambda key: post(ann, tournament, f"pairings/{pairing}/result", body, key=key)


REQUESTS = [cancelling, starting, checking_in, naming_an_organizer, entering, entering_somebody, ruling]


@pytest.mark.parametrize("what", REQUESTS, ids=lambda what: what.__name__)
def test_what_comes_again_is_answered_as_the_first_time_and_not_done_again(
    service: LocalService, new_player: NewPlayer, what: Callable[[LocalService, NewPlayer], Ask]
) -> None:
    request = what(service, new_player)
    first = request("one")
    assert first.status < 300
    assert "idempotency-replayed" not in first.headers
    with nothing_stored(service):
        again = request("one")
    assert (again.status, again.headers["idempotency-replayed"]) == (first.status, "true")
    assert set(again.body) == set(first.body)


@pytest.mark.parametrize("what", REQUESTS, ids=lambda what: what.__name__)
def test_what_finds_everything_done_already_is_remembered_too(
    service: LocalService, new_player: NewPlayer, what: Callable[[LocalService, NewPlayer], Ask]
) -> None:
    request = what(service, new_player)
    at(request("one"))
    other = request("two")
    assert other.status < 300
    assert "idempotency-replayed" not in other.headers
    with nothing_stored(service):
        assert request("two").headers["idempotency-replayed"] == "true"


def test_an_entry_that_was_given_up_since_is_not_made_again(service: LocalService, ann: Client, bob: Client) -> None:
    tournament = scheduled(ann)
    at(post(bob, tournament, "entries", key="one"))
    at(bob.call("DELETE", f"/v1/tournaments/{tournament}/entries/me"))
    with nothing_stored(service):
        again = post(bob, tournament, "entries", key="one")
    assert (again.status, again.body["status"]) == (201, "withdrawn")
    assert at(post(bob, tournament, "entries", key="two"))["status"] == "entered"


def test_an_organizer_who_was_taken_out_since_is_not_put_back(service: LocalService, ann: Client, bob: Client) -> None:
    tournament = scheduled(ann)
    at(post(ann, tournament, f"organizers/{me(bob)}", key="one"))
    at(ann.call("DELETE", f"/v1/tournaments/{tournament}/organizers/{me(bob)}"))
    with nothing_stored(service):
        again = at(post(ann, tournament, f"organizers/{me(bob)}", key="one"))
    assert [one["id"] for one in again["organizers"]] == [me(ann)]


def test_a_key_belongs_to_one_request(service: LocalService, ann: Client, bob: Client, cyd: Client) -> None:
    tournament, other = scheduled(ann), scheduled(ann)
    at(post(ann, tournament, "cancel", {"reason": "Rain"}, key="one"))
    with nothing_stored(service):
        problem(post(ann, tournament, "cancel", {"reason": "Snow"}, key="one"), 422, "key-reused")
        problem(post(ann, tournament, "cancel", key="one"), 422, "key-reused")
        problem(post(ann, tournament, "start", key="one"), 409, "conflict")  # another path: another request
        problem(post(bob, tournament, "cancel", {"reason": "Snow"}, key="one"), 403, "forbidden")
    for client in (bob, cyd):
        at(post(ann, other, f"organizers/{me(client)}", key="one"))
    assert len(show(ann, other)["organizers"]) == 3


def test_a_request_that_is_refused_leaves_its_key_unused(service: LocalService, ann: Client, bob: Client) -> None:
    tournament = scheduled(ann, registration={"check_in_minutes": 40})
    problem(post(ann, tournament, "start", key="one"), 409, "conflict")
    problem(post(bob, tournament, "check-in", key="one"), 404, "not-found")
    enter(tournament, ann, bob)
    problem(post(bob, tournament, "check-in", key="one"), 409, "conflict")
    service.advance(HALF_HOUR)
    for client in (ann, bob):
        assert at(post(client, tournament, "check-in", key="one"))["status"] == "checked-in"
    assert at(post(ann, tournament, "start", key="one"))["status"] == "running"
    actions = [one["action"] for one in items(ann, f"/v1/tournaments/{tournament}/audit")]
    assert actions.count("started") == 1


# What is wrong with the body of a new tournament comes before its key; that its times have passed since does not


def asking(client: Client, body: Any) -> Reply:
    return client.call("POST", "/v1/tournaments", body, key="one")


def test_a_body_that_is_wrong_is_told_before_the_key_is_looked_at(service: LocalService, ann: Client) -> None:
    asked = order()
    at(asking(ann, asked))
    with nothing_stored(service):
        problem(asking(ann, {**asked, "name": "Other"}), 422, "key-reused")
        for wrong in ({"name": ""}, {"registration": {"capacity": 1}}, {"starts_at": soon(-HOUR)}):
            problem(asking(ann, {**asked, **wrong}), 422, "invalid-request")


def test_a_new_tournament_is_found_again_when_its_hour_has_passed(service: LocalService, ann: Client) -> None:
    asked = order(registration={"opens_at": soon(60), "closes_at": soon(HALF_HOUR)})
    made = asking(ann, asked)
    service.advance(2 * HOUR)
    with nothing_stored(service):
        again = asking(ann, asked)
        problem(asking(ann, {**asked, "name": "Other"}), 422, "invalid-request")
    assert (again.status, again.headers["idempotency-replayed"]) == (201, "true")
    assert again.headers["location"] == made.headers["location"]
    assert less_moment(again.body) == show_less_moment(ann, made.body["id"])
    assert again.body["status"] == "cancelled"  # as it is now


def show_less_moment(client: Client, tournament: str) -> Any:
    return less_moment(show(client, tournament))
