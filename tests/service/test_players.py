"""Names, accounts, recovery (api.md, "Players and tokens")."""

import itertools
import re
from typing import Any

import pytest

from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.checks import less_moment, nothing_stored, problem
from tests.service.playing import at, me, play_out, read, table

_names = itertools.count(1)
LONG_KEY = "0123456789abcdefghijkl"


def a_name() -> str:
    return f"Some_one-{next(_names)}"


def register(caller: Client, name: Any, key: str | None = None) -> Reply:
    return caller.call("POST", "/v1/players", {"name": name}, key=key)


def recover(caller: Client, name: str, code: str, key: str | None = None) -> Reply:
    return caller.call("POST", "/v1/players/recover", {"name": name, "recovery_code": code}, key=key)


def works(service: LocalService, token: str) -> bool:
    client = Client(service.url, token)
    status = client.call("GET", "/v1/me").status
    client.close()
    return status == 200


def test_a_new_player_gets_a_token_with_all_scopes_and_a_code(service: LocalService, anybody: Client) -> None:
    name = a_name()
    reply = register(anybody, name)
    assert reply.status == 201
    assert set(reply.body) == {"player", "token", "recovery_code"}
    player = reply.body["player"]
    assert player["name"] == name
    assert re.fullmatch(r"ply_[0-9A-HJKMNP-TV-Z]{26}", player["id"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", player["created_at"])
    assert reply.headers["location"] == f"/v1/players/{player['id']}"
    client = Client(service.url, reply.body["token"])
    (token,) = client.ok("GET", "/v1/me/tokens")["items"]
    assert set(token["scopes"]) == {"read", "play", "organize", "webhooks", "account"}
    client.close()


@pytest.mark.parametrize("name", ["ab", "A1", "0-", "9_x", "x" * 24, "a-b_c", "Meg", "bots", "administrator"])
def test_a_name_may_be(anybody: Client, name: str) -> None:
    assert register(anybody, name).status == 201


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a",
        "a" * 25,
        "a" * 10000,
        "_ab",
        "-ab",
        "a b",
        " ab",
        "ab ",
        "ab\t",
        "ab\n",
        "\nab",
        "a\x00b",
        "a.b",
        "a@b",
        "<b>",
        "a'b",
        "é1",
        "ab́",
        "\uff41\uff42",
        "\u0430dam",
        "a\u202eb",
        "a\u200bb",
        "٣٣",
        "\uff21\uff22",
        "ß1",
        "ab💥",
        "me",
        "Me",
        "ME",
        "admin",
        "ADMIN",
        "Bot",
        "deleted",
        "DeLeTeD",
    ],
)
def test_a_name_may_not_be(service: LocalService, anybody: Client, ann: Client, name: str) -> None:
    with nothing_stored(service):
        for reply in (register(anybody, name), ann.call("PATCH", "/v1/me", {"name": name})):
            (error,) = problem(reply, 422, "invalid-request")["errors"]
            assert error["loc"] == ["name"]


def test_a_name_is_taken_in_any_case(service: LocalService, anybody: Client, ann: Client) -> None:
    name = a_name()
    register(anybody, name)
    with nothing_stored(service):
        for again in (name, name.upper(), name.lower()):
            problem(register(anybody, again), 409, "name-taken")
            problem(ann.call("PATCH", "/v1/me", {"name": again}), 409, "name-taken")


def test_a_name_is_never_released_and_its_holder_may_come_back_to_it(anybody: Client, ann: Client) -> None:
    first, second = a_name(), a_name()
    for name in (first, second):
        assert ann.ok("PATCH", "/v1/me", {"name": name})["name"] == name
    problem(register(anybody, first.upper()), 409, "name-taken")
    problem(anybody.call("GET", "/v1/players", query={"name": first}), 404, "not-found")
    assert anybody.ok("GET", "/v1/players", query={"name": second.lower()})["id"] == me(ann)
    assert ann.ok("PATCH", "/v1/me", {"name": first.upper()})["name"] == first.upper()
    assert ann.ok("GET", "/v1/me")["name"] == first.upper()
    problem(register(anybody, second), 409, "name-taken")


