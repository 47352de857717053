"""What an event of a pairing changes, as one transaction: the pairing and those that follow it, the round that it
closes, who is out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from engine import tournament as engine
from engine.tournament import course
from engine.tournament.protocol import Act, Event, Key, Order, Pairing
from engine.types import EpochMs
from functions.shared.flows.tournaments import life
from functions.shared.flows.tournaments.rounds import counted
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records_tournament import (
    Change,
    EntryRecord,
    EntryState,
    PairingRecord,
    TournamentRecord,
)

ATTEMPTS = 6
"""Several results may come to one follower, or close one round, at the same moment."""

PAUSE_S = 0.02


class Moved(NamedTuple):
    """The tournament after an event, and the pairings that it changed, as they are stored; none when it changed
    nothing."""

    record: TournamentRecord
    pairings: tuple[PairingRecord, ...]


class Happened(NamedTuple):
    """An event of a pairing, None for what it owes, and its moment."""

    event: Event | None
    at: EpochMs


def feed(
    services: Services,
    record: TournamentRecord,
    key: Key,
    happened: Happened | Callable[[PairingRecord], Happened],
    now: EpochMs,
) -> Moved:
    """Gives an event to a pairing, or what follows from the pairing as it is stored.

    One that is not stored is not concerned. Raises `ConflictError` when others keep getting in between, or a round
    would close that a ruling undoes at this moment.
    """
    for attempt in range(ATTEMPTS):
        known = services.tournaments.pairings(record.id, [key, *engine.following(life.topology(record), key)])
        if key not in known:
            return Moved(record, ())
        pairings = {place: one.pairing for place, one in known.items()}
        event, at = happened(known[key]) if callable(happened) else happened
        changed = engine.advance(life.topology(record), pairings[key], event, pairings)
        if not changed:
            return Moved(record, ())
        change = changed_by(services, record, known, changed, at, now)
        try:
            services.tournaments.commit(change)
        except ConflictError:
            rest(services, attempt)
            record = services.tournaments.get(record.id) or record
            continue
        return Moved(stored(change, record), tuple(bumped(change.pairings)))
    raise ConflictError(f"{record.id} {key}")


def rest(services: Services, attempt: int) -> None:
    """Waits a little, at random, the longer the more often it had to."""
    services.pause(PAUSE_S * (attempt + 1) * services.random_bytes(1)[0] / 255)


def stored(change: Change, record: TournamentRecord) -> TournamentRecord:
    """The tournament after a change that has been written."""
    if change.record is None or change.after is None:
        return record
    return change.after._replace(version=change.record.version + 1)


def bumped(pairings: Iterable[PairingRecord]) -> list[PairingRecord]:
    """Pairings as they are after they have been written."""
    return [pairing._replace(version=pairing.version + 1) for pairing in pairings]


def changed_by(
    services: Services,
    record: TournamentRecord,
    known: Mapping[Key, PairingRecord],
    changed: Sequence[Pairing],
    at: EpochMs,
    now: EpochMs,
) -> Change:
    """The transaction of changed pairings, `known` being what is stored of them, and of what follows from them."""
    pairings = tuple(kept(record, known.get(pairing.key), pairing, at, now) for pairing in changed)
    rounds, after = counted(services, record, known, changed, at, now)
    return Change(
        record.id,
        record=None if after is None else record,
        after=after,
        entries=_entries(services, record, known, changed),
        pairings=pairings,
        rounds=rounds,
    )


def kept(
    record: TournamentRecord, before: PairingRecord | None, pairing: Pairing, at: EpochMs, now: EpochMs
) -> PairingRecord:
    """A changed pairing as it is to be stored. Its deadline runs from the moment when its sides became known.

    That is the moment of what made them known, so that a delay of ours does not move the end of the event; at most half
    of the time is lost to one.
    """
    kept = PairingRecord(pairing) if before is None else before._replace(pairing=pairing)
    if life.is_open(pairing) and (before is None or not _is_same_table(before.pairing, pairing)):
        allowed = 1000 * record.round_deadline
        since = max(at, now - allowed // 2)
        kept = kept._replace(since=since, deadline=since + allowed)
    return kept._replace(due=due_at(kept, now))


def _is_same_table(before: Pairing, after: Pairing) -> bool:
    return life.is_open(before) and [side.player for side in before.sides] == [side.player for side in after.sides]


def due_at(record: PairingRecord, now: EpochMs) -> EpochMs | None:
    """When the referee has to look at a pairing: soon, where something is owed to it; else at its deadline."""
    if record.pairing.owed or owed_orders(record):
        return now + life.LOOK_AGAIN_MS
    return record.deadline if life.is_open(record.pairing) else None


def owed_orders(record: PairingRecord) -> list[Order]:
    """What is still to be done for a pairing. Who was taken out of a match is not taken out again."""
    return [
        order
        for order in course.orders(record.pairing)
        if order.act is not Act.FORFEIT or mark(order) not in record.forfeited
    ]


def mark(order: Order) -> str:
    """How it is remembered that a forfeit was carried out."""
    return f"{order.number}/{order.players[0]}"


def _entries(
    services: Services, record: TournamentRecord, known: Mapping[Key, PairingRecord], changed: Sequence[Pairing]
) -> tuple[tuple[EntryRecord | None, EntryRecord], ...]:
    """Who is out of a bracket by this, and who no longer is, by a ruling."""
    topology = life.topology(record)
    before = {
        one.player
        for pairing in changed
        if pairing.key in known
        for one in engine.exits(topology, known[pairing.key].pairing)
    }
    after = {one.player for pairing in changed for one in engine.exits(topology, pairing)}
    concerned = sorted(before ^ after)
    if not concerned:
        return ()
    found = services.tournaments.some_entries(record.id, concerned)
    states = {player: EntryState.OUT if player in after else EntryState.ENTERED for player in concerned}
    return tuple(
        (entry, entry._replace(state=states[player]))
        for player, entry in found.items()
        if entry.state not in (EntryState.WITHDRAWN, states[player])
    )
