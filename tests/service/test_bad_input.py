"""Requests that can't be read: a typed 4xx each, and nothing has happened (reports 49, 52, 53)."""

import json
from typing import Any

import pytest

from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.playing import act, create, read, table

DEEP = b"[" * 7000 + b"]" * 7000
MOST = 16 * 1024

NOT_JSON = {
    "nothing": b"",
    "a form feed": b"\x0c",
    "blanks": b" \r\n\t ",
    "a brace": b"{",
    "text": b"game=misfortune",
    "html": b"<p>",
    "a comma too many": b'{"game": "misfortune",}',
    "single quotes": b"{'game': 'misfortune'}",
    "a comment": b'{"game": "misfortune"} // please',
    "two objects": b'{"game": "misfortune"}{}',
    "a raw line feed in a string": b'{"game": "mis\nfortune"}',
    "a bad escape": b'{"game": "mis\\xfortune"}',
    "a cut escape": b'{"game": "mis\\u12"}',
    "a byte order mark": b'\xef\xbb\xbf{"game": "misfortune"}',
    "two bytes a character": '{"game": "misfortune"}'.encode("utf-16"),
    "bytes that are no UTF-8": b'{"game": "mis\xfffortune"}',
    "a name that is no UTF-8": b'{"g\xffame": "misfortune"}',
    "overlong UTF-8": b'{"game": "mis\xc0\xaffortune"}',
    "a surrogate as UTF-8": b'{"game": "mis\xed\xa0\x80fortune"}',
    "a lone high surrogate": b'{"game": "mis\\ud800fortune"}',
    "a lone low surrogate": b'{"game": "mis\\udc00fortune"}',
    "surrogates the wrong way round": b'{"game": "\\udc00\\ud800"}',
    "a lone surrogate in a name": b'{"\\ud800": 1}',
    "a lone surrogate deep down": b'{"game": "misfortune", "options": {"a": [["\\udfff"]]}}',
    "a name twice": b'{"game": "misfortune", "game": "misfortune"}',
    "a name twice, once escaped": b'{"game": "misfortune", "g\\u0061me": "liars-poker"}',
    "a name twice deep down": b'{"game": "misfortune", "options": {"x": [{"a": 1, "a": 1}]}}',
    "an empty name twice": b'{"game": "misfortune", "options": {"": 1, "": 1}}',
    "NaN": b'{"game": "misfortune", "seats": NaN}',
    "Infinity": b'{"game": "misfortune", "seats": Infinity}',
    "minus Infinity": b'{"game": "misfortune", "options": {"x": -Infinity}}',
    "1e999": b'{"game": "misfortune", "seats": 1e999}',
    "-1e999": b'{"game": "misfortune", "options": {"x": -1e999}}',
    "a number of many digits": b'{"game": "misfortune", "seats": ' + b"9" * 5000 + b"}",
    "a number of 65 bits": b'{"game": "misfortune", "seats": 9223372036854775808}',
    "a negative number of 65 bits": b'{"game": "misfortune", "seats": -9223372036854775809}',
    "leading zeros": b'{"game": "misfortune", "seats": 02}',
    "a plus": b'{"game": "misfortune", "seats": +2}',
    "hexadecimal": b'{"game": "misfortune", "seats": 0x2}',
    "True": b'{"game": "misfortune", "rated": True}',
    "nesting 7,000 deep": b'{"game": "misfortune", "options": {"x": ' + DEEP + b"}}",
    "nesting 7,000 deep, cut off": b'{"a":' * 3000,
    "nesting 30 deep": b'{"game": "misfortune", "options": {"x": ' + b"[" * 30 + b"]" * 30 + b"}}",
    "a list": b'[{"game": "misfortune"}]',
    "a string": b'"misfortune"',
    "a number": b"1",
    "null": b"null",
    "true": b"true",
}


@pytest.mark.parametrize("what", NOT_JSON)
def test_what_is_no_json_object_is_refused(service: LocalService, ann: Client, anybody: Client, what: str) -> None:
    match = create(ann)
    with nothing_stored(service):
        for client, method, path in (
            (ann, "POST", "/v1/matches"),
            (ann, "POST", "/v1/me/tokens"),
            (ann, "PATCH", "/v1/me"),
            (ann, "PUT", f"/v1/matches/{match}/nonce"),
            (ann, "POST", f"/v1/matches/{match}/actions"),
            (anybody, "POST", "/v1/players"),
            (anybody, "POST", "/v1/players/recover"),
        ):
            problem(client.call(method, path, NOT_JSON[what]), 400, "invalid-request")


