"""Seeks as their players see them; nobody else does. The nonce is shown to nobody."""

from typing import Any

import msgspec

from engine.types import EpochMs
from functions.shared.clock import rfc3339
from functions.shared.flows import opponents
from functions.shared.flows.seeks import Sought
from functions.shared.render import match as match_render
from functions.shared.render.match import MatchBody
from functions.shared.store.records import Seek, SeekStatus


class SeekBody(msgspec.Struct):
    """A seek. `accepts` are the lowest and the highest rating that it takes now; null: any, or none any more."""

    id: str
    game: str
    seats: int
    clock: dict[str, Any]
    rating_range: list[int] | None
    rating: int
    accepts: list[int] | None
    status: SeekStatus
    match: str | None
    created_at: str
    expires_at: str


class MatchNow(MatchBody):
    """A match inside another body, with what is of the moment."""

    server_time: str
    poll_after: int


class SoughtBody(msgspec.Struct):
    """What asking for opponents has come to: a match, or a seek that waits. A repeated request shows the seek beside
    the match that was made of it later."""

    match: MatchNow | None
    seek: SeekBody | None


def seek(shown: Seek, now: EpochMs) -> SeekBody:
    """A seek to its player."""
    accepted = opponents.accepted(shown, now)
    is_narrow = shown.status is SeekStatus.WAITING and accepted != opponents.ANYBODY
    return SeekBody(
        shown.id,
        shown.game,
        shown.seats,
        shown.clock,
        None if shown.rating_range is None else list(shown.rating_range),
        shown.rating,
        list(accepted) if is_narrow else None,
        shown.status,
        shown.match or None,
        rfc3339(shown.created_at),
        rfc3339(shown.expires_at),
    )


def sought(shown: Sought, now: EpochMs) -> SoughtBody:
    """The answer to who asks for opponents."""
    record = shown.record
    if record is None:
        return SoughtBody(None, seek(shown.seek, now))
    body = msgspec.structs.asdict(match_render.body(record, shown.seek.player, now))
    match = MatchNow(**body, server_time=rfc3339(now), poll_after=match_render.poll_after(record, now))
    is_later = shown.replayed and not shown.seek.at_once
    return SoughtBody(match, seek(shown.seek, now) if is_later else None)
