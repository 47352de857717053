"""Asserts of the suite's helpers say what they compared, as those of test modules do."""

from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite(
    "tests.leaks.stage", "tests.leaks.routes", "tests.leaks.worlds", "tests.leaks.scenes", "tests.leaks.asking"
)

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
