"""A tournament at the moment of a request."""

from engine.types import EpochMs
from functions.shared.flows.tournaments import reading, starting
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records_tournament import Phase, TournamentRecord


def current(services: Services, tournament_id: str, now: EpochMs) -> TournamentRecord:
    """The tournament; when its hour has come it has begun to start, though the referee has not been there yet. The
    stream, or the referee, brings it on from there. Raises `Rejected` (not-found)."""
    record = reading.find(services, tournament_id)
    if record.phase is not Phase.OPEN or now < record.starts_at:
        return record
    try:
        return starting.begin(services, record, now)
    except ConflictError:
        return reading.find(services, tournament_id)
