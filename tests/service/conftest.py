"""The whole service, over real HTTP, with a clock that stands still until a test moves it."""

import itertools
from collections.abc import Callable, Iterator

import pytest

from infra.client import Client
from infra.local.service import LocalService

_names = itertools.count(1)


@pytest.fixture(scope="module")
def service() -> Iterator[LocalService]:
    """A running service with a store of its own."""
    running = LocalService(manual_clock=True)
    running.start()
    yield running
    running.stop()


NewClient = Callable[[], Client]


@pytest.fixture
def anybody(service: LocalService) -> Iterator[Client]:
    """A caller without a token."""
    client = Client(service.url)
    yield client
    client.close()


@pytest.fixture
def new_player(service: LocalService) -> Iterator[NewClient]:
    """Registers players; each has a name of its own."""
    clients: list[Client] = []

    def register() -> Client:
        client = Client(service.url)
        clients.append(client)
        client.token = client.ok("POST", "/v1/players", {"name": f"player-{next(_names)}"})["token"]
        return client

    yield register
    for client in clients:
        client.close()


@pytest.fixture
def ann(new_player: NewClient) -> Client:
    """A player."""
    return new_player()


@pytest.fixture
def bob(new_player: NewClient) -> Client:
    """Another player."""
    return new_player()


@pytest.fixture
def cyd(new_player: NewClient) -> Client:
    """A third player, in most tests a stranger."""
    return new_player()
