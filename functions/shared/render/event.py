"""What a player is told, as the inbox shows it and webhooks carry it."""

from typing import Any

import msgspec

from functions.shared.clock import rfc3339
from functions.shared.store.records import Notice


class EventBody(msgspec.Struct, omit_defaults=True):
    """Something that concerns a player: `your-turn`, `invited`, `match-started`, `match-finished`, `rated`, or of a
    tournament `tournament-invited`, `-promoted`, `-removed`, `-started`, `-ruling`, `-finished`, `-cancelled`."""

    id: str
    type: str
    at: str
    game: str
    match: str | None = None
    tournament: str | None = None
    pairing: str | None = None
    rank: int | None = None
    reason: str | None = None
    turn: int | None = None
    before: int | None = None
    after: int | None = None
    reason_code: str | None = None


def event(notice: Notice) -> dict[str, Any]:
    """One event, to its player. It was composed for them when it happened; what an instance that is newer than this one
    put into it stays."""
    return {"id": notice.id, "type": notice.type, "at": rfc3339(notice.at), **notice.data}
