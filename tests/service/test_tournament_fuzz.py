"""Anything at all in the fields of tournaments' requests: no 5xx, each refusal a problem of the description."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import problem
from tests.service.organizing import enter, order, pairings, post, scheduled, show
from tests.service.playing import at, me
from tests.service.test_fuzz import NUMBERS, TEXT

EXAMPLES = 250
FORMATS = ["single-elimination", "double-elimination", "round-robin", "heats", "swiss"]
WORDS = [*FORMATS, "rating", "random", "manual", "misfortune", "micro-poker", "liars-poker", "UTC", "Europe/Berlin", ""]
INSTANTS = ["2026-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00+14:00", "2030-02-29T00:00:00Z"]
CLOCKS = [{"kind": "per-move", "seconds": 60}, {"kind": "none"}, {"kind": "fischer", "seconds": 60}, {"kind": 1}, {}]

LEAVES = st.none() | NUMBERS | TEXT | st.sampled_from([*WORDS, *INSTANTS, "wins", "head-to-head", "00", "zz"])
VALUES = st.recursive(
    LEAVES | st.sampled_from(CLOCKS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
REGISTRATION = ["opens_at", "closes_at", "capacity", "check_in_minutes", "rating_range", "join_code"]
MATCH = ["clock", "best_of", "seats", "replays"]
TOP = ["name", "game", "format", "starts_at", "options", "registration", "seeding", "match", "rounds"]
TOP += ["round_deadline", "third_place", "advance", "cycles", "groups", "ruleset", "tiebreaks", "unrated"]
TOP += ["repeats", "time_zone"]

CHANGES = st.dictionaries(st.sampled_from(TOP), VALUES, min_size=1, max_size=3) | st.one_of(
    st.dictionaries(st.sampled_from(REGISTRATION), VALUES, max_size=3).map(lambda given: {"registration": given}),
    st.dictionaries(st.sampled_from(MATCH), VALUES, max_size=3).map(lambda given: {"match": given}),
    st.sampled_from(FORMATS).map(lambda given: {"format": given}),
    st.sampled_from(["micro-poker", "liars-poker"]).map(lambda given: {"game": given, "format": "heats"}),
)


class World:
    """An organizer with tournaments before, in and after their time, and what openapi.json says of the routes."""

    def __init__(self, service: LocalService) -> None:
        ann, bob = (Client(service.url) for _ in range(2))
        for name, client in (("fuzz-ann", ann), ("fuzz-bob", bob)):
            client.token = client.ok("POST", "/v1/players", {"name": name})["token"]
        self.ann, self.bob = ann, bob
        running, cancelled = scheduled(ann), scheduled(ann)
        enter(running, ann, bob)
        at(post(ann, running, "start"))
        at(post(ann, cancelled, "cancel"))
        service.settle()
        self.players = [me(ann), me(bob), "me", "nobody"]
        self.tournaments = [scheduled(ann), running, cancelled]
        self.pairing = pairings(ann, running)[0]["id"]
        self.paths = ann.ok("GET", "/openapi.json")["paths"]
        self.seen = Counter[int]()

    def ask(self, client: Client, method: str, path: str, body: Any, **values: str) -> None:
        """Sends a request, and holds the answer to the description."""
        reply = client.call(method, path.format(**values), body)
        self.seen[reply.status] += 1
        assert reply.status < 500, reply
        if reply.status >= 400:
            problem(reply, reply.status, reply.body["code"])
        assert str(reply.status) in self.paths[path][method.lower()]["responses"], (method, path, reply)


@pytest.fixture(scope="module")
def world(service: LocalService) -> Iterator[World]:
    made = World(service)
    yield made
    made.ann.close()
    made.bob.close()


ONE = "/v1/tournaments/{tournament}"


def fuzz(strategy: st.SearchStrategy[Any]) -> Any:
    """A test over random requests, the same ones each time."""

    def decorate(test: Any) -> Any:
        return settings(max_examples=EXAMPLES, derandomize=True, deadline=None, database=None)(given(strategy)(test))

    return decorate


def test_whatever_is_ordered(world: World) -> None:
    @fuzz(CHANGES)
    def ask(changes: Any) -> None:
        world.ask(world.ann, "POST", "/v1/tournaments", order(**changes))

    ask()
    assert {201, 422} <= set(world.seen)


def test_whatever_is_changed(world: World) -> None:
    @fuzz(st.tuples(st.integers(0, 2), CHANGES))
    def ask(drawn: Any) -> None:
        which, changes = drawn
        world.ask(world.ann, "PATCH", ONE, changes, tournament=world.tournaments[which])
        show(world.bob, world.tournaments[which])

    ask()
    assert {200, 409, 422} <= set(world.seen)


def test_whatever_else_is_asked_for(world: World) -> None:
    entry = st.dictionaries(
        st.sampled_from(["player", "seed", "nonce", "join_code"]), LEAVES | st.sampled_from(world.players), max_size=3
    )
    ranks = st.lists(st.integers(0, 4), max_size=4)
    result = st.fixed_dictionaries({"ranks": ranks | LEAVES, "reason": TEXT | LEAVES}, optional={"cascade": LEAVES})
    posts = st.tuples(st.just("POST"), st.just(ONE + "/entries"), entry)
    posts |= st.tuples(st.just("POST"), st.just(ONE + "/pairings/{pairing}/result"), result)
    posts |= st.tuples(st.just("POST"), st.sampled_from([ONE + "/check-in", ONE + "/start"]), VALUES)
    posts |= st.tuples(st.just("POST"), st.just(ONE + "/organizers/{player}"), VALUES)
    removals = st.tuples(
        st.just("DELETE"), st.sampled_from([ONE + "/entries/{player}", ONE + "/organizers/{player}"]), st.none()
    )
    which = st.tuples(st.integers(0, 2), st.sampled_from(world.players), st.booleans())

    @fuzz(st.tuples(posts | removals, which))
    def ask(drawn: Any) -> None:
        (method, path, body), (number, player, is_ann) = drawn
        values = {"tournament": world.tournaments[number], "player": player, "pairing": world.pairing}
        world.ask(world.ann if is_ann else world.bob, method, path, body, **values)

    ask()
    assert {200, 201, 400, 403, 404, 409, 422} <= set(world.seen)


LISTED = ["limit", "cursor", "status", "game", "mine"]
SHOWN = ["stage", "round", "limit", "as", "cursor"]


@pytest.mark.parametrize(
    ("what", "names"),
    [("", LISTED), ("/entries", LISTED), ("/bracket", SHOWN), ("/standings", SHOWN), ("/audit", SHOWN)],
)
def test_whatever_is_read(world: World, what: str, names: list[str]) -> None:
    described = ONE + what if what else "/v1/tournaments"

    @settings(max_examples=60, derandomize=True, deadline=None, database=None)
    @given(st.dictionaries(st.sampled_from(names), LEAVES.map(str), max_size=2), st.integers(0, 2))
    def ask(query: Any, number: int) -> None:
        path = described.format(tournament=world.tournaments[number])
        reply = world.bob.call("GET", path, query=query)
        assert reply.status < 500, reply
        if reply.status >= 400:
            problem(reply, reply.status, reply.body["code"])
        assert str(reply.status) in world.paths[described]["get"]["responses"]

    ask()
