"""The router of a function: Powertools' resolver, made safe for a process that serves several requests at once.

In Lambda an instance has one request at a time. The local service and the tests run the same handlers in threads.
"""

import re
import threading
from collections.abc import Mapping
from typing import Any, cast

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.api_gateway import ResponseBuilder, Route
from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2
from aws_lambda_powertools.utilities.typing import LambdaContext


class Resolver(APIGatewayHttpResolver):
    """Powertools' resolver, whose state of one request belongs to its thread."""

    def __init__(self) -> None:
        self._thread = threading.local()
        # Debug mode prints whole events, tokens included.
        super().__init__(debug=False)

    @property
    def event(self) -> APIGatewayProxyEventV2:
        """The event of this thread's request."""
        return cast(APIGatewayProxyEventV2, self._thread.event)

    @property
    def current_event(self) -> APIGatewayProxyEventV2:  # type: ignore[override] # Powertools assigns to its base class
        """The event of this thread's request, for Powertools."""
        return self.event

    @property
    def context(self) -> dict[str, Any]:
        """Powertools' notes on this thread's request."""
        notes: dict[str, Any] = self._thread.__dict__.setdefault("context", {})
        return notes

    @context.setter
    def context(self, notes: dict[str, Any]) -> None:
        self._thread.context = notes

    def resolve(self, event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
        """The response to an API Gateway event, payload 2.0."""
        self._thread.event = APIGatewayProxyEventV2(dict(event))
        return super().resolve(event, context)

    @staticmethod
    def _compile_regex(rule: str, base_regex: str = "") -> re.Pattern[str]:
        # A parameter is what stands between two slashes, as for the gateway. Powertools' own pattern leaves out some
        # characters, and lets a line feed follow the last one.
        return re.compile(re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", rule) + r"\Z")

    def _call_route(self, route: Route, route_arguments: dict[str, str]) -> ResponseBuilder[Any]:
        # Without middlewares there is no stack of them to walk through; routes here raise nothing (`App.guarded`) and
        # leave headers of CORS, caching and compression alone.
        return self._response_builder_class(route.func(**route_arguments), self._serializer)
