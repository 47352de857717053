"""Webhooks as their owners see them."""

import msgspec

from functions.shared.clock import rfc3339
from functions.shared.store.webhook_records import HookStatus, Webhook


class FailureBody(msgspec.Struct):
    """When a delivery failed the last time, and why."""

    at: str
    reason: str


class WebhookBody(msgspec.Struct):
    """A webhook, less its secret. One that is `pending` waits for its target to echo a challenge, one that is
    `disabled` has failed too often; `failures` counts the tries since the last success."""

    id: str
    url: str
    events: list[str]
    status: HookStatus
    created_at: str
    failures: int
    last_failure: FailureBody | None
    next_try_at: str | None


class NewWebhookBody(WebhookBody):
    """A webhook, with the secret that is shown once."""

    secret: str


def body(webhook: Webhook) -> WebhookBody:
    """A webhook to its owner."""
    return WebhookBody(*_fields(webhook))


def new(webhook: Webhook, secret: str) -> NewWebhookBody:
    """A webhook when it is made."""
    return NewWebhookBody(*_fields(webhook), secret)


def _fields(webhook: Webhook) -> tuple[str, str, list[str], HookStatus, str, int, FailureBody | None, str | None]:
    failure = FailureBody(rfc3339(webhook.failed_at), webhook.failure) if webhook.failed_at else None
    next_try = webhook.due if webhook.failures and not webhook.woken else None
    return (
        webhook.id,
        webhook.url,
        list(webhook.events),
        webhook.status,
        rfc3339(webhook.created_at),
        webhook.failures,
        failure,
        None if next_try is None else rfc3339(next_try),
    )
