"""What a tournament is to the rest: the values that are stored and traded, driven by the functions of the package.

A pairing is a table with its sides: two, or in heats more. It is addressed by a `Key`: stage, round, place. The stages
are texts: `main` (single elimination, round robin, heats), `third-place`; `winners`, `losers`, `final` (double
elimination). Rounds and places count from 1. The second grand final is `final`, round 2.

How a caller drives it, by the functions of `engine.tournament`:

1. `settings.parse` checks what the organizer asks for, `seeding.seeded` makes the field (`Entrant`, seeds 1…n) at the
   start, `topology(format, n, settings)` says what all else follows from; it is small and made anew when needed.
2. `start(topology, field, chance)` gives the first pairings. All of them are stored before the first match is created.
   Of a bracket only pairings that somebody is known of are given: what is not stored is `blank(topology, key)`.
3. `course.orders(pairing)` says what is to be done for a stored pairing: matches to create or to abort, a player to
   forfeit. They are derived from the pairing alone, so that they can be found again after a crash; each can be carried
   out twice. The answers are the events `Started` and `Stopped`. Who finds, after creating a match, that `Started`
   leads to an order to abort it, aborts it.
4. Each event goes through `advance(topology, pairing, event, followers)`, where `followers` holds what is stored of
   `following(topology, pairing.key)`. It gives the changed pairings, to be written in one transaction under their
   versions. A pairing among them that is `owed` has itself been settled by that (a walkover) and has not been carried
   on to its own followers: call `advance` with the event None for it, until none is owed. `follow` does all at once
   with a lookup. Any event may be repeated and comes to nothing then.
5. A round by round format (`by_rounds`): when all pairings of a round are settled, `next_round(…, number, …)` gives the
   next one, or nothing when the event is over. A bracket is over when `is_over` says so.
6. A withdrawal goes to the pairing that the player is in and that is not settled: `whereabouts(topology, pairing,
   player)` leads from a settled pairing to the next. Later rounds know by `Entrant.out`.
7. A ruling goes through `rulings.rule`, with `rulings.impact` as its dry run; both are told who has withdrawn.
8. `standings(topology, field, pairings)` gives the table, at any time.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple, TypeAlias

Player: TypeAlias = str
"""A player's id."""

Seed: TypeAlias = int
"""A place in the seeding: 1 is the highest."""

MilliPoints: TypeAlias = int
"""A rating in thousandths of a point."""

HALVES = 2
"""Points of pairings and series are counted in halves."""


class Key(NamedTuple):
    """Where a pairing stands. `str(key)` is its address as text: `winners/1/3`."""

    stage: str
    round: int
    place: int

    def __str__(self) -> str:
        return f"{self.stage}/{self.round}/{self.place}"


class Status(StrEnum):
    """Where a pairing is in its life."""

    WAITING = "waiting"
    """A side is not known yet."""
    READY = "ready"
    """All sides are known, no match has been created."""
    PLAYING = "playing"
    SETTLED = "settled"
    VOID = "void"
    """Nobody plays it: two byes, a second grand final that is not needed, a round that a ruling has undone."""


class Reason(StrEnum):
    """Why a pairing ended as it did."""

    PLAYED = "played"
    """By its games, each ended as its match says."""
    DEADLINE = "deadline"
    FORFEIT = "forfeit"
    """By a side that withdrew while it was played, or that never acted."""
    WALKOVER = "walkover"
    """Against somebody who was out before, or nobody."""
    DOUBLE_FORFEIT = "double-forfeit"
    BYE = "bye"
    RULING = "ruling"


class Origin(StrEnum):
    """Where a side comes from."""

    SEED = "seed"
    WINNER = "winner"
    LOSER = "loser"


class Source(NamedTuple):
    """Where a side comes from: a seed, or the winner or loser `of` a pairing."""

    origin: Origin
    seed: Seed = 0
    of: Key | None = None


class Nobody(StrEnum):
    """Why nobody comes to a side; empty where somebody does or may."""

    NO = ""
    BYE = "bye"
    """By the draw: there are fewer entrants than places."""
    VACANT = "vacant"
    """Whoever was to come is out."""


class Side(NamedTuple):
    """One side of a pairing: a player, nobody, or not known yet."""

    source: Source
    player: Player = ""
    """Empty while not known, and where nobody comes."""
    seed: Seed = 0
    nobody: Nobody = Nobody.NO
    out: bool = False
    """Whether the player was out on arrival, and so loses."""
    withdrew: bool = False
    """Whether the player withdrew while here."""


class Facts(NamedTuple):
    """How a match ended or, at a deadline, stands; all by seat, as `engine.match.outcome` and the sitters say."""

    reason: str
    ranks: tuple[int, ...]
    """Empty for a match that was aborted."""
    scores: tuple[int, ...]
    left: tuple[str, ...]
    """Why each seat left; empty for who stayed."""
    acted: tuple[bool, ...]
    """Whether each seat has made an action itself."""


class End(NamedTuple):
    """How a game of a pairing ended; all by side."""

    reason: str
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    left: tuple[str, ...]
    acted: tuple[bool, ...]


