"""Private matches: who may see them, and who gets in (api.md, "Matches", "unknown")."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.checks import less_moment, problem
from tests.service.playing import at, create, me, play_out, read

UNKNOWN = "mat_" + "0" * 26
HOUR = 3600


def join(client: Client, match: str, code: Any = None) -> Reply:
    return client.call("POST", f"/v1/matches/{match}/join", {} if code is None else {"join_code": code})


@pytest.fixture
def match(ann: Client, bob: Client) -> str:
    """A private match of Liar's Poker with ann at it, bob invited, and two more seats free."""
    return create(ann, "liars-poker", seats=3, visibility="private", invite=[me(bob)])


def requests(match: str) -> Iterator[tuple[str, str, Any]]:
    path = f"/v1/matches/{match}"
    yield "GET", path, None
    yield "GET", f"{path}/legal-actions", None
    yield "GET", f"{path}/log", None
    yield "GET", f"{path}/log?after=x&limit=0&cursor=x", None
    yield "GET", f"{path}/odds?digit=1&count=1", None
    yield "GET", f"{path}/odds", None
    yield "POST", f"{path}/leave", None
    yield "POST", f"{path}/start", None
    yield "POST", f"{path}/start", b"{"
    yield "PUT", f"{path}/nonce", {"nonce": "00"}
    yield "PUT", f"{path}/nonce", {"nonce": 1}
    yield "POST", f"{path}/actions", {"turn": 1, "action": {"type": "challenge"}}
    yield "POST", f"{path}/actions", {"action": {"type": "resign"}}
    yield "POST", f"{path}/actions", b"[" * 20_000
    yield "POST", f"{path}/join", None
    yield "POST", f"{path}/join", {}
    yield "POST", f"{path}/join", {"join_code": "0" * 16}
    yield "POST", f"{path}/join", {"join_code": None}
    yield "POST", f"{path}/join", {"join_code": 1}
    yield "POST", f"{path}/join", {"join_code": "0" * 65}
    yield "POST", f"{path}/join", {"nonce": "xyz"}
    yield "POST", f"{path}/join", b'{"join_code": "0", "join_code": "0"}'
    yield "POST", f"{path}/join", b" " * 20_000


def test_what_is_private_is_to_others_as_if_it_were_not_there(anybody: Client, match: str, cyd: Client) -> None:
    for caller in (anybody, cyd):
        for hidden, missing in zip(requests(match), requests(UNKNOWN), strict=True):
            found, unknown = caller.call(*hidden), caller.call(*missing)
            assert found.status == unknown.status, hidden
            assert less_moment(found.body) == less_moment(unknown.body), hidden
            assert found.status in ((401, 404) if caller is anybody else (404,)), hidden
            same = ("date", "apigw-requestid")
            assert {name: found.headers[name] for name in found.headers if name not in same} == {
                name: unknown.headers[name] for name in unknown.headers if name not in same
            }


def test_no_list_shows_it_to_others(anybody: Client, ann: Client, bob: Client, cyd: Client, match: str) -> None:
    for caller in (anybody, cyd):
        for query in ("", "?joinable=true", f"?player={me(ann)}", "?status=open&game=liars-poker"):
            assert match not in [head["id"] for head in caller.ok("GET", f"/v1/matches{query}")["items"]]
    assert match in [head["id"] for head in bob.ok("GET", f"/v1/matches?player={me(ann)}")["items"]]
    assert match in [head["id"] for head in bob.ok("GET", "/v1/matches?joinable=true")["items"]]


def test_its_code_is_shown_to_who_has_a_seat_only(ann: Client, bob: Client, cyd: Client, match: str) -> None:
    code = read(ann, match)["join_code"]
    assert re.fullmatch("[0-9A-HJKMNP-TV-Z]{10,}", code)
    seen = read(bob, match)
    assert (seen["join_code"], seen["you"]) == (None, None)
    (head,) = [head for head in bob.ok("GET", "/v1/matches?joinable=true")["items"] if head["id"] == match]
    assert head["join_code"] is None
    assert at(join(cyd, match, code))["join_code"] == code
    assert cyd.ok("GET", "/v1/matches?mine=true")["items"][0]["join_code"] == code
    at(cyd.call("POST", f"/v1/matches/{match}/leave"))
    problem(cyd.call("GET", f"/v1/matches/{match}"), 404, "not-found")


def test_who_was_invited_needs_no_code(bob: Client, match: str) -> None:
    assert at(join(bob, match))["you"]["seat"] == 1


def test_the_code_is_taken_in_any_case(ann: Client, cyd: Client, match: str) -> None:
    assert join(cyd, match, read(ann, match)["join_code"].lower()).status == 200


def test_public_matches_have_no_code(ann: Client, cyd: Client) -> None:
    match = create(ann)
    assert read(ann, match)["join_code"] is None
    assert join(cyd, match, "whatever").status == 200


def test_a_code_may_be_tried_ten_times_an_hour(
    service: LocalService, ann: Client, cyd: Client, new_player: Callable[[], Client], match: str
) -> None:
    code = read(ann, match)["join_code"]
    for _ in range(10):
        problem(join(cyd, match, "0" * 16), 404, "not-found")
    for target, tried in ((match, "0" * 16), (match, code), (UNKNOWN, code)):
        reply = join(cyd, target, tried)
        problem(reply, 429, "rate-limited")
        wait = int(reply.headers["retry-after"])
        assert 1 <= wait <= HOUR
        assert reply.headers["ratelimit"] == f'"join-codes";r=0;t={wait}'
        assert reply.headers["ratelimit-policy"] == '"join-codes";q=10;w=3600'
    # Neither other players nor requests without a code are concerned.
    problem(join(cyd, match), 404, "not-found")
    assert join(new_player(), match, code).status == 200
    service.advance(wait)
    assert join(cyd, match, code).status == 200


def test_trying_what_is_not_there_counts_as_well(ann: Client, cyd: Client, match: str) -> None:
    for target in [UNKNOWN, "nonsense"] * 5:
        problem(join(cyd, target, "0" * 16), 404, "not-found")
    problem(join(cyd, match, read(ann, match)["join_code"]), 429, "rate-limited")


def test_it_stays_private_when_it_is_over(anybody: Client, ann: Client, bob: Client, cyd: Client, match: str) -> None:
    at(join(bob, match))
    at(join(cyd, match, read(ann, match)["join_code"]))
    assert play_out((ann, bob, cyd), match)["status"] == "finished"
    problem(anybody.call("GET", f"/v1/matches/{match}"), 404, "not-found")
    assert read(cyd, match)["result"]["reason"] == "played"
    public = anybody.ok("GET", "/v1/matches?status=finished")["items"]
    assert match not in [head["id"] for head in public]
