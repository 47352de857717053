"""Asserts of the suites' shared modules say what they compared, as those of test modules do."""

import gc
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from functions.shared.store import packing
from tests.kept import Kept

for folder in ("delivery", "engine", "faults", "infra", "leaks", "service", "soak", "storage"):
    pytest.register_assert_rewrite(f"tests.{folder}")


# Each run tries properties with the same examples: no change is refused by a chance of the day. `make soak` takes new
# ones.
settings.register_profile("same", derandomize=True)
settings.register_profile("anew", max_examples=500)
settings.load_profile("same")


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
