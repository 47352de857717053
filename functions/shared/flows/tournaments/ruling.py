"""Rulings of organizers: an open pairing is settled, a settled one overturned (tournaments.md, "Rulings")."""

from collections.abc import Callable
from typing import NamedTuple

from engine import tournament as engine
from engine.errors import Refused
from engine.tournament import rulings
from engine.tournament.protocol import Key as Place
from engine.tournament.protocol import Pairing
from engine.tournament.rulings import Impact
from engine.types import EpochMs
from functions.shared import ids
from functions.shared.flows.marks import Key, recall, to_remember
from functions.shared.flows.tournaments import auditing, life, telling
from functions.shared.flows.tournaments.attending import attend
from functions.shared.flows.tournaments.auditing import require_organizer
from functions.shared.flows.tournaments.moves import ATTEMPTS, bumped, changed_by, rest, stored
from functions.shared.problems import Problem, Rejected, busy, from_engine, not_found
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records_tournament import (
    Change,
    EntryState,
    PairingRecord,
    Phase,
    Step,
    TournamentRecord,
)

READ = 100
"""Entries of one read."""


class Ruling(NamedTuple):
    """A pairing after a ruling, and whether the request came before."""

    pairing: PairingRecord
    record: TournamentRecord
    replayed: bool = False


class _Case(NamedTuple):
    """What a ruling is about: the pairing, and all that it may touch."""

    pairing: PairingRecord
    lookup: Callable[[Place], Pairing | None]
    known: dict[Place, PairingRecord]
    """What has been looked up."""
    later: tuple[Pairing, ...]


def impact(
    services: Services, record: TournamentRecord, organizer: str, pairing_id: str, ranks: tuple[int, ...]
) -> Impact:
    """What a ruling would make void: followers that are open, being played, played; their keys. Raises `Rejected` as
    `rule`."""
    require_organizer(record, organizer)
    case = _case(services, record, pairing_id)
    try:
        gone = _withdrawn(services, record, case, ranks)
        return rulings.impact(life.topology(record), case.pairing.pairing, ranks, case.lookup, case.later, gone)
    except Refused as refused:
        raise from_engine(refused) from refused


def rule(
    services: Services,
    record: TournamentRecord,
    organizer: str,
    pairing_id: str,
    ranks: tuple[int, ...],
    reason: str,
    cascade: bool,
    key: Key,
    now: EpochMs,
) -> Ruling:
    """The pairing, settled as the organizer says: ranks by side, 1, 2, 2, 4; (2, 2) of two puts both out.

    Raises `Rejected`: forbidden, not-found (no such pairing), invalid-request (impossible ranks), conflict (nobody to
    rule on; followers have begun and `cascade` is not given; not running), key-reused, try-again.
    """
    require_organizer(record, organizer)
    if recall(services, key, now) is not None:
        return Ruling(find_pairing(services, record, pairing_id), record, replayed=True)
    for attempt in range(ATTEMPTS):
        case = _case(services, record, pairing_id)
        pairing = case.pairing.pairing
        try:
            gone = _withdrawn(services, record, case, ranks)
            changed = rulings.rule(life.topology(record), pairing, ranks, case.lookup, case.later, cascade, gone)
        except Refused as refused:
            raise from_engine(refused) from refused
        if not changed:
            return Ruling(case.pairing, record)
        change = _decided(services, record, case, changed, now)
        before, after = _outcome(pairing), _outcome(changed[0])
        what = {"pairing": pairing_id, "cascade": [str(pairing.key) for pairing in changed[1:]]}
        audit = auditing.entry(services, organizer, "ruling", now, reason, before=before, after={**after, **what})
        change = change._replace(audit=(audit,), remembered=to_remember(key, (pairing_id,), now))
        telling.tell(
            services, record, telling.RULING, _concerned(case, changed), now, now, pairing=pairing_id, reason=reason
        )
        try:
            services.tournaments.commit(change)
        except ConflictError:
            rest(services, attempt)
            record = services.tournaments.get(record.id) or record
            continue
        record = stored(change, record)
        attend(services, record, bumped(change.pairings), now, now)
        return Ruling(services.tournaments.pairings(record.id, [changed[0].key])[changed[0].key], record)
    raise busy()


