"""Anything at all, on every route: no 5xx, each refusal a problem, each status one that openapi.json declares."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import problem
from tests.service.playing import act, create, me, table

REQUESTS = 600
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
HEADER_TEXT = st.text(st.characters(min_codepoint=0x21, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=30)
HEADER_TEXT = HEADER_TEXT.map(lambda text: re.sub(r"[\x7f-\x9f]", "", text))
NUMBERS = st.sampled_from([0, 1, 2, 3, -1, 7, 60, 2**31, 2**53, 2**63 - 1, 2**64, 1.0, 0.5, 1e300, True, False])
WORDS = ["misfortune", "liars-poker", "half-deck-poker", "micro-poker", "public", "private", "read", "play", "account"]
WORDS += [
    "open",
    "active",
    "finished",
    "aborted",
    "true",
    "false",
    "resign",
    "play",
    "bid",
    "raise",
    "higher",
    "7c",
    "",
    "00",
]
WORDS += ["per-move", "forfeit", "A name", "aname", "x" * 100]


class World(NamedTuple):
    """What random requests are made of."""

    url: str
    operations: list[tuple[str, str, Any]]
    """Method, path, and what openapi.json says of it."""
    fields: list[str]
    tokens: list[str]
    ids: dict[str, list[str]]


@pytest.fixture(scope="module")
def world(service: LocalService) -> Iterator[World]:
    clients = [Client(service.url) for _ in range(3)]
    for number, client in enumerate(clients):
        client.token = client.ok("POST", "/v1/players", {"name": f"fuzz-{number}"})["token"]
    ann, bob, cyd = clients
    over = table(ann, bob)
    act(ann, over, {"type": "resign"})
    matches = [
        over,
        create(ann),
        create(bob, "liars-poker", seats=4),
        create(cyd, visibility="private"),
        table(ann, bob),
    ]
    matches += [table(bob, ann, game="liars-poker", rated=False), table(ann, cyd, game="half-deck-poker")]
    matches += [create(ann, "micro-poker", bots=2)]
    made = [
        ann.ok("POST", "/v1/me/tokens", {"scopes": [s], "label": s}) for s in ("read", "play", "account", "webhooks")
    ]
    spare = ann.ok("POST", "/v1/me/tokens", {"scopes": ["read"], "label": "to be revoked"})["id"]
    document = ann.ok("GET", "/openapi.json")
    operations = [
        (method.upper(), path, one) for path, methods in document["paths"].items() for method, one in methods.items()
    ]
    schemas = document["components"]["schemas"].values()
    fields = sorted({name for schema in schemas for name in schema.get("properties", {})})
    ids = {"match": matches, "player": [me(client) for client in clients], "token": [spare], "game": WORDS[:4]}
    tokens = [*(str(client.token) for client in clients), *(token["token"] for token in made)]
    yield World(service.url, operations, fields, tokens, ids)
    for client in clients:
        client.close()


def values(world: World) -> st.SearchStrategy[Any]:
    known = [*WORDS, *world.ids["match"], *world.ids["player"]]
    leaves = st.none() | NUMBERS | TEXT | st.sampled_from(known)
    names = (
        st.sampled_from([*world.fields, "type", "card", "claim", "count", "digit", "chips", "kind", "seconds"]) | TEXT
    )
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4), max_leaves=6
    )


def bodies(world: World, operation: Any) -> st.SearchStrategy[Any]:
    """Something that may do, mostly; and what can't."""
    value = values(world)
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    known = {
        "NewMatch": {"game": st.sampled_from(WORDS[:4])},
        "NewPlayer": {"name": st.from_regex(r"\A[a-z0-9][a-z0-9_-]{1,9}\Z")},
        "NewToken": {"scopes": st.just(["read"]), "label": TEXT},
        "Act": {"action": st.just({"type": "resign"}) | value, "turn": st.sampled_from([0, 1, 2, 3])},
        "OwnNonce": {"nonce": st.sampled_from(["", "00", "zz"])},
        "Recovery": {"name": st.sampled_from(["fuzz-0", "x"]), "recovery_code": TEXT},
        "Join": {},
        "Nothing": {},
    }
    proper = st.fixed_dictionaries(known.get(schema.get("$ref", "").rpartition("/")[2], {}))
    more = st.dictionaries(st.sampled_from(world.fields) | TEXT, value, max_size=2)
    mixed = st.builds(lambda one, other: {**one, **other}, proper, more)
    return st.one_of(proper, proper, proper, mixed, value, st.none(), st.binary(max_size=40), st.just(b" " * 20_000))


@st.composite
def requests(draw: st.DrawFn, world: World) -> tuple[str, str, str | None, Any, dict[str, str], Any]:
    seldom = st.integers(0, 15).map(lambda number: number == 5)  # the ends are what Hypothesis likes best
    method, path, operation = draw(st.sampled_from(world.operations))
    target = path
    for name in re.findall(r"{(\w+)}", path):
        known = world.ids.get(name, []) * 4 + world.ids["match"][:1]
        chosen = draw(TEXT.filter(bool) if draw(seldom) else st.sampled_from(known))
        target = target.replace(f"{{{name}}}", quote(chosen, safe=""))
    described: Any = operation
    if draw(seldom):
        method, described = draw(st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"])), None
    if draw(seldom):
        target, described = "/" + quote(draw(TEXT), safe="/%"), None
    declared = [one["name"] for one in operation["parameters"] if one["in"] == "query"]
    names = st.sampled_from([*declared, "x"])
    query = draw(
        st.lists(st.tuples(names, st.sampled_from([*WORDS, *world.ids["player"], "1", "0", "50"]) | TEXT), max_size=3)
    )
    if query:
        target += "?" + urlencode(query)
    headers = {}
    if draw(st.booleans()):
        headers["Idempotency-Key"] = draw(HEADER_TEXT if draw(seldom) else st.sampled_from(["a", "b", "k" * 30]))
    if draw(seldom):
        headers["If-None-Match"] = draw(st.just("*") | HEADER_TEXT)
    if draw(seldom):
        headers["Content-Type"] = draw(HEADER_TEXT)
    token = draw(
        st.sampled_from([*world.tokens[:3] * 4, *world.tokens, None, "bh_nobodys", "é", *world.tokens[:3] * 4])
    )
    return method, target, token, draw(bodies(world, operation)), headers, described


def test_whatever_is_sent_the_answer_is_one_that_is_described(world: World) -> None:
    client, seen = Client(world.url), Counter[int]()

    @settings(max_examples=REQUESTS, derandomize=True, deadline=None, database=None)
    @given(requests(world))
    def ask(request: Any) -> None:
        method, target, client.token, body, headers, described = request
        reply = client.call(method, target, body, headers=headers)
        seen[reply.status] += 1
        assert reply.status < 500, reply
        if reply.status >= 400 and method != "HEAD":
            problem(reply, reply.status, reply.body["code"])
        if described is not None:
            assert str(reply.status) in described["responses"], (method, target, reply)
        elif reply.status < 300:
            assert method in ("GET", "POST", "PUT", "PATCH", "DELETE")

    ask()
    client.close()
    # It is no good if it only ever knocks at the door.
    assert set(seen) >= {200, 400, 401, 403, 404, 409, 413, 422}
    assert seen[401] + seen[404] < REQUESTS / 2
