"""HTTP/1.1 on the wire: bytes to requests, replies to bytes; no sockets, no clock.

Strict where two readers could disagree on where a message ends (RFC 9112, sections 2.2, 5, 6, 7, 11): such a
connection gets an error and ends.
"""

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import NamedTuple

MAX_HEAD = 10_240
"""Bytes of request line and headers: the quota of an HTTP API."""
MAX_BODY = 10 * 1024 * 1024
"""Bytes of a body: the quota of an HTTP API."""

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

_TCHARS = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_REQUEST_LINE = re.compile(rf"({_TCHARS}) ([!-~]+) HTTP/([0-9])\.([0-9])\r\n")
_FIELDS = re.compile(rf"(?:{_TCHARS}:[\t -~\x80-\xff]*\r\n)*")
_DIGITS = re.compile(r"[0-9]{1,16}")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[\t ]*;[\t -~\x80-\xff]*)?")
_ABSOLUTE = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_FIRST_BYTES = frozenset(b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\r")

Headers = Sequence[tuple[str, str]]


class Request(NamedTuple):
    """A request as it was sent; header names in lower case, the target's origin form undecoded."""

    method: str
    target: str
    protocol: str
    headers: Headers
    body: bytes
    keep_alive: bool


class Reply(NamedTuple):
    """What to send back; the length and the connection's fate are the wire's business."""

    status: int
    headers: Headers
    body: bytes


class Malformed(Exception):
    """The bytes are no request, or one that is too large: the connection can't go on."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class _Head(NamedTuple):
    method: str
    target: str
    protocol: str
    headers: Headers
    length: int | None
    """Bytes of the body; None when it comes in chunks."""
    keep_alive: bool
    expects: bool


class Reader:
    """Cuts the bytes of one connection into requests."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._head: _Head | None = None
        self._chunks = bytearray()
        self._trailer = 0  # bytes of the trailer section so far, when in it
        self._in_trailer = False

    def feed(self, data: bytes) -> None:
        """Take what arrived."""
        self._bytes += data

    @property
    def waiting(self) -> bool:
        """Whether a request has begun and is not complete."""
        return self._head is not None or bool(self._bytes)

    def next(self) -> Request | None:
        """Give the next complete request, or None when there is none yet. Raises `Malformed`."""
        head = self._head
        if head is None:
            head = self._read_head()
            if head is None:
                return None
            self._head = head
        body = self._read_chunks() if head.length is None else self._read_counted(head.length)
        if body is None:
            return None
        self._head = None
        return Request(head.method, head.target, head.protocol, head.headers, body, head.keep_alive)

    def take_expectation(self) -> bool:
        """Tell, once a request, whether its sender waits for `100 Continue` before it sends the body."""
        head = self._head
        if head is None or not head.expects:
            return False
        self._head = head._replace(expects=False)
        return not self._bytes

    def _read_head(self) -> _Head | None:
        buffer = self._bytes
        if buffer[:2] == b"\r\n":  # an empty line before a request is to be skipped
            del buffer[:2]
        end = buffer.find(b"\r\n\r\n", 0, MAX_HEAD + 4)
        if end < 0:
            _check_begun(buffer)
            return None
        text = buffer[: end + 2].decode("latin-1")
        del buffer[: end + 4]
        return _parse_head(text)

    def _read_counted(self, length: int) -> bytes | None:
        if not length:
            return b""
        buffer = self._bytes
        if len(buffer) < length:
            return None
        body = bytes(buffer[:length])
        del buffer[:length]
        return body

    def _read_chunks(self) -> bytes | None:
        buffer = self._bytes
        while not self._in_trailer:
            end = buffer.find(b"\r\n", 0, 258)
            if end < 0:
                if len(buffer) > 256:
                    raise Malformed(HTTPStatus.BAD_REQUEST)
                return None
            match = _CHUNK.fullmatch(buffer, 0, end)
            if match is None:
                raise Malformed(HTTPStatus.BAD_REQUEST)
            size = int(match[1], 16)
            if len(self._chunks) + size > MAX_BODY:
                raise Malformed(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            if size and len(buffer) < end + 2 + size + 2:
                return None
            if size and buffer[end + 2 + size : end + 4 + size] != b"\r\n":
                raise Malformed(HTTPStatus.BAD_REQUEST)
            self._chunks += buffer[end + 2 : end + 2 + size]
            del buffer[: end + 2 + (size + 2 if size else 0)]
            self._in_trailer = not size
        return self._read_trailer()

    def _read_trailer(self) -> bytes | None:
        """Skip the fields after the last chunk: nobody here reads them, but the next request begins behind them."""
        buffer = self._bytes
        while (end := buffer.find(b"\r\n")) > 0:
            self._trailer += end + 2
            del buffer[: end + 2]
        if self._trailer + len(buffer) > MAX_HEAD and end != 0:
            raise Malformed(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        if end < 0:
            return None
        del buffer[:2]
        body = bytes(self._chunks)
        self._chunks.clear()
        self._trailer, self._in_trailer = 0, False
        return body


def encode(reply: Reply, request: Request | None, date: str) -> bytes:
    """Write a reply to `request`, or, where there was none to read, the last reply of its connection."""
    status = reply.status
    lines = [f"HTTP/1.1 {status} {_PHRASES.get(status, '')}\r\ndate: {date}\r\n"]
    lines += [f"{name}: {value}\r\n" for name, value in reply.headers]
    body = reply.body
    if status in _BODILESS:
        body = b""
    else:
        lines.append(f"content-length: {len(body)}\r\n")
        if request is not None and request.method == "HEAD":
            body = b""
    keep = request is not None and request.keep_alive
    lines.append("connection: keep-alive\r\n\r\n" if keep else "connection: close\r\n\r\n")
    return "".join(lines).encode("latin-1") + body


_PHRASES = {int(status): status.phrase for status in HTTPStatus}
_BODILESS = frozenset((204, 304))


def _check_begun(buffer: bytearray) -> None:
    """Refuse as early as possible what can't become a head."""
    if len(buffer) > MAX_HEAD:
        raise Malformed(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
    if buffer and buffer[0] not in _FIRST_BYTES:  # a TLS greeting, say
        raise Malformed(HTTPStatus.BAD_REQUEST)
    if buffer.count(b"\n") != buffer.count(b"\r\n"):
        raise Malformed(HTTPStatus.BAD_REQUEST)


def _parse_head(text: str) -> _Head:
    line = _REQUEST_LINE.match(text)
    if line is None or _FIELDS.fullmatch(text, line.end()) is None:
        raise Malformed(HTTPStatus.BAD_REQUEST)
    method, target, major, minor = line.groups()
    if major != "1" or minor not in "01":
        raise Malformed(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED)
    if target[0] != "/":
        target = _origin_form(target)
    headers = []
    once: dict[str, str] = {}
    for field in text[line.end() :].split("\r\n")[:-1]:
        name, _, value = field.partition(":")
        name, value = name.lower(), value.strip("\t ")
        headers.append((name, value))
        if name in _FRAMING:
            if name in once and name != "connection":
                raise Malformed(HTTPStatus.BAD_REQUEST)
            once[name] = f"{once[name]},{value}" if name in once else value
    modern = minor == "1"
    if modern and "host" not in once:
        raise Malformed(HTTPStatus.BAD_REQUEST)
    expectation = once.get("expect")
    if expectation is not None and expectation.lower() != "100-continue":
        raise Malformed(HTTPStatus.EXPECTATION_FAILED)
    length = _length(once, modern)
    keep_alive = modern
    if "connection" in once:
        options = [option.strip().lower() for option in once["connection"].split(",")]
        keep_alive = "close" not in options and (modern or "keep-alive" in options)
    expects = modern and expectation is not None and length != 0
    return _Head(method, target, "HTTP/1.1" if modern else "HTTP/1.0", headers, length, keep_alive, expects)


_FRAMING = frozenset(("host", "content-length", "transfer-encoding", "connection", "expect"))
"""Headers that decide how the connection goes on; all but `connection` may come once."""


def _origin_form(target: str) -> str:
    absolute = _ABSOLUTE.match(target)
    if absolute is None:
        raise Malformed(HTTPStatus.BAD_REQUEST)
    rest = target[absolute.end() :]
    return rest if rest.startswith("/") else "/" + rest


def _length(once: dict[str, str], modern: bool) -> int | None:
    coding = once.get("transfer-encoding")
    counted = once.get("content-length")
    if coding is not None:
        if counted is not None or not modern:
            raise Malformed(HTTPStatus.BAD_REQUEST)
        if coding.lower() != "chunked":
            raise Malformed(HTTPStatus.NOT_IMPLEMENTED)
        return None
    if counted is None:
        return 0
    if _DIGITS.fullmatch(counted) is None:
        raise Malformed(HTTPStatus.BAD_REQUEST)
    length = int(counted)
    if length > MAX_BODY:
        raise Malformed(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return length
