"""What a match does to its players' ratings, once: one transaction, of ratings as they are when it commits."""

from collections.abc import Iterable, Mapping

from engine.ladder.elo import Change, Entrant
from engine.ladder.outcome import Facts, Verdict, outcomes, verdict
from engine.ladder.profiles import ALGORITHMS, algorithm
from engine.ladder.standing import annulled, games, rated, unlisted_at
from engine.match.record import Match, Sitter, Status, sitters
from engine.types import EpochMs
from functions.shared.store.ladder_records import Books, EntryLine, LadderEntry, Meetings, Rating
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import DELETED, MatchRecord

ATTEMPTS = 5
"""Another result of one of the players may commit first."""

PAUSE_S = 0.02
"""The first pause after a conflict; each further one may be so much longer."""

REMEMBERED = 2
"""So many meetings of the same players decide about the next one (ladder.md: two in 24 h)."""


def rate(services: Services, record: MatchRecord) -> LadderEntry | None:
    """What the ladder's books say of a match that has ended; it is entered if it was not yet.

    None for a match that never started, and for a private one: who may not see it would read of it in the histories of
    its players. Raises `ConflictError` when others keep getting in between.
    """
    match = record.match
    if record.private or not match.started_at:
        return None
    players = [sitter.player for _, sitter in _people(match)]
    for attempt in range(ATTEMPTS):
        books = services.ladder.books(match.game, match.id, players)
        if books.entry is not None:
            return books.entry
        entry, changed, meetings = judged(record, books)
        try:
            services.ladder.enter(entry, changed, meetings)
        except ConflictError:
            services.pause(PAUSE_S * (attempt + 1) * services.random_bytes(1)[0] / 255)
            continue
        return entry
    raise ConflictError(match.id)


def judged(record: MatchRecord, books: Books) -> tuple[LadderEntry, list[tuple[Rating, Rating]], Meetings | None]:
    """What an ended match is entered as: the entry, each rating that it changes (before, after), and when these players
    met, unless that stays as it is."""
    match, ratings = record.match, books.ratings
    at = later_than(ratings.values(), match.ended_at)
    found = verdict(_facts(record, books, at))
    lines = _lines(match, ratings, found)
    entry = LadderEntry(match.id, match.game, at, lines, reason=found.reason or "")
    if found.reason is None:
        entry = _rated(entry)
    closed = {sitter.player for _, sitter in _people(match) if sitter.name == DELETED}
    afters = applied(entry, ratings)
    changed = [(ratings[player], _closed(after) if player in closed else after) for player, after in afters.items()]
    times = (*books.meetings.times, at)[-REMEMBERED:]
    return entry, changed, None if entry.reason else books.meetings._replace(times=times)


def later_than(ratings: Iterable[Rating], at: EpochMs) -> EpochMs:
    """`at`, or later than the last entry of each rating: so the moments of a player's entries are in their order."""
    return max([at, *(rating.entry_at + 1 for rating in ratings)])


def changes_of(entry: LadderEntry) -> tuple[Change, ...]:
    """What a rated result does to each rating and why, computed anew from what the entry says of before."""
    return ALGORITHMS[entry.algorithm](
        [Entrant(line.player, line.before, line.games, line.rank, line.reached_2400) for line in entry.lines]
    )


def applied(entry: LadderEntry, ratings: Mapping[str, Rating]) -> dict[str, Rating]:
    """The ratings that an entry changes, after it: all of a rated result, those of its annulment, or who is let off."""
    if entry.reason:
        let_off = [line.player for line in entry.lines if line.let_off]
        return {player: ratings[player]._replace(let_off_at=entry.at, entry_at=entry.at) for player in let_off}
    return {line.player: _after(entry, seat, ratings[line.player]) for seat, line in enumerate(entry.lines)}


def _after(entry: LadderEntry, seat: int, before: Rating) -> Rating:
    line, outcome = entry.lines[seat], outcomes([line.rank for line in entry.lines])[seat]
    if entry.annuls:
        taken_back = Change(line.player, line.after, line.before, 0, ())
        standing = annulled(before.standing, taken_back, outcome)
        after = before._replace(standing=standing, listed=before.listed and games(standing) > 0)
    else:
        standing = rated(before.standing, Change(line.player, line.before, line.after, line.k, ()), outcome)
        after = before._replace(standing=standing, listed=not before.closed, played_at=entry.at)
    return _listed(before, after._replace(entry_at=entry.at), entry.at)


def _listed(before: Rating, after: Rating, at: EpochMs) -> Rating:
    """The rating with its place in the list: since when it has it, and when that is looked at. An index key costs two
    writes, so it changes only when it would come too late."""
    if not after.listed:
        return after._replace(due=None)
    is_new = not before.listed or before.points != after.points
    due = unlisted_at(after.played_at)
    return after._replace(
        reached_at=at if is_new else before.reached_at, due=due if before.due is None else min(before.due, due)
    )


def _closed(rating: Rating) -> Rating:
    return rating._replace(closed=True, listed=False, due=None)


def _people(match: Match) -> list[tuple[int, Sitter]]:
    return [(seat, sitter) for seat, sitter in enumerate(sitters(match)) if not sitter.bot]


def _facts(record: MatchRecord, books: Books, at: EpochMs) -> Facts:
    match, people = record.match, _people(record.match)
    return Facts(
        rated=record.rated,
        aborted=match.status is Status.ABORTED,
        ended="" if match.result is None else match.result.reason,
        acted=tuple(sitter.acted for _, sitter in people),
        let_off=tuple(books.ratings[sitter.player].let_off_at for _, sitter in people),
        at=at,
        tournament=record.fixture is not None,
        recent=books.meetings.times,
    )


def _lines(match: Match, ratings: Mapping[str, Rating], found: Verdict) -> tuple[EntryLine, ...]:
    lines = []
    for place, (seat, sitter) in enumerate(_people(match)):
        rating = ratings[sitter.player]
        before = rating.standing.rating
        lines.append(
            EntryLine(
                sitter.player,
                0 if match.result is None else match.result.ranks[seat],
                before,
                before,
                games(rating.standing),
                rating.version,
                reached_2400=rating.standing.reached_2400,
                let_off=place in found.let_off,
            )
        )
    return tuple(lines)


def _rated(entry: LadderEntry) -> LadderEntry:
    entry = entry._replace(algorithm=algorithm(entry.game))
    changes = changes_of(entry)
    lines = [line._replace(after=change.after, k=change.k) for line, change in zip(entry.lines, changes, strict=True)]
    return entry._replace(lines=tuple(lines))
