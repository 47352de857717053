"""Double elimination: who loses in the winners' bracket goes on in the losers', who loses there is out.

With P places, k = log₂ P, there are k winners' and 2(k−1) losers' rounds. In odd losers' rounds survivors meet (in
round 1 the losers of the first round), in even ones losers of the winners' bracket meet survivors, crossed over so that
those who met before meet again as late as possible (tournaments.md, "Formats").
"""

import sys
from collections.abc import Iterable, Sequence
from typing import cast

from engine.deal import Chance
from engine.tournament import bracket
from engine.tournament.bracket import Slot, levels
from engine.tournament.format import Format
from engine.tournament.protocol import Entrant, Flow, Key, Origin, Pairing, Row, Shape, Status, Topology

ID = "double-elimination"
KNOCK_OUT = True
BY_ROUNDS = False
REBUILDS = False
TABLES = False
MOST = bracket.MOST
TIEBREAKS: tuple[str, ...] = ()

WINNERS, LOSERS, FINAL = "winners", "losers", "final"
GRAND_FINAL, SECOND_FINAL = Key(FINAL, 1, 1), Key(FINAL, 2, 1)
_SECOND = bracket.waiting(SECOND_FINAL, (Origin.LOSER, GRAND_FINAL), (Origin.WINNER, GRAND_FINAL))._replace(
    status=Status.VOID
)


def _losers_rounds(topology: Topology) -> int:
    return 2 * (levels(topology.n) - 1)


def crossing(last: int, number: int) -> int:
    """The mask m of winners' round `number` of `last`: the loser of its match i meets survivor i XOR m, from 0.

    m has last − number bits: its top bit is the lowest bit of number − 1, the next one the next.
    """
    mask, bits = 0, number - 1
    for _ in range(last - number):
        mask = mask << 1 | bits & 1
        bits >>= 1
    return mask


def depth(topology: Topology) -> int:
    """The winners' first round, the losers' rounds, each beside or after a winners' round, and two finals."""
    return 2 * levels(topology.n) + 1


def ordinal(topology: Topology, key: Key) -> int:
    """The winners' round; in the losers' bracket one more than the round there, since it begins with who lost in the
    first winners' round; after both of them the finals."""
    if key.stage == FINAL:
        return 2 * levels(topology.n) - 1 + key.round
    return key.round + (key.stage == LOSERS)


def shapes(topology: Topology) -> tuple[Shape, ...]:
    """The rounds of the winners' bracket, of the losers', and both grand finals."""
    rounds = {WINNERS: levels(topology.n), LOSERS: _losers_rounds(topology), FINAL: 2}
    return tuple(
        Shape(stage, number, _pairings(topology, stage, number))
        for stage, most in rounds.items()
        for number in range(1, most + 1)
    )


