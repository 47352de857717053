"""Routes under /v1/me/tokens."""

from typing import Annotated

import msgspec

from functions.players.common import account, app
from functions.shared.flows import accounts, texts
from functions.shared.http import identity
from functions.shared.http.answer import Answer, Items
from functions.shared.http.keys import key_for
from functions.shared.http.request import Request, body
from functions.shared.problems import Problem
from functions.shared.render import player as render
from functions.shared.store.records import Scope


class NewToken(msgspec.Struct, forbid_unknown_fields=True):
    """A token with some of the caller's scopes; `expires_in` is in seconds."""

    scopes: Annotated[list[Scope], msgspec.Meta(min_length=1, max_length=5)]
    label: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    expires_in: Annotated[int, msgspec.Meta(ge=60, le=366 * 86_400)] | None = None


@app.route(
    "POST",
    "/v1/me/tokens",
    body=NewToken,
    answers={201: render.NewTokenBody},
    problems=(Problem.FORBIDDEN, Problem.LIMIT_REACHED, Problem.KEY_REUSED, Problem.NOT_FOUND),
)
def add_token(request: Request) -> Answer:
    """Make one more token. Its secret is shown once."""
    caller = account(request)
    asked = body(request, NewToken)
    label = texts.checked("label", asked.label, accounts.LABEL)
    key = key_for(request, msgspec.to_builtins(asked))
    scopes = tuple(dict.fromkeys(asked.scopes))
    token, secret, replayed = accounts.add_token(
        request.services, caller, scopes, label, asked.expires_in, key, request.now
    )
    return Answer(render.new_token(token, secret), 201, replayed=replayed)


@app.route("GET", "/v1/me/tokens", answers={200: Items[render.TokenBody]}, problems=(Problem.FORBIDDEN,))
def list_tokens(request: Request) -> Answer:
    """List your tokens, without their secrets."""
    tokens = request.services.players.tokens(account(request).player)
    live = [token for token in tokens if token.expires_at is None or token.expires_at > request.now]
    return Answer(Items([render.token_body(token) for token in live], None))


@app.route("DELETE", "/v1/me/tokens/{token}", answers={204: None}, problems=(Problem.FORBIDDEN, Problem.NOT_FOUND))
def revoke(request: Request, token: str) -> Answer:
    """End a token. It fails within a minute."""
    accounts.revoke(request.services, account(request).player, token)
    identity.forget()
    return Answer(None, 204)
