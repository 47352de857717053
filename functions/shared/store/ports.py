"""What the flows need of a store. Every write names what it expects to find; none is unconditional."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from engine.types import EpochMs
from functions.shared.store.records import LogPart, MatchRecord, Page, Profile, Remembered, Token


class ConflictError(Exception):
    """Somebody else wrote first, or the own write had landed already. Nothing was written; read again."""


class UnavailableError(Exception):
    """The database is throttled or out of reach. Whether a write landed is not known; the same key finishes it."""


class Matches(Protocol):
    """Matches, their logs and lists."""

    def get(self, match_id: str) -> MatchRecord | None:
        """The match, strongly consistent: one read."""

    def get_many(self, match_ids: Sequence[str]) -> list[MatchRecord]:
        """Those that exist, in the order asked for; up to 100."""

    def create(self, record: MatchRecord, player: str, remembered: Remembered | None) -> MatchRecord:
        """Stores a new match, its creator's place in their list and invitations. Raises `ConflictError`."""

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

    def due(self, shard: int, until: EpochMs, limit: int) -> Sequence[str]:
        """Matches of one of the 16 shards that fell due, longest due first."""


class Players(Protocol):
    """Players, their names and tokens."""

    def token(self, token_hash: str) -> Token | None:
        """What is kept of a token: one read."""

    def get(self, player: str) -> Profile | None:
        """The profile."""

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

    def add_token(self, token: Token, remembered: Remembered | None) -> None:
        """One more token. Raises `ConflictError`."""

    def revoke(self, player: str, token_id: str) -> bool:
        """Ends a token; False when there is none."""

    def remembered(self, owner: str, mark: str, now: EpochMs) -> Remembered | None:
        """The outcome of an earlier request with the same key."""

    def count_try(self, player: str, what: str, hour: int) -> int:
        """Counts one try in this hour; gives how many that makes."""


class Services(NamedTuple):
    """Everything that a use case needs of the world."""

    matches: Matches
    players: Players
    now: Callable[[], EpochMs]
    random_bytes: Callable[[int], bytes]
    pause: Callable[[float], None]
    """Waits so many seconds."""
    secret: bytes
