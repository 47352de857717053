"""Points and tie-breaks of formats in which two meet at a time (tournaments.md, "Standings and tie-breaks").

All amounts are exact. In a round robin forfeits count as played, but not as `wins`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.tournament.protocol import (
    HALVES,
    Amount,
    Entrant,
    MilliPoints,
    Pairing,
    Part,
    Player,
    Reason,
    Row,
    Tiebreak,
)
from engine.tournament.ranking import Criterion, Worth, by_points, ranked

HEAD_TO_HEAD = "head-to-head"
WINS = "wins"
SONNEBORN_BERGER = "sonneborn-berger"
GAME_SCORE = "game-score"
OPPONENTS_RATING = "opponents-rating"

AT_THE_TABLE = frozenset({Reason.PLAYED, Reason.DEADLINE})
"""Reasons of a pairing that was decided by its games."""


class Meeting(NamedTuple):
    """A pairing as one of its players sees it."""

    round: int
    opponent: Player
    """Empty for a rest."""
    halves: int
    """2 for a win, 1 for a draw."""
    score: int
    at_the_table: bool


class Event(NamedTuple):
    """What the criteria look at."""

    meetings: Mapping[Player, Sequence[Meeting]]
    points: Mapping[Player, int]
    """In halves."""
    ratings: Mapping[Player, MilliPoints]
    times: int
    """How often each two are to meet."""


def standings(
    names: Sequence[str], times: int, field: Sequence[Entrant], pairings: Iterable[Pairing]
) -> tuple[Row, ...]:
    """The table by points and by the criteria of these names, in this order, where each two meet `times` times."""
    event = _event(times, field, pairings)
    measures = {
        HEAD_TO_HEAD: lambda group: head_to_head(event, group),
        WINS: lambda group: wins(event, group),
        SONNEBORN_BERGER: lambda group: sonneborn_berger(event, group),
        GAME_SCORE: lambda group: game_score(event, group),
        OPPONENTS_RATING: lambda group: opponents_rating(event, group),
    }
    criteria = [Criterion(name, measures[name], name == HEAD_TO_HEAD) for name in names]
    return ranked(field, event.points, HALVES, [by_points(event.points), *criteria])


def _event(times: int, field: Sequence[Entrant], pairings: Iterable[Pairing]) -> Event:
    meetings: dict[Player, list[Meeting]] = {entrant.player: [] for entrant in field}
    for pairing in sorted(pairings):
        result = pairing.result
        if result is None:
            continue
        for i, side in enumerate(pairing.sides):
            opponent = pairing.sides[1 - i]
            if side.player:
                mine, others = result.ranks[i], result.ranks[1 - i]
                halves = (2 if mine < others else 1 if mine == others == 1 else 0) if opponent.player else 0
                played = result.reason in AT_THE_TABLE
                meeting = Meeting(pairing.key.round, opponent.player, halves, result.scores[i], played)
                meetings[side.player].append(meeting)
    points = {player: sum(meeting.halves for meeting in met) for player, met in meetings.items()}
    return Event(meetings, points, {entrant.player: entrant.rating for entrant in field}, times)


def wins(event: Event, group: Sequence[Player]) -> dict[Player, Worth]:
    """Pairings won at the table: neither by forfeit nor by a ruling."""
    return {
        player: _summed(WINS, 1, [_part(m, 1) for m in event.meetings[player] if m.halves == HALVES and m.at_the_table])
        for player in group
    }


def game_score(event: Event, group: Sequence[Player]) -> dict[Player, Worth]:
    """The sum of the own scores in all games, in the game's unit."""
    return {
        player: _summed(GAME_SCORE, 1, [_part(m, m.score) for m in event.meetings[player] if m.opponent])
        for player in group
    }


def sonneborn_berger(event: Event, group: Sequence[Player]) -> dict[Player, Worth]:
    """The opponents' points, whole for who was beaten and half for a draw."""
    per = HALVES * HALVES
    return {
        player: _summed(
            SONNEBORN_BERGER,
            per,
            [_part(m, m.halves * event.points[m.opponent], per) for m in event.meetings[player] if m.opponent],
        )
        for player in group
    }


def opponents_rating(event: Event, group: Sequence[Player]) -> dict[Player, Worth]:
    """The mean of the opponents' ratings at the start, as shown in whole points, over what was played at the table,
    rounded half up; 0 without such."""
    found = {}
    for player in group:
        met = [m for m in event.meetings[player] if m.opponent and m.at_the_table]
        shown = [(event.ratings[m.opponent] + 500) // 1000 for m in met]
        mean = (2 * sum(shown) + len(shown)) // (2 * len(shown)) if shown else 0
        parts = tuple(_part(m, rating) for m, rating in zip(met, shown, strict=True))
        found[player] = Worth(Tiebreak(OPPONENTS_RATING, Amount(mean), parts), mean)
    return found


def head_to_head(event: Event, group: Sequence[Player]) -> dict[Player, Worth]:
    """The points from the meetings of the group (FIDE handbook C.07, article 6).

    While some of them have still to meet, only who is alone on top whatever comes of it is put first, then the next
    one alike; the others stay equal.
    """
    members = frozenset(group)
    among = {player: [m for m in event.meetings[player] if m.opponent in members] for player in group}
    points = {player: sum(m.halves for m in met) for player, met in among.items()}
    missing = {player: event.times * (len(group) - 1) - len(met) for player, met in among.items()}
    compared = _certain(points, missing)
    return {
        player: Worth(_summed(HEAD_TO_HEAD, HALVES, [_part(m, m.halves, HALVES) for m in met]).shown, compared[player])
        for player, met in among.items()
    }


def _certain(points: Mapping[Player, int], missing: Mapping[Player, int]) -> dict[Player, int]:
    """What to compare: the points, when nobody has a meeting to come."""
    if not any(missing.values()):
        return dict(points)
    left = dict(points)
    compared = {}
    while len(left) > 1:
        best = max(left, key=lambda player: left[player])
        if any(left[other] + HALVES * missing[other] >= left[best] for other in left if other != best):
            break
        compared[best] = len(left)
        del left[best]
    return {player: compared.get(player, 0) for player in points}


def _part(meeting: Meeting, units: int, per: int = 1) -> Part:
    return Part(meeting.round, meeting.opponent, Amount(units, per))


def _summed(name: str, per: int, parts: list[Part]) -> Worth:
    total = sum(part.amount.units for part in parts)
    return Worth(Tiebreak(name, Amount(total, per), tuple(parts)), total)
