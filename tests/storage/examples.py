"""Records to store: matches at any point of their lives, players, tokens, outcomes of requests."""

import hashlib
import itertools
from typing import Any

from engine.clock import Clock
from engine.match import lobby, play
from engine.match.play import Request
from engine.match.record import Entry, Match, Sitter, logged
from engine.types import EpochMs
from functions.shared import ids
from functions.shared.store.records import MatchRecord, Profile, Remembered, Scope, Token

NOW: EpochMs = 4_102_444_800_000
"""The year 2100: by the clock of an endpoint nothing has expired, whatever a test says of the time."""

DAY = 86_400_000
_numbers = itertools.count(1)


def digest(text: object) -> str:
    """64 characters that nothing compresses."""
    return hashlib.sha256(str(text).encode()).hexdigest()


def new_id(prefix: str = ids.PLAYER, at: EpochMs = NOW) -> str:
    """An id that sorts by `at`, then by when it was asked for."""
    return ids.new(prefix, at, lambda size: next(_numbers).to_bytes(size, "big"))


def sitter(player: str) -> Sitter:
    """A player who sits down."""
    return Sitter(player, f"name-of-{player}", 1500)


def open_match(
    creator: str,
    game: str = "liars-poker",
    size: int | None = None,
    at: EpochMs = NOW,
    clock: Clock | None = None,
    **door: Any,
) -> MatchRecord:
    """A new match with its creator in seat 0."""
    match_id = new_id(ids.MATCH, at)
    match = lobby.create(match_id, game, size, {}, clock, hashlib.sha256(match_id.encode()).digest(), at)
    return MatchRecord(lobby.join(match, sitter(creator), at), rated=True, expires_at=at + 14 * DAY, **door)


def joined(record: MatchRecord, player: str, at: EpochMs = NOW) -> MatchRecord:
    """The match with one more seat taken; the last one starts it."""
    return record._replace(match=lobby.join(record.match, sitter(player), at))


def left(record: MatchRecord, seat: int, at: EpochMs = NOW) -> MatchRecord:
    """The match with a seat given up."""
    return record._replace(match=lobby.leave(record.match, seat, at))


def acted(record: MatchRecord, seat: int, at: EpochMs = NOW, key: str = "") -> MatchRecord:
    """The match after the first legal action of a seat."""
    match = record.match
    action = play.legal(match, seat).actions[0]
    return record._replace(match=play.act(match, Request(seat, at, key=key), match.turn, action))


def resigned(record: MatchRecord, seat: int, at: EpochMs = NOW) -> MatchRecord:
    """The match after a seat has resigned: of two, it ends it."""
    return record._replace(match=play.resign(record.match, Request(seat, at)))


def aborted(record: MatchRecord, at: EpochMs = NOW) -> MatchRecord:
    """The match that will not begin."""
    return record._replace(match=lobby.abort(record.match, at))


def told(record: MatchRecord, count: int, word: str = "said") -> MatchRecord:
    """The match with `count` more events of 64 bytes that don't compress."""
    match: Match = record.match
    first = match.put_away + len(match.log)
    more = [Entry(NOW, 0, word, 0, {"text": digest((word, first + i))}) for i in range(count)]
    return record._replace(match=logged(match, *more))


def profile(name: str, player: str | None = None, version: int = 1) -> Profile:
    """A player."""
    player = player or new_id()
    return Profile(player, name, NOW, digest(("code", player)), version=version)


def token(player: str, at: EpochMs = NOW, expires_at: EpochMs | None = None) -> Token:
    """A token with some scopes."""
    token_id = new_id(ids.TOKEN, at)
    return Token(token_id, digest(token_id), player, (Scope.READ, Scope.PLAY), "étiquette", at, expires_at)


def outcome(owner: str, mark: str = "mark", made: str = "made", at: EpochMs = NOW) -> Remembered:
    """What a creation came to, known for two days."""
    return Remembered(owner, mark, "body", (made,), at, at + 2 * DAY)
