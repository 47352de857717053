"""The limits of each route, and the answer to who goes over one."""

from functions.shared import limits, settings
from functions.shared.http.request import Request
from functions.shared.limits import Buckets, Policy
from functions.shared.problems import Problem, Rejected

_buckets = Buckets()

_ACCOUNTS = ("POST /v1/players", "POST /v1/players/recover")
_MOVES = "POST /v1/matches/{match}/actions"


def policy_of(route: str) -> Policy:
    """Which bucket a request comes out of. Moves have their own: reading too often never stops a game."""
    if route in _ACCOUNTS:
        return limits.ACCOUNTS
    if route == _MOVES:
        return limits.MOVES
    return limits.READS if route.startswith("GET ") else limits.WRITES


def require_room(request: Request) -> None:
    """Counts the request. Raises `Rejected` (rate-limited) when its caller asks too often."""
    if not settings.has_limits():
        return
    policy = policy_of(request.route)
    by_address = request.player is None or policy is limits.ACCOUNTS
    source = request.event.request_context.http.source_ip or ""
    who = limits.address(source) if by_address else str(request.player)
    verdict = _buckets.take(policy, who, request.now)
    if verdict.passes:
        return
    window = 60 * policy.burst // policy.per_minute
    raise Rejected(
        Problem.RATE_LIMITED,
        f"too many {policy.name}: the next one may come in {verdict.wait_s} s",
        headers={
            "retry-after": str(verdict.wait_s),
            "ratelimit": f'"{policy.name}";r={verdict.left};t={verdict.wait_s}',
            "ratelimit-policy": f'"{policy.name}";q={policy.burst};w={window}',
        },
    )
