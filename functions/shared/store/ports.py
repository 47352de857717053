"""What the flows need of a store. Every write names what it expects to find; none is unconditional."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from engine.types import EpochMs
from functions.shared.store.ladder_port import Ladder
from functions.shared.store.records import (
    DueItem,
    InboxPage,
    Job,
    JobKind,
    LogPart,
    MatchRecord,
    Message,
    Notice,
    Page,
    Profile,
    Remembered,
    Seek,
    SeekStatus,
    Token,
)
from functions.shared.store.tournaments_port import Tournaments
from functions.shared.store.webhook_port import Webhooks


class ConflictError(Exception):
    """Somebody else wrote first, or the own write had landed already. Nothing was written; read again."""


class UnavailableError(Exception):
    """The database is throttled or out of reach. Whether a write landed is not known; the same key finishes it."""


class NewerRecordError(UnavailableError):
    """A later version of the service wrote it, and takes over at this moment: ask again."""


class Matches(Protocol):
    """Matches, their logs and lists."""

    def get(self, match_id: str) -> MatchRecord | None:
        """The match, strongly consistent: one read."""

    def get_many(self, match_ids: Sequence[str]) -> list[MatchRecord]:
        """Those that exist, in the order asked for; up to 100."""

    def create(
        self,
        record: MatchRecord,
        player: str,
        remembered: Remembered | None,
        origin: tuple[MatchRecord, MatchRecord] | None = None,
    ) -> MatchRecord:
        """Stores a new match, its creator's place in their list and invitations; with `origin`, a rematch: the old
        match before and after. Raises `ConflictError`."""

    def save(self, before: MatchRecord, after: MatchRecord) -> MatchRecord:
        """One conditional write on `before.version`; gives the record as stored. Raises `ConflictError`."""

    def seat(self, before: MatchRecord, after: MatchRecord, player: str) -> MatchRecord:
        """As `save`, and in the same transaction the match enters the player's list."""

    def unseat(self, before: MatchRecord, after: MatchRecord, player: str) -> MatchRecord:
        """As `save`, and in the same transaction the match leaves the player's list."""

    def close(self, before: MatchRecord, after: MatchRecord) -> MatchRecord:
        """As `save`, and in the same transaction the match moves to every player's list of ended ones."""

    def log_parts(self, match_id: str, first: int, last: int) -> Sequence[LogPart]:
        """The put-away parts whose first event is `first`…`last`, oldest first."""

    def listed(self, status: str, game: str, before: str | None, limit: int) -> Page:
        """Public matches, newest first: open ones by creation, active by start, finished by end."""

    def of_player(self, player: str, *, ended: bool, before: str | None, limit: int) -> Page:
        """A player's live matches, or their ended ones, newest first."""

    def invited(self, player: str, before: str | None, limit: int) -> Page:
        """The open matches that a player was invited to, newest first."""

    def due(self, shard: int, until: EpochMs, limit: int, after: str | None = None) -> Sequence[DueItem]:
        """What fell due of one of the 16 shards, longest due first; from a place on, or from the beginning."""

    def say(self, match_id: str, message: Message, remembered: Remembered | None) -> None:
        """Stores a message. Raises `ConflictError` when the key is taken."""

    def last_message(self, match_id: str) -> Message | None:
        """The newest message of a match, or None."""

    def messages(self, match_id: str, after: str | None, limit: int) -> Sequence[Message]:
        """The messages of a match after one, oldest first."""


