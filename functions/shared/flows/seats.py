"""How a match comes about: creating, joining, leaving, starting, nonces."""

import hmac
from collections.abc import Callable
from typing import NamedTuple

from engine import clock
from engine.bots import HOUSE
from engine.errors import Refused
from engine.match import lobby
from engine.match.advance import advance
from engine.match.record import Match, Sitter, Status, seat_of
from engine.types import Data, EpochMs, Seat
from functions.shared import ids
from functions.shared.flows import play
from functions.shared.flows.accounts import profile_of
from functions.shared.flows.marks import Key, recall, to_remember
from functions.shared.flows.play import Outcome, Turns
from functions.shared.flows.visibility import find, look_up, may_see, no_match
from functions.shared.problems import Problem, Rejected, busy, from_engine, invalid
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import MatchRecord

OPEN_MS = 14 * 86_400_000
"""An open match that has not started ends after so long."""

LIVE_LIMIT, OPEN_LIMIT = 100, 20
"""Live and open matches of one player. Counted before the write: simultaneous requests may overshoot."""

CODE_BYTES = 10
CODE_TRIES = 10
"""Join codes that a player may try in an hour."""

START_RATING = 1500
"""The rating of who has no rated result yet (ladder.md, "Rating")."""


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
    record = _ordered(services, player, order, now)
    known = recall(services, key, now)
    if known is not None:
        return Outcome(find(services, known[0]), replayed=True)
    _require_room(services, player, record.match)
    try:
        return Outcome(services.matches.create(record, player, to_remember(key, (record.match.id,), now)))
    except ConflictError as conflict:
        known = recall(services, key, now)
        if known is None:
            raise busy() from conflict
        return Outcome(find(services, known[0]), replayed=True)


