"""The HTTP application of a function: its routes, each a plain function from a request to an answer."""

import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, NamedTuple

import msgspec
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError

from functions.shared import wiring
from functions.shared.clock import now
from functions.shared.http import answer, identity, limiting, problem
from functions.shared.http.answer import Answer
from functions.shared.http.request import Request, headers_of
from functions.shared.http.resolver import Resolver
from functions.shared.log import count, logger, publish
from functions.shared.problems import Problem, Rejected, busy
from functions.shared.store.ports import ConflictError, UnavailableError

Endpoint = Callable[..., Answer]

_UNAVAILABLE = Rejected(
    Problem.TRY_AGAIN,
    "the service is busy; send the request again with the same Idempotency-Key",
    headers={"retry-after": "1"},
)


class Operation(NamedTuple):
    """A route, and what openapi.json says of it."""

    method: str
    path: str
    endpoint: Endpoint
    token: bool
    """Whether it needs a token."""
    body: type[msgspec.Struct] | None
    body_optional: bool
    answers: dict[int, Any]
    """The shape of the body by status."""
    query: dict[str, str]
    """What each query parameter is."""
    problems: tuple[Problem, ...]


class App:
    """A function's routes."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.resolver = Resolver()
        self.resolver.not_found(self._no_route)

    def route(
        self,
        method: str,
        path: str,
        *,
        token: bool = True,
        body: type[msgspec.Struct] | None = None,
        body_optional: bool = False,
        answers: dict[int, Any],
        query: dict[str, str] | None = None,
        problems: tuple[Problem, ...] = (),
    ) -> Callable[[Endpoint], Endpoint]:
        """Declares a route; a path parameter is written `{name}` and comes as an argument of that name."""

        def declare(endpoint: Endpoint) -> Endpoint:
            operation = Operation(method, path, endpoint, token, body, body_optional, answers, query or {}, problems)
            self.operations.append(operation)
            rule = path.replace("{", "<").replace("}", ">")
            self.resolver.route(rule, method=method)(lambda **values: self._serve(operation, values))
            return endpoint

        return declare

    def handle(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """The Lambda handler."""
        try:
            return self.resolver.resolve(event, context)
        finally:
            publish()

    def guarded(self, route: str, make: Callable[[], Response[str]]) -> Response[str]:
        """The response that `make` gives, or the problem for what it raises, which is logged and counted."""
        request_id = self.resolver.event.request_context.request_id or ""
        began = time.perf_counter()
        try:
            response = make()
        except Rejected as rejected:
            response = problem.response(rejected, request_id)
        except ConflictError:
            response = problem.response(busy(), request_id)
        except UnavailableError:
            logger.warning("the database did not answer", exc_info=True)
            response = problem.response(_UNAVAILABLE, request_id)
        except Exception:  # noqa: BLE001 - the last line of defence: whatever it was, the caller gets a problem
            logger.exception("unexpected error")
            response = problem.response(Rejected(Problem.INTERNAL, "this is a fault of ours; try again"), request_id)
        # Of what went well, and how many requests there are, the gateway's access log and metrics tell.
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            status, ms = response.status_code, round(1000 * (time.perf_counter() - began), 1)
            count(f"{status // 100}xx")
            logger.info(route, extra={"status": status, "ms": ms, "request": request_id})
        return response

    def request(self, route: str) -> Request:
        """This thread's request. Raises `Rejected` (unauthenticated) for an invalid token, whatever it asks for."""
        event, at, services = self.resolver.event, now(), wiring.services()
        who = identity.of(services, headers_of(event).get("authorization"), at)
        return Request(services, event, route, at, who)

    def _serve(self, operation: Operation, values: dict[str, str]) -> Response[str]:
        return self.guarded(f"{operation.method} {operation.path}", lambda: self._answer(operation, values))

    def _answer(self, operation: Operation, values: dict[str, str]) -> Response[str]:
        request = self.request(f"{operation.method} {operation.path}")
        if operation.token:
            _ = request.caller
        limiting.require_room(request)
        answered = operation.endpoint(request, **values)
        return answer.response(answered, operation.method, request.headers.get("if-none-match"))

    def _no_route(self, _: NotFoundError) -> Response[str]:
        return self.guarded("no route", self._refuse)

    def _refuse(self) -> Response[str]:
        raise Rejected(Problem.NOT_FOUND, "there is no such path")
