"""Rounds: their pairings are stored, then their matches created."""

from collections.abc import Iterable, Sequence

from engine import tournament as engine
from engine.tournament import course
from engine.tournament.protocol import Key, Pairing, Status
from engine.types import EpochMs
from functions.shared.flows.tournaments import life, rounds, undoing
from functions.shared.flows.tournaments.attending import attend
from functions.shared.flows.tournaments.moves import kept
from functions.shared.flows.tournaments.starting import BATCH, BATCHES, field_of
from functions.shared.store.ports import Services
from functions.shared.store.records_tournament import (
    Change,
    EntryRecord,
    EntryState,
    PairingRecord,
    Step,
    TournamentRecord,
)

CALLED = BATCH
"""Pairings whose matches are created, or which become void, in a call."""

_OVER = (Status.SETTLED, Status.VOID)


def store_round(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    """Stores the pairings of the next round, batch by batch; of a bracket all that are known at the start. When no
    round is left, the tournament comes to its end."""
    topology = life.topology(record)
    entries = services.tournaments.entries(record.id)
    stored = {one.pairing.key: one for one in services.tournaments.all_pairings(record.id)}
    drawn = _drawn(record, entries, [one.pairing for one in stored.values()])
    if not drawn:
        return life.written(services, Change(record.id, record, life.begun(record, Step.CLOSE, record.step_at, now)))
    first = int(record.cursor or 0)
    for start in range(first, min(len(drawn), first + BATCH * BATCHES), BATCH):
        batch = drawn[start : start + BATCH]
        pairings = tuple(_new(record, stored.get(pairing.key), pairing, now) for pairing in batch)
        after = life.reached(record, str(start + len(batch)), now)
        record = life.written(services, Change(record.id, record, after, pairings=pairings))
    if int(record.cursor) < len(drawn):
        return record
    moved = _moved(entries, drawn) if record.round else []
    for start in range(0, min(len(moved), BATCH * BATCHES), BATCH):
        batch_moved = tuple(moved[start : start + BATCH])
        after = life.reached(record, record.cursor, now)
        record = life.written(services, Change(record.id, record, after, entries=batch_moved))
    if len(moved) > BATCH * BATCHES:
        return record
    after = record._replace(round=record.round + 1)
    is_closed = engine.by_rounds(topology) and all(pairing.status in _OVER for pairing in drawn)
    after = life.begun(after, Step.DRAW if is_closed else Step.CALL, record.step_at, now)
    return life.written(services, Change(record.id, record, after, rounds=rounds.drawn(services, record, drawn)))


def _drawn(record: TournamentRecord, entries: Sequence[EntryRecord], stored: Sequence[Pairing]) -> tuple[Pairing, ...]:
    topology, field = life.topology(record), field_of(entries)
    chance = life.chance(record, [entry for entry in entries if entry.seed])
    if record.round == 0:
        return engine.start(topology, field, chance)
    return engine.next_round(topology, field, stored, record.round + 1, chance)


def _new(record: TournamentRecord, before: PairingRecord | None, pairing: Pairing, now: EpochMs) -> PairingRecord:
    """A drawn pairing, in the place of one that a ruling has undone. Its match is created after all have been stored:
    the referee need not look before its deadline."""
    new = kept(record, before, pairing, record.step_at, now)
    return new._replace(due=new.deadline if life.is_open(pairing) else None)


def _moved(entries: Sequence[EntryRecord], drawn: Sequence[Pairing]) -> list[tuple[EntryRecord, EntryRecord]]:
    """Whose entries have to show that they play on or not, before and after."""
    playing = {side.player for pairing in drawn for side in pairing.sides}
    found = []
    for entry in entries:
        state = EntryState.ENTERED if entry.player in playing else EntryState.OUT
        is_other = (entry.state is EntryState.OUT) != (state is EntryState.OUT)
        if entry.seed and entry.state is not EntryState.WITHDRAWN and is_other:
            found.append((entry, entry._replace(state=state)))
    return found


def call_round(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    """Creates the matches of the pairings that were stored, in their order."""
    page = _page(services, record)
    attend(services, record, page, record.step_at, now)
    after = life.at_rest(record) if len(page) < CALLED else life.reached(record, str(page[-1].pairing.key), now)
    return life.written(services, Change(record.id, record, after))


def _page(services: Services, record: TournamentRecord) -> Sequence[PairingRecord]:
    after = life.key_of(record.cursor) if record.cursor else None
    if not engine.by_rounds(life.topology(record)):
        return services.tournaments.all_pairings(record.id, after, CALLED)
    stage = engine.shapes(life.topology(record))[0].stage
    return services.tournaments.round_pairings(record.id, stage, record.round, after.place if after else 0, CALLED)


def undo_rounds(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    """Makes the rounds after the one that a ruling was about void, and tells those who play in them; then draws the
    next one anew."""
    left = undoing.left_of(record)
    start = life.key_of(left.reached) if left.reached else Key(left.key.stage, left.key.round + 1, 0)
    page = services.tournaments.all_pairings(record.id, start, CALLED)
    undoing.tell(services, record, players_after(left.key, [one.pairing for one in page]), now)
    left = left._replace(reached=str(page[-1].pairing.key) if page else left.reached)
    record = void(services, record, page, undoing.reached(record, left, now), now)
    if len(page) == CALLED:
        return record
    after = life.begun(record._replace(round=left.key.round), Step.DRAW, now, now)
    return life.written(services, Change(record.id, record, after))


def players_after(key: Key, pairings: Iterable[Pairing]) -> list[str]:
    """Who plays in the round after that of a pairing: nobody else plays in any round after it."""
    live = (one for one in pairings if one.key.round == key.round + 1 and one.status is not Status.VOID)
    return [side.player for pairing in live for side in pairing.sides if side.player]


def stop(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    """Makes what is open of a cancelled tournament void."""
    start = life.key_of(record.cursor) if record.cursor else None
    page = services.tournaments.all_pairings(record.id, start, CALLED)
    open_ones = [one for one in page if one.pairing.status not in _OVER]
    after = life.reached(record, str(page[-1].pairing.key) if page else record.cursor, now)
    record = void(services, record, open_ones, after, now)
    if len(page) == CALLED:
        return record
    return life.written(services, Change(record.id, record, life.begun(record, Step.TELL, record.step_at, now)))


def void(
    services: Services,
    record: TournamentRecord,
    pairings: Sequence[PairingRecord],
    after: TournamentRecord,
    now: EpochMs,
) -> TournamentRecord:
    """Makes pairings void, and their matches; gives the tournament, which is as `after` by then."""
    voided = tuple(
        kept(record, one, course.voided(one.pairing), record.step_at, now)
        for one in pairings
        if one.pairing.status is not Status.VOID
    )
    record = life.written(services, Change(record.id, record, after, pairings=voided))
    attend(services, record, [one._replace(version=one.version + 1) for one in voided], now, now)
    return record
