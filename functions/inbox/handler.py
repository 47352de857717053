"""Reads the matches stream and puts what it means to players into their inboxes: at least once, in order per match."""

import base64
from typing import Any

from functions.shared import wiring
from functions.shared.clock import now
from functions.shared.log import count, logger, publish
from functions.shared.store import notices, packing
from functions.shared.store.ports import UnavailableError
from functions.shared.store.records import Notice


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Tells the players of each write; when that fails, all of the records have to come again."""
    records = [record["dynamodb"] for record in event["Records"]]
    try:
        told = [one for record in records for one in _told(record)]
        wiring.services().inbox.put(told, now(), records[0]["SequenceNumber"])
        count("Notices", len(told))
        return {"batchItemFailures": []}
    except UnavailableError:
        logger.warning("not told yet")
        count("InboxRetries")
        return {"batchItemFailures": [{"itemIdentifier": records[0]["SequenceNumber"]}]}
    finally:
        publish()


def _told(record: dict[str, Any]) -> list[tuple[str, Notice]]:
    image = record["NewImage"]
    match = packing.unpack(base64.b64decode(image["body"]["B"]), int(image["v"]["N"]), None, log=False)
    return notices.notices(match, image["news"]["S"].split(","))
