"""Routes under /v1/webhooks."""

from datetime import datetime
from typing import Annotated

import msgspec

from functions.shared import settings
from functions.shared.delivery import targets
from functions.shared.delivery.targets import BadTarget
from functions.shared.flows import webhooks
from functions.shared.http.answer import Answer, Items
from functions.shared.http.app import App
from functions.shared.http.keys import key_for
from functions.shared.http.request import Request, body, require
from functions.shared.problems import Problem, invalid
from functions.shared.render import webhook as render
from functions.shared.store.records import Scope
from functions.shared.store.webhook_records import Webhook

app = App()
handler = app.handle

LOOKUP_S = 5.0

Event = Annotated[
    str,
    # `webhooks.checked_events` says better what is wrong than a schema does.
    msgspec.Meta(extra_json_schema={"pattern": f"^({webhooks.EVENT})$"}),
]


class NewWebhook(msgspec.Struct, forbid_unknown_fields=True):
    """Where events of these kinds are to go: https, port 443. `*` is every kind."""

    url: Annotated[str, msgspec.Meta(min_length=1, max_length=targets.LONGEST)]
    events: Annotated[list[Event], msgspec.Meta(min_length=1, max_length=20)]


class Replay(msgspec.Struct, forbid_unknown_fields=True):
    """From when on events are to be sent again: within the last 30 days."""

    since: Annotated[datetime, msgspec.Meta(tz=True)]


@app.route(
    "POST",
    "/v1/webhooks",
    body=NewWebhook,
    answers={201: render.NewWebhookBody},
    problems=(Problem.FORBIDDEN, Problem.LIMIT_REACHED, Problem.KEY_REUSED, Problem.NOT_FOUND),
)
def add(request: Request) -> Answer:
    """Have events sent to a URL. The secret that signs them is shown once. The URL is sent a challenge first, and has
    to say it again in its answer."""
    require(request, Scope.WEBHOOKS)
    asked = body(request, NewWebhook)
    events = webhooks.checked_events(asked.events)
    _parse(asked.url)
    key = key_for(request, msgspec.to_builtins(asked))
    webhook, replayed = webhooks.add(
        request.services, request.caller.player, asked.url, events, _check, key, request.now
    )
    shown = render.new(webhook, webhooks.shown_secret(request.services, webhook))
    return Answer(shown, 201, replayed=replayed, location=f"/v1/webhooks/{webhook.id}")


@app.route("GET", "/v1/webhooks", answers={200: Items[render.WebhookBody]}, problems=(Problem.FORBIDDEN,))
def list_webhooks(request: Request) -> Answer:
    """List your webhooks, without their secrets."""
    require(request, Scope.WEBHOOKS)
    found = request.services.webhooks.of_player(request.caller.player)
    return Answer(Items([render.body(webhook) for webhook in found], None))


@app.route(
    "GET",
    "/v1/webhooks/{webhook}",
    answers={200: render.WebhookBody},
    problems=(Problem.NOT_FOUND, Problem.FORBIDDEN),
)
def read(request: Request, webhook: str) -> Answer:
    """Read one of your webhooks: whether it works, and why it failed the last time."""
    return Answer(render.body(_own(request, webhook)))


@app.route("DELETE", "/v1/webhooks/{webhook}", answers={204: None}, problems=(Problem.NOT_FOUND, Problem.FORBIDDEN))
def remove(request: Request, webhook: str) -> Answer:
    """End a webhook. A delivery that is under way may still arrive."""
    webhooks.remove(request.services, _own(request, webhook))
    return Answer(None, 204)


@app.route(
    "POST",
    "/v1/webhooks/{webhook}/replay",
    body=Replay,
    answers={202: render.WebhookBody},
    problems=(Problem.NOT_FOUND, Problem.FORBIDDEN, Problem.KEY_REUSED, Problem.TRY_AGAIN),
)
def replay(request: Request, webhook: str) -> Answer:
    """Have events sent again, with the ids that they had. A webhook that was switched off has to echo a challenge once
    more, and is on again."""
    own = _own(request, webhook)
    since = body(request, Replay).since
    key = key_for(request, {"since": since.isoformat()})
    since_ms = int(since.timestamp() * 1000)
    after, replayed = webhooks.replay(request.services, own, since_ms, key, request.now)
    return Answer(render.body(after), 202, replayed=replayed)


def _own(request: Request, webhook_id: str) -> Webhook:
    """The caller's webhook. Raises `Rejected`: not-found, forbidden."""
    found = webhooks.find(request.services, request.caller.player, webhook_id)
    require(request, Scope.WEBHOOKS)
    return found


def _parse(url: str) -> targets.Target:
    try:
        return targets.parse(url, loopback=settings.may_reach_loopback())
    except BadTarget as error:
        raise invalid(("url",), str(error)) from error


def _check(url: str) -> None:
    """Looks the URL's name up, as each delivery will again. Raises `Rejected` (invalid-request)."""
    try:
        targets.addresses(_parse(url), targets.look_up, LOOKUP_S)
    except BadTarget as error:
        raise invalid(("url",), str(error)) from error
    except TimeoutError as error:
        raise invalid(("url",), "its name can't be looked up now") from error
