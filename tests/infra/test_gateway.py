import base64
import json
import re
from pathlib import Path

import pytest

from infra.local.gateway import Gateway
from infra.local.routes import Router
from infra.local.template import Route
from tests.infra.toys import ANY_ORIGIN, Client, ask, echo, serving, stack

EVENTS = Path(__file__).with_name("events")


@pytest.fixture(scope="module")
def port():
    with serving(echo) as gateway:
        yield gateway.port


def recorded(name, port):
    """Give a recorded event and a function that puts its random and local parts into another one."""
    event = json.loads((EVENTS / name).read_text())

    def normalised(other):
        assert re.fullmatch(r"[A-Za-z0-9+/]{15}=", other["requestContext"]["requestId"])
        assert re.fullmatch(r"Root=1-5e5ffb9e-[0-9a-f]{24}", other["headers"]["x-amzn-trace-id"])
        assert other["headers"]["x-forwarded-port"] == str(port)
        other["requestContext"]["requestId"] = event["requestContext"]["requestId"]
        for name in ("x-amzn-trace-id", "x-forwarded-port"):
            other["headers"][name] = event["headers"][name]
        return other

    return event, normalised


# ------------------------------------------------------------------ events


def test_a_request_with_everything_becomes_the_event_that_an_http_api_makes(port):
    event, normalised = recorded("post.json", port)
    with Client(port) as client:
        client.send(
            b"POST /v1/matches/mat%201/actions?a=1&b=x%20y&a=2&c=&d#part HTTP/1.1\r\n"
            b"Host: api.example.org:8443\r\nUser-Agent: agent/1.0\r\nAccept: text/html\r\nAccept: application/json\r\n"
            b"Cookie: one=1; two=2\r\nCOOKIE: three=3\r\nConnection: keep-alive, TE\r\nTE: trailers\r\n"
            b"X-Forwarded-For: 192.0.2.7\r\nIdempotency-Key:   abc  \r\n"
            b"Content-Type: application/json; charset=utf-8\r\nContent-Length: 37\r\n\r\n" + event["body"].encode()
        )
        assert normalised(client.read().json) == event


def test_a_bare_request_has_no_keys_for_what_it_lacks(port):
    event, normalised = recorded("get.json", port)
    assert normalised(ask(port, "GET", "/").json) == event


@pytest.mark.parametrize(
    ("content_type", "text"),
    [
        ("application/json", True),
        ("Application/JSON ; charset=utf-8", True),
        ("text/csv", True),
        ("application/xml", True),
        ("application/javascript", True),
        ("application/x-www-form-urlencoded", False),
        ("multipart/form-data; boundary=x", False),
        ("application/octet-stream", False),
        ("application/vnd.api+json", False),
        (None, False),
    ],
)
def test_a_body_is_text_only_when_its_type_is_known_as_text(port, content_type, text):
    headers = [] if content_type is None else [f"Content-Type: {content_type}"]
    event = ask(port, "POST", "/v1/players", *headers, body=b"a=b").json
    assert (event["isBase64Encoded"], event["body"]) == (not text, "a=b" if text else "YT1i")


def test_bytes_that_are_no_text_reach_the_function_whole_or_as_replacement_characters(port):
    assert ask(port, "POST", "/v1/players", body=b"\xff\x00").json["body"] == base64.b64encode(b"\xff\x00").decode()
    replaced = ask(port, "POST", "/v1/players", "Content-Type: application/json", body=b'"\xff"').json
    assert replaced["body"] == '"\ufffd"'


def test_the_context_describes_the_function():
    def handler(event, context):
        assert 0 < context.get_remaining_time_in_millis() <= 3000
        return {"statusCode": 200, "body": f"{context.function_name} {context.memory_limit_in_mb}"}

    with serving(handler) as gateway:
        assert ask(gateway.port, "GET", "/").body == b"Toy 128"


# ------------------------------------------------------------------ routes


