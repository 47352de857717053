"""What the flows need of the store of ladders."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from engine.types import EpochMs
from functions.shared.store.ladder_records import (
    Books,
    Counters,
    Delta,
    DueRating,
    HistoryPage,
    LadderEntry,
    LadderPlace,
    Mark,
    Meetings,
    Rating,
    Snapshot,
)


class Ladder(Protocol):
    """Ratings and the books that they follow from; what was counted of them, and the list."""

    # The books

    def books(self, game: str, match_id: str, players: Sequence[str]) -> Books:
        """What entering a match's result needs to know: one strongly consistent read of several items."""

    def enter(self, entry: LadderEntry, changed: Sequence[tuple[Rating, Rating]], meetings: Meetings | None) -> None:
        """One transaction: the entry, if there is none yet; each rating (before, after) on the version before; the
        meetings, with their new times, on their version; a row in the history of each player. Raises `ConflictError`.
        """

    def entry(self, match_id: str, *, annulment: bool = False) -> LadderEntry | None:
        """What was entered of a match, or of its annulment."""

    def entries(self, game: str, after: str | None, limit: int) -> Sequence[tuple[str, LadderEntry]]:
        """The entries of a game after a place, by their moments, each with its place. The last moments may be missing
        some yet."""

    def history(self, game: str, player: str, before: str | None, limit: int) -> HistoryPage:
        """Entries about a player, newest first. Private matches have none."""

    # Ratings

    def ratings(self, game: str, players: Sequence[str]) -> Mapping[str, Rating]:
        """The ratings of up to 100 players, strongly consistent: one read. Of who has none, that of a beginner."""

    def of_player(self, player: str, games: Sequence[str]) -> Mapping[str, Rating]:
        """A player's rating in each of several games, as `ratings`: one read."""

    def change(self, before: Rating, after: Rating) -> Rating:
        """A change that follows from no entry: listed, closed, looked at. Raises `ConflictError`."""

    def due(self, game: str, until: EpochMs, limit: int, after: str | None = None) -> Sequence[DueRating]:
        """Listed players that are due to be looked at, longest due first; from a place on, or from the beginning."""

    # What was counted

    def marks(self, game: str, players: Sequence[str]) -> Mapping[str, Mark]:
        """The marks of up to 100 players, strongly consistent: one read. Nothing for who was never counted."""

    def count(self, moves: Sequence[tuple[Mark | None, Mark]], delta: Delta | None) -> None:
        """One transaction: up to 99 marks of a game (before, after), each on the version before, and the delta that
        they come to, if any. Raises `ConflictError`."""

    def standing(self, game: str, player: str) -> tuple[Rating, Mark | None]:
        """A player's rating and what was counted of it: one strongly consistent read of two items."""

    def counters(self, game: str) -> Counters:
        """The snapshot and what has come since, strongly consistent: one query, of one item when nothing has."""

    def publish(self, before: Snapshot, after: Snapshot, taken: Sequence[Delta]) -> None:
        """One transaction: the next snapshot on the version before, and up to 99 deltas that it takes in are gone.
        Raises `ConflictError`."""

    # The list

    def band(
        self, game: str, band: int, limit: int, beyond: str | None = None, *, upwards: bool = False
    ) -> Sequence[LadderPlace]:
        """The list within a band of 16 points, from a place's key on: the best first, or `upwards` the worst first."""
