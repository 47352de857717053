"""Ladders as the API shows them. Ratings are whole points; what is exact is in milli-points, chances in millionths."""

from collections.abc import Mapping, Sequence

import msgspec

from engine.ladder.elo import Change, is_provisional, shown
from engine.ladder.standing import games
from engine.types import EpochMs
from functions.shared.clock import rfc3339
from functions.shared.flows.histories import History, Told
from functions.shared.flows.ranks import Row, Rows, Standing
from functions.shared.render.match import PlayerRef
from functions.shared.store.ladder_records import EntryLine, Rating
from functions.shared.store.records import DELETED


class RecordBody(msgspec.Struct):
    """A rating in one game, and what it comes from."""

    rating: int
    provisional: bool
    played: int
    won: int
    drawn: int
    lost: int
    last_played_at: str | None


class LadderEntryBody(RecordBody):
    """A player in a ladder; `rank` is null for who is not listed."""

    rank: int | None
    player: PlayerRef


class LadderPage(msgspec.Struct):
    """A page of a ladder, best first. Both cursors go into `cursor`; `of` is the size of the ladder."""

    items: list[LadderEntryBody]
    next_cursor: str | None
    prev_cursor: str | None
    of: int


class NeighboursBody(msgspec.Struct):
    """The entries around a player's, which is among them, best first."""

    items: list[LadderEntryBody]
    next_cursor: str | None
    of: int


class Exact(msgspec.Struct):
    """Ratings and K in milli-points; K is null where nothing was rated."""

    before: int
    after: int
    k: int | None


class Opponent(msgspec.Struct):
    """Another player of a match: their rank and rating, the rated games before, and in a rated match what the row's
    player was expected to score against them and has scored, in millionths."""

    player: PlayerRef
    rank: int
    rating: int
    games: int
    expected: int | None
    score: int | None
    exact: Exact


class HistoryRow(msgspec.Struct):
    """What a match did to a rating, and why; or that its result was annulled. `k` is in points, a decimal text;
    `reason_code` says why nothing was rated."""

    match: str
    at: str
    annulment: bool
    reason_code: str | None
    rank: int
    before: int
    after: int
    k: str | None
    games: int
    algorithm: str | None
    opponents: list[Opponent]
    exact: Exact


class StandingBody(LadderEntryBody):
    """A player's entry with their history. `percentile` is how many of a hundred are rated lower."""

    of: int
    percentile: int | None
    history: list[HistoryRow]
    next_cursor: str | None


def record(rating: Rating) -> RecordBody:
    """A player's rating in a game."""
    standing = rating.standing
    played = games(standing)
    return RecordBody(
        rating.points,
        is_provisional(played),
        played,
        standing.won,
        standing.drawn,
        standing.lost,
        _instant(rating.played_at),
    )


def _instant(at: EpochMs) -> str | None:
    return rfc3339(at) if at else None


def entry(row: Row) -> LadderEntryBody:
    """A row of the list. The rating is the one that goes with the rank."""
    own = msgspec.structs.asdict(record(row.rating)) | {"rating": row.points}
    return LadderEntryBody(**own, rank=row.rank, player=PlayerRef(row.player, row.name))


def page(rows: Rows, before: str | None, after: str | None) -> LadderPage:
    """A page with the cursors of those before and after it."""
    return LadderPage([entry(row) for row in rows.rows], after, before, rows.of)


def neighbours(rows: Rows) -> NeighboursBody:
    """The rows around a player."""
    return NeighboursBody([entry(row) for row in rows.rows], None, rows.of)


def standing(found: Standing, history: History, cursor: str | None) -> StandingBody:
    """A player's place with a page of their history, and the cursor of the next one."""
    rows = [_history_row(told, found.row.player, history.names) for told in history.rows]
    own = msgspec.structs.asdict(entry(found.row))
    return StandingBody(**own, of=found.of, percentile=found.percentile, history=rows, next_cursor=cursor)


def _history_row(told: Told, player: str, names: Mapping[str, str]) -> HistoryRow:
    happened = told.entry
    (seat,) = [seat for seat, line in enumerate(happened.lines) if line.player == player]
    own = happened.lines[seat]
    change = told.changes[seat] if told.changes else None
    return HistoryRow(
        happened.match,
        rfc3339(happened.at),
        happened.annuls,
        happened.reason or None,
        own.rank,
        shown(own.before),
        shown(own.after),
        f"{own.k // 1000}.{own.k % 1000:03d}" if own.k else None,
        own.games,
        happened.algorithm or None,
        _opponents(happened.lines, own, change, names),
        _exact(own),
    )


def _opponents(
    lines: Sequence[EntryLine], own: EntryLine, change: Change | None, names: Mapping[str, str]
) -> list[Opponent]:
    pairs = {} if change is None else {pair.opponent: pair for pair in change.pairs}
    found = []
    for line in lines:
        if line.player != own.player:
            pair = pairs.get(line.player)
            expected, score = (None, None) if pair is None else (pair.expected, pair.score)
            ref = PlayerRef(line.player, names.get(line.player, DELETED))
            found.append(Opponent(ref, line.rank, shown(line.before), line.games, expected, score, _exact(line)))
    return found


def _exact(line: EntryLine) -> Exact:
    return Exact(line.before, line.after, line.k or None)