@pytest.mark.parametrize("what", [what for what in NOT_JSON if what != "nothing"])
def test_where_a_body_may_be_left_out_it_may_not_be_nonsense(
    service: LocalService, ann: Client, bob: Client, what: str
) -> None:
    match = create(ann, "liars-poker", seats=3)
    with nothing_stored(service):
        for client, path in ((bob, "join"), (ann, "leave"), (ann, "start")):
            problem(client.call("POST", f"/v1/matches/{match}/{path}", NOT_JSON[what]), 400, "invalid-request")


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/problem+json",
        "application/jsonp",
        "application/json; charset=latin-1",
        "application/json; charset=utf-16",
        "application/json, application/json",
        "application/octet-stream",
        "json",
    ],
)
def test_a_body_of_another_type_is_refused(service: LocalService, ann: Client, content_type: str) -> None:
    body = json.dumps({"game": "misfortune"}).encode()
    with nothing_stored(service):
        reply = ann.call("POST", "/v1/matches", body, headers={"Content-Type": content_type})
        problem(reply, 400, "invalid-request")


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "Application/JSON", "application/json; charset=utf-8", 'application/json;charset="UTF-8"'],
)
def test_json_is_json_in_any_spelling(ann: Client, content_type: str) -> None:
    body = json.dumps({"game": "misfortune"}).encode()
    assert ann.call("POST", "/v1/matches", body, headers={"Content-Type": content_type}).status == 201


def padded(size: int) -> bytes:
    body = b'{"game": "misfortune"}'
    return body + b" " * (size - len(body))


def test_a_body_has_at_most_16_kib(service: LocalService, ann: Client) -> None:
    assert ann.call("POST", "/v1/matches", padded(MOST)).status == 201
    with nothing_stored(service):
        for size in (MOST + 1, 2 * MOST, 1 << 20):
            for content_type in ("application/json", "application/octet-stream"):
                reply = ann.call("POST", "/v1/matches", padded(size), headers={"Content-Type": content_type})
                problem(reply, 413, "too-large")
    wide = '{"game": "misfortune", "bot_style": "' + "é" * 8180 + '"}'
    assert len(wide) < MOST < len(wide.encode())
    problem(ann.call("POST", "/v1/matches", wide.encode()), 413, "too-large")


WRONG: list[tuple[str, Any, Any]] = [
    ("POST", "/v1/matches", {"game": "misfortune", "seats": "2"}),
    ("POST", "/v1/matches", {"game": "misfortune", "seats": True}),
    ("POST", "/v1/matches", {"game": "misfortune", "seats": 2.0}),
    ("POST", "/v1/matches", b'{"game": "misfortune", "seats": 2e0}'),
    ("POST", "/v1/matches", b'{"game": "misfortune", "seats": -0.0}'),
    ("POST", "/v1/matches", b'{"game": "misfortune", "seats": -0}'),
    ("POST", "/v1/matches", b'{"game": "misfortune", "seats": 9223372036854775807}'),
    ("POST", "/v1/matches", {"game": "misfortune", "seats": [2]}),
    ("POST", "/v1/matches", {"game": "misfortune", "bots": False}),
    ("POST", "/v1/matches", {"game": "misfortune", "rated": "false"}),
    ("POST", "/v1/matches", {"game": "misfortune", "rated": 0}),
    ("POST", "/v1/matches", {"game": ["misfortune"]}),
    ("POST", "/v1/matches", {"game": None}),
    ("POST", "/v1/matches", {"game": "misfortune", "options": None, "clock": []}),
    ("POST", "/v1/matches", {"game": "x" * 16_000}),
    ("POST", "/v1/matches", {"game": "misfortune", "options": {"x" * 15_000: 1}}),
    ("POST", "/v1/matches", {"game": "misfortune", "options": {str(i): i for i in range(1000)}}),
    ("POST", "/v1/matches", {"game": "misfortune", "__proto__": {}}),
    ("POST", "/v1/matches", {"Game": "misfortune"}),
    ("POST", "/v1/players", {"name": "x" * 16_000}),
    ("POST", "/v1/players", {"name": ["ab"]}),
    ("POST", "/v1/players", {"name": None}),
    ("POST", "/v1/players", {"name": "ab", "id": "ply_" + "0" * 26}),
    ("POST", "/v1/players/recover", {"name": "ab"}),
    ("POST", "/v1/players/recover", {"name": "ab", "recovery_code": 1}),
    ("POST", "/v1/players/recover", {"name": "ab", "recovery_code": "x" * 101}),
    ("POST", "/v1/matches/{match}/actions", {"turn": "1", "action": {"type": "resign"}}),
    ("POST", "/v1/matches/{match}/actions", {"turn": True, "action": {"type": "resign"}}),
    ("POST", "/v1/matches/{match}/actions", {"turn": 1.0, "action": {"type": "resign"}}),
    ("POST", "/v1/matches/{match}/actions", {"turn": 1, "action": [["type", "resign"]]}),
    ("POST", "/v1/matches/{match}/actions", {"turn": 1, "action": "resign"}),
    ("POST", "/v1/matches/{match}/actions", {"turn": 1, "action": {"type": "resign"}, "seat": 1}),
]


