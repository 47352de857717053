"""Counts a ladder again: every rating against what was counted of it, and the list against the counters.

It may run while results come in. What they change between two looks is looked at once more.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from engine.ladder import ranks
from functions.shared.flows.count import MARKS, marked, move
from functions.shared.store.due import NEVER
from functions.shared.store.ladder_records import Counters, LadderPlace, Mark, Snapshot
from functions.shared.store.ports import ConflictError, Services

PLAYERS = 5_000
"""After so many rows a call ends; a band is never left in its middle."""

PAGE = 1_000
ATTEMPTS = 3
PAUSE_S = 1.0
"""The indexes may be a moment behind; the stream's consumer too."""

_LISTED, _BANDS = "listed", "bands"


class Part(NamedTuple):
    """What a call found, and where the next one goes on; `after` is None at the end."""

    players: int
    """Listed players that the bands of this call hold."""
    uncounted: int
    """Players whose mark does not say what their rating says."""
    drift: int
    """By how much the counters differ from what the list holds, added up."""
    after: str | None


def fsck(services: Services, game: str, after: str | None, *, repair: bool) -> Part:
    """Looks at a part of a ladder: first at all ratings that are listed, then at all places in the list, band by band.

    With `repair`, what is wrong is put right, and counted as found. Raises `ConflictError` when it is moved meanwhile.
    """
    stage, _, place = (after or f"{_LISTED}#").partition("#")
    if stage == _LISTED:
        return _look_at_ratings(services, game, place or None, repair=repair)
    return _look_at_bands(services, game, int(place), repair=repair)


def _look_at_ratings(services: Services, game: str, place: str | None, *, repair: bool) -> Part:
    uncounted = 0
    for _ in range(0, PLAYERS, MARKS):
        page = services.ladder.due(game, NEVER, MARKS, place)
        uncounted += _look(services, game, [due.player for due in page], repair=repair)
        if len(page) < MARKS:
            return Part(0, uncounted, 0, f"{_BANDS}#0")
        place = page[-1].place
    return Part(0, uncounted, 0, f"{_LISTED}#{place}")


def _look_at_bands(services: Services, game: str, band: int, *, repair: bool) -> Part:
    players = uncounted = drift = 0
    last = ranks.band(ranks.BUCKETS - 1)
    counters = services.ladder.counters(game)
    while band <= last and players < PLAYERS:
        places = list(_in_band(services, game, band))
        listed = [place.player for place in places]
        for first in range(0, len(listed), MARKS):
            uncounted += _look(services, game, listed[first : first + MARKS], repair=repair)
        if _differences(counters, band, places):  # it may have moved since they were read
            drift += _recount(services, game, band, repair=repair)
        players += len(listed)
        band += 1
    return Part(players, uncounted, drift, f"{_BANDS}#{band}" if band <= last else None)


def _look(services: Services, game: str, players: Sequence[str], *, repair: bool) -> int:
    """How many of up to 99 players are not counted as their ratings say."""
    moves = _uncounted(services, game, players)
    for _ in range(ATTEMPTS - 1):
        if not moves:
            return 0
        services.pause(PAUSE_S)
        moves = _uncounted(services, game, players)
    if repair:
        move(services, moves)
    return len(moves)


def _uncounted(services: Services, game: str, players: Sequence[str]) -> list[tuple[Mark | None, Mark]]:
    ratings = services.ladder.ratings(game, players)
    marks = services.ladder.marks(game, players)
    pairs = [(marks.get(player), marked(rating)) for player, rating in ratings.items()]
    return [
        (mark, wanted)
        for mark, wanted in pairs
        if mark is None or (mark != wanted and mark.version <= wanted.version)  # a later one: counted meanwhile
    ]


def _recount(services: Services, game: str, band: int, *, repair: bool) -> int:
    """By how much the counters of a band differ from what the list holds."""
    seen: tuple[Snapshot, dict[int, int]] | None = None
    for _ in range(ATTEMPTS):
        counters = services.ladder.counters(game)
        differences = _differences(counters, band, _in_band(services, game, band))
        if not differences:
            return 0
        if _of_band(services.ladder.counters(game), band) == _of_band(counters, band):
            seen = counters.snapshot, differences
        services.pause(PAUSE_S)
    if seen is None:
        raise ConflictError(game)
    snapshot, differences = seen
    if repair:
        counts = list(snapshot.counts)
        for points, difference in differences.items():
            counts[points] += difference
        services.ladder.publish(snapshot, snapshot._replace(counts=tuple(counts)), ())
    return sum(map(abs, differences.values()))


def _differences(counters: Counters, band: int, places: Iterable[LadderPlace]) -> dict[int, int]:
    """By rating: how many more players the list holds than are counted."""
    held = Counter(place.points for place in places)
    return {points: held[points] - count for points, count in _of_band(counters, band).items() if held[points] != count}


def _of_band(counters: Counters, band: int) -> dict[int, int]:
    counts = counters.counts()
    return {points: counts[points] for points in range(band * ranks.BAND, (band + 1) * ranks.BAND)}


def _in_band(services: Services, game: str, band: int) -> Iterator[LadderPlace]:
    beyond = None
    while True:
        page = services.ladder.band(game, band, PAGE, beyond)
        yield from page
        if len(page) < PAGE:
            return
        beyond = page[-1].key
