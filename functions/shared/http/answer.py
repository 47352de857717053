"""What a request comes to, as a response."""

import base64
import hashlib
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from aws_lambda_powertools.event_handler import Response

from engine.types import EpochMs
from functions.shared.clock import rfc3339

JSON = "application/json"
_TAG = 16


class Text(NamedTuple):
    """A body that is not built from data."""

    content_type: str
    text: str


class Answer(NamedTuple):
    """A body, and what stands beside it.

    `server_time` and `poll_after` are of the moment: they are in the body, and not in its ETag.
    """

    body: Any
    status: int = 200
    replayed: bool = False
    location: str | None = None
    server_time: EpochMs | None = None
    poll_after: int | None = None


Item = TypeVar("Item")


class Items(msgspec.Struct, Generic[Item]):
    """A page of a list."""

    items: list[Item]
    next_cursor: str | None


def response(answer: Answer, method: str, if_none_match: str | None) -> Response[str]:
    """The answer over HTTP; 304 when the caller has the same body already."""
    if answer.body is None:
        return Response(answer.status, None, None)
    text = answer.body if isinstance(answer.body, Text) else None
    body = msgspec.json.encode(answer.body) if text is None else text.text.encode()
    headers: dict[str, str | list[str]] = {"cache-control": "no-cache"}
    if answer.replayed:
        headers["idempotency-replayed"] = "true"
    if answer.location is not None:
        headers["location"] = answer.location
    if method == "GET":
        headers["etag"] = etag(body)
        if if_none_match is not None and _has(if_none_match, etag(body)):
            return Response(304, None, None, headers)
    moment = {"poll_after": answer.poll_after} if answer.poll_after is not None else {}
    if answer.server_time is not None:
        body = _with(body, moment | {"server_time": rfc3339(answer.server_time)})
    return Response(answer.status, JSON if text is None else text.content_type, body.decode(), headers)


def etag(body: bytes) -> str:
    """A weak entity tag of the body as the caller sees it."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(body).digest()).decode()
    return f'W/"{digest[:_TAG]}"'


def _has(if_none_match: str, tag: str) -> bool:
    tags = [one.strip() for one in if_none_match.split(",")]
    return "*" in tags or tag in tags or tag.removeprefix("W/") in tags


def _with(body: bytes, more: dict[str, Any]) -> bytes:
    return body[:-1] + b"," + msgspec.json.encode(more)[1:]