@pytest.mark.parametrize(
    ("method", "path", "key", "variables"),
    [
        ("GET", "/v1/players", "GET /v1/players", None),
        ("POST", "/v1/players/recover", "POST /v1/players/recover", None),
        ("GET", "/v1/players/recover", "GET /v1/players/{player}", {"player": "recover"}),
        ("GET", "/v1/players/a%2Cb", "GET /v1/players/{player}", {"player": "a,b"}),
        ("GET", "/v1/players/%E2%82%AC", "GET /v1/players/{player}", {"player": "€"}),
        ("GET", "/v1/players/a%2Fb", "$default", None),
        ("GET", "/v1/players/", "$default", None),
        ("GET", "/v1/players//", "$default", None),
        ("GET", "/v1//players", "$default", None),
        ("GET", "/V1/players", "$default", None),
        ("DELETE", "/v1/players", "$default", None),
        ("HEAD", "/v1/any", "ANY /v1/any", None),
        ("BREW", "/v1/any?x", "ANY /v1/any", None),
        ("POST", "/v1/matches/m/actions/", "$default", None),
        ("GET", "/../etc", "$default", None),
    ],
)
def test_the_most_specific_route_takes_a_request(method, path, key, variables):
    seen = []

    def handler(event, context):
        seen.append((event["routeKey"], event["requestContext"]["routeKey"], event.get("pathParameters")))
        return {"statusCode": 200}

    with serving(handler) as gateway:
        assert ask(gateway.port, method, path).status == 200
    assert seen == [(key, key, variables)]


def test_of_two_routes_that_fit_the_one_that_names_the_earlier_segment_wins():
    paths = ("/a/{x}/{y}", "/a/{x}/c", "/{z}/b/c", "/a/b/{y}", "/{z}/{x}/c")
    router = Router(Route("GET", path, "Toy") for path in paths)
    found = {path: router.match("GET", path).route.path for path in ("/a/b/c", "/a/q/c", "/a/q/q", "/q/b/c", "/q/q/c")}
    assert found == {
        "/a/b/c": "/a/b/{y}",
        "/a/q/c": "/a/{x}/c",
        "/a/q/q": "/a/{x}/{y}",
        "/q/b/c": "/{z}/b/c",
        "/q/q/c": "/{z}/{x}/c",
    }
    assert router.match("GET", "/a/b/c").variables == {"y": "c"}
    assert router.match("GET", "/a//c") is None


def test_without_a_default_route_what_nothing_takes_is_not_found():
    with serving(echo, stack(routes=(("GET", "/a"),))) as gateway:
        answer = ask(gateway.port, "GET", "/b")
        assert (answer.status, answer.body) == (404, b'{"message":"Not Found"}')


def test_a_greedy_variable_is_refused_at_the_start():
    with pytest.raises(ValueError, match="greedy"):
        Gateway(stack(routes=(("GET", "/{proxy+}"),)), {}, lambda: 0)


def test_a_default_route_has_no_method():
    assert Route("", "$default", "Toy").key == "$default"


# ------------------------------------------------------------------ answers


def replying(answer):
    return serving(lambda event, context: answer)


@pytest.mark.parametrize(
    ("answer", "status", "content_type", "body"),
    [
        ({"statusCode": 201, "body": "é"}, 201, "text/plain; charset=utf-8", "é".encode()),
        ({"statusCode": "202", "headers": {"Content-Type": "a/b"}, "body": "x"}, 202, "a/b", b"x"),
        ({"statusCode": 200, "body": "/wA=", "isBase64Encoded": True}, 200, "text/plain; charset=utf-8", b"\xff\x00"),
        ({"statusCode": 200}, 200, None, b""),
        ({"statusCode": 200, "body": None}, 200, None, b""),
        ({"hello": "world"}, 200, "application/json", b'{"hello": "world"}'),
        ([1, 2], 200, "application/json", b"[1, 2]"),
        ("hello", 200, "application/json", b"hello"),
        (None, 200, "application/json", b"null"),
    ],
)
def test_answers_are_read_as_an_http_api_reads_them(answer, status, content_type, body):
    with replying(answer) as gateway:
        reply = ask(gateway.port, "GET", "/")
    assert (reply.status, reply.headers.get("content-type"), reply.body) == (status, content_type, body)


@pytest.mark.parametrize(
    "answer",
    [
        {"statusCode": 0},
        {"statusCode": 101},
        {"statusCode": 600},
        {"statusCode": True},
        {"statusCode": "ok"},
        {"statusCode": None},
        {"statusCode": 200, "body": {"a": 1}},
        {"statusCode": 200, "body": b"bytes"},
        {"statusCode": 200, "body": "not base64!", "isBase64Encoded": True},
        {"statusCode": 200, "headers": ["a"]},
        {"statusCode": 200, "headers": {"a": ["b"]}},
        {"statusCode": 200, "headers": {"a": "b\r\nset-cookie: c=d"}},
        {"statusCode": 200, "headers": {"a b": "c"}},
        {"statusCode": 200, "headers": {"a": "€"}},
        {"statusCode": 200, "cookies": "a=b"},
        {"value": {1, 2}},
        float("nan"),
    ],
)
def test_an_answer_that_is_none_is_a_server_error_and_its_reason_is_logged(answer, capfd):
    with replying(answer) as gateway:
        reply = ask(gateway.port, "GET", "/")
    assert (reply.status, reply.body) == (500, b'{"message":"Internal Server Error"}')
    assert "BadAnswer" in capfd.readouterr().err


