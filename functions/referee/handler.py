"""Runs every minute: passed deadlines, expired matches, ends that the stream has not settled, jobs."""

from typing import Any

from functions.shared import wiring
from functions.shared.clock import now
from functions.shared.flows.referee import sweep
from functions.shared.log import count, logger, measure_ms, publish

LIMIT = 1000
"""Matches a run. What is left is first in the next one, which begins with another shard."""


def handler(event: dict[str, Any], context: Any) -> dict[str, int]:
    """Brings matches that are due up to now; gives how many, by what became of them."""
    try:
        run = sweep(wiring.services(), now(), LIMIT)
        done = {str(what): many for what, many in run.done.items()}
        for what, many in done.items():
            count(f"Due{what.title()}", many)
        count("RefereeRuns")
        measure_ms("RefereeLag", run.lag_ms)
        logger.info("referee", extra={"done": done, "lag_ms": run.lag_ms})
        return done
    finally:
        publish()
