"""Computes a ladder's ratings anew from its books, in the order of their moments: each entry has to say again, to the
milli-point, what it says."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.ladder.standing import Standing, games
from engine.types import EpochMs, Json
from functions.shared.flows.annul import annulment
from functions.shared.flows.rate import applied, changes_of
from functions.shared.store.ladder_records import EntryLine, LadderEntry, Rating
from functions.shared.store.ports import Services


class Kept(NamedTuple):
    """What is stored of a rating that follows from the books alone."""

    standing: Standing
    played_at: EpochMs
    let_off_at: EpochMs | None
    entry_at: EpochMs


class Ledger(NamedTuple):
    """A ladder as it is recomputed: both grow with each entry."""

    ratings: dict[str, Rating]
    results: dict[str, LadderEntry]
    """The rated results, which annulments refer to."""


def enter(ledger: Ledger, entry: LadderEntry) -> bool:
    """Takes the next entry into the ledger; tells whether it says what follows from those before it."""
    ratings = {line.player: _known(ledger, entry.game, line) for line in entry.lines}
    expected = _expected(ledger, entry, ratings)
    if expected is None:
        return False
    if not entry.reason and not entry.annuls:
        ledger.results[entry.match] = entry
    for player, after in applied(expected, ratings).items():
        ledger.ratings[player] = after._replace(version=ratings[player].version + 1)
    return expected == entry


def _known(ledger: Ledger, game: str, line: EntryLine) -> Rating:
    """The rating before an entry. Its version may be higher than after the last one: to be listed or closed is a
    version, too, and follows from no entry."""
    rating = ledger.ratings.get(line.player, Rating(game, line.player))
    return rating._replace(version=max(rating.version, line.version))


def _expected(ledger: Ledger, entry: LadderEntry, ratings: Mapping[str, Rating]) -> LadderEntry | None:
    """The entry with all that can be computed computed anew; None for the annulment of what was never entered."""
    if entry.annuls:
        result = ledger.results.get(entry.match)
        return None if result is None else annulment(result, ratings, entry.at)
    if entry.reason:
        return entry  # it says what the ratings were when it was read, and changes none of them
    lines = [_begun(line, ratings[line.player]) for line in entry.lines]
    begun = entry._replace(lines=tuple(lines))
    changes = changes_of(begun)
    done = [line._replace(after=change.after, k=change.k) for line, change in zip(lines, changes, strict=True)]
    return begun._replace(lines=tuple(done))


def _begun(line: EntryLine, rating: Rating) -> EntryLine:
    before, reached = rating.standing.rating, rating.standing.reached_2400
    return EntryLine(
        line.player, line.rank, before, before, games(rating.standing), rating.version, reached_2400=reached
    )


def kept(rating: Rating) -> Kept:
    """What `recompute` can say of a rating."""
    return Kept(rating.standing, rating.played_at, rating.let_off_at, rating.entry_at)


def kept_from(fields: Sequence[Json]) -> Kept:
    """What was written as JSON."""
    standing, *others = fields
    return Kept(Standing(*standing), *others)


def stored(services: Services, game: str, players: Sequence[str]) -> dict[str, Kept]:
    """What is stored of up to 100 players."""
    return {player: kept(rating) for player, rating in services.ladder.ratings(game, players).items()}