def test_what_a_function_raises_is_logged_and_not_sent(capfd):
    def handler(event, context):
        raise RuntimeError("the dealer dropped the cards")

    with serving(handler) as gateway, Client(gateway.port) as client:
        for _ in range(2):
            reply = client.ask("GET", "/")
            assert (reply.status, reply.body) == (500, b'{"message":"Internal Server Error"}')
    err = capfd.readouterr().err
    assert "Toy failed on $default" in err
    assert "the dealer dropped the cards" in err


def test_headers_and_cookies_are_sent_and_what_belongs_to_the_connection_is_not():
    answer = {
        "statusCode": 200,
        "headers": {
            "ETag": 'W/"1"',
            "X-Count": 3,
            "X-Yes": True,
            "Content-Length": "99",
            "Transfer-Encoding": "chunked",
        },
        "cookies": ["a=1; Path=/", "b=2"],
        "multiValueHeaders": {"X-Many": ["1", "2"]},
        "body": "hi",
    }
    with replying(answer) as gateway:
        reply = ask(gateway.port, "GET", "/")
    assert reply.body == b"hi"
    assert reply.headers["etag"] == 'W/"1"'
    assert (reply.headers["x-count"], reply.headers["x-yes"]) == ("3", "true")
    assert reply.headers["set-cookie"] == "a=1; Path=/; b=2"
    assert reply.headers["content-length"] == "2"
    assert "transfer-encoding" not in reply.headers
    assert "x-many" not in reply.headers
    assert reply.headers["date"] == "Wed, 04 Mar 2020 19:03:58 GMT"


@pytest.mark.parametrize("status", [204, 304])
def test_a_status_without_body_has_neither_body_nor_length(status):
    with replying({"statusCode": status, "headers": {"etag": "x"}}) as gateway, Client(gateway.port) as client:
        for _ in range(2):
            reply = client.ask("GET", "/")
            assert (reply.status, reply.headers["etag"]) == (status, "x")
            assert "content-length" not in reply.headers


def test_head_gets_the_length_and_no_body():
    with replying({"statusCode": 200, "body": "12345"}) as gateway, Client(gateway.port) as client:
        assert client.ask("HEAD", "/").headers["content-length"] == "5"
        assert client.ask("GET", "/").body == b"12345"


# ------------------------------------------------------------------ CORS


def test_a_preflight_goes_to_the_default_route_and_gets_the_headers_of_the_api():
    answer = {"statusCode": 204, "headers": {"Access-Control-Allow-Origin": "https://own.example"}}
    with serving(lambda event, context: answer, stack(ANY_ORIGIN)) as gateway:
        asks = ("Origin: https://a.example", "Access-Control-Request-Method: POST")
        reply = ask(gateway.port, "OPTIONS", "/v1/players", *asks)
    cors = {name: value for name, value in reply.headers.items() if name.startswith("access-control-")}
    assert reply.status == 204
    assert cors == {
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "GET,POST",
        "access-control-allow-headers": "*,authorization",
        "access-control-max-age": "600",
    }


def test_without_a_route_for_it_the_api_answers_a_preflight_itself():
    with serving(echo, stack(ANY_ORIGIN, routes=(("GET", "/a"),))) as gateway:
        reply = ask(gateway.port, "OPTIONS", "/a", "Origin: x", "Access-Control-Request-Method: GET")
    assert (reply.status, reply.headers["access-control-allow-methods"]) == (204, "GET,POST")


@pytest.mark.parametrize("status", [200, 404, 500])
def test_scripts_of_other_origins_may_read_every_answer(status):
    with serving(lambda event, context: {"statusCode": status}, stack(ANY_ORIGIN)) as gateway:
        reply = ask(gateway.port, "GET", "/", "Origin: https://a.example")
        assert reply.headers["access-control-allow-origin"] == "*"
        assert reply.headers["access-control-expose-headers"] == "etag,location"
        assert not any(name.startswith("access-control-") for name in ask(gateway.port, "GET", "/").headers)


def test_an_origin_that_is_not_listed_gets_no_headers():
    cors = ANY_ORIGIN._replace(origins=("https://a.example",))
    with serving(echo, stack(cors)) as gateway:
        allowed = ask(gateway.port, "GET", "/", "Origin: https://a.example").headers
        assert allowed["access-control-allow-origin"] == "https://a.example"
        refused = ask(gateway.port, "GET", "/", "Origin: https://b.example").headers
        assert "access-control-allow-origin" not in refused
