"""Routes under /v1/players."""

from typing import Annotated

import msgspec

from engine.games import IDS
from engine.match.record import Status
from functions.players.common import Name, NewPlayer, app
from functions.shared.flows import accounts, lists
from functions.shared.flows.marks import Key, key_of
from functions.shared.http import identity
from functions.shared.http.answer import Answer
from functions.shared.http.request import Request, body, idempotency_key, params, require
from functions.shared.problems import Problem, malformed
from functions.shared.render import match as match_render
from functions.shared.render import player as render
from functions.shared.store.records import Profile, Scope

RECENT = 10


class Recovery(msgspec.Struct, forbid_unknown_fields=True):
    """A name and its one-time code."""

    name: Name
    recovery_code: Annotated[str, msgspec.Meta(max_length=100)]


def _anonymous_key(request: Request, content: object) -> Key:
    """The key of a request without a token: it must be long to show a secret again."""
    given = idempotency_key(request)
    is_safe = given is not None and len(given) >= accounts.LONG_KEY
    return key_of(request.services, "", request.route, given if is_safe else None, content)


@app.route(
    "POST",
    "/v1/players",
    token=False,
    body=NewPlayer,
    answers={201: render.WelcomeBody},
    problems=(Problem.NAME_TAKEN, Problem.KEY_REUSED),
)
def register(request: Request) -> Answer:
    """Create a player. The token and the recovery code are shown once."""
    asked = body(request, NewPlayer)
    key = _anonymous_key(request, msgspec.to_builtins(asked))
    made = accounts.register(request.services, asked.name, key, request.now)
    location = f"/v1/players/{made.profile.id}"
    return Answer(render.welcome(made), 201, replayed=made.replayed, location=location)


@app.route(
    "POST",
    "/v1/players/recover",
    token=False,
    body=Recovery,
    answers={200: render.WelcomeBody},
    problems=(Problem.UNAUTHENTICATED, Problem.KEY_REUSED),
)
def recover(request: Request) -> Answer:
    """Trade the recovery code for a new token and a new code. The old tokens end."""
    asked = body(request, Recovery)
    key = _anonymous_key(request, msgspec.to_builtins(asked))
    made = accounts.recover(request.services, asked.name, asked.recovery_code, key, request.now)
    identity.forget()
    return Answer(render.welcome(made), replayed=made.replayed)


@app.route(
    "GET",
    "/v1/players",
    token=False,
    answers={200: render.PublicProfile},
    query={"name": "the name of a player"},
    problems=(Problem.NOT_FOUND, Problem.FORBIDDEN),
)
def find(request: Request) -> Answer:
    """Find a player by name, ignoring case."""
    name = params(request).get("name")
    if name is None:
        require(request, Scope.READ)
        raise malformed("name is needed: GET /v1/players?name=")
    return _public(request, accounts.find_by_name(request.services, name))


@app.route(
    "GET",
    "/v1/players/{player}",
    token=False,
    answers={200: render.PublicProfile},
    problems=(Problem.NOT_FOUND, Problem.FORBIDDEN),
)
def read(request: Request, player: str) -> Answer:
    """Read a player's public profile."""
    return _public(request, accounts.profile_of(request.services, player))


def _public(request: Request, profile: Profile) -> Answer:
    require(request, Scope.READ)
    wanted = lists.Wanted(request.player, Status.FINISHED, player=profile.id, limit=RECENT)
    recent = lists.matches(request.services, wanted, None).records
    heads = [match_render.head(record, request.player, request.now) for record in recent]
    ratings = request.services.ladder.of_player(profile.id, IDS)
    return Answer(render.public_profile(profile, ratings, heads))
