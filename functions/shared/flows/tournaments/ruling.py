"""Rulings of organizers: an open pairing is settled, a settled one overturned (tournaments.md, "Rulings")."""

from collections.abc import Iterable, Mapping
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
from functions.shared.flows.tournaments import auditing, cascading, drawing, life, undoing
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


class Ruling(NamedTuple):
    """A pairing after a ruling, and whether the request came before."""

    pairing: PairingRecord
    record: TournamentRecord
    replayed: bool = False


class _Case(NamedTuple):
    """What a ruling is about: the pairing, and all that it may touch."""

    pairing: PairingRecord
    known: Mapping[Place, PairingRecord]
    """What is stored of the pairings of a bracket that it reaches."""
    later: tuple[Pairing, ...]
    """Those of later rounds, where these have to be made anew."""
    gone: frozenset[str]
    """Who has withdrawn of all these."""

    def lookup(self, key: Place) -> Pairing | None:
        """What is stored of a pairing."""
        return self.known[key].pairing if key in self.known else None


def impact(
    services: Services, record: TournamentRecord, organizer: str, pairing_id: str, ranks: tuple[int, ...]
) -> Impact:
    """What a ruling would make void: followers that are open, being played, played; their keys. Raises `Rejected` as
    `rule`."""
    require_organizer(record, organizer)
    case = _case(services, record, pairing_id)
    try:
        return rulings.impact(life.topology(record), case.pairing.pairing, ranks, case.lookup, case.later, case.gone)
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
    for attempt in range(ATTEMPTS):
        if recall(services, key, now) is not None:
            return Ruling(find_pairing(services, record, pairing_id), record, replayed=True)
        case = _case(services, record, pairing_id)
        pairing = case.pairing.pairing
        try:
            changed = rulings.rule(life.topology(record), pairing, ranks, case.lookup, case.later, cascade, case.gone)
        except Refused as refused:
            raise from_engine(refused) from refused
        remembered = to_remember(key, (pairing_id,), now)
        if changed:
            before, after = _outcome(pairing), _outcome(changed[0])
            what = {"pairing": pairing_id, "cascade": [str(pairing.key) for pairing in changed[1:]]}
            audit = auditing.entry(services, organizer, "ruling", now, reason, before=before, after={**after, **what})
            written = Change(record.id, audit=(audit,), remembered=remembered)
            change = _decided(services, record, case, ranks, changed, written, now)
        else:
            change = Change(record.id, remembered=remembered)
        try:
            if changed or remembered is not None:
                services.tournaments.commit(change)
        except ConflictError:
            rest(services, attempt)
            record = services.tournaments.get(record.id) or record
            continue
        record = stored(change, record)
        if not cascading.is_under_way(record):
            attend(services, record, bumped(change.pairings), now, now)
        found = services.tournaments.pairings(record.id, [pairing.key])
        return Ruling(found.get(pairing.key, case.pairing), record)
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
    place, topology = pairing.pairing.key, life.topology(record)
    known = dict(services.tournaments.pairings(record.id, rulings.reach(topology, place)))
    if pairing.version:
        known[place] = pairing
    later: tuple[Pairing, ...] = ()
    if engine.find(record.format).REBUILDS and place.round < record.round:
        after = services.tournaments.all_pairings(record.id, Place(place.stage, place.round + 1, 0))
        later = tuple(one.pairing for one in after)
    return _Case(pairing, known, later, _withdrawn(services, record, known.values()))


def _withdrawn(services: Services, record: TournamentRecord, touched: Iterable[PairingRecord]) -> frozenset[str]:
    players = sorted({side.player for one in touched for side in one.pairing.sides if side.player})
    entries = services.tournaments.some_entries(record.id, players).values()
    return frozenset(entry.player for entry in entries if entry.state is EntryState.WITHDRAWN)


def _decided(
    services: Services,
    record: TournamentRecord,
    case: _Case,
    ranks: tuple[int, ...],
    changed: tuple[Pairing, ...],
    written: Change,
    now: EpochMs,
) -> Change:
    """One conditional act, `written` included, with what players are told of it. What follows of a bracket is in it, if
    that is one transaction. If not, it is carried on after it, and so is what undoes rounds that have to be made anew,
    in batches, before anything else happens. Who is not told at once is told before that comes to them."""
    place, topology, (audit,) = changed[0].key, life.topology(record), written.audit

    def act(pairings: tuple[Pairing, ...], players: list[str]) -> Change:
        change = changed_by(services, record, case.known, pairings, now, now)
        told = undoing.news(record, place, audit.reason, players, now)
        return change._replace(
            record=record, after=change.after or record, audit=(audit,), told=told, remembered=written.remembered
        )

    if case.later and len(changed) > 1:
        later = set(drawing.players_after(place, case.later))
        change = act(changed[:1], [player for player in _concerned(case, changed[:1]) if player not in later])
        return change._replace(after=undoing.begun(record, undoing.Left(str(place), audit.reason), now))
    players = _concerned(case, changed)
    change = act(changed, players)
    if cascading.room(change) >= 0:
        return change
    followers = {key: one.pairing for key, one in case.known.items()}
    first = rulings.begin(topology, case.pairing.pairing, ranks, followers, case.gone)
    players = list(dict.fromkeys([*_concerned(case, first), *players]))
    change = act(first, [])
    room = max(0, cascading.room(change))
    told, untold = players[:room], tuple(players[room:])
    after = undoing.begun(change.after or record, undoing.Left(str(place), audit.reason, untold=untold), now)
    return change._replace(after=after, told=undoing.news(record, place, audit.reason, told, now))


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
