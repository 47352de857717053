"""Runs every minute: passed deadlines, expired matches, ends that the stream has not settled."""

from typing import Any

from functions.shared import wiring
from functions.shared.clock import now
from functions.shared.flows.referee import sweep
from functions.shared.log import count, logger, publish

LIMIT = 1000
"""Matches a run. What is left is longest overdue, and first in the next run."""


def handler(event: dict[str, Any], context: Any) -> dict[str, int]:
    """Brings matches that are due up to now; gives how many, by what became of them."""
    try:
        done = {str(what): many for what, many in sweep(wiring.services(), now(), LIMIT).items()}
        for what, many in done.items():
            count(f"Due{what.title()}", many)
        count("RefereeRuns")
        logger.info("referee", extra={"done": done})
        return done
    finally:
        publish()
