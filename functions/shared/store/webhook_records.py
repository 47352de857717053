"""A webhook as the flows know it, and what its table's stream tells of."""

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from engine.types import EpochMs
from functions.shared.store.records import Notice


class HookStatus(StrEnum):
    """Whether a webhook's target is sent anything."""

    PENDING = "pending"
    """It has not echoed a challenge yet."""
    ACTIVE = "active"
    DISABLED = "disabled"
    """It failed too often, or said that it is gone."""


class Webhook(NamedTuple):
    """Where a player wants to be told of events.

    As long as it is `live`, each event goes out as it comes, and nothing is written. One that is not live, because its
    target has failed, is new or wants old events again, gets what stands in the inbox after its `cursor`, in order,
    when it is `woken`.
    """

    id: str
    player: str
    url: str
    events: tuple[str, ...]
    created_at: EpochMs
    mark: str
    """Of the request that made it: the secret is derived from it and from `salt`."""
    salt: str
    status: HookStatus
    live: bool
    cursor: str | None
    """The place in the inbox behind which something may not have been delivered yet; None when all has."""
    due: EpochMs | None
    """When the referee wakes it. There is always such a moment while there is a cursor."""
    woken: bool
    """Whether the consumer of the stream is to go on with it."""
    failures: int = 0
    """Tries that failed since the last success."""
    failed_at: EpochMs = 0
    failure: str = ""
    """Why the last failure was one."""
    version: int = 0


class Told(NamedTuple):
    """An event that was put into an inbox, at a place."""

    player: str
    place: str
    notice: Notice


class Woken(NamedTuple):
    """A webhook that is to go on."""

    player: str
    webhook: str


Change: TypeAlias = Told | Woken
