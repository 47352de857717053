"""The items of the tables (README, "Tables"), as pynamodb models."""

import logging
import os
from typing import Any, TypeAlias

from pynamodb.attributes import BinaryAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.connection import Connection
from pynamodb.indexes import GlobalSecondaryIndex, KeysOnlyProjection
from pynamodb.models import Model

for _chatty in ("pynamodb", "botocore"):
    # At DEBUG they write whole items: keys, tokens' hashes, hidden cards.
    logging.getLogger(_chatty).setLevel(logging.WARNING)


Attributes: TypeAlias = dict[str, dict[str, Any]]
"""An item as DynamoDB has it. The read and the write of a move and the notices that follow it are in this form: to
convert them by the models would take as long as the game does."""


class _Meta:
    region = os.environ.get("AWS_REGION", "us-east-1")
    # A Lambda must outlive its calls: two quick attempts, then the request says so.
    connect_timeout_seconds = 1
    read_timeout_seconds = 2
    max_retry_attempts = 1
    max_pool_connections = 10


class Lists(GlobalSecondaryIndex[Any]):
    """Public matches by status and game, in the order of the moment that put them there."""

    class Meta:  # noqa: D106 - pynamodb's settings
        index_name = "lists"
        projection = KeysOnlyProjection()

    lp = UnicodeAttribute(hash_key=True)
    la = UnicodeAttribute(range_key=True)


class Due(GlobalSecondaryIndex[Any]):
    """What the referee has to look at, by the moment when."""

    class Meta:  # noqa: D106
        index_name = "due"
        projection = KeysOnlyProjection()

    dp = UnicodeAttribute(hash_key=True)
    da = NumberAttribute(range_key=True)


class MatchItem(Model):
    """`MAT#id | M`: a match. Everything but the keys of the indexes is in `body`."""

    class Meta(_Meta):  # noqa: D106
        table_name = os.environ["MATCHES_TABLE"]

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True, default="M")
    v = NumberAttribute()
    body = BinaryAttribute(legacy_encoding=False)
    lp = UnicodeAttribute(null=True)
    la = UnicodeAttribute(null=True)
    dp = UnicodeAttribute(null=True)
    da = NumberAttribute(null=True)
    ended = NumberAttribute(null=True)
    """When it ended, until that is settled: what the stream's consumer looks for."""
    news = UnicodeAttribute(null=True)
    """The kinds of news that this write is to the players: what the stream's other consumer looks for."""
    lists = Lists()
    due = Due()


class LogItem(Model):
    """`MAT#id | LOG#first`: events of a match that were put away."""

    class Meta(_Meta):  # noqa: D106
        table_name = os.environ["MATCHES_TABLE"]

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    body = BinaryAttribute(legacy_encoding=False)


class JobItem(Model):
    """`JOB#kind#id | JOB`: work that the referee takes up when it is due."""

    class Meta(_Meta):  # noqa: D106
        table_name = os.environ["MATCHES_TABLE"]

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True, default="JOB")
    v = NumberAttribute()
    body = UnicodeAttribute()
    dp = UnicodeAttribute()
    da = NumberAttribute()


class SeekItem(Model):
    """`SEEK#game#seats#clock | rating#id`: somebody who waits for opponents at such a table."""

    class Meta(_Meta):  # noqa: D106
        table_name = os.environ["MATCHES_TABLE"]

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    body = UnicodeAttribute(null=True)
    dp = UnicodeAttribute(null=True)
    da = NumberAttribute(null=True)


class MessageItem(Model):
    """`MAT#id | MSG#id`: table talk."""

    class Meta(_Meta):  # noqa: D106
        table_name = os.environ["MATCHES_TABLE"]

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    body = UnicodeAttribute()


class LadderItem(Model):
    """Anything of the ladder table; which attributes are there depends on the kind of key."""

    class Meta(_Meta):  # noqa: D106
        table_name = os.environ["LADDER_TABLE"]

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    v = NumberAttribute(null=True)
    body = UnicodeAttribute(null=True)
    counts = BinaryAttribute(legacy_encoding=False, null=True)
    """The counters of a snapshot."""
    lp = UnicodeAttribute(null=True)
    la = UnicodeAttribute(null=True)
    dp = UnicodeAttribute(null=True)
    da = NumberAttribute(null=True)
    lists = Lists()
    due = Due()


class TournamentItem(Model):
    """Anything of the tournaments table; which attributes are there depends on the kind of key."""

    class Meta(_Meta):  # noqa: D106
        table_name = os.environ["TOURNAMENTS_TABLE"]

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    v = NumberAttribute(null=True)
    body = BinaryAttribute(legacy_encoding=False, null=True)
    entered = NumberAttribute(null=True)
    waitlisted = NumberAttribute(null=True)
    work = NumberAttribute(null=True)
    """There while a tournament is in the middle of a step: what the stream's consumer looks for."""
    lp = UnicodeAttribute(null=True)
    la = UnicodeAttribute(null=True)
    dp = UnicodeAttribute(null=True)
    da = NumberAttribute(null=True)
    lists = Lists()
    due = Due()


class PlayerItem(Model):
    """Anything of the players table; which attributes are there depends on the kind of key."""

    class Meta(_Meta):  # noqa: D106
        table_name = os.environ["PLAYERS_TABLE"]

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    v = NumberAttribute(null=True)
    body = UnicodeAttribute(null=True)
    player = UnicodeAttribute(null=True)
    tries = NumberAttribute(null=True)
    woken = NumberAttribute(null=True)
    """There when a webhook is to go on: what the stream's consumer looks for."""
    ttl = NumberAttribute(null=True)


def connection() -> Connection:
    """The one connection of the process: each further one would cost a client of its own, when it is cold."""
    shared: Connection = MatchItem._get_connection().connection
    return shared


def _share_the_connection() -> None:
    known = {MatchItem.Meta.table_name}
    for model in (LogItem, JobItem, SeekItem, MessageItem, LadderItem, TournamentItem, PlayerItem):
        own = model._get_connection()
        if own.table_name not in known:
            connection().add_meta_table(own.get_meta_table())
            known.add(own.table_name)
        own.connection = connection()


_share_the_connection()
