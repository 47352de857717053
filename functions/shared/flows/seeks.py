"""Asking for rated opponents: a seek waits first, then looks for others that wait. Of two that come at once, the later
one sees the earlier; who is still alone is looked at by the referee as the ranges widen."""

from typing import NamedTuple

from engine import clock
from engine.errors import Refused
from engine.match import lobby
from engine.match.advance import advance
from engine.match.record import Match, Status
from engine.types import Data, EpochMs
from functions.shared import ids
from functions.shared.flows import opponents, play
from functions.shared.flows.accounts import own_profile
from functions.shared.flows.creating import OPEN_MS, Order, ordered
from functions.shared.flows.marks import Key, recall, to_remember
from functions.shared.flows.seats import rating_of, require_room, sat_down
from functions.shared.flows.visibility import find
from functions.shared.problems import Problem, Rejected, busy, from_engine, invalid, not_found
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import MatchRecord, Profile, Seek, SeekStatus

WINDOW = 50
"""Seeks that a search reads to each side of the own rating: so many neighbours that all refuse are not passed over."""

ATTEMPTS = 5

FIRST_LOOK_MS = 60_000
"""After so long the referee makes good a request that was cut off before its search."""


class Wish(NamedTuple):
    """The table that a player wants to be seated at; None where the default is meant."""

    game: str
    clock: Data | None = None
    rating_range: tuple[int, int] | None = None
    seats: int | None = None
    nonce: str = ""


class Sought(NamedTuple):
    """A seek, its match once it has one, and whether the request had been carried out before."""

    seek: Seek
    record: MatchRecord | None
    replayed: bool = False


def ask(services: Services, player: str, wish: Wish, key: Key, now: EpochMs) -> Sought:
    """A new seek, with its match if there are opponents now.

    Raises `Rejected`: invalid-request, key-reused, limit-reached (also for a second seek in one game).
    """
    table = _table(services, wish, now)
    profile = own_profile(services, player)
    known = recall(services, key, now)
    if known is not None:
        return _again(services, player, known[0], now)
    require_room(services, player, Status.ACTIVE)
    rating = rating_of(services, player, table.game)
    seek = _seek(services, player, wish, table, rating, now)
    try:
        services.seeks.begin(seek, to_remember(key, (seek.id,), now))
    except ConflictError as conflict:
        known = recall(services, key, now)
        if known is not None:
            return _again(services, player, known[0], now)
        raise _second(services, player, table.game, now) from conflict
    return _with_match(services, _look(services, seek, profile, seek.id, now), now)


def _table(services: Services, wish: Wish, now: EpochMs) -> Match:
    """The match as it will begin, with nobody in it. Raises `Rejected` (invalid-request)."""
    if wish.clock is not None and wish.clock.get("kind") == clock.NONE:
        raise invalid(("clock",), "a seek is for a rated match, which needs a clock")
    order = Order(wish.game, wish.seats, clock=wish.clock)
    return ordered(services, order, now).match


def _seek(services: Services, player: str, wish: Wish, table: Match, rating: int, now: EpochMs) -> Seek:
    try:
        nonce = lobby.checked_nonce(wish.nonce)
    except Refused as refused:
        raise from_engine(refused) from refused
    return Seek(
        ids.new(ids.SEEK, now, services.random_bytes),
        player,
        table.game,
        len(table.seats),
        clock.describe(table.clock),
        rating,
        wish.rating_range,
        nonce,
        now,
        now + OPEN_MS,
        now + FIRST_LOOK_MS,
    )


def _second(services: Services, player: str, game: str, now: EpochMs) -> Rejected:
    waiting = next((seek for seek in services.seeks.of_player(player) if seek.game == game), None)
    if waiting is None or waiting.expires_at <= now:  # it is going at this moment
        return busy()
    return Rejected(Problem.LIMIT_REACHED, f"you have a seek in this game; cancel it first: {waiting.id}")


def _again(services: Services, player: str, seek_id: str, now: EpochMs) -> Sought:
    seek = find_own(services, player, seek_id)
    if seek.status is SeekStatus.WAITING:  # the first attempt may have been cut off before it looked
        seek = look(services, seek, now)
    return _with_match(services, seek, now)._replace(replayed=True)


def _with_match(services: Services, seek: Seek, now: EpochMs) -> Sought:
    if not seek.match:
        return Sought(seek, None)
    return Sought(seek, play.current(services, find(services, seek.match), now))


def own(services: Services, player: str, now: EpochMs) -> list[Seek]:
    """The seeks of a player that wait, the newest first."""
    waiting = [seek for seek in services.seeks.of_player(player) if seek.expires_at > now]
    return sorted(waiting, key=lambda seek: seek.id, reverse=True)


