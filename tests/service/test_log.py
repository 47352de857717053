"""The log of a match (api.md, "GET /matches/{id}/log")."""

from collections.abc import Iterator
from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import problem, stored
from tests.service.playing import act, at, create, lay, legal, play_out, read, table


def log(client: Client, match: str, **query: Any) -> Any:
    return client.ok("GET", f"/v1/matches/{match}/log", query=query)


def walk(client: Client, match: str, limit: int) -> list[Any]:
    events: list[Any] = []
    query: dict[str, Any] = {"limit": limit}
    while True:
        page = log(client, match, **query)
        assert len(page["items"]) <= limit
        events += page["items"]
        if page["next_cursor"] is None:
            return events
        query["cursor"] = page["next_cursor"]


@pytest.fixture(scope="module")
def played(service: LocalService) -> Iterator[tuple[str, list[Client]]]:
    """A long match: most of its log was put away."""
    clients = [Client(service.url) for _ in range(2)]
    for number, client in enumerate(clients):
        client.token = client.ok("POST", "/v1/players", {"name": f"log-{number}"})["token"]
    match = table(*clients, game="half-deck-poker")
    while read(clients[0], match)["status"] == "active":
        for client in clients:
            if actions := legal(client, match)["actions"]:
                at(act(client, match, actions[0]))
    assert any(sk.startswith("LOG#") for _, pk, sk in stored(service) if pk == f"MAT#{match}")
    yield match, clients
    for client in clients:
        client.close()


def test_events_are_numbered_from_one_without_gaps(played: Any, anybody: Client) -> None:
    match, clients = played
    for caller in (anybody, *clients):
        events = walk(caller, match, 100)
        assert [event["n"] for event in events] == list(range(1, len(events) + 1))
        assert all({"n", "at", "seat", "type", "turn"} <= set(event) for event in events)
        assert [event["at"] for event in events] == sorted(event["at"] for event in events)
        assert [event["turn"] for event in events] == sorted(event["turn"] for event in events)


@pytest.mark.parametrize("limit", [1, 7, 20, 100])
def test_pages_of_any_size_show_the_same(played: Any, limit: int) -> None:
    match, (first, _) = played
    assert walk(first, match, limit) == walk(first, match, 33)


def test_after_a_number_come_the_next_ones(played: Any, anybody: Client) -> None:
    match, _ = played
    events = walk(anybody, match, 100)
    for after in (0, 1, 19, 20, 21, len(events) - 1, len(events), len(events) + 1, 10**9):
        page = log(anybody, match, after=after, limit=5)
        assert page["items"] == events[after : after + 5]
        assert (page["next_cursor"] is None) == (after + 5 >= len(events))


def test_a_page_has_twenty_events_by_default(played: Any, anybody: Client) -> None:
    match, _ = played
    assert len(log(anybody, match)["items"]) == 20


@pytest.mark.parametrize("name", ["after", "limit"])
@pytest.mark.parametrize("value", ["-1", "x", "1.0", "", "+1", " 1", "1e3", "99999999999", "٣", "0x1", "1,2", "true"])
def test_what_is_no_number_is_refused(played: Any, anybody: Client, name: str, value: str) -> None:
    match, _ = played
    problem(anybody.call("GET", f"/v1/matches/{match}/log", query={name: value}), 400, "invalid-request")


@pytest.mark.parametrize("limit", ["0", "101", "1000000000"])
def test_a_page_has_one_to_a_hundred_events(played: Any, anybody: Client, limit: str) -> None:
    match, _ = played
    problem(anybody.call("GET", f"/v1/matches/{match}/log", query={"limit": limit}), 400, "invalid-request")


def test_a_cursor_is_good_for_its_match_its_caller_and_its_start(played: Any, anybody: Client, ann: Client) -> None:
    match, (first, second) = played
    cursor = log(first, match, after=3)["next_cursor"]
    other = create(ann)
    path = f"/v1/matches/{match}/log"
    for caller, where, query in (
        (second, path, {"after": 3}),
        (anybody, path, {"after": 3}),
        (first, path, {}),
        (first, path, {"after": 4}),
        (first, f"/v1/matches/{other}/log", {"after": 3}),
        (first, "/v1/matches", {"after": 3}),
    ):
        reply = caller.call("GET", where, query={**query, "cursor": cursor})
        problem(reply, 400, "invalid-request")
    assert first.ok("GET", path, query={"after": 3, "cursor": cursor, "limit": 1})["items"][0]["n"] == 24


def test_a_sealed_choice_enters_when_its_phase_closes_dated_then_in_seat_order(
    service: LocalService, anybody: Client, ann: Client, bob: Client
) -> None:
    match = table(ann, bob)
    before = {caller: log(caller, match)["items"] for caller in (anybody, ann, bob)}
    service.advance(1)
    at(lay(bob, match, "9", "higher", 1))
    assert {caller: log(caller, match)["items"] for caller in (anybody, ann, bob)} == before
    service.advance(1)
    closed = at(lay(ann, match, "7", "higher", 1))
    events = log(anybody, match, after=3)["items"]
    assert [(event["n"], event["type"], event["seat"]) for event in events] == [
        (4, "play", 0),
        (5, "play", 1),
        (6, "conflict", None),
    ]
    assert {event["at"] for event in events} == {closed["server_time"]}
    assert [event["by"] for event in events[:2]] == ["player", "player"]


def test_a_laid_card_stands_in_the_log_of_its_owner_only(anybody: Client, ann: Client, bob: Client) -> None:
    match = table(ann, bob)
    at(lay(bob, match, "9", "lower", 1))
    at(lay(ann, match, "7", "higher", 1))
    cards = {caller: [event.get("card") for event in log(caller, match, after=3)["items"]] for caller in (ann, bob)}
    assert cards == {ann: ["7c", None, None], bob: [None, "9h", None]}
    assert not any("card" in event for event in log(anybody, match)["items"])


def test_what_happens_before_the_start_and_at_the_end_is_logged(ann: Client, bob: Client, cyd: Client) -> None:
    match = create(ann, "liars-poker", seats=3)
    for path in ("join", "leave", "join"):
        at(bob.call("POST", f"/v1/matches/{match}/{path}"))
    at(cyd.call("POST", f"/v1/matches/{match}/join"))
    at(act(cyd, match, {"type": "resign"}))
    play_out((ann, bob), match)
    events = walk(ann, match, 100)
    types = [event["type"] for event in events]
    assert types[:7] == ["joined", "joined", "unseated", "joined", "joined", "started", "resign"]
    assert types[-1] == "finished"
    assert events[-1]["ranks"] == read(ann, match)["result"]["ranks"]
    assert events[0]["player"] == ann.ok("GET", "/v1/me")["id"]


def test_no_event_shows_keys_marks_or_nonces(ann: Client, bob: Client) -> None:
    match = create(ann, nonce="c0ffee")
    at(bob.call("POST", f"/v1/matches/{match}/join", {"nonce": "beef"}, key="my-secret-key"))
    at(lay(ann, match, "7", "higher", 1, key="another-key"))
    at(lay(bob, match, "9", "higher", 1))
    known = {"n", "at", "turn", "seat", "type", "by", "player", "name"}
    known |= {"claim", "card", "cards", "taken", "from_round"}
    for event in log(ann, match)["items"]:
        assert set(event) <= known, event
