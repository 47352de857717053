"""A ruling that changes more of a bracket, or is told to more players, than a transaction holds: what follows from it
is carried on in steps, before anything else happens in the tournament."""

from functools import partial

from engine import tournament as engine
from engine.tournament import course, rulings
from engine.tournament.protocol import Key, Withdrawn
from engine.tournament.series import is_out
from engine.types import EpochMs
from functions.shared.flows.tournaments import life, undoing
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


def room(change: Change) -> int:
    """How many items more the transaction of a ruling may have; less than 0 when it has too many."""
    others = len(change.rounds) + len(change.audit) + (change.record is not None) + (change.remembered is not None)
    return MOST - len(change.pairings) - len(change.entries) - len(change.told) - others


def is_under_way(record: TournamentRecord) -> bool:
    """Whether a ruling is being carried through the bracket."""
    return record.step is Step.UNDO and not engine.by_rounds(life.topology(record))


def carry_on(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    """Tells those who have not been told of a ruling, brings the pairings that it touches on, one after the other, then
    creates the matches that follow. Raises `ConflictError`."""
    left = undoing.left_of(record)
    if left.untold:
        undoing.tell(services, record, left.untold, now)
        left = left._replace(untold=())
        record = life.written(services, Change(record.id, record, undoing.reached(record, left, now)))
    keys, reached = rulings.reach(life.topology(record), left.key), int(left.reached or 0)
    for _ in range(NOTES):
        for one in keys[reached : reached + CARRIED]:
            record = _carried(services, record, one, now)
        reached += CARRIED
        if reached >= len(keys):
            return _through(services, record, now)
        after = undoing.reached(record, left._replace(reached=str(reached)), now)
        record = life.written(services, Change(record.id, record, after))
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
