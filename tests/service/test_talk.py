"""Table talk (api.md, "GET, POST /matches/{id}/messages"; reports 52)."""

from typing import Any

import pytest

from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.moments import jump
from tests.service.playing import act, at, create, me, read, table


def say(client: Client, match: str, text: Any, **more: Any) -> Reply:
    return client.call("POST", f"/v1/matches/{match}/messages", {"text": text}, **more)


def page(client: Client, match: str, **query: Any) -> Any:
    return client.ok("GET", f"/v1/matches/{match}/messages", query=query)


def heard(client: Client, match: str) -> list[tuple[str, str]]:
    """Who said what."""
    return [(said["player"]["name"], said["text"]) for said in page(client, match, limit=100)["items"]]


def name(client: Client) -> str:
    return str(client.ok("GET", "/v1/me")["name"])


@pytest.fixture
def match(ann: Client, bob: Client) -> str:
    """A match of ann's and bob's that has talk."""
    return table(ann, bob, rated=False)


def test_what_a_seat_says_is_there_for_all_who_see_the_match(
    service: LocalService, anybody: Client, ann: Client, bob: Client, match: str
) -> None:
    reply = say(ann, match, "I have an ace.")
    said = at(reply)
    assert reply.status == 201
    assert said == {
        "id": said["id"],
        "at": read(ann, match)["server_time"],
        "player": {"id": me(ann), "name": name(ann)},
        "text": "I have an ace.",
    }
    jump(service, 1)
    at(say(bob, match, "You don't."))
    for client in (ann, bob, anybody):
        assert heard(client, match) == [(name(ann), "I have an ace."), (name(bob), "You don't.")]
        assert page(client, match)["items"][0] == said


def test_it_is_no_part_of_the_game(ann: Client, bob: Client, match: str) -> None:
    def seen() -> list[Any]:
        paths = ("", "/log", "/legal-actions")
        return [ann.call("GET", f"/v1/matches/{match}{path}").headers["etag"] for path in paths]

    before = seen()
    at(say(bob, match, "hello"))
    assert seen() == before


def test_it_goes_on_before_the_start_and_after_the_end(ann: Client, bob: Client) -> None:
    match = create(ann, rated=False)
    at(say(ann, match, "Who dares?"))
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    at(act(ann, match, {"type": "resign"}))
    at(say(ann, match, "Well played."))
    at(say(bob, match, "Thanks."))
    assert [text for _, text in heard(bob, match)] == ["Who dares?", "Well played.", "Thanks."]


@pytest.mark.parametrize("order", [{}, {"rated": True}, {"rated": False, "talk": False}, {"bots": 1, "talk": False}])
def test_where_something_is_at_stake_or_it_is_not_wanted_there_is_none(
    service: LocalService, ann: Client, order: Any
) -> None:
    match = create(ann, **order)
    assert read(ann, match)["talk"] is False
    with nothing_stored(service):
        problem(say(ann, match, "hello"), 403, "forbidden")
        problem(say(ann, match, ""), 403, "forbidden")
    assert page(ann, match)["items"] == []


@pytest.mark.parametrize(
    "order", [{"bots": 1}, {"visibility": "private"}, {"clock": {"kind": "none"}}, {"rated": False, "talk": True}]
)
def test_unrated_matches_have_talk(ann: Client, order: Any) -> None:
    match = create(ann, **order)
    assert read(ann, match)["talk"] is True
    assert say(ann, match, "hello").status == 201


def test_talk_in_a_rated_match_is_refused_when_it_is_asked_for(ann: Client) -> None:
    reply = ann.call("POST", "/v1/matches", {"game": "misfortune", "rated": True, "talk": True})
    assert problem(reply, 422, "invalid-request")["errors"][0]["loc"] == ["talk"]


def test_only_who_has_a_seat_may_speak(
    service: LocalService, anybody: Client, ann: Client, bob: Client, cyd: Client, match: str
) -> None:
    waiting = create(ann, "liars-poker", seats=4, rated=False)
    at(bob.call("POST", f"/v1/matches/{waiting}/join"))
    at(say(bob, waiting, "I must go."))
    at(bob.call("POST", f"/v1/matches/{waiting}/leave"))
    limited = Client(service.url, ann.ok("POST", "/v1/me/tokens", {"scopes": ["read"], "label": "x"})["token"])
    with nothing_stored(service):
        problem(say(cyd, match, "hello"), 403, "forbidden")
        problem(say(bob, waiting, "hello"), 403, "forbidden")
        problem(say(limited, match, "hello"), 403, "forbidden")
        problem(say(anybody, match, "hello"), 401, "unauthenticated")
        problem(say(ann, "mat_" + "0" * 26, "hello"), 404, "not-found")
    limited.close()
    assert heard(cyd, waiting) == [(name(bob), "I must go.")]


