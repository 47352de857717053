"""Webhooks by their routes (api.md, "Webhooks"): made, shown, ended; the secret shown once."""

import base64
from collections.abc import Iterator
from typing import Any

import pytest

from functions.shared.clock import rfc3339
from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem, stored
from tests.service.conftest import NewClient
from tests.service.moments import DAY
from tests.service.receiver import Receiver, hook, receiving, shown

HOOKS = "/v1/webhooks"
UNKNOWN = "whk_" + "0" * 26


@pytest.fixture(scope="module")
def service() -> Iterator[LocalService]:
    running = LocalService(manual_clock=True, loopback_webhooks=True)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def target() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def scoped(client: Client, *scopes: str) -> Client:
    made = client.ok("POST", "/v1/me/tokens", {"scopes": list(scopes), "label": "x"})["token"]
    return Client(client.url, made)


def test_a_webhook_is_made_shown_listed_and_ended(service: LocalService, ann: Client, target: Receiver) -> None:
    reply = ann.call("POST", HOOKS, {"url": target.url, "events": ["your-turn", "invited", "your-turn"]})
    made = reply.body
    assert reply.status == 201
    assert reply.headers["location"] == f"{HOOKS}/{made['id']}"
    assert made == {
        "id": made["id"],
        "url": target.url,
        "events": ["your-turn", "invited"],
        "status": "pending",
        "created_at": made["created_at"],
        "failures": 0,
        "last_failure": None,
        "next_try_at": None,
        "secret": made["secret"],
    }
    assert made["secret"].startswith("whsec_")
    assert len(base64.b64decode(made["secret"].removeprefix("whsec_"), validate=True)) == 32
    less_secret = {name: value for name, value in made.items() if name != "secret"}
    service.settle()
    assert shown(ann, made) == less_secret | {"status": "active"}
    service.advance(1)
    other = hook(ann, target.url + "/other")
    assert other["secret"] != made["secret"]
    service.settle()
    assert ann.ok("GET", HOOKS) == {"items": [shown(ann, made), shown(ann, other)], "next_cursor": None}
    assert ann.call("DELETE", f"{HOOKS}/{made['id']}").status == 204
    problem(ann.call("GET", f"{HOOKS}/{made['id']}"), 404, "not-found")
    problem(ann.call("DELETE", f"{HOOKS}/{made['id']}"), 404, "not-found")
    assert [one["id"] for one in ann.ok("GET", HOOKS)["items"]] == [other["id"]]


