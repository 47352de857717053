"""Points and places in heats (tournaments.md, "Formats", `heats`, 2 to 4 and 7)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.tournament import ranking
from engine.tournament.protocol import Amount, Entrant, Pairing, Part, Player, Row, Tiebreak
from engine.tournament.ranking import Criterion, Worth, ranked
from engine.tournament.series import POINTS as PER
from engine.tournament.tiebreaks import AT_THE_TABLE, GAME_SCORE, WINS

TIEBREAKS = (GAME_SCORE, WINS)
ROUND, PLACE = "round", "place"


class Past(NamedTuple):
    """What each player has gathered so far."""

    points: Counter[Player]
    """In 1/5040."""
    scores: Counter[Player]


class Stop(NamedTuple):
    """How far a player came: the last round, then the place at its table, from 1; 0 for who plays on in that round."""

    round: int
    place: int


def past(pairings: Iterable[Pairing]) -> Past:
    """Points and scores from all settled tables."""
    points: Counter[Player] = Counter()
    scores: Counter[Player] = Counter()
    for pairing in pairings:
        if pairing.result is not None:
            for side, gained, score in zip(pairing.sides, pairing.result.points, pairing.result.scores, strict=True):
                points[side.player] += gained
                scores[side.player] += score
    return Past(points, scores)


def by_points(names: Sequence[str], field: Sequence[Entrant], pairings: Sequence[Pairing]) -> tuple[Row, ...]:
    """Points, the tie-breaks of these names (by default all), and the seed at last."""
    gathered = past(pairings)
    measures = {
        GAME_SCORE: _summed(GAME_SCORE, _scores(pairings)),
        WINS: _summed(WINS, _wins(pairings)),
    }
    criteria = [measures[name] for name in names or TIEBREAKS]
    return ranked(field, gathered.points, PER, [ranking.by_points(gathered.points), *criteria, ranking.by_seed(field)])


def by_rounds(
    field: Sequence[Entrant], pairings: Sequence[Pairing], on: frozenset[Player], has_ended: bool
) -> tuple[Row, ...]:
    """Places by round, then by the place at the table; equals share. `on` go on from the last round; where the event
    `has_ended` there, for want of players, they are placed by points so far, then seed."""
    gathered, stops = past(pairings), _stops(field, pairings, on)
    criteria = [
        _read(ROUND, {player: stop.round for player, stop in stops.items()}),
        _read(PLACE, {player: -stop.place for player, stop in stops.items()}),
    ]
    if has_ended:
        criteria.append(ranking.by_points({player: gathered.points[player] if player in on else 0 for player in stops}))
        seeds = {entrant.player: -entrant.seed if entrant.player in on else 0 for entrant in field}
        criteria.append(_read(ranking.SEED, seeds))
    return ranked(field, gathered.points, PER, criteria)


def _stops(field: Iterable[Entrant], pairings: Iterable[Pairing], on: frozenset[Player]) -> dict[Player, Stop]:
    stops = {entrant.player: Stop(0, 0) for entrant in field}
    for pairing in sorted(pairings):
        ranks = pairing.result.ranks if pairing.result else (0,) * len(pairing.sides)
        for side, rank in zip(pairing.sides, ranks, strict=True):
            goes_on = rank > 0 and side.player in on
            stops[side.player] = Stop(pairing.key.round + goes_on, 0 if goes_on else rank)
    return stops


def _read(name: str, worth: Mapping[Player, int]) -> Criterion:
    """A criterion that compares what is given, and shows it without its sign."""
    return Criterion(name, lambda group: {p: Worth(Tiebreak(name, Amount(abs(worth[p]))), worth[p]) for p in group})


def _summed(name: str, parts: Mapping[Player, list[Part]]) -> Criterion:
    def worth(player: Player) -> Worth:
        mine = parts.get(player, [])
        total = sum(part.amount.units for part in mine)
        return Worth(Tiebreak(name, Amount(total), tuple(mine)), total)

    return Criterion(name, lambda group: {player: worth(player) for player in group})


def _scores(pairings: Iterable[Pairing]) -> Mapping[Player, list[Part]]:
    found: dict[Player, list[Part]] = {}
    for pairing in sorted(pairings):
        if pairing.result is not None:
            for side, score in zip(pairing.sides, pairing.result.scores, strict=True):
                found.setdefault(side.player, []).append(Part(pairing.key.round, "", Amount(score)))
    return found


def _wins(pairings: Iterable[Pairing]) -> Mapping[Player, list[Part]]:
    """Tables where one was first alone, by play."""
    found: dict[Player, list[Part]] = {}
    for pairing in sorted(pairings):
        if pairing.result is not None and pairing.result.reason in AT_THE_TABLE and pairing.result.ranks.count(1) == 1:
            winner = pairing.sides[pairing.result.ranks.index(1)].player
            found.setdefault(winner, []).append(Part(pairing.key.round, "", Amount(1)))
    return found
