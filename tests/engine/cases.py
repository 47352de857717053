"""Cases of every registered game: the options and tables that the suites over all games go through."""

import hashlib
import json
from collections.abc import Iterator
from itertools import combinations, product
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from engine import games
from engine.deal import Chance, chance
from engine.games.options import Choice, Option, chosen, complete, default
from engine.games.protocol import Game
from engine.types import Json, Options

POLICIES = ("mixed", "timid", "bold")


class Case(NamedTuple):
    """One match to walk through: everything that it depends on."""

    game: str
    seats: int
    given: tuple[tuple[str, Json], ...] = ()
    policy: str = POLICIES[0]
    salt: int = 0

    def __str__(self) -> str:
        given = ",".join(f"{name}={value}" for name, value in self.given) or "defaults"
        return f"{self.game}-{self.seats}-{given}-{self.policy}{self.salt}"


def text(value: Json) -> str:
    """JSON that tells 1 from true and 1.0, and one order of keys from another."""
    return json.dumps(value)


def same(value: Json) -> str:
    """JSON that tells 1 from true and 1.0, but no order of keys."""
    return json.dumps(value, sort_keys=True)


def find(game_id: str) -> Game[Any]:
    """The registered game, which is known to exist."""
    game = games.find(game_id)
    assert game is not None
    return game


def tables(game_id: str) -> range:
    """The possible numbers of seats."""
    low, high = find(game_id).SEATS
    return range(low, high + 1)


def values(option: Option, seats: int) -> tuple[Json, ...]:
    """Each value of a choice; the bounds and the default of a range. The default is the first."""
    if isinstance(option, Choice):
        return option.values
    high = option.high if isinstance(option.high, int) else option.high(seats)
    return tuple(dict.fromkeys((default(option, seats), option.low, high)))


def cases(game_id: str) -> tuple[Case, ...]:
    """Defaults at every table; each option's every value alone, at the smallest and at another table; and a sample in
    which every two values of two options meet. A game with few tables has more matches at each."""
    game, sizes = find(game_id), tables(game_id)
    again = range(max(1, 6 // len(sizes)))
    found = [Case(game_id, seats, (), policy, salt) for salt in again for seats in sizes for policy in POLICIES]
    for number, option in enumerate(game.OPTIONS):
        for salt, seats in enumerate((sizes[0], sizes[(number + 1) % len(sizes)])):
            for place, value in enumerate(values(option, seats)[1:]):
                found.append(Case(game_id, seats, ((option.name, value),), POLICIES[(place + salt) % 3], salt))
    found += _pairwise(game_id)
    return tuple(found)


def every_case(game_id: str, seats: int) -> Iterator[Case]:
    """The full product of the options' values at one table."""
    game = find(game_id)
    for number, row in enumerate(product(*(values(option, seats) for option in game.OPTIONS))):
        given = tuple(zip((option.name for option in game.OPTIONS), row, strict=True))
        yield Case(game_id, seats, given, POLICIES[number % 3], number)


def _pairwise(game_id: str) -> Iterator[Case]:
    """Rows of places in the options' values, chosen greedily until every pair of places has been in one."""
    game, rng = find(game_id), Random(game_id)
    sizes = tables(game_id)
    width = [len(values(option, sizes[0])) for option in game.OPTIONS]
    places = [[(option, place) for place in range(n)] for option, n in enumerate(width)]
    missing = {pair for one, other in combinations(places, 2) for pair in product(one, other)}
    number = 0
    while missing:
        rows = [tuple(map(rng.choice, places)) for _ in range(20)]
        row = max(rows, key=lambda row: len(missing & set(combinations(row, 2))))
        missing -= set(combinations(row, 2))
        seats = rng.choice(sizes)
        at = [values(option, seats) for option in game.OPTIONS]
        given = tuple((game.OPTIONS[option].name, at[option][place % len(at[option])]) for option, place in row)
        yield Case(game_id, seats, given, POLICIES[number % 3], number)
        number += 1


def options_of(case: Case) -> Options:
    """The case's options, complete; whoever tries to change them fails."""
    options = find(case.game).OPTIONS
    chosen(options, dict(case.given), case.seats)
    return MappingProxyType(dict(complete(options, dict(case.given), case.seats)))


def chance_of(case: Case) -> Chance:
    """The case's own chance."""
    return chance(hashlib.sha256(str(case).encode()).digest(), str(case), "walk@1", [b""] * case.seats)
