"""HTTP requests as Lambda events, and Lambda's answers as HTTP replies: payload format 2.0.

The format's page names the fields but not all of their content. What it leaves open follows what HTTP APIs were seen
to do: `rawPath` comes decoded and `rawQueryString` as it was sent; a body is text only when its type is one of a few;
a hop's own headers and the cookies are taken out of `headers`, what a proxy adds is put in.
"""

import base64
import binascii
import json
import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote

from engine.types import EpochMs
from infra.local.context import ACCOUNT
from infra.local.routes import Match
from infra.local.wire import Headers, Reply, Request

Event = dict[str, Any]

_TEXT = frozenset(("application/json", "application/xml", "application/javascript"))
_HOP = frozenset(
    ("connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect")
)
_OURS = _HOP | {"content-length", "date"}
_SENDABLE = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+: [\t -~\xa0-\xff]*")
_PORT = re.compile(r":[0-9]*$")
_PLAIN = ("content-type", "text/plain; charset=utf-8")
_JSON = ("content-type", "application/json")

_ids = random.Random()  # noqa: S311 - they tell requests apart; the system's own chance is slow to come by


class BadAnswer(Exception):
    """The function's answer is none that an HTTP API could pass on."""


class Target(NamedTuple):
    """A request's target, taken apart."""

    path: str
    """Decoded: an encoded slash separates like any other."""
    query: str
    """As it was sent."""


def target(request: Request) -> Target:
    """Split a request's target into path and query; a fragment is dropped."""
    path, _, query = request.target.partition("#")[0].partition("?")
    return Target(unquote(path) if "%" in path else path, query)


def event(request: Request, where: Target, match: Match, source_ip: str, port: int, now: EpochMs) -> Event:
    """Make the event of a request that came from `source_ip` to our `port` at `now`."""
    headers, cookies = _headers(request.headers)
    seconds = now // 1000
    agent = headers.get("user-agent", "")
    headers["x-amzn-trace-id"] = f"Root=1-{seconds:08x}-{_ids.randbytes(12).hex()}"
    through = headers.get("x-forwarded-for")
    headers["x-forwarded-for"] = f"{through}, {source_ip}" if through else source_ip
    headers["x-forwarded-port"] = str(port)
    headers["x-forwarded-proto"] = "http"
    headers["content-length"] = str(len(request.body))
    domain = _PORT.sub("", headers.get("host", "localhost"))
    made: Event = {
        "version": "2.0",
        "routeKey": match.route.key,
        "rawPath": where.path,
        "rawQueryString": where.query,
        "headers": headers,
        "requestContext": {
            "accountId": ACCOUNT,
            "apiId": "local",
            "domainName": domain,
            "domainPrefix": domain.partition(".")[0],
            "http": {
                "method": request.method,
                "path": where.path,
                "protocol": request.protocol,
                "sourceIp": source_ip,
                "userAgent": agent,
            },
            "requestId": base64.b64encode(_ids.randbytes(11)).decode(),
            "routeKey": match.route.key,
            "stage": "$default",
            "time": _time(seconds),
            "timeEpoch": now,
        },
        "isBase64Encoded": False,
    }
    if cookies:
        made["cookies"] = cookies
    if where.query:
        made["queryStringParameters"] = _query(where.query)
    if match.variables:
        made["pathParameters"] = dict(match.variables)
    if request.body:
        made["body"], made["isBase64Encoded"] = _body(request.body, headers.get("content-type", ""))
    return made


def reply(answer: object) -> Reply:
    """Make the HTTP reply of a function's answer. Raises `BadAnswer`."""
    if not isinstance(answer, Mapping) or "statusCode" not in answer:
        # Anything else is taken for the body of a success.
        return Reply(200, (_JSON,), _as_json(answer))
    status = _status(answer["statusCode"])
    headers = list(_answer_headers(answer))
    body = answer.get("body")
    if body is None:
        body = ""
    if not isinstance(body, str):
        raise BadAnswer(f"the body is no string but {type(body).__name__}")
    if body and not any(name.lower() == "content-type" for name, _ in headers):
        headers.append(_PLAIN)
    if not answer.get("isBase64Encoded"):
        return Reply(status, headers, body.encode())
    try:
        return Reply(status, headers, base64.b64decode(body, validate=True))
    except binascii.Error as error:
        raise BadAnswer("the body is not Base64") from error


def _headers(pairs: Headers) -> tuple[dict[str, str], list[str]]:
    headers: dict[str, str] = {}
    cookies: list[str] = []
    for name, value in pairs:
        if name == "cookie":
            cookies += [cookie.strip() for cookie in value.split(";") if cookie.strip()]
        elif name not in _HOP:
            headers[name] = f"{headers[name]},{value}" if name in headers else value
    return headers, cookies


def _query(query: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        parameters[name] = f"{parameters[name]},{value}" if name in parameters else value
    return parameters


def _body(body: bytes, content_type: str) -> tuple[str, bool]:
    kind = content_type.partition(";")[0].strip().lower()
    if kind in _TEXT or kind.startswith("text/"):
        return body.decode(errors="replace"), False
    return base64.b64encode(body).decode(), True


@lru_cache(maxsize=8)
def _time(seconds: int) -> str:
    return time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(seconds))


def _status(value: object) -> int:
    text = str(value)
    if isinstance(value, bool) or not text.isdecimal() or not 200 <= int(text) <= 599:
        raise BadAnswer(f"no status code: {value!r}")
    return int(text)


def _answer_headers(answer: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    headers = answer.get("headers") or {}
    cookies = answer.get("cookies") or ()
    if not isinstance(headers, Mapping) or isinstance(cookies, str) or not isinstance(cookies, Sequence):
        raise BadAnswer("headers are an object, cookies a list")
    pairs = [(name, value) for name, value in headers.items() if value is not None]
    for name, value in pairs + [("set-cookie", cookie) for cookie in cookies]:
        if not isinstance(value, str | int | float):
            raise BadAnswer(f"no header: {name!r}: {value!r}")
        if _is_sent(name, str(value)):
            yield name, str(value).lower() if isinstance(value, bool) else str(value)


@lru_cache(maxsize=256)  # most answers have the same ones
def _is_sent(name: str, value: str) -> bool:
    if not _SENDABLE.fullmatch(f"{name}: {value}"):
        raise BadAnswer(f"no header: {name!r}: {value!r}")
    return name.lower() not in _OURS


def _as_json(answer: object) -> bytes:
    if isinstance(answer, str):
        return answer.encode()
    try:
        return json.dumps(answer, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise BadAnswer("the answer is not JSON") from error
