"""What a ladder keeps, as the flows know it: ratings, the books of results, and what was counted of them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.ladder.elo import CEILING, MilliPoints, Points, shown
from engine.ladder.ranks import EMPTY
from engine.ladder.standing import NEW, Standing
from engine.types import EpochMs, Json


class Rating(NamedTuple):
    """A player in the ladder of a game."""

    game: str
    player: str
    standing: Standing = NEW
    listed: bool = False
    """Whether the ladder shows the player: from the first rated result until 90 days after the last one."""
    closed: bool = False
    """Whether the account is closed: then the player is never listed again."""
    reached_at: EpochMs = 0
    """Since when the rating, in whole points, is what it is, or the player listed."""
    played_at: EpochMs = 0
    """The moment of the last rated result."""
    entry_at: EpochMs = 0
    """The moment of the last entry in the books that changed anything here; that of the next one is later."""
    let_off_at: EpochMs | None = None
    """When the player was last let off as a no-show."""
    due: EpochMs | None = None
    """When the listing is looked at; never later than it may end. None when the player is not listed."""
    version: int = 0
    """What the next write expects; 0 before the first."""

    @property
    def points(self) -> Points:
        """The rating as it is shown."""
        return shown(self.standing.rating)


class EntryLine(NamedTuple):
    """What an entry says of one player, and does to them."""

    player: str
    rank: int
    before: MilliPoints
    after: MilliPoints
    """The same as before in an unrated result."""
    games: int
    """Rated games before."""
    version: int
    """Of the rating before; 0 for who had none."""
    k: MilliPoints = 0
    """0 in an unrated result, and in an annulment."""
    reached_2400: bool = False
    """Whether a rating of 2400 had ever been shown before."""
    let_off: bool = False
    """Whether the player was let off as a no-show."""


class LadderEntry(NamedTuple):
    """An entry in a ladder's books, written once and never changed: what a match came to, or that it was annulled.

    The moments of a player's entries that change anything are in the order of their versions.
    """

    match: str
    game: str
    at: EpochMs
    """The end of the match, or what must be later: see `Rating.entry_at`. Of an annulment: when it was made."""
    lines: tuple[EntryLine, ...]
    """By seat, without house bots."""
    algorithm: str = ""
    """What computed the changes; empty for an unrated result."""
    reason: str = ""
    """Why the result is unrated (`engine.ladder.outcome.Reason`); empty for a rated one."""
    annuls: bool = False
    """Whether this takes back the match's result."""


def entry_from(fields: Sequence[Json]) -> LadderEntry:
    """The entry that was written as JSON."""
    match, game, at, lines, *more = fields
    return LadderEntry(match, game, at, tuple(EntryLine(*line) for line in lines), *more)


class Meetings(NamedTuple):
    """When results of exactly these players were last rated in a ladder."""

    game: str
    players: tuple[str, ...]
    """Sorted."""
    times: tuple[EpochMs, ...] = ()
    """The last two, the older first."""
    version: int = 0


class Books(NamedTuple):
    """What the books say before a match is entered."""

    entry: LadderEntry | None
    """What was entered of the match already."""
    ratings: Mapping[str, Rating]
    """By player; of who has none yet, that of a beginner with version 0."""
    meetings: Meetings


class HistoryRow(NamedTuple):
    """An entry in a player's history, and its place there."""

    key: str
    entry: LadderEntry


class HistoryPage(NamedTuple):
    """A piece of a player's history, newest first."""

    rows: tuple[HistoryRow, ...]
    more: bool


class Mark(NamedTuple):
    """What was counted of a rating: the list and the counters stand by it."""

    game: str
    player: str
    points: Points | None
    """None: not listed."""
    reached_at: EpochMs = 0
    version: int = 0
    """Of the rating that was counted. A lower or equal one adds nothing."""


class LadderPlace(NamedTuple):
    """A player's place in the list: as was counted, so that it agrees with the counters."""

    points: Points
    reached_at: EpochMs
    player: str

    @property
    def key(self) -> str:
        """Orders the list: the highest rating first, of equal ones who reached it first."""
        return f"{CEILING // 1000 - self.points:04d}#{self.reached_at:013d}#{self.player}"


class Delta(NamedTuple):
    """What one batch of ratings did to the counters, until a snapshot takes it in."""

    id: str
    changes: Mapping[int, int]
    """By shown rating: how many came or left."""


class Snapshot(NamedTuple):
    """The counters of a ladder: how many listed players have each shown rating."""

    game: str
    counts: tuple[int, ...] = EMPTY
    as_of: EpochMs = 0
    version: int = 0
    taken: tuple[str, ...] = ()
    """The deltas that this version took in."""


class Counters(NamedTuple):
    """The last snapshot, and what has come since."""

    snapshot: Snapshot
    deltas: Sequence[Delta] = ()

    def counts(self) -> tuple[int, ...]:
        """How many listed players have each shown rating, by now."""
        return taken_in(self.snapshot, self.deltas).counts


class DueRating(NamedTuple):
    """A rating whose listing is to be looked at, or any listed one."""

    player: str
    at: EpochMs
    place: str
    """Where the index goes on after it."""


def taken_in(snapshot: Snapshot, deltas: Sequence[Delta]) -> Snapshot:
    """The snapshot with what the deltas say, and no others.

    Of more deltas than a transaction holds, one that takes a player out of a counter may come before the one that put
    them there: a counter may be negative until both are in.
    """
    counts = list(snapshot.counts)
    for delta in deltas:
        for bucket, change in delta.changes.items():
            counts[bucket] += change
    return snapshot._replace(counts=tuple(counts), taken=tuple(delta.id for delta in deltas))
