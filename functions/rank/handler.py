"""Reads the ladder's stream and counts the ratings that changed; every minute it publishes what was counted."""

from typing import Any

from functions.shared import wiring
from functions.shared.clock import now
from functions.shared.flows.count import count as count_ratings
from functions.shared.flows.count import every_minute
from functions.shared.log import count, logger, publish
from functions.shared.store.ladder_items import rating_of_image
from functions.shared.store.ports import ConflictError, UnavailableError


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Counts the ratings of the records, all of which have to come again when that fails; without records it is the
    schedule that calls."""
    records = [record["dynamodb"] for record in event.get("Records", ())]
    try:
        if not records:
            return _every_minute()
        counted = count_ratings(wiring.services(), [rating_of_image(record["NewImage"]) for record in records])
        count("RatingsCounted", counted)
        return {"batchItemFailures": []}
    except (ConflictError, UnavailableError):
        if not records:
            raise
        logger.warning("not counted yet")
        count("RankRetries")
        return {"batchItemFailures": [{"itemIdentifier": records[0]["SequenceNumber"]}]}
    finally:
        publish()


def _every_minute() -> dict[str, Any]:
    done = every_minute(wiring.services(), now())
    for what, many in done.items():
        count(f"Ratings{what.title()}", many)
    return done