def test_the_same_request_again_shows_the_same_secret_and_makes_nothing(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    made = hook(ann, target.url, key="k")
    service.settle()
    with nothing_stored(service):
        again = ann.call("POST", HOOKS, {"events": ["*"], "url": target.url}, key="k")
    assert (again.status, again.headers["idempotency-replayed"]) == (201, "true")
    assert again.body == made | {"status": "active"}
    problem(ann.call("POST", HOOKS, {"url": target.url, "events": ["rated"]}, key="k"), 422, "key-reused")
    assert hook(ann, target.url, key="l")["secret"] != made["secret"]
    ann.ok("DELETE", f"{HOOKS}/{made['id']}")
    problem(ann.call("POST", HOOKS, {"url": target.url, "events": ["*"]}, key="k"), 404, "not-found")


def test_the_secret_is_stored_nowhere_and_shown_never_again(
    service: LocalService, ann: Client, target: Receiver
) -> None:
    secrets = [hook(ann, target.url)["secret"], hook(ann, target.url, key="k")["secret"]]
    service.settle()
    kept = str(stored(service))
    seen = str(
        [ann.call("GET", path) for path in (HOOKS, *(f"{HOOKS}/{i['id']}" for i in ann.ok("GET", HOOKS)["items"]))]
    )
    for secret in secrets:
        raw = base64.b64decode(secret.removeprefix("whsec_"))
        for text in (secret, secret.removeprefix("whsec_"), raw.hex(), base64.urlsafe_b64encode(raw).decode()):
            assert text not in kept
            assert text not in seen


def test_somebody_elses_webhook_is_not_there(ann: Client, bob: Client, target: Receiver) -> None:
    made = hook(ann, target.url)
    for path in (f"{HOOKS}/{made['id']}", f"{HOOKS}/{UNKNOWN}", f"{HOOKS}/x"):
        problem(bob.call("GET", path), 404, "not-found")
        problem(bob.call("DELETE", path), 404, "not-found")
        problem(bob.call("POST", f"{path}/replay", {"since": "2020-01-01T00:00:00Z"}), 404, "not-found")
    assert bob.ok("GET", HOOKS)["items"] == []
    assert shown(ann, made)["id"] == made["id"]


def test_webhooks_have_a_scope_of_their_own(ann: Client, anybody: Client, target: Receiver) -> None:
    made = hook(ann, target.url)
    new = {"url": target.url, "events": ["*"]}
    requests: list[tuple[str, str, Any]] = [
        ("GET", HOOKS, None),
        ("POST", HOOKS, new),
        ("GET", f"{HOOKS}/{made['id']}", None),
        ("POST", f"{HOOKS}/{made['id']}/replay", {"since": made["created_at"]}),
        ("DELETE", f"{HOOKS}/{made['id']}", None),
    ]
    lacking = scoped(ann, "read", "play", "organize", "account")
    having = scoped(ann, "webhooks")
    for method, path, body in requests:
        problem(anybody.call(method, path, body), 401, "unauthenticated")
        problem(lacking.call(method, path, body), 403, "forbidden")
    for method, path, body in requests:
        assert having.call(method, path, body).status < 300
    problem(lacking.call("GET", f"{HOOKS}/{UNKNOWN}"), 404, "not-found")
    lacking.close()
    having.close()


def test_a_player_has_at_most_ten(service: LocalService, ann: Client, target: Receiver) -> None:
    made = [hook(ann, target.url) for _ in range(10)]
    with nothing_stored(service):
        problem(ann.call("POST", HOOKS, {"url": target.url, "events": ["*"]}), 409, "limit-reached")
    ann.ok("DELETE", f"{HOOKS}/{made[3]['id']}")
    hook(ann, target.url)
    assert len(ann.ok("GET", HOOKS)["items"]) == 10


WRONG: list[tuple[Any, list[str]]] = [
    ({}, ["url"]),
    ({"url": "https://a.example/"}, ["events"]),
    ({"url": 1, "events": ["*"]}, ["url"]),
    ({"url": "", "events": ["*"]}, ["url"]),
    ({"url": "https://a.example/" + "x" * 2000, "events": ["*"]}, ["url"]),
    ({"url": "https://a.example/", "events": []}, ["events"]),
    ({"url": "https://a.example/", "events": "*"}, ["events"]),
    ({"url": "https://a.example/", "events": ["*"] * 21}, ["events"]),
    ({"url": "https://a.example/", "events": ["*", "nothing"]}, ["events", "1"]),
    ({"url": "https://a.example/", "events": ["your-turn\n"]}, ["events", "0"]),
    ({"url": "https://a.example/", "events": ["tournament-"]}, ["events", "0"]),
    ({"url": "https://a.example/", "events": ["your-*"]}, ["events", "0"]),
    ({"url": "https://a.example/", "events": ["*"], "secret": "mine"}, ["secret"]),
    ({"url": "http://a.example/", "events": ["*"]}, ["url"]),
    ({"url": "https://a.example:8443/", "events": ["*"]}, ["url"]),
    ({"url": "https://u:p@a.example/", "events": ["*"]}, ["url"]),
    ({"url": "https://10.0.0.1/", "events": ["*"]}, ["url"]),
    ({"url": "https://[::1]:443x/", "events": ["*"]}, ["url"]),
    ({"url": "http://169.254.169.254/latest/meta-data", "events": ["*"]}, ["url"]),
]


@pytest.mark.parametrize(("body", "loc"), WRONG, ids=lambda value: str(value)[:60])
def test_a_body_that_is_wrong_makes_nothing(service: LocalService, ann: Client, body: Any, loc: list[str]) -> None:
    with nothing_stored(service):
        (error,) = problem(ann.call("POST", HOOKS, body), 422, "invalid-request")["errors"]
    assert error["loc"] == loc


@pytest.mark.parametrize("found", [["10.0.0.1"], ["93.184.216.34", "::1"], [], OSError("no such name"), TimeoutError()])
def test_where_a_name_leads_is_looked_at_when_the_webhook_is_made(
    service: LocalService, ann: Client, monkeypatch: pytest.MonkeyPatch, found: Any
) -> None:
    def look_up(*_: Any) -> Any:
        if isinstance(found, OSError):
            raise found
        return found

    monkeypatch.setattr("functions.shared.delivery.targets.look_up", look_up)
    new = {"url": "https://hooks.example.com/", "events": ["*"]}
    with nothing_stored(service):
        (error,) = problem(ann.call("POST", HOOKS, new, key="k"), 422, "invalid-request")["errors"]
    assert error["loc"] == ["url"]
    monkeypatch.setattr("functions.shared.delivery.targets.look_up", lambda *_: ["93.184.216.34"])
    made = ann.ok("POST", HOOKS, new, key="k")  # a refusal leaves the key unused
    monkeypatch.setattr("functions.shared.delivery.targets.look_up", look_up)
    again = ann.call("POST", HOOKS, new, key="k")  # what was done is shown again, wherever the name leads now
    assert (again.status, again.body["secret"]) == (201, made["secret"])
    ann.ok("DELETE", f"{HOOKS}/{made['id']}")


def test_without_the_flag_this_machine_is_no_target(ann: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBHOOKS_TO_LOOPBACK", "off")
    for url in ("http://127.0.0.1:9000/", "https://127.0.0.1/", "https://localhost/", "https://[::1]/"):
        problem(ann.call("POST", HOOKS, {"url": url, "events": ["*"]}), 422, "invalid-request")


@pytest.mark.parametrize(
    "since",
    [None, "", "yesterday", "2020-01-01", "2020-01-01T00:00:00", 5, "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"],
)
def test_a_replay_begins_within_the_last_thirty_days(
    service: LocalService, ann: Client, target: Receiver, since: Any
) -> None:
    made = hook(ann, target.url)
    service.settle()
    with nothing_stored(service):
        reply = ann.call("POST", f"{HOOKS}/{made['id']}/replay", {"since": since})
        (error,) = problem(reply, 422, "invalid-request")["errors"]
    assert error["loc"] == ["since"]


def test_the_first_and_the_last_moment_of_a_replay(service: LocalService, ann: Client, target: Receiver) -> None:
    made = hook(ann, target.url)
    path, now = f"{HOOKS}/{made['id']}/replay", service.advance(0)
    with nothing_stored(service):
        for since in (now + 1, now - 30 * DAY * 1000 - 1):
            problem(ann.call("POST", path, {"since": rfc3339(since)}), 422, "invalid-request")
    for since in (now, now - 30 * DAY * 1000):
        assert ann.call("POST", path, {"since": rfc3339(since)}).status == 202
        service.settle()


def test_a_replay_with_a_key_is_carried_out_once(service: LocalService, ann: Client, target: Receiver) -> None:
    made = hook(ann, target.url)
    service.settle()
    path, body = f"{HOOKS}/{made['id']}/replay", {"since": made["created_at"]}
    first = ann.call("POST", path, body, key="k")
    service.settle()
    with nothing_stored(service):
        again = ann.call("POST", path, body, key="k")
        problem(ann.call("POST", path, {"since": "2020-01-01T00:00:00Z"}, key="k"), 422, "key-reused")
    assert (first.status, again.status) == (202, 202)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    other = hook(ann, target.url)  # the same key at another path is another request
    replied = ann.call("POST", f"{HOOKS}/{other['id']}/replay", body, key="k")
    assert (replied.status, "idempotency-replayed" in replied.headers) == (202, False)


def test_a_closed_account_has_no_webhooks(service: LocalService, new_player: NewClient, target: Receiver) -> None:
    leaver = new_player()
    target.echoes = False
    made = hook(leaver, target.url)
    service.settle()
    assert _of(service, target)
    leaver.ok("DELETE", "/v1/me")
    assert _of(service, target) == []
    service.advance(120)
    assert ("MatchesTable", f"JOB#webhook#{made['id']}", "JOB") not in stored(service)
    assert len(target.challenges) == 1


def _of(service: LocalService, target: Receiver) -> list[Any]:
    """The webhooks that lead to a target."""
    items = stored(service).items()
    return [item for (_, _, sk), item in items if sk.startswith("HOOK#") and target.url in str(item)]