def _ordered(services: Services, player: str, order: Order, now: EpochMs) -> MatchRecord:
    match_id = ids.new(ids.MATCH, now, services.random_bytes)
    try:
        chosen_clock = None if order.clock is None else clock.parse(order.clock)
        match = lobby.create(
            match_id, order.game, order.seats, order.options or {}, chosen_clock, services.random_bytes(32), now
        )
        nonce = lobby.checked_nonce(order.nonce)
    except Refused as refused:
        raise from_engine(refused) from refused
    if order.bots >= len(match.seats):
        raise invalid(("bots",), f"must leave a seat for you: at most {len(match.seats) - 1} here")
    for i, invited in enumerate(order.invite):
        if invited == player or services.players.get(invited) is None:
            raise invalid(("invite", str(i)), "must be the id of another player")
    match = lobby.join(match, _sitter(services, player, nonce), now)
    for number in range(1, order.bots + 1):
        match = lobby.join(match, _bot(number, order.bot_style), now)
    return MatchRecord(
        advance(match, now),
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


def _sitter(services: Services, player: str, nonce: str) -> Sitter:
    return Sitter(player, profile_of(services, player).name, START_RATING, nonce=nonce)


def _bot(number: int, style: str) -> Sitter:
    return Sitter(f"bot-{number}", f"House bot {number}", START_RATING, bot=style)


def _require_room(services: Services, player: str, wanted: Match) -> None:
    """Raises `Rejected` (limit-reached) unless the player may be in `wanted` besides all others."""
    page = services.matches.of_player(player, ended=False, before=None, limit=LIVE_LIMIT)
    live = [place.id for place in page.places]
    if len(live) >= LIVE_LIMIT:
        raise Rejected(Problem.LIMIT_REACHED, f"you are in {LIVE_LIMIT} matches; finish one first")
    if len(live) < OPEN_LIMIT or wanted.status is not Status.OPEN:
        return
    waiting = [record for record in services.matches.get_many(live) if record.match.status is Status.OPEN]
    if len(waiting) >= OPEN_LIMIT:
        raise Rejected(
            Problem.LIMIT_REACHED, f"{OPEN_LIMIT} of your matches are open; wait for one to start, or leave it"
        )


def find_to_join(
    services: Services, match_id: str, player: str, code_of: Callable[[], str | None], now: EpochMs
) -> MatchRecord:
    """The match, for who may see it or gives its join code, which is asked for only where it is needed.

    Raises `Rejected`: not-found, also for a wrong code; rate-limited after ten codes in an hour. Codes for what is not
    there count as well, or the limit would tell what is.
    """
    record = look_up(services, match_id)
    if record is not None and may_see(record, player):
        return record
    code = code_of()
    if code is None:
        raise no_match()
    hour, into_the_hour = divmod(now, 3_600_000)
    if services.players.count_try(player, "join-code", hour) > CODE_TRIES:
        raise _too_many_codes((3_600_000 - into_the_hour) // 1000 + 1)
    if record is None or not hmac.compare_digest(record.join_code.encode(), code.upper().encode()):
        raise no_match()
    return record


def _too_many_codes(wait_s: int) -> Rejected:
    headers = {
        "retry-after": str(wait_s),
        "ratelimit": f'"join-codes";r=0;t={wait_s}',
        "ratelimit-policy": f'"join-codes";q={CODE_TRIES};w=3600',
    }
    detail = f"{CODE_TRIES} join codes in this hour; wait for the next"
    return Rejected(Problem.RATE_LIMITED, detail, headers=headers)


def join(services: Services, record: MatchRecord, player: str, nonce: str, key: Key, now: EpochMs) -> Outcome:
    """Takes the lowest free seat. Raises `Rejected`: key-reused, forbidden (rating), limit-reached, already-joined,
    match-full, match-not-open."""
    try:
        nonce = lobby.checked_nonce(nonce)
    except Refused as refused:
        raise from_engine(refused) from refused

    def step(match: Match) -> Match:
        require_fit(record, match, player)
        joined = lobby.join(match, _sitter(services, player, nonce), now, key.stored)
        _require_room(services, player, joined)
        return joined

    def save(before: MatchRecord, after: MatchRecord) -> MatchRecord:
        return services.matches.seat(before, after, player)

    return play.change(services, record, key, step, now, _in_the_lobby, save)


def fits(record: MatchRecord, player: str) -> bool:
    """Whether the match is for players of this one's rating. Who was invited fits."""
    if record.rating_range is None or player in record.invited:
        return True
    low, high = record.rating_range
    return low <= START_RATING <= high


def require_fit(record: MatchRecord, match: Match, player: str) -> None:
    """Raises `Rejected` (forbidden) when a seat is free and not for this player's rating."""
    if match.status is Status.OPEN and seat_of(match, player) is None and not fits(record, player):
        low, high = record.rating_range or (0, 0)
        raise Rejected(Problem.FORBIDDEN, f"this match is for ratings from {low} to {high}; yours is {START_RATING}")


def find_to_leave(services: Services, match_id: str, player: str, key_of: Callable[[], Key | None]) -> MatchRecord:
    """The match, for who may see it, or could see it until this same request gave up their seat.

    Raises `Rejected` (not-found). The key is asked for only where it is needed; None for a request without one.
    """
    record = look_up(services, match_id)
    if record is not None and not may_see(record, player):
        key = key_of()
        if key is None or not play.was_done(services, record, key, _in_the_lobby):
            record = None
    if record is None:
        raise no_match()
    return record


def leave(services: Services, record: MatchRecord, player: str, key: Key, now: EpochMs) -> Outcome:
    """Gives up the seat of an open match. Raises `Rejected`: key-reused, forbidden (no seat), match-not-open."""

    def step(match: Match) -> Match:
        return lobby.leave(match, require_seat(match, player), now, key.stored)

    def save(before: MatchRecord, after: MatchRecord) -> MatchRecord:
        is_over = after.match.status is Status.ABORTED
        return services.matches.save(before, after) if is_over else services.matches.unseat(before, after, player)

    return play.change(services, record, key, step, now, _in_the_lobby, save)


def start(services: Services, record: MatchRecord, player: str, key: Key, now: EpochMs) -> Outcome:
    """Starts with the seats that are taken. Raises `Rejected`: key-reused, forbidden, match-not-open, conflict."""

    def step(match: Match) -> Match:
        return lobby.start(match, require_seat(match, player), now, key.stored)

    return play.change(services, record, key, step, now, _in_the_lobby)


def set_nonce(services: Services, record: MatchRecord, player: str, nonce: str, key: Key, now: EpochMs) -> Outcome:
    """Gives or replaces the own nonce. Raises `Rejected`: invalid-request, forbidden, match-not-open."""
    try:
        nonce = lobby.checked_nonce(nonce)
    except Refused as refused:
        raise from_engine(refused) from refused

    def step(match: Match) -> Match:
        return lobby.set_nonce(match, require_seat(match, player), nonce)

    return play.change(services, record, key, step, now, _in_the_lobby)


def require_creator(match: Match, player: str) -> None:
    """Raises `Rejected` (forbidden) unless the player has seat 0."""
    if require_seat(match, player) != 0:
        raise Rejected(Problem.FORBIDDEN, "only the creator of a match starts it")


def _in_the_lobby(_: Match) -> Turns:
    return 0, 0


def require_seat(match: Match, player: str) -> Seat:
    """The player's seat. Raises `Rejected` (forbidden)."""
    seat = seat_of(match, player)
    if seat is None:
        raise Rejected(Problem.FORBIDDEN, "you have no seat in this match")
    return seat
