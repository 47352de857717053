"""What follows from a tournament's record and the time: its status, its course, its ids, its chance."""

import hashlib
from collections.abc import Iterable
from enum import StrEnum

from engine import deal
from engine import tournament as engine
from engine.deal import Chance
from engine.tournament import draw, settings
from engine.tournament.protocol import Key, Pairing, Topology
from engine.types import EpochMs
from functions.shared import ids
from functions.shared.store.ports import Services
from functions.shared.store.records_tournament import (
    Change,
    EntryRecord,
    EntryState,
    Phase,
    Step,
    TournamentRecord,
)

MINUTE_MS = 60_000

LOOK_AGAIN_MS = 60_000
"""How long the stream has to take a tournament to the end of its step before the referee does."""


class Status(StrEnum):
    """Where a tournament is in its life (api.md, "Tournaments")."""

    ANNOUNCED = "announced"
    REGISTRATION = "registration"
    CHECK_IN = "check-in"
    """Registration has closed, or the check-in has opened."""
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


_STORED = {Phase.RUNNING: Status.RUNNING, Phase.FINISHED: Status.FINISHED, Phase.CANCELLED: Status.CANCELLED}


class Standing(StrEnum):
    """What an entry is shown as."""

    ENTERED = "entered"
    WAITLISTED = "waitlisted"
    CHECKED_IN = "checked-in"
    PLAYING = "playing"
    OUT = "out"
    WITHDRAWN = "withdrawn"


def status(record: TournamentRecord, now: EpochMs) -> Status:
    """The status at `now`."""
    if record.phase is not Phase.OPEN:
        return _STORED[record.phase]
    if now < record.registration.opens_at:
        return Status.ANNOUNCED
    in_time = now < min(record.registration.closes_at, check_in_opens(record))
    return Status.REGISTRATION if in_time else Status.CHECK_IN


def check_in_opens(record: TournamentRecord) -> EpochMs:
    """When the check-in opens; the start, where there is none."""
    return record.starts_at - MINUTE_MS * record.registration.check_in_minutes


def standing(record: TournamentRecord, entry: EntryRecord) -> Standing:
    """What an entry is shown as. Who does not take part once it has started is out."""
    if entry.state in (EntryState.WITHDRAWN, EntryState.OUT):
        return Standing(entry.state)
    if record.phase in (Phase.RUNNING, Phase.FINISHED) and record.n:
        return Standing.PLAYING if entry.seed else Standing.OUT
    if entry.state is EntryState.WAITING_CHECKED_IN:
        return Standing.CHECKED_IN
    return Standing(entry.state)


def topology(record: TournamentRecord) -> Topology:
    """What the course of a tournament that has started follows from."""
    return Topology(record.format, record.n, record.settings)


def depth(record: TournamentRecord) -> int:
    """How many round deadlines follow one another at most; before the start with as many entrants as have a place, or
    the fewest that are possible."""
    least = engine.least(record.format, record.settings)
    return engine.depth(Topology(record.format, record.n or max(record.entered, least), record.settings))


def latest_end(record: TournamentRecord) -> EpochMs:
    """When it is over at the latest: start + depth × deadline (tournaments.md, "Life")."""
    return settings.latest_end(record.starts_at, depth(record), record.round_deadline)


def commitment(record: TournamentRecord) -> str:
    """What is published of the secret key from the creation on, hexadecimal."""
    return deal.commitment(record.id, bytes.fromhex(record.key)).hex()


def pairing_id(tournament: str, key: Key) -> str:
    """The id of a pairing, derived from tournament, stage, round and place."""
    digest = hashlib.sha256(draw.address(tournament, key).encode()).digest()
    return ids.derived(ids.PAIRING, ids.moment(tournament), digest)


def chance(record: TournamentRecord, field: Iterable[EntryRecord]) -> Chance:
    """All draws, from the tournament's key and the nonces of the field in the order of entry."""
    ordered = sorted(field, key=lambda entry: (entry.at, entry.player))
    nonces = [bytes.fromhex(entry.nonce) for entry in ordered]
    return draw.chance(bytes.fromhex(record.key), record.id, record.format, record.drawn or record.settings, nonces)


def begun(record: TournamentRecord, step: Step, at: EpochMs, now: EpochMs) -> TournamentRecord:
    """The tournament at the beginning of a step that follows from something at `at`. It is due until it rests."""
    return record._replace(step=step, cursor="", step_at=at, due=None if step is Step.REST else now + LOOK_AGAIN_MS)


def at_rest(record: TournamentRecord) -> TournamentRecord:
    """The tournament with nothing to do by itself but, before the start, to start."""
    return record._replace(step=Step.REST, cursor="", due=record.starts_at if record.phase is Phase.OPEN else None)


def reached(record: TournamentRecord, cursor: str, now: EpochMs) -> TournamentRecord:
    """The tournament, so much further in its step."""
    return record._replace(cursor=cursor, due=now + LOOK_AGAIN_MS)


def written(services: Services, change: Change) -> TournamentRecord:
    """The tournament after a change of it, which is written. Raises `ConflictError`."""
    if change.record is None or change.after is None:
        raise ValueError("a change that the tournament is no part of")
    services.tournaments.commit(change)
    return change.after._replace(
        entered=change.record.entered + change.entered,
        waitlisted=change.record.waitlisted + change.waitlisted,
        version=change.record.version + 1,
    )


def key_of(text: str) -> Key:
    """The key that `str` gave as text."""
    stage, number, place = text.split("/")
    return Key(stage, int(number), int(place))


def is_open(pairing: Pairing) -> bool:
    """Whether all sides are known and the result is not."""
    return pairing.status in ("ready", "playing")
