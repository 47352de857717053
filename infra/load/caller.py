"""An HTTP client that costs little, so that what is measured is the service: one request at a time, JSON both ways."""

import re
import socket
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

_HEAD = re.compile(rb"HTTP/1\.1 (\d+).*?\r\ncontent-length: *(\d+).*?\r\n\r\n", re.IGNORECASE | re.DOTALL)


class Post(NamedTuple):
    """A request."""

    path: str
    token: str | None
    body: Any = None


class Caller:
    """A connection that stays open."""

    def __init__(self, url: str) -> None:
        """Connect. Raises `OSError`."""
        place = urlsplit(url)
        self.socket = socket.create_connection((place.hostname, place.port or 80), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._host = place.netloc
        self._data = b""

    def send(self, post: Post) -> None:
        """Ask something; the answer to the last question has been taken. Raises `OSError`."""
        body = b"" if post.body is None else msgspec.json.encode(post.body)
        lines = [f"POST {post.path} HTTP/1.1", f"host: {self._host}", f"content-length: {len(body)}"]
        lines += ["content-type: application/json"] if body else []
        lines += [f"authorization: Bearer {post.token}"] if post.token else []
        self.socket.sendall("\r\n".join((*lines, "\r\n")).encode() + body)

    def take(self) -> Any:
        """The body of the answer, once all of it has come; None before. Waits for the next bytes.

        Raises `RuntimeError` for an answer that is no success, `OSError` without one.
        """
        data = self.socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the service closed the connection")
        self._data += data
        head = _HEAD.match(self._data)
        if head is None or len(self._data) < head.end() + int(head[2]):
            return None
        answer, self._data = self._data[head.end() :], b""
        if not head[1].startswith(b"2"):
            raise RuntimeError(f"{head[1].decode()} {answer.decode()}")
        return msgspec.json.decode(answer)
