"""One store for each test, and the functions over one."""

from collections.abc import Iterator

import pytest

from tests.faults import world as faults
from tests.faults.world import World
from tests.storage import backend, worlds
from tests.storage.backend import Store

backend.prepare()
faults.prepare()


def pytest_report_header() -> str:
    return f"storage over {backend.URL or 'the embedded DynamoDB'}"


@pytest.fixture
def store() -> Iterator[Store]:
    """An empty store."""
    with backend.opened() as opened:
        yield opened


@pytest.fixture
def world() -> Iterator[World]:
    """The functions over an empty store."""
    with worlds.opened() as opened:
        yield opened
