"""The whole service over HTTP."""

from collections.abc import Iterator

import pytest

from infra.local.service import LocalService


@pytest.fixture
def service() -> Iterator[LocalService]:
    """A running service with a store of its own."""
    running = LocalService(loopback_webhooks=True)
    running.start()
    yield running
    running.stop()
