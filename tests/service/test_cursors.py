"""Cursors, and walks through lists that change (api.md, "lists"; reports 31, 49)."""

import base64
import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from functions.shared.flows import lists
from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import problem
from tests.service.playing import act, at, create, me, table

GAMES = ("misfortune", "liars-poker", "half-deck-poker")


def page(client: Client, **query: Any) -> Any:
    return client.ok("GET", "/v1/matches", query=query)


def pages(client: Client, **query: Any) -> Iterator[list[str]]:
    """The ids of each page, to the last one."""
    while True:
        shown = page(client, **query)
        assert len(shown["items"]) <= query["limit"]
        yield [head["id"] for head in shown["items"]]
        if shown["next_cursor"] is None:
            return
        query["cursor"] = shown["next_cursor"]


def walk(client: Client, **query: Any) -> list[str]:
    return list(itertools.chain.from_iterable(pages(client, **query)))


@pytest.fixture(scope="module")
def crowd(service: LocalService) -> Iterator[list[Client]]:
    """Seven players, one of them for those who come later."""
    clients = [Client(service.url) for _ in range(7)]
    for number, client in enumerate(clients):
        client.token = client.ok("POST", "/v1/players", {"name": f"crowd-{number}"})["token"]
    yield clients
    for client in clients:
        client.close()


@pytest.fixture(scope="module")
def running(crowd: list[Client]) -> set[str]:
    """15 matches that have begun: before the open ones, of which a player may have only so many."""
    return {table(crowd[number % 6], crowd[(number + 1) % 6]) for number in range(15)}


@pytest.fixture(scope="module")
def many(service: LocalService, crowd: list[Client], running: set[str]) -> list[tuple[Client, str]]:
    """120 open matches with their creators, as they are listed: the newest first, those of one moment by id."""
    made = []
    for number in range(120):
        creator = crowd[number % 6]
        made.append((creator, create(creator, GAMES[number % 3])))
        if number % 4 == 0:
            service.advance(0.001)
    return sorted(made, key=lambda one: one[1], reverse=True)


