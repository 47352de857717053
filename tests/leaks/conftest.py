"""A running service with players, for the pairs of worlds that are stored in it."""

from collections.abc import Iterator

import pytest

from tests.leaks.scenes import neighbours
from tests.leaks.stage import Stage, staged


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """A service with players, who are in a few other matches."""
    with staged() as running:
        for record in neighbours():
            running.add(record)
        running.empty_inboxes()
        yield running
