"""Why the engine refuses: a closed list of codes, each with what was wrong and what is possible."""

from enum import StrEnum


class Code(StrEnum):
    """The reasons for a refusal. Their values are the problem codes of the HTTP API."""

    INVALID_REQUEST = "invalid-request"
    FORBIDDEN = "forbidden"
    CONFLICT = "conflict"
    ALREADY_JOINED = "already-joined"
    MATCH_FULL = "match-full"
    MATCH_NOT_OPEN = "match-not-open"
    MATCH_ACTIVE = "match-active"
    MATCH_OVER = "match-over"
    STALE_TURN = "stale-turn"
    NOT_YOUR_TURN = "not-your-turn"
    ILLEGAL_ACTION = "illegal-action"


class Refused(Exception):
    """A request that the rules do not allow. Whatever it was asked of has not changed.

    `loc` names the part of the request that is at fault, where there is one.
    """

    def __init__(self, code: Code, detail: str, loc: tuple[str, ...] = ()) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.loc = loc


class IllegalAction(Refused):
    """An action that the game does not allow to this seat now."""

    def __init__(self, detail: str) -> None:
        super().__init__(Code.ILLEGAL_ACTION, detail, ("action",))
