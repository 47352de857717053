"""What a write of a match means to its players: which kinds of news it is stands in the match's item, for the stream's
consumer; the news itself follows from the match as it was written."""

import base64
import hashlib

from engine.match import play
from engine.match.record import Match, Status
from engine.types import EpochMs
from functions.shared.store.records import MatchRecord, Notice

INVITED, STARTED, YOUR_TURN, FINISHED = "invited", "match-started", "your-turn", "match-finished"

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
    return found


def notices(record: MatchRecord, news: list[str]) -> list[tuple[str, Notice]]:
    """What news of these kinds says to whom. The same news always has the same ids."""
    return [(player, _notice(record.match, kind, player)) for kind in news for player in _concerned(record, kind)]


def _concerned(record: MatchRecord, kind: str) -> list[str]:
    match = record.match
    if kind == INVITED:
        return list(record.invited)
    seats = play.asked(match) if kind == YOUR_TURN else range(len(match.seats))
    return [sitter.player for seat in seats if (sitter := match.seats[seat]) is not None and not sitter.bot]


def _notice(match: Match, kind: str, player: str) -> Notice:
    turn = {"turn": match.turn} if kind == YOUR_TURN else {}
    digest = hashlib.sha256(f"{match.id}/{kind}/{turn.get('turn', 0)}/{player}".encode()).digest()
    notice_id = "evt_" + base64.urlsafe_b64encode(digest)[:22].decode()
    return Notice(notice_id, kind, _moment(match, kind), {"match": match.id, "game": match.game} | turn)


def _moment(match: Match, kind: str) -> EpochMs:
    moments = {INVITED: match.created_at, STARTED: match.started_at, YOUR_TURN: match.opened_at}
    return moments.get(kind, match.ended_at)
