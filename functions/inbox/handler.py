"""Reads the matches stream and puts what it means to players into their inboxes: at least once, in order per match."""

import base64
from typing import Any

from functions.shared import wiring
from functions.shared.clock import now
from functions.shared.flows.inbox import notices
from functions.shared.log import count, logger, publish
from functions.shared.store import packing
from functions.shared.store.ports import UnavailableError
from functions.shared.store.records import MatchRecord


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Tells the players of each write; gives the first record that has to come again."""
    try:
        for record in event["Records"]:
            change = record["dynamodb"]
            told = notices(_image(change.get("OldImage")), _read(change["NewImage"]))
            try:
                if told:
                    wiring.services().inbox.put(told, now())
                    count("Notices", len(told))
            except UnavailableError:
                logger.warning("not told yet")
                count("InboxRetries")
                return {"batchItemFailures": [{"itemIdentifier": change["SequenceNumber"]}]}
        return {"batchItemFailures": []}
    finally:
        publish()


def _image(image: dict[str, Any] | None) -> MatchRecord | None:
    return None if image is None else _read(image)


def _read(image: dict[str, Any]) -> MatchRecord:
    return packing.unpack(base64.b64decode(image["body"]["B"]), int(image["v"]["N"]), None)
