"""Takes a rated result back by a further entry in the books; what was entered stays (ladder.md, "Rating")."""

from collections.abc import Mapping

from engine.ladder.elo import Change
from engine.ladder.outcome import outcomes
from engine.ladder.standing import annulled, games
from engine.types import EpochMs
from functions.shared.flows.rate import ATTEMPTS, applied, later_than
from functions.shared.store.ladder_records import EntryLine, LadderEntry, Rating
from functions.shared.store.ports import ConflictError, Services


class NotRatedError(Exception):
    """The match has no rated result to annul."""


def annul(services: Services, match_id: str, now: EpochMs) -> tuple[LadderEntry, bool]:
    """The annulment of a match's result, and whether it was made by this call; once there, it stays as it is.

    Each player's rating goes back by what the result really moved it, within the bounds; later results stay. Raises
    `NotRatedError`, and `ConflictError` when others keep getting in between.
    """
    result = services.ladder.entry(match_id)
    if result is None or result.reason:
        raise NotRatedError(match_id)
    for _ in range(ATTEMPTS):
        ratings = services.ladder.ratings(result.game, [line.player for line in result.lines])
        # In this order: ratings that somebody has just annulled it in don't count the result any more.
        made = services.ladder.entry(match_id, annulment=True)
        if made is not None:
            return made, False
        entry = annulment(result, ratings, later_than(ratings.values(), now))
        changed = [(ratings[player], after) for player, after in applied(entry, ratings).items()]
        try:
            services.ladder.enter(entry, changed, None)
        except ConflictError:
            continue
        return entry, True
    raise ConflictError(match_id)


def annulment(result: LadderEntry, ratings: Mapping[str, Rating], at: EpochMs) -> LadderEntry:
    """The entry that takes a rated result back from ratings as they are."""
    won = outcomes([line.rank for line in result.lines])
    lines = []
    for line, outcome in zip(result.lines, won, strict=True):
        rating = ratings[line.player]
        after = annulled(rating.standing, Change(line.player, line.before, line.after, line.k, ()), outcome)
        before = rating.standing
        lines.append(
            EntryLine(
                line.player,
                line.rank,
                before.rating,
                after.rating,
                games(before),
                rating.version,
                reached_2400=before.reached_2400,
            )
        )
    return result._replace(at=at, lines=tuple(lines), annuls=True)
