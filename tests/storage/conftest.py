"""One store for each test."""

from collections.abc import Iterator

import pytest

from tests.storage import backend
from tests.storage.backend import Store

backend.prepare()


def pytest_report_header() -> str:
    return f"storage over {backend.URL or 'the embedded DynamoDB'}"


@pytest.fixture
def store() -> Iterator[Store]:
    """An empty store."""
    with backend.opened() as opened:
        yield opened