def test_a_walk_shows_each_match_once_while_others_come_and_go(
    service: LocalService, anybody: Client, crowd: list[Client], many: list[tuple[Client, str]]
) -> None:
    creators = {match: creator for creator, match in many}
    before = [match for _, match in many]
    newer: set[str] = set()
    started: set[str] = set()
    seen: list[str] = []
    strangers: list[str] = []
    active = set(walk(anybody, status="active", limit=9))
    service.advance(0.001)
    for number, shown in enumerate(pages(anybody, status="open", limit=7)):
        seen += [match for match in shown if match in creators]
        strangers += [match for match in shown if match not in creators]
        newer.add(create(crowd[6], GAMES[number % 3]))
        ahead = [match for match in before if match not in seen and match not in started]
        behind = [match for match in seen if match not in started]
        for match in ahead[len(ahead) // 2 :][:1] + behind[-1:]:
            joiner = crowd[(crowd.index(creators[match]) + 1) % 6]
            at(joiner.call("POST", f"/v1/matches/{match}/join"))
            started.add(match)
        service.advance(0.001)
    assert len(set(seen + strangers)) == len(seen + strangers)
    assert not newer & set(strangers)
    assert [match for match in seen if match not in started] == [match for match in before if match not in started]
    assert 15 < len(started) < 60
    # What began is in the other list.
    assert set(walk(anybody, status="active", limit=9)) - active == started


@pytest.mark.parametrize(("limit", "chunk"), [(9, 50), (100, 50), (7, 5), (100, 4)])
@pytest.mark.parametrize("query", [{}, {"joinable": "true"}, {"game": "misfortune"}, {"status": "active"}])
def test_pages_of_any_size_show_the_same_however_many_places_are_read_at_once(
    crowd: list[Client],
    many: list[tuple[Client, str]],
    running: set[str],
    limit: int,
    chunk: int,
    query: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = walk(crowd[1], limit=50, **query)
    assert len(expected) > 10
    monkeypatch.setattr(lists, "CHUNK", chunk)
    assert walk(crowd[1], limit=limit, **query) == expected


def test_a_page_may_change_its_size_on_the_way(anybody: Client, many: list[tuple[Client, str]]) -> None:
    first = page(anybody, limit=3)
    rest = walk(anybody, limit=100, cursor=first["next_cursor"])
    assert [head["id"] for head in first["items"]] + rest == walk(anybody, limit=10)


def test_a_walk_through_own_matches_bears_that_some_end(service: LocalService, ann: Client, bob: Client) -> None:
    matches = sorted((table(ann, bob) for _ in range(12)), reverse=True)

    seen: list[str] = []
    for number, shown in enumerate(pages(ann, mine="true", limit=4), 1):
        seen += shown
        if number < 3:
            at(act(ann, matches[-number], {"type": "resign"}))
            service.settle()
    assert len(set(seen)) == len(seen)
    assert set(seen) == set(matches)
    assert set(seen[-2:]) == set(matches[-2:])  # now among those that have ended


def forgeries(cursor: str) -> Iterator[str]:
    yield from ("", "x", "AAAA", "=", cursor[:-1], cursor[1:], cursor + "A", cursor + "=", cursor[:20], cursor * 2)
    yield from (f" {cursor}", f"{cursor} ", cursor.swapcase(), "é", "\x00", "x" * 5000, f"{cursor},{cursor}")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    yield from (cursor[:-1] + char for char in alphabet if char != cursor[-1])
    yield from (cursor[:i] + ("A" if cursor[i] != "A" else "B") + cursor[i + 1 :] for i in range(0, len(cursor), 5))
    yield base64.urlsafe_b64encode(b"\0" * 12 + b"open|9999999999999#mat_").decode().rstrip("=")


@pytest.mark.parametrize("query", [{}, {"mine": "true"}, {"my_turn": "true"}])
def test_a_forged_cursor_is_refused(ann: Client, bob: Client, query: dict[str, str]) -> None:
    for _ in range(2):
        table(ann, bob)
        create(ann)
    cursor = page(ann, limit=1, **query)["next_cursor"]
    assert page(ann, cursor=cursor, **query)["items"]
    for forged in forgeries(cursor):
        problem(ann.call("GET", "/v1/matches", query={"cursor": forged, **query}), 400, "invalid-request")


def test_a_cursor_is_good_for_its_list_and_its_caller(anybody: Client, ann: Client, bob: Client) -> None:
    for _ in range(2):
        table(ann, bob)
        create(ann)
    asked: list[tuple[Client, dict[str, str]]] = [
        (caller, query)
        for caller in (ann, bob, anybody)
        for query in ({}, {"status": "active"}, {"game": "misfortune"}, {"mine": "true"}, {"my_turn": "true"})
        if caller is not anybody or not {"mine", "my_turn"} & set(query)
    ]
    asked += [(ann, {"status": "active", "game": "misfortune"}), (bob, {"player": me(ann)}), (ann, {"status": "open"})]
    cursors = [page(caller, limit=1, **query)["next_cursor"] for caller, query in asked]
    assert all(cursors)
    assert len(set(cursors)) == len(cursors)
    for (own, cursor), (caller, query) in itertools.product(enumerate(cursors), asked):
        reply = caller.call("GET", "/v1/matches", query={"cursor": cursor, **query})
        if asked[own] == (caller, query):
            assert reply.status == 200
        else:
            problem(reply, 400, "invalid-request")


def test_a_cursor_shows_nothing_of_what_is_in_it(ann: Client, bob: Client) -> None:
    matches = [create(ann) for _ in range(3)]
    cursor = page(ann, limit=1, mine="true")["next_cursor"]
    text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    assert not any(match.encode() in text or match[-10:].encode() in text for match in matches)
    assert page(ann, limit=1, mine="true")["next_cursor"] == cursor