def find_own(services: Services, player: str, seek_id: str) -> Seek:
    """A seek of the player's, for 48 hours after its end. Raises `Rejected` (not-found)."""
    seek = services.seeks.get(player, seek_id) if ids.is_id(ids.SEEK, seek_id) else None
    if seek is None:
        raise not_found("seek")
    return seek


def cancel(services: Services, player: str, seek_id: str, now: EpochMs) -> None:
    """Takes a seek back, if it still waits. Raises `Rejected`: not-found, conflict (it has been matched)."""
    for _ in range(ATTEMPTS):
        seek = find_own(services, player, seek_id)
        if seek.status is SeekStatus.MATCHED:
            raise Rejected(Problem.CONFLICT, f"this seek has been matched: {seek.match}")
        if seek.status is not SeekStatus.WAITING:
            return
        try:
            services.seeks.end(seek, SeekStatus.CANCELLED, now)
        except ConflictError:
            continue
        return
    raise busy()


def look(services: Services, seek: Seek, now: EpochMs) -> Seek:
    """Looks for opponents of a seek that waits, at the rating that its player has by now; ends it if its time is over.
    Gives it as it is then."""
    if seek.expires_at <= now:
        services.seeks.end(seek, SeekStatus.EXPIRED, now)
        return seek._replace(status=SeekStatus.EXPIRED)
    ready = _ready(services, seek, now)
    return _stored(services, seek) if ready is None else _look(services, *ready, "", now)


def look_again(services: Services, key: str, now: EpochMs) -> Seek | None:
    """What the referee does with a seek that is due: as `look`, and says when it is due next. None when it waits no
    more. Raises `ConflictError`."""
    seek = services.seeks.waiting(key)
    if seek is None:
        return None
    seek = look(services, seek, now)
    if seek.status is SeekStatus.WAITING:
        services.seeks.postpone(seek, opponents.next_look(seek, now))
    return seek


def _look(services: Services, seek: Seek, profile: Profile, maker: str, now: EpochMs) -> Seek:
    for attempt in range(ATTEMPTS):
        try:
            _search(services, seek, profile, maker, now)
        except ConflictError:
            services.pause(play.PAUSE_S * (attempt + 1) * services.random_bytes(1)[0] / 255)
            seek = _stored(services, seek)
            if seek.status is SeekStatus.WAITING:
                continue
            return seek
        return _stored(services, seek)
    return seek  # so many come at once that the referee has to look


def _stored(services: Services, seek: Seek) -> Seek:
    return find_own(services, seek.player, seek.id)


def _search(services: Services, seek: Seek, profile: Profile, maker: str, now: EpochMs) -> None:
    """Makes a match of the seek and others, if there are any. Raises `ConflictError` when one of them is taken
    meanwhile."""
    low, high = opponents.accepted(seek, now)
    near = [other for other in services.seeks.near(seek, low, high, WINDOW) if other.expires_at > now]
    profiles = {seek.id: profile}
    while (table := opponents.table(seek, near, now)) is not None:
        for other in table:
            if other.id in profiles:
                continue
            near.remove(other)
            ready = _ready(services, other, now)
            if ready is None:
                break
            fresh, profiles[other.id] = ready
            near.append(fresh)
            if fresh != other:
                break
        else:
            match = _begun(services, table, profiles, now)
            services.seeks.pair(match, table, maker, now)
            return


def _ready(services: Services, seek: Seek, now: EpochMs) -> tuple[Seek, Profile] | None:
    """The seek at its player's rating of now, and the player; None when they can't be seated: in too many matches, or
    gone, with which the seek ends. Raises `ConflictError`."""
    profile = services.players.get(seek.player)
    if profile is None or profile.closed_at:
        services.seeks.end(seek, SeekStatus.CANCELLED, now)
        return None
    try:
        require_room(services, seek.player, Status.ACTIVE)
    except Rejected:
        return None
    rating = rating_of(services, seek.player, seek.game)
    if rating == seek.rating:
        return seek, profile
    moved = seek._replace(rating=rating)
    services.seeks.move(seek, moved)
    return moved, profile


def _begun(services: Services, table: tuple[Seek, ...], profiles: dict[str, Profile], now: EpochMs) -> MatchRecord:
    """The match of these seeks: the oldest has seat 0."""
    oldest = table[0]
    record = ordered(services, Order(oldest.game, oldest.seats, clock=oldest.clock), now)
    match = record.match
    for seek in table:
        match = sat_down(match, profiles[seek.id], seek.rating, seek.nonce, now)
    return record._replace(match=advance(match, now))
