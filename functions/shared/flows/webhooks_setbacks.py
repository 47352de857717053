"""Webhooks whose deliveries fail: when they are tried again, and when no more."""

from engine.types import EpochMs
from functions.shared.delivery.parcels import Failure
from functions.shared.log import count, logger
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.webhook_records import HookStatus, Webhook

MINUTE_MS = 60_000

WAITS_MS = tuple(MINUTE_MS * minutes for minutes in (1, 5, 30, 120, 300, 600, 840, 1200, 1440))
"""How long a target is left alone after its first failure, its second, …; after one more it is switched off."""

LEFT_OUT_AT = 5
"""The failure at which a message that its target refuses is left out, lest it be in the way of the others for ever."""

AWAKE_MS = 300_000
"""After so long a webhook that was woken and has not said what came of it is woken again."""

_ATTEMPTS = 5


def woken(webhook: Webhook, now: EpochMs) -> Webhook:
    """The webhook, to go on at once; by the referee's doing when nobody does."""
    return webhook._replace(woken=True, due=now + AWAKE_MS)


def failed(webhook: Webhook, failure: Failure, now: EpochMs) -> Webhook:
    """The webhook after one more failure: it is tried again later, or switched off."""
    failures = webhook.failures + 1
    logger.info("a webhook failed", extra={"webhook": webhook.id, "why": failure.reason, "failures": failures})
    count("WebhookFailures")
    after = webhook._replace(live=False, woken=False, failures=failures, failed_at=now, failure=failure.reason)
    if failure.gone or failures > len(WAITS_MS):
        count("WebhooksSwitchedOff")
        return after._replace(status=HookStatus.DISABLED, cursor=None, due=None)
    return after._replace(due=now + WAITS_MS[failures - 1])


def fall_behind(services: Services, webhook: Webhook, place: str, failure: Failure | None, now: EpochMs) -> None:
    """Leaves an event, and what comes after it, to be delivered from the inbox: it failed, or there was no time for it
    (no failure); or the webhook is behind already, and the event came into the inbox late, before its cursor.

    Raises `ConflictError` when others keep writing.
    """
    current: Webhook | None = webhook
    for _ in range(_ATTEMPTS):
        if current is None or current.status is HookStatus.DISABLED:
            return
        behind = _behind(current, place, failure, now)
        if behind is None:
            return
        try:
            services.webhooks.save(current, behind)
        except ConflictError:
            current = services.webhooks.get(current.player, current.id)
            continue
        return
    raise ConflictError(webhook.id)


def _behind(webhook: Webhook, place: str, failure: Failure | None, now: EpochMs) -> Webhook | None:
    """The webhook with the event before it; None when it is."""
    before = place[:-1]  # a place is longer than any other that could stand between
    cursor = before if webhook.cursor is None else min(webhook.cursor, before)
    if not webhook.live:
        return None if cursor == webhook.cursor else webhook._replace(cursor=cursor)
    behind = webhook._replace(live=False, cursor=cursor)
    return woken(behind, now) if failure is None else failed(behind, failure, now)
