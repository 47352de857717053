"""The route of an organizer's ruling."""

import msgspec

from functions.shared.flows.tournaments import ruling
from functions.shared.flows.tournaments.current import current
from functions.shared.http.answer import Answer
from functions.shared.http.keys import key_for
from functions.shared.http.request import Request, body, flag
from functions.shared.problems import Problem
from functions.shared.render import tournament_bracket as render
from functions.tournaments.bodies import NewResult, reason_of
from functions.tournaments.common import app, names_of, organized


@app.route(
    "POST",
    "/v1/tournaments/{tournament}/pairings/{pairing}/result",
    body=NewResult,
    answers={200: render.RulingBody},
    query={"dry_run": "true: nothing happens; the answer says which followers it would undo"},
    problems=(Problem.NOT_FOUND, Problem.FORBIDDEN, Problem.CONFLICT, Problem.KEY_REUSED, Problem.TRY_AGAIN),
)
def rule(request: Request, tournament: str, pairing: str) -> Answer:
    """Settle a pairing of your tournament, or overturn its result. Followers that have begun are undone with `cascade`
    only. It moves the bracket, never a rating."""
    ruling.find_pairing(request.services, current(request.services, tournament, request.now), pairing)
    record = organized(request, tournament)
    is_dry = flag(request, "dry_run")
    asked = body(request, NewResult)
    reason = reason_of(asked.reason)
    ranks, caller = tuple(asked.ranks), request.caller.player
    key = key_for(request, msgspec.to_builtins(asked))
    if is_dry:
        impact = ruling.impact(request.services, record, caller, pairing, ranks)
        return Answer(render.dry_run(record, impact), server_time=request.now)
    ruled = ruling.rule(request.services, record, caller, pairing, ranks, reason, asked.cascade, key, request.now)
    names = names_of(request, render.players(ruled.pairing))
    shown = render.ruled(ruled.record, ruled.pairing, names)
    return Answer(shown, replayed=ruled.replayed, server_time=request.now)
