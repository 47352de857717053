"""Who sits at which table, and where, in heats (tournaments.md, "Formats", `heats`, 1 and 5 to 7)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from engine.tournament.protocol import Pairing, Player

REACH = 6
"""Tables up to so far away are looked at for a swap."""
PASSES = 20

Tables: TypeAlias = list[list[Player]]
Meetings: TypeAlias = Mapping[Player, Mapping[Player, int]]
"""How often each has met each other at a table."""


def number_of_tables(n: int, seats: int, least: int) -> int:
    """How many tables n players sit at: none has fewer than `least`, the game's minimum, and none is left out."""
    return min(-(-n // seats), n // least)


def cut(order: Sequence[Player], tables: int) -> Tables:
    """The order as consecutive tables, the larger ones first."""
    size, larger = divmod(len(order), tables)
    ends = [number * size + min(number, larger) for number in range(tables + 1)]
    return [list(order[start:end]) for start, end in pairwise(ends)]


def meetings(pairings: Iterable[Pairing]) -> Meetings:
    """Who has sat with whom, and how often."""
    found: dict[Player, Counter[Player]] = defaultdict(Counter)
    for pairing in pairings:
        players = [side.player for side in pairing.sides]
        for player in players:
            found[player].update(other for other in players if other != player)
    return found


def places(pairings: Iterable[Pairing]) -> Counter[Player]:
    """Σ(2·seat − size + 1) of each player: the larger, the later they have sat so far."""
    found: Counter[Player] = Counter()
    for pairing in pairings:
        game = pairing.games[-1]
        for seat, index in enumerate(game.seats):
            found[pairing.sides[index].player] += 2 * seat - len(game.seats) + 1
    return found


def mixed(tables: Tables, met: Meetings) -> Tables:
    """The tables after swaps that lower the number of repeated meetings (step 6)."""
    mixer = _Mixer(tables, met)
    order = [player for table in tables for player in table]
    for _ in range(PASSES):
        swaps = sum(mixer.improve(player) for player in order if mixer.repeats(player))
        if not swaps:
            break
    return mixer.tables


class _Mixer:
    """Tables under swaps. A swap is judged without looking at whole tables: what each player repeats at the own table
    is kept, and what a table would repeat with anybody is counted from its members' meetings."""

    def __init__(self, tables: Tables, met: Meetings) -> None:
        self.tables = [list(table) for table in tables]
        self._met = met
        self._at: dict[Player, int] = {}
        self._own: dict[Player, int] = {}
        self._first = [0]
        for number, table in enumerate(self.tables):
            self._first.append(self._first[-1] + len(table))
            self._seat(number)

    def repeats(self, player: Player) -> int:
        """How often the player has met the others at the table."""
        return self._own[player]

    def improve(self, player: Player) -> bool:
        """Swaps the player as well as possible; whether any swap helps."""
        here = self._at[player]
        row = self.tables[here].index(player)
        spot = self._first[here] + row
        mine = self._met.get(player, {})
        known = self._with_table(here, player)
        best: tuple[int, int, int] | None = None
        chosen: tuple[int, int] = (0, 0)
        for there in range(max(0, here - REACH), min(len(self.tables), here + REACH + 1)):
            if there == here:
                continue
            table = self.tables[there]
            there_with_me = sum(mine.get(other, 0) for other in table)
            for i, other in enumerate(table):
                gain = self._own[player] + self._own[other] - there_with_me + mine.get(other, 0) - known.get(other, 0)
                if gain > 0:
                    distance = self._first[there] + i - spot
                    # The largest gain, then the nearest, then the one before.
                    candidate = (-gain, abs(distance), distance)
                    if best is None or candidate < best:
                        best, chosen = candidate, (there, i)
        if best is None:
            return False
        there, i = chosen
        self.tables[here][row], self.tables[there][i] = self.tables[there][i], player
        self._seat(here)
        self._seat(there)
        return True

    def _with_table(self, number: int, leaving: Player) -> MutableMapping[Player, int]:
        """How often anybody has met those who stay at a table."""
        found: dict[Player, int] = {}
        for member in self.tables[number]:
            if member != leaving:
                for other, times in self._met.get(member, {}).items():
                    found[other] = found.get(other, 0) + times
        return found

    def _seat(self, number: int) -> None:
        table = self.tables[number]
        for player in table:
            met = self._met.get(player, {})
            self._at[player] = number
            self._own[player] = sum(met.get(other, 0) for other in table)
