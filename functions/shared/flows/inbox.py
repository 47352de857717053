"""What players are told: derived from a match before and after a write, so that it can be derived again."""

import base64
import hashlib
from typing import NamedTuple

from engine.match import play
from engine.match.record import Match, Status
from engine.types import EpochMs
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord, Notice

SETTLED_MS = 30_000
"""What was inserted less than this ago may still get company before it: no cursor points past it."""

_OVER = (Status.FINISHED, Status.ABORTED)


class Told(NamedTuple):
    """A page of an inbox, and where to go on."""

    notices: tuple[Notice, ...]
    next: str


def notices(before: MatchRecord | None, after: MatchRecord) -> list[tuple[str, Notice]]:
    """What a write of a match means to its players. The same write always gives the same ids."""
    old, new = None if before is None else before.match, after.match
    status = None if old is None else old.status
    told: list[tuple[str, Notice]] = []
    if before is None:
        told += [(player, _notice(new, "invited", player, new.created_at)) for player in after.invited]
    if new.started_at and status in (None, Status.OPEN) and new.status is not Status.OPEN:
        told += _all(new, "match-started", new.started_at)
    if new.status is Status.ACTIVE and (old is None or old.turn != new.turn):
        told += [
            (sitter.player, _notice(new, "your-turn", sitter.player, new.opened_at))
            for seat in play.asked(new)
            if (sitter := new.seats[seat]) is not None and not sitter.bot
        ]
    if new.status in _OVER and status not in _OVER:
        told += _all(new, "match-finished", new.ended_at)
    return told


def _all(match: Match, kind: str, at: EpochMs) -> list[tuple[str, Notice]]:
    people = [sitter.player for sitter in match.seats if sitter is not None and not sitter.bot]
    return [(player, _notice(match, kind, player, at)) for player in people]


def _notice(match: Match, kind: str, player: str, at: EpochMs) -> Notice:
    digest = hashlib.sha256(f"{match.id}/{kind}/{match.turn}/{player}".encode()).digest()
    notice_id = "evt_" + base64.urlsafe_b64encode(digest)[:22].decode()
    data = {"match": match.id, "game": match.game}
    return Notice(notice_id, kind, at, data | ({"turn": match.turn} if kind == "your-turn" else {}))


def read(services: Services, player: str, after: str | None, limit: int, now: EpochMs) -> Told:
    """Notices after a place in the order of insertion. The next place never lies within the last 30 s, so what comes
    in between is not missed; what is read twice has the same id."""
    start = after or ""
    page = services.inbox.read(player, start, limit)
    settled = f"{now - SETTLED_MS:013d}"
    reached = [place for place in page.places if place < settled]
    return Told(page.notices, reached[-1] if reached else start)
