"""What is asked of the service: every route of the template that shows a match, and requests of each kind that it
refuses. A route, a path variable or a query parameter that this module does not know fails the suite."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from engine.errors import IllegalAction
from engine.match import play
from engine.match.record import Match, Status, rules
from engine.types import Action, Json, Seat
from infra.local.template import Route, Stack
from tests.engine.neighbours import mutants
from tests.leaks import event
from tests.leaks.stage import NOW, PLAYERS, Asked

if TYPE_CHECKING:
    from functions.shared.http.app import Operation

MATCH = "{match}"
PROOF = "/v1/matches/{match}/proof"
"""It opens everything as soon as a match is over: a suite of its own (test_proof.py)."""
NO_WEBHOOK = "whk_" + "0" * 26
"""What webhooks are sent is a suite of its own (test_webhooks.py)."""
NO_SEEK = "sek_" + "0" * 26
"""Whether others seek is a suite of its own (test_seeks.py)."""
TOURNAMENT = event.tournament_id(NOW)
"""What tournaments hide of themselves is a suite of its own (tests/service/test_tournament_secrets.py)."""

QUERIES: Mapping[str, tuple[str, ...]] = {
    "/v1/matches": (
        "",
        *(f"status={status}" for status in ("open", "active", "finished", "aborted")),
        *(f"mine=true{more}" for more in ("", "&status=active", "&limit=1", "&game={game}")),
        "my_turn=true",
        "my_turn=true&limit=1",
        "joinable=true",
        "joinable=true&game={game}",
        "status=active&game={game}",
        "status=active&limit=1",
        *(f"player={{player}}{more}" for more in ("", "&status=finished", "&status=aborted", "&limit=1")),
    ),
    "/v1/matches/{match}/log": ("", "after=1", "after=7&limit=2", "limit=1", "limit=100"),
    "/v1/matches/{match}/messages": ("", "limit=1"),
    "/v1/matches/{match}/odds": ("", "digit=3&count=1", "digit=0&count=4", "digit=9&count=1000", "digit=1"),
    "/v1/ladders/{game}": ("", "limit=1", "rank=2"),
    "/v1/ladders/{game}/players/{player}": ("", "limit=1"),
    "/v1/ladders/{game}/around/{player}": ("", "window=1"),
    "/v1/me/events": ("", "limit=1", "limit=100"),
    "/v1/players": ("", "name={name}"),
    "/v1/seeks": ("", "limit=1"),
    "/v1/tournaments": ("", *(f"{query}&limit=1" for query in ("status=running", "game={game}", "mine=true"))),
    "/v1/tournaments/{tournament}/bracket": ("", "stage=winners&round=1"),
    **{f"/v1/tournaments/{{tournament}}/{what}": ("", "limit=1") for what in ("entries", "standings", "audit")},
}
"""The queries of each route that takes any. Pages after the first are asked for where an answer has a cursor."""

_CURSORS = {"/v1/me/events": "after"}
"""The parameters that take a cursor, where they are not named so."""

_BROKEN = (b"", b"{", b"[]", b'{"unknown": 1}', b'{"turn": 1, "turn": 2}')


class Position:
    """A match as one seat (None: nobody's) knows it."""

    def __init__(self, match: Match, seat: Seat | None) -> None:
        self.match = match
        self.seat = seat
        self.is_awaited = seat in play.awaited(match)


Refusals: TypeAlias = Callable[[Position, Random], Iterator[Json]]


def _actions(position: Position, rng: Random) -> Iterator[Json]:
    match, seat = position.match, position.seat
    turn, known = match.turn, _any_action(position)
    yield from ({"turn": other, "action": known} for other in (turn - 1, turn + 1, 2**40))
    yield from ({"turn": turn, "action": action} for action in ({}, {"type": "resign", "why": 1}, {"type": "juggle"}))
    yield from ({"action": known}, {"turn": turn}, {"turn": str(turn), "action": known}, {"turn": turn, "action": []})
    if seat is None or match.state is None:
        return
    if position.is_awaited:
        yield from ({"turn": turn, "action": action} for action in _illegal(match, seat, rng))
    else:
        yield {"turn": turn, "action": known}


def _any_action(position: Position) -> Action:
    match = position.match
    if match.status is not Status.ACTIVE:
        return {"type": "challenge"}
    seat = position.seat if position.is_awaited and position.seat is not None else play.asked(match)[0]
    return rules(match).legal_actions(match.state, seat).actions[0] if position.is_awaited else {"type": "juggle"}


def _illegal(match: Match, seat: Seat, rng: Random) -> Iterator[Action]:
    """Actions near to a legal one that are none."""
    game = rules(match)
    near = list(mutants(game.legal_actions(match.state, seat).actions[0]))
    for action in rng.sample(near, len(near))[:12]:
        try:
            game.check(match.state, seat, action)
        except IllegalAction:
            yield action


def _joining(position: Position, rng: Random) -> Iterator[Json]:
    yield {"nonce": "zz"}
    yield {"join_code": 7}
    if position.match.status is not Status.OPEN or position.seat is not None:
        yield from ({}, {"nonce": "00"}, {"join_code": "AAAAAAAAAAAAAAAA"})


def _leaving(position: Position, rng: Random) -> Iterator[Json]:
    if position.match.status is not Status.OPEN or position.seat is None:
        yield {}


def _starting(position: Position, rng: Random) -> Iterator[Json]:
    if position.match.status is not Status.OPEN or position.seat != 0:
        yield {}


def _nonces(position: Position, rng: Random) -> Iterator[Json]:
    yield from ({"nonce": "zz"}, {"nonce": "0"}, {"nonce": "00" * 65})
    if position.match.status is not Status.OPEN or position.seat is None:
        yield {"nonce": "00"}


def _again(position: Position, rng: Random) -> Iterator[Json]:
    if position.match.status in (Status.OPEN, Status.ACTIVE) or position.seat is None:
        yield {}


def _saying(position: Position, rng: Random) -> Iterator[Json]:
    yield from ({}, {"text": ""}, {"text": 7}, {"text": "\u202e"}, {"text": "x" * 501})
    if position.seat is None:
        yield {"text": "hello"}


REFUSED: Mapping[str, Refusals] = {
    "POST /v1/matches/{match}/actions": _actions,
    "POST /v1/matches/{match}/join": _joining,
    "POST /v1/matches/{match}/leave": _leaving,
    "POST /v1/matches/{match}/start": _starting,
    "POST /v1/matches/{match}/messages": _saying,
    "POST /v1/matches/{match}/rematch": _again,
    "PUT /v1/matches/{match}/nonce": _nonces,
}
"""By route, requests that the service refuses to a seat, whatever is hidden from it."""


def operations(stack: Stack) -> "dict[str, Operation]":
    """The routes of the handlers, by route key."""
    apps = [import_module(f.handler.rpartition(".")[0]) for f in stack.functions.values()]
    return {
        f"{operation.method} {operation.path}": operation
        for module in apps
        if hasattr(module, "app")
        for operation in module.app.operations
    }


def _api(stack: Stack) -> Iterator[Route]:
    """The routes of the API, whose pages and description show no match."""
    return (route for route in stack.routes if route.path.startswith("/v1/"))


def reads(stack: Stack, match: Match) -> tuple[list[Asked], list[Asked]]:
    """Every reading request: the bare ones of the match itself; and those with queries, those of lists, and those of
    other things in which the match could show."""
    other = PLAYERS[len(match.seats) - 1]
    values = {"match": match.id, "game": match.game, "player": other.id, "name": other.name}
    values |= {"webhook": NO_WEBHOOK, "seek": NO_SEEK, "tournament": TOURNAMENT}
    known = operations(stack)
    own: list[Asked] = []
    others: list[Asked] = []
    for route in _api(stack):
        if route.method != "GET" or route.path == PROOF:
            continue
        queries = QUERIES.get(route.path, ("",))
        taken = {part.partition("=")[0] for query in queries for part in query.split("&")}
        unknown = set(known[route.key].query) - taken - {_CURSORS.get(route.path, "cursor")}
        assert not unknown, f"tests/leaks/routes.py has no query of {route.key} with {unknown}"
        for query in queries:
            target = route.path + (f"?{query}" if query else "")
            try:
                (own if MATCH in route.path and not query else others).append(Asked("GET", target.format(**values)))
            except KeyError as missing:
                raise AssertionError(f"tests/leaks/routes.py has no value for {missing} of {route.key}") from None
    return own, others


def every_read(stack: Stack, match: Match) -> list[Asked]:
    """Both kinds of reading requests."""
    own, others = reads(stack, match)
    return own + others


def some_reads(stack: Stack, match: Match, most: int, rng: Random) -> list[Asked]:
    """The bare ones of the match itself, and so many others."""
    own, others = reads(stack, match)
    return own + rng.sample(others, most)


def acting(match: Match, action: Action, key: str = "a-key-of-the-viewer") -> Asked:
    """The request that makes a choice in the open decision, or resigns."""
    body = {"action": action} if action["type"] == "resign" else {"turn": match.turn, "action": action}
    return Asked("POST", f"/v1/matches/{match.id}/actions", json.dumps(body).encode(), (("idempotency-key", key),))


def next_pages(questions: Sequence[Asked], bodies: Sequence[bytes]) -> list[Asked]:
    """The pages after those that have one."""
    found = []
    for question, body in zip(questions, bodies, strict=True):
        cursor = json.loads(body).get("next_cursor") if b'"next_cursor":"' in body else None
        if cursor is not None:
            path, _, query = question.target.partition("?")
            target = f"{path}?{_CURSORS.get(path, 'cursor')}={cursor}&{query}".removesuffix("&")
            found.append(question._replace(target=target))
    return found


def refused(stack: Stack, position: Position, rng: Random) -> list[Asked]:
    """Requests that the service refuses: malformed ones, and those that its state, the rules or the caller forbid."""
    found = [
        Asked("GET", f"/v1/matches/{position.match.id}/nothing"),
        Asked("DELETE", f"/v1/matches/{position.match.id}"),
    ]
    known = operations(stack)
    for route in _api(stack):
        if route.method == "GET" or MATCH not in route.path:
            continue
        assert route.key in REFUSED, f"tests/leaks/routes.py does not say what {route.key} refuses"
        target = route.path.format(match=position.match.id)
        bodies = [json.dumps(body).encode() for body in REFUSED[route.key](position, rng)]
        # No body at all is fine where it would be empty anyway.
        broken = [body for body in _BROKEN if body or not known[route.key].body_optional]
        found += [Asked(route.method, target, body) for body in (*bodies, *broken)]
        if bodies:
            found.append(Asked(route.method, target, bodies[0], (("content-type", "text/plain"),)))
            found.append(Asked(route.method, target, bodies[0], (("idempotency-key", "k" * 65),)))
    return found
