"""Routes under /v1/seeks."""

from typing import Annotated, Any

import msgspec

from engine.games import IDS
from functions.shared.flows import seeks
from functions.shared.http import cursors
from functions.shared.http.answer import Answer, Items
from functions.shared.http.app import App
from functions.shared.http.fields import Nonce, RatingRange, rating_range
from functions.shared.http.keys import key_for
from functions.shared.http.request import Request, body, limit, require
from functions.shared.problems import Problem
from functions.shared.render import seek as render
from functions.shared.store.records import Scope

app = App()
handler = app.handle


class NewSeek(msgspec.Struct, forbid_unknown_fields=True):
    """The table that a player wants; the match is public and rated, and has the game's default options."""

    game: Annotated[str, msgspec.Meta(max_length=40, extra_json_schema={"enum": list(IDS)})]
    clock: dict[str, Any] | None = None
    rating_range: RatingRange | None = None
    seats: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None
    nonce: Nonce = ""


@app.route(
    "POST",
    "/v1/seeks",
    body=NewSeek,
    answers={201: render.SoughtBody},
    problems=(Problem.FORBIDDEN, Problem.LIMIT_REACHED, Problem.KEY_REUSED, Problem.TRY_AGAIN),
)
def ask(request: Request) -> Answer:
    """Ask for rated opponents. With some who wait, the match begins at once; else you wait, one seek a game."""
    require(request, Scope.PLAY)
    asked = body(request, NewSeek)
    player = request.caller.player
    wish = seeks.Wish(asked.game, asked.clock, rating_range(asked.rating_range), asked.seats, asked.nonce)
    key = key_for(request, msgspec.to_builtins(asked))
    found = seeks.ask(request.services, player, wish, key, request.now)
    shown = render.sought(found, request.now)
    location = f"/v1/seeks/{found.seek.id}" if shown.match is None else f"/v1/matches/{shown.match.id}"
    return Answer(shown, 201, replayed=found.replayed, location=location, server_time=request.now)


@app.route(
    "GET",
    "/v1/seeks",
    answers={200: Items[render.SeekBody]},
    query=cursors.PAGE,
    problems=(Problem.FORBIDDEN,),
)
def list_own(request: Request) -> Answer:
    """List your seeks that wait, the newest first."""
    require(request, Scope.READ)
    size, after = limit(request), cursors.position(request)
    waiting = seeks.own(request.services, request.caller.player, request.now)
    rest = [seek for seek in waiting if after is None or seek.id < after]
    page = [render.seek(seek, request.now) for seek in rest[:size]]
    cursor = cursors.seal(request, page[-1].id) if len(rest) > size else None
    return Answer(Items(page, cursor), server_time=request.now)


@app.route(
    "GET",
    "/v1/seeks/{seek}",
    answers={200: render.SeekBody},
    problems=(Problem.FORBIDDEN, Problem.NOT_FOUND),
)
def read(request: Request, seek: str) -> Answer:
    """Read a seek of yours. When it has been matched it names the match, for 48 hours."""
    found = seeks.find_own(request.services, request.caller.player, seek)
    require(request, Scope.READ)
    return Answer(render.seek(found, request.now))


@app.route(
    "DELETE",
    "/v1/seeks/{seek}",
    answers={204: None},
    problems=(Problem.FORBIDDEN, Problem.NOT_FOUND, Problem.CONFLICT, Problem.TRY_AGAIN),
)
def cancel(request: Request, seek: str) -> Answer:
    """Take a seek back. It is a conflict when it has been matched already."""
    player = request.caller.player
    seeks.find_own(request.services, player, seek)
    require(request, Scope.PLAY)
    seeks.cancel(request.services, player, seek, request.now)
    return Answer(None, 204)
