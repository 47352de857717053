"""The inbox (api.md, "GET /me/events"; reports 13): at least once, in order per match, and nothing is missed."""

import itertools
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from functions.shared import clock
from functions.shared.store.records import Notice
from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.moments import DAY, jump, services, sweep
from tests.service.playing import act, at, create, lay, me, play_out, read, table

EVENTS = "/v1/me/events"


def page(client: Client, **query: Any) -> Any:
    return client.ok("GET", EVENTS, query=query)


def events(service: LocalService, client: Client, match: str) -> list[Any]:
    """What the client was told of a match, as it comes."""
    service.settle()
    return [event for event in page(client, limit=100)["items"] if event["match"] == match]


def kinds(service: LocalService, client: Client, match: str) -> list[tuple[str, int | None]]:
    return [(event["type"], event.get("turn")) for event in events(service, client, match)]


def test_a_player_is_told_of_invitations_starts_turns_and_ends(service: LocalService, ann: Client, bob: Client) -> None:
    match = create(ann, "misfortune", invite=[me(bob)])
    assert kinds(service, ann, match) == []
    (invited,) = events(service, bob, match)
    created = read(ann, match)["created_at"]
    assert invited == {
        "id": invited["id"],
        "type": "invited",
        "at": created,
        "match": match,
        "game": "misfortune",
    }
    jump(service, 5)
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    started = read(ann, match)["started_at"]
    first = [("match-started", None), ("your-turn", 1)]
    assert kinds(service, ann, match) == first
    assert kinds(service, bob, match) == [("invited", None), *first]
    assert {event["at"] for event in events(service, ann, match)} == {started}
    at(lay(ann, match, "7", "higher", 1))
    jump(service, 5)
    at(lay(bob, match, "9", "higher", 1))
    at(act(bob, match, {"type": "resign"}))
    ended = read(ann, match)["ended_at"]
    for client in (ann, bob):
        last = [("match-finished", None), ("rated", None)]
        assert kinds(service, client, match)[-5:] == [*first, ("your-turn", 2), *last]
        assert events(service, client, match)[-1]["at"] == ended


def test_who_was_rated_is_told_by_how_much_or_why_not(service: LocalService, ann: Client, bob: Client) -> None:
    played, short = table(ann, bob), table(ann, bob)
    for client, card in ((ann, "7"), (bob, "9")):
        at(lay(client, played, card, "higher", 1))
    for match in (played, short):
        at(act(bob, match, {"type": "resign"}))
        service.settle()
    for client, after in ((ann, 1560), (bob, 1440)):
        told = [events(service, client, match)[-1] for match in (played, short)]
        assert [{name: event[name] for name in ("type", "before", "after", "reason_code")} for event in told] == [
            {"type": "rated", "before": 1500, "after": after, "reason_code": None},
            {"type": "rated", "before": after, "after": after, "reason_code": "too-short"},
        ]


def test_who_is_asked_is_told_and_nobody_else(service: LocalService, ann: Client, bob: Client, cyd: Client) -> None:
    match = create(ann, "liars-poker", seats=3, bots=1)
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    play_out((ann, bob), match)
    acted: dict[int, list[int]] = {0: [], 1: [], 2: []}
    for event in ann.ok("GET", f"/v1/matches/{match}/log?limit=100")["items"]:
        if event.get("by"):
            acted[event["seat"]].append(event["turn"])
    assert all(acted.values())
    for client, seat in ((ann, 0), (bob, 2)):
        assert [turn for _, turn in kinds(service, client, match) if turn] == acted[seat]
    assert page(cyd)["items"] == []


def test_a_sealed_choice_is_news_to_nobody(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob)
    before = [events(service, client, match) for client in (ann, bob)]
    at(lay(ann, match, "7", "higher", 1))
    assert [events(service, client, match) for client in (ann, bob)] == before


def test_an_aborted_match_is_told_of_as_finished(service: LocalService, ann: Client, bob: Client) -> None:
    match = create(ann, "liars-poker", seats=3)
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    at(ann.call("POST", f"/v1/matches/{match}/leave"))
    assert kinds(service, bob, match) == kinds(service, ann, match) == [("match-finished", None)]
    missed = table(ann, bob)
    jump(service, 3 * 259_200)
    sweep(service)
    assert kinds(service, bob, missed) == [("match-started", None), ("your-turn", 1), ("match-finished", None)]


