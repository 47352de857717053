"""Asserts of the suites' shared modules say what they compared, as those of test modules do."""

import gc
import sys
from collections.abc import Iterator

import pytest

from functions.shared.store import packing
from tests.kept import Kept

for folder in ("delivery", "engine", "faults", "infra", "leaks", "service", "soak", "storage"):
    pytest.register_assert_rewrite(f"tests.{folder}")


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads switch every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def pytest_collection_finish() -> None:
    """What has been collected stays to the end: no collection of garbage has to walk through it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


packing._kept = Kept()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What failed out of every test's sight fails the run."""
    if Kept.unlike:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        sys.stderr.write(f"{Kept.unlike} times a kept record was not what its body says\n")
