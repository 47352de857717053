"""The start of a tournament: who takes part, their ratings, their seeds. From its first write on entries stay as they
are, so that each batch finds the same field."""

from collections.abc import Iterable, Sequence

from engine import tournament as engine
from engine.tournament import seeding
from engine.tournament.protocol import Entrant
from engine.types import EpochMs
from functions.shared.flows.tournaments import life, telling
from functions.shared.store.ports import Services
from functions.shared.store.records_tournament import (
    Change,
    EntryRecord,
    EntryState,
    Phase,
    Step,
    TournamentRecord,
)

BATCH = 90
"""Items of a transaction, of 100 that are possible."""

BATCHES = 20
"""Transactions of a call."""


def begin(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    """The start itself: one conditional write, after which nobody enters or leaves until the field is known."""
    return life.written(services, Change(record.id, record, begun(record, record.starts_at, now)))


def begun(record: TournamentRecord, at: EpochMs, now: EpochMs) -> TournamentRecord:
    """The tournament as it starts at `at`. Only from the opening of the check-in on must players have checked in."""
    checked = record.registration.check_in_minutes > 0 and at >= life.check_in_opens(record)
    after = life.begun(record, Step.RATE, at, now)
    return after._replace(phase=Phase.RUNNING, starts_at=at, checked=checked)


def chosen(record: TournamentRecord, entries: Iterable[EntryRecord]) -> list[EntryRecord]:
    """Who takes part, in the order of entry: those with a place, if they have agreed, or where it was asked for checked
    in; then, as far as places are free, those of the waiting list who have, in their order."""
    ready = {EntryState.CHECKED_IN, *(() if record.checked else (EntryState.ENTERED,))}
    waiting = {EntryState.WAITING_CHECKED_IN, *(() if record.checked else (EntryState.WAITLISTED,))}
    order = sorted(entries, key=lambda entry: (entry.at, entry.player))
    there = [entry for entry in order if entry.state in ready and entry.confirmed]
    moving_up = [entry for entry in order if entry.state in waiting and entry.confirmed]
    return there + moving_up[: max(0, record.registration.capacity - len(there))]


def take_ratings(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    """Takes down the ratings of the field, batch by batch; it is called off when there are too few."""
    field = chosen(record, services.tournaments.entries(record.id))
    least = engine.least(record.format, record.settings)
    if len(field) < least:
        reason = f"{len(field)} took part; {record.format} needs at least {least}"
        after = life.begun(record, Step.TELL, record.step_at, now)
        after = after._replace(phase=Phase.CANCELLED, reason=reason, ended_at=record.step_at)
        return life.written(services, Change(record.id, record, after))
    first = int(record.cursor or 0)
    if not record.n:
        record = record._replace(n=len(field), drawn=record.settings)
    for start in range(first, min(len(field), first + BATCH * BATCHES), BATCH):
        batch = field[start : start + BATCH]
        ratings = services.ladder.ratings(record.game, [entry.player for entry in batch])
        rated = [(entry, entry._replace(rating=ratings[entry.player].standing.rating)) for entry in batch]
        after = life.reached(record, str(start + len(batch)), now)
        if start + len(batch) == len(field):
            after = life.begun(after, Step.SEED, record.step_at, now)
        record = life.written(services, Change(record.id, record, after, entries=tuple(rated)))
    return record


def take_seeds(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    """Takes down the seeds of the field, batch by batch, and tells everybody that it has started."""
    field = chosen(record, services.tournaments.entries(record.id))
    seeds = {entrant.player: entrant.seed for entrant in _seeded(record, field)}
    first = int(record.cursor or 0)
    for start in range(first, min(len(field), first + BATCH * BATCHES), BATCH):
        batch = field[start : start + BATCH]
        telling.tell(services, record, telling.STARTED, [entry.player for entry in batch], record.step_at, now)
        seeded = [(entry, entry._replace(seed=seeds[entry.player])) for entry in batch]
        after = life.reached(record, str(start + len(batch)), now)
        if start + len(batch) == len(field):
            after = life.begun(after, Step.DRAW, record.step_at, now)
        record = life.written(services, Change(record.id, record, after, entries=tuple(seeded)))
    return record


def _seeded(record: TournamentRecord, field: Sequence[EntryRecord]) -> tuple[Entrant, ...]:
    entries = [seeding.Entry(entry.player, entry.at, entry.rating or 0, entry.wish or None) for entry in field]
    return seeding.seeded(entries, seeding.Method(record.seeding), life.chance(record, field))


def field_of(entries: Iterable[EntryRecord]) -> tuple[Entrant, ...]:
    """The field of a tournament that has started, by seed."""
    playing = sorted((entry for entry in entries if entry.seed), key=lambda entry: entry.seed)
    return tuple(
        Entrant(entry.player, entry.seed, entry.rating or 0, entry.state is EntryState.WITHDRAWN) for entry in playing
    )
