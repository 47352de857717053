"""Proofs over HTTP (api.md, "A proof")."""

import json
import shutil
import subprocess
from typing import Any

import pytest

from engine import games
from engine.proof_form import read as read_proof
from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import less_moment, problem
from tests.service.moments import jump, record_of
from tests.service.playing import act, at, create, legal, me, play_out, read, table
from tests.verify.proofs import by_node, fault, needs_node

MINUTE = {"kind": "per-move", "seconds": 60}


def proof(client: Client, match: str) -> Any:
    return client.ok("GET", f"/v1/matches/{match}/proof")


@pytest.mark.parametrize("game", games.IDS)
def test_the_proof_of_a_match_that_was_played_holds(new_player: Any, game: str) -> None:
    players = [new_player() for _ in range(3 if game == "micro-poker" else 2)]
    match = create(players[0], game, seats=len(players), nonce="00ff")
    commitment = read(players[0], match)["deal"]["commitment"]
    for player in players[1:]:
        at(player.call("POST", f"/v1/matches/{match}/join", {"nonce": "abcd"}))
    seen = play_out(players, match)
    shown = proof(players[0], match)
    assert fault(shown) == ""
    assert shown["commitment"] == commitment
    assert shown["nonces"] == ["00ff", *["abcd"] * (len(players) - 1)]
    assert shown["result"] == seen["result"]
    assert (shown["match"], shown["game"], shown["options"]) == (match, game, seen["options"])
    assert (shown["started_at"], shown["ended_at"], shown["clock"]) == (
        seen["started_at"],
        seen["ended_at"],
        seen["clock"],
    )


