"""What single and double elimination share: how results flow through a bracket, its start, and its places."""

from collections.abc import Iterable, Sequence

from engine.tournament import course, leaving
from engine.tournament.format import Format
from engine.tournament.protocol import (
    Amount,
    Entrant,
    Flow,
    Key,
    Nobody,
    Origin,
    Pairing,
    Player,
    Row,
    Side,
    Source,
    Topology,
)
from engine.tournament.seeding import bracket_order
from engine.tournament.series import is_out
from engine.tournament.spread import spread

MOST = 10_000

Slot = tuple[Key, int]
"""A side of a pairing, by its index."""


def levels(n: int) -> int:
    """How many rounds a bracket for n ≥ 2 entrants has: log₂ P, P the next power of two."""
    return (n - 1).bit_length()


def first_round(stage: str, topology: Topology, place: int) -> Pairing:
    """A pairing of the first round before the field is known."""
    order = bracket_order(2 ** levels(topology.n))
    sides = tuple(Side(Source(Origin.SEED, seed)) for seed in order[2 * place - 2 : 2 * place])
    return Pairing(Key(stage, 1, place), sides)


def waiting(key: Key, *sources: tuple[Origin, Key]) -> Pairing:
    """A pairing that takes its sides from others."""
    return Pairing(key, tuple(Side(Source(origin, 0, of)) for origin, of in sources))


def upwards(stage: str, key: Key) -> Slot:
    """Where the winner goes in the next round of a stage that halves: places 1 and 2 meet in 1, 3 and 4 in 2."""
    return Key(stage, key.round + 1, (key.place + 1) // 2), (key.place + 1) % 2


def flows(pairing: Pairing, winner: Slot | None, loser: Slot | None) -> tuple[Flow, ...]:
    """What a pairing says of the sides that its winner and its loser go to."""
    first, second = _winner_and_loser(pairing)
    found = []
    if winner is not None:
        found.append(Flow(*winner, _from(pairing, Origin.WINNER, first)))
    if loser is not None:
        found.append(Flow(*loser, _from(pairing, Origin.LOSER, second)))
    return tuple(found)


def _from(pairing: Pairing, origin: Origin, leaving: int | Nobody) -> Side:
    """A side as it leaves a pairing: out, if it was or if it has become so there."""
    source = Source(origin, 0, pairing.key)
    if isinstance(leaving, Nobody):
        return Side(source, nobody=leaving)
    side = pairing.sides[leaving]
    has_become_out = pairing.result is not None and pairing.result.out[leaving]
    return Side(source, side.player, side.seed, side.nobody, is_out(side) or has_become_out)


def _winner_and_loser(pairing: Pairing) -> tuple[int | Nobody, int | Nobody]:
    """Which sides go on as winner and as loser, or that nobody comes; `Nobody.NO` while it is open."""
    if pairing.result is None:
        return Nobody.NO, Nobody.NO
    ranks = pairing.result.ranks
    if 1 in ranks:
        index = ranks.index(1)
        return index, 1 - index
    here = [index for index in (0, 1) if pairing.sides[index].player]
    if len(here) == 1:
        # Nobody to lose against, but out: the player falls as far as any other who loses here.
        return Nobody.VACANT, here[0]
    is_bye = all(side.nobody is Nobody.BYE for side in pairing.sides)
    return (Nobody.BYE, Nobody.BYE) if is_bye else (Nobody.VACANT, Nobody.VACANT)


def start(rules: Format, stage: str, topology: Topology, field: Sequence[Entrant]) -> tuple[Pairing, ...]:
    """The first round, and whatever its byes lead to, in the order of stages, rounds and places."""
    by_seed = {entrant.seed: entrant for entrant in field}
    found: dict[Key, Pairing] = {}
    for place in range(1, 2 ** (levels(topology.n) - 1) + 1):
        empty = first_round(stage, topology, place)
        sides = tuple(_seated(side, by_seed.get(side.source.seed)) for side in empty.sides)
        pairing = course.arranged(rules, topology.settings, empty._replace(sides=sides))
        found[pairing.key] = pairing._replace(owed=pairing.result is not None)
    spread(rules, topology, found, [key for key, pairing in found.items() if pairing.owed], lambda _: None)
    order = {shape.stage: i for i, shape in reversed(list(enumerate(rules.shapes(topology))))}
    return tuple(sorted(found.values(), key=lambda pairing: (order[pairing.key.stage], pairing.key)))


def _seated(side: Side, entrant: Entrant | None) -> Side:
    if entrant is None:
        return side._replace(nobody=Nobody.BYE)
    return side._replace(player=entrant.player, seed=entrant.seed, out=entrant.out)


def standings(
    rules: Format, topology: Topology, field: Sequence[Entrant], pairings: Iterable[Pairing]
) -> tuple[Row, ...]:
    """Places by how far each came: 1 + how many went out later or not at all; who is still in is first, all alike. A
    first place that nobody takes stays empty. Points are the pairings won, byes apart.

    A place is final once all pairings of that round are settled.
    """
    known = tuple(pairings)
    level: dict[Player, int] = {
        out.player: out.level for pairing in known for out in leaving.of(rules, topology, pairing)
    }
    top = max(rules.exit_level(topology, key, won=True) for key in rules.ends(topology))
    won = leaving.wins(known)
    order = sorted(field, key=lambda entrant: (-level.get(entrant.player, top), entrant.seed))
    reached = [level.get(entrant.player, top) for entrant in order]
    shift = 1 if reached and reached[0] < top else 0
    rows: list[Row] = []
    for i, entrant in enumerate(order):
        is_shared = i > 0 and reached[i] == reached[i - 1]
        rank = rows[-1].rank if is_shared else 1 + i + shift
        decided = "round" if reached[0] != reached[-1] else None
        rows.append(Row(rank, entrant.player, entrant.seed, Amount(won[entrant.player]), (), decided))
    return tuple(rows)
