"""Idempotency-Key (api.md, "retries"); that of registering and recovering is in test_players.py."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem, stored
from tests.service.playing import act, at, create, lay, legal, read, table

HOURS = 3600
_keys = itertools.count(1)

NEW_MATCH = ("POST", "/v1/matches", {"game": "liars-poker", "seats": 3, "nonce": "00"})
NEW_TOKEN = ("POST", "/v1/me/tokens", {"scopes": ["read", "play"], "label": "x"})


@pytest.fixture
def key() -> str:
    return f"key-{next(_keys)}"


def replayed(first: Reply, again: Reply) -> bool:
    """Whether the second one is the first one again, the match in it as it is now."""
    assert "idempotency-replayed" not in first.headers
    same = [first.headers.get("location"), first.status, first.body["id"]]
    assert [again.headers.get("location"), again.status, again.body["id"]] == same
    return again.headers.get("idempotency-replayed") == "true"


@pytest.mark.parametrize("request_", [NEW_MATCH, NEW_TOKEN])
def test_a_creation_is_done_once(service: LocalService, ann: Client, key: str, request_: Any) -> None:
    first = ann.call(*request_, key=key)
    assert first.status == 201
    with nothing_stored(service):
        again = ann.call(*request_, key=key)
    assert replayed(first, again)
    assert again.body == first.body
    assert ann.call(*request_).body["id"] != first.body["id"]


@pytest.mark.parametrize("request_", [NEW_MATCH, NEW_TOKEN])
def test_a_creation_is_known_for_two_days(service: LocalService, ann: Client, key: str, request_: Any) -> None:
    first = ann.call(*request_, key=key)
    service.advance(48 * HOURS - 1)
    assert replayed(first, ann.call(*request_, key=key))
    service.advance(1)
    fresh = ann.call(*request_, key=key)
    assert fresh.status == 201
    assert fresh.body["id"] != first.body["id"]
    assert replayed(fresh, ann.call(*request_, key=key))


def test_a_created_match_is_shown_as_it_is_now(service: LocalService, ann: Client, bob: Client, key: str) -> None:
    order = ("POST", "/v1/matches", {"game": "misfortune"})
    first = ann.call(*order, key=key)
    at(bob.call("POST", f"/v1/matches/{first.body['id']}/join"))
    again = ann.call(*order, key=key)
    assert replayed(first, again)
    assert again.body["status"] == "active"
    at(act(ann, first.body["id"], {"type": "resign"}))
    service.settle()
    again = ann.call(*order, key=key)
    assert replayed(first, again)
    assert again.body == read(ann, first.body["id"])


def test_a_token_that_has_ended_is_not_shown_again(ann: Client, key: str) -> None:
    made = ann.call(*NEW_TOKEN, key=key).body
    ann.ok("DELETE", f"/v1/me/tokens/{made['id']}")
    problem(ann.call(*NEW_TOKEN, key=key), 404, "not-found")


def test_a_creation_is_shown_again_to_who_has_reached_a_limit(ann: Client, key: str) -> None:
    first = ann.call(*NEW_MATCH, key=key)
    while ann.call(*NEW_MATCH).status == 201:
        pass
    problem(ann.call(*NEW_MATCH), 409, "limit-reached")
    assert replayed(first, ann.call(*NEW_MATCH, key=key))


@pytest.mark.parametrize(
    ("request_", "other"),
    [
        (NEW_MATCH, {"game": "liars-poker", "seats": 4, "nonce": "00"}),
        (NEW_MATCH, {"game": "liars-poker", "seats": 3, "nonce": "01"}),
        (NEW_MATCH, {"game": "misfortune"}),
        (NEW_TOKEN, {"scopes": ["play", "read"], "label": "x"}),
        (NEW_TOKEN, {"scopes": ["read", "play"], "label": "X"}),
    ],
)
def test_a_key_that_came_with_another_body_is_refused(
    service: LocalService, ann: Client, key: str, request_: Any, other: Any
) -> None:
    method, path, _ = request_
    first = ann.call(*request_, key=key)
    with nothing_stored(service):
        problem(ann.call(method, path, other, key=key), 422, "key-reused")
    assert replayed(first, ann.call(*request_, key=key))


def test_a_body_counts_by_what_it_says(ann: Client, key: str) -> None:
    texts = (
        b'{"game":"liars-poker","seats":3,"options":{"digits":4,"stake":2}}',
        b' { "options" : {"stake":2, "digits":4}, "seats":3,\r\n\t"game":"liars-poker" } ',
        b'{"g\\u0061me":"liars\\u002dpoker","seats":3,"options":{"digits":4,"stake":2}}',
    )
    first, *others = (ann.call("POST", "/v1/matches", text, key=key) for text in texts)
    assert first.status == 201
    for again in others:
        assert replayed(first, again)


def test_a_rejected_request_leaves_its_key_unused(ann: Client, bob: Client, key: str) -> None:
    problem(ann.call("POST", "/v1/matches", {"game": "poker"}, key=key), 422, "invalid-request")
    assert "idempotency-replayed" not in ann.call(*NEW_MATCH, key=key).headers
    match = table(ann, bob)
    for action, status in (({"type": "play", "card": "7h", "claim": "higher"}, 422), ({"type": "x"}, 422)):
        assert act(ann, match, action, 1, key=key).status == status
    problem(act(ann, match, {"type": "play", "card": "7c", "claim": "higher"}, 2, key=key), 409, "stale-turn")
    first = lay(ann, match, "7", "higher", 1, key=key)
    assert first.status == 200
    assert "idempotency-replayed" not in first.headers


def test_a_key_belongs_to_its_player_and_its_path(ann: Client, bob: Client, key: str) -> None:
    for client in (ann, bob):
        made = client.call(*NEW_MATCH, key=key)
        assert made.status == 201
        assert "idempotency-replayed" not in made.headers
    assert "idempotency-replayed" not in ann.call(*NEW_TOKEN, key=key).headers
    matches = [create(ann, "liars-poker", seats=4) for _ in range(2)]
    for match in matches:
        for path in ("join", "leave"):
            done = bob.call("POST", f"/v1/matches/{match}/{path}", key=key)
            assert done.status == 200
            assert "idempotency-replayed" not in done.headers
    match = table(ann, bob)
    for client, rank in ((ann, "7"), (bob, "9")):
        assert "idempotency-replayed" not in lay(client, match, rank, "higher", 1, key=key).headers


@pytest.mark.parametrize("bad", ["", " ", "a b", "x" * 65, "é", "a\tb", "\u00a0"])
@pytest.mark.parametrize("path", ["/v1/matches", "/v1/me/tokens", "/v1/players"])
def test_what_can_not_be_a_key_is_refused(service: LocalService, ann: Client, path: str, bad: str) -> None:
    bodies = {"/v1/matches": NEW_MATCH[2], "/v1/me/tokens": NEW_TOKEN[2], "/v1/players": {"name": "keyless"}}
    with nothing_stored(service):
        problem(ann.call("POST", path, bodies[path], key=bad), 400, "invalid-request")


@pytest.mark.parametrize("good", ["x", "!" * 64, "~", '"quoted"', "a,b;c=d", "0"])
def test_a_key_is_any_visible_ascii(ann: Client, good: str) -> None:
    first = ann.call(*NEW_MATCH, key=good)
    assert replayed(first, ann.call(*NEW_MATCH, key=good))


def test_a_sealed_choice_is_shown_again_and_not_replaced(
    service: LocalService, ann: Client, bob: Client, key: str
) -> None:
    match = table(ann, bob)
    first = lay(ann, match, "7", "higher", 1, key=key)
    with nothing_stored(service):
        again = lay(ann, match, "7", "higher", 1, key=key)
        problem(lay(ann, match, "8", "higher", 1, key=key), 422, "key-reused")
        problem(lay(ann, match, "7", "higher", 1, key=f"{key}-other"), 409, "not-your-turn")
    assert replayed(first, again)
    assert again.body == first.body


def test_an_action_is_shown_again_when_its_turn_has_passed(
    service: LocalService, ann: Client, bob: Client, key: str
) -> None:
    match = table(ann, bob)
    action = {"type": "play", "card": "7c", "claim": "higher"}
    first = act(ann, match, action, 1, key=key)
    at(lay(bob, match, "9", "higher", 1))
    with nothing_stored(service):
        again = act(ann, match, action, 1, key=key)
        problem(act(ann, match, action, 2, key=key), 422, "key-reused")
        problem(act(ann, match, action, 1), 409, "stale-turn")
    assert replayed(first, again)
    assert again.body == read(ann, match)
    assert again.body["turn"] == 2


def test_actions_are_known_as_long_as_the_match(service: LocalService, ann: Client, bob: Client, key: str) -> None:
    match, sent = table(ann, bob, game="half-deck-poker"), []
    while (turn := read(ann, match)["turn"]) and read(ann, match)["status"] == "active":
        for client in (ann, bob):
            if actions := legal(client, match)["actions"]:
                named = f"{key}-{len(sent)}"
                done = act(client, match, actions[0], turn, key=named)
                at(done)
                sent.append((client, actions[0], turn, named, done))
    assert sum(pk == f"MAT#{match}" and sk.startswith("LOG#") for _, pk, sk in stored(service)) > 1
    service.advance(100 * 24 * HOURS)
    with nothing_stored(service):
        for client, action, turn, named, first in sent[::3]:
            again = act(client, match, action, turn, key=named)
            assert replayed(first, again)
            assert again.body["status"] == "finished"
            problem(act(client, match, {"type": "call", "x": 1}, turn, key=named), 422, "key-reused")
            problem(act(client, match, action, turn, key=f"{named}-new"), 409, "match-over")


def test_resigning_is_done_once(service: LocalService, ann: Client, bob: Client, cyd: Client, key: str) -> None:
    match = table(ann, bob, cyd, game="liars-poker")
    body = {"action": {"type": "resign"}}
    first = ann.call("POST", f"/v1/matches/{match}/actions", body, key=key)
    with nothing_stored(service):
        assert replayed(first, ann.call("POST", f"/v1/matches/{match}/actions", body, key=key))
    at(act(bob, match, {"type": "resign"}))
    again = ann.call("POST", f"/v1/matches/{match}/actions", body, key=key)
    assert replayed(first, again)
    assert again.body["status"] == "finished"


def test_joining_is_done_once_whatever_came_after(
    service: LocalService, ann: Client, bob: Client, cyd: Client, key: str
) -> None:
    match = create(ann, "liars-poker", seats=3)
    path = f"/v1/matches/{match}/join"
    first = bob.call("POST", path, {"nonce": "aa"}, key=key)
    with nothing_stored(service):
        assert replayed(first, bob.call("POST", path, {"nonce": "aa"}, key=key))
        problem(bob.call("POST", path, {"nonce": "bb"}, key=key), 422, "key-reused")
        problem(bob.call("POST", path, {"nonce": "aa"}), 409, "already-joined")
    at(cyd.call("POST", path))
    again = bob.call("POST", path, {"nonce": "aa"}, key=key)
    assert replayed(first, again)
    assert again.body["status"] == "active"
    for client in (ann, bob):
        at(act(client, match, {"type": "resign"}))
    assert replayed(first, bob.call("POST", path, {"nonce": "aa"}, key=key))


def test_leaving_is_done_once_and_does_not_undo_a_return(ann: Client, bob: Client, key: str) -> None:
    match = create(ann, "liars-poker", seats=3)
    join, leave = (f"/v1/matches/{match}/{what}" for what in ("join", "leave"))
    at(bob.call("POST", join))
    first = bob.call("POST", leave, key=key)
    assert first.body["you"] is None
    assert replayed(first, bob.call("POST", leave, key=key))
    problem(bob.call("POST", leave), 403, "forbidden")
    at(bob.call("POST", join))
    again = bob.call("POST", leave, key=key)
    assert replayed(first, again)
    assert again.body["you"]["seat"] == 1
    assert read(bob, match)["you"]["seat"] == 1


def test_starting_is_done_once(service: LocalService, ann: Client, bob: Client, key: str) -> None:
    match = create(ann, "liars-poker", seats=5)
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    first = ann.call("POST", f"/v1/matches/{match}/start", key=key)
    with nothing_stored(service):
        assert replayed(first, ann.call("POST", f"/v1/matches/{match}/start", {}, key=key))
        problem(ann.call("POST", f"/v1/matches/{match}/start"), 409, "match-not-open")


def test_lobby_requests_are_shown_again_when_the_log_has_been_put_away(
    service: LocalService, ann: Client, bob: Client, key: str
) -> None:
    match = create(ann, "half-deck-poker")
    first = bob.call("POST", f"/v1/matches/{match}/join", key=key)
    while read(ann, match)["status"] == "active":
        for client in (ann, bob):
            if actions := legal(client, match)["actions"]:
                at(act(client, match, actions[0]))
    assert any(pk == f"MAT#{match}" and sk.startswith("LOG#") for _, pk, sk in stored(service))
    assert replayed(first, bob.call("POST", f"/v1/matches/{match}/join", key=key))


def test_a_bot_that_answers_twice_is_heard_once(new_player: Callable[[], Client], key: str) -> None:
    """Reports 13: told twice that it is its turn, it answers both, differently."""
    clients = (new_player(), new_player())
    match = table(*clients, game="liars-poker")
    acting = clients[read(clients[0], match)["to_act"][0]]
    bids = [{"type": "bid", "count": count, "digit": 1} for count in (1, 2)]
    first, second = (act(acting, match, bid, 1, key=f"{key}-{i}") for i, bid in enumerate(bids))
    assert first.status == 200
    assert "turn 2" in problem(second, 409, "stale-turn")["detail"]