@pytest.mark.parametrize(("method", "path", "body"), WRONG)
def test_json_of_the_wrong_shape_is_refused(
    service: LocalService, ann: Client, bob: Client, method: str, path: str, body: Any
) -> None:
    match = table(ann, bob)
    with nothing_stored(service):
        problem(ann.call(method, path.format(match=match), body), 422, "invalid-request")


@pytest.mark.parametrize(
    "number", ["1e400", "NaN", "1.5", "1.0", "1e0", "true", '"7"', "null", "[]", "{}", str(2**63 - 1), str(2**63), "-1"]
)
def test_an_action_takes_no_strange_number(service: LocalService, ann: Client, bob: Client, number: str) -> None:
    match = table(ann, bob, game="half-deck-poker")
    before = read(ann, match)
    body = f'{{"turn": 1, "action": {{"type": "raise", "chips": {number}}}}}'.encode()
    with nothing_stored(service):
        reply = ann.call("POST", f"/v1/matches/{match}/actions", body)
    assert reply.status in (400, 422)
    problem(reply, reply.status, "invalid-request" if reply.status == 400 else "illegal-action")
    assert read(ann, match) == before


@pytest.mark.parametrize("body", [{"game": "misfortune"}, b"{", b"x" * 20_000])
def test_a_get_takes_no_notice_of_a_body(ann: Client, body: Any) -> None:
    assert ann.call("GET", "/v1/me", body).status == 200


PATHS = [
    "%00",
    "%0A",
    "%0d%0a",
    "%20",
    "%25",
    "%2e%2e",
    "%ff",
    "%c3%28",
    "%ED%A0%80",
    "%F0%9F%92%A5",
    "%u0041",
    "%",
    "%2",
    "%zz",
]
PATHS += [
    "mat_%00",
    "a" * 8000,
    "'",
    '"',
    "`",
    "<script>",
    "{match}",
    "*",
    "$default",
    "mat_01%0A",
    "..;",
    "~",
    "%5c..",
    "\\",
]


@pytest.mark.parametrize("junk", PATHS)
def test_junk_in_a_path_is_an_id_that_is_not_there(service: LocalService, ann: Client, junk: str) -> None:
    requests: list[tuple[str, str, Any]] = [
        ("GET", f"/v1/matches/{junk}", None),
        ("GET", f"/v1/matches/{junk}/log", None),
        ("POST", f"/v1/matches/{junk}/join", {}),
        ("POST", f"/v1/matches/{junk}/actions", {"action": {"type": "resign"}}),
        ("PUT", f"/v1/matches/{junk}/nonce", {"nonce": ""}),
        ("GET", f"/v1/players/{junk}", None),
        ("GET", f"/v1/games/{junk}", None),
        ("DELETE", f"/v1/me/tokens/{junk}", None),
    ]
    with nothing_stored(service):
        for request in requests:
            problem(ann.call(*request), 404, "not-found")


@pytest.mark.parametrize(
    "query",
    [
        "limit",
        "limit&limit",
        "limit=1&limit=2",
        "limit=%31%00",
        "status=open%00",
        "cursor=%00",
        "cursor=%ED%A0%80",
        "cursor",
    ],
)
def test_junk_in_a_query_is_refused(ann: Client, query: str) -> None:
    problem(ann.call("GET", f"/v1/matches?{query}"), 400, "invalid-request")


@pytest.mark.parametrize(
    "query", ["", "?", "&&&", "=", "=x", "%00=%00", "x=1&x=2", "limit=%31", "%6Cimit=1", "status=open#limit=0", "a;b"]
)
def test_what_a_query_may_have_beside_is_passed_over(ann: Client, query: str) -> None:
    assert ann.call("GET", f"/v1/matches?{query}").status == 200


def test_a_refused_action_leaves_the_tag_as_it_was(ann: Client, bob: Client) -> None:
    match = table(ann, bob)

    def tag() -> str:
        return ann.call("GET", f"/v1/matches/{match}").headers["etag"]

    before = tag()
    refusals: list[Reply] = [
        act(ann, match, {"type": "play", "card": card, "claim": "higher"}, 1) for card in ("7h", "", "Zc")
    ]
    assert {reply.status for reply in refusals} == {422}
    assert tag() == before
