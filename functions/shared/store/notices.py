"""What a write of a match means to its players: which kinds of news it is stands in the match's item, for the stream's
consumer; the news itself follows from the match as it was written."""

import base64
import hashlib
from typing import Any

from engine.match import play
from engine.match.record import Match, Status, seat_of
from engine.types import EpochMs
from functions.shared.store.records import MatchRecord, Notice

INVITED, STARTED, YOUR_TURN, FINISHED, RATED = "invited", "match-started", "your-turn", "match-finished", "rated"

_OVER = (Status.FINISHED, Status.ABORTED)


def kinds(before: MatchRecord | None, after: MatchRecord) -> list[str]:
    """The kinds of news that a write of a match is, in the order in which they happened."""
    old, new = None if before is None else before.match, after.match
    status = None if old is None else old.status
    found = []
    if before is None and after.invited:
        found.append(INVITED)
    if new.started_at and status in (None, Status.OPEN) and new.status is not Status.OPEN:
        found.append(STARTED)
    if new.status is Status.ACTIVE and (old is None or old.turn != new.turn):
        found.append(YOUR_TURN)
    if new.status in _OVER and status not in _OVER:
        found.append(FINISHED)
    if after.rated_as is not None and (before is None or before.rated_as is None):
        found.append(RATED)
    return found


def notices(record: MatchRecord, news: list[str]) -> list[tuple[str, Notice]]:
    """What news of these kinds says to whom. The same news always has the same ids."""
    return [(player, _notice(record, kind, player)) for kind in news for player in _concerned(record, kind)]


def _concerned(record: MatchRecord, kind: str) -> list[str]:
    match = record.match
    if kind == INVITED:
        return list(record.invited)
    seats = play.asked(match) if kind == YOUR_TURN else range(len(match.seats))
    return [sitter.player for seat in seats if (sitter := match.seats[seat]) is not None and not sitter.bot]


def _notice(record: MatchRecord, kind: str, player: str) -> Notice:
    match = record.match
    turn = {"turn": match.turn} if kind == YOUR_TURN else {}
    digest = hashlib.sha256(f"{match.id}/{kind}/{turn.get('turn', 0)}/{player}".encode()).digest()
    notice_id = "evt_" + base64.urlsafe_b64encode(digest)[:22].decode()
    data = {"match": match.id, "game": match.game} | turn
    if record.fixture is not None:
        data["tournament"] = record.fixture.tournament
    return Notice(notice_id, kind, _moment(match, kind), data | (_change(record, player) if kind == RATED else {}))


def _change(record: MatchRecord, player: str) -> dict[str, Any]:
    seat, rated_as = seat_of(record.match, player), record.rated_as
    if seat is None or rated_as is None:
        raise LookupError(player)
    before, after = rated_as.changes[seat]
    return {"before": before, "after": after, "reason_code": rated_as.reason or None}


def _moment(match: Match, kind: str) -> EpochMs:
    moments = {INVITED: match.created_at, STARTED: match.started_at, YOUR_TURN: match.opened_at}
    return moments.get(kind, match.ended_at)
