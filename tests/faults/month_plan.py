"""What is to happen in a virtual month, drawn from a seed before anything happens."""

import math
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from engine import clock, games
from engine.types import EpochMs
from functions.shared.flows.creating import OPEN_MS, Order
from tests.engine.cases import Case, cases
from tests.faults.world import START

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
MONTH = 30 * DAY

CLOCKS: tuple[dict[str, Any] | None, ...] = (
    None,
    {"kind": "per-move", "seconds": 60},
    {"kind": "per-move", "seconds": 7200},
    {"kind": "per-move", "seconds": 86_400, "on_timeout": "forfeit"},
    {"kind": "per-move", "seconds": 86_400},
    {"kind": "fischer", "seconds": 600, "increment": 45, "cap": 900},
    {"kind": "fischer", "seconds": 259_200, "increment": 86_400, "cap": 432_000},
    {"kind": "byo-yomi", "seconds": 300, "periods": 3, "period_seconds": 60},
    {"kind": "byo-yomi", "seconds": 172_800, "periods": 2, "period_seconds": 86_400},
    {"kind": "none"},
)


class Temper(NamedTuple):
    """How a player plays."""

    pace: float
    """How long a move takes them, in the clock's time for one."""
    stops_at: float = math.inf
    """From this turn on they don't act any more."""
    resigns_at: float = math.inf


class Table(NamedTuple):
    """A match to be, and who comes to it when. The first of its players creates it."""

    number: int
    case: Case
    order: Order
    players: tuple[str, ...]
    tempers: tuple[Temper, ...]
    at: EpochMs
    arrivals: tuple[tuple[EpochMs, str, str], ...]
    """In the lobby: when, who, and whether to `join`, `leave` or `start`."""


class Vacation(NamedTuple):
    """From `at` on, for some days, or until they come back earlier."""

    at: EpochMs
    player: str
    days: int
    back: EpochMs | None

    @property
    def whole(self) -> EpochMs:
        """When it was to be over."""
        return self.at + self.days * DAY

    @property
    def end(self) -> EpochMs:
        """When it is over."""
        return self.whole if self.back is None else self.back


class Outage(NamedTuple):
    """The service answers nobody from `start` to `end`. It is declared before that, at the end, or later; until then no
    referee runs and nobody reads, but a first run at `swept`, if it is late."""

    start: EpochMs
    end: EpochMs
    declared: EpochMs
    swept: EpochMs | None = None

    @property
    def is_silent(self) -> bool:
        """Whether nobody but players may see matches until it is declared: what is committed can't be undone."""
        return self.declared >= self.end


class Plan(NamedTuple):
    """A month."""

    seed: str
    players: tuple[str, ...]
    tables: tuple[Table, ...]
    vacations: tuple[Vacation, ...]
    outages: tuple[Outage, ...]


