"""Puts a ``LocalDynamo`` below pynamodb, in place of botocore."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from pynamodb.connection import base
from pynamodb.connection.base import Connection

from infra.local.dynamo import LocalDynamo

_botocore_client = vars(Connection)["client"]


def install(dynamo: LocalDynamo) -> None:
    """Let every pynamodb model and connection of this process, made before or later, call ``dynamo``."""
    _put(property(lambda connection: dynamo))


def uninstall() -> None:
    """Let pynamodb call botocore again."""
    _put(_botocore_client)


@contextmanager
def installed(dynamo: LocalDynamo) -> Iterator[LocalDynamo]:
    """``install`` for the length of a block; then whatever stood there before."""
    before = vars(Connection)["client"]
    install(dynamo)
    try:
        yield dynamo
    finally:
        _put(before)


_UUID = SimpleNamespace(uuid4=lambda: uuid.NAMESPACE_URL)
"""pynamodb draws a name for each call, for callbacks that there are none of; to draw one is a system call."""


def _put(client: property) -> None:
    base.uuid = uuid if client is _botocore_client else _UUID  # type: ignore[attr-defined,assignment]
    # Connections are cached in each model, in each thread's use alike; the class is the one place that all of them ask.
    Connection.client = client  # type: ignore[assignment,method-assign]
