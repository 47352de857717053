"""A webhook's target on this machine, which keeps what it is sent; and the signature, computed by hand."""

import base64
import hashlib
import hmac
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from engine.types import EpochMs
from functions.shared import clock
from functions.shared.store.records import Notice
from infra.client import Client
from tests.service.moments import services
from tests.service.playing import me


class Delivery(NamedTuple):
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def id(self) -> str:
        """What the receiver dedupes by."""
        return self.headers["webhook-id"]


class Receiver:
    """A target. Challenges are echoed while `echoes` is true; events are answered with what `answers` says."""

    def __init__(self) -> None:
        self.url = ""
        self.echoes = True
        self.answers: Callable[[Delivery], int] = lambda _: 200
        self.challenges: list[Delivery] = []
        self.tried: list[Delivery] = []
        """Every event that was sent, also those that were refused."""
        self.got: list[Delivery] = []
        """Those that were taken."""

    def handle(self, delivery: Delivery) -> tuple[int, bytes]:
        """The answer to a request."""
        if delivery.event["type"] == "challenge":
            self.challenges.append(delivery)
            return 200, json.dumps({"challenge": delivery.event["challenge"] if self.echoes else "no"}).encode()
        self.tried.append(delivery)
        status = self.answers(delivery)
        if 200 <= status < 300:
            self.got.append(delivery)
        return status, b""

    @property
    def kinds(self) -> list[tuple[str, int | None]]:
        """What kinds of events were taken, with their turns."""
        return [(one.event["type"], one.event.get("turn")) for one in self.got]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A target that answers within the block."""
    receiver = Receiver()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, answer = receiver.handle(Delivery(self.path, headers, body))
            self.send_response(status)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def signature(secret: str, delivery: Delivery) -> str:
    """What the signature of a delivery must be (standardwebhooks.com)."""
    prefix, _, text = secret.partition("_")
    assert prefix == "whsec"
    content = f"{delivery.id}.{delivery.headers['webhook-timestamp']}.".encode() + delivery.body
    return "v1," + base64.b64encode(hmac.new(base64.b64decode(text), content, hashlib.sha256).digest()).decode()


def hook(client: Client, url: str, *events: str, **more: Any) -> Any:
    """A new webhook of the client's, with its secret; for every event unless some are named."""
    return client.ok("POST", "/v1/webhooks", {"url": url, "events": list(events) or ["*"]}, **more)


def shown(client: Client, webhook: Any) -> Any:
    """The webhook as its owner sees it now."""
    return client.ok("GET", f"/v1/webhooks/{webhook['id']}")


def put(client: Client, *kinds: str, prefix: str = "n", inserted: EpochMs | None = None) -> list[str]:
    """Events that come into the client's inbox; their ids."""
    ids = [f"evt_{prefix}{number}" for number in range(len(kinds))]
    notices = [
        (me(client), Notice(event_id, kind, clock.now(), {"match": "mat_x", "game": "misfortune"}))
        for event_id, kind in zip(ids, kinds, strict=True)
    ]
    services().inbox.put(notices, clock.now() if inserted is None else inserted)
    return ids
