"""A ruling that changes more of a bracket than a transaction holds: what follows from it is carried on in steps, before
anything else happens in the tournament."""

from functools import partial

from engine import tournament as engine
from engine.tournament import course, rulings
from engine.tournament.protocol import Key, Withdrawn
from engine.tournament.series import is_out
from engine.types import EpochMs
from functions.shared.flows.tournaments import life
from functions.shared.flows.tournaments.moves import Happened, feed
from functions.shared.store.ports import Services
from functions.shared.store.records_tournament import (
    Change,
    EntryState,
    PairingRecord,
    Step,
    TournamentRecord,
)

MOST = 100
"""Items of a transaction (DynamoDB, "TransactWriteItems")."""

CARRIED, NOTES = 20, 5
"""Pairings that are carried on between two notes of how far that has come; so many notes a call."""


def fits(change: Change) -> bool:
    """Whether a change of a tournament is one transaction."""
    others = len(change.rounds) + len(change.audit) + (change.record is not None) + (change.remembered is not None)
    return len(change.pairings) + len(change.entries) + others <= MOST


def begun(record: TournamentRecord, key: Key, now: EpochMs) -> TournamentRecord:
    """The tournament, which has to carry on a ruling on a pairing. Until that is done no result counts, nobody
    withdraws, and no further ruling is made."""
    return life.begun(record, Step.UNDO, now, now)._replace(cursor=f"{key} 0")


def is_under_way(record: TournamentRecord) -> bool:
    """Whether a ruling is being carried through the bracket."""
    return record.step is Step.UNDO and not engine.by_rounds(life.topology(record))


def carry_on(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    """Brings the pairings that a ruling touches on, one after the other, then creates the matches that follow. The
    cursor is the pairing that the ruling is about, then how far it has come. Raises `ConflictError`."""
    topology = life.topology(record)
    key, _, done = record.cursor.partition(" ")
    keys, reached = rulings.reach(topology, life.key_of(key)), int(done)
    for _ in range(NOTES):
        for one in keys[reached : reached + CARRIED]:
            record = _carried(services, record, one, now)
        reached += CARRIED
        if reached >= len(keys):
            return _through(services, record, now)
        record = life.written(services, Change(record.id, record, life.reached(record, f"{key} {reached}", now)))
    return record


def _carried(services: Services, record: TournamentRecord, key: Key, now: EpochMs) -> TournamentRecord:
    """The tournament after a pairing, whose sides are final, has told its followers what they have to know."""
    while True:
        moved = feed(services, record, key, partial(_next, services, record), now)
        record = moved.record
        if not moved.pairings:
            return record


def _next(services: Services, record: TournamentRecord, pairing: PairingRecord) -> Happened:
    """Whoever has withdrawn loses without play, wherever the ruling has put them."""
    players = [side.player for side in pairing.pairing.sides if side.player and not is_out(side)]
    if players and not course.is_done(pairing.pairing):
        entries = services.tournaments.some_entries(record.id, players)
        gone = [player for player in players if entries[player].state is EntryState.WITHDRAWN]
        if gone:
            return Happened(Withdrawn(gone[0]), record.step_at)
    return Happened(None, record.step_at)


def _through(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    topology = life.topology(record)
    ends = services.tournaments.pairings(record.id, engine.find(record.format).ends(topology))
    is_over = engine.is_over(topology, {key: one.pairing for key, one in ends.items()}.get)
    after = life.begun(record, Step.CLOSE if is_over else Step.CALL, record.step_at, now)
    return life.written(services, Change(record.id, record, after))
