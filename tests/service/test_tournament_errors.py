"""What an organizer does wrong gets a typed error that names the field and what is possible (report 47)."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.organizing import HOUR, ask, begin, enter, order, pairings, post, scheduled, show, soon
from tests.service.playing import at, me

FORMATS = "single-elimination, double-elimination, round-robin, heats"
UNKNOWN = "trn_" + "0" * 26

# what is asked for, where it is wrong, what the message says
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"name": ""}, "name", "1 to 80"),
    ({"name": "   "}, "name", "1 to 80"),
    ({"name": "x" * 81}, "name", "1 to 80"),
    ({"name": "a\u202eb"}, "name", "direction"),
    ({"name": "a\u0007b"}, "name", "control"),
    ({"name": 7}, "name", "Expected `str`"),
    ({"game": "poker"}, "game", "micro-poker, liars-poker, misfortune, half-deck-poker"),
    ({"format": "ladder"}, "format", FORMATS),
    ({"format": "swiss"}, "format", FORMATS),
    ({"format": "groups-then-knockout"}, "format", FORMATS),
    ({"game": "micro-poker"}, "match.seats", "heats"),
    ({"match": {"seats": 3}}, "match.seats", "must be 2"),
    ({"format": "heats", "game": "micro-poker", "match": {"seats": 2}}, "match.seats", "from 3 to"),
    ({"format": "heats"}, "match.seats", "tables of 2 to 3"),
    ({"format": "heats", "game": "micro-poker", "match": {"best_of": 3}}, "match.best_of", "seats, advance, rounds"),
    ({"match": {"best_of": 2}}, "match.best_of", "1, 3, 5, 7, 9"),
    ({"match": {"best_of": 11}}, "match.best_of", "1, 3, 5, 7, 9"),
    ({"match": {"replays": 3}}, "match.replays", "0 to 2"),
    ({"match": {"clock": {"kind": "hourglass"}}}, "clock.kind", "per-move, fischer, byo-yomi, none"),
    ({"match": {"clock": {"kind": "none"}}}, "match.clock.kind", "unrated"),
    ({"match": {"surplus": 1}}, "match.surplus", "unknown field"),
    ({"options": {"colour": 1}}, "options.colour", "unknown"),
    ({"starts_at": "tomorrow"}, "starts_at", "RFC3339"),
    ({"starts_at": "2127-01-10T08:00:00"}, "starts_at", "timezone"),
    ({"starts_at": 1_800_000_000}, "starts_at", "Expected `datetime`"),
    ({"starts_at": "2001-01-10T08:00:00Z"}, "starts_at", "in the future"),
    ({"starts_at": "9999-12-31T23:59:59Z"}, "starts_at", "five years"),
    ({"seeding": "alphabet"}, "seeding", "rating, random, manual"),
    ({"third_place": True, "format": "double-elimination"}, "third_place", "best_of, replays, seats"),
    ({"cycles": 2}, "cycles", "best_of, replays, seats, third_place"),
    ({"format": "round-robin", "cycles": 3}, "cycles", "1 or 2"),
    ({"format": "round-robin", "tiebreaks": ["beauty"]}, "tiebreaks", "head-to-head, wins, sonneborn-berger"),
    ({"format": "round-robin", "tiebreaks": ["wins", "wins"]}, "tiebreaks", "at most once"),
    ({"tiebreaks": ["wins"]}, "tiebreaks", "best_of, replays, seats, third_place"),
    ({"format": "heats", "game": "micro-poker", "advance": 3}, "advance", "from 1 to 2"),
    ({"format": "heats", "game": "micro-poker", "advance": 1, "rounds": 3}, "rounds", "either advance or rounds"),
    ({"format": "heats", "game": "micro-poker", "rounds": 31}, "rounds", "from 1 to 30"),
    ({"format": "heats", "game": "micro-poker", "tiebreaks": ["wins"]}, "tiebreaks", "with rounds only"),
    ({"groups": 4}, "groups", FORMATS),
    ({"ruleset": "dutch-2026"}, "ruleset", FORMATS),
    ({"round_deadline": 59}, "round_deadline", "60 to 7776000"),
    ({"repeats": "FREQ=WEEKLY"}, "repeats", "not offered yet"),
    ({"time_zone": "Atlantis/Poseidonis"}, "time_zone", "Europe/Berlin"),
    ({"time_zone": "../../etc/passwd"}, "time_zone", "Europe/Berlin"),
    ({"registration": {"capacity": 1}}, "registration.capacity", "2 to 10000"),
    ({"registration": {"capacity": 10_001}}, "registration.capacity", "2 to 10000"),
    ({"format": "round-robin", "registration": {"capacity": 65}}, "registration.capacity", "2 to 64"),
    ({"registration": {"check_in_minutes": -1}}, "registration.check_in_minutes", "0 to 10080"),
    ({"registration": {"check_in_minutes": 61}}, "registration.check_in_minutes", "before the registration"),
    ({"registration": {"rating_range": [1600, 1400]}}, "rating_range", "from the lower"),
    ({"registration": {"join_code": "abc"}}, "registration.join_code", "4 to 64"),
    ({"registration": {"join_code": "a b c d"}}, "registration.join_code", "visible ASCII"),
    ({"surplus": 1}, "surplus", "unknown field"),
]


@pytest.mark.parametrize("row", WRONG, ids=lambda row: f"{row[1]} {row[0]}")
def test_what_is_wrong_is_named_with_what_is_possible(service: LocalService, ann: Client, row: Any) -> None:
    asked, field, legal = row
    with nothing_stored(service):
        told = problem(ask(ann, **asked), 422, "invalid-request")
    (error,) = told["errors"]
    assert ".".join(error["loc"]) == field
    assert legal in error["msg"]


@pytest.mark.parametrize("missing", ["name", "game", "format", "starts_at"])
def test_what_is_missing_is_named(ann: Client, missing: str) -> None:
    body = {name: value for name, value in order().items() if name != missing}
    told = problem(ann.call("POST", "/v1/tournaments", body), 422, "invalid-request")
    assert told["errors"][0]["loc"] == [missing]


def test_registration_can_not_end_before_it_begins_nor_after_the_start(ann: Client) -> None:
    for opens, closes, field in ((60, 50, "closes_at"), (0, 3601, "closes_at"), (3600, None, "opens_at")):
        registration = {"opens_at": soon(opens), "closes_at": None if closes is None else soon(closes)}
        told = problem(ask(ann, registration=registration), 422, "invalid-request")
        assert told["errors"][0]["loc"] == ["registration", field]


def test_a_mistake_can_be_corrected_until_the_start(ann: Client, bob: Client, cyd: Client) -> None:
    tournament = scheduled(ann, name="Fols' Cup", match={"best_of": 9})
    enter(tournament, bob, cyd)
    path = f"/v1/tournaments/{tournament}"
    changes = {
        "name": "Fools' Cup",
        "format": "round-robin",
        "game": "liars-poker",
        "match": {"best_of": 3},
        "starts_at": soon(2 * HOUR),
        "registration": {"capacity": 2, "join_code": "open-sesame"},
    }
    shown = at(ann.call("PATCH", path, changes))
    assert (shown["name"], shown["format"], shown["game"]) == ("Fools' Cup", "round-robin", "liars-poker")
    assert (shown["match"]["best_of"], shown["starts_at"]) == (3, changes["starts_at"])
    assert (shown["registration"]["capacity"], shown["registration"]["entered"]) == (2, 2)
    assert shown["registration"]["join_code"] == "open-sesame"
    assert shown["match"]["clock"]["seconds"] == 7 * 86_400 // (20 * 3)
    assert at(ann.call("PATCH", path, {"match": {"best_of": None}}))["match"]["best_of"] == 1
    assert {key: value for key, value in at(ann.call("PATCH", path, {})).items() if key != "server_time"} == {
        key: value for key, value in show(ann, tournament).items() if key != "server_time"
    }


def test_a_capacity_below_those_who_have_entered_is_refused(
    service: LocalService, new_player: Callable[[], Client], ann: Client
) -> None:
    tournament = scheduled(ann)
    enter(tournament, *[new_player() for _ in range(3)])
    path = f"/v1/tournaments/{tournament}"
    with nothing_stored(service):
        told = problem(ann.call("PATCH", path, {"registration": {"capacity": 2}}), 422, "invalid-request")
    assert told["errors"][0]["loc"] == ["registration", "capacity"]
    assert "3 have entered" in told["errors"][0]["msg"]
    assert at(ann.call("PATCH", path, {"registration": {"capacity": 3}}))["registration"]["capacity"] == 3


def test_what_the_start_has_fixed_can_not_be_changed_any_more(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    tournament = scheduled(ann)
    enter(tournament, bob, cyd)
    begin(service)
    path = f"/v1/tournaments/{tournament}"
    for changes in ({"starts_at": soon()}, {"format": "heats"}, {"game": "liars-poker"}, {"seeding": "random"}):
        with nothing_stored(service):
            told = problem(ann.call("PATCH", path, changes), 409, "conflict")
        assert "name, match.clock, match.best_of, round_deadline" in told["detail"]
    assert at(ann.call("PATCH", path, {"name": "Late Cup"}))["name"] == "Late Cup"


# method, path below the tournament, caller, body, status, code
ORDER: list[tuple[str, str, str, Any, int, str]] = [
    ("POST", "", "nobody", b"{", 401, "unauthenticated"),
    ("POST", "", "player", b"{", 403, "forbidden"),
    ("POST", "", "ann", b"x" * 16_385, 413, "too-large"),
    ("POST", "", "ann", b"{", 400, "invalid-request"),
    ("POST", "", "ann", {}, 422, "invalid-request"),
    ("PATCH", "/{unknown}", "player", b"{", 404, "not-found"),
    ("PATCH", "/{own}", "player", b"{", 403, "forbidden"),
    ("PATCH", "/{own}", "eve", b"{", 403, "forbidden"),
    ("PATCH", "/{own}", "ann", b"{", 400, "invalid-request"),
    ("PATCH", "/{own}", "ann", {"colour": 1}, 422, "invalid-request"),
    ("PATCH", "/{over}", "ann", {"name": ""}, 409, "conflict"),
    ("POST", "/{unknown}/cancel", "eve", b"{", 404, "not-found"),
    ("POST", "/{own}/cancel", "eve", b"{", 403, "forbidden"),
    ("POST", "/{own}/cancel", "ann", {"reason": 1}, 422, "invalid-request"),
    ("POST", "/{own}/start", "eve", b"{", 403, "forbidden"),
    ("POST", "/{own}/start", "ann", {"now": 1}, 422, "invalid-request"),
    ("POST", "/{own}/start", "ann", {}, 409, "conflict"),
    ("POST", "/{over}/start", "ann", {}, 409, "conflict"),
    ("POST", "/{own}/organizers/{eve}", "eve", None, 403, "forbidden"),
    ("POST", "/{own}/organizers/nobody", "ann", None, 404, "not-found"),
    ("DELETE", "/{own}/organizers/{ann}", "ann", None, 409, "conflict"),
    ("POST", "/{unknown}/entries", "eve", b"{", 404, "not-found"),
    ("POST", "/{own}/entries", "organizer", b"{", 403, "forbidden"),
    ("POST", "/{own}/entries", "player", {"player": "{ann}"}, 403, "forbidden"),
    ("POST", "/{own}/entries", "eve", {"player": "{ann}"}, 403, "forbidden"),
    ("POST", "/{own}/entries", "eve", {"nonce": "xy"}, 422, "invalid-request"),
    ("POST", "/{own}/entries", "eve", {"seed": 1}, 403, "forbidden"),
    ("POST", "/{over}/entries", "eve", {}, 409, "conflict"),
    ("DELETE", "/{own}/entries/me", "eve", None, 404, "not-found"),
    ("DELETE", "/{own}/entries/{ann}", "eve", None, 403, "forbidden"),
    ("DELETE", "/{own}/entries/me", "organizer", None, 403, "forbidden"),
    ("DELETE", "/{own}/entries/nobody", "player", None, 403, "forbidden"),
    ("POST", "/{own}/check-in", "organizer", None, 403, "forbidden"),
    ("POST", "/{own}/check-in", "eve", None, 404, "not-found"),
    ("POST", "/{own}/pairings/par_x/result", "eve", b"{", 404, "not-found"),
    ("POST", "/{running}/pairings/par_x/result", "ann", b"{", 404, "not-found"),
    ("POST", "/{running}/pairings/{pairing}/result", "organizer", b"{", 403, "forbidden"),
    ("POST", "/{running}/pairings/{pairing}/result?dry_run=x", "eve", b"{", 403, "forbidden"),
    ("POST", "/{running}/pairings/{pairing}/result", "ann", b"{", 400, "invalid-request"),
    ("POST", "/{running}/pairings/{pairing}/result?dry_run=x", "ann", {}, 400, "invalid-request"),
    ("POST", "/{running}/pairings/{pairing}/result", "ann", {"ranks": [1], "reason": "x"}, 422, "invalid-request"),
    ("POST", "/{running}/pairings/{pairing}/result", "ann", {"ranks": [1, 2], "reason": ""}, 422, "invalid-request"),
    ("POST", "/{running}/pairings/{pairing}/result", "ann", {"ranks": [1, 1], "reason": "x"}, 422, "invalid-request"),
    ("POST", "/{running}/pairings/{pairing}/result", "ann", {"ranks": [1, 3], "reason": "x"}, 422, "invalid-request"),
    ("GET", "/{running}/bracket?stage=winners", "nobody", None, 404, "not-found"),
    ("GET", "/{running}/bracket?round=2", "nobody", None, 404, "not-found"),
    ("PATCH", "/{running}", "ann", {"starts_at": "2100-01-01T00:00:00Z"}, 409, "conflict"),
    ("POST", "/{running}/entries", "ann", {"player": "nobody"}, 404, "not-found"),
    ("GET", "/{unknown}", "nobody", None, 404, "not-found"),
    ("GET", "/nonsense", "nobody", None, 404, "not-found"),
    ("GET", "/{own}", "player", None, 403, "forbidden"),
    ("GET", "?limit=0", "nobody", None, 400, "invalid-request"),
    ("GET", "?limit=101", "nobody", None, 400, "invalid-request"),
    ("GET", "?status=open", "nobody", None, 400, "invalid-request"),
    ("GET", "?mine=true&limit=0", "nobody", None, 401, "unauthenticated"),
    ("GET", "?cursor=forged", "nobody", None, 400, "invalid-request"),
    ("GET", "/{own}/entries?cursor=forged", "nobody", None, 400, "invalid-request"),
    ("GET", "/{own}/standings?limit=-1", "nobody", None, 400, "invalid-request"),
    ("GET", "/{own}/audit?limit=1000000000", "nobody", None, 400, "invalid-request"),
    ("GET", "/{own}/bracket?round=0", "nobody", None, 400, "invalid-request"),
    ("GET", "/{own}/bracket?stage=winners", "nobody", None, 404, "not-found"),
    ("GET", "/{own}/bracket?as=brackets-model", "nobody", None, 422, "invalid-request"),
    ("GET", "/{own}/export.trf", "nobody", None, 404, "not-found"),
    ("PUT", "/{own}", "ann", {}, 405, "method-not-allowed"),
]


class World:
    """Tournaments and callers of every kind."""

    def __init__(self, service: LocalService) -> None:
        self.service = service
        ann, eve = (Client(service.url) for _ in range(2))
        for name, client in (("errors-ann", ann), ("errors-eve", eve)):
            client.token = client.ok("POST", "/v1/players", {"name": name})["token"]
        self.callers = {"ann": ann, "eve": eve, "nobody": Client(service.url)}
        for name, scopes in (("player", ["play"]), ("organizer", ["read", "organize"])):
            made = eve.ok("POST", "/v1/me/tokens", {"scopes": scopes, "label": name})["token"]
            self.callers[name] = Client(service.url, made)
        over = scheduled(ann)
        at(post(ann, over, "cancel", {"reason": "rain"}))
        running = scheduled(ann)
        enter(running, ann, eve)
        at(post(ann, running, "start"))
        service.settle()
        pairing = pairings(ann, running)[0]["id"]
        self.ids = {"ann": me(ann), "eve": me(eve), "unknown": UNKNOWN, "own": scheduled(ann), "over": over}
        self.ids |= {"running": running, "pairing": pairing}


@pytest.fixture(scope="module")
def world(service: LocalService) -> Any:
    made = World(service)
    yield made
    for client in made.callers.values():
        client.close()


@pytest.mark.parametrize("row", ORDER, ids=lambda row: " ".join(map(str, row))[:90])
def test_what_is_checked_first_wins(world: World, row: Any) -> None:
    method, path, caller, body, status, code = row
    if isinstance(body, dict):
        body = {name: value.format(**world.ids) if isinstance(value, str) else value for name, value in body.items()}
    with nothing_stored(world.service):
        problem(world.callers[caller].call(method, "/v1/tournaments" + path.format(**world.ids), body), status, code)


def test_a_bad_idempotency_key_is_refused_wherever_one_goes(world: World) -> None:
    paths = ["", "/{own}/cancel", "/{own}/start", "/{own}/organizers/{eve}", "/{own}/entries"]
    for path in paths:
        body = order() if not path else {}
        target = "/v1/tournaments" + path.format(**world.ids)
        with nothing_stored(world.service):
            problem(world.callers["ann"].call("POST", target, body, key="k" * 65), 400, "invalid-request")


def test_no_error_tells_of_the_inside(world: World) -> None:
    told = problem(world.callers["nobody"].call("GET", "/v1/tournaments/nonsense"), 404, "not-found")
    assert not re.search(r"trn_|DynamoDB|Traceback|META", told["detail"])
