"""What is checked first wins (api.md, "order"): requests that are wrong in several ways at once.

Each row names who asks (`ann`, whose matches they are; `eve`, a stranger; `-read`, a token with that scope only;
`fake`, nobody's token), for what, and with which body: `huge` is too large, no JSON and of the wrong type; `junk` is no
JSON; `twice` has a name twice and the wrong types; `text` has the wrong content type and the wrong shape; `wrong` is
JSON of the wrong shape. `used` is a key that came before with another body, `bad` one that can't be.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.playing import at, create, lay, table

UNKNOWN = "mat_" + "0" * 26
BODIES = {
    "huge": (b"<" * 16_385, "text/html"),
    "junk": (b"{", "application/json"),
    "twice": (b'{"turn": "x", "turn": [], "nonce": 1, "name": 1}', "application/json"),
    "text": (b'{"surplus": 1}', "text/plain"),
    "wrong": (b'{"surplus": 1}', "application/json"),
}
KEYS = {"used": "a-key", "bad": "\u00e9"}


class World:
    """Matches in every state, and callers of every kind."""

    def __init__(self, service: LocalService) -> None:
        self.service = service
        ann, bob, eve, ben = (self.register(f"order-{who}") for who in ("ann", "bob", "eve", "ben"))
        self.callers = {
            "ann": ann,
            "bob": bob,
            "eve": eve,
            "ben": ben,
            "fake": Client(service.url, "bh_fake"),
            "nobody": Client(service.url),
        }
        for scope in ("read", "play", "account"):
            made = ann.ok("POST", "/v1/me/tokens", {"scopes": [scope], "label": scope})["token"]
            self.callers[f"ann-{scope}"] = Client(service.url, made)
        self.matches = {
            "unknown": UNKNOWN,
            "private": create(bob, visibility="private"),
            "open": create(ann, "liars-poker", seats=4, rated=False),
            "narrow": create(ann, "liars-poker", seats=3, rating_range=[2000, 3000]),
            "full": table(bob, eve),
            "active": table(ann, bob),
            "sealed": table(ann, bob),
            "over": table(ann, bob),
            "rated": table(ann, bob, game="liars-poker"),
            "odds": table(ann, bob, game="liars-poker", rated=False),
        }
        for match in ("active", "sealed", "over"):
            at(lay(bob, self.matches[match], "7", "higher", 1))
            at(lay(ann, self.matches[match], "7", "higher", 1, key="a-key"))
        at(lay(ann, self.matches["sealed"], "8", "higher", 2))
        at(ann.call("POST", f"/v1/matches/{self.matches['over']}/actions", {"action": {"type": "resign"}}))
        at(bob.call("POST", f"/v1/matches/{self.matches['open']}/join", {"nonce": "aa"}, key="a-key"))
        at(bob.call("POST", "/v1/matches", {"game": "misfortune"}, key="a-key"))
        at(ann.call("POST", "/v1/me/tokens", {"scopes": ["read"], "label": "x"}, key="a-key"))
        while (made := bob.call("POST", "/v1/matches", {"game": "misfortune"})).status == 201:
            pass
        problem(made, 409, "limit-reached")

    def register(self, name: str) -> Client:
        client = Client(self.service.url)
        client.token = client.ok("POST", "/v1/players", {"name": name})["token"]
        return client


@pytest.fixture(scope="module")
def world(service: LocalService) -> Iterator[World]:
    made = World(service)
    yield made
    for client in made.callers.values():
        client.close()


def play(card: str, turn: Any = 2) -> Any:
    return {"turn": turn, "action": {"type": "play", "card": card, "claim": "higher"}}


ILLEGAL = {"type": "play", "card": "Zz", "claim": "maybe"}

# method, path, caller, body, key, status, code
ROWS: list[tuple[str, str, str, Any, str, int, str]] = [
    ("POST", "/v1/matches/{unknown}/actions", "fake", "huge", "bad", 401, "unauthenticated"),
    ("POST", "/v1/matches/{unknown}/actions", "nobody", "huge", "bad", 401, "unauthenticated"),
    ("POST", "/v1/matches/{unknown}/actions", "ann-read", "huge", "bad", 404, "not-found"),
    ("POST", "/v1/matches/{private}/actions", "ann-read", "huge", "bad", 404, "not-found"),
    ("POST", "/v1/matches/{over}/actions", "ann-read", "huge", "bad", 403, "forbidden"),
    ("POST", "/v1/matches/{over}/actions", "eve", "huge", "bad", 403, "forbidden"),
    ("POST", "/v1/matches/{over}/actions", "ann", "huge", "bad", 413, "too-large"),
    ("POST", "/v1/matches/{over}/actions", "ann", "junk", "bad", 400, "invalid-request"),
    ("POST", "/v1/matches/{over}/actions", "ann", "twice", "used", 400, "invalid-request"),
    ("POST", "/v1/matches/{over}/actions", "ann", "text", "used", 400, "invalid-request"),
    ("POST", "/v1/matches/{over}/actions", "ann", "wrong", "used", 422, "invalid-request"),
    ("POST", "/v1/matches/{over}/actions", "ann", play("8c"), "bad", 400, "invalid-request"),
    ("POST", "/v1/matches/{over}/actions", "ann", play("8c"), "used", 422, "key-reused"),
    ("POST", "/v1/matches/{active}/actions", "ann", play("Zz", 9), "used", 422, "key-reused"),
    ("POST", "/v1/matches/{open}/actions", "ann", {"turn": 9, "action": ILLEGAL}, "", 409, "match-not-open"),
    ("POST", "/v1/matches/{over}/actions", "ann", {"turn": 9, "action": ILLEGAL}, "", 409, "match-over"),
    ("POST", "/v1/matches/{over}/actions", "ann", {"action": {"type": "resign", "x": 1}}, "", 409, "match-over"),
    ("POST", "/v1/matches/{open}/actions", "ann", {"action": {"type": "resign", "x": 1}}, "", 409, "match-not-open"),
    ("POST", "/v1/matches/{sealed}/actions", "ann", {"turn": 1, "action": ILLEGAL}, "", 409, "stale-turn"),
    ("POST", "/v1/matches/{sealed}/actions", "ann", {"turn": 3, "action": ILLEGAL}, "", 409, "stale-turn"),
    ("POST", "/v1/matches/{sealed}/actions", "ann", {"turn": 2, "action": ILLEGAL}, "", 409, "not-your-turn"),
    ("POST", "/v1/matches/{active}/actions", "ann", {"turn": 2, "action": ILLEGAL}, "", 422, "illegal-action"),
    ("POST", "/v1/matches", "fake", "huge", "bad", 401, "unauthenticated"),
    ("POST", "/v1/matches", "ann-read", "huge", "bad", 403, "forbidden"),
    ("POST", "/v1/matches", "bob", "huge", "bad", 413, "too-large"),
    ("POST", "/v1/matches", "bob", "twice", "bad", 400, "invalid-request"),
    ("POST", "/v1/matches", "bob", "wrong", "used", 422, "invalid-request"),
    ("POST", "/v1/matches", "bob", {"game": "poker"}, "used", 422, "invalid-request"),
    ("POST", "/v1/matches", "bob", {"game": "liars-poker"}, "used", 422, "key-reused"),
    ("POST", "/v1/matches", "bob", {"game": "liars-poker"}, "", 409, "limit-reached"),
    ("POST", "/v1/matches/{unknown}/join", "fake", "huge", "bad", 401, "unauthenticated"),
    ("POST", "/v1/matches/{unknown}/join", "ann-read", "huge", "bad", 404, "not-found"),
    ("POST", "/v1/matches/{private}/join", "ann-read", "wrong", "bad", 404, "not-found"),
    ("POST", "/v1/matches/{full}/join", "ann-read", "huge", "bad", 403, "forbidden"),
    ("POST", "/v1/matches/{narrow}/join", "eve", "huge", "bad", 403, "forbidden"),
    ("POST", "/v1/matches/{narrow}/join", "bob", "junk", "bad", 403, "forbidden"),
    ("POST", "/v1/matches/{narrow}/join", "bob", {}, "bad", 403, "forbidden"),
    ("POST", "/v1/matches/{narrow}/join", "bob", {}, "", 403, "forbidden"),
    ("POST", "/v1/matches/{full}/join", "ann", "huge", "bad", 413, "too-large"),
    ("POST", "/v1/matches/{full}/join", "ann", "junk", "bad", 400, "invalid-request"),
    ("POST", "/v1/matches/{full}/join", "ann", "wrong", "", 422, "invalid-request"),
    ("POST", "/v1/matches/{open}/join", "bob", {"nonce": "zz"}, "used", 422, "invalid-request"),
    ("POST", "/v1/matches/{open}/join", "bob", {"nonce": "bb"}, "used", 422, "key-reused"),
    ("POST", "/v1/matches/{open}/join", "bob", {"nonce": "bb"}, "", 409, "already-joined"),
    ("POST", "/v1/matches/{over}/join", "eve", {}, "", 409, "match-not-open"),
    ("POST", "/v1/matches/{full}/join", "ann", {}, "", 409, "match-full"),
    ("POST", "/v1/matches/{unknown}/leave", "fake", "huge", "bad", 401, "unauthenticated"),
    ("POST", "/v1/matches/{unknown}/leave", "ann-read", "huge", "bad", 404, "not-found"),
    ("POST", "/v1/matches/{full}/leave", "ann-read", "huge", "bad", 403, "forbidden"),
    ("POST", "/v1/matches/{full}/leave", "ann", "huge", "bad", 403, "forbidden"),
    ("POST", "/v1/matches/{full}/leave", "ann", "wrong", "", 403, "forbidden"),
    ("POST", "/v1/matches/{full}/leave", "ann", {}, "bad", 403, "forbidden"),
    ("POST", "/v1/matches/{over}/leave", "ann", "huge", "bad", 413, "too-large"),
    ("POST", "/v1/matches/{over}/leave", "ann", "junk", "bad", 400, "invalid-request"),
    ("POST", "/v1/matches/{over}/leave", "ann", "wrong", "", 422, "invalid-request"),
    ("POST", "/v1/matches/{over}/leave", "ann", {}, "", 409, "match-not-open"),
    ("POST", "/v1/matches/{open}/start", "eve", "huge", "bad", 403, "forbidden"),
    ("POST", "/v1/matches/{open}/start", "bob", "huge", "bad", 403, "forbidden"),
    ("POST", "/v1/matches/{over}/start", "bob", {}, "", 403, "forbidden"),
    ("POST", "/v1/matches/{over}/start", "ann", "huge", "bad", 413, "too-large"),
    ("POST", "/v1/matches/{over}/start", "ann", "wrong", "", 422, "invalid-request"),
    ("POST", "/v1/matches/{over}/start", "ann", {}, "", 409, "match-not-open"),
    ("POST", "/v1/matches/{narrow}/start", "ann", {}, "", 409, "conflict"),
    ("PUT", "/v1/matches/{unknown}/nonce", "fake", "huge", "", 401, "unauthenticated"),
    ("PUT", "/v1/matches/{private}/nonce", "ann-read", "huge", "", 404, "not-found"),
    ("PUT", "/v1/matches/{over}/nonce", "ann-read", "huge", "", 403, "forbidden"),
    ("PUT", "/v1/matches/{over}/nonce", "eve", "huge", "", 403, "forbidden"),
    ("PUT", "/v1/matches/{over}/nonce", "ann", "huge", "", 413, "too-large"),
    ("PUT", "/v1/matches/{over}/nonce", "ann", "twice", "", 400, "invalid-request"),
    ("PUT", "/v1/matches/{over}/nonce", "ann", {"nonce": "x"}, "", 422, "invalid-request"),
    ("PUT", "/v1/matches/{over}/nonce", "ann", {"nonce": "00"}, "", 409, "match-not-open"),
    ("POST", "/v1/me/tokens", "nobody", "huge", "bad", 401, "unauthenticated"),
    ("POST", "/v1/me/tokens", "ann-read", "huge", "bad", 403, "forbidden"),
    ("POST", "/v1/me/tokens", "ann", "huge", "bad", 413, "too-large"),
    ("POST", "/v1/me/tokens", "ann", "twice", "bad", 400, "invalid-request"),
    ("POST", "/v1/me/tokens", "ann", "wrong", "used", 422, "invalid-request"),
    ("POST", "/v1/me/tokens", "ann-account", {"scopes": ["play"], "label": "y"}, "used", 403, "forbidden"),
    ("POST", "/v1/me/tokens", "ann", {"scopes": ["play"], "label": "y"}, "used", 422, "key-reused"),
    ("DELETE", "/v1/me/tokens/nonsense", "ann-read", None, "", 403, "forbidden"),
    ("PATCH", "/v1/me", "fake", "huge", "", 401, "unauthenticated"),
    ("PATCH", "/v1/me", "ann-read", "huge", "", 403, "forbidden"),
    ("PATCH", "/v1/me", "ann", "huge", "", 413, "too-large"),
    ("PATCH", "/v1/me", "ann", "twice", "", 400, "invalid-request"),
    ("PATCH", "/v1/me", "ann", {"name": "admin"}, "", 422, "invalid-request"),
    ("PATCH", "/v1/me", "ann", {"name": "ORDER-BOB"}, "", 409, "name-taken"),
    ("POST", "/v1/players", "fake", "huge", "bad", 401, "unauthenticated"),
    ("POST", "/v1/players", "nobody", "huge", "bad", 413, "too-large"),
    ("POST", "/v1/players", "nobody", "text", "bad", 400, "invalid-request"),
    ("POST", "/v1/players", "nobody", {"name": "_"}, "", 422, "invalid-request"),
    ("GET", "/v1/matches/{unknown}/odds", "fake", None, "", 401, "unauthenticated"),
    ("GET", "/v1/matches/{odds}/odds", "nobody", None, "", 401, "unauthenticated"),
    ("GET", "/v1/matches/{private}/odds", "ann-play", None, "", 404, "not-found"),
    ("GET", "/v1/matches/{full}/odds", "ann-play", None, "", 404, "not-found"),
    ("GET", "/v1/matches/{odds}/odds", "ann-play", None, "", 403, "forbidden"),
    ("GET", "/v1/matches/{odds}/odds", "eve", None, "", 403, "forbidden"),
    ("GET", "/v1/matches/{rated}/odds", "ann", None, "", 403, "forbidden"),
    ("GET", "/v1/matches/{open}/odds?digit=1&count=99", "ann", None, "", 400, "invalid-request"),
    ("GET", "/v1/matches/{open}/odds?digit=1&count=1", "ann", None, "", 409, "match-not-open"),
    ("GET", "/v1/matches/{unknown}/log?limit=0", "fake", None, "", 401, "unauthenticated"),
    ("GET", "/v1/matches/{private}/log?limit=0&cursor=x", "ann-play", None, "", 404, "not-found"),
    ("GET", "/v1/matches/{full}/log?limit=0&cursor=x", "ann-play", None, "", 403, "forbidden"),
    ("GET", "/v1/matches/{full}/log?limit=0&cursor=x", "eve", None, "", 400, "invalid-request"),
    ("GET", "/v1/matches?mine=true&limit=0&status=x", "nobody", None, "", 401, "unauthenticated"),
    ("GET", "/v1/matches?my_turn=true&mine=x", "nobody", None, "", 401, "unauthenticated"),
    ("GET", "/v1/matches?limit=0&status=x", "ann-play", None, "", 403, "forbidden"),
    ("GET", "/v1/players/nonsense", "ann-play", None, "", 404, "not-found"),
    ("GET", "/v1/players", "ann-play", None, "", 403, "forbidden"),
    ("GET", "/v1/nothing", "fake", None, "", 401, "unauthenticated"),
    ("DELETE", "/v1/matches", "fake", "huge", "", 401, "unauthenticated"),
    ("DELETE", "/v1/matches", "ann-read", "huge", "", 405, "method-not-allowed"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join(map(str, row)))
def test_what_is_checked_first_wins(world: World, row: Any) -> None:
    method, path, caller, body, key, status, code = row
    data, content_type = BODIES[body] if isinstance(body, str) else (body, "application/json")
    headers = {"Content-Type": content_type}
    if key:
        headers["Idempotency-Key"] = KEYS[key]
    target = path.format(**world.matches)
    with nothing_stored(world.service):
        problem(world.callers[caller].call(method, target, data, headers=headers), status, code)
