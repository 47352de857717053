"""What the flows need of the store of tournaments."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from engine.tournament.protocol import Key
from engine.types import EpochMs
from functions.shared.store.records import DueItem
from functions.shared.store.records_tournament import (
    AuditEntry,
    Change,
    Chunk,
    EntryRecord,
    PairingRecord,
    Phase,
    Places,
    RoundRecord,
    TournamentRecord,
)


class Tournaments(Protocol):
    """Tournaments, their entries, pairings, rounds, standings and audit. All reads but `listed` and `due` are strongly
    consistent."""

    def get(self, tournament: str) -> TournamentRecord | None:
        """The tournament: one read."""

    def get_many(self, tournaments: Sequence[str]) -> list[TournamentRecord]:
        """Those that exist, in the order asked for; up to 100."""

    def commit(self, change: Change) -> None:
        """One transaction of up to 100 items. Raises `ConflictError` when one of them is not as it was read, or a
        counter would leave its bounds."""

    def entry(self, tournament: str, player: str) -> EntryRecord | None:
        """An entry, or None."""

    def some_entries(self, tournament: str, players: Sequence[str]) -> Mapping[str, EntryRecord]:
        """The entries of up to 100 players, of those that have one: one read."""

    def entries(self, tournament: str, after: str = "", limit: int | None = None) -> Sequence[EntryRecord]:
        """The entries after a player's, by the players' ids; all of them without a limit."""

    def first_waiting(self, tournament: str) -> str | None:
        """The player who has waited longest, or None."""

    def pairings(self, tournament: str, keys: Sequence[Key]) -> Mapping[Key, PairingRecord]:
        """What is stored of up to 100 pairings: one read."""

    def round_pairings(
        self, tournament: str, stage: str, number: int, after: int = 0, limit: int | None = None
    ) -> Sequence[PairingRecord]:
        """The stored pairings of a round after a place, by place; all without a limit."""

    def all_pairings(
        self, tournament: str, after: Key | None = None, limit: int | None = None
    ) -> Sequence[PairingRecord]:
        """All that is stored, in the order of stage (as text), round and place."""

    def rounds(self, tournament: str) -> Sequence[RoundRecord]:
        """The rounds that were drawn, in the order of stage and number."""

    def round(self, tournament: str, stage: str, number: int) -> RoundRecord | None:
        """A round that was drawn, or None."""

    def standings(self, tournament: str, first: int, rows: int) -> Sequence[Chunk]:
        """The chunks of the final standings that hold rows from number `first` on; none before the end."""

    def audit(self, tournament: str, before: str | None, limit: int) -> Sequence[AuditEntry]:
        """What organizers did, newest first, before an id."""

    def listed(self, phase: Phase, game: str, after: str | None, limit: int) -> Places:
        """Places `start#id` of a game's tournaments: those that have not started by start, the others newest first."""

    def of_player(self, player: str, after: str | None, limit: int) -> Places:
        """The ids of the tournaments that a player has entered or organizes, the newest first."""

    def due(self, shard: int, until: EpochMs, limit: int, after: str | None = None) -> Sequence[DueItem]:
        """What fell due of one of the 4 shards, longest due first: `TRN#id`, or `TRN#id|stage/round/place`."""
