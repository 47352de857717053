"""The log of a match, its tail and the parts that were put away as one."""

from engine.match.log import shown
from engine.match.record import published, seat_of
from engine.types import Json
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord


def length(record: MatchRecord) -> int:
    """The number of the last event."""
    return published(record.match)


def read(services: Services, record: MatchRecord, player: str | None, after: int, limit: int) -> list[dict[str, Json]]:
    """Up to `limit` events after number `after`, as a player (None: nobody that is known) may know them."""
    match = record.match
    viewer = None if player is None else seat_of(match, player)
    last = min(after + limit, length(record))
    entries = dict(enumerate(match.log, match.put_away + 1))
    if after < min(last, match.put_away):
        begins = [part.first for part in record.parts if part.first <= after + 1]
        for part in services.matches.log_parts(match.id, begins[-1], last):
            entries |= dict(enumerate(part.entries, part.first))
    return [shown(entries[number], number, viewer, match.turn) for number in range(after + 1, last + 1)]
