"""A change of a match that no request of a player's is: under its condition, tried again while others write."""

from collections.abc import Callable
from typing import TypeAlias

from engine.match.record import Match, Status, seat_of
from engine.types import EpochMs
from functions.shared.flows.play import unless_expired
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import MatchRecord

Change: TypeAlias = Callable[[Match], Match]


def change_match(services: Services, match_id: str, change: Change, now: EpochMs) -> None:
    """One change of a match under its condition, read and tried again while others write. What is open and has expired
    does so first. Raises `ConflictError`."""
    for _ in range(5):
        record = services.matches.get(match_id)
        if record is None:
            return
        changed = change(unless_expired(record, now))
        if changed is record.match:
            return
        try:
            _save(services, record, record._replace(match=changed))
        except ConflictError:
            continue
        return
    raise ConflictError(match_id)


def _save(services: Services, before: MatchRecord, after: MatchRecord) -> None:
    gone = [s.player for s in before.match.seats if s is not None and seat_of(after.match, s.player) is None]
    if gone and after.match.status is Status.OPEN:
        services.matches.unseat(before, after, gone[0])
    else:
        services.matches.save(before, after)
