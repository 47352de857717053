"""Routes under /v1/matches."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import msgspec

from engine.bots import STYLES
from engine.games import IDS, protocol
from engine.match import play as rules_of_play
from engine.match.record import Match, Status, seat_of
from functions.matches.bodies import Act, Join, NewMatch, Nothing, OwnNonce
from functions.shared import ids
from functions.shared.flows import journal, lists, play, seats
from functions.shared.flows.marks import Key, key_of
from functions.shared.flows.visibility import find_for
from functions.shared.http import cursors
from functions.shared.http.answer import Answer, Items
from functions.shared.http.app import App
from functions.shared.http.request import Request, body, flag, idempotency_key, limit, number, one_of, params, require
from functions.shared.problems import Problem, Rejected, invalid, malformed
from functions.shared.render import match as render
from functions.shared.store.records import MatchRecord, Scope

app = App()
handler = app.handle

_READING = (Problem.NOT_FOUND, Problem.FORBIDDEN)
_SEATING = (Problem.FORBIDDEN, Problem.NOT_FOUND, Problem.MATCH_NOT_OPEN, Problem.KEY_REUSED)
_LIST = {
    "status": "open (the default), active, finished or aborted; with mine or player: any",
    "game": "the id of a game",
    "mine": "true: only matches of yours",
    "my_turn": "true: only matches that wait for you, the earliest deadline first",
    "joinable": "true: only matches that you can join",
    "player": "the id of a player",
    "limit": "items on a page, 1 to 100; 20 by default",
    "cursor": "the next_cursor of the page before",
}


class Legal(msgspec.Struct):
    """What the caller may do now, resigning apart."""

    turn: int
    actions: list[dict[str, Any]]
    optional: dict[str, Any]


class Odds(msgspec.Struct):
    """The chance that a bid holds, and from where on a raise that all will challenge pays: decimal strings."""

    holds: str
    break_even: str


def _key(request: Request, content: Any) -> Key:
    return key_of(request.services, request.caller.player, request.route, idempotency_key(request), content)


def _shown(request: Request, outcome: play.Outcome, status: int = 200) -> Answer:
    record = play.current(request.services, outcome.record, request.now)
    location = f"/v1/matches/{record.match.id}" if status == 201 else None
    return _match(request, record)._replace(status=status, replayed=outcome.replayed, location=location)


def _match(request: Request, record: MatchRecord) -> Answer:
    shown = render.body(record, request.player, request.now)
    return Answer(shown, server_time=request.now, poll_after=render.poll_after(record, request.now))


def _visible(request: Request, match: str) -> MatchRecord:
    return find_for(request.services, match, request.player)


def _readable(request: Request, match: str) -> MatchRecord:
    """The match at this moment, for who may see it."""
    record = _visible(request, match)
    require(request, Scope.READ)
    return play.current(request.services, record, request.now)


@app.route(
    "POST",
    "/v1/matches",
    body=NewMatch,
    answers={201: render.MatchBody},
    problems=(Problem.FORBIDDEN, Problem.LIMIT_REACHED, Problem.KEY_REUSED, Problem.TRY_AGAIN),
)
def create(request: Request) -> Answer:
    """Create a match. Its creator has seat 0; it starts when the last seat is taken."""
    require(request, Scope.PLAY)
    asked = body(request, NewMatch)
    if asked.bot_style not in STYLES:
        raise invalid(("bot_style",), "must be one of: " + ", ".join(STYLES))
    ratings = asked.rating_range
    if ratings is not None and ratings[0] > ratings[1]:
        raise invalid(("rating_range",), "must go from the lower rating to the higher one")
    fields = msgspec.structs.asdict(asked) | {
        "rating_range": None if ratings is None else (ratings[0], ratings[1]),
        "invite": tuple(asked.invite),
        "private": asked.visibility == "private",
    }
    del fields["visibility"]
    key = _key(request, msgspec.to_builtins(asked))
    outcome = seats.create(request.services, request.caller.player, seats.Order(**fields), key, request.now)
    return _shown(request, outcome, 201)


@app.route(
    "GET",
    "/v1/matches",
    token=False,
    answers={200: Items[render.Head]},
    query=_LIST,
    problems=(Problem.FORBIDDEN,),
)
def find(request: Request) -> Answer:
    """List matches, newest first."""
    own = [params(request).get(name) for name in ("mine", "my_turn")]
    if "true" in own:
        _ = request.caller
    require(request, Scope.READ)
    wanted, waiting = _wanted(request), flag(request, "my_turn")
    seek = lists.my_turn if waiting else lists.matches
    page, cursor = seek(request.services, wanted, cursors.position(request))
    heads = [render.head(record, request.player, request.now) for record in page]
    return Answer(Items(heads, cursors.seal(request, cursor)), server_time=request.now)


def _wanted(request: Request) -> lists.Wanted:
    status, game = one_of(request, "status", Status), one_of(request, "game", IDS)
    is_own = flag(request, "mine") or flag(request, "my_turn")
    joinable, size, player = flag(request, "joinable"), limit(request), params(request).get("player")
    if player is not None and not ids.is_id(ids.PLAYER, player):
        raise malformed("player must be the id of a player")
    if is_own:
        if player not in (None, request.caller.player):
            raise malformed("mine and my_turn go with no other player")
        player = request.caller.player
    if player is None and status == Status.ABORTED:
        raise malformed("aborted matches are listed with mine or player only")
    return lists.Wanted(request.player, None if status is None else Status(status), game, player, joinable, size)


@app.route("GET", "/v1/matches/{match}", token=False, answers={200: render.MatchBody}, problems=_READING)
def read(request: Request, match: str) -> Answer:
    """Read a match as you may know it."""
    return _match(request, _readable(request, match))


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
    """Take the lowest free seat of an open match."""
    services, player = request.services, request.caller.player
    record = seats.find_to_join(services, match, player, partial(_join_code, request), request.now)
    require(request, Scope.PLAY)
    with _told_first(lambda: seats.require_fit(record, record.match, player)):
        asked = body(request, Join, optional=True)
        key = _key(request, msgspec.to_builtins(asked))
    return _shown(request, seats.join(services, record, player, asked.nonce, key, request.now))


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
    return _shown(request, seats.leave(request.services, record, request.caller.player, key, request.now))


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
    record, key = _seated(request, _visible(request, match), seats.require_creator)
    return _shown(request, seats.start(request.services, record, request.caller.player, key, request.now))


def _key_to_leave(request: Request) -> Key | None:
    try:
        return _key(request, msgspec.to_builtins(body(request, Nothing, optional=True)))
    except Rejected:
        return None  # what can't be read was not carried out: it must not tell that there is something to leave


def _seated(request: Request, record: MatchRecord, check: Callable[[Match, str], object]) -> tuple[MatchRecord, Key]:
    """For a request without content of somebody whom `check` lets pass."""
    require(request, Scope.PLAY)
    with _told_first(lambda: check(record.match, request.caller.player)):
        key = _key(request, msgspec.to_builtins(body(request, Nothing, optional=True)))
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
    record = _visible(request, match)
    require(request, Scope.PLAY)
    seats.require_seat(record.match, request.caller.player)
    asked = body(request, OwnNonce)
    key = key_of(request.services, request.caller.player, request.route, None, asked.nonce)
    outcome = seats.set_nonce(request.services, record, request.caller.player, asked.nonce, key, request.now)
    return _shown(request, outcome)


@app.route("GET", "/v1/matches/{match}/legal-actions", token=False, answers={200: Legal}, problems=_READING)
def legal_actions(request: Request, match: str) -> Answer:
    """List every action that you may take now. You may resign as well while the match is active."""
    record = _readable(request, match)
    seat = None if request.player is None else seat_of(record.match, request.player)
    legal = protocol.Legal() if seat is None else rules_of_play.legal(record.match, seat)
    shown = Legal(record.match.turn, [dict(action) for action in legal.actions], dict(legal.optional))
    return Answer(shown, server_time=request.now)


@app.route(
    "POST",
    "/v1/matches/{match}/actions",
    body=Act,
    answers={200: render.MatchBody},
    problems=(
        Problem.FORBIDDEN,
        Problem.NOT_FOUND,
        Problem.MATCH_NOT_OPEN,
        Problem.MATCH_OVER,
        Problem.STALE_TURN,
        Problem.NOT_YOUR_TURN,
        Problem.ILLEGAL_ACTION,
        Problem.KEY_REUSED,
        Problem.TRY_AGAIN,
    ),
)
def act(request: Request, match: str) -> Answer:
    """Act in a turn, or resign."""
    record = _visible(request, match)
    require(request, Scope.PLAY)
    seat = seats.require_seat(record.match, request.caller.player)
    asked = body(request, Act)
    if asked.turn is None and asked.action.get("type") != "resign":
        raise invalid(("turn",), "is needed for any action but resign")
    key = _key(request, {"turn": asked.turn, "action": asked.action})
    turn = None if asked.action.get("type") == "resign" else asked.turn
    return _shown(request, play.act(request.services, record, seat, key, turn, asked.action, request.now))


@app.route(
    "GET",
    "/v1/matches/{match}/log",
    token=False,
    answers={200: Items[dict[str, Any]]},
    query={"after": "the number of the last event that you have", "limit": _LIST["limit"], "cursor": _LIST["cursor"]},
    problems=_READING,
)
def read_log(request: Request, match: str) -> Answer:
    """Read what has happened, oldest first, as you may know it."""
    record = _readable(request, match)
    after, size = number(request, "after", 0, 10**9) or 0, limit(request)
    position = cursors.position(request)
    events = journal.read(request.services, record, request.player, int(position or after), size)
    more = bool(events) and events[-1]["n"] < journal.length(record)
    cursor = cursors.seal(request, str(events[-1]["n"])) if more else None
    return Answer(Items([render.timed(event) for event in events], cursor), server_time=request.now)


@app.route(
    "GET",
    "/v1/matches/{match}/odds",
    answers={200: Odds},
    query={"digit": "a digit, 0 to 9", "count": "how often the bid says that it occurs"},
    problems=(Problem.FORBIDDEN, Problem.NOT_FOUND, Problem.MATCH_NOT_OPEN, Problem.MATCH_OVER),
)
def read_odds(request: Request, match: str) -> Answer:
    """Liar's Poker, unrated matches: the chance that a bid holds, by your own digits."""
    from functions.shared.flows import odds  # only this route needs it

    record = _visible(request, match)
    odds.require_game(record)
    require(request, Scope.READ)
    seat = seats.require_seat(record.match, request.caller.player)
    odds.require_unrated(record)
    digit, count = number(request, "digit", 0, 9), number(request, "count", 1, 1000)
    if digit is None or count is None:
        raise malformed("odds need both: digit and count")
    record = play.current(request.services, record, request.now)
    return Answer(Odds(**odds.odds_of(record, seat, digit, count)), server_time=request.now)
