"""An HTTP client that costs little, so that what is measured is the service: one request at a time, JSON both ways."""

import re
import socket
from typing import Any
from urllib.parse import urlsplit

import msgspec

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Caller:
    """A connection that stays open."""

    def __init__(self, url: str) -> None:
        """Connect. Raises `OSError`."""
        place = urlsplit(url)
        self._host = place.netloc
        self._socket = socket.create_connection((place.hostname, place.port or 80), timeout=30)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, path: str, token: str | None, body: Any = None) -> Any:
        """The body of a successful answer. Raises `RuntimeError` for any other, `OSError` without one."""
        sent = b"" if body is None else msgspec.json.encode(body)
        lines = [f"POST {path} HTTP/1.1", f"host: {self._host}", f"content-length: {len(sent)}"]
        lines += ["content-type: application/json"] if sent else []
        lines += [f"authorization: Bearer {token}"] if token else []
        self._socket.sendall("\r\n".join((*lines, "\r\n")).encode() + sent)
        data = b""
        while b"\r\n\r\n" not in data:
            data = self._received(data)
        head, _, answer = data.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        while len(answer) < (int(length[1]) if length else 0):
            answer = self._received(answer)
        if not head.startswith(b"HTTP/1.1 2"):
            raise RuntimeError(f"POST {path}: {head.splitlines()[0].decode()} {answer.decode()}")
        return msgspec.json.decode(answer) if answer else None

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _received(self, before: bytes) -> bytes:
        data = self._socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the service closed the connection")
        return before + data
