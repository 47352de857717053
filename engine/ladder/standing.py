"""What a ladder keeps of a player: the rating and the record, moved by results and moved back by annulments."""

from typing import NamedTuple

from engine.ladder.elo import START, Change, MilliPoints, clamped
from engine.ladder.fide import has_reached_2400
from engine.ladder.outcome import Outcome
from engine.types import EpochMs

LISTED_MS = 90 * 24 * 3_600_000
"""A player is listed for so long after their last rated result."""


class Standing(NamedTuple):
    """A player's rating and record in one ladder; as it is, that of who has no rated result yet."""

    rating: MilliPoints = START
    won: int = 0
    drawn: int = 0
    lost: int = 0
    reached_2400: bool = False
    """Whether a rating of 2400 was ever shown."""


NEW = Standing()


def games(standing: Standing) -> int:
    """How many rated games count."""
    return standing.won + standing.drawn + standing.lost


def rated(standing: Standing, change: Change, outcome: Outcome) -> Standing:
    """The standing after a rated result. Raises `ValueError` where the change is to another rating than this one."""
    if change.before != standing.rating:
        raise ValueError("the change is to another rating")
    return _moved(standing, change.after, outcome, 1)


def annulled(standing: Standing, change: Change, outcome: Outcome) -> Standing:
    """The standing after a result among those that it counts is annulled: a compensating entry.

    The rating goes back by what the result really moved it, within the bounds; what came after the result stays as
    it was rated, and 2400 was shown all the same. Raises `ValueError` where no such game is counted.
    """
    return _moved(standing, clamped(standing.rating - (change.after - change.before)), outcome, -1)


def unlisted_at(last_rated_at: EpochMs) -> EpochMs:
    """From when on a player is no longer listed, unless another result is rated before."""
    return last_rated_at + LISTED_MS


def _moved(standing: Standing, rating: MilliPoints, outcome: Outcome, by: int) -> Standing:
    count = getattr(standing, outcome) + by
    if count < 0:
        raise ValueError(f"no game that was {outcome} is counted")
    reached = has_reached_2400(standing.reached_2400, rating)
    return standing._replace(rating=rating, reached_2400=reached, **{str(outcome): count})
