"""Chooses the real things: the one place where flows and store meet."""

import secrets
import time
from functools import cache

from functions.shared import clock, settings
from functions.shared.store.inbox import DynamoInbox
from functions.shared.store.jobs import DynamoJobs
from functions.shared.store.ladder import DynamoLadder
from functions.shared.store.matches import DynamoMatches
from functions.shared.store.players import DynamoPlayers
from functions.shared.store.ports import Services
from functions.shared.store.seeks import DynamoSeeks
from functions.shared.store.tournaments import DynamoTournaments
from functions.shared.store.webhooks import DynamoWebhooks


@cache
def services() -> Services:
    """What the use cases need of the world, made once in a process."""
    return Services(
        DynamoMatches(),
        DynamoPlayers(),
        DynamoJobs(),
        DynamoInbox(),
        DynamoSeeks(),
        DynamoLadder(),
        DynamoWebhooks(),
        DynamoTournaments(),
        clock.now,
        secrets.token_bytes,
        time.sleep,
        settings.read().secret,
    )
