"""Why a request is refused: the API's problem codes, and the error that carries one."""

from enum import StrEnum
from typing import NamedTuple

from engine.errors import Refused


class Problem(StrEnum):
    """Every problem code of the API (api.md, "Problem codes"). The engine's codes have the same values."""

    INVALID_REQUEST = "invalid-request"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not-found"
    METHOD_NOT_ALLOWED = "method-not-allowed"
    NAME_TAKEN = "name-taken"
    ALREADY_JOINED = "already-joined"
    MATCH_FULL = "match-full"
    MATCH_NOT_OPEN = "match-not-open"
    MATCH_ACTIVE = "match-active"
    MATCH_OVER = "match-over"
    NOT_YOUR_TURN = "not-your-turn"
    STALE_TURN = "stale-turn"
    LIMIT_REACHED = "limit-reached"
    CONFLICT = "conflict"
    TOO_LARGE = "too-large"
    ILLEGAL_ACTION = "illegal-action"
    KEY_REUSED = "key-reused"
    RATE_LIMITED = "rate-limited"
    TRY_AGAIN = "try-again"
    INTERNAL = "internal"


class FieldError(NamedTuple):
    """Where a body is wrong, and how."""

    loc: tuple[str, ...]
    msg: str


class Rejected(Exception):
    """A request that the service does not carry out, with what its sender can do about it."""

    def __init__(
        self,
        code: Problem,
        detail: str,
        *,
        status: int | None = None,
        errors: tuple[FieldError, ...] = (),
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.status = status
        self.errors = errors
        self.headers = headers or {}


def not_found(what: str) -> Rejected:
    """The one answer for what does not exist and for what the caller may not see."""
    return Rejected(Problem.NOT_FOUND, f"there is no such {what}")


def malformed(detail: str) -> Rejected:
    """A request that can't be read: 400."""
    return Rejected(Problem.INVALID_REQUEST, detail, status=400)


def invalid(loc: tuple[str, ...], msg: str) -> Rejected:
    """A body that can be read and is wrong at `loc`: 422."""
    return Rejected(Problem.INVALID_REQUEST, f"{'.'.join(loc)}: {msg}", errors=(FieldError(loc, msg),))


def busy() -> Rejected:
    """The answer when others got in between; nothing was changed, or the same key finishes it."""
    detail = "many requests for this at once; send it again with the same Idempotency-Key"
    return Rejected(Problem.TRY_AGAIN, detail, headers={"retry-after": "1"})


def from_engine(refused: Refused) -> Rejected:
    """The engine's refusal as the API's."""
    code = Problem(refused.code.value)
    if code is Problem.INVALID_REQUEST:
        return invalid(refused.loc, refused.detail)
    return Rejected(code, refused.detail)
