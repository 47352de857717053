"""Routes by which a tournament comes about and is organized."""

import msgspec

from functions.shared.flows.tournaments import creating
from functions.shared.http.answer import Answer
from functions.shared.http.keys import key_for
from functions.shared.http.request import Request, body, require
from functions.shared.problems import Problem
from functions.shared.render import tournament as render
from functions.shared.store.records import Scope
from functions.tournaments.bodies import (
    Cancellation,
    ChangedTournament,
    NewTournament,
    Nothing,
    changes_of,
    order_of,
    reason_of,
)
from functions.tournaments.common import ORGANIZING, app, organized, shown


@app.route(
    "POST",
    "/v1/tournaments",
    body=NewTournament,
    answers={201: render.TournamentBody},
    problems=(Problem.FORBIDDEN, Problem.LIMIT_REACHED, Problem.KEY_REUSED, Problem.TRY_AGAIN),
)
def create(request: Request) -> Answer:
    """Schedule a tournament. It starts by itself at `starts_at`, and you are its first organizer."""
    require(request, Scope.ORGANIZE)
    asked = body(request, NewTournament)
    order, key = order_of(asked), key_for(request, msgspec.to_builtins(asked))
    made = creating.create(request.services, request.caller.player, order, key, request.now)
    return shown(request, made.record, 201, replayed=made.replayed)


@app.route(
    "PATCH",
    "/v1/tournaments/{tournament}",
    body=ChangedTournament,
    answers={200: render.TournamentBody},
    problems=ORGANIZING,
)
def change(request: Request, tournament: str) -> Answer:
    """Change a tournament of yours. After its start: its name, and settings of rounds that have not begun."""
    record = organized(request, tournament)
    changes = changes_of(body(request, ChangedTournament))
    after = creating.change(request.services, record, request.caller.player, changes, request.now)
    return shown(request, after)


@app.route(
    "POST",
    "/v1/tournaments/{tournament}/cancel",
    body=Cancellation,
    body_optional=True,
    answers={200: render.TournamentBody},
    problems=(*ORGANIZING, Problem.KEY_REUSED),
)
def cancel(request: Request, tournament: str) -> Answer:
    """Cancel a tournament of yours. Matches that are played are aborted, everybody is told."""
    record = organized(request, tournament)
    asked = body(request, Cancellation, optional=True)
    reason = reason_of(asked.reason) if asked.reason else ""
    key = key_for(request, msgspec.to_builtins(asked))
    done = creating.cancel(request.services, record, request.caller.player, reason, key, request.now)
    return shown(request, done.record, replayed=done.replayed)


@app.route(
    "POST",
    "/v1/tournaments/{tournament}/start",
    body=Nothing,
    body_optional=True,
    answers={200: render.TournamentBody},
    problems=(*ORGANIZING, Problem.KEY_REUSED),
)
def start(request: Request, tournament: str) -> Answer:
    """Start a tournament of yours now, before its time."""
    record = organized(request, tournament)
    key = key_for(request, msgspec.to_builtins(body(request, Nothing, optional=True)))
    done = creating.start_now(request.services, record, request.caller.player, key, request.now)
    return shown(request, done.record, replayed=done.replayed)


@app.route(
    "POST",
    "/v1/tournaments/{tournament}/organizers/{player}",
    body=Nothing,
    body_optional=True,
    answers={200: render.TournamentBody},
    problems=(*ORGANIZING, Problem.LIMIT_REACHED, Problem.KEY_REUSED),
)
def add_organizer(request: Request, tournament: str, player: str) -> Answer:
    """Make a player an organizer of your tournament, too."""
    record = organized(request, tournament)
    key = key_for(request, msgspec.to_builtins(body(request, Nothing, optional=True)))
    done = creating.add_organizer(request.services, record, request.caller.player, player, key, request.now)
    return shown(request, done.record, replayed=done.replayed)


@app.route(
    "DELETE",
    "/v1/tournaments/{tournament}/organizers/{player}",
    answers={200: render.TournamentBody},
    problems=ORGANIZING,
)
def remove_organizer(request: Request, tournament: str, player: str) -> Answer:
    """Take a player from the organizers of your tournament. Whoever created it stays."""
    record = organized(request, tournament)
    after = creating.remove_organizer(request.services, record, request.caller.player, player, request.now)
    return shown(request, after)
