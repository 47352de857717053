"""A match as a value: who sits where, what was decided, what was logged. Every step gives a new one."""

from enum import StrEnum
from typing import Any, NamedTuple

from engine import deal, games
from engine.clock import Clock, Pause
from engine.games import options
from engine.games.protocol import Game
from engine.types import NOTHING, Action, Data, EpochMs, Json, Options, Seat, Turn


class Status(StrEnum):
    """Where a match is in its life."""

    OPEN = "open"
    ACTIVE = "active"
    FINISHED = "finished"
    ABORTED = "aborted"


class Left(StrEnum):
    """Why a seat left, and for that reason why a match ended early."""

    RESIGNED = "resigned"
    TIMEOUT = "timeout"
    ABANDONED = "abandoned"
    FORFEIT = "forfeit"


PLAYED = "played"
"""The reason of a result that the game itself came to."""


class By(StrEnum):
    """Who made an action."""

    PLAYER = "player"
    BOT = "bot"
    CLOCK = "clock"


class Sitter(NamedTuple):
    """Who sits at a seat, and how that went so far. Name and rating are those of the moment of seating."""

    player: str
    name: str
    rating: int
    bot: str = ""
    """The style of a house bot; empty for a person."""
    nonce: str = ""
    """Hexadecimal."""
    left: str = ""
    left_at: EpochMs = 0
    misses: int = 0
    """Missed actions in a row."""
    acted: bool = False
    """Whether the seat has made an action itself."""
    seen: int = 0
    """How many events were logged when the seat last acted itself."""
    reserve_ms: int = 0
    """With `periods`, what the seat's clock has in hand when a decision asks it."""
    periods: int = 0


class Sealed(NamedTuple):
    """A choice that nobody else knows of until the decision closes."""

    seat: Seat
    action: Action
    at: EpochMs
    by: str
    key: str
    move: int


class Entry(NamedTuple):
    """A logged event, and who may know each part of it (as in `engine.games.protocol.Event`)."""

    at: EpochMs
    turn: Turn
    type: str
    seat: Seat | None = None
    data: Data = NOTHING
    by: str = ""
    """Who made the action; empty for what is none."""
    key: str = ""
    """The marks of the request that caused it, or the id of the pause."""
    move: int = 0
    """The number of the action in the order of commitment; 0 for what is none."""
    committed: EpochMs = 0
    """When a sealed action was chosen, or a pause written in; 0 where that is `at`."""
    secret: Data = NOTHING
    to: tuple[Seat, ...] = ()
    brief: Data = NOTHING


class Result(NamedTuple):
    """How a match ended. Ranks (1, 2, 2, 4) and scores are by seat."""

    reason: str
    ranks: tuple[int, ...]
    scores: tuple[int, ...]


class Match(NamedTuple):
    """One match, from its creation to its result."""

    id: str
    game: str
    rules_version: int
    options: Data
    """The options that differ from their defaults."""
    clock: Clock
    key: str
    """The secret key of all its chance: 32 bytes, hexadecimal."""
    created_at: EpochMs
    seats: tuple[Sitter | None, ...]
    """By seat; None where a seat is free. No seat is free once the match has started."""
    status: Status = Status.OPEN
    started_at: EpochMs = 0
    ended_at: EpochMs = 0
    turn: Turn = 0
    opened_at: EpochMs = 0
    """When the open decision opened."""
    seals: tuple[Sealed, ...] = ()
    """The choices of the open decision, in the order of commitment."""
    moves: int = 0
    """How many actions were committed."""
    state: Any = None
    """The game's state, once the match has started."""
    put_away: int = 0
    """How many of the first events are no longer in `log`."""
    log: tuple[Entry, ...] = ()
    result: Result | None = None
    pauses: tuple[Pause, ...] = ()
    """When clocks stand still; those that are over when a decision opens are forgotten."""
    host: Seat = 0
    """The creator's seat."""


def rules(match: Match) -> Game[Any]:
    """The game that is played, by the rules that the match began with."""
    game = games.find(match.game, match.rules_version)
    if game is None:
        raise LookupError(f"{match.game}@{match.rules_version}")
    return game


def all_options(match: Match) -> Options:
    """A value for every option, at the number of seats that the match has."""
    return options.complete(rules(match).OPTIONS, match.options, len(match.seats))


def sitters(match: Match) -> tuple[Sitter, ...]:
    """Who sits at the taken seats, in seat order; once the match has started, by seat."""
    return tuple([sitter for sitter in match.seats if sitter is not None])


def seat_of(match: Match, player: str) -> Seat | None:
    """The seat of a player, or None."""
    return next((i for i, sitter in enumerate(match.seats) if sitter is not None and sitter.player == player), None)


def commitment(match: Match) -> str:
    """What is published of the secret key, hexadecimal."""
    return deal.commitment(match.id, bytes.fromhex(match.key)).hex()


def ruleset(match: Match) -> str:
    """The text that binds the deals to the rules."""
    return deal.ruleset(match.game, match.rules_version, match.options)


def chance(match: Match) -> deal.Chance:
    """All chance of a match that has started."""
    nonces = [bytes.fromhex(sitter.nonce) for sitter in sitters(match)]
    return deal.chance(bytes.fromhex(match.key), match.id, ruleset(match), nonces)


def logged(match: Match, *entries: Entry) -> Match:
    """The match with further events."""
    return match._replace(log=match.log + entries)


def published(match: Match) -> int:
    """How many events were logged so far: the number of the last one."""
    return match.put_away + len(match.log)


def last_event_at(match: Match) -> EpochMs:
    """When the last event happened; the creation, where there is none."""
    return match.log[-1].at if match.log else match.created_at


def not_before(match: Match, at: EpochMs) -> EpochMs:
    """`at`, or the last event's moment where that is later: stamped on arrival, requests may overtake one another."""
    return max(at, last_event_at(match))


def replaced(match: Match, seat: Seat, **changes: Json) -> Match:
    """The match with changes to whom sits at `seat`, which is taken."""
    seats = list(match.seats)
    sitter = seats[seat]
    if sitter is None:
        raise LookupError(seat)
    seats[seat] = sitter._replace(**changes)
    return match._replace(seats=tuple(seats))
