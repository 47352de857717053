"""Refusals as problems, and the paths and methods that there are not (api.md, "errors", "unknown", "CORS")."""

import logging
from typing import Any

import pytest

from functions.shared.log import logger
from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.playing import create

UNKNOWN = "mat_" + "0" * 26
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def described(client: Client) -> dict[str, set[str]]:
    """The methods of each path, as openapi.json has them."""
    paths = client.ok("GET", "/openapi.json")["paths"]
    return {path: {method.upper() for method in methods} for path, methods in paths.items()}


def options(client: Client, path: str) -> Reply:
    headers = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "POST"}
    return client.call("OPTIONS", path, headers=headers)


@pytest.mark.parametrize("method", [*METHODS, "TRACE", "PROPFIND"])
@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1",
        "/v1/",
        "/v2/matches",
        "/v1/match",
        "/v1/matches/",
        "/v1/matches/x/",
        "/v1/matches//join",
        "//v1/matches",
        f"/v1/matches/{UNKNOWN}/nothing",
        "/v1/matches/a/b/c",
        "/v1/%6Datches%2F",
        "/robots.txt",
        "/v1/ME",
        "/v1/me/",
        "/v1/matches/..%2f..%2fme",
        "/%00",
        "/openapi.json/x",
        "/_local/nothing",
        "/v1/players/x/y",
    ],
)
def test_a_path_that_is_not_there_is_a_problem(
    service: LocalService, ann: Client, anybody: Client, method: str, path: str
) -> None:
    for client in (ann, anybody):
        with nothing_stored(service):
            reply = client.call(method, path, {} if method in ("POST", "PUT", "PATCH") else None)
        problem(reply, 404, "not-found")
        assert "allow" not in reply.headers


def test_a_method_that_a_path_has_not_is_told_with_those_that_it_has(service: LocalService, ann: Client) -> None:
    create(ann)
    paths = described(ann)
    assert len(paths) > 15
    for path, allowed in paths.items():
        target = path.replace("{", "some-").replace("}", "")
        for method in (*METHODS, "TRACE"):
            if method in allowed or path == "/v1/players/recover":
                continue
            with nothing_stored(service):
                reply = ann.call(method, target, {} if method != "GET" else None)
            problem(reply, 405, "method-not-allowed")
            assert set(reply.headers["allow"].split(", ")) == allowed, path


def test_a_fixed_path_has_the_methods_of_the_variable_one_that_fits_it_too(anybody: Client) -> None:
    problem(anybody.call("GET", "/v1/players/recover"), 404, "not-found")  # a player by that id
    reply = anybody.call("DELETE", "/v1/players/recover")
    problem(reply, 405, "method-not-allowed")
    assert set(reply.headers["allow"].split(", ")) == {"GET", "POST"}


def test_head_is_no_method_here(anybody: Client) -> None:
    reply = anybody.call("HEAD", "/v1/games")
    assert (reply.status, reply.body, reply.headers["allow"]) == (405, None, "GET")


@pytest.mark.parametrize("path", ["/v1/matches", "/v1/me", "/v1/nothing", "/", f"/v1/matches/{UNKNOWN}"])
def test_a_browser_that_asks_first_may_send_anything_from_anywhere(anybody: Client, path: str) -> None:
    reply = options(anybody, path)
    assert (reply.status, reply.body) == (204, None)
    assert reply.headers["access-control-allow-origin"] == "*"
    assert set(METHODS) <= set(reply.headers["access-control-allow-methods"].split(","))
    assert "authorization" in reply.headers["access-control-allow-headers"]


def test_a_page_from_elsewhere_may_read_what_it_needs(anybody: Client) -> None:
    for path in ("/v1/games", "/v1/games/none"):
        headers = anybody.call("GET", path, headers={"Origin": "https://elsewhere.example"}).headers
        assert headers["access-control-allow-origin"] == "*"
        exposed = {name.strip().lower() for name in headers["access-control-expose-headers"].split(",")}
        assert exposed >= {"etag", "location", "retry-after", "ratelimit", "idempotency-replayed"}


@pytest.mark.parametrize("accept", ["text/html", "*/*", "application/xml", ""])
def test_no_browser_gets_html_for_a_problem(anybody: Client, accept: str) -> None:
    for method, path in (("GET", "/nothing"), ("DELETE", "/v1/games"), ("GET", "/v1/me"), ("GET", "/v1/games/x")):
        reply = anybody.call(method, path, headers={"Accept": accept})
        assert problem(reply, reply.status, reply.body["code"])


def test_a_problem_of_a_body_says_where_it_is_wrong(ann: Client, anybody: Client) -> None:
    cases: list[tuple[str, Any, list[str]]] = [
        ("/v1/matches", {}, ["game"]),
        ("/v1/matches", {"game": "misfortune", "surplus": 1}, ["surplus"]),
        ("/v1/matches", {"game": 5}, ["game"]),
        ("/v1/matches", {"game": "misfortune", "rating_range": [1, "2"]}, ["rating_range", "1"]),
        ("/v1/matches", {"game": "misfortune", "options": {"ace": "up"}}, ["options", "ace"]),
        ("/v1/matches", {"game": "misfortune", "clock": {"kind": "x"}}, ["clock", "kind"]),
        ("/v1/me/tokens", {"scopes": ["read", "x"], "label": "x"}, ["scopes", "1"]),
        (f"/v1/matches/{create(ann)}/actions", {"turn": 1, "action": []}, ["action"]),
        (f"/v1/matches/{create(ann)}/actions", {"turn": 1}, ["action"]),
    ]
    for path, body, loc in cases:
        (error,) = problem(ann.call("POST", path, body), 422, "invalid-request")["errors"]
        assert error["loc"] == loc
    (error,) = problem(anybody.call("POST", "/v1/players", {"name": "x"}), 422, "invalid-request")["errors"]
    assert error["loc"] == ["name"]


def test_a_fault_of_the_service_says_nothing_of_its_inside(
    anybody: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("the secret is 12345")

    monkeypatch.setattr("functions.games.handler._shown", broken)
    caplog.set_level(logging.ERROR, logger=logger.name)
    reply = anybody.call("GET", "/v1/games")
    body = problem(reply, 500, "internal")
    assert "12345" not in str(reply)
    assert "RuntimeError" not in str(reply)
    assert set(body) == {"type", "title", "status", "detail", "code", "request_id"}
    assert "12345" in caplog.text
