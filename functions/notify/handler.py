"""Reads the players stream and sends webhooks what came into their owners' inboxes: at least once."""

from functools import partial
from typing import Any

from functions.shared import settings, wiring
from functions.shared.clock import now
from functions.shared.delivery.sending import send_all
from functions.shared.flows.webhooks_deliver import deliver
from functions.shared.log import count, logger, publish
from functions.shared.store import webhooks


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Delivers; gives the records that have to come again. What a target refuses is not among them."""
    records = [(record["dynamodb"], webhooks.change(record["dynamodb"])) for record in event["Records"]]
    try:
        send = partial(send_all, loopback=settings.may_reach_loopback())
        report = deliver(wiring.services(), [change for _, change in records if change is not None], send, now())
        count("WebhookMessages", report.sent)
        if report.undone:
            logger.warning("not delivered yet", extra={"players": len(report.undone)})
            count("NotifyRetries")
        again = [record for record, change in records if change is not None and change.player in report.undone]
        return {"batchItemFailures": [{"itemIdentifier": record["SequenceNumber"]} for record in again]}
    finally:
        publish()
