"""Tournaments as they are stored, as the flows know them: values without a trace of the database."""

from enum import StrEnum
from typing import Any, NamedTuple

from engine.tournament.protocol import MilliPoints, Pairing, Row, Seed, Settings
from engine.types import EpochMs
from functions.shared.store.records import MatchRecord, Notice, Remembered


class Phase(StrEnum):
    """What is stored of where a tournament is in its life. Before the start the rest follows from the time
    (`flows.tournaments.life.status`)."""

    OPEN = "open"
    """It has not started."""
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Step(StrEnum):
    """What a tournament is in the middle of. Each step goes on in batches, and can be cut off between any two."""

    REST = ""
    """Nothing: it waits for its start, for results, or for nothing any more."""
    PROMOTE = "promote"
    """Places that came free go to the waiting list."""
    RATE = "rate"
    """The ratings of the field are taken down."""
    SEED = "seed"
    """The seeds of the field are taken down."""
    DRAW = "draw"
    """The pairings of a round are stored."""
    CALL = "call"
    """The matches of stored pairings are created."""
    UNDO = "undo"
    """The rounds after a ruling become void; of a bracket, what follows from a ruling is carried on."""
    STOP = "stop"
    """What is open of a cancelled tournament becomes void."""
    CLOSE = "close"
    """The standings are taken down."""
    TELL = "tell"
    """Everybody is told that it is over."""


class Registration(NamedTuple):
    """Who may enter, and when."""

    opens_at: EpochMs
    closes_at: EpochMs
    """For players; organizers may enter somebody until the start."""
    capacity: int
    check_in_minutes: int = 0
    """How long before the start the check-in opens; 0: there is none."""
    rating_range: tuple[int, int] | None = None
    join_code: str = ""


class TournamentRecord(NamedTuple):
    """A tournament. Instants are in milliseconds, `round_deadline` is in seconds."""

    id: str
    name: str
    game: str
    options: dict[str, Any]
    """The game's options that differ from their defaults."""
    format: str
    starts_at: EpochMs
    """When it is to start; once it has, when it did."""
    registration: Registration
    seeding: str
    settings: Settings
    clock: dict[str, Any]
    """Of each match, as a request would give it."""
    round_deadline: int
    unrated: bool
    time_zone: str
    """An IANA name, for calendars."""
    key: str
    """The secret key of all its chance, 32 bytes, hexadecimal; published once it has finished or been cancelled."""
    organizers: tuple[str, ...]
    """Whoever created it comes first."""
    created_at: EpochMs
    phase: Phase = Phase.OPEN
    reason: str = ""
    """Why it was cancelled."""
    ended_at: EpochMs = 0
    n: int = 0
    """How many took part, once it has started."""
    checked: bool = False
    """Whether only those took part who had checked in."""
    drawn: Settings | None = None
    """The settings of the start: what the draws are bound to."""
    round: int = 0
    """The last round that was created; of a bracket the first that has open pairings, counted as
    `engine.tournament.ordinal` does, at the end the last one that was played."""
    step: Step = Step.REST
    cursor: str = ""
    """How far the step has come."""
    step_at: EpochMs = 0
    """When the step began."""
    changes: int = 0
    """How often something that a calendar shows has changed."""
    due: EpochMs | None = None
    """When the referee looks at it."""
    entered: int = 0
    """How many have a place."""
    waitlisted: int = 0
    version: int = 0
    """What the next write expects; 0 before the first. Entries do not move it, they count."""


class EntryState(StrEnum):
    """What is stored of an entry. Who plays is seen by `EntryRecord.seed`."""

    ENTERED = "entered"
    WAITLISTED = "waitlisted"
    CHECKED_IN = "checked-in"
    WAITING_CHECKED_IN = "waitlisted-checked-in"
    OUT = "out"
    WITHDRAWN = "withdrawn"


class EntryRecord(NamedTuple):
    """An entry of a player, or of somebody who is on the waiting list."""

    player: str
    at: EpochMs
    state: EntryState = EntryState.ENTERED
    confirmed: bool = True
    """Whether the player has agreed; not until then, when an organizer made the entry."""
    wish: Seed = 0
    """The seed that the organizer gave; 0 for none."""
    nonce: str = ""
    rating: MilliPoints | None = None
    """At the start, in thousandths of a point."""
    seed: Seed = 0
    """The seed in the field, from the start on; 0 for who does not take part."""
    version: int = 0


class PairingRecord(NamedTuple):
    """A pairing, and what the service owes it."""

    pairing: Pairing
    since: EpochMs = 0
    """When its sides became known."""
    deadline: EpochMs = 0
    """When its open game is taken as it stands; 0 while its sides are not known."""
    matches: tuple[str, ...] = ()
    """The match of each game, by its number; empty where none was created."""
    forfeited: tuple[str, ...] = ()
    """`game/player` of those who have been taken out of a running match."""
    outages: tuple[str, ...] = ()
    """Declared outages that have moved the deadline."""
    due: EpochMs | None = None
    """When the referee looks at it."""
    version: int = 0


class RoundRecord(NamedTuple):
    """A round that was drawn: how many pairings it has, how many of them are not settled, and the digest of the draw.
    Those of a bracket stand under its first stage, numbered as `engine.tournament.ordinal` does; the first one alone
    has a digest."""

    stage: str
    round: int
    total: int
    open: int
    digest: str
    at: EpochMs
    version: int = 0


class AuditEntry(NamedTuple):
    """What an organizer did."""

    id: str
    at: EpochMs
    player: str
    action: str
    """`created`, `changed`, `cancelled`, `started`, `organizer-added`, `organizer-removed`, `entered`, `removed` or
    `ruling`."""
    reason: str = ""
    before: dict[str, Any] = {}  # noqa: RUF012 - never changed
    after: dict[str, Any] = {}  # noqa: RUF012


class Chunk(NamedTuple):
    """A piece of final standings."""

    first: int
    """The number of its first row, from 0."""
    rows: tuple[Row, ...]


class NewMatch(NamedTuple):
    """A match that begins, and whose list it comes into."""

    record: MatchRecord
    players: tuple[str, ...]


class Change(NamedTuple):
    """What is written of a tournament in one transaction, or not at all. Each part names the version it replaces."""

    tournament: str
    record: TournamentRecord | None = None
    """The tournament as it was read: nothing is written when it has moved on. None where it is not concerned."""
    after: TournamentRecord | None = None
    entered: int = 0
    """By how much the number of those with a place changes. It stays within the capacity."""
    waitlisted: int = 0
    entries: tuple[tuple[EntryRecord | None, EntryRecord], ...] = ()
    """Before and after."""
    pairings: tuple[PairingRecord, ...] = ()
    rounds: tuple[RoundRecord, ...] = ()
    standings: tuple[Chunk, ...] = ()
    audit: tuple[AuditEntry, ...] = ()
    match: NewMatch | None = None
    joined: tuple[str, ...] = ()
    """Players in whose lists the tournament comes as one that they organize."""
    left: tuple[str, ...] = ()
    """Those from whose lists of these it goes."""
    told: tuple[tuple[str, Notice], ...] = ()
    """What players are told of it, each in their inbox, where it is inserted at the moment that the notice names."""
    remembered: Remembered | None = None


class Places(NamedTuple):
    """A page of places in a list, and where it goes on; None at its end."""

    places: tuple[str, ...]
    next: str | None
