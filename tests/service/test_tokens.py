"""Tokens: what they are good for, for how long, and how they end (api.md, "Players and tokens", "auth")."""

from typing import Any

import pytest

from functions.shared.http import identity
from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.playing import create, me, table

SCOPES = ("read", "play", "organize", "webhooks", "account")
NOBODY = "ply_" + "0" * 26
NO_MATCH = "mat_" + "0" * 26
NO_TOKEN = "tok_" + "0" * 26


def ask(client: Client, scopes: Any = ("read",), label: Any = "a label", key: str | None = None, **more: Any) -> Reply:
    body = {"scopes": list(scopes), "label": label, **more}
    return client.call("POST", "/v1/me/tokens", body, key=key)


def limited(service: LocalService, client: Client, *scopes: str) -> Client:
    return Client(service.url, ask(client, scopes).body["token"])


def status(service: LocalService, token: str) -> int:
    client = Client(service.url, token)
    found = client.call("GET", "/v1/me").status
    client.close()
    return found


def test_a_token_has_the_scopes_that_were_asked_for(service: LocalService, ann: Client) -> None:
    reply = ask(ann, ("play", "read", "play"), "Bot № 1")
    assert reply.status == 201
    assert set(reply.body) == {"id", "label", "scopes", "created_at", "expires_at", "token"}
    assert (reply.body["scopes"], reply.body["label"]) == (["play", "read"], "Bot № 1")
    assert reply.body["expires_at"] is None
    assert status(service, reply.body["token"]) == 200


def test_the_list_of_tokens_shows_no_secret(ann: Client) -> None:
    secret = ask(ann).body["token"]
    reply = ann.call("GET", "/v1/me/tokens")
    for token in reply.body["items"]:
        assert set(token) == {"id", "label", "scopes", "created_at", "expires_at"}
    assert secret not in str(reply)
    assert str(ann.token) not in str(reply)


def test_a_token_has_no_scope_that_its_maker_lacks(service: LocalService, ann: Client) -> None:
    maker = limited(service, ann, "account", "read")
    with nothing_stored(service):
        problem(ask(maker, ("read", "play")), 403, "forbidden")
    assert ask(maker, ("read", "account")).status == 201
    maker.close()


def test_a_replay_shows_no_token_that_the_caller_could_not_make(service: LocalService, ann: Client) -> None:
    maker = limited(service, ann, "account")
    assert ask(ann, ("play",), key="1").status == 201
    problem(ask(maker, ("play",), key="1"), 403, "forbidden")
    maker.close()


@pytest.mark.parametrize("scope", SCOPES)
def test_each_route_wants_its_scope(service: LocalService, ann: Client, bob: Client, scope: str) -> None:
    match, own = table(ann, bob, game="liars-poker", rated=False), create(ann)
    client = limited(service, ann, scope)
    calls = {
        "read": [
            ("GET", "/v1/me", None),
            ("GET", f"/v1/players/{me(bob)}", None),
            ("GET", "/v1/players?name=" + bob.ok("GET", "/v1/me")["name"], None),
            ("GET", "/v1/matches", None),
            ("GET", "/v1/matches?mine=true", None),
            ("GET", "/v1/matches?my_turn=true", None),
            ("GET", f"/v1/matches/{match}", None),
            ("GET", f"/v1/matches/{match}/legal-actions", None),
            ("GET", f"/v1/matches/{match}/log", None),
            ("GET", f"/v1/matches/{match}/odds?digit=1&count=1", None),
        ],
        "play": [
            ("POST", "/v1/matches", {"game": "misfortune"}),
            ("POST", f"/v1/matches/{create(bob)}/join", {}),
            ("PUT", f"/v1/matches/{own}/nonce", {"nonce": "00"}),
            ("POST", f"/v1/matches/{own}/leave", None),
            ("POST", f"/v1/matches/{match}/actions", {"action": {"type": "resign"}}),
        ],
        "account": [
            ("PATCH", "/v1/me", {"name": me(ann)[-20:]}),
            ("GET", "/v1/me/tokens", None),
            ("POST", "/v1/me/tokens", {"scopes": [scope], "label": "x"}),
            ("DELETE", "/v1/me/tokens/" + ask(ann).body["id"], None),
        ],
    }
    for wanted, requests in calls.items():
        for method, path, body in requests:
            reply = client.call(method, path, body)
            if scope == wanted:
                assert reply.status < 300, (method, path, reply)
            else:
                problem(reply, 403, "forbidden")
    assert client.call("GET", "/v1/games").status == 200
    client.close()


