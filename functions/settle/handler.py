"""Reads the streams of matches and tournaments: settles what has ended, goes on with what a tournament is in the middle
of. It may see a record late, twice, or out of order."""

from typing import Any

from functions.shared import wiring
from functions.shared.clock import now
from functions.shared.flows.settle import settle_by_id
from functions.shared.flows.tournaments.running import run
from functions.shared.log import count, logger, publish
from functions.shared.store.ports import ConflictError, UnavailableError


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Settles each match that the records name, and brings each tournament on by one call, whose last write is the next
    record; gives the first record that has to come again."""
    done = set()
    try:
        for record in event["Records"]:
            kind, _, item_id = record["dynamodb"]["Keys"]["pk"]["S"].partition("#")
            try:
                if item_id in done:
                    continue
                done.add(item_id)
                if kind == "TRN":
                    run(wiring.services(), item_id, now())
                    count("TournamentSteps")
                else:
                    settle_by_id(wiring.services(), item_id)
                    count("MatchesSettled")
            except (ConflictError, UnavailableError):
                logger.warning("not settled yet", extra={"item": item_id})
                count("SettleRetries")
                return {"batchItemFailures": [{"itemIdentifier": record["dynamodb"]["SequenceNumber"]}]}
        return {"batchItemFailures": []}
    finally:
        publish()
