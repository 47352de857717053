"""The idempotency key of a request, as the flows know it."""

from typing import Any

from functions.shared.flows.marks import Key, key_of
from functions.shared.http.request import Request, idempotency_key


def key_for(request: Request, content: Any) -> Key:
    """The key of the caller's request with this content. Raises `Rejected`: unauthenticated, invalid-request."""
    # It belongs to the path: the same key at another match is another request.
    route = f"{request.event.http_method} {request.event.raw_path}"
    return key_of(request.services, request.caller.player, route, idempotency_key(request), content)
