"""What is stored, as the flows know it: values without a trace of the database."""

from enum import StrEnum
from typing import NamedTuple

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
    settled: bool = False
    """Whether everything that follows from its end has been done."""
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


class Profile(NamedTuple):
    """A player."""

    id: str
    name: str
    created_at: EpochMs
    recovery_hash: str
    version: int = 0


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
