"""A small stack and an HTTP client that shows every byte, for the tests of the local service."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from infra.local.gateway import Gateway, Handler
from infra.local.server import Chore
from infra.local.template import Cors, Function, Route, Stack

NOW = 1_583_348_638_390
"""4 March 2020, 19:03:58.390 UTC."""

ROUTES = (
    ("GET", "/v1/players"),
    ("POST", "/v1/players"),
    ("POST", "/v1/players/recover"),
    ("GET", "/v1/players/{player}"),
    ("DELETE", "/v1/me/tokens/{token}"),
    ("POST", "/v1/matches/{match}/actions"),
    ("ANY", "/v1/any"),
    ("", "$default"),
)

ANY_ORIGIN = Cors(("*",), ("GET", "POST"), ("*", "authorization"), ("etag", "location"), 600)


def echo(event: Any, context: Any) -> dict[str, Any]:
    """Answer with the event."""
    return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": json.dumps(event)}


def stack(cors: Cors | None = None, routes: tuple[tuple[str, str], ...] = ROUTES) -> Stack:
    """Give a stack of one function behind some routes."""
    function = Function("Toy", "toys.handler", {}, 128, 3, frozenset())
    return Stack({"Toy": function}, tuple(Route(*route, "Toy") for route in routes), (), (), (), cors)


@contextmanager
def serving(handler: Handler, toy: Stack | None = None, chore: Chore | None = None) -> Iterator[Gateway]:
    """Run a gateway before one handler."""
    gateway = Gateway(toy or stack(), {"Toy": handler}, lambda: NOW, chore=chore)
    gateway.start()
    try:
        yield gateway
    finally:
        gateway.stop()


class Answer(NamedTuple):
    """A reply, taken apart."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """One connection."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self._stream = self.socket.makefile("rb")

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read(self, *, to_head: bool = False) -> Answer:
        """Read one reply; `to_head` says that it answers HEAD and has no body."""
        line = self._stream.readline()
        assert line, "the connection was closed"
        headers: dict[str, str] = {}
        while (field := self._stream.readline()) != b"\r\n":
            name, _, value = field.decode("latin-1").partition(":")
            key = name.lower()
            headers[key] = f"{headers[key]}; {value.strip()}" if key in headers else value.strip()
        length = 0 if to_head else int(headers.get("content-length", 0))
        return Answer(int(line.split()[1]), headers, self._stream.read(length))

    def ask(self, method: str, target: str, *headers: str, body: bytes = b"") -> Answer:
        fields = [f"{method} {target} HTTP/1.1", "Host: localhost", *headers]
        if body:
            fields.append(f"Content-Length: {len(body)}")
        self.send("".join(f"{field}\r\n" for field in [*fields, ""]).encode("latin-1") + body)
        return self.read(to_head=method == "HEAD")

    def is_closed(self) -> bool:
        """Whether the server has ended the connection, after nothing more."""
        return self._stream.read() == b""


def ask(port: int, method: str, target: str, *headers: str, body: bytes = b"") -> Answer:
    """Ask over a connection of its own."""
    with Client(port) as client:
        return client.ask(method, target, *headers, body=body)