def plan(seed: str, matches: int) -> Plan:
    """The month of a seed, with so many matches."""
    rng = Random(f"month {seed}")
    players = tuple(f"ply_{number:026d}" for number in range(max(16, matches // 5)))
    outages = _outages(rng)
    vacations = tuple(_vacation(player, outages, rng) for player in players if rng.random() < 0.8)
    kinds = list(_kinds(matches, rng))
    tables = tuple(_table(number, *kind, players, outages, rng) for number, kind in enumerate(kinds))
    return Plan(seed, players, tables, vacations, outages)


def served(at: EpochMs, outages: tuple[Outage, ...], rng: Random) -> EpochMs:
    """The moment, or one soon after the outage that it fell into."""
    ends = [outage.end for outage in outages if outage.start <= at < outage.end]
    return ends[0] + rng.randrange(1, 10 * MINUTE) if ends else at


def _vacation(player: str, outages: tuple[Outage, ...], rng: Random) -> Vacation:
    at, days = served(START + rng.randrange(25 * DAY), outages, rng), rng.randint(1, 9)
    back = served(at + rng.randrange(1, days * DAY), outages, rng) if rng.random() < 0.7 else None
    return Vacation(at, player, days, back)


def _outages(rng: Random) -> tuple[Outage, ...]:
    """One that is declared when it is over, one that is declared late, one that is announced."""
    first, second, third = (START + day * DAY + rng.randrange(DAY) for day in (5, 12, 19))
    return (
        Outage(first, first + 3 * HOUR, first + 3 * HOUR),
        Outage(second, second + 5 * HOUR, second + 12 * HOUR, swept=second + 6 * HOUR),
        Outage(third, third + 4 * HOUR, third - DAY),
    )


def _kinds(matches: int, rng: Random) -> Iterator[tuple[Case, dict[str, Any] | None]]:
    """Each game as often as the others, with every number of seats and every clock; half of them with options."""
    for number in range(matches):
        game_id = games.IDS[number % len(games.IDS)]
        every = cases(game_id)
        sizes = sorted({case.seats for case in every})
        size = sizes[number // len(games.IDS) % len(sizes)]
        with_options = rng.random() < 0.5
        fitting = [case for case in every if case.seats == size and bool(case.given) is with_options]
        yield rng.choice(fitting), CLOCKS[number // len(games.IDS) % len(CLOCKS)]


def _table(
    number: int,
    case: Case,
    timing: dict[str, Any] | None,
    players: tuple[str, ...],
    outages: tuple[Outage, ...],
    rng: Random,
) -> Table:
    before_an_outage = rng.choice(outages).start - rng.randrange(rng.choice((HOUR // 2, 8 * HOUR)))
    at = served(rng.choice((START + rng.randrange(MONTH), before_an_outage)), outages, rng)
    bots = rng.choice((0, 0, 0, rng.randrange(case.seats)))
    seated = tuple(rng.sample(players, case.seats - bots))
    style = rng.choice(("house", "random"))
    order = Order(case.game, case.seats, dict(case.given), timing, bots=bots, bot_style=style)
    arrivals = tuple((served(at, outages, rng), who, what) for at, who, what in _arrivals(at, seated, rng))
    tempers = tuple(_temper(timing or {"kind": clock.PER_MOVE}, rng) for _ in seated)
    return Table(number, case, order, seated, tempers, at, arrivals)


def _arrivals(at: EpochMs, seated: tuple[str, ...], rng: Random) -> tuple[tuple[EpochMs, str, str], ...]:
    """Most tables fill up. Some never do, some are begun early, some see people come and go, or their creator leave."""
    host, *others = seated
    found, fate, patience = [], rng.random(), rng.choice((MINUTE, 3 * HOUR))
    for player in others:
        at += rng.randrange(1, patience)
        found.append((at, player, "join"))
        if fate < 0.1:
            found += [(at + 1, player, "leave"), (at + 2, player, "join")]
    if others and 0.1 < fate < 0.2:
        found.pop()
        late = rng.random() < 0.3
        found.append((at + rng.choice((-1, 0, 1, OPEN_MS)), host, rng.choice(("start", "leave"))))
        found += [(at + OPEN_MS * late + HOUR, others[-1], "join")]
    if fate > 0.92:
        found = [one for one in found if one[1] != seated[-1]]
    return tuple(sorted(found))


def _temper(timing: dict[str, Any], rng: Random) -> Temper:
    """Some are often late, where that does not end the match."""
    is_lenient = timing["kind"] == clock.PER_MOVE and "on_timeout" not in timing
    pace = rng.choice((0.05, 0.2, 0.8 if is_lenient else 0.3))
    kind = rng.random()
    if kind < 0.1:
        return Temper(pace, resigns_at=rng.randint(1, 12))
    if timing["kind"] != clock.NONE and kind < 0.25:
        return Temper(pace, stops_at=rng.choice((1, 1, rng.randint(2, 12))))
    return Temper(pace)
