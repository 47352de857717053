"""What the routes of matches share."""

from typing import Any

from functions.shared.flows import play
from functions.shared.flows.visibility import find_for
from functions.shared.http.answer import Answer
from functions.shared.http.app import App
from functions.shared.http.request import Request, require
from functions.shared.problems import Problem
from functions.shared.render import match as render
from functions.shared.store.records import MatchRecord, Scope

app = App()

READING = (Problem.NOT_FOUND, Problem.FORBIDDEN)


def answered(request: Request, outcome: play.Outcome, status: int = 200) -> Answer:
    """What a request made of a match, as the caller sees it now."""
    record = play.current(request.services, outcome.record, request.now)
    location = f"/v1/matches/{record.match.id}" if status == 201 else None
    return shown_match(request, record, status=status, replayed=outcome.replayed, location=location)


def shown_match(request: Request, record: MatchRecord, **more: Any) -> Answer:
    """A match as the caller sees it; `more` is what else stands in the answer."""
    shown = render.body(record, request.player, request.now)
    return Answer(shown, server_time=request.now, poll_after=render.poll_after(record, request.now), **more)


def visible_match(request: Request, match: str) -> MatchRecord:
    """The match as it is stored, for who may see it. Raises `Rejected` (not-found)."""
    return find_for(request.services, match, request.player)


def current_match(request: Request, match: str) -> MatchRecord:
    """The match at this moment, for who may see it."""
    record = visible_match(request, match)
    require(request, Scope.READ)
    return play.current(request.services, record, request.now)