def test_only_its_creator_needs_the_scope_to_start(service: LocalService, ann: Client, bob: Client) -> None:
    match = create(ann, "liars-poker", seats=3)
    bob.ok("POST", f"/v1/matches/{match}/join")
    reader, player = limited(service, ann, "read"), limited(service, ann, "play")
    problem(reader.call("POST", f"/v1/matches/{match}/start"), 403, "forbidden")
    assert player.call("POST", f"/v1/matches/{match}/start").status == 200
    reader.close()
    player.close()


@pytest.mark.parametrize("label", ["x", "é" * 80, "Ann's phone", "電話", "שלום", "👩‍💻", "a" * 80, "می‌خواهم"])
def test_a_label_may_be(ann: Client, label: str) -> None:
    assert ask(ann, label=label).body["label"] == label


@pytest.mark.parametrize(
    "label",
    [
        "",
        "a" * 81,
        "שּׁ" * 80,
        "a\nb",
        "a\x00",
        "\x1b[31m",
        "\x7f",
        "\x85",
        "a\u202eb",
        "\u2066a",
        "a\u200f",
        "\u061c",
        "\u2028",
        "\u2029",
        "\ufeffa",
        "a\u200bb",
        "\ue000",
        "\U000e0041",
        None,
        1,
        ["a"],
    ],
)
def test_a_label_may_not_be(service: LocalService, ann: Client, label: Any) -> None:
    with nothing_stored(service):
        (error,) = problem(ask(ann, label=label), 422, "invalid-request")["errors"]
    assert error["loc"] == ["label"]


def test_a_label_is_kept_in_its_composed_form(ann: Client) -> None:
    assert ask(ann, label="e\u0301").body["label"] == "\u00e9"


@pytest.mark.parametrize(
    "body",
    [
        {"scopes": [], "label": "x"},
        {"scopes": ["admin"], "label": "x"},
        {"scopes": ["READ"], "label": "x"},
        {"scopes": "read", "label": "x"},
        {"scopes": ["read"]},
        {"label": "x"},
        {"scopes": ["read"], "label": "x", "expires_in": 59},
        {"scopes": ["read"], "label": "x", "expires_in": 366 * 86_400 + 1},
        {"scopes": ["read"], "label": "x", "expires_in": True},
        {"scopes": ["read"], "label": "x", "expires_in": 60.0},
        {"scopes": ["read"], "label": "x", "expires_in": "60"},
        {"scopes": ["read"], "label": "x", "player": NOBODY},
    ],
)
def test_a_token_can_not_be_asked_for_like_this(service: LocalService, ann: Client, body: Any) -> None:
    with nothing_stored(service):
        problem(ann.call("POST", "/v1/me/tokens", body), 422, "invalid-request")


def test_a_token_expires_when_it_says(service: LocalService, ann: Client) -> None:
    made = ask(ann, expires_in=3600).body
    service.advance(3599)
    assert status(service, made["token"]) == 200
    assert made["id"] in [token["id"] for token in ann.ok("GET", "/v1/me/tokens")["items"]]
    service.advance(1)
    assert status(service, made["token"]) == 401
    assert made["id"] not in [token["id"] for token in ann.ok("GET", "/v1/me/tokens")["items"]]


def test_a_token_does_not_outlive_its_maker(service: LocalService, ann: Client) -> None:
    maker = ask(ann, ("account", "read"), expires_in=120).body
    client = Client(service.url, maker["token"])
    for wish in ({}, {"expires_in": 3600}):
        assert ask(client, ("read",), **wish).body["expires_at"] == maker["expires_at"]
    assert ask(client, ("read",), expires_in=60).body["expires_at"] < maker["expires_at"]
    client.close()


def test_a_revoked_token_fails(service: LocalService, ann: Client) -> None:
    made = ask(ann).body
    assert status(service, made["token"]) == 200
    reply = ann.call("DELETE", f"/v1/me/tokens/{made['id']}")
    assert (reply.status, reply.body) == (204, None)
    service.advance(60)
    assert status(service, made["token"]) == 401
    problem(ann.call("DELETE", f"/v1/me/tokens/{made['id']}"), 404, "not-found")


