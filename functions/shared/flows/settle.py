"""What follows from a match's end, exactly once: the ratings, then its tournament, then the players' lists. An
unsettled match stays due until it is done."""

from engine.ladder.elo import shown
from engine.match.record import Status
from engine.types import EpochMs
from functions.shared.flows.rate import rate
from functions.shared.flows.tournaments.results import settle_match
from functions.shared.store.ladder_records import LadderEntry
from functions.shared.store.notices import INVITED, kinds, notices
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord, RatedAs

_OVER = (Status.FINISHED, Status.ABORTED)


def settle(services: Services, record: MatchRecord) -> MatchRecord:
    """The record, settled; as it is when that was done, or the match goes on.

    Who is stopped after the rating, or settles twice, finds in the ladder's books what was entered. Raises
    `ConflictError` when somebody else settles it at the same moment.
    """
    if record.settled or record.match.status not in _OVER:
        return record
    entry = rate(services, record)
    settle_match(services, record)
    return services.matches.close(record, record._replace(settled=True, rated_as=_rated_as(record, entry)))


def _rated_as(record: MatchRecord, entry: LadderEntry | None) -> RatedAs | None:
    if entry is None or not record.rated or record.match.status is Status.ABORTED:
        return None
    return RatedAs(entry.reason, tuple((shown(line.before), shown(line.after)) for line in entry.lines))


def make_good(services: Services, record: MatchRecord, now: EpochMs) -> None:
    """Does what the consumers of the stream have not done, or may not have: tells the players, then settles.

    What they know already has the same id. Raises `ConflictError` as `settle`.
    """
    news = kinds(None, record)
    if record.match.status is not Status.OPEN:
        news = [kind for kind in news if kind != INVITED]
    services.inbox.put(notices(record, news), now)
    settle(services, record)


def settle_by_id(services: Services, match_id: str) -> None:
    """Settles a match that the stream names, whatever the record said: what counts is what is stored now."""
    record = services.matches.get(match_id)
    if record is not None:
        settle(services, record)
