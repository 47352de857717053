"""Who may see a match."""

from engine.match.record import seat_of
from functions.shared import ids
from functions.shared.problems import Rejected, not_found
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord


def may_see(record: MatchRecord, player: str | None) -> bool:
    """Whether a player (None: nobody that is known) may see the match: everybody, or who sits there or was invited."""
    if not record.private:
        return True
    return player is not None and (seat_of(record.match, player) is not None or player in record.invited)


def look_up(services: Services, match_id: str) -> MatchRecord | None:
    """The match, whoever asks, or None."""
    return services.matches.get(match_id) if ids.is_id(ids.MATCH, match_id) else None


def find(services: Services, match_id: str) -> MatchRecord:
    """The match, whoever asks. Raises `Rejected` (not-found)."""
    record = look_up(services, match_id)
    if record is None:
        raise no_match()
    return record


def find_for(services: Services, match_id: str, player: str | None) -> MatchRecord:
    """The match, if the player may see it. Raises `Rejected` (not-found): what is hidden is as what isn't there."""
    record = find(services, match_id)
    if not may_see(record, player):
        raise no_match()
    return record


def no_match() -> Rejected:
    """The answer for a match that is not there or not for the caller."""
    return not_found("match")
