"""An event in memory, as the functions drive one: what is stored of each pairing, and nothing else.

Results follow from the key and number of a game, so that two runs of an event differ only in the order of things.
"""

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any, NamedTuple

from engine import tournament
from engine.games.protocol import competition_ranks
from engine.tournament import course, draw, rulings, series, settings
from engine.tournament.protocol import (
    Act,
    Ended,
    Entrant,
    Event,
    Facts,
    Key,
    Pairing,
    Row,
    Settings,
    Started,
    Status,
    Stopped,
    Topology,
    Withdrawn,
)

KEY = bytes(range(32))
ID = "trn_test"
TABLES = {"heats": (3, 6)}


Task = tuple[Key, int, Act | None]
"""An order that is carried out for a game, or (None) its match that ends."""


class Play(NamedTuple):
    """A tournament that is being played. `stored`, `live` and `out` change."""

    topology: Topology
    field: tuple[Entrant, ...]
    stored: dict[Key, Pairing]
    live: dict[Key, list[Task]]
    """What may happen next, by pairing."""
    out: set[str]
    seed: int

    def field_now(self) -> tuple[Entrant, ...]:
        return tuple(entrant._replace(out=entrant.player in self.out) for entrant in self.field)


Outcome = Callable[[Play, Pairing, int], Facts]
"""Says how a game of a pairing ends."""


def parsed(format_id: str, **given: Any) -> Settings:
    return settings.parse(format_id, given.pop("tables", TABLES.get(format_id, (2, 2))), given)


def players(n: int) -> tuple[Entrant, ...]:
    """The field: p1 is the highest seed."""
    return tuple(Entrant(f"p{seed}", seed, 2_000_000 - 1000 * seed) for seed in range(1, n + 1))


def chance(play: Play) -> Any:
    return draw.chance(KEY, ID, play.topology.format, play.topology.settings)


def begin(format_id: str, n: int, seed: int = 0, **given: Any) -> Play:
    """An event at its start: nothing has been played."""
    topology = tournament.topology(format_id, n, parsed(format_id, **given))
    play = Play(topology, players(n), {}, {}, set(), seed)
    store(play, tournament.start(topology, play.field, chance(play)))
    return play


def store(play: Play, changed: Iterable[Pairing]) -> None:
    for pairing in changed:
        play.stored[pairing.key] = pairing
        play.live.pop(pairing.key, None)
        if found := _tasks(pairing):
            play.live[pairing.key] = found


def feed(play: Play, key: Key, event: Event) -> list[int]:
    """Carries out an event step by step, and once more, which changes nothing; how many pairings each step wrote."""
    writes = []
    pending: list[tuple[Key, Event | None]] = [(key, event)]
    while pending:
        at, what = pending.pop()
        pairing = play.stored[at]
        near = {
            follower: play.stored[follower]
            for follower in tournament.following(play.topology, at)
            if follower in play.stored
        }
        changed = tournament.advance(play.topology, pairing, what, near)
        assert {c.key for c in changed} <= {at, *tournament.following(play.topology, at)}
        store(play, changed)
        writes.append(len(changed))
        pending += [(c.key, None) for c in changed if c.owed]
    assert tournament.follow(play.topology, play.stored[key], event, play.stored.get) == ()
    return writes


def by_chance(play: Play, pairing: Pairing, number: int) -> Facts:
    """A random result with different ranks; who is out has been taken out."""
    rng = Random(f"{play.seed}/{pairing.key}/{number}")
    game = pairing.games[number - 1]
    strength = [rng.random() for _ in game.seats]
    left = tuple("forfeit" if series.is_out(pairing.sides[index]) else "" for index in game.seats)
    ranks = competition_ranks([(not gone, value) for gone, value in zip(left, strength, strict=True)])
    return Facts("played", ranks, tuple(rng.randrange(30) for _ in ranks), left, (True,) * len(ranks))


def by_seed(play: Play, pairing: Pairing, number: int) -> Facts:
    """The higher seed wins."""
    return ranked(pairing, number, [-side.seed for side in pairing.sides])


def ranked(pairing: Pairing, number: int, strength: Sequence[int]) -> Facts:
    """A game that all played to its end; `strength` by side."""
    ranks = competition_ranks([strength[index] for index in pairing.games[number - 1].seats])
    size = len(ranks)
    return Facts("played", ranks, (0,) * size, ("",) * size, (True,) * size)


