"""A match as each caller sees it (api.md, "Matches")."""

import re
from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import problem
from tests.service.playing import CLUBS, act, at, create, lay, legal, play_out, read, table

FIELDS = {
    *("id", "game", "status", "visibility", "rated", "tournament", "options", "clock", "turn", "to_act", "seats"),
    *("you", "view", "last_events", "result", "deal", "poll_after", "server_time"),
}
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
SEATS = {"micro-poker": 3, "liars-poker": 3, "misfortune": 2, "half-deck-poker": 2}


def floats(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(floats, value.values()))
    return any(map(floats, value)) if isinstance(value, list) else isinstance(value, float)


@pytest.mark.parametrize("game", SEATS)
def test_a_match_has_its_fields_at_any_time(anybody: Client, ann: Client, bob: Client, cyd: Client, game: str) -> None:
    clients = (ann, bob, cyd)[: SEATS[game]]
    match = create(ann, game, seats=len(clients), rated=False)
    stages = [{caller: read(caller, match) for caller in (anybody, *clients)}]
    for client in clients[1:]:
        at(client.call("POST", f"/v1/matches/{match}/join"))
    stages.append({caller: read(caller, match) for caller in (anybody, *clients)})
    play_out(clients, match)
    stages.append({caller: read(caller, match) for caller in (anybody, *clients)})
    for status, stage in zip(("open", "active", "finished"), stages, strict=True):
        for seen in stage.values():
            assert seen["status"] == status
            assert set(seen) >= FIELDS
            assert set(seen["deal"]) == {"commitment"}
            assert seen["deal"] == stages[0][anybody]["deal"]
            assert not floats(seen)
            for instant in (seen["server_time"], seen["created_at"], *[event["at"] for event in seen["last_events"]]):
                assert INSTANT.fullmatch(instant)
            assert (seen["result"] is None) == (status != "finished")
            assert isinstance(seen["poll_after"], int)
            assert (seen["view"] is None) == (status == "open")
            for seat in seen["seats"]:
                assert set(seat) == {"seat", "player", "rating", "bot", "left", "clock"}
                assert set(seat["player"]) == {"id", "name"}
                assert len(seat["clock"]) == 1
        assert stage[anybody]["you"] is None
        taken = [stage[client]["you"] for client in clients if stage[client]["you"] is not None]
        assert [you["seat"] for you in taken] == list(range(len(taken)))


def test_what_differs_between_viewers_is_theirs(anybody: Client, ann: Client, bob: Client, cyd: Client) -> None:
    match = table(ann, bob)
    at(lay(ann, match, "7", "higher", 1))
    at(lay(bob, match, "9", "lower", 1))  # an agreement: the cards stay face down
    seen = {client: read(client, match) for client in (anybody, cyd, ann, bob)}
    assert seen[anybody] == seen[cyd]
    for client in (ann, bob):
        differing = {name for name in seen[client] if seen[client][name] != seen[anybody][name]}
        assert differing == {"you", "view", "last_events"}
    assert seen[anybody]["view"]["hand"] is None
    assert seen[anybody]["view"]["played"] == [{"claims": ["higher", "lower"], "cards": [None, None]}]
    assert seen[ann]["view"]["hand"] == [f"{rank}c" for rank in CLUBS if rank != "7"]
    assert seen[ann]["view"]["played"][0]["cards"] == ["7c", None]
    assert seen[bob]["view"]["played"][0]["cards"] == [None, "9h"]


def test_no_parameter_chooses_the_seat(ann: Client, bob: Client) -> None:
    match = table(ann, bob, game="liars-poker")
    for query in ("seat=1", "viewer=1", "player=1", "as=1", "you=1"):
        assert ann.ok("GET", f"/v1/matches/{match}?{query}") == read(ann, match)
    headers = {"X-Player": "1", "X-Seat": "1"}
    assert ann.call("GET", f"/v1/matches/{match}", headers=headers).body == read(ann, match)


