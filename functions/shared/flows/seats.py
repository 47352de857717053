"""Who sits where before the start: joining, leaving, starting, nonces."""

import hmac
from collections.abc import Callable
from functools import cache, partial
from typing import TypeAlias

from engine.errors import Refused
from engine.match import lobby
from engine.match.record import Match, Sitter, Status, seat_of
from engine.types import EpochMs, Seat
from functions.shared.flows import play
from functions.shared.flows.accounts import own_profile
from functions.shared.flows.marks import Key
from functions.shared.flows.pauses import on_vacation
from functions.shared.flows.play import Outcome, Turns
from functions.shared.flows.visibility import look_up, may_see, no_match
from functions.shared.problems import Problem, Rejected, from_engine
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord, Profile

LIVE_LIMIT, OPEN_LIMIT = 100, 20
"""Live and open matches of one player. Counted before the write: simultaneous requests may overshoot."""

CODE_TRIES = 10
"""Join codes that a player may try in an hour."""

RatingIn: TypeAlias = Callable[[str], int]
"""A player's rating in a game, in whole points."""


def rating_of(services: Services, player: str, game: str) -> int:
    """The player's rating in a game, in whole points: one read."""
    return services.ladder.ratings(game, [player])[player].points


def ratings_of(services: Services, player: str) -> RatingIn:
    """The player's ratings, each read once, when it is first asked for."""
    return cache(partial(rating_of, services, player))


def take_seat(
    services: Services, match: Match, player: str, nonce: str, now: EpochMs, wish: Seat | None = None
) -> Match:
    """The new match with the player seated. Raises `Refused`, and `Rejected` (unauthenticated) for a closed account."""
    profile = own_profile(services, player)
    return sat_down(match, profile, rating_of(services, player, match.game), nonce, now, wish=wish)


def sat_down(
    match: Match, profile: Profile, rating: int, nonce: str, now: EpochMs, key: str = "", wish: Seat | None = None
) -> Match:
    """The match with a player seated, by the name and the rating of this moment. Their clock stands still if they are
    on vacation. Raises `Refused`."""
    sitter = Sitter(profile.id, profile.name, rating, nonce=nonce)
    return on_vacation(lobby.join(match, sitter, now, key, wish), profile, now)


def require_room(services: Services, player: str, wanted: Status) -> None:
    """Raises `Rejected` (limit-reached) unless the player may be in one more match, open or active as `wanted`."""
    page = services.matches.of_player(player, ended=False, before=None, limit=LIVE_LIMIT)
    live = [place.id for place in page.places]
    if len(live) >= LIVE_LIMIT:
        raise Rejected(Problem.LIMIT_REACHED, f"you are in {LIVE_LIMIT} matches; finish one first")
    if len(live) < OPEN_LIMIT or wanted is not Status.OPEN:
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
    count_code(services, player, now)
    if record is None or not hmac.compare_digest(record.join_code.encode(), code.upper().encode()):
        raise no_match()
    return record


def count_code(services: Services, player: str, now: EpochMs) -> None:
    """Counts a join code that a player gives. Raises `Rejected` (rate-limited) after ten in an hour."""
    hour, into_the_hour = divmod(now, 3_600_000)
    if services.players.count_try(player, "join-code", hour) > CODE_TRIES:
        raise _too_many_codes((3_600_000 - into_the_hour) // 1000 + 1)


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

    rating = ratings_of(services, player)

    def step(match: Match) -> Match:
        require_fit(record, match, player, rating)
        wish = record.reserved.index(player) if player in record.reserved else None
        profile = own_profile(services, player)
        joined = sat_down(match, profile, rating(match.game), nonce, now, key.stored, wish)
        require_room(services, player, joined.status)
        return joined

    def save(before: MatchRecord, after: MatchRecord) -> MatchRecord:
        return services.matches.seat(before, after, player)

    return play.change(services, record, key, step, now, in_the_lobby, save)


def fits(record: MatchRecord, player: str, rating: RatingIn) -> bool:
    """Whether a seat may be this player's: by rating, unless they are invited; in a rematch, if one is reserved."""
    if record.reserved:
        return player in record.reserved
    if record.rating_range is None or player in record.invited:
        return True
    low, high = record.rating_range
    return low <= rating(record.match.game) <= high


def require_fit(record: MatchRecord, match: Match, player: str, rating: RatingIn) -> None:
    """Raises `Rejected` (forbidden) when a seat is free and not for this player's rating."""
    if match.status is Status.OPEN and seat_of(match, player) is None and not fits(record, player, rating):
        if record.rating_range is None:
            raise Rejected(Problem.FORBIDDEN, "the seats of a rematch are for those who played the match before")
        low, high = record.rating_range
        detail = f"this match is for ratings from {low} to {high}; yours is {rating(match.game)}"
        raise Rejected(Problem.FORBIDDEN, detail)


def find_to_leave(services: Services, match_id: str, player: str, key_of: Callable[[], Key | None]) -> MatchRecord:
    """The match, for who may see it, or could see it until this same request gave up their seat.

    Raises `Rejected` (not-found). The key is asked for only where it is needed; None for a request without one.
    """
    record = look_up(services, match_id)
    if record is not None and not may_see(record, player):
        key = key_of()
        if key is None or not play.was_done(services, record, key, in_the_lobby):
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

    return play.change(services, record, key, step, now, in_the_lobby, save)


def start(services: Services, record: MatchRecord, player: str, key: Key, now: EpochMs) -> Outcome:
    """Starts with the seats that are taken. Raises `Rejected`: key-reused, forbidden, match-not-open, conflict."""

    def step(match: Match) -> Match:
        return lobby.start(match, require_seat(match, player), now, key.stored)

    return play.change(services, record, key, step, now, in_the_lobby)


def set_nonce(services: Services, record: MatchRecord, player: str, nonce: str, key: Key, now: EpochMs) -> Outcome:
    """Gives or replaces the own nonce. Raises `Rejected`: invalid-request, forbidden, match-not-open."""
    try:
        nonce = lobby.checked_nonce(nonce)
    except Refused as refused:
        raise from_engine(refused) from refused

    def step(match: Match) -> Match:
        return lobby.set_nonce(match, require_seat(match, player), nonce)

    return play.change(services, record, key, step, now, in_the_lobby)


def require_creator(match: Match, player: str) -> None:
    """Raises `Rejected` (forbidden) unless the player has the creator's seat."""
    if require_seat(match, player) != match.host:
        raise Rejected(Problem.FORBIDDEN, "only the creator of a match starts it")


def in_the_lobby(_: Match) -> Turns:
    """When requests of before the start may have come: `earlier` of `play.change`."""
    return 0, 0


def require_seat(match: Match, player: str) -> Seat:
    """The player's seat. Raises `Rejected` (forbidden)."""
    seat = seat_of(match, player)
    if seat is None:
        raise Rejected(Problem.FORBIDDEN, "you have no seat in this match")
    return seat
