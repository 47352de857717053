"""What follows from a match's end, exactly once: the players' lists. An unsettled match stays due until it is done."""

from engine.match.record import Status
from engine.types import EpochMs
from functions.shared.store.notices import INVITED, kinds, notices
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord

_OVER = (Status.FINISHED, Status.ABORTED)


def settle(services: Services, record: MatchRecord) -> MatchRecord:
    """The record, settled; as it is when that was done, or the match goes on.

    Raises `ConflictError` when somebody else settles it at the same moment.
    """
    if record.settled or record.match.status not in _OVER:
        return record
    return services.matches.close(record, record._replace(settled=True))


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
