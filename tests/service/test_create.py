"""Creating matches: defaults, bounds, and what may not be (api.md, "Matches")."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.playing import create, me, read

GAMES = [("micro-poker", 3), ("liars-poker", 2), ("misfortune", 2), ("half-deck-poker", 2)]
NOBODY = "ply_" + "0" * 26


def order(client: Client, game: str = "misfortune", **wishes: Any) -> Reply:
    return client.call("POST", "/v1/matches", {"game": game, **wishes})


def errors(reply: Reply) -> list[list[str]]:
    return [error["loc"] for error in problem(reply, 422, "invalid-request")["errors"]]


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_a_match_is_created_with_defaults(anybody: Client, ann: Client, game: str, seats: int) -> None:
    reply = order(ann, game)
    assert reply.status == 201
    match = reply.body
    assert re.fullmatch(r"mat_[0-9A-HJKMNP-TV-Z]{26}", match["id"])
    assert reply.headers["location"] == f"/v1/matches/{match['id']}"
    offered = anybody.ok("GET", f"/v1/games/{game}")
    assert match["clock"] == offered["default_clock"]
    defaults = {}
    for name, option in offered["options"]["properties"].items():
        by_seats = option.get("x-by-seats", {}).get(str(seats), option)
        defaults[name] = by_seats["default"]
    assert match["options"] == defaults
    assert match["rules_version"] == offered["rules_version"]
    expected = {"game": game, "status": "open", "visibility": "public", "rated": True, "tournament": None}
    expected |= {"turn": 0, "to_act": [], "size": seats, "view": None, "result": None, "talk": False}
    expected |= {"you": {"seat": 0, "to_act": False}, "join_code": None, "rating_range": None, "ended_at": None}
    assert {name: match[name] for name in expected} == expected
    (seat,) = match["seats"]
    name = ann.ok("GET", "/v1/me")["name"]
    assert seat["player"] == {"id": me(ann), "name": name}
    assert (seat["seat"], seat["bot"], seat["left"], seat["rating"]) == (0, False, None, 1500)
    assert re.fullmatch("[0-9a-f]{64}", match["deal"]["commitment"])
    assert read(ann, match["id"])["deal"] == match["deal"]


def test_every_match_has_its_own_commitment(ann: Client) -> None:
    commitments = {order(ann).body["deal"]["commitment"] for _ in range(5)}
    assert len(commitments) == 5


def test_an_open_match_says_when_it_expires(service: LocalService, ann: Client) -> None:
    match = order(ann).body
    created, expires = match["created_at"], match["expires_at"]
    assert match["server_time"] == created
    service.advance(14 * 86_400)
    assert read(ann, match["id"])["server_time"] == expires


@pytest.mark.parametrize(("game", "low", "high"), [("micro-poker", 3, 6), ("liars-poker", 2, 10), ("misfortune", 2, 2)])
def test_a_match_has_as_many_seats_as_its_game_allows(ann: Client, game: str, low: int, high: int) -> None:
    for seats in {low, high}:
        assert order(ann, game, seats=seats).body["size"] == seats
    for seats in (low - 1, high + 1, 0, -1, 101, "3", 2.0, True):
        assert errors(order(ann, game, seats=seats)) == [["seats"]]


def test_options_are_those_that_were_asked_for_and_the_defaults_of_others(ann: Client) -> None:
    match = order(ann, "liars-poker", seats=3, options={"digits": 4, "rank_order": "ace-high"}).body
    assert match["options"]["digits"] == 4
    assert match["options"]["rank_order"] == "ace-high"
    assert match["options"]["rounds"] == 3


@pytest.mark.parametrize(
    ("game", "options", "at"),
    [
        ("liars-poker", {"digits": 3}, "digits"),
        ("liars-poker", {"digits": 13}, "digits"),
        ("liars-poker", {"digits": "8"}, "digits"),
        ("liars-poker", {"digits": 8.0}, "digits"),
        ("liars-poker", {"stake": True}, "stake"),
        ("liars-poker", {"rounds": 26}, "rounds"),
        ("liars-poker", {"rank_order": "ace-low"}, "rank_order"),
        ("liars-poker", {"rank_order": ["zero-low"]}, "rank_order"),
        ("misfortune", {"prayer_from_round": 14}, "prayer_from_round"),
        ("misfortune", {"ace": None}, "ace"),
        ("half-deck-poker", {"start_chips": 9}, "start_chips"),
        ("half-deck-poker", {"min_raise": False}, "min_raise"),
        ("micro-poker", {"max_turns": 91}, "max_turns"),
        ("micro-poker", {"jokers": 3}, "jokers"),
        ("micro-poker", {"seats": 3}, "seats"),
        ("misfortune", {"": 1}, ""),
    ],
)
def test_an_option_out_of_bounds_is_refused(
    service: LocalService, ann: Client, game: str, options: dict[str, Any], at: str
) -> None:
    with nothing_stored(service):
        assert errors(order(ann, game, options=options)) == [["options", at]]


@pytest.mark.parametrize(
    ("wishes", "rated"),
    [
        ({}, True),
        ({"rated": True}, True),
        ({"rated": False}, False),
        ({"visibility": "private"}, False),
        ({"visibility": "private", "rated": False}, False),
        ({"options": {"ace": "high"}}, False),
        ({"options": {"ace": "low"}, "rated": True}, True),
        ({"bots": 1}, False),
        ({"clock": {"kind": "per-move", "seconds": 60}, "rated": True}, True),
        ({"rating_range": [1000, 2000], "rated": True}, True),
    ],
)
def test_a_match_is_rated_when_nothing_speaks_against_it(ann: Client, wishes: Any, rated: bool) -> None:
    match = order(ann, **wishes).body
    assert match["rated"] is rated
    assert match["talk"] is not rated


@pytest.mark.parametrize(
    "wishes",
    [{"visibility": "private"}, {"options": {"ace": "high"}}, {"bots": 1}, {"bots": 1, "visibility": "private"}],
)
def test_asking_for_a_rating_where_there_is_none_is_refused(service: LocalService, ann: Client, wishes: Any) -> None:
    with nothing_stored(service):
        assert errors(order(ann, rated=True, **wishes)) == [["rated"]]


def test_there_is_no_table_talk_in_a_rated_match(ann: Client) -> None:
    assert errors(order(ann, talk=True)) == [["talk"]]
    assert order(ann, talk=True, rated=False).body["talk"] is True
    assert order(ann, talk=False, rated=False).body["talk"] is False


@pytest.mark.parametrize(
    "clock",
    [
        {"kind": "per-move", "seconds": 10, "on_timeout": "default-action"},
        {"kind": "per-move", "seconds": 2_592_000, "on_timeout": "forfeit"},
        {"kind": "fischer", "seconds": 10, "increment": 0, "cap": 10, "on_timeout": "forfeit"},
        {"kind": "fischer", "seconds": 86_400, "increment": 3600, "cap": 90 * 86_400, "on_timeout": "forfeit"},
        {"kind": "byo-yomi", "seconds": 600, "periods": 20, "period_seconds": 60, "on_timeout": "forfeit"},
    ],
)
def test_a_clock_is_the_one_that_was_asked_for(ann: Client, clock: Any) -> None:
    match = order(ann, clock=clock).body
    assert (match["clock"], match["rated"]) == (clock, True)


def test_a_match_without_a_clock_is_not_rated(ann: Client) -> None:
    assert order(ann, clock={"kind": "none"}).body["rated"] is False
    assert errors(order(ann, clock={"kind": "none"}, rated=True)) == [["rated"]]


def test_a_clock_plays_a_default_action_unless_it_says_otherwise(ann: Client) -> None:
    assert order(ann, clock={"kind": "per-move", "seconds": 60}).body["clock"]["on_timeout"] == "default-action"


@pytest.mark.parametrize(
    ("clock", "at"),
    [
        ({}, "kind"),
        ({"kind": "sundial", "seconds": 60}, "kind"),
        ({"kind": ["per-move"], "seconds": 60}, "kind"),
        ({"kind": "per-move"}, "seconds"),
        ({"kind": "per-move", "seconds": 9}, "seconds"),
        ({"kind": "per-move", "seconds": 2_592_001}, "seconds"),
        ({"kind": "per-move", "seconds": "60"}, "seconds"),
        ({"kind": "per-move", "seconds": 60.0}, "seconds"),
        ({"kind": "per-move", "seconds": True}, "seconds"),
        ({"kind": "per-move", "seconds": 60, "on_timeout": "abort"}, "on_timeout"),
        ({"kind": "per-move", "seconds": 60, "increment": 5}, "increment"),
        ({"kind": "fischer", "seconds": 60, "increment": 5}, "cap"),
        ({"kind": "fischer", "seconds": 60, "increment": 5, "cap": 90 * 86_400 + 1}, "cap"),
        ({"kind": "fischer", "seconds": 60, "increment": 5, "cap": 600, "on_timeout": "default-action"}, "on_timeout"),
        ({"kind": "byo-yomi", "seconds": 60, "periods": 21, "period_seconds": 30}, "periods"),
        ({"kind": "byo-yomi", "seconds": 60, "periods": 3}, "period_seconds"),
        ({"kind": "none", "seconds": 60}, "seconds"),
    ],
)
def test_a_clock_that_can_not_be_is_refused(service: LocalService, ann: Client, clock: Any, at: str) -> None:
    with nothing_stored(service):
        assert errors(order(ann, clock=clock)) == [["clock", at]]


@pytest.mark.parametrize(
    ("wishes", "at"),
    [
        ({"game": "poker"}, ["game"]),
        ({"game": 1}, ["game"]),
        ({"visibility": "secret"}, ["visibility"]),
        ({"rated": "true"}, ["rated"]),
        ({"rated": 1}, ["rated"]),
        ({"bots": 2}, ["bots"]),
        ({"bots": -1}, ["bots"]),
        ({"bots": True}, ["bots"]),
        ({"rating_range": [1500]}, ["rating_range"]),
        ({"rating_range": [1600, 1500]}, ["rating_range"]),
        ({"rating_range": [-1, 1500]}, ["rating_range", "0"]),
        ({"rating_range": ["1", 1500]}, ["rating_range", "0"]),
        ({"nonce": "abc"}, ["nonce"]),
        ({"nonce": "zz"}, ["nonce"]),
        ({"nonce": "ab" * 65}, ["nonce"]),
        ({"nonce": "ab\n"}, ["nonce"]),
        ({"nonce": 12}, ["nonce"]),
        ({"options": []}, ["options"]),
        ({"clock": "60"}, ["clock"]),
        ({"talk": "no"}, ["talk"]),
        ({"invite": "x"}, ["invite"]),
        ({"invite": [NOBODY]}, ["invite", "0"]),
        ({"invite": ["nobody"]}, ["invite", "0"]),
        ({"invite": [NOBODY] * 21}, ["invite"]),
        ({"colour": "red"}, ["colour"]),
    ],
)
def test_a_match_can_not_be_asked_for_like_this(service: LocalService, ann: Client, wishes: Any, at: list[str]) -> None:
    with nothing_stored(service):
        assert errors(order(ann, **wishes)) == [at]


def test_a_match_needs_a_game(ann: Client) -> None:
    assert errors(ann.call("POST", "/v1/matches", {})) == [["game"]]


def test_nobody_invites_themself_or_the_unknown(ann: Client, bob: Client) -> None:
    assert errors(order(ann, invite=[me(bob), me(ann)])) == [["invite", "1"]]
    assert order(ann, invite=[me(bob), me(bob)]).status == 201


def test_at_most_twenty_matches_of_a_player_are_open(service: LocalService, ann: Client, bob: Client) -> None:
    matches = [create(ann) for _ in range(19)]
    joined, other = (create(bob, "liars-poker", seats=3) for _ in range(2))
    ann.ok("POST", f"/v1/matches/{joined}/join")
    with nothing_stored(service):
        problem(order(ann), 409, "limit-reached")
        problem(ann.call("POST", f"/v1/matches/{other}/join"), 409, "limit-reached")
    # One that starts at once is never open.
    assert order(ann, bots=1).body["status"] == "active"
    ann.ok("POST", f"/v1/matches/{create(bob)}/join")
    problem(order(ann), 409, "limit-reached")
    ann.ok("POST", f"/v1/matches/{matches[0]}/leave")
    assert order(ann).status == 201


def test_at_most_a_hundred_matches_of_a_player_are_live(
    service: LocalService, new_player: Callable[[], Client], bob: Client
) -> None:
    busy = new_player()
    for _ in range(99):
        create(busy, bots=1)
    last, other = create(busy), create(bob)
    problem(order(busy, bots=1), 409, "limit-reached")
    problem(order(busy), 409, "limit-reached")
    with nothing_stored(service):
        problem(busy.call("POST", f"/v1/matches/{other}/join"), 409, "limit-reached")
    busy.ok("POST", f"/v1/matches/{last}/leave")
    service.settle()
    assert busy.call("POST", f"/v1/matches/{other}/join").status == 200
