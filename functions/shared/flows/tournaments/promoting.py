"""The waiting list: who has waited longest moves up where a place is free, until the start."""

from engine.types import EpochMs
from functions.shared.flows.tournaments import life, telling
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records_tournament import (
    Change,
    EntryRecord,
    EntryState,
    TournamentRecord,
)

PROMOTIONS = 20
"""Players who move up in a call."""

_UP = {EntryState.WAITLISTED: EntryState.ENTERED, EntryState.WAITING_CHECKED_IN: EntryState.CHECKED_IN}


def next_up(services: Services, record: TournamentRecord) -> tuple[EntryRecord, EntryRecord] | None:
    """The entry of who has waited longest, before and after it has a place; None when nobody waits. Raises
    `ConflictError` when they have left at this moment."""
    player = services.tournaments.first_waiting(record.id)
    if player is None:
        return None
    entry = services.tournaments.entry(record.id, player)
    if entry is None or entry.state not in _UP:
        raise ConflictError(player)
    return entry, entry._replace(state=_UP[entry.state])


def promote(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    """Gives places that a larger capacity has made free to those who wait."""
    for _ in range(PROMOTIONS):
        waiting = next_up(services, record) if record.entered < record.registration.capacity else None
        if waiting is None:
            return life.written(services, Change(record.id, record, life.at_rest(record)))
        after = life.reached(record, record.cursor, now)
        told = telling.news(record, telling.PROMOTED, [waiting[1].player], now)
        change = Change(record.id, record, after, entered=1, waitlisted=-1, entries=(waiting,), told=told)
        record = life.written(services, change)
    return record