class Game(NamedTuple):
    """A game of a pairing: one match."""

    number: int
    """From 1; a number is never used again, also when a ruling undoes the game."""
    seats: tuple[int, ...]
    """By seat: the side that sits there, from 0."""
    started: bool = False
    """Whether the match has been created."""
    end: End | None = None
    void: bool = False
    """Whether it counts for nothing: its match, if there is one, is aborted or annulled."""
    stopped: bool = False
    """Whether that has been done."""


class Result(NamedTuple):
    """How a pairing ended; all by side."""

    reason: Reason
    ranks: tuple[int, ...]
    """1, 2, 2, 4. Of two sides (1, 1) is a draw and (2, 2) a pairing that nobody won."""
    points: tuple[int, ...]
    """Points of the series in halves; in heats the share of opponents beaten in 1/5040."""
    scores: tuple[int, ...]
    """The sum of the games' scores."""
    out: tuple[bool, ...]
    """Who is out by what happened in this pairing."""


class Pairing(NamedTuple):
    """A pairing, from nobody known to its result."""

    key: Key
    sides: tuple[Side, ...]
    status: Status = Status.WAITING
    best_of: int = 1
    """The length of the series; taken from the settings when all sides are known."""
    games: tuple[Game, ...] = ()
    result: Result | None = None
    owed: bool = False
    """Whether its followers do not show yet what it says."""


class Entrant(NamedTuple):
    """One of the field."""

    player: Player
    seed: Seed
    rating: MilliPoints
    """At the start."""
    out: bool = False
    """Withdrawn. Who is out by what happened in a pairing is seen there."""


class Settings(NamedTuple):
    """What an organizer chooses of how an event is played; made by `settings.parse`. 0 and () stand for not given."""

    best_of: int = 1
    replays: int = 2
    """The most games beyond `best_of`, while a knock-out pairing is level."""
    third_place: bool = False
    cycles: int = 1
    seats: int = 2
    least: int = 2
    """The game's smallest table."""
    advance: int = 0
    rounds: int = 0
    tiebreaks: tuple[str, ...] = ()


class Topology(NamedTuple):
    """What a tournament's course follows from: format, number of entrants at the start, settings."""

    format: str
    n: int
    settings: Settings


class Shape(NamedTuple):
    """A round and how many pairings it has, where that is known beforehand (0: not)."""

    stage: str
    round: int
    pairings: int


class Flow(NamedTuple):
    """What a pairing says of a side of a follower."""

    key: Key
    """The follower."""
    at: int
    """Which of its sides, from 0."""
    side: Side


class Exit(NamedTuple):
    """Who went out in a pairing of a bracket. The higher the level, the better the place; equal levels share one."""

    player: Player
    level: int


class Started(NamedTuple):
    """The match of a game has been created."""

    number: int


class Stopped(NamedTuple):
    """The match of a void game has been aborted or annulled, or there is none."""

    number: int


class Ended(NamedTuple):
    """The match of a game has ended, or was aborted."""

    number: int
    facts: Facts


class Deadline(NamedTuple):
    """The pairing's deadline has passed. `number` and `facts` are those of the match that was running, if one was: it
    is taken as it stands."""

    number: int = 0
    facts: Facts | None = None


class Withdrawn(NamedTuple):
    """A player has withdrawn from the tournament."""

    player: Player


class Ruled(NamedTuple):
    """An organizer has decided: ranks by side, as in `Result`; (2, 2) puts both out. See `rulings.rule`."""

    ranks: tuple[int, ...]


Event: TypeAlias = Started | Stopped | Ended | Deadline | Withdrawn | Ruled


class Act(StrEnum):
    """What a caller has to do for a pairing."""

    START = "start"
    """Create the match, once, and report `Started`."""
    ABORT = "abort"
    """Abort the match if it is running, annul it if it has ended, and report `Stopped`; also when there is none."""
    FORFEIT = "forfeit"
    """Take the player out of the running match; its end is reported as `Ended`. Nothing to do where it has happened."""


class Order(NamedTuple):
    """Something that a caller has to do for a pairing."""

    act: Act
    key: Key
    number: int
    """The game."""
    players: tuple[Player, ...] = ()
    """By seat, for a start; who is to be taken out, for a forfeit."""


class Amount(NamedTuple):
    """An exact fraction: so many units, of which `per` make 1."""

    units: int
    per: int = 1


class Part(NamedTuple):
    """A summand of a criterion."""

    round: int
    opponent: Player
    """Empty where there are several or none."""
    amount: Amount


class Tiebreak(NamedTuple):
    """A criterion of a row."""

    name: str
    value: Amount
    parts: tuple[Part, ...] = ()


class Row(NamedTuple):
    """A row of the standings."""

    rank: int
    """1, 2, 2, 4. In a bracket 1 for all who are still in, and final for the others once their round is."""
    player: Player
    seed: Seed
    points: Amount
    tiebreaks: tuple[Tiebreak, ...] = ()
    decided_by: str | None = None
    """The criterion that separates this rank from the one above it, for the first from the one below; None where all
    are equal."""


Lookup: TypeAlias = Callable[[Key], Pairing | None]
"""Gives what is stored of a pairing, or None."""

Pairings: TypeAlias = Mapping[Key, Pairing]
