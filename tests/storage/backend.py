"""What the suite runs over: the embedded DynamoDB, or the endpoint that STORE_ENDPOINT names, with empty tables."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from functions.shared.store.ports import Inbox, Jobs, Ladder, Matches, Players, Services, Tournaments, Webhooks
from infra.local import endpoint, template
from infra.local.context import REGION
from infra.local.dynamo import LocalDynamo
from infra.local.dynamo_install import installed
from infra.local.dynamo_limits import MAX_BATCH_WRITES
from infra.local.service import TEMPLATE
from tests.storage.examples import NOW

URL = os.environ.get("STORE_ENDPOINT", "")
STACK = template.load(TEMPLATE)
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Store(NamedTuple):
    """The ports, over tables that nobody else writes to."""

    matches: Matches
    players: Players
    jobs: Jobs
    inbox: Inbox
    ladder: Ladder
    webhooks: Webhooks
    tournaments: Tournaments

    @property
    def services(self) -> Services:
        """What a flow needs, with a clock that stands still."""
        unused: dict[str, Any] = dict.fromkeys(Services._fields)
        world = {"now": lambda: NOW, "random_bytes": secrets.token_bytes, "pause": time.sleep, "secret": b"secret"}
        return Services(**unused | self._asdict() | world)


def prepare() -> None:
    """Set what the store's modules read from their environment when they are first imported; what is set stays.

    Raises `RuntimeError` for an endpoint that is not on this machine: its tables are deleted.
    """
    found = {name: value for function in STACK.functions.values() for name, value in function.environment.items()}
    found = {name: found[name] for name in ("PLAYERS_TABLE", "MATCHES_TABLE", "LADDER_TABLE", "TOURNAMENTS_TABLE")}
    found |= dict.fromkeys(("AWS_REGION", "AWS_DEFAULT_REGION"), REGION)
    found |= dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), "local")
    if URL:
        if urlsplit(URL).hostname not in _LOOPBACK:
            raise RuntimeError(f"STORE_ENDPOINT must be on this machine, not {URL}: its tables are deleted")
        found["AWS_ENDPOINT_URL_DYNAMODB"] = URL
    for name, value in found.items():
        os.environ.setdefault(name, value)


@contextmanager
def opened() -> Iterator[Store]:
    """A store without an item."""
    from functions.shared.store.inbox import DynamoInbox
    from functions.shared.store.jobs import DynamoJobs
    from functions.shared.store.ladder import DynamoLadder
    from functions.shared.store.matches import DynamoMatches
    from functions.shared.store.players import DynamoPlayers
    from functions.shared.store.tournaments import DynamoTournaments
    from functions.shared.store.webhooks import DynamoWebhooks

    store = Store(
        DynamoMatches(),
        DynamoPlayers(),
        DynamoJobs(),
        DynamoInbox(),
        DynamoLadder(),
        DynamoWebhooks(),
        DynamoTournaments(),
    )
    if URL:
        empty(_client())
        yield store
        return
    dynamo = LocalDynamo(region=REGION, clock=lambda: NOW / 1000)
    dynamo.create_tables(STACK.tables)
    with installed(dynamo):
        yield store


@cache
def _client() -> Any:
    return endpoint.client("dynamodb", URL)


def empty(client: Any) -> None:
    """Deletes what is in the endpoint's tables; makes those that are not there."""
    endpoint.create_missing_tables(client, STACK.tables)
    for properties in STACK.tables:
        name = properties["TableName"]
        pages = client.get_paginator("scan").paginate(
            TableName=name, ProjectionExpression="pk, sk", ConsistentRead=True
        )
        keys = [item for page in pages for item in page["Items"]]
        for start in range(0, len(keys), MAX_BATCH_WRITES):
            batch = [{"DeleteRequest": {"Key": key}} for key in keys[start : start + MAX_BATCH_WRITES]]
            assert not client.batch_write_item(RequestItems={name: batch})["UnprocessedItems"]
