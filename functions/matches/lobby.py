"""Routes by which a match comes about."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import msgspec

from engine.bots import STYLES
from engine.match.record import Match
from functions.matches.bodies import Join, NewMatch, Nothing, OwnNonce
from functions.matches.common import answered, app, visible_match
from functions.shared.flows import creating, rematch, seats
from functions.shared.flows.marks import Key, key_of
from functions.shared.http.answer import Answer
from functions.shared.http.fields import rating_range
from functions.shared.http.keys import key_for
from functions.shared.http.request import Request, body, require
from functions.shared.problems import Problem, Rejected, invalid
from functions.shared.render import match as render
from functions.shared.store.records import MatchRecord, Scope

_SEATING = (Problem.FORBIDDEN, Problem.NOT_FOUND, Problem.MATCH_NOT_OPEN, Problem.KEY_REUSED)


@app.route(
    "POST",
    "/v1/matches",
    body=NewMatch,
    answers={201: render.MatchBody},
    problems=(Problem.FORBIDDEN, Problem.LIMIT_REACHED, Problem.KEY_REUSED, Problem.TRY_AGAIN),
)
def create(request: Request) -> Answer:
    """Create a match. Its creator has seat 0; it starts when the last seat is taken. When it is over, its proof shows
    all cards, those that nobody saw included, and when each action was made."""
    require(request, Scope.PLAY)
    asked = body(request, NewMatch)
    if asked.bot_style not in STYLES:
        raise invalid(("bot_style",), "must be one of: " + ", ".join(STYLES))
    fields = msgspec.structs.asdict(asked) | {
        "rating_range": rating_range(asked.rating_range),
        "invite": tuple(asked.invite),
        "private": asked.visibility == "private",
    }
    del fields["visibility"]
    key = key_for(request, msgspec.to_builtins(asked))
    outcome = creating.create(request.services, request.caller.player, creating.Order(**fields), key, request.now)
    return answered(request, outcome, 201)


@app.route(
    "POST",
    "/v1/matches/{match}/join",
    body=Join,
    body_optional=True,
    answers={200: render.MatchBody},
    problems=(
        *_SEATING,
        Problem.ALREADY_JOINED,
        Problem.MATCH_FULL,
        Problem.LIMIT_REACHED,
        Problem.RATE_LIMITED,
        Problem.TRY_AGAIN,
    ),
)
def join(request: Request, match: str) -> Answer:
    """Take the lowest free seat of an open match. When the match is over, its proof shows all cards, those that nobody
    saw included, and when each action was made."""
    services, player = request.services, request.caller.player
    record = seats.find_to_join(services, match, player, partial(_join_code, request), request.now)
    require(request, Scope.PLAY)
    with _told_first(lambda: seats.require_fit(record, record.match, player, seats.ratings_of(services, player))):
        asked = body(request, Join, optional=True)
        key = key_for(request, msgspec.to_builtins(asked))
    return answered(request, seats.join(services, record, player, asked.nonce, key, request.now))


def _join_code(request: Request) -> str | None:
    try:
        return body(request, Join, optional=True).join_code
    except Rejected:
        return None  # what can't be read is no code: it must not tell that there is something to join


@contextmanager
def _told_first(check: Callable[[], object]) -> Iterator[None]:
    """Where the request is malformed, whether it is forbidden is told first. Where it is not, it may be a replay of one
    that was not."""
    try:
        yield
    except Rejected:
        check()
        raise


@app.route(
    "POST",
    "/v1/matches/{match}/leave",
    body=Nothing,
    body_optional=True,
    answers={200: render.MatchBody},
    problems=(*_SEATING, Problem.TRY_AGAIN),
)
def leave(request: Request, match: str) -> Answer:
    """Give up your seat in an open match; when its creator leaves, it is aborted."""
    found = seats.find_to_leave(request.services, match, request.caller.player, partial(_key_to_leave, request))
    record, key = _seated(request, found, seats.require_seat)
    return answered(request, seats.leave(request.services, record, request.caller.player, key, request.now))


@app.route(
    "POST",
    "/v1/matches/{match}/start",
    body=Nothing,
    body_optional=True,
    answers={200: render.MatchBody},
    problems=(*_SEATING, Problem.CONFLICT, Problem.TRY_AGAIN),
)
def start(request: Request, match: str) -> Answer:
    """Start your match with the seats that are taken."""
    record, key = _seated(request, visible_match(request, match), seats.require_creator)
    return answered(request, seats.start(request.services, record, request.caller.player, key, request.now))


def _key_to_leave(request: Request) -> Key | None:
    try:
        return key_for(request, msgspec.to_builtins(body(request, Nothing, optional=True)))
    except Rejected:
        return None  # what can't be read was not carried out: it must not tell that there is something to leave


def _seated(request: Request, record: MatchRecord, check: Callable[[Match, str], object]) -> tuple[MatchRecord, Key]:
    """For a request without content of somebody whom `check` lets pass."""
    require(request, Scope.PLAY)
    with _told_first(lambda: check(record.match, request.caller.player)):
        key = key_for(request, msgspec.to_builtins(body(request, Nothing, optional=True)))
    return record, key


@app.route(
    "PUT",
    "/v1/matches/{match}/nonce",
    body=OwnNonce,
    answers={200: render.MatchBody},
    problems=(Problem.FORBIDDEN, Problem.NOT_FOUND, Problem.MATCH_NOT_OPEN, Problem.TRY_AGAIN),
)
def put_nonce(request: Request, match: str) -> Answer:
    """Give or replace your nonce, which goes into all chance of the match, until the start."""
    record = visible_match(request, match)
    require(request, Scope.PLAY)
    seats.require_seat(record.match, request.caller.player)
    asked = body(request, OwnNonce)
    key = key_of(request.services, request.caller.player, request.route, None, asked.nonce)
    outcome = seats.set_nonce(request.services, record, request.caller.player, asked.nonce, key, request.now)
    return answered(request, outcome)


@app.route(
    "POST",
    "/v1/matches/{match}/rematch",
    body=Nothing,
    body_optional=True,
    answers={201: render.MatchBody},
    problems=(
        Problem.FORBIDDEN,
        Problem.NOT_FOUND,
        Problem.MATCH_ACTIVE,
        Problem.MATCH_NOT_OPEN,
        Problem.CONFLICT,
        Problem.LIMIT_REACHED,
        Problem.KEY_REUSED,
        Problem.TRY_AGAIN,
    ),
)
def play_again(request: Request, match: str) -> Answer:
    """Ask for a rematch, or join the one that somebody asked for. Everybody sits one seat further. When it is over, its
    proof shows all cards, those that nobody saw included, and when each action was made."""
    record, key = _seated(request, visible_match(request, match), seats.require_seat)
    outcome = rematch.rematch(request.services, record, request.caller.player, key, request.now)
    return answered(request, outcome, 201)
