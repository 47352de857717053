"""Routes that show matches."""

from typing import Any

import msgspec

from engine.games import IDS, protocol
from engine.match import play as rules_of_play
from engine.match.record import Status, seat_of
from functions.matches.common import READING, app, current_match, shown_match, visible_match
from functions.shared import ids
from functions.shared.flows import journal, lists, play, seats
from functions.shared.http import cursors
from functions.shared.http.answer import Answer, Items
from functions.shared.http.request import Request, flag, limit, number, one_of, params, require
from functions.shared.problems import Problem, malformed
from functions.shared.render import match as render
from functions.shared.store.records import Scope

_LIST = {
    "status": "open (the default), active, finished or aborted; with mine or player: any",
    "game": "the id of a game",
    "mine": "true: only matches of yours",
    "my_turn": "true: only matches that wait for you, the earliest deadline first",
    "joinable": "true: only matches that you can join",
    "player": "the id of a player",
    **cursors.PAGE,
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


@app.route("GET", "/v1/matches/{match}", token=False, answers={200: render.MatchBody}, problems=READING)
def read(request: Request, match: str) -> Answer:
    """Read a match as you may know it."""
    return shown_match(request, current_match(request, match))


@app.route("GET", "/v1/matches/{match}/legal-actions", token=False, answers={200: Legal}, problems=READING)
def legal_actions(request: Request, match: str) -> Answer:
    """List every action that you may take now. You may resign as well while the match is active."""
    record = current_match(request, match)
    seat = None if request.player is None else seat_of(record.match, request.player)
    legal = protocol.Legal()
    if seat is not None and rules_of_play.may_act(record.match, seat, request.now):
        legal = rules_of_play.legal(record.match, seat)
    shown = Legal(record.match.turn, [dict(action) for action in legal.actions], dict(legal.optional))
    return Answer(shown, server_time=request.now)


@app.route(
    "GET",
    "/v1/matches/{match}/log",
    token=False,
    answers={200: Items[dict[str, Any]]},
    query={"after": "the number of the last event that you have", **cursors.PAGE},
    problems=READING,
)
def read_log(request: Request, match: str) -> Answer:
    """Read what has happened, oldest first, as you may know it."""
    record = current_match(request, match)
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

    record = visible_match(request, match)
    odds.require_game(record)
    require(request, Scope.READ)
    seat = seats.require_seat(record.match, request.caller.player)
    odds.require_unrated(record)
    digit, count = number(request, "digit", 0, 9), number(request, "count", 1, 1000)
    if digit is None or count is None:
        raise malformed("odds need both: digit and count")
    record = play.current(request.services, record, request.now)
    return Answer(Odds(**odds.odds_of(record, seat, digit, count)), server_time=request.now)