def test_a_player_may_change_the_case_of_their_name_and_keep_it_as_it_is(ann: Client) -> None:
    name = ann.ok("GET", "/v1/me")["name"]
    for again in (name.upper(), name.upper()):
        assert ann.ok("PATCH", "/v1/me", {"name": again})["name"] == again


def test_a_match_shows_the_names_of_when_its_players_sat_down(ann: Client, bob: Client) -> None:
    before = ann.ok("GET", "/v1/me")["name"]
    match = table(ann, bob)
    after = ann.ok("PATCH", "/v1/me", {"name": a_name()})["name"]
    assert read(bob, match)["seats"][0]["player"] == {"id": me(ann), "name": before}
    later = table(ann, bob)
    assert read(bob, later)["seats"][0]["player"]["name"] == after


def test_registering_twice_without_a_key_or_with_a_short_one_is_no_replay(anybody: Client) -> None:
    for key in (None, LONG_KEY[:21]):
        name = a_name()
        assert register(anybody, name, key).status == 201
        problem(register(anybody, name, key), 409, "name-taken")
        # A short key is not kept: it says nothing of another body either.
        assert register(anybody, a_name(), key).status == 201


def test_a_long_key_shows_the_same_secrets_again_for_ten_minutes(service: LocalService, anybody: Client) -> None:
    name, key = a_name(), LONG_KEY
    first = register(anybody, name, key)
    assert "idempotency-replayed" not in first.headers
    service.advance(599)
    again = register(anybody, name, key)
    assert (again.status, again.body) == (201, first.body)
    assert again.headers["idempotency-replayed"] == "true"
    problem(register(anybody, a_name(), key), 422, "key-reused")
    assert works(service, first.body["token"])
    service.advance(2)
    with nothing_stored(service):
        problem(register(anybody, name, key), 409, "name-taken")


def test_recovering_gives_a_new_token_and_a_new_code_and_ends_the_old_ones(
    service: LocalService, anybody: Client
) -> None:
    name = a_name()
    welcome = register(anybody, name).body
    client = Client(service.url, welcome["token"])
    more = client.ok("POST", "/v1/me/tokens", {"scopes": ["read"], "label": "phone"})["token"]
    client.close()
    back = at(recover(anybody, name.upper(), welcome["recovery_code"]))
    assert back["player"] == welcome["player"]
    assert back["token"] != welcome["token"]
    assert back["recovery_code"] != welcome["recovery_code"]
    assert works(service, back["token"])
    assert not works(service, welcome["token"])
    assert not works(service, more)
    problem(recover(anybody, name, welcome["recovery_code"]), 401, "unauthenticated")
    assert recover(anybody, name, back["recovery_code"]).status == 200


def test_who_has_had_many_tokens_can_recover_all_the_same(service: LocalService, anybody: Client) -> None:
    name = a_name()
    welcome = register(anybody, name).body
    client = Client(service.url, welcome["token"])
    for _ in range(4):
        for _ in range(18):
            client.ok("POST", "/v1/me/tokens", {"scopes": ["read"], "label": "x", "expires_in": 60})
        service.advance(60)
    client.close()
    back = at(recover(anybody, name, welcome["recovery_code"]))
    client = Client(service.url, back["token"])
    assert len(client.ok("GET", "/v1/me/tokens")["items"]) == 1
    client.close()


