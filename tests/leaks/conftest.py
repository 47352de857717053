"""Asserts of the suite's helpers say what they compared, as those of test modules do."""

from collections.abc import Iterator

import pytest

for helper in ("stage", "routes", "worlds", "scenes", "asking", "canaries"):
    pytest.register_assert_rewrite(f"tests.leaks.{helper}")
for helper in ("adapters", "cases", "conformance", "neighbours", "walks"):
    pytest.register_assert_rewrite(f"tests.engine.{helper}")

from tests.leaks.scenes import neighbours  # noqa: E402
from tests.leaks.stage import Stage, staged  # noqa: E402


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """A service with players, who are in a few other matches."""
    with staged() as running:
        for record in neighbours():
            running.add(record)
        running.empty_inboxes()
        yield running
