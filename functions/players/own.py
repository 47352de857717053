"""Routes under /v1/me: the own profile, what concerns its player, and being away."""

from typing import Annotated

import msgspec

from engine.games import IDS
from functions.players.common import NewPlayer, account, app
from functions.shared.flows import absence, accounts, inbox
from functions.shared.http import cursors, identity
from functions.shared.http.answer import Answer, Items
from functions.shared.http.keys import key_for
from functions.shared.http.request import Request, body, limit, require
from functions.shared.problems import Problem
from functions.shared.render import player as render
from functions.shared.render.event import EventBody, event
from functions.shared.store.records import Profile, Scope

EVENTS_POLL_S = 30


class NewVacation(msgspec.Struct, forbid_unknown_fields=True):
    """Days of vacation, from now on."""

    days: Annotated[int, msgspec.Meta(ge=1, le=absence.DAYS_A_YEAR)]


@app.route("GET", "/v1/me", answers={200: render.ProfileBody}, problems=(Problem.FORBIDDEN,))
def me(request: Request) -> Answer:
    """Read your own profile."""
    require(request, Scope.READ)
    return _own(request, accounts.own_profile(request.services, request.caller.player))


def _own(request: Request, profile: Profile) -> Answer:
    return Answer(render.profile(profile, request.services.ladder.of_player(profile.id, IDS)))


@app.route(
    "PATCH",
    "/v1/me",
    body=NewPlayer,
    answers={200: render.ProfileBody},
    problems=(Problem.FORBIDDEN, Problem.NAME_TAKEN),
)
def rename(request: Request) -> Answer:
    """Change your name. Matches keep showing the one of when you sat down."""
    player = account(request).player
    asked = body(request, NewPlayer)
    return _own(request, accounts.rename(request.services, player, asked.name))


@app.route("DELETE", "/v1/me", answers={204: None}, problems=(Problem.FORBIDDEN, Problem.TRY_AGAIN))
def close(request: Request) -> Answer:
    """Close your account. Your tokens end, your matches are forfeited, your name is shown as `deleted`."""
    absence.close_account(request.services, account(request).player, request.now)
    identity.forget()
    return Answer(None, 204)


@app.route(
    "GET",
    "/v1/me/events",
    answers={200: Items[EventBody]},
    query={
        "after": "the next_cursor of the page before; without it, from the oldest of 30 days",
        "limit": "items on a page, 1 to 100; 20 by default",
    },
    problems=(Problem.FORBIDDEN,),
)
def events(request: Request) -> Answer:
    """Read what concerns you, in the order of insertion. An event may come twice, with the same `id`."""
    require(request, Scope.READ)
    after = cursors.position(request, "after")
    told = inbox.read(request.services, request.caller.player, after, limit(request), request.now)
    body_ = Items([event(one) for one in told.notices], cursors.seal(request, told.next, "after"))
    return Answer(body_, server_time=request.now, poll_after=EVENTS_POLL_S)


@app.route("GET", "/v1/me/vacation", answers={200: render.VacationBody}, problems=(Problem.FORBIDDEN,))
def read_vacation(request: Request) -> Answer:
    """Read your vacation, and how many days are left this year."""
    require(request, Scope.READ)
    profile = accounts.own_profile(request.services, request.caller.player)
    return Answer(render.vacation(profile, request.now))


@app.route(
    "POST",
    "/v1/me/vacation",
    body=NewVacation,
    answers={200: render.VacationBody},
    problems=(Problem.FORBIDDEN, Problem.CONFLICT, Problem.LIMIT_REACHED, Problem.KEY_REUSED, Problem.TRY_AGAIN),
)
def begin_vacation(request: Request) -> Answer:
    """Go on vacation from now on: your clocks of a day a move and slower stand still."""
    player = _playing(request)
    days = body(request, NewVacation).days
    key = key_for(request, {"days": days})
    profile, replayed = absence.begin_vacation(request.services, player, days, key, request.now)
    return Answer(render.vacation(profile, request.now), replayed=replayed)


@app.route(
    "DELETE", "/v1/me/vacation", answers={200: render.VacationBody}, problems=(Problem.FORBIDDEN, Problem.TRY_AGAIN)
)
def end_vacation(request: Request) -> Answer:
    """Come back: your clocks run on, and whole days that you did not use are given back."""
    player = _playing(request)
    return Answer(render.vacation(absence.end_vacation(request.services, player, request.now), request.now))


def _playing(request: Request) -> str:
    require(request, Scope.PLAY)
    return request.caller.player
