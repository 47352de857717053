"""A player's inbox."""

from typing import NamedTuple

from engine.types import EpochMs
from functions.shared.store.ports import Services
from functions.shared.store.records import Notice

KEPT_MS = 30 * 86_400_000
"""What is older is not shown any more, though the store may be slow to drop it."""

SETTLED_MS = 30_000
"""What was inserted less than this ago may still get company before it: no cursor points past it."""


class Told(NamedTuple):
    """A page of an inbox, and where to go on."""

    notices: tuple[Notice, ...]
    next: str


def read(services: Services, player: str, after: str | None, limit: int, now: EpochMs) -> Told:
    """Notices after a place in the order of insertion. The next place never lies within the last 30 s, so what comes
    in between is not missed; what is read twice has the same id."""
    start = after or ""
    oldest = f"{now - KEPT_MS:013d}"
    page = services.inbox.read(player, max(start, oldest), limit)
    settled = f"{now - SETTLED_MS:013d}"
    reached = [place for place in page.places if place < settled]
    return Told(page.notices, reached[-1] if reached else start)
