"""The route of a move."""

from functions.matches.bodies import Act
from functions.matches.common import answered, app, visible_match
from functions.shared.flows import play, seats
from functions.shared.http.answer import Answer
from functions.shared.http.keys import key_for
from functions.shared.http.request import Request, body, require
from functions.shared.problems import Problem, invalid
from functions.shared.render import match as render
from functions.shared.store.records import Scope


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
    record = visible_match(request, match)
    require(request, Scope.PLAY)
    seat = seats.require_seat(record.match, request.caller.player)
    asked = body(request, Act)
    if asked.turn is None and asked.action.get("type") != "resign":
        raise invalid(("turn",), "is needed for any action but resign")
    key = key_for(request, {"turn": asked.turn, "action": asked.action})
    turn = None if asked.action.get("type") == "resign" else asked.turn
    return answered(request, play.act(request.services, record, seat, key, turn, asked.action, request.now))