def test_what_is_said_in_private_stays_there(anybody: Client, ann: Client, bob: Client, cyd: Client) -> None:
    match = create(ann, "liars-poker", seats=3, visibility="private", invite=[me(bob)])
    at(say(ann, match, "secret"))
    assert heard(bob, match) == [(name(ann), "secret")]
    problem(say(bob, match, "invited, not seated"), 403, "forbidden")
    at(cyd.call("POST", f"/v1/matches/{match}/join", {"join_code": read(ann, match)["join_code"]}))
    at(say(cyd, match, "me too"))
    at(cyd.call("POST", f"/v1/matches/{match}/leave"))
    for client in (anybody, cyd):
        problem(client.call("GET", f"/v1/matches/{match}/messages"), 404, "not-found")
    problem(say(cyd, match, "hello"), 404, "not-found")
    assert [text for _, text in heard(ann, match)] == ["secret", "me too"]


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "x" * 500,
        "é" * 500,
        "e\u0301" * 500,
        "電話",
        "שלום",
        "می‌خواهم",
        "👩‍💻",
        " a ",
        "<b>&amp;</b>",
        "\U0001f600" * 500,
    ],
)
def test_a_text_may_be(ann: Client, match: str, text: str) -> None:
    said = at(say(ann, match, text))["text"]
    assert said == text.replace("e\u0301", "é")
    assert page(ann, match)["items"][0]["text"] == said


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "\u3000", "x" * 501, "é" * 501, "\U0001f600" * 501, "x" * 3000),
        *("a\nb", "a\tb", "a\rb", "a\0b", "a\x7fb", "a\x85b", "a\u2028b"),
        *("a\u202eb", "a\u202ab", "a\u2066b", "a\u200fb", "a\ufeffb", "a\u00adb", "a\u200bb", "\ue000", "\uffff"),
        *(None, 5, ["a"], {"a": 1}, True),
    ],
)
def test_a_text_may_not_be(service: LocalService, ann: Client, match: str, text: Any) -> None:
    with nothing_stored(service):
        (error,) = problem(say(ann, match, text), 422, "invalid-request")["errors"]
    assert error["loc"] == ["text"]


def test_a_message_has_a_text_and_nothing_else(service: LocalService, ann: Client, match: str) -> None:
    path = f"/v1/matches/{match}/messages"
    with nothing_stored(service):
        for body in ({}, {"text": "x", "to": 1}):
            problem(ann.call("POST", path, body), 422, "invalid-request")
        for raw in (b"", b"[]", b'{"text": "x", "text": "y"}', b'{"text": "\\ud800"}'):
            problem(ann.call("POST", path, raw), 400, "invalid-request")


def test_messages_are_read_page_by_page_oldest_first_though_time_stands_still(ann: Client, bob: Client) -> None:
    match = table(ann, bob, rated=False)
    for number in range(25):
        at(say((ann, bob)[number % 2], match, f"{number}"))
    pages, query = [], {"limit": 10}
    while True:
        shown = page(ann, match, **query)
        pages.append([said["text"] for said in shown["items"]])
        if shown["next_cursor"] is None:
            break
        query["cursor"] = shown["next_cursor"]
        at(say(bob, match, f"later {len(pages)}"))
    every = [f"{number}" for number in range(25)] + ["later 1", "later 2"]
    assert pages == [every[:10], every[10:20], every[20:]]
    assert len(page(ann, match)["items"]) == 20
    exact = page(ann, match, limit=27)
    assert (len(exact["items"]), exact["next_cursor"]) == (27, None)
    for query_ in ({"limit": 0}, {"limit": 101}, {"cursor": "x"}):
        problem(ann.call("GET", f"/v1/matches/{match}/messages", query=query_), 400, "invalid-request")
    other = table(ann, bob, rated=False)
    foreign = {"cursor": page(ann, match, limit=1)["next_cursor"]}
    problem(ann.call("GET", f"/v1/matches/{other}/messages", query=foreign), 400, "invalid-request")
    problem(bob.call("GET", f"/v1/matches/{match}/messages", query=foreign), 400, "invalid-request")


def test_a_repeated_message_is_said_once(service: LocalService, ann: Client, bob: Client, match: str) -> None:
    first = say(ann, match, "once", key="k")
    for _ in range(3):
        at(say(bob, match, "something else"))
    with nothing_stored(service):
        again = say(ann, match, "once", key="k")
        problem(say(ann, match, "twice", key="k"), 422, "key-reused")
    assert (again.status, again.body) == (201, first.body)
    assert (first.headers.get("idempotency-replayed"), again.headers["idempotency-replayed"]) == (None, "true")
    assert at(say(bob, match, "once", key="k"))["id"] != first.body["id"]
    # Its path is another one.
    other = table(ann, bob, rated=False)
    for text in ("once", "once"):
        assert at(say(ann, other, text, key="k"))["id"] != first.body["id"]
    assert heard(ann, other) == [(name(ann), "once")]


def test_a_rejected_message_leaves_its_key_unused(ann: Client, match: str) -> None:
    problem(say(ann, match, "", key="k"), 422, "invalid-request")
    reply = say(ann, match, "now", key="k")
    assert (reply.status, reply.headers.get("idempotency-replayed")) == (201, None)


def test_messages_show_the_names_of_when_their_players_sat_down(ann: Client, bob: Client, match: str) -> None:
    before = name(ann)
    at(ann.call("PATCH", "/v1/me", {"name": f"{before}-x"}))
    assert at(say(ann, match, "hello"))["player"]["name"] == before
    assert heard(bob, match) == [(before, "hello")]
