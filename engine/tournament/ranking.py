"""Rows in order: by points, then criterion after criterion within what is still equal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from engine.tournament.protocol import Amount, Entrant, Pairing, Player, Row, Tiebreak

POINTS, SEED = "points", "seed"


class Worth(NamedTuple):
    """What a criterion says of a player: what it shows, and what it compares, the greater the better."""

    shown: Tiebreak
    compared: int


Measure: TypeAlias = Callable[[Sequence[Player]], Mapping[Player, Worth]]
"""Says what the members of a group of equal players are worth by a criterion."""


class Criterion(NamedTuple):
    """A criterion, and whether it depends on the group: then it is applied again to each smaller group that it leaves
    equal, and is shown only for who was equal with somebody."""

    name: str
    measure: Measure
    is_among_equals: bool = False


Group: TypeAlias = tuple[list[Player], str]
"""Equal players, and the criterion that separates them from the group before; empty for the first."""


def gone(field: Iterable[Entrant], pairings: Iterable[Pairing]) -> frozenset[Player]:
    """Who has withdrawn, or is out by what happened in a pairing."""
    found = {entrant.player for entrant in field if entrant.out}
    for pairing in pairings:
        out = pairing.result.out if pairing.result else (False,) * len(pairing.sides)
        found.update(s.player for s, is_out in zip(pairing.sides, out, strict=True) if is_out or s.withdrew)
    return frozenset(found)


def by_points(points: Mapping[Player, int]) -> Criterion:
    """The points as a criterion; a row shows them apart from the tie-breaks."""

    def measure(group: Sequence[Player]) -> dict[Player, Worth]:
        return {player: Worth(Tiebreak(POINTS, Amount(points[player])), points[player]) for player in group}

    return Criterion(POINTS, measure)


def by_seed(field: Iterable[Entrant]) -> Criterion:
    """The higher seed first: nobody is equal after it."""
    seeds = {entrant.player: entrant.seed for entrant in field}

    def measure(group: Sequence[Player]) -> dict[Player, Worth]:
        return {player: Worth(Tiebreak(SEED, Amount(seeds[player])), -seeds[player]) for player in group}

    return Criterion(SEED, measure)


def ranked(
    field: Sequence[Entrant], points: Mapping[Player, int], per: int, criteria: Sequence[Criterion]
) -> tuple[Row, ...]:
    """The field as rows, ranked by the criteria in their order. `points` are so many units, of which `per` make one
    point. Equals share a rank and are shown by seed."""
    seeds = {entrant.player: entrant.seed for entrant in sorted(field, key=lambda entrant: entrant.seed)}
    everybody = list(seeds)
    shown: dict[Player, dict[str, Tiebreak]] = {player: {} for player in everybody}
    for criterion in criteria:
        if not criterion.is_among_equals:
            for player, worth in criterion.measure(everybody).items():
                shown[player][criterion.name] = worth.shown
    groups = _separated(everybody, "", criteria, shown)
    names = [criterion.name for criterion in criteria if criterion.name != POINTS]
    rows: list[Row] = []
    for members, by in groups:
        rank, decided_by = len(rows) + 1, by or (groups[1][1] if len(groups) > 1 else None)
        for player in members:
            applied = tuple(shown[player][name] for name in names if name in shown[player])
            rows.append(Row(rank, player, seeds[player], Amount(points[player], per), applied, decided_by))
    return tuple(rows)


def _separated(
    members: list[Player], before: str, criteria: Sequence[Criterion], shown: dict[Player, dict[str, Tiebreak]]
) -> list[Group]:
    if len(members) <= 1 or not criteria:
        return [(members, before)]
    criterion, *others = criteria
    worth = criterion.measure(members)
    if criterion.is_among_equals:
        for player in members:
            shown[player][criterion.name] = worth[player].shown
    parts: dict[int, list[Player]] = {}
    for player in members:
        parts.setdefault(worth[player].compared, []).append(player)
    left = criteria if criterion.is_among_equals and len(parts) > 1 else others
    found: list[Group] = []
    for key in sorted(parts, reverse=True):
        # The best are separated from what comes before them as the whole group was.
        found += _separated(parts[key], criterion.name if found else before, left, shown)
    return found
