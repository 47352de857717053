"""Odds of a bid (rules/liars-poker.md, "Odds"; api.md)."""

from decimal import Decimal
from math import comb
from typing import Any

import pytest

from infra.client import Client
from tests.service.checks import problem
from tests.service.playing import act, at, create, read, table


def odds(client: Client, match: str, **query: Any) -> Any:
    return client.ok("GET", f"/v1/matches/{match}/odds", query=query)


def chance_of(found: int, unseen: int) -> Decimal:
    ways = sum(comb(unseen, k) * 9 ** (unseen - k) for k in range(max(0, found), unseen + 1))
    return Decimal(ways) / 10**unseen


@pytest.fixture
def match(ann: Client, bob: Client, cyd: Client) -> str:
    """Three players, eight digits each: sixteen unseen, as in the rules' fixtures."""
    return table(ann, bob, cyd, game="liars-poker", rated=False)


def test_odds_go_by_the_own_digits(ann: Client, bob: Client, match: str) -> None:
    for client in (ann, bob):
        serial = read(client, match)["view"]["serial"]
        for digit in range(10):
            own = serial.count(str(digit))
            for count in (1, own, own + 1, own + 2, 24):
                if count:
                    told = odds(client, match, digit=digit, count=count)
                    assert set(told) == {"holds", "break_even", "server_time"}
                    assert abs(Decimal(told["holds"]) - chance_of(count - own, 16)) <= Decimal("5e-10")


def test_odds_are_the_rules_fixtures(ann: Client, match: str) -> None:
    serial = read(ann, match)["view"]["serial"]
    digit = int(serial[0])
    own = serial.count(serial[0])
    assert odds(ann, match, digit=digit, count=own)["holds"] == "1.000000000"
    # No copy among sixteen: 0.185302019; exactly one: 0.329425811.
    assert odds(ann, match, digit=digit, count=own + 1)["holds"] == "0.814697981"
    assert odds(ann, match, digit=digit, count=own + 2)["holds"] == "0.485272170"
    assert odds(ann, match, digit=digit, count=24)["break_even"] == "0.250000000"


def test_with_two_seats_a_raise_never_pays_by_itself(ann: Client, bob: Client) -> None:
    match = table(ann, bob, game="liars-poker", rated=False)
    assert odds(ann, match, digit=0, count=1)["break_even"] == "0.000000000"


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"digit": 1},
        {"count": 1},
        {"digit": 10, "count": 1},
        {"digit": -1, "count": 1},
        {"digit": "x", "count": 1},
        {"digit": "", "count": 1},
        {"digit": 1, "count": 0},
        {"digit": 1, "count": 25},
        {"digit": 1, "count": 10**9},
        {"digit": 1, "count": "2.0"},
        {"digit": "٣", "count": 1},
    ],
)
def test_odds_need_a_bid_that_could_be(ann: Client, match: str, query: Any) -> None:
    problem(ann.call("GET", f"/v1/matches/{match}/odds", query=query), 400, "invalid-request")


def test_there_are_no_odds_in_a_rated_match(ann: Client, bob: Client) -> None:
    match = table(ann, bob, game="liars-poker")
    assert read(ann, match)["rated"]
    problem(ann.call("GET", f"/v1/matches/{match}/odds?digit=1&count=1"), 403, "forbidden")


@pytest.mark.parametrize("game", ["misfortune", "half-deck-poker"])
def test_there_are_no_odds_of_other_games(ann: Client, bob: Client, game: str) -> None:
    match = table(ann, bob, game=game, rated=False)
    problem(ann.call("GET", f"/v1/matches/{match}/odds?digit=1&count=1"), 404, "not-found")


def test_odds_are_for_who_plays(anybody: Client, ann: Client, bob: Client, cyd: Client) -> None:
    match = table(ann, bob, game="liars-poker", rated=False)
    path = f"/v1/matches/{match}/odds?digit=1&count=1"
    problem(anybody.call("GET", path), 401, "unauthenticated")
    problem(cyd.call("GET", path), 403, "forbidden")


def test_odds_are_for_a_match_that_goes_on(ann: Client, bob: Client) -> None:
    match = create(ann, "liars-poker", rated=False)
    path = f"/v1/matches/{match}/odds?digit=1&count=1"
    problem(ann.call("GET", path), 409, "match-not-open")
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    assert ann.call("GET", path).status == 200
    at(act(bob, match, {"type": "resign"}))
    problem(ann.call("GET", path), 409, "match-over")
