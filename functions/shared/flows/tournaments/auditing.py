"""Who may change a tournament, how a change is written, and what is kept of it."""

from collections.abc import Callable, Mapping

from engine.types import EpochMs, Json
from functions.shared import ids
from functions.shared.flows.tournaments import life
from functions.shared.flows.tournaments.moves import ATTEMPTS, rest
from functions.shared.problems import Problem, Rejected, busy, not_found
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records_tournament import AuditEntry, Change, TournamentRecord


def require_organizer(record: TournamentRecord, player: str) -> None:
    """Raises `Rejected` (forbidden) unless the player organizes the tournament."""
    if player not in record.organizers:
        raise Rejected(Problem.FORBIDDEN, "only an organizer of the tournament may do this")


def entry(
    services: Services,
    player: str,
    action: str,
    now: EpochMs,
    reason: str = "",
    *,
    before: Mapping[str, Json] | None = None,
    after: Mapping[str, Json] | None = None,
) -> AuditEntry:
    """What is kept of an action."""
    audit_id = ids.new(ids.AUDIT, now, services.random_bytes)
    return AuditEntry(audit_id, now, player, action, reason, dict(before or {}), dict(after or {}))


def changed(
    services: Services, record: TournamentRecord, step: Callable[[TournamentRecord], Change]
) -> TournamentRecord:
    """The tournament after a step, which is taken on what is stored and tried again while others write; a change that
    names no record changes nothing. Raises `Rejected`: try-again, and whatever the step does."""
    for attempt in range(ATTEMPTS):
        change = step(record)
        if change.record is None:
            return record
        try:
            return life.written(services, change)
        except ConflictError:
            rest(services, attempt)
            fresh = services.tournaments.get(record.id)
            if fresh is None:
                raise not_found("tournament") from None
            record = fresh
    raise busy()
