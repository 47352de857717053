"""What is stored, as the flows know it: values without a trace of the database."""

from enum import StrEnum
from typing import Any, NamedTuple

from engine.match.record import Entry, Match
from engine.types import EpochMs, Turn


class Scope(StrEnum):
    """What a token may be used for."""

    READ = "read"
    PLAY = "play"
    ORGANIZE = "organize"
    WEBHOOKS = "webhooks"
    ACCOUNT = "account"


class Part(NamedTuple):
    """Where a put-away part of a log begins."""

    first: int
    """The number of its first event."""
    turn: Turn


class RatedAs(NamedTuple):
    """What the ladder made of a match that was made to be rated."""

    reason: str
    """Why it moved no rating; empty when it did."""
    changes: tuple[tuple[int, int], ...]
    """By seat: the rating before and after, in whole points."""


class Fixture(NamedTuple):
    """The game of a tournament that a match is."""

    tournament: str
    stage: str
    round: int
    place: int
    """With stage and round: the pairing."""
    game: int
    """Its number in the pairing."""


class MatchRecord(NamedTuple):
    """A match and its door: who may see it, join it, and what the service still owes it."""

    match: Match
    rated: bool
    private: bool = False
    join_code: str = ""
    invited: tuple[str, ...] = ()
    rating_range: tuple[int, int] | None = None
    talk: bool = True
    expires_at: EpochMs = 0
    """When it ends if it has not started."""
    rematch: str = ""
    """The match that was made of this one, when its players wanted another."""
    reserved: tuple[str, ...] = ()
    """In a rematch: who is to sit at each seat."""
    settled: bool = False
    """Whether everything that follows from its end has been done."""
    rated_as: RatedAs | None = None
    """Once it is settled, if it was made to be rated and somebody played."""
    fixture: Fixture | None = None
    """None for a match of no tournament."""
    parts: tuple[Part, ...] = ()
    """The parts of the log that were put away, oldest first."""
    due: EpochMs | None = None
    """When the referee looks at it: never later than it must."""
    version: int = 0
    """What the next write expects; 0 before the first."""


class LogPart(NamedTuple):
    """Events `first`, `first` + 1, … of a match, put away for good."""

    first: int
    entries: tuple[Entry, ...]


DELETED = "deleted"
"""The name of a closed account."""


class Vacation(NamedTuple):
    """From `start` up to `end` the player's slow clocks stand still."""

    start: EpochMs
    end: EpochMs
    days: int

    def pause_id(self, player: str) -> str:
        """The id of the pauses that it puts into matches."""
        return f"vacation#{player}#{self.start}"


class Profile(NamedTuple):
    """A player."""

    id: str
    name: str
    created_at: EpochMs
    recovery_hash: str
    vacation: Vacation | None = None
    """The last one taken."""
    days_taken: int = 0
    """Days of vacation in the year of the last one."""
    closed_at: EpochMs = 0
    version: int = 0

    @property
    def shown_name(self) -> str:
        """The name, unless the account is closed."""
        return DELETED if self.closed_at else self.name


class Token(NamedTuple):
    """What is kept of a token: its hash, never itself."""

    id: str
    hash: str
    player: str
    scopes: tuple[Scope, ...]
    label: str
    created_at: EpochMs
    expires_at: EpochMs | None


class Remembered(NamedTuple):
    """The outcome of a request that may come again with the same idempotency key."""

    owner: str
    mark: str
    """Of route and key."""
    body: str
    """Hash of the body."""
    ids: tuple[str, ...]
    """What the request created."""
    at: EpochMs
    expires_at: EpochMs


class Place(NamedTuple):
    """A match's place in a list."""

    key: str
    """Orders the list, and does not change while the match is in it."""
    id: str


class Page(NamedTuple):
    """A piece of a list, and whether it goes on after its last place."""

    places: tuple[Place, ...]
    more: bool


class JobKind(StrEnum):
    """What may take longer than a request."""

    VACATION = "vacation"
    """Writes a player's vacation, or its end, into their matches."""
    CLOSE = "close"
    """Takes a closed account out of its matches, and its name away."""
    OUTAGE = "outage"
    """Writes a declared outage into all live matches."""
    WEBHOOK = "webhook"
    """Wakes a webhook that has something to deliver late."""


class Job(NamedTuple):
    """Work that is due until it is done. It can be cut off anywhere and taken up again by anybody."""

    kind: JobKind
    id: str
    data: dict[str, Any]
    """What it needs to know, and how far it has come."""
    due: EpochMs = 0
    version: int = 0


class Message(NamedTuple):
    """Table talk."""

    id: str
    player: str
    name: str
    text: str
    at: EpochMs


class Notice(NamedTuple):
    """Something that a player is told: `data` says of what match, and what else."""

    id: str
    type: str
    at: EpochMs
    data: dict[str, Any]


class DueItem(NamedTuple):
    """Something in the due index."""

    key: str
    """`MAT#match`, `JOB#kind#id`, `SEEK#table|place` (`Seeks.waiting`), `TRN#tournament` or
    `TRN#tournament|stage/round/place`."""
    at: EpochMs
    place: str
    """Where the index goes on after it."""


class SeekStatus(StrEnum):
    """What has become of a seek."""

    WAITING = "waiting"
    MATCHED = "matched"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class Seek(NamedTuple):
    """Somebody who waits for rated opponents at a table of a game."""

    id: str
    player: str
    game: str
    seats: int
    clock: dict[str, Any]
    """As a request would give it."""
    rating: int
    """Shown points in this game, as of when the seek was last looked at."""
    rating_range: tuple[int, int] | None
    """The only ratings that the player accepts; None: those near the own one, the farther the longer they wait."""
    nonce: str
    created_at: EpochMs
    expires_at: EpochMs
    due: EpochMs
    """When the referee looks for opponents again."""
    status: SeekStatus = SeekStatus.WAITING
    match: str = ""
    """The match that was made of it."""
    at_once: bool = False
    """Whether the request that made the seek also made the match."""


class InboxPage(NamedTuple):
    """Notices in the order of insertion, and the places of those."""

    notices: tuple[Notice, ...]
    places: tuple[str, ...]
    more: bool