class Players(Protocol):
    """Players, their names and tokens."""

    def token(self, token_hash: str) -> Token | None:
        """What is kept of a token: one read."""

    def get(self, player: str) -> Profile | None:
        """The profile."""

    def get_many(self, players: Sequence[str]) -> Mapping[str, Profile]:
        """The profiles of those of up to 100 players that exist: one read, which may be a moment old."""

    def named(self, folded: str) -> str | None:
        """The player that holds a name."""

    def register(self, profile: Profile, token: Token, remembered: Remembered | None) -> None:
        """A player with name and first token. Raises `ConflictError` when the name or the key is taken."""

    def rename(self, before: Profile, after: Profile) -> None:
        """Holds the new name; the old one is never released. Raises `ConflictError`."""

    def recover(self, before: Profile, after: Profile, token: Token, remembered: Remembered | None) -> None:
        """One transaction: the old tokens end, the new one begins, the code is spent. Raises `ConflictError`."""

    def tokens(self, player: str) -> Sequence[Token]:
        """The tokens of a player, by creation."""

    def save(self, before: Profile, after: Profile, job: Job, remembered: Remembered | None = None) -> None:
        """A changed profile, and the job that follows from it, in the place of none or of its version before. Raises
        `ConflictError`."""

    def close(self, before: Profile, after: Profile, job: Job) -> None:
        """As `save`, and in the same transaction all tokens end."""

    def add_token(self, owner: Profile, maker: str, token: Token, remembered: Remembered | None) -> None:
        """One more token, made with the one whose id is `maker`. Raises `ConflictError`, also when that has ended."""

    def revoke(self, player: str, token_id: str) -> bool:
        """Ends a token; False when there is none."""

    def remembered(self, owner: str, mark: str, now: EpochMs) -> Remembered | None:
        """The outcome of an earlier request with the same key."""

    def count_try(self, player: str, what: str, hour: int) -> int:
        """Counts one try in this hour; gives how many that makes."""


class Jobs(Protocol):
    """Work that takes longer than a request."""

    def get(self, kind: JobKind, job_id: str) -> Job | None:
        """A job that is not done."""

    def start(self, job: Job) -> None:
        """A new job. Raises `ConflictError`."""

    def save(self, before: Job, after: Job) -> Job:
        """How far a job has come. Raises `ConflictError`."""

    def finish(self, job: Job) -> None:
        """The job is done. Raises `ConflictError`."""


class Inbox(Protocol):
    """What players are told."""

    def put(self, notices: Sequence[tuple[str, Notice]], now: EpochMs, order: str = ...) -> None:
        """Adds notices, each for a player, in this order. One that comes twice has the same id. `order`, a number in
        digits, sorts those of several calls at one moment; without it they come last."""

    def read(self, player: str, after: str, limit: int) -> InboxPage:
        """Notices after a place, in the order of insertion."""


class Seeks(Protocol):
    """Players who wait for rated opponents. Whoever takes a seek off the list does so alone."""

    def begin(self, seek: Seek, remembered: Remembered | None) -> None:
        """From now on the seek waits. Raises `ConflictError` when its player has one in this game, or the key is
        taken."""

    def of_player(self, player: str) -> Sequence[Seek]:
        """The waiting seeks of a player, at most one a game."""

    def get(self, player: str, seek_id: str) -> Seek | None:
        """A seek of the player's that waits, or has ended within 48 hours."""

    def waiting(self, key: str) -> Seek | None:
        """The seek that the due index names, if it still waits."""

    def near(self, seek: Seek, low: int, high: int, most: int) -> Sequence[Seek]:
        """Others that wait for the same table and have ratings from `low` to `high`: the nearest to the seek's own
        rating, at most so many above and so many below."""

    def move(self, before: Seek, after: Seek) -> None:
        """The seek with another rating. Raises `ConflictError` when it waits no more."""

    def postpone(self, seek: Seek, due: EpochMs) -> None:
        """The referee looks at the seek at another time. Raises `ConflictError` when it waits no more."""

    def end(self, seek: Seek, status: SeekStatus, now: EpochMs) -> None:
        """The seek waits no more. Raises `ConflictError` when it did not before."""

    def pair(self, record: MatchRecord, seeks: Sequence[Seek], maker: str, now: EpochMs) -> MatchRecord:
        """One transaction: the match is stored, its players' seeks are taken, and each is told it by `get`; the one
        whose request made it has the id `maker`. Raises `ConflictError` when one of them waits no more."""


class Services(NamedTuple):
    """Everything that a use case needs of the world."""

    matches: Matches
    players: Players
    jobs: Jobs
    inbox: Inbox
    seeks: Seeks
    ladder: Ladder
    webhooks: Webhooks
    tournaments: Tournaments
    now: Callable[[], EpochMs]
    random_bytes: Callable[[int], bytes]
    pause: Callable[[float], None]
    """Waits so many seconds."""
    secret: bytes