def test_events_of_a_match_are_in_order_also_when_time_stands_still(
    service: LocalService, ann: Client, bob: Client
) -> None:
    """Each turn is delivered by itself, all of them in one millisecond."""
    for _ in range(3):
        match = table(ann, bob)
        for turn, (one, other) in enumerate(itertools.islice(zip("23456789", "98765432", strict=True), 6), 1):
            at(lay(ann, match, one, "higher", turn))
            at(lay(bob, match, other, "higher", turn))
            service.settle()
        assert kinds(service, ann, match) == [("match-started", None), *(("your-turn", turn) for turn in range(1, 8))]


@pytest.fixture
def delivered(service: LocalService, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the consumer is given."""
    records: list[Any] = []
    handler = service._handlers["InboxFunction"]

    def note(event: Any, context: Any) -> Any:
        records.extend(event["Records"])
        return handler(event, context)

    monkeypatch.setattr(service, "_handlers", {**service._handlers, "InboxFunction": note})
    return records


def test_what_is_delivered_again_or_in_another_order_has_the_same_ids(
    service: LocalService, ann: Client, bob: Client, delivered: list[Any]
) -> None:
    service.settle()
    del delivered[:]
    matches = [create(ann, invite=[me(bob)]) for _ in range(3)]
    for match in matches:
        at(bob.call("POST", f"/v1/matches/{match}/join"))
        at(lay(ann, match, "7", "higher", 1))
        at(lay(bob, match, "9", "higher", 1))
        at(act(bob, match, {"type": "resign"}))
    service.settle()
    once = page(bob, limit=100)["items"]
    ids = [event["id"] for event in once]
    assert len(set(ids)) == len(ids) == 3 * 6
    records = list(delivered)
    for again in (records, records[::-1], records[3:5] * 3):
        assert service._invoke("InboxFunction", {"Records": again}) == {"batchItemFailures": []}
    more = page(bob, limit=100)["items"]
    assert more[: len(once)] == once
    assert len(more) > 2 * len(once)
    by_id = {event["id"]: event for event in once}
    assert all(event == by_id[event["id"]] for event in more)


def test_a_record_that_can_not_be_told_comes_again(
    service: LocalService, ann: Client, bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from functions.shared import wiring
    from functions.shared.store.ports import UnavailableError

    inbox, failures = wiring.services().inbox, iter([UnavailableError("throttled")] * 3)
    put = inbox.put

    def throttled(*args: Any) -> None:
        if (failure := next(failures, None)) is not None:
            raise failure
        put(*args)

    service.settle()
    monkeypatch.setattr(type(inbox), "put", staticmethod(throttled))
    match = table(ann, bob)
    assert kinds(service, ann, match) == [("match-started", None), ("your-turn", 1)]
    assert next(failures, None) is None


def test_no_cursor_points_past_half_a_minute_ago(service: LocalService, ann: Client, bob: Client) -> None:
    first = table(ann, bob)
    service.settle()
    fresh = page(ann)
    jump(service, 30)
    still = page(ann, after=fresh["next_cursor"])
    assert (len(fresh["items"]), still["items"], still["next_cursor"]) == (2, fresh["items"], fresh["next_cursor"])
    second = table(ann, bob)
    service.settle()
    jump(service, 0.001)
    both = page(ann, after=fresh["next_cursor"])
    assert [event["match"] for event in both["items"]] == [first, first, second, second]
    rest = page(ann, after=both["next_cursor"])
    assert [event["match"] for event in rest["items"]] == [second, second]
    assert page(ann, after=both["next_cursor"], limit=1)["items"] == rest["items"][:1]
    jump(service, 30)
    end = page(ann, after=rest["next_cursor"])
    assert page(ann, after=end["next_cursor"]) | {"server_time": ""} == {
        "items": [],
        "next_cursor": end["next_cursor"],
        "poll_after": 30,
        "server_time": "",
    }


@pytest.mark.parametrize(("seed", "limit"), [(1, 1), (2, 3), (3, 100)])
def test_who_follows_the_cursor_misses_nothing_though_events_come_late(
    service: LocalService, ann: Client, seed: int, limit: int
) -> None:
    """Consumers that take up to half a minute to store what they have stamped."""
    rng, player = Random(seed), me(ann)
    inserted: list[str] = []
    late: list[tuple[int, str]] = []
    seen: list[str] = []
    cursor: dict[str, Any] = {}
    for number in itertools.count():
        if number < 60:
            late += [(clock.now(), f"evt-{number}-{i}") for i in range(rng.randrange(3))]
        due = [one for one in late if clock.now() - one[0] >= 25_000 or rng.random() < 0.3]
        late = [one for one in late if one not in due]
        for stamped, name in due:
            services().inbox.put([(player, Notice(name, "your-turn", stamped, {"match": "m", "game": "g"}))], stamped)
            inserted.append(name)
        shown = page(ann, limit=limit, **cursor)
        seen += [event["id"] for event in shown["items"]]
        is_at_the_end = number >= 60 and not late and not shown["items"]
        cursor = {"after": shown["next_cursor"]}
        if is_at_the_end:
            break
        jump(service, rng.randrange(5_000) / 1000)
    assert set(seen) == set(inserted)
    assert len(inserted) > 30


def test_a_cursor_is_its_owners_and_of_this_list(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, rated=False)
    for text in ("one", "two"):
        at(ann.call("POST", f"/v1/matches/{match}/messages", {"text": text}))
    service.settle()
    jump(service, 31)
    own, start = page(ann)["next_cursor"], page(ann, limit=1)["next_cursor"]
    other = ann.ok("GET", f"/v1/matches/{match}/messages?limit=1")["next_cursor"]
    for foreign in (page(bob)["next_cursor"], other, own[:-1], own + "A", "", "x", "AAAA", "é", "0" * 13):
        problem(ann.call("GET", EVENTS, query={"after": foreign}), 400, "invalid-request")
    problem(bob.call("GET", EVENTS, query={"after": own}), 400, "invalid-request")
    assert page(ann, after=own)["items"] == []
    assert page(ann, after=start, limit=7)["items"] == page(ann)["items"][1:]


@pytest.mark.parametrize("limit", ["0", "-1", "101", "1000000000", "abc", "", "1.0"])
def test_a_page_has_one_to_a_hundred_events(ann: Client, limit: str) -> None:
    problem(ann.call("GET", EVENTS, query={"limit": limit}), 400, "invalid-request")


def test_a_long_inbox_is_read_page_by_page(service: LocalService, ann: Client) -> None:
    told = [Notice(f"evt-{i:03}", "your-turn", clock.now(), {"match": "m", "game": "g", "turn": i}) for i in range(120)]
    services().inbox.put([(me(ann), notice) for notice in told], clock.now())
    jump(service, 31)
    assert len(page(ann)["items"]) == 20
    assert [[event["id"] for event in shown] for shown in walk(ann, 50)] == [
        [f"evt-{i:03}" for i in numbers] for numbers in (range(50), range(50, 100), range(100, 120))
    ]


def walk(client: Client, limit: int) -> Iterator[list[Any]]:
    query: dict[str, Any] = {"limit": limit}
    while (shown := page(client, **query))["items"]:
        yield shown["items"]
        query["after"] = shown["next_cursor"]


def test_an_inbox_goes_back_thirty_days(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, clock={"kind": "none"})
    service.settle()
    told_at = clock.now()
    jump(service, 30 * DAY)
    assert len(events(service, ann, match)) == 2
    jump(service, 0.001)
    assert page(ann)["items"] == []
    assert page(ann)["next_cursor"]
    dynamo = service.dynamo
    assert dynamo is not None
    inbox = [item for item in dynamo.scan(TableName="PlayersTable")["Items"] if item["pk"]["S"] == f"INBOX#{me(ann)}"]
    assert [int(item["ttl"]["N"]) for item in inbox] == [told_at // 1000 + 30 * DAY] * 2


def test_reading_needs_the_scope_read_changes_nothing_and_has_a_tag(
    service: LocalService, anybody: Client, ann: Client, bob: Client
) -> None:
    table(ann, bob)
    problem(anybody.call("GET", EVENTS), 401, "unauthenticated")
    limited = Client(service.url, ann.ok("POST", "/v1/me/tokens", {"scopes": ["play"], "label": "x"})["token"])
    problem(limited.call("GET", EVENTS), 403, "forbidden")
    limited.close()
    with nothing_stored(service):
        tag = ann.call("GET", EVENTS).headers["etag"]
    jump(service, 5)
    assert ann.call("GET", EVENTS, headers={"If-None-Match": tag}).status == 304
    table(ann, bob)
    service.settle()
    assert ann.call("GET", EVENTS, headers={"If-None-Match": tag}).status == 200
