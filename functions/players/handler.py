"""Routes of players: /v1/players and /v1/me."""

from typing import Annotated

import msgspec

from engine.match.record import Status
from functions.shared.flows import accounts, lists
from functions.shared.flows.marks import Key, key_of
from functions.shared.http import identity
from functions.shared.http.answer import Answer, Items
from functions.shared.http.app import App
from functions.shared.http.request import Request, body, idempotency_key, params, require
from functions.shared.problems import Problem, malformed
from functions.shared.render import match as match_render
from functions.shared.render import player as render
from functions.shared.store.records import Profile, Scope

app = App()
handler = app.handle

RECENT = 10

Name = Annotated[str, msgspec.Meta(max_length=100)]


class NewPlayer(msgspec.Struct, forbid_unknown_fields=True):
    """The name of a player: 2 to 24 ASCII letters, digits, `_` or `-`."""

    name: Name


class Recovery(msgspec.Struct, forbid_unknown_fields=True):
    """A name and its one-time code."""

    name: Name
    recovery_code: Annotated[str, msgspec.Meta(max_length=100)]


class NewToken(msgspec.Struct, forbid_unknown_fields=True):
    """A token with some of the caller's scopes; `expires_in` is in seconds."""

    scopes: Annotated[list[Scope], msgspec.Meta(min_length=1, max_length=5)]
    label: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    expires_in: Annotated[int, msgspec.Meta(ge=60, le=366 * 86_400)] | None = None


def _anonymous_key(request: Request, content: object) -> Key:
    """The key of a request without a token: it must be long to show a secret again."""
    given = idempotency_key(request)
    is_safe = given is not None and len(given) >= accounts.LONG_KEY
    return key_of(request.services, "", request.route, given if is_safe else None, content)


def _account(request: Request) -> accounts.Identity:
    require(request, Scope.ACCOUNT)
    return request.caller


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
    shown = render.player(profile)
    return Answer(render.PublicProfile(shown.id, shown.name, shown.created_at, heads))


@app.route("GET", "/v1/me", answers={200: render.PlayerBody}, problems=(Problem.FORBIDDEN,))
def me(request: Request) -> Answer:
    """Read your own profile."""
    require(request, Scope.READ)
    return Answer(render.player(accounts.profile_of(request.services, request.caller.player)))


@app.route(
    "PATCH",
    "/v1/me",
    body=NewPlayer,
    answers={200: render.PlayerBody},
    problems=(Problem.FORBIDDEN, Problem.NAME_TAKEN),
)
def rename(request: Request) -> Answer:
    """Change your name. Matches keep showing the one of when you sat down."""
    player = _account(request).player
    asked = body(request, NewPlayer)
    return Answer(render.player(accounts.rename(request.services, player, asked.name)))


@app.route(
    "POST",
    "/v1/me/tokens",
    body=NewToken,
    answers={201: render.NewTokenBody},
    problems=(Problem.FORBIDDEN, Problem.LIMIT_REACHED, Problem.KEY_REUSED, Problem.NOT_FOUND),
)
def add_token(request: Request) -> Answer:
    """Make one more token. Its secret is shown once."""
    caller = _account(request)
    asked = body(request, NewToken)
    label = accounts.checked_label(asked.label)
    content = msgspec.to_builtins(asked)
    key = key_of(request.services, caller.player, request.route, idempotency_key(request), content)
    scopes = tuple(dict.fromkeys(asked.scopes))
    token, secret, replayed = accounts.add_token(
        request.services, caller, scopes, label, asked.expires_in, key, request.now
    )
    return Answer(render.new_token(token, secret), 201, replayed=replayed)


@app.route("GET", "/v1/me/tokens", answers={200: Items[render.TokenBody]}, problems=(Problem.FORBIDDEN,))
def list_tokens(request: Request) -> Answer:
    """List your tokens, without their secrets."""
    tokens = request.services.players.tokens(_account(request).player)
    live = [token for token in tokens if token.expires_at is None or token.expires_at > request.now]
    return Answer(Items([render.token_body(token) for token in live], None))


@app.route("DELETE", "/v1/me/tokens/{token}", answers={204: None}, problems=(Problem.FORBIDDEN, Problem.NOT_FOUND))
def revoke(request: Request, token: str) -> Answer:
    """End a token. It fails within a minute."""
    accounts.revoke(request.services, _account(request).player, token)
    identity.forget()
    return Answer(None, 204)
