"""A match as one caller sees it: the only road from a record to a response. Its secrets end here."""

from typing import Any

import msgspec

from engine import clock
from engine.match import play
from engine.match.log import last_events
from engine.match.record import Match, Sitter, Status, all_options, commitment, rules, seat_of
from engine.types import EpochMs, Json, Seat
from functions.shared.clock import rfc3339
from functions.shared.store.records import MatchRecord


class PlayerRef(msgspec.Struct):
    """Who sits at a seat, by the name of that moment."""

    id: str
    name: str


class SeatBody(msgspec.Struct):
    """A taken seat."""

    seat: int
    player: PlayerRef
    rating: int
    bot: bool
    left: str | None
    clock: dict[str, Any]


class You(msgspec.Struct):
    """The caller's own seat."""

    seat: int
    to_act: bool


class ResultBody(msgspec.Struct):
    """How a match ended, by seat."""

    reason: str
    ranks: list[int]
    scores: list[int]


class Head(msgspec.Struct, omit_defaults=False):
    """A match in a list."""

    id: str
    game: str
    status: str
    visibility: str
    rated: bool
    tournament: str | None
    options: dict[str, Any]
    clock: dict[str, Any]
    size: int
    """Seats, taken or not."""
    turn: int
    to_act: list[int]
    seats: list[SeatBody]
    you: You | None
    result: ResultBody | None
    talk: bool
    rating_range: list[int] | None
    rules_version: int
    created_at: str
    started_at: str | None
    ended_at: str | None
    expires_at: str | None
    join_code: str | None


class Deal(msgspec.Struct):
    """What proves later that the deals were fair."""

    commitment: str


class MatchBody(Head):
    """A match."""

    view: dict[str, Any] | None
    """The game as the caller may know it; null until it starts."""
    last_events: list[dict[str, Any]]
    deal: Deal


def head(record: MatchRecord, player: str | None, now: EpochMs) -> Head:
    """A match as it stands in the lists of a player (None: of anybody)."""
    return Head(**_head(record, player, now))


def body(record: MatchRecord, player: str | None, now: EpochMs) -> MatchBody:
    """The whole match as a player sees it; who has no seat in it sees what a spectator sees."""
    match = record.match
    viewer = seat_of(match, player) if player is not None else None
    view = None if match.state is None else rules(match).view(match.state, viewer)
    events = [timed(event) for event in last_events(match, viewer)]
    return MatchBody(**_head(record, player, now), view=view, last_events=events, deal=Deal(commitment(match)))


def poll_after(record: MatchRecord, now: EpochMs) -> int:
    """Seconds after which it is worth asking again: a tenth of the time until somebody runs out of it."""
    match = record.match
    if match.status is not Status.ACTIVE:
        return 30 if match.status is Status.OPEN else 3600
    # Of all seats that are asked: who has chosen must not show.
    deadlines = [at for seat in play.asked(match) if (at := play.deadline(match, seat)) is not None]
    wait_ms = min(deadlines, default=now + 300_000) - now
    return max(2, min(30, wait_ms // 10_000))


_INSTANTS = {"paused": ("from", "until"), "resumed": ("until",)}


def timed(event: dict[str, Json]) -> dict[str, Json]:
    """The event with its instants as the API writes them."""
    instants = {name: rfc3339(event[name]) for name in ("at", *_INSTANTS.get(event["type"], ()))}
    return event | instants


def _instant(at: EpochMs) -> str | None:
    return rfc3339(at) if at else None


def _head(record: MatchRecord, player: str | None, now: EpochMs) -> dict[str, Any]:
    match = record.match
    viewer = seat_of(match, player) if player is not None else None
    asked = play.asked(match)
    return {
        "id": match.id,
        "game": match.game,
        "status": match.status,
        "visibility": "private" if record.private else "public",
        "rated": record.rated,
        "tournament": None if record.fixture is None else record.fixture.tournament,
        "options": all_options(match),
        "clock": clock.describe(match.clock),
        "size": len(match.seats),
        "turn": match.turn,
        "to_act": asked,
        "seats": _seats(match, asked),
        "you": None if viewer is None else You(viewer, play.may_act(match, viewer, now)),
        "result": None
        if match.result is None
        else ResultBody(match.result.reason, list(match.result.ranks), list(match.result.scores)),
        "talk": record.talk,
        "rating_range": record.rating_range,
        "rules_version": match.rules_version,
        "created_at": rfc3339(match.created_at),
        "started_at": _instant(match.started_at),
        "ended_at": _instant(match.ended_at),
        "expires_at": rfc3339(record.expires_at) if match.status is Status.OPEN else None,
        "join_code": record.join_code or None if viewer is not None else None,
    }


def _seats(match: Match, asked: tuple[Seat, ...]) -> list[SeatBody]:
    return [
        SeatBody(
            seat,
            PlayerRef(sitter.player, sitter.name),
            sitter.rating,
            bool(sitter.bot),
            sitter.left or None,
            _clock(match, sitter, play.deadline(match, seat) if seat in asked else None),
        )
        for seat, sitter in enumerate(match.seats)
        if sitter is not None
    ]


def _clock(match: Match, sitter: Sitter, deadline: EpochMs | None) -> dict[str, Json]:
    """A running clock by its deadline, a standing one by what it has in hand: the same whether the seat has chosen."""
    if deadline is not None:
        return {"deadline": rfc3339(deadline)}
    if match.clock.kind == clock.NONE:
        return {}
    in_hand = clock.full(match.clock) if match.state is None else clock.Reserve(sitter.reserve_ms, sitter.periods)
    return {"remaining_ms": clock.total(match.clock, in_hand)}
