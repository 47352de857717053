"""Withdrawals after the start: what is open is forfeited, later rounds know of it."""

from engine import tournament as engine
from engine.tournament.protocol import Key, Status, Withdrawn
from engine.tournament.seeding import bracket_order
from engine.types import EpochMs
from functions.shared.flows.tournaments import life, telling
from functions.shared.flows.tournaments.attending import attend
from functions.shared.flows.tournaments.moves import bumped, changed_by, stored
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records_tournament import (
    AuditEntry,
    Change,
    EntryRecord,
    EntryState,
    PairingRecord,
    Step,
    TournamentRecord,
)


def leave(
    services: Services, record: TournamentRecord, entry: EntryRecord, audit: tuple[AuditEntry, ...], now: EpochMs
) -> EntryRecord:
    """The entry of a player who leaves a running tournament; also of who is out already, lest a ruling put them back to
    play. Who took no part stays as they are.

    Raises `ConflictError` while pairings are being made, and when others write at the same moment.
    """
    if not entry.seed and record.n and record.step not in (Step.RATE, Step.SEED):
        return entry
    if record.step not in (Step.REST, Step.CALL):
        raise ConflictError(f"{record.id} is in the middle of {record.step}")
    pairing = _current(services, record, entry, now)
    after = entry._replace(state=EntryState.WITHDRAWN)
    change = Change(record.id)
    if pairing is not None:
        key = pairing.pairing.key
        known = services.tournaments.pairings(record.id, [key, *engine.following(life.topology(record), key)])
        pairings = {place: one.pairing for place, one in known.items()}
        changed = engine.advance(life.topology(record), pairings[key], Withdrawn(entry.player), pairings)
        if changed:
            change = changed_by(services, record, known, changed, now, now)
    others = tuple(pair for pair in change.entries if pair[1].player != entry.player)
    told = telling.news(record, telling.REMOVED, [entry.player] if audit else [], now)
    change = change._replace(record=record, entries=(*others, (entry, after)), audit=audit, told=told)
    services.tournaments.commit(change)
    attend(services, stored(change, record), bumped(change.pairings), now, now)
    return after._replace(version=entry.version + 1)


def _current(services: Services, record: TournamentRecord, entry: EntryRecord, now: EpochMs) -> PairingRecord | None:
    """The pairing that a player is in and that is not settled."""
    topology = life.topology(record)
    stage = engine.shapes(topology)[0].stage
    if engine.by_rounds(topology):
        found = services.tournaments.round_pairings(record.id, stage, record.round)
        return next((one for one in found if _is_open_for(one, entry.player)), None)
    places = bracket_order(2 * sum(shape[:2] == (stage, 1) and shape.pairings for shape in engine.shapes(topology)))
    key: Key | None = Key(stage, 1, places.index(entry.seed) // 2 + 1)
    while key is not None:
        pairing = services.tournaments.pairings(record.id, [key]).get(key)
        if pairing is None:
            return None
        if pairing.pairing.owed:
            # Where the player goes from here is not written yet.
            attend(services, record, [pairing], now, now)
            raise ConflictError(str(key))
        if _is_open_for(pairing, entry.player):
            return pairing
        key = engine.whereabouts(topology, pairing.pairing, entry.player)
    return None


def _is_open_for(pairing: PairingRecord, player: str) -> bool:
    is_open = pairing.pairing.status not in (Status.SETTLED, Status.VOID)
    return is_open and any(side.player == player for side in pairing.pairing.sides)
