"""Reads the matches stream and settles what has ended. It may see a record late, twice, or out of order."""

from typing import Any

from functions.shared import wiring
from functions.shared.flows.settle import settle_by_id
from functions.shared.log import count, logger, publish
from functions.shared.store.ports import ConflictError, UnavailableError


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Settles each match that the records name; gives the first record that has to come again."""
    try:
        for record in event["Records"]:
            match_id = record["dynamodb"]["Keys"]["pk"]["S"].removeprefix("MAT#")
            try:
                settle_by_id(wiring.services(), match_id)
                count("MatchesSettled")
            except (ConflictError, UnavailableError):
                logger.warning("not settled yet", extra={"match": match_id})
                count("SettleRetries")
                return {"batchItemFailures": [{"itemIdentifier": record["dynamodb"]["SequenceNumber"]}]}
        return {"batchItemFailures": []}
    finally:
        publish()