def nobody_came(play: Play, pairing: Pairing, number: int) -> Facts:
    """A match that was aborted because no seat ever acted."""
    size = len(pairing.sides)
    return Facts("abandoned", (), (), ("abandoned",) * size, (False,) * size)


def _tasks(pairing: Pairing) -> list[Task]:
    orders = [order for order in course.orders(pairing) if order.act is not Act.FORFEIT]
    found: list[Task] = [(pairing.key, order.number, order.act) for order in orders]
    game = series.running(pairing)
    if course.is_open(pairing) and game is not None and game.started:
        found.append((pairing.key, game.number, None))
    return found


def tasks(play: Play) -> list[Task]:
    """What may happen next."""
    return [task for _, found in sorted(play.live.items()) for task in found]


def step(play: Play, task: Task, outcome: Outcome = by_chance) -> None:
    key, number, act = task
    if act is Act.START:
        names = {side.player for side in play.stored[key].sides}
        is_table = tournament.find(play.topology.format).TABLES
        assert is_table or not names & play.out, "a match for somebody who has withdrawn"
        feed(play, key, Started(number))
    elif act is Act.ABORT:
        feed(play, key, Stopped(number))
    else:
        feed(play, key, Ended(number, outcome(play, play.stored[key], number)))


def current_round(play: Play) -> int:
    return max(key.round for key, pairing in play.stored.items() if pairing.status is not Status.VOID)


def next_round(play: Play) -> bool:
    """Makes the next round, if there is one."""
    if not tournament.by_rounds(play.topology):
        return False
    number = current_round(play) + 1
    known = tuple(play.stored.values())
    made = tournament.next_round(play.topology, play.field_now(), known, number, chance(play))
    store(play, made)
    return bool(made)


def to_the_end(play: Play, rng: Random, outcome: Outcome = by_chance, limit: int | None = None) -> int:
    """Plays on in a random order, at most `limit` things; how many happened."""
    done = 0
    while limit is None or done < limit:
        if play.live:
            step(play, rng.choice(play.live[rng.choice(list(play.live))]), outcome)
            done += 1
        elif not next_round(play):
            break
    return done


def withdraw(play: Play, player: str) -> None:
    """As the functions do: noted for later rounds, and told to the pairing that the player is in."""
    play.out.add(player)
    for key, pairing in list(play.stored.items()):
        if pairing.result is None and any(side.player == player for side in pairing.sides):
            feed(play, key, Withdrawn(player))


def rule(play: Play, key: Key, ranks: tuple[int, ...]) -> None:
    """A ruling with cascade."""
    pairing = play.stored[key]
    later = [other for other in play.stored.values() if other.key.round > key.round and other.key.stage == key.stage]
    if tournament.find(play.topology.format).REBUILDS is False:
        later = []
    store(play, rulings.rule(play.topology, pairing, ranks, play.stored.get, later, True, play.out))


def table(play: Play) -> tuple[Row, ...]:
    return tournament.standings(play.topology, play.field_now(), play.stored.values())


def check_end(play: Play) -> None:
    """Everything is settled and done, each pairing agrees with those it follows, and everybody has a place."""
    for key, pairing in play.stored.items():
        assert pairing.status in (Status.SETTLED, Status.VOID), pairing
        assert not pairing.owed
        assert not course.orders(pairing)
        names = [side.player for side in pairing.sides if side.player]
        assert len(set(names)) == len(names), "somebody meets himself"
        if not tournament.by_rounds(play.topology):
            for flow in tournament.find(play.topology.format).flows(play.topology, pairing):
                follower = play.stored.get(flow.key) or tournament.blank(play.topology, flow.key)
                assert follower.sides[flow.at][1:4] == flow.side[1:4], (key, flow)
    assert tournament.by_rounds(play.topology) or tournament.is_over(play.topology, play.stored.get)
    rows = table(play)
    assert sorted(row.player for row in rows) == sorted(entrant.player for entrant in play.field)
    ranks = [row.rank for row in rows]
    vacant = ranks[0] - 1
    assert vacant in ((0, 1) if not tournament.by_rounds(play.topology) else (0,))
    assert ranks == [1 + vacant + ranks.index(rank) for rank in ranks], "no competition ranking"
