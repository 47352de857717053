"""Asserts of the suites' shared modules say what they compared, as those of test modules do."""

import sys
from collections.abc import Iterator

import pytest

for folder in ("delivery", "engine", "faults", "infra", "leaks", "service", "soak", "storage"):
    pytest.register_assert_rewrite(f"tests.{folder}")


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads switch every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)
