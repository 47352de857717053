"""Routes of entries: who takes part."""

import msgspec

from functions.shared.flows.tournaments import entering as flow
from functions.shared.flows.tournaments import reading
from functions.shared.flows.tournaments.current import current
from functions.shared.flows.tournaments.entering import Entered
from functions.shared.http import cursors
from functions.shared.http.answer import Answer, Items
from functions.shared.http.keys import key_for
from functions.shared.http.request import Request, body, limit, require
from functions.shared.problems import Problem
from functions.shared.render import tournament as render
from functions.shared.store.records import Scope
from functions.tournaments.bodies import NewEntry, Nothing
from functions.tournaments.common import READING, app, names_of, readable

ME = "me"


def _shown(request: Request, entered: Entered, status: int = 200) -> Answer:
    names = names_of(request, [entered.entry.player])
    shown = render.entry(entered.record, entered.entry, request.player, names)
    return Answer(shown, status, replayed=entered.replayed, server_time=request.now)


@app.route(
    "GET",
    "/v1/tournaments/{tournament}/entries",
    token=False,
    answers={200: Items[render.EntryBody]},
    query=cursors.PAGE,
    problems=READING,
)
def list_entries(request: Request, tournament: str) -> Answer:
    """List the entries, those on the waiting list among them."""
    record = readable(request, tournament)
    page = reading.entries(request.services, record, cursors.position(request), limit(request))
    names = names_of(request, [entry.player for entry in page.entries])
    items = [render.entry(record, entry, request.player, names) for entry in page.entries]
    return Answer(Items(items, cursors.seal(request, page.next)), server_time=request.now)


@app.route(
    "POST",
    "/v1/tournaments/{tournament}/entries",
    body=NewEntry,
    body_optional=True,
    answers={201: render.EnteredBody},
    problems=(
        Problem.NOT_FOUND,
        Problem.FORBIDDEN,
        Problem.CONFLICT,
        Problem.RATE_LIMITED,
        Problem.KEY_REUSED,
        Problem.TRY_AGAIN,
    ),
)
def enter(request: Request, tournament: str) -> Answer:
    """Enter a tournament, or agree to the entry that an organizer made for you. Organizers enter others, and seed."""
    record = current(request.services, tournament, request.now)
    caller = request.caller.player
    may_organize = caller in record.organizers and Scope.ORGANIZE in request.caller.scopes
    if not may_organize:
        require(request, Scope.PLAY)
    asked = body(request, NewEntry, optional=True)
    player = caller if asked.player in (None, ME) else str(asked.player)
    require(request, Scope.PLAY if player == caller and asked.seed is None else Scope.ORGANIZE)
    key = key_for(request, msgspec.to_builtins(asked))
    entered = flow.enter(
        request.services, record, player, caller, asked.seed, asked.nonce, lambda: asked.join_code, key, request.now
    )
    return _shown(request, entered, 201)


@app.route(
    "DELETE",
    "/v1/tournaments/{tournament}/entries/{player}",
    answers={200: render.EnteredBody},
    problems=(Problem.NOT_FOUND, Problem.FORBIDDEN, Problem.CONFLICT, Problem.TRY_AGAIN),
)
def withdraw(request: Request, tournament: str, player: str) -> Answer:
    """Withdraw an entry, your own as `me`. After the start, what is open is forfeited."""
    record = current(request.services, tournament, request.now)
    caller = request.caller.player
    withdrawn = caller if player == ME else player
    require(request, Scope.PLAY if withdrawn == caller else Scope.ORGANIZE)
    return _shown(request, flow.withdraw(request.services, record, withdrawn, caller, request.now))


@app.route(
    "POST",
    "/v1/tournaments/{tournament}/check-in",
    body=Nothing,
    body_optional=True,
    answers={200: render.EnteredBody},
    problems=(Problem.NOT_FOUND, Problem.FORBIDDEN, Problem.CONFLICT, Problem.KEY_REUSED, Problem.TRY_AGAIN),
)
def check_in(request: Request, tournament: str) -> Answer:
    """Say that you are there, from the waiting list, too. Who has not when it starts does not take part."""
    record = current(request.services, tournament, request.now)
    require(request, Scope.PLAY)
    key = key_for(request, msgspec.to_builtins(body(request, Nothing, optional=True)))
    return _shown(request, flow.check_in(request.services, record, request.caller.player, key, request.now))
