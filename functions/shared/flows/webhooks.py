"""Webhooks as their owners make, change and end them."""

import re
from collections.abc import Callable

from engine.types import EpochMs
from functions.shared import ids
from functions.shared.delivery.signing import shown
from functions.shared.flows.accounts import own_profile
from functions.shared.flows.inbox import KEPT_MS
from functions.shared.flows.marks import Key, derived_secret, recall, to_remember
from functions.shared.flows.webhooks_setbacks import AWAKE_MS, woken
from functions.shared.problems import Problem, Rejected, busy, invalid, not_found
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.webhook_records import HookStatus, Webhook

LIMIT = 10

EVENT = r"\*|your-turn|invited|match-(started|finished)|rated|tournament-(\*|[a-z-]{1,40})"
"""A kind of event, or several: `*` is all, `tournament-*` all of tournaments."""

_EVENT = re.compile(EVENT)

CheckTarget = Callable[[str], None]
"""Raises `Rejected` (invalid-request) for the URL of a target that nothing may be sent to."""


def secret_of(services: Services, webhook: Webhook) -> bytes:
    """What a webhook's deliveries are signed with: 32 bytes, which are stored nowhere."""
    key = Key(webhook.player, webhook.mark, "", is_given=True)
    return derived_secret(services, key, "webhook", webhook.salt)


def shown_secret(services: Services, webhook: Webhook) -> str:
    """The secret as its owner gets it, once."""
    return shown(secret_of(services, webhook))


def wants(webhook: Webhook, kind: str) -> bool:
    """Whether a webhook is for events of this kind."""
    return any(one in ("*", kind) or (one[-1] == "*" and kind.startswith(one[:-1])) for one in webhook.events)


def checked_events(events: list[str]) -> tuple[str, ...]:
    """The kinds of events, each once. Raises `Rejected` (invalid-request)."""
    for number, event in enumerate(events):
        if not _EVENT.fullmatch(event):
            raise invalid(("events", str(number)), "is no kind of event; * is all of them")
    return tuple(dict.fromkeys(events))


def add(
    services: Services, player: str, url: str, events: tuple[str, ...], check: CheckTarget, key: Key, now: EpochMs
) -> tuple[Webhook, bool]:
    """A new webhook, and whether the request had been carried out before. Its target is sent a challenge, and when it
    has echoed that, what has come since now.

    Raises `Rejected`: unauthenticated (a closed account), key-reused, invalid-request, limit-reached.
    """
    owner = own_profile(services, player)
    known = recall(services, key, now)
    if known is not None:
        return _again(services, player, known[0]), True
    check(url)
    if len(services.webhooks.of_player(player)) >= LIMIT:
        raise Rejected(Problem.LIMIT_REACHED, f"you have {LIMIT} webhooks; end one first")
    webhook = Webhook(
        id=ids.new(ids.WEBHOOK, now, services.random_bytes),
        player=player,
        url=url,
        events=events,
        created_at=now,
        mark=key.mark,
        salt=services.random_bytes(16).hex(),
        status=HookStatus.PENDING,
        live=False,
        cursor=f"{now:013d}",
        due=now + AWAKE_MS,
        woken=True,
    )
    try:
        services.webhooks.add(owner, webhook, to_remember(key, (webhook.id,), now))
    except ConflictError as conflict:
        known = recall(services, key, now)
        if known is None:
            raise busy() from conflict
        return _again(services, player, known[0]), True
    return webhook, False


def _again(services: Services, player: str, webhook_id: str) -> Webhook:
    webhook = services.webhooks.get(player, webhook_id)
    if webhook is None:
        raise not_found("webhook: it was made with this key and has ended")
    return webhook


def find(services: Services, player: str, webhook_id: str) -> Webhook:
    """A webhook of the player's. Raises `Rejected` (not-found)."""
    webhook = services.webhooks.get(player, webhook_id) if ids.is_id(ids.WEBHOOK, webhook_id) else None
    if webhook is None:
        raise not_found("webhook")
    return webhook


def remove(services: Services, webhook: Webhook) -> None:
    """Ends a webhook; a delivery that is under way may still arrive. If it was there when it was read and is gone by
    now, it has ended: by this very call, sent again by the SDK, as likely as by another request."""
    services.webhooks.remove(webhook)


def replay(services: Services, webhook: Webhook, since: EpochMs, key: Key, now: EpochMs) -> tuple[Webhook, bool]:
    """The webhook, which is sent again what its owner was told since then; and whether the request had been carried out
    before. One that was switched off has to echo a challenge first, and is on again.

    Raises `Rejected`: key-reused, invalid-request (not within the 30 days of the inbox), try-again.
    """
    if recall(services, key, now) is not None:
        return webhook, True
    if not now - KEPT_MS <= since <= now:
        raise invalid(("since",), "must lie within the last 30 days")
    place = f"{since:013d}"
    cursor = place if webhook.cursor is None else min(webhook.cursor, place)
    after = woken(webhook._replace(live=False, cursor=cursor), now)
    if webhook.status is HookStatus.DISABLED:
        after = after._replace(status=HookStatus.PENDING, failures=0)
    try:
        return services.webhooks.save(webhook, after, to_remember(key, (webhook.id,), now)), False
    except ConflictError as conflict:
        if recall(services, key, now) is None:
            raise busy() from conflict
        return webhook, True