@needs_node
def test_house_bots_time_outs_and_resignations_are_proven_to_both_verifiers(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    match = create(ann, "liars-poker", seats=5, bots=2, clock=MINUTE)
    for client in (bob, cyd):
        at(client.call("POST", f"/v1/matches/{match}/join"))
    at(bob.call("POST", f"/v1/matches/{match}/actions", {"action": {"type": "resign"}}))
    while read(ann, match)["status"] == "active":
        service.advance(60)
        if actions := legal(ann, match)["actions"]:
            at(act(ann, match, actions[0]))
    shown = proof(ann, match)
    assert {action["by"] for action in shown["actions"]} == {"player", "bot", "clock"}
    assert len(shown["bots"]) == 2
    assert fault(shown) == ""
    assert by_node([shown]) == ["holds"]


def test_a_long_match_is_proven_from_its_first_event(service: LocalService, ann: Client, bob: Client) -> None:
    """Old events have been put away from the item by then."""
    match = table(ann, bob, game="half-deck-poker", rated=False, options={"start_chips": 200, "min_raise": 0})
    for _ in range(40):
        for client in (ann, bob):
            if actions := legal(client, match)["actions"]:
                at(act(client, match, actions[0]))
    at(act(ann, match, {"type": "resign"}))
    assert record_of(match).match.put_away
    shown = proof(ann, match)
    assert [action["n"] for action in shown["actions"]] == list(range(1, len(shown["actions"]) + 1))
    assert fault(shown) == ""


def test_before_the_end_there_is_no_proof(service: LocalService, anybody: Client, ann: Client, bob: Client) -> None:
    match = create(ann, clock=MINUTE)
    for client in (anybody, ann, bob):
        problem(client.call("GET", f"/v1/matches/{match}/proof"), 409, "match-active")
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    told = [problem(one.call("GET", f"/v1/matches/{match}/proof"), 409, "match-active") for one in (ann, bob, anybody)]
    at(act(ann, match, legal(ann, match)["actions"][0]))
    told += [problem(one.call("GET", f"/v1/matches/{match}/proof"), 409, "match-active") for one in (ann, bob, anybody)]
    assert all(less_moment(one) == less_moment(told[0]) for one in told)


def test_a_match_that_time_has_ended_is_proven_to_who_asks_first(
    service: LocalService, anybody: Client, ann: Client, bob: Client
) -> None:
    match = table(ann, bob, game="misfortune", clock=MINUTE | {"on_timeout": "forfeit"})
    at(act(ann, match, legal(ann, match)["actions"][0]))
    jump(service, 60)
    shown = proof(anybody, match)
    assert [(event["type"], event["seat"], event["reason"]) for event in shown["events"]] == [("left", 1, "timeout")]
    assert fault(shown) == ""


def test_an_aborted_match_opens_its_key_too(service: LocalService, ann: Client, bob: Client) -> None:
    match = create(ann, "liars-poker", seats=3, nonce="aa")
    commitment = read(ann, match)["deal"]["commitment"]
    at(ann.call("POST", f"/v1/matches/{match}/leave"))
    shown = proof(bob, match)
    assert (shown["status"], shown["commitment"], shown["actions"]) == ("aborted", commitment, [])
    assert fault(shown) == ""


def test_pauses_and_closed_accounts_are_proven_without_naming_anybody(
    service: LocalService, ann: Client, bob: Client
) -> None:
    match = table(ann, bob, game="misfortune")
    at(act(ann, match, legal(ann, match)["actions"][0]))
    at(bob.call("POST", "/v1/me/vacation", {"days": 3}))
    service.advance(3600)
    at(bob.call("DELETE", "/v1/me/vacation"))
    player = me(bob)
    at(bob.call("DELETE", "/v1/me"))
    shown = proof(ann, match)
    assert [event["type"] for event in shown["events"]] == ["paused", "resumed", "left"]
    assert shown["result"]["reason"] == "forfeit"
    assert player not in json.dumps(shown)
    assert fault(shown) == ""


def test_the_proof_of_a_private_match_is_for_who_may_see_it(
    anybody: Client, ann: Client, bob: Client, cyd: Client
) -> None:
    match = create(ann, visibility="private")
    code = read(ann, match)["join_code"]
    at(bob.call("POST", f"/v1/matches/{match}/join", {"join_code": code}))
    at(act(ann, match, {"type": "resign"}))
    assert proof(bob, match) == proof(ann, match)
    for client in (anybody, cyd):
        hidden = problem(client.call("GET", f"/v1/matches/{match}/proof"), 404, "not-found")
        missing = problem(client.call("GET", f"/v1/matches/{match[:-1]}0/proof"), 404, "not-found")
        assert less_moment(hidden) == less_moment(missing)


def test_a_proof_needs_the_scope_to_read(ann: Client, bob: Client) -> None:
    match = table(ann, bob)
    token = ann.ok("POST", "/v1/me/tokens", {"scopes": ["play"], "label": "x"})["token"]
    reply = ann.call("GET", f"/v1/matches/{match}/proof", headers={"Authorization": f"Bearer {token}"})
    problem(reply, 403, "forbidden")


def test_a_proof_never_changes(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob)
    at(act(ann, match, {"type": "resign"}))
    first = ann.call("GET", f"/v1/matches/{match}/proof")
    service.advance(3600)
    again = bob.call("GET", f"/v1/matches/{match}/proof")
    assert (first.body, first.headers["etag"]) == (again.body, again.headers["etag"])
    assert "server_time" not in first.body
    known = bob.call("GET", f"/v1/matches/{match}/proof", headers={"If-None-Match": first.headers["etag"]})
    assert known.status == 304


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_what_curl_stores_holds_as_it_is(service: LocalService, ann: Client, bob: Client, tmp_path: Any) -> None:
    match = table(ann, bob, game="half-deck-poker", rated=False)
    play_out([ann, bob], match)
    path = tmp_path / "proof.json"
    subprocess.run(["curl", "-sS", "-o", path, f"{service.url}/v1/matches/{match}/proof"], check=True)
    assert fault(read_proof(path.read_bytes())) == ""
