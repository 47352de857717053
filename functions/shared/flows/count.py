"""What changed ratings do to the counters that ranks follow from, in any batch and order, each once.

A player's mark says which version of the rating was counted, and at what rating. The difference is taken against that,
not against the rating before in the stream: what comes twice, late or out of order adds nothing that is not true.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from engine import games
from engine.ladder.ranks import deltas
from engine.ladder.standing import unlisted_at
from engine.types import EpochMs
from functions.shared.store.ladder_records import Delta, Mark, Rating, taken_in
from functions.shared.store.ports import ConflictError, Services

MARKS = 99
"""Marks of a transaction, which has room for a hundred writes: they and their delta."""

TAKEN = 99
"""Deltas of a transaction beside the snapshot."""

ATTEMPTS = 3
ROUNDS = 100
"""Transactions of one publication at most; the rest waits for the next."""

BATCH = 100
UNLISTED = 1000
"""Ratings of each ladder that one run looks at."""


def count(services: Services, ratings: Iterable[Rating]) -> int:
    """Counts ratings that have changed; gives how many were not counted before. Raises `ConflictError`."""
    latest: dict[tuple[str, str], Rating] = {}
    for rating in ratings:
        key = rating.game, rating.player
        if key not in latest or latest[key].version < rating.version:
            latest[key] = rating
    counted = 0
    for _, group in groupby(sorted(latest.values(), key=attrgetter("game", "player")), attrgetter("game")):
        players = list(group)
        for first in range(0, len(players), MARKS):
            counted += _count(services, players[first : first + MARKS])
    return counted


def _count(services: Services, ratings: Sequence[Rating]) -> int:
    game = ratings[0].game
    for _ in range(ATTEMPTS):
        marks = services.ladder.marks(game, [rating.player for rating in ratings])
        moves = [
            (mark, marked(rating))
            for rating in ratings
            if (mark := marks.get(rating.player)) is None or mark.version < rating.version
        ]
        try:
            move(services, moves)
        except ConflictError:
            continue  # somebody else counts the same; the marks say what is left
        return len(moves)
    raise ConflictError(game)


def move(services: Services, moves: Sequence[tuple[Mark | None, Mark]]) -> None:
    """Writes up to 99 marks of a game (before, after), and the difference that they make. Raises `ConflictError`."""
    changes = deltas((None if before is None else before.points, after.points) for before, after in moves)
    if moves:
        services.ladder.count(moves, Delta(services.random_bytes(8).hex(), changes) if changes else None)


def marked(rating: Rating) -> Mark:
    """The mark of a rating that has been counted."""
    points = rating.points if rating.listed else None
    return Mark(rating.game, rating.player, points, rating.reached_at, rating.version)


def every_minute(services: Services, now: EpochMs) -> dict[str, int]:
    """Publishes the counters and unlists who has not played for long, in every ladder; gives how many of each."""
    published = sum(publish(services, game, now) for game in games.IDS)
    return {"published": published, "unlisted": sum(unlist(services, game, now) for game in games.IDS)}


def publish(services: Services, game: str, now: EpochMs) -> int:
    """Takes the deltas into the snapshot; gives how many. Where another does the same, it is left to them."""
    published = 0
    for _ in range(ROUNDS):
        counters = services.ladder.counters(game)
        taken = counters.deltas[:TAKEN]
        if not taken:
            break
        after = taken_in(counters.snapshot, taken)._replace(as_of=now)
        try:
            services.ladder.publish(counters.snapshot, after, taken)
        except ConflictError:
            break
        published += len(taken)
    return published


def unlist(services: Services, game: str, now: EpochMs) -> int:
    """Takes players off the list whose last rated result is 90 days old; gives how many."""
    unlisted, after = 0, None
    for _ in range(0, UNLISTED, BATCH):
        page = services.ladder.due(game, now, BATCH, after)
        ratings = services.ladder.ratings(game, [due.player for due in page])
        unlisted += sum(_look(services, rating, now) for rating in ratings.values())
        if len(page) < BATCH:
            break
        after = page[-1].place
    return unlisted


def _look(services: Services, rating: Rating, now: EpochMs) -> bool:
    """Unlists a player if it is time, or says when it will be: due times are written lazily."""
    due = unlisted_at(rating.played_at)
    if rating.due is None or rating.due > now:
        return False  # played, or was looked at, since the index was read
    is_over = due <= now
    after = rating._replace(listed=False, due=None) if is_over else rating._replace(due=due)
    try:
        services.ladder.change(rating, after)
    except ConflictError:
        return False  # played just now, or somebody else looks
    return is_over
