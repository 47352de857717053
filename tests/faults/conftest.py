"""Worlds to break things in, and the whole service over HTTP."""

from collections.abc import Iterator

import pytest

from infra.local.service import LocalService
from tests.faults import world as worlds
from tests.faults.world import World

worlds.prepare()


@pytest.fixture
def world() -> Iterator[World]:
    """The functions over an empty store."""
    with worlds.running() as running:
        yield running


@pytest.fixture(scope="module")
def service() -> Iterator[LocalService]:
    """The whole service over HTTP, with a clock that stands still until a test moves it."""
    running = LocalService(manual_clock=True)
    running.start()
    yield running
    running.stop()
