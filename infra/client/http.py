"""A connection to the service: JSON in, JSON out, kept alive between calls. One thread at a time."""

import http.client
import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit


class Reply(NamedTuple):
    """What came back. `body` is None where there is none."""

    status: int
    headers: Mapping[str, str]
    body: Any


class UnexpectedAnswer(Exception):
    """A status other than those that the caller reckons with."""

    def __init__(self, method: str, path: str, reply: Reply) -> None:
        super().__init__(f"{method} {path}: {reply.status} {reply.body}")
        self.reply = reply


class Client:
    """A caller with a token, or without one."""

    def __init__(self, url: str, token: str | None = None, timeout_s: float = 30) -> None:
        self.url = url
        self.token = token
        parts = urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.netloc, timeout=timeout_s)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, object] | None = None,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """One request. `body` is sent as JSON unless it is bytes, which go as they are; `key` is an Idempotency-Key.

        A connection that the other side has closed is opened again once, for requests that may be repeated.
        """
        sent = dict(headers or {})
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if key is not None:
            sent["Idempotency-Key"] = key
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        target = path + ("?" + urlencode(query) if query else "")
        try:
            return self._send(method, target, data, sent)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            self._connection.close()
            if method != "GET" and key is None:
                raise
            return self._send(method, target, data, sent)

    def ok(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """The body of a successful answer. Raises `UnexpectedAnswer`."""
        reply = self.call(method, path, body, **more)
        if reply.status >= 300:
            raise UnexpectedAnswer(method, path, reply)
        return reply.body

    def close(self) -> None:
        """Closes the connection; the next call opens another."""
        self._connection.close()

    def _send(self, method: str, target: str, data: bytes | None, headers: Mapping[str, str]) -> Reply:
        self._connection.request(method, target, data, dict(headers))
        answer = self._connection.getresponse()
        text = answer.read()
        found = {name.lower(): value for name, value in answer.getheaders()}
        is_json = "json" in found.get("content-type", "")
        return Reply(answer.status, found, json.loads(text) if is_json and text else text.decode() or None)