def find_pairing(services: Services, record: TournamentRecord, pairing_id: str) -> PairingRecord:
    """The pairing with an id, blank if nobody is known of it yet. Raises `Rejected` (not-found)."""
    key = _key_of(record, pairing_id)
    pairing = None if key is None else services.tournaments.pairings(record.id, [key]).get(key)
    if pairing is None and key is not None and not engine.by_rounds(life.topology(record)):
        pairing = PairingRecord(engine.blank(life.topology(record), key))
    if pairing is None:
        raise not_found("pairing")
    return pairing


def _key_of(record: TournamentRecord, pairing_id: str) -> Place | None:
    """The ids of all pairings are derived; one of them is this, or none: some hundredths of a second with 10,000."""
    if not ids.is_id(ids.PAIRING, pairing_id) or not record.round:
        return None
    keys = (
        Place(shape.stage, shape.round, place)
        for shape in engine.shapes(life.topology(record))
        for place in range(1, shape.pairings + 1)
    )
    return next((key for key in keys if life.pairing_id(record.id, key) == pairing_id), None)


def _case(services: Services, record: TournamentRecord, pairing_id: str) -> _Case:
    if record.phase is not Phase.RUNNING:
        raise Rejected(Problem.CONFLICT, f"the tournament is {record.phase}; rulings are for one that is running")
    if record.step not in (Step.REST, Step.CALL):
        raise busy()
    pairing = find_pairing(services, record, pairing_id)
    known: dict[Place, PairingRecord] = {}

    def lookup(key: Place) -> Pairing | None:
        if key not in known:
            known.update(services.tournaments.pairings(record.id, [key]))
        return known[key].pairing if key in known else None

    if pairing.version:
        known[pairing.pairing.key] = pairing
    later: tuple[Pairing, ...] = ()
    if engine.find(record.format).REBUILDS and pairing.pairing.key.round < record.round:
        place = pairing.pairing.key
        after = services.tournaments.all_pairings(record.id, Place(place.stage, place.round + 1, 0))
        later = tuple(one.pairing for one in after)
    return _Case(pairing, lookup, known, later)


def _withdrawn(services: Services, record: TournamentRecord, case: _Case, ranks: tuple[int, ...]) -> set[str]:
    """Who has withdrawn of those that the ruling touches; what they lose without play may touch further ones."""
    topology, gone, asked = life.topology(record), set[str](), set[str]()
    while True:
        rulings.impact(topology, case.pairing.pairing, ranks, case.lookup, case.later, gone)
        touched = (case.pairing.pairing, *(one.pairing for one in case.known.values()))
        more = sorted({side.player for pairing in touched for side in pairing.sides if side.player} - asked)
        if not more:
            return gone
        for first in range(0, len(more), READ):
            entries = services.tournaments.some_entries(record.id, more[first : first + READ]).values()
            gone |= {entry.player for entry in entries if entry.state is EntryState.WITHDRAWN}
        asked.update(more)


def _decided(
    services: Services, record: TournamentRecord, case: _Case, changed: tuple[Pairing, ...], now: EpochMs
) -> Change:
    """One conditional act. What follows of a bracket is in it; rounds that have to be made anew are undone after it,
    in batches, before anything else happens."""
    number = changed[0].key.round
    if case.later and len(changed) > 1:
        change = changed_by(services, record, case.known, changed[:1], now, now)
        after = life.begun(record, Step.UNDO, now, now)._replace(cursor=str(number))
        return change._replace(record=record, after=after)
    change = changed_by(services, record, case.known, changed, now, now)
    return change._replace(record=record, after=change.after or record)


def _outcome(pairing: Pairing) -> dict[str, object]:
    result = pairing.result
    return {
        "status": str(pairing.status),
        "reason": None if result is None else str(result.reason),
        "ranks": None if result is None else list(result.ranks),
    }


def _concerned(case: _Case, changed: tuple[Pairing, ...]) -> list[str]:
    before = (case.known[pairing.key].pairing for pairing in changed if pairing.key in case.known)
    sides = (side for pairing in (*changed, *before) for side in pairing.sides)
    return list(dict.fromkeys(side.player for side in sides if side.player))
