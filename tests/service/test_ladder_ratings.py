"""Ratings where they show: at seats, as bounds of who may join, in profiles."""

from typing import Any

from engine.games import IDS
from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import problem
from tests.service.laddering import won
from tests.service.playing import act, at, create, me, read, table
from tests.service.standings import rate


def ratings(client: Client, match: str) -> list[int]:
    return [seat["rating"] for seat in read(client, match)["seats"]]


def test_seats_show_the_ratings_in_this_game_at_the_moment_of_seating(ann: Client, bob: Client) -> None:
    rate(ann, "liars-poker", 1701)
    rate(bob, "misfortune", 1399)
    rate(bob, "liars-poker", 1502)
    match = create(ann, "liars-poker", seats=3, bots=1)
    rate(ann, "liars-poker", 1800)
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    assert ratings(ann, match) == [1701, 1500, 1502]
    assert ratings(ann, create(ann, "misfortune")) == [1500]


def test_a_rematch_shows_the_ratings_of_its_own_beginning(service: LocalService, ann: Client, bob: Client) -> None:
    match = won(service, ann, bob)
    assert ratings(ann, match) == [1500, 1500]
    for client in (bob, ann):
        again = at(client.call("POST", f"/v1/matches/{match}/rematch"))["id"]
    assert [(seat["player"]["id"], seat["rating"]) for seat in read(ann, again)["seats"]] == [
        (me(bob), 1440),
        (me(ann), 1560),
    ]


def test_a_range_goes_by_the_rating_in_the_game_that_is_played(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    rate(bob, "liars-poker", 1600)
    rate(cyd, "misfortune", 1600)
    match = create(ann, "liars-poker", seats=3, rating_range=[1600, 1600])
    told = problem(cyd.call("POST", f"/v1/matches/{match}/join"), 403, "forbidden")
    assert told["detail"].endswith("yours is 1500")
    for client, is_joinable in ((bob, True), (cyd, False)):
        listed = client.ok("GET", "/v1/matches?joinable=true&game=liars-poker&limit=100")["items"]
        assert (match in [head["id"] for head in listed]) == is_joinable
    assert at(bob.call("POST", f"/v1/matches/{match}/join"))["you"]["seat"] == 1
    rate(bob, "liars-poker", 1700)
    assert bob.ok("GET", f"/v1/matches/{match}")["you"]["seat"] == 1
    at(bob.call("POST", f"/v1/matches/{match}/leave"))
    problem(bob.call("POST", f"/v1/matches/{match}/join"), 403, "forbidden")


def test_a_profile_shows_rating_and_record_in_each_game(service: LocalService, ann: Client, bob: Client) -> None:
    fresh: dict[str, Any] = {"rating": 1500, "provisional": True, "played": 0, "won": 0, "drawn": 0, "lost": 0}
    fresh["last_played_at"] = None
    assert ann.ok("GET", "/v1/me")["ratings"] == dict.fromkeys(IDS, fresh)
    match = won(service, ann, bob)
    ended_at = read(ann, match)["ended_at"]
    own = {**fresh, "rating": 1560, "played": 1, "won": 1, "last_played_at": ended_at}
    for shown in (
        ann.ok("GET", "/v1/me"),
        bob.ok("GET", f"/v1/players/{me(ann)}"),
        bob.ok("GET", f"/v1/players?name={ann.ok('GET', '/v1/me')['name']}"),
    ):
        assert shown["ratings"] == dict.fromkeys(IDS, fresh) | {"misfortune": own}
    rate(bob, "misfortune", 1440)
    assert not bob.ok("GET", "/v1/me")["ratings"]["misfortune"]["provisional"]


def test_the_end_of_a_rated_match_is_told_with_what_it_did(service: LocalService, ann: Client, bob: Client) -> None:
    match = won(service, ann, bob)
    for client, after in ((ann, 1560), (bob, 1440)):
        events = client.ok("GET", "/v1/me/events?limit=100")["items"]
        (told,) = [event for event in events if event["type"] == "rated"]
        assert (told["match"], told["before"], told["after"], told["reason_code"]) == (match, 1500, after, None)


def test_a_closed_account_is_rated_for_who_played_against_it(service: LocalService, ann: Client, bob: Client) -> None:
    """A forfeit by closing moves nobody; a result that stood before does not go away."""
    match = won(service, ann, bob)
    live = table(ann, bob)
    for client in (ann, bob):
        at(act(client, live, client.ok("GET", f"/v1/matches/{live}/legal-actions")["actions"][0]))
    assert bob.call("DELETE", "/v1/me").status == 204
    service.settle()
    own = ann.ok("GET", f"/v1/ladders/misfortune/players/{me(ann)}")
    assert [(row["match"], row["reason_code"]) for row in own["history"]] == [(live, "forfeit"), (match, None)]
    assert own["rating"] == 1560
    assert own["rank"] is not None
