"""Reading a request strictly: whatever is malformed is a typed 4xx, before anything happens."""

import base64
import binascii
import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple, NoReturn, TypeVar

import msgspec
from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

from engine.types import EpochMs, Json
from functions.shared.flows.accounts import Identity
from functions.shared.problems import FieldError, Problem, Rejected, malformed
from functions.shared.store.ports import Services
from functions.shared.store.records import Scope

MAX_BODY = 16 * 1024
MAX_DEPTH = 20
MAX_LIMIT, DEFAULT_LIMIT = 100, 20
_DIGITS = 20
"""Characters of the longest number of 64 bits, sign included."""

_KEY = re.compile(r"[!-~]{1,64}")
_JSON_TYPE = re.compile(r"application/json\s*(;\s*charset=\"?utf-8\"?\s*)?", re.IGNORECASE)

Body = TypeVar("Body", bound=msgspec.Struct)


class Request(NamedTuple):
    """One request: who asks (None without a token), the event, and the instant at which it came."""

    services: Services
    event: APIGatewayProxyEventV2
    route: str
    now: EpochMs
    identity: Identity | None

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers by their names in lower case, as payload 2.0 has them."""
        return headers_of(self.event)

    @property
    def player(self) -> str | None:
        """The caller's id, or None."""
        return None if self.identity is None else self.identity.player

    @property
    def caller(self) -> Identity:
        """Who asks, on a route that needs a token."""
        if self.identity is None:
            raise Rejected(Problem.UNAUTHENTICATED, "send a token: Authorization: Bearer <token>")
        return self.identity


def headers_of(event: APIGatewayProxyEventV2) -> Mapping[str, str]:
    """The headers of an event by their names in lower case."""
    headers: Mapping[str, str] = event.raw_event.get("headers") or {}
    return headers


def require(request: Request, scope: Scope) -> None:
    """Raises `Rejected` (forbidden) when the caller's token lacks the scope; who has no token lacks none."""
    if request.identity is not None and scope not in request.identity.scopes:
        raise Rejected(Problem.FORBIDDEN, f"your token lacks the scope {scope}")


def bytes_of(event: APIGatewayProxyEventV2) -> bytes:
    """The body as it was sent. Raises `Rejected`: too-large, invalid-request."""
    text = event.body or ""
    if not event.is_base64_encoded:
        data = text.encode("utf-8", "surrogatepass")
    elif len(text) > 2 * MAX_BODY:
        data = b"\0" * (MAX_BODY + 1)
    else:
        try:
            data = base64.b64decode(text, validate=True)
        except binascii.Error as error:
            raise malformed("the body is not what its encoding says") from error
    if len(data) > MAX_BODY:
        raise Rejected(Problem.TOO_LARGE, f"a body has at most {MAX_BODY} bytes")
    return data


def body(request: Request, shape: type[Body], *, optional: bool = False) -> Body:
    """The JSON body in its shape; an `optional` one may be missing. Raises `Rejected`: too-large, invalid-request."""
    data = bytes_of(request.event)
    if optional and not data:
        return _shaped({}, shape)
    content_type = request.headers.get("content-type", "")
    if not _JSON_TYPE.fullmatch(content_type.strip()):
        raise malformed("send the body as Content-Type: application/json")
    return _shaped(_parsed(data), shape)


def _parsed(data: bytes) -> dict[str, Json]:
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_whole,
        )
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise malformed(f"the body is not JSON: {_reason(error)}") from error
    if not isinstance(value, dict):
        raise malformed("the body must be a JSON object")
    if not _is_plain(data):
        _check_text(value, 0)
    return value


def _is_plain(data: bytes) -> bool:
    """Whether there can't be anything for `_check_text` to find: neither escapes, nor other than ASCII, nor levels."""
    return data.isascii() and b"\\" not in data and data.count(b"{") + data.count(b"[") <= MAX_DEPTH


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "it must be UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)


def _unique(pairs: Iterable[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError("an object has the same name twice")
        found[name] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number is out of range")
    return number


def _whole(text: str) -> int:
    # No field takes as much; 64 bits are what an encoder is sure to write.
    if len(text) > _DIGITS or not -(2**63) <= (number := int(text)) < 2**63:
        raise ValueError("a number is out of range")
    return number


def _check_text(value: Json, depth: int) -> None:
    """Raises `Rejected` for what is no text, and for more levels than any body has."""
    if depth > MAX_DEPTH:
        raise malformed("the body is not JSON: nested too deeply")
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise malformed("the body has a lone surrogate, which is no character")
        if "\ufffd" in value:  # what a gateway makes of bytes that are no UTF-8
            raise malformed("the body is not JSON: it must be UTF-8")
    elif isinstance(value, dict):
        for name, item in value.items():
            _check_text(name, depth)
            _check_text(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _check_text(item, depth + 1)


def _shaped(value: dict[str, Json], shape: type[Body]) -> Body:
    try:
        return msgspec.convert(value, shape, strict=True)
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(" - at `")
        named = re.search(r"field `(.+)`$", text)
        loc = (*re.findall(r"[^$.\[\]`]+", path), *(named.groups() if named else ())) or ("body",)
        problem = Rejected(Problem.INVALID_REQUEST, f"{'.'.join(loc)}: {text}", errors=(FieldError(loc, text),))
        raise problem from error
    except RecursionError as error:
        raise malformed("the body is not JSON: nested too deeply") from error


def idempotency_key(request: Request) -> str | None:
    """The Idempotency-Key, or None. Raises `Rejected` (invalid-request) for one that can't be."""
    key = request.headers.get("idempotency-key")
    if key is not None and not _KEY.fullmatch(key):
        raise malformed("Idempotency-Key must be 1 to 64 visible ASCII characters")
    return key


def params(request: Request) -> dict[str, str]:
    """The query parameters."""
    return request.event.query_string_parameters or {}


def one_of(request: Request, name: str, values: Iterable[str]) -> str | None:
    """The query parameter `name`, or None. Raises `Rejected` (invalid-request) unless it is one of `values`."""
    value = params(request).get(name)
    known = list(values)
    if value is not None and value not in known:
        raise malformed(f"{name} must be one of: " + ", ".join(known))
    return value


def flag(request: Request, name: str) -> bool:
    """Whether the query parameter `name` is true. Raises `Rejected` (invalid-request) unless it is true or false."""
    return one_of(request, name, ("true", "false")) == "true"


def number(request: Request, name: str, low: int, high: int) -> int | None:
    """The integer query parameter `name`, or None. Raises `Rejected` (invalid-request) out of low…high."""
    text = params(request).get(name)
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,10}", text) or not low <= int(text) <= high:
        raise malformed(f"{name} must be an integer from {low} to {high}")
    return int(text)


def limit(request: Request) -> int:
    """How many items the caller wants on a page."""
    return number(request, "limit", 1, MAX_LIMIT) or DEFAULT_LIMIT