def _pairings(topology: Topology, stage: str, number: int) -> int:
    """How many pairings a round has; 0 for one that does not exist."""
    last = levels(topology.n)
    if stage == WINNERS and 1 <= number <= last:
        return 1 << (last - number)
    if stage == LOSERS and 1 <= number <= _losers_rounds(topology):
        return 1 << (last - 1 - (number + 1) // 2)
    return 1 if stage == FINAL and 1 <= number <= 2 else 0


def blank(topology: Topology, key: Key) -> Pairing:
    """Where the sides of a pairing come from; the second grand final is void until it is needed.

    Raises `LookupError` for an unknown key.
    """
    if not 1 <= key.place <= _pairings(topology, key.stage, key.round):
        raise LookupError(str(key))
    if key.stage == FINAL:
        return _final(topology, key)
    before = Key(key.stage, key.round - 1, 2 * key.place - 1), Key(key.stage, key.round - 1, 2 * key.place)
    if key.stage == WINNERS:
        if key.round == 1:
            return bracket.first_round(WINNERS, topology, key.place)
        return bracket.waiting(key, *((Origin.WINNER, of) for of in before))
    if key.round == 1:
        return bracket.waiting(key, *((Origin.LOSER, of._replace(stage=WINNERS, round=1)) for of in before))
    if key.round % 2:
        return bracket.waiting(key, *((Origin.WINNER, of) for of in before))
    number = key.round // 2 + 1
    fallen = Key(WINNERS, number, ((key.place - 1) ^ crossing(levels(topology.n), number)) + 1)
    return bracket.waiting(key, (Origin.LOSER, fallen), (Origin.WINNER, Key(LOSERS, key.round - 1, key.place)))


def _final(topology: Topology, key: Key) -> Pairing:
    if key == SECOND_FINAL:
        return _SECOND
    top, rounds = Key(WINNERS, levels(topology.n), 1), _losers_rounds(topology)
    # With two entrants the loser comes straight to the final.
    survivor = (Origin.WINNER, Key(LOSERS, rounds, 1)) if rounds else (Origin.LOSER, top)
    return bracket.waiting(key, (Origin.WINNER, top), survivor)


def flows(topology: Topology, pairing: Pairing) -> tuple[Flow, ...]:
    """Winners go up, losers of the winners' bracket over; the grand final leads to a second one when it is needed."""
    key = pairing.key
    if key.stage == FINAL:
        return _to_second(pairing) if key == GRAND_FINAL else ()
    if key.stage == WINNERS:
        is_last = key.round == levels(topology.n)
        up: Slot = (GRAND_FINAL, 0) if is_last else bracket.upwards(WINNERS, key)
        return bracket.flows(pairing, up, _fall(topology, key))
    if key.round == _losers_rounds(topology):
        return bracket.flows(pairing, (GRAND_FINAL, 1), None)
    on: Slot = (key._replace(round=key.round + 1), 1) if key.round % 2 else bracket.upwards(LOSERS, key)
    return bracket.flows(pairing, on, None)


def _fall(topology: Topology, key: Key) -> Slot:
    last = levels(topology.n)
    if last == 1:
        return GRAND_FINAL, 1
    if key.round == 1:
        return Key(LOSERS, 1, (key.place + 1) // 2), (key.place + 1) % 2
    place = ((key.place - 1) ^ crossing(last, key.round)) + 1
    return Key(LOSERS, 2 * (key.round - 1), place), 0


def _to_second(pairing: Pairing) -> tuple[Flow, ...]:
    """Both again, when the losers' side has won against somebody; nobody otherwise."""
    result, winners = pairing.result, pairing.sides[0]
    is_needed = result is not None and result.ranks[1] == 1 and bool(winners.player)
    if not is_needed:
        return tuple(Flow(SECOND_FINAL, index, side) for index, side in enumerate(_SECOND.sides))
    # As in the first one: the winners' side, which has lost, is side 0.
    flows = bracket.flows(pairing, (SECOND_FINAL, 1), (SECOND_FINAL, 0))
    return flows[1], flows[0]


def make_round(
    topology: Topology, field: Sequence[Entrant], pairings: Iterable[Pairing], number: int, chance: Chance
) -> tuple[Pairing, ...]:
    """The start; later rounds come from results."""
    return bracket.start(_RULES, WINNERS, topology, field) if number == 1 else ()


def ends(topology: Topology) -> tuple[Key, ...]:
    """Both grand finals."""
    return GRAND_FINAL, SECOND_FINAL


def exit_level(topology: Topology, key: Key, won: bool) -> int:
    """The losers' round that one goes out in, the finals above them. Who is out at once in the winners' bracket counts
    as losing in the losers' round that a loser from there comes to."""
    rounds = _losers_rounds(topology)
    if key.stage == FINAL:
        return rounds + 1 + won
    if key.stage == LOSERS:
        return key.round
    return max(1, 2 * (key.round - 1))


def standings(topology: Topology, field: Sequence[Entrant], pairings: Iterable[Pairing]) -> tuple[Row, ...]:
    """1 2 3 4 5 5 7 7, then by fours and eights."""
    return bracket.standings(_RULES, topology, field, pairings)


_RULES = cast(Format, sys.modules[__name__])
