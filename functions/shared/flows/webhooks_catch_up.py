"""A webhook that is behind: what stands in the inbox after its cursor goes out in order, until it is live again.

Nothing may slip through between the two ways of delivery. An event that comes while the webhook is not live is left to
this one, without a write. So the webhook becomes live first, keeping its cursor, and the inbox is read once more from
there: what came before that moment stands in it, and what comes later goes out by itself. Only then is the cursor
given up. It never moves within the last 30 s, in which events may still come in before others.
"""

from typing import NamedTuple

import msgspec

from engine.types import EpochMs
from functions.shared import ids
from functions.shared.clock import rfc3339
from functions.shared.delivery.parcels import Message, Outcome, Parcel
from functions.shared.flows.inbox import SETTLED_MS
from functions.shared.flows.webhooks import secret_of, wants
from functions.shared.flows.webhooks_setbacks import AWAKE_MS, LEFT_OUT_AT, MINUTE_MS, failed, woken
from functions.shared.render.event import event
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import Notice
from functions.shared.store.webhook_records import HookStatus, Webhook

PAGE = 50
PAGES = 20
"""Pages that are read for one parcel."""


class CatchUp(NamedTuple):
    """How far a webhook has come in one run."""

    webhook: Webhook
    parcel: Parcel
    """What is to be sent next."""
    places: tuple[str, ...] = ()
    """Those of its messages."""
    start: str = ""
    """Everything up to this place is done."""
    end: str = ""
    """Where the inbox was read to."""
    more: bool = False
    """Whether it goes on after that."""
    done: frozenset[str] = frozenset()
    """The places of what was sent in this run."""


def message_of(notice: Notice) -> Message:
    """An event as it is sent: as the inbox shows it."""
    return Message(notice.id, msgspec.json.encode(event(notice)))


def begin(services: Services, player: str, webhook_id: str, now: EpochMs) -> CatchUp | None:
    """What a webhook that was woken has to send; None when nobody waits for it any more."""
    webhook = services.webhooks.get(player, webhook_id)
    if webhook is None or not webhook.woken or webhook.cursor is None:
        return None
    parcel = Parcel(webhook.url, secret_of(services, webhook), ())
    run = CatchUp(webhook, parcel, start=webhook.cursor, end=webhook.cursor, more=True)
    if webhook.status is HookStatus.PENDING:
        return run._replace(parcel=_challenge(services, parcel, now))
    return _next(services, run, now)


def go_on(services: Services, run: CatchUp, outcome: Outcome, now: EpochMs) -> CatchUp | None:
    """Takes note of what came of a parcel; what is to be sent next, or None when the run is over.

    When somebody else writes at the same moment, it is over: who has changed the webhook has woken it, or goes on.
    """
    try:
        if outcome.failure is None and outcome.sent == len(run.parcel.messages):
            return _next(services, _taken(run), now)
        _stop(services, run, outcome, now)
    except ConflictError:
        pass
    return None


def leave(services: Services, run: CatchUp, now: EpochMs) -> None:
    """Ends a run that may not go on: the next one does."""
    try:
        _stop(services, run, Outcome(0), now)
    except ConflictError:
        return  # as in `go_on`


def _challenge(services: Services, parcel: Parcel, now: EpochMs) -> Parcel:
    text = services.random_bytes(16).hex()
    body = {"id": ids.new("evt_", now, services.random_bytes), "type": "challenge", "at": rfc3339(now)}
    message = Message(body["id"], msgspec.json.encode(body | {"challenge": text}))
    return parcel._replace(messages=(message,), challenge=text)


def _taken(run: CatchUp) -> CatchUp:
    """The run when all of its parcel has arrived."""
    if run.parcel.challenge:
        return run._replace(webhook=run.webhook._replace(status=HookStatus.ACTIVE, failures=0))
    return run._replace(done=run.done.union(run.places))


def _next(services: Services, run: CatchUp, now: EpochMs) -> CatchUp | None:
    """The run with the next parcel, which is empty when long stretches of the inbox have nothing for the webhook; None
    when it is at its end."""
    for _ in range(PAGES):
        turned = _turned(services, run, now)
        if turned is None:
            return None
        run = _read(services, turned)
        if run.parcel.messages:
            break
    return run


def _turned(services: Services, run: CatchUp, now: EpochMs) -> CatchUp | None:
    """Where the inbox is read from next, when all that was read of it is done."""
    if run.more:
        return run._replace(start=run.end)
    webhook = run.webhook._replace(woken=False, failures=0 if run.done else run.webhook.failures)
    if webhook.live:
        services.webhooks.save(run.webhook, webhook._replace(cursor=None, due=None))
        return None
    live = services.webhooks.save(run.webhook, webhook._replace(live=True, due=now + AWAKE_MS))
    return run._replace(webhook=live, start=live.cursor or "")


def _read(services: Services, run: CatchUp) -> CatchUp:
    page = services.inbox.read(run.webhook.player, run.start, PAGE)
    wanted = [
        (place, notice)
        for place, notice in zip(page.places, page.notices, strict=True)
        if place not in run.done and wants(run.webhook, notice.type)
    ]
    messages = tuple(message_of(notice) for _, notice in wanted)
    return run._replace(
        parcel=run.parcel._replace(messages=messages, challenge=""),
        places=tuple(place for place, _ in wanted),
        end=page.places[-1] if page.places else run.start,
        more=page.more,
    )


def _stop(services: Services, run: CatchUp, outcome: Outcome, now: EpochMs) -> None:
    """Stores how far the run has come, and when the next one begins."""
    before, failure = run.webhook, outcome.failure
    has_succeeded = bool(run.done) or outcome.sent > 0
    webhook = before._replace(live=False, failures=0 if has_succeeded else before.failures)
    is_left_out = (
        failure is not None and failure.answered and webhook.failures + 1 == LEFT_OUT_AT and not run.parcel.challenge
    )
    reached = run.places[: outcome.sent + is_left_out]
    settled = f"{now - SETTLED_MS:013d}"
    place = min(reached[-1] if reached else run.start, settled)
    webhook = webhook._replace(cursor=max(place, before.cursor or ""))
    moved = webhook.cursor != before.cursor
    if failure is not None:
        webhook = failed(webhook, failure, now)
        if is_left_out:
            webhook = woken(webhook, now)
    elif moved:
        webhook = woken(webhook, now)
    else:
        webhook = webhook._replace(woken=False, due=now + MINUTE_MS)
    services.webhooks.save(before, webhook)