def test_a_wrong_code_and_an_unknown_name_are_answered_alike(service: LocalService, anybody: Client) -> None:
    name = a_name()
    welcome = register(anybody, name).body
    with nothing_stored(service):
        wrong = recover(anybody, name, "0" * 32)
        unknown = recover(anybody, a_name(), welcome["recovery_code"])
        impossible = recover(anybody, "no name", welcome["recovery_code"])
    for reply in (wrong, unknown, impossible):
        problem(reply, 401, "unauthenticated")
        assert less_moment(reply.body) == less_moment(wrong.body)
        assert set(reply.headers) == set(wrong.headers)
    assert works(service, welcome["token"])


def test_recovering_with_a_long_key_may_be_replayed_for_ten_minutes(service: LocalService, anybody: Client) -> None:
    name, key = a_name(), f"{LONG_KEY}-recover"
    code = register(anybody, name).body["recovery_code"]
    first = recover(anybody, name, code, key)
    again = recover(anybody, name, code, key)
    assert again.body == first.body
    assert again.headers["idempotency-replayed"] == "true"
    assert works(service, first.body["token"])
    problem(recover(anybody, name, first.body["recovery_code"], key), 422, "key-reused")
    service.advance(601)
    problem(recover(anybody, name, code, key), 401, "unauthenticated")


def test_recovering_with_a_short_key_is_done_once(anybody: Client) -> None:
    name, key = a_name(), LONG_KEY[:21]
    code = register(anybody, name).body["recovery_code"]
    assert recover(anybody, name, code, key).status == 200
    problem(recover(anybody, name, code, key), 401, "unauthenticated")


def test_the_same_key_of_another_route_is_another_key(anybody: Client) -> None:
    name, key = a_name(), f"{LONG_KEY}-both"
    code = register(anybody, name, key).body["recovery_code"]
    assert "idempotency-replayed" not in recover(anybody, name, code, key).headers


def test_a_profile_is_public(anybody: Client, ann: Client) -> None:
    mine = ann.ok("GET", "/v1/me")
    shown = anybody.ok("GET", f"/v1/players/{mine['id']}")
    assert {name: shown[name] for name in ("id", "name", "created_at", "ratings")} == mine
    assert shown["recent_matches"] == []
    assert anybody.ok("GET", "/v1/players", query={"name": mine["name"].upper()}) == shown


def test_a_profile_shows_finished_matches_to_whom_may_see_them(
    service: LocalService, anybody: Client, ann: Client, bob: Client
) -> None:
    public = table(ann, bob)
    private = table(ann, bob, visibility="private", invite=[me(bob)])
    table(ann, bob)
    for match in (public, private):
        assert play_out((ann, bob), match)["status"] == "finished"
        service.advance(1)
    recent = {caller: caller.ok("GET", f"/v1/players/{me(ann)}")["recent_matches"] for caller in (anybody, bob)}
    assert [head["id"] for head in recent[anybody]] == [public]
    assert [head["id"] for head in recent[bob]] == [private, public]
    assert not any({"view", "last_events", "deal"} & set(head) for head in recent[bob])


@pytest.mark.parametrize("player", ["ply_00000000000000000000000000", "ply_", "me", "x", "bot-1", "mat_" + "0" * 26])
def test_an_unknown_player_is_not_found(anybody: Client, player: str) -> None:
    problem(anybody.call("GET", f"/v1/players/{player}"), 404, "not-found")


@pytest.mark.parametrize("name", ["", "nobody-of-that-name", "a b", "x" * 2000, "\u0000", "é"])
def test_a_name_that_nobody_has_is_not_found(anybody: Client, name: str) -> None:
    problem(anybody.call("GET", "/v1/players", query={"name": name}), 404, "not-found")


def test_finding_a_player_needs_a_name(anybody: Client) -> None:
    problem(anybody.call("GET", "/v1/players"), 400, "invalid-request")


def test_the_own_profile_needs_a_token(anybody: Client) -> None:
    for method, body in (("GET", None), ("PATCH", {"name": a_name()})):
        reply = anybody.call(method, "/v1/me", body)
        problem(reply, 401, "unauthenticated")
        assert reply.headers["www-authenticate"] == "Bearer"
