"""The HTTP API of the local service: routes requests to handlers as API Gateway does."""

import sys
import traceback
from collections.abc import Callable, Mapping
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from engine.types import EpochMs
from infra.local import events
from infra.local.context import LambdaContext
from infra.local.routes import Router
from infra.local.server import Chore, Server, message
from infra.local.template import Cors, Stack
from infra.local.wire import Reply, Request

Handler = Callable[[Any, Any], Any]
Local = Callable[[Request], Reply]

_CORS_PREFIX = "access-control-"


class Gateway:
    """An HTTP server in front of handlers.

    `handlers` are by the name of their function; `now` is the service's time; `local` are exact paths that the
    gateway answers without any function, for what a deployed API does not have. `chore` is done between two answers.
    """

    def __init__(
        self,
        stack: Stack,
        handlers: Mapping[str, Handler],
        now: Callable[[], EpochMs],
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        local: Mapping[str, Local] | None = None,
        chore: Chore | None = None,
    ) -> None:
        """Bind the address, port 0 being any free one. Raises `OSError` when it is taken."""
        self._functions = stack.functions
        self._handlers = handlers
        self._router = Router(stack.routes)
        self._cors = stack.cors
        self._now = now
        self._local = local or {}
        self._server = Server(self._answer, lambda: _date(now() // 1000), host, port, chore)
        self.port = self._server.port

    def start(self) -> None:
        """Serve, in the background."""
        self._server.start()

    def stop(self) -> None:
        """Let the calls under way end, and close the connections."""
        self._server.stop()

    def wake(self) -> None:
        """Say, in any thread, that there is a chore."""
        self._server.wake()

    def _answer(self, request: Request, source_ip: str) -> Reply:
        where = events.target(request)
        if (local := self._local.get(where.path)) is not None:
            return local(request)
        match = self._router.match(request.method, where.path)
        if match is not None:
            event = events.event(request, where, match, source_ip, self.port, self._now())
            status, headers, body = self._invoke(match.route.function, event)
            reply = Reply(status, [*headers, ("apigw-requestid", event["requestContext"]["requestId"])], body)
        elif self._cors is not None and request.method == "OPTIONS":
            reply = Reply(204, (), b"")
        else:
            reply = message(HTTPStatus.NOT_FOUND)
        return reply if self._cors is None else _with_cors(reply, request, self._cors)

    def _invoke(self, name: str, event: events.Event) -> Reply:
        try:
            answer = self._handlers[name](event, LambdaContext(self._functions[name]))
            return events.reply(answer)
        except Exception:  # noqa: BLE001 - whatever a function raises, its caller gets a 500 and its log the reason
            sys.stderr.write(f"{name} failed on {event['routeKey']}\n{traceback.format_exc()}")
            return message(HTTPStatus.INTERNAL_SERVER_ERROR)


def _with_cors(reply: Reply, request: Request, cors: Cors) -> Reply:
    """Replace a function's CORS headers by the API's, which only requests with an Origin get.

    An OPTIONS request goes to its route or the default one like any other; only its headers are the API's doing.
    """
    headers = [pair for pair in reply.headers if not pair[0].lower().startswith(_CORS_PREFIX)]
    sent = dict(request.headers)
    origin = sent.get("origin")
    allowed = _allowed_origin(origin, cors) if origin else None
    if allowed is None:
        return reply._replace(headers=headers)
    headers.append(("access-control-allow-origin", allowed))
    if request.method == "OPTIONS" and "access-control-request-method" in sent:
        headers.append(("access-control-allow-methods", ",".join(cors.methods)))
        headers.append(("access-control-allow-headers", ",".join(cors.headers)))
        if cors.max_age is not None:
            headers.append(("access-control-max-age", str(cors.max_age)))
    elif cors.exposed:
        headers.append(("access-control-expose-headers", ",".join(cors.exposed)))
    return reply._replace(headers=headers)


def _allowed_origin(origin: str, cors: Cors) -> str | None:
    if "*" in cors.origins:
        return "*"
    return origin if origin in cors.origins else None


@lru_cache(maxsize=8)
def _date(seconds: int) -> str:
    return formatdate(seconds, usegmt=True)
