"""Who may change a tournament, how a change is written, and what is kept of it."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from engine.types import EpochMs, Json
from functions.shared import ids
from functions.shared.flows.marks import Key, recall, to_remember
from functions.shared.flows.tournaments import life
from functions.shared.flows.tournaments.moves import ATTEMPTS, rest
from functions.shared.problems import Problem, Rejected, busy, not_found
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records_tournament import AuditEntry, Change, TournamentRecord

UNKEYED = Key("", "", "", is_given=False)
"""Of a request that takes no key: it comes to the same however often it is sent."""


class Outcome(NamedTuple):
    """A tournament after a request, and whether that had been carried out before."""

    record: TournamentRecord
    replayed: bool = False


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
    services: Services,
    record: TournamentRecord,
    step: Callable[[TournamentRecord], Change],
    now: EpochMs,
    key: Key = UNKEYED,
) -> Outcome:
    """The tournament after a step, which is taken on what is stored and tried again while others write; a change that
    names no record changes nothing of it. What the key came for before is not done again.

    Raises `Rejected`: key-reused, try-again, and whatever the step does.
    """
    for attempt in range(ATTEMPTS):
        if recall(services, key, now) is not None:
            return Outcome(record, replayed=True)
        change = step(record)._replace(remembered=to_remember(key, (record.id,), now))
        try:
            return Outcome(_written(services, record, change))
        except ConflictError:
            rest(services, attempt)
            fresh = services.tournaments.get(record.id)
            if fresh is None:
                raise not_found("tournament") from None
            record = fresh
    raise busy()


def _written(services: Services, record: TournamentRecord, change: Change) -> TournamentRecord:
    if change.record is not None:
        return life.written(services, change)
    if change.remembered is not None:
        services.tournaments.commit(change)
    return record
