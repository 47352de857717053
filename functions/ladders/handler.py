"""Routes under /v1/ladders."""

from engine.games import IDS
from functions.shared.flows import histories, ranks
from functions.shared.flows.accounts import profile_of
from functions.shared.http import cursors
from functions.shared.http.answer import Answer
from functions.shared.http.app import App
from functions.shared.http.request import Request, limit, number, require
from functions.shared.problems import Problem, not_found
from functions.shared.render import ladder as render
from functions.shared.store.records import Scope

app = App()
handler = app.handle

WINDOW, WIDEST = 5, 50
"""Entries above and below a player: without a wish, and at most."""

BEST = 10**7

_DOWN, _UP = "v", "^"
"""How a cursor begins: with the direction in which it goes on from its place."""

_BOTTOM = "4095#~"
"""A place below all."""

_LIMIT = "items on a page, 1 to 100; 20 by default"


def _known(game: str) -> str:
    if game not in IDS:
        raise not_found("ladder; each game of GET /v1/games has one")
    return game


@app.route(
    "GET",
    "/v1/ladders/{game}",
    token=False,
    answers={200: render.LadderPage},
    query={
        "limit": _LIMIT,
        "cursor": "the next_cursor or prev_cursor of another page",
        "rank": "begin with those who share this rank; without it, with the first",
    },
    problems=(Problem.NOT_FOUND, Problem.FORBIDDEN),
)
def top(request: Request, game: str) -> Answer:
    """Read a ladder, best first. Equal ratings share a rank; pages go on in both directions."""
    _known(game)
    require(request, Scope.READ)
    size, rank, position = limit(request), number(request, "rank", 1, BEST), cursors.position(request)
    place, upwards = _start(request, game, rank, position)
    found = ranks.page(request.services, game, place, size, upwards=upwards)
    above, below = _cursors(found, place, upwards=upwards)
    shown = render.page(found, cursors.seal(request, above), cursors.seal(request, below))
    return Answer(shown, server_time=request.now)


def _start(request: Request, game: str, rank: int | None, position: str | None) -> tuple[str | None, bool]:
    """Beyond which place the page begins, and whether it lies above it."""
    if position is not None:
        return position[1:] or None, position.startswith(_UP)
    if rank is None:
        return None, False
    return ranks.place_of_rank(request.services, game, rank) or _BOTTOM, False


def _cursors(found: ranks.Rows, place: str | None, *, upwards: bool) -> tuple[str | None, str | None]:
    """Where the pages above and below begin. Beyond an empty page the list goes on with its own place."""
    if upwards:
        above = _UP + found.ends[0] if found.more and found.ends else None
        return above, _DOWN + found.ends[1] if found.ends else _DOWN
    below = _DOWN + found.ends[1] if found.more and found.ends else None
    if place is None:
        return None, below
    return _UP + (found.ends[0] if found.ends else place + "~"), below


@app.route(
    "GET",
    "/v1/ladders/{game}/players/{player}",
    token=False,
    answers={200: render.StandingBody},
    query={"limit": "rows of the history, 1 to 100; 20 by default", "cursor": "the next_cursor of the page before"},
    problems=(Problem.NOT_FOUND, Problem.FORBIDDEN),
)
def read(request: Request, game: str, player: str) -> Answer:
    """Read where a player stands in a ladder, and each match that made it so, newest first. Each row can be computed
    from what it says."""
    _known(game)
    profile = profile_of(request.services, player)
    require(request, Scope.READ)
    size, position = limit(request), cursors.position(request)
    found = ranks.standing(request.services, game, player, profile.shown_name)
    history = histories.history(request.services, game, player, position, size)
    return Answer(render.standing(found, history, cursors.seal(request, history.next)), server_time=request.now)


@app.route(
    "GET",
    "/v1/ladders/{game}/around/{player}",
    token=False,
    answers={200: render.NeighboursBody},
    query={"window": f"entries above and below, 1 to {WIDEST}; {WINDOW} by default"},
    problems=(Problem.NOT_FOUND, Problem.FORBIDDEN),
)
def around(request: Request, game: str, player: str) -> Answer:
    """Read the entries above and below a player, theirs among them; none for who is not listed."""
    _known(game)
    profile = profile_of(request.services, player)
    require(request, Scope.READ)
    window = number(request, "window", 1, WIDEST) or WINDOW
    rows = ranks.around(request.services, game, player, profile.shown_name, window)
    return Answer(render.neighbours(rows), server_time=request.now)
