"""Who stands where in a ladder. Ranks follow from the counters alone, so they cost the same at any size.

The list's rows are as they were counted, and so agree with the counters. A player who is asked for is shown with their
own last result, whether it has been counted or not.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.ladder import ranks
from engine.ladder.elo import CEILING, Points
from functions.shared.store.ladder_records import LadderPlace, Mark, Rating
from functions.shared.store.ports import Services

Counts = Sequence[int]


class Row(NamedTuple):
    """A player in the list. `rank` is None, and `key` empty, for who is not listed."""

    rank: int | None
    player: str
    name: str
    points: Points
    """The rating that goes with the rank."""
    rating: Rating
    key: str
    """The place in the list: where a page may go on, in either direction."""


class Rows(NamedTuple):
    """A piece of the list, best first."""

    rows: tuple[Row, ...]
    of: int
    """How many players the ladder lists."""
    more: bool
    """Whether the list goes on in the direction in which it was read."""
    ends: tuple[str, str] | None = None
    """The places of the best and the worst that were read, closed accounts, which have no row, included."""


class Standing(NamedTuple):
    """Where one player stands."""

    row: Row
    of: int
    percentile: int | None
    """How many of a hundred are rated lower; None for who is not listed."""


def page(services: Services, game: str, beyond: str | None, limit: int, *, upwards: bool = False) -> Rows:
    """Up to `limit` rows below a place's key, or from the top; `upwards` those right above it, also best first.

    What comes into the list, leaves it or moves in between neither skips nor repeats a row that stays where it is.
    """
    counts = services.ladder.counters(game).counts()
    found = _places(services, game, counts, beyond, limit + 1, upwards=upwards)
    read = found[:limit][::-1] if upwards else found[:limit]
    ends = (read[0].key, read[-1].key) if read else None
    return Rows(_rows(services, game, counts, read), ranks.total(counts), len(found) > limit, ends)


def place_of_rank(services: Services, game: str, rank: int) -> str | None:
    """A key for `page`, so that it begins with the players who share this rank, or the best one worse than it; None
    when the ladder has fewer players."""
    passed = 0
    for points, count in reversed(list(enumerate(services.ladder.counters(game).counts()))):
        passed += count
        if passed >= rank:
            return LadderPlace(points, 0, "").key
    return None


def standing(services: Services, game: str, player: str, name: str) -> Standing:
    """Where a player stands, their own last result included: three items are read, and what was counted since the
    last snapshot."""
    rating, counts = _own(services, game, player)
    total = ranks.total(counts)
    if not rating.listed:
        return Standing(Row(None, player, name, rating.points, rating, ""), total, None)
    lower = ranks.below(counts, rating.points)
    return Standing(_row(counts, _place(rating), name, rating), total, ranks.percentile(lower, total))


def around(services: Services, game: str, player: str, name: str, window: int) -> Rows:
    """Up to `window` rows above a player, their own as in `standing`, and as many below; none for who is not listed."""
    rating, counts = _own(services, game, player)
    if not rating.listed:
        return Rows((), ranks.total(counts), more=False)
    own = _place(rating)
    sides = []
    for upwards in (True, False):
        found = _places(services, game, counts, own.key, window + 1, upwards=upwards)
        others = [place for place in found if place.player != player]  # where the last count put them
        sides.append(_rows(services, game, counts, others[:window]))
    above, below = sides
    return Rows((*above[::-1], _row(counts, own, name, rating), *below), ranks.total(counts), more=False)


def _own(services: Services, game: str, player: str) -> tuple[Rating, Counts]:
    """A player's rating, and the counters with it in the place of what was counted of the player.

    Were their mark to change between the two reads, they would be counted at either rating: their rank would be one
    off, once.
    """
    rating, mark = services.ladder.standing(game, player)
    return rating, _moved(services.ladder.counters(game).counts(), mark, rating)


def _moved(counts: Counts, mark: Mark | None, rating: Rating) -> Counts:
    moved = list(counts)
    if mark is not None and mark.points is not None:
        moved[mark.points] = max(0, moved[mark.points] - 1)
    if rating.listed:
        moved[rating.points] += 1
    return moved


def _place(rating: Rating) -> LadderPlace:
    return LadderPlace(rating.points, rating.reached_at, rating.player)


def _places(
    services: Services, game: str, counts: Counts, beyond: str | None, limit: int, *, upwards: bool
) -> list[LadderPlace]:
    """Up to `limit` places beyond a key, from the nearest on; the counters say which bands have any."""
    found: list[LadderPlace] = []
    first = None if beyond is None else ranks.band(CEILING // 1000 - int(beyond[:4]))
    for number in _bands(counts, first, upwards=upwards):
        start = beyond if number == first else None
        found += services.ladder.band(game, number, limit - len(found), start, upwards=upwards)
        if len(found) >= limit:
            break
    return found


def _bands(counts: Counts, first: int | None, *, upwards: bool) -> Iterator[int]:
    last = ranks.band(ranks.BUCKETS - 1)
    start = last if first is None else first
    for number in range(start, last + 1) if upwards else range(start, -1, -1):
        if any(counts[number * ranks.BAND : (number + 1) * ranks.BAND]):
            yield number


def _rows(services: Services, game: str, counts: Counts, places: Sequence[LadderPlace]) -> tuple[Row, ...]:
    """The rows of places, without closed accounts."""
    players = [place.player for place in places]
    ratings, profiles = services.ladder.ratings(game, players), services.players.get_many(players)
    return tuple(
        _row(counts, place, profiles[place.player].name, ratings[place.player])
        for place in places
        if place.player in profiles and not profiles[place.player].closed_at
    )


def _row(counts: Counts, place: LadderPlace, name: str, rating: Rating) -> Row:
    return Row(ranks.rank(counts, place.points), place.player, name, place.points, rating, place.key)