def test_last_events_are_those_since_the_own_action(ann: Client, bob: Client, anybody: Client) -> None:
    match = table(ann, bob)
    assert [event["type"] for event in read(ann, match)["last_events"]] == ["joined", "joined", "started"]
    at(lay(ann, match, "7", "higher", 1))
    assert read(ann, match)["last_events"] == []
    at(lay(bob, match, "9", "higher", 1))
    happened = [(event["type"], event["seat"]) for event in read(ann, match)["last_events"]]
    assert happened == [("play", 1), ("conflict", None)]
    assert [event["type"] for event in read(bob, match)["last_events"]] == ["play", "conflict"]
    at(lay(bob, match, "A", "higher", 2))
    assert read(bob, match)["last_events"] == []
    assert [event["type"] for event in read(ann, match)["last_events"]] == ["play", "conflict"]
    types = [event["type"] for event in read(anybody, match)["last_events"]]
    assert types == ["joined", "joined", "started", "play", "play", "conflict"]


def test_last_events_are_at_most_the_last_twenty(ann: Client, bob: Client, anybody: Client) -> None:
    match = table(ann, bob, game="half-deck-poker")
    for _ in range(30):
        if read(ann, match)["status"] != "active":
            break
        for client in (ann, bob):
            if actions := legal(client, match)["actions"]:
                at(act(client, match, actions[0]))
        assert len(read(anybody, match)["last_events"]) <= 20
    events = read(anybody, match)["last_events"]
    assert len(events) == 20
    log = anybody.ok("GET", f"/v1/matches/{match}/log?after={events[0]['n'] - 1}")["items"]
    assert log == events


def test_a_bots_answer_is_among_the_last_events(ann: Client) -> None:
    match = create(ann, "misfortune", bots=1)
    at(lay(ann, match, "7", "higher", 1))
    events = read(ann, match)["last_events"]
    assert (events[0]["type"], events[0]["seat"], events[0]["by"]) == ("play", 1, "bot")


def test_how_often_to_ask_again_depends_on_the_state_and_the_clock(ann: Client, bob: Client) -> None:
    open_match, slow = create(ann), table(ann, bob)
    fast = table(ann, bob, clock={"kind": "per-move", "seconds": 10})
    over = table(ann, bob)
    act(ann, over, {"type": "resign"})
    polls = {match: read(ann, match)["poll_after"] for match in (open_match, slow, fast, over)}
    assert polls == {open_match: 30, slow: 30, fast: 2, over: 3600}


@pytest.mark.parametrize("match", ["mat_" + "0" * 26, "mat_", "x", "mat_" + "U" * 26, "mat_" + "0" * 5000, "..", "%20"])
def test_an_unknown_match_is_not_found(anybody: Client, ann: Client, match: str) -> None:
    for client in (anybody, ann):
        for path in ("", "/log", "/legal-actions"):
            problem(client.call("GET", f"/v1/matches/{match}{path}"), 404, "not-found")


def test_an_id_is_matched_in_full_and_as_it_is_written(anybody: Client, ann: Client) -> None:
    match = create(ann)
    for other in (match.lower(), match + "%0A", match + "%20", "%20" + match, match[:-1], match + "0", match + "%00"):
        problem(anybody.call("GET", f"/v1/matches/{other}"), 404, "not-found")
    digits = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
    fancy = "".join(f"%{byte:02X}" for byte in match.translate(digits).encode())
    problem(anybody.call("GET", f"/v1/matches/{fancy}"), 404, "not-found")
    # Percent-encoding is not part of what it says.
    assert anybody.ok("GET", "/v1/matches/%6D" + match[1:])["id"] == match


def test_time_goes_on_while_the_rest_stays(service: LocalService, ann: Client) -> None:
    match = create(ann)
    before = read(ann, match)
    service.advance(7)
    after = read(ann, match)
    assert after["server_time"] > before["server_time"]
    assert after | {"server_time": ""} == before | {"server_time": ""}