def test_a_revoked_token_fails_within_a_minute_where_it_was_looked_up_before(
    service: LocalService, ann: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ask(ann).body
    # An instance of another function hears nothing of the revocation; it only forgets by itself.
    monkeypatch.setattr(identity, "forget", lambda: None)
    assert status(service, made["token"]) == 200
    ann.ok("DELETE", f"/v1/me/tokens/{made['id']}")
    service.advance(60)
    assert status(service, made["token"]) == 401


@pytest.mark.parametrize("end", ["revoke", "recover"])
def test_a_token_that_has_ended_makes_no_other_where_it_was_looked_up_before(
    service: LocalService, anybody: Client, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    name = f"stolen-{end}"
    made = anybody.ok("POST", "/v1/players", {"name": name})
    owner = Client(service.url, made["token"])
    thief = limited(service, owner, *SCOPES)
    thief.ok("GET", "/v1/me")
    # An instance of another function hears nothing of it.
    monkeypatch.setattr(identity, "forget", lambda: None)
    if end == "revoke":
        tokens = owner.ok("GET", "/v1/me/tokens")["items"]
        (stolen,) = (token["id"] for token in tokens if token["label"] != "first")
        owner.ok("DELETE", f"/v1/me/tokens/{stolen}")
    else:
        anybody.ok("POST", "/v1/players/recover", {"name": name, "recovery_code": made["recovery_code"]})
    assert thief.call("GET", "/v1/me").status == 200
    problem(ask(thief, SCOPES), 401, "unauthenticated")
    owner.close()
    thief.close()


def test_a_token_may_end_itself(service: LocalService, ann: Client) -> None:
    (own,) = ann.ok("GET", "/v1/me/tokens")["items"]
    assert ann.call("DELETE", f"/v1/me/tokens/{own['id']}").status == 204
    problem(ann.call("GET", "/v1/me"), 401, "unauthenticated")


@pytest.mark.parametrize("token", [NO_TOKEN, "tok_", "x", "%E2%82%AC", "a" * 3000])
def test_a_token_that_is_not_there_can_not_be_revoked(ann: Client, token: str) -> None:
    problem(ann.call("DELETE", f"/v1/me/tokens/{token}"), 404, "not-found")


def test_nobody_revokes_the_token_of_somebody_else(service: LocalService, ann: Client, bob: Client) -> None:
    made = ask(ann).body
    with nothing_stored(service):
        problem(bob.call("DELETE", f"/v1/me/tokens/{made['id']}"), 404, "not-found")
    assert status(service, made["token"]) == 200


def test_a_player_has_twenty_tokens_and_expired_ones_make_room(service: LocalService, ann: Client) -> None:
    for _ in range(19):
        assert ask(ann, expires_in=60).status == 201
    with nothing_stored(service):
        problem(ask(ann), 409, "limit-reached")
    service.advance(60)
    assert len(ann.ok("GET", "/v1/me/tokens")["items"]) == 1
    assert ask(ann).status == 201
    assert len(ann.ok("GET", "/v1/me/tokens")["items"]) == 2


@pytest.mark.parametrize(
    "authorization",
    [
        "Bearer nonsense",
        "Bearer",
        "Bearer ",
        "bearer bh_x",
        "Basic YTpi",
        "bh_x",
        "",
        "Bearer " + "x" * 3000,
        "Bearer é",
        "Bearer a b",
        "Bearer null",
    ],
)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/games"),
        ("GET", "/v1/games/nonsense"),
        ("GET", "/v1/matches"),
        ("GET", f"/v1/matches/{NO_MATCH}"),
        ("GET", f"/v1/players/{NOBODY}"),
        ("GET", "/v1/me"),
        ("POST", "/v1/players"),
        ("POST", "/v1/players/recover"),
        ("POST", f"/v1/matches/{NO_MATCH}/join"),
        ("GET", "/v1/nothing"),
        ("DELETE", "/v1/matches"),
    ],
)
def test_an_invalid_token_is_told_everywhere(anybody: Client, method: str, path: str, authorization: str) -> None:
    reply = anybody.call(method, path, headers={"Authorization": authorization})
    problem(reply, 401, "unauthenticated")
    assert reply.headers["www-authenticate"] == "Bearer"


def test_the_scheme_is_written_in_any_case(ann: Client, anybody: Client) -> None:
    for scheme in ("bearer", "BEARER"):
        reply = anybody.call("GET", "/v1/me", headers={"Authorization": f"{scheme} {ann.token}"})
        assert reply.status == 200


def test_a_token_anywhere_else_than_in_its_header_is_none(anybody: Client, ann: Client) -> None:
    for headers in ({"Cookie": f"token={ann.token}"}, {"X-Authorization": f"Bearer {ann.token}"}):
        problem(anybody.call("GET", "/v1/me", headers=headers), 401, "unauthenticated")
    problem(
        anybody.call("GET", "/v1/me", query={"token": ann.token, "access_token": ann.token}), 401, "unauthenticated"
    )
