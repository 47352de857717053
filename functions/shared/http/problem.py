"""Problems as responses: `application/problem+json` (RFC 9457), from one table of codes."""

import msgspec
from aws_lambda_powertools.event_handler import Response

from functions.shared.problems import Problem, Rejected

CONTENT_TYPE = "application/problem+json"
TYPE_BASE = "https://bluffhouse.dev/problems/"

STATUS: dict[Problem, tuple[int, str]] = {
    Problem.INVALID_REQUEST: (422, "The request is not valid"),
    Problem.UNAUTHENTICATED: (401, "A valid token is needed"),
    Problem.FORBIDDEN: (403, "You may not do this"),
    Problem.NOT_FOUND: (404, "Not found"),
    Problem.METHOD_NOT_ALLOWED: (405, "The path has no such method"),
    Problem.NAME_TAKEN: (409, "The name is taken"),
    Problem.ALREADY_JOINED: (409, "You have a seat already"),
    Problem.MATCH_FULL: (409, "All seats are taken"),
    Problem.MATCH_NOT_OPEN: (409, "The match is not open for this"),
    Problem.MATCH_ACTIVE: (409, "The match goes on"),
    Problem.MATCH_OVER: (409, "The match is over"),
    Problem.NOT_YOUR_TURN: (409, "It is not your turn"),
    Problem.STALE_TURN: (409, "The turn is not open"),
    Problem.LIMIT_REACHED: (409, "A limit is reached"),
    Problem.CONFLICT: (409, "The state does not allow this"),
    Problem.TOO_LARGE: (413, "The body is too large"),
    Problem.ILLEGAL_ACTION: (422, "The rules don't allow this action"),
    Problem.KEY_REUSED: (422, "The idempotency key was used for another request"),
    Problem.RATE_LIMITED: (429, "Too many requests"),
    Problem.INTERNAL: (500, "An error of the service"),
    Problem.TRY_AGAIN: (503, "Try again"),
}
"""Every problem code with its status and title (api.md, "Problem codes")."""


class FieldErrorBody(msgspec.Struct):
    """Where a body is wrong, and how."""

    loc: list[str]
    msg: str


class ProblemBody(msgspec.Struct, omit_defaults=True):
    """What went wrong, for programs (`code`) and people (`detail`)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    errors: list[FieldErrorBody] | None = None


def response(rejected: Rejected, request_id: str) -> Response[str]:
    """The response to a request that is not carried out."""
    status, title = STATUS[rejected.code]
    status = rejected.status or status
    errors = [FieldErrorBody(list(error.loc), error.msg) for error in rejected.errors]
    problem = ProblemBody(
        TYPE_BASE + rejected.code, title, status, rejected.detail, rejected.code, request_id, errors or None
    )
    headers: dict[str, str | list[str]] = {**rejected.headers}
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    return Response(status, CONTENT_TYPE, msgspec.json.encode(problem).decode(), headers)
