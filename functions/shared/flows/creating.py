"""How a match comes about: what a player asks for, and the match that follows from it."""

from typing import NamedTuple

from engine import clock
from engine.bots import HOUSE
from engine.errors import Refused
from engine.ladder.elo import START, shown
from engine.match import lobby
from engine.match.advance import advance
from engine.match.record import Match, Sitter
from engine.types import Data, EpochMs
from functions.shared import ids
from functions.shared.flows.marks import Key, recall, to_remember
from functions.shared.flows.play import Outcome
from functions.shared.flows.seats import require_room, take_seat
from functions.shared.flows.visibility import find
from functions.shared.problems import busy, from_engine, invalid
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import MatchRecord

OPEN_MS = 14 * 86_400_000
"""An open match that has not started ends after so long."""

CODE_BYTES = 10


class Order(NamedTuple):
    """The match that a player asks for; None where the default is meant."""

    game: str
    seats: int | None = None
    options: Data | None = None
    clock: Data | None = None
    rated: bool | None = None
    private: bool = False
    invite: tuple[str, ...] = ()
    rating_range: tuple[int, int] | None = None
    bots: int = 0
    bot_style: str = HOUSE
    nonce: str = ""
    talk: bool | None = None


def create(services: Services, player: str, order: Order, key: Key, now: EpochMs) -> Outcome:
    """A new match with the player in seat 0. Raises `Rejected`: invalid-request, key-reused, limit-reached."""
    record = _seated(services, player, order, now)
    known = recall(services, key, now)
    if known is not None:
        return Outcome(find(services, known[0]), replayed=True)
    require_room(services, player, record.match.status)
    try:
        return Outcome(services.matches.create(record, player, to_remember(key, (record.match.id,), now)))
    except ConflictError as conflict:
        known = recall(services, key, now)
        if known is None:
            raise busy() from conflict
        return Outcome(find(services, known[0]), replayed=True)


def _seated(services: Services, player: str, order: Order, now: EpochMs) -> MatchRecord:
    record = ordered(services, order, now)
    match = record.match
    try:
        nonce = lobby.checked_nonce(order.nonce)
    except Refused as refused:
        raise from_engine(refused) from refused
    if order.bots >= len(match.seats):
        raise invalid(("bots",), f"must leave a seat for you: at most {len(match.seats) - 1} here")
    for i, invited in enumerate(order.invite):
        profile = None if invited == player else services.players.get(invited)
        if profile is None or profile.closed_at:
            raise invalid(("invite", str(i)), "must be the id of another player")
    match = take_seat(services, match, player, nonce, now)
    for number in range(1, order.bots + 1):
        match = lobby.join(match, _bot(number, order.bot_style), now)
    return record._replace(match=advance(match, now))


def ordered(services: Services, order: Order, now: EpochMs) -> MatchRecord:
    """The match that is asked for, with nobody in it. Raises `Rejected` (invalid-request)."""
    match_id = ids.new(ids.MATCH, now, services.random_bytes)
    try:
        chosen_clock = None if order.clock is None else clock.parse(order.clock)
        match = lobby.create(
            match_id, order.game, order.seats, order.options or {}, chosen_clock, services.random_bytes(32), now
        )
    except Refused as refused:
        raise from_engine(refused) from refused
    return MatchRecord(
        match,
        rated=_rated(order, match),
        private=order.private,
        join_code=ids.code(services.random_bytes(CODE_BYTES)) if order.private else "",
        invited=tuple(dict.fromkeys(order.invite)),
        rating_range=order.rating_range,
        talk=order.talk is not False and not _rated(order, match),
        expires_at=now + OPEN_MS,
    )


def _rated(order: Order, match: Match) -> bool:
    reasons = {
        "against house bots": order.bots > 0,
        "in a private match": order.private,
        "without a clock": match.clock.kind == clock.NONE,
        "with options other than the defaults": bool(match.options),
    }
    why = next((reason for reason, holds in reasons.items() if holds), None)
    if order.rated and why is not None:
        raise invalid(("rated",), f"a match can't be rated {why}")
    if order.rated is not False and why is None and order.talk:
        raise invalid(("talk",), "there is no table talk in a rated match")
    return order.rated is not False and why is None


def _bot(number: int, style: str) -> Sitter:
    return Sitter(f"bot-{number}", f"House bot {number}", shown(START), bot=style)
