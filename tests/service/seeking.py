"""Seeks over HTTP."""

from typing import Any

from functions.shared import clock
from functions.shared.store.due import NEVER, SHARDS
from functions.shared.store.records import SeekStatus
from infra.client import Client, Reply
from tests.service.moments import services
from tests.service.playing import at


def ask(client: Client, game: str = "misfortune", key: str | None = None, **wishes: Any) -> Reply:
    """A seek; the next one is made a millisecond later."""
    reply = client.call("POST", "/v1/seeks", {"game": game, **wishes}, key=key)
    at(client.call("POST", "/_local/clock", {"advance": 0.001}))
    return reply


def waits(client: Client, game: str = "misfortune", **wishes: Any) -> str:
    """The id of a seek that finds nobody."""
    body = at(ask(client, game, **wishes))
    assert body["match"] is None
    return str(body["seek"]["id"])


def finds(client: Client, game: str = "misfortune", **wishes: Any) -> Any:
    """The match of a seek that finds somebody."""
    body = at(ask(client, game, **wishes))
    assert body["seek"] is None
    return body["match"]


def seated(match: Any) -> list[str]:
    """The players of a match, by seat."""
    return [seat["player"]["id"] for seat in match["seats"]]


def own(client: Client) -> list[str]:
    """The client's seeks that wait, as they are listed."""
    return [seek["id"] for seek in client.ok("GET", "/v1/seeks")["items"]]


def end_all() -> None:
    """Takes back whatever waits."""
    store = services()
    for shard in range(SHARDS):
        for item in store.matches.due(shard, NEVER, 1000):
            if item.key.startswith("SEEK#"):
                seek = store.seeks.waiting(item.key)
                assert seek is not None
                store.seeks.end(seek, SeekStatus.CANCELLED, clock.now())
