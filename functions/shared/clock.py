"""The time of the service, in one place so that the local service and tests can set it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache

from engine.types import EpochMs


def _system() -> EpochMs:
    return time.time_ns() // 1_000_000


source: Callable[[], EpochMs] = _system
"""Where `now` reads the time; a manual clock replaces it."""


def now() -> EpochMs:
    """The instant, in milliseconds."""
    return source()


@lru_cache(maxsize=4096)  # a match is shown many times with the same ones
def rfc3339(instant: EpochMs) -> str:
    """The instant as the API writes it: UTC, milliseconds, `Z`."""
    seconds, ms = divmod(instant, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat()[:19]}.{ms:03d}Z"
