"""The functions over the store that the suite runs over, with hooks round its calls whichever it is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import botocore.session
from botocore.config import Config

from infra.local import permissions
from infra.local.context import REGION
from infra.local.dynamo import Around, LocalDynamo
from infra.local.dynamo_install import installed
from tests.faults import world as worlds
from tests.faults.world import World
from tests.storage import backend
from tests.storage.examples import NOW

_PATIENT = Config(connect_timeout=20, read_timeout=60, max_pool_connections=64, retries={"total_max_attempts": 1})
"""Who is late on a busy machine is none of what these tests are about."""


class Endpoint:
    """A client of an endpoint that lets a hook stand round its calls, as `LocalDynamo` does."""

    def __init__(self, client: Any) -> None:
        self.around: Around = permissions.guard
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def items(self, table: str) -> list[dict[str, Any]]:
        """All items of a table, as `LocalDynamo` gives them."""
        pages = self._client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
        return [item for page in pages for item in page["Items"]]

    def _make_api_call(self, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        return self.around(operation, parameters, lambda: self._client._make_api_call(operation, parameters))


@contextmanager
def opened() -> Iterator[World]:
    """A world over a store without an item."""
    if not backend.URL:
        with worlds.running() as world:
            yield world
        return
    client = botocore.session.get_session().create_client("dynamodb", REGION, endpoint_url=backend.URL, config=_PATIENT)
    backend.empty(client)
    dynamo = cast(LocalDynamo, Endpoint(client))
    with worlds.standing_clock() as now, installed(dynamo):
        now.set(NOW)
        yield World(dynamo, now)
