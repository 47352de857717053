"""What is to be sent to a target, and what came of it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.types import EpochMs


class Message(NamedTuple):
    """One event. What comes twice has the same id."""

    id: str
    body: bytes


class Parcel(NamedTuple):
    """Messages for one target, to be sent one after the other until one fails."""

    url: str
    secret: bytes
    messages: tuple[Message, ...]
    challenge: str = ""
    """What the answer to each must say again; nothing for events, whose answers nobody reads."""


class Failure(NamedTuple):
    """Why a message did not arrive."""

    reason: str
    """For the owner of the target."""
    answered: bool = False
    """Whether the target is there, and refused."""
    gone: bool = False
    """Whether it said that it will never take any (410)."""


class Outcome(NamedTuple):
    """What came of a parcel."""

    sent: int
    """How many of its messages arrived, the first ones. Fewer than all without a failure: there was no more time."""
    failure: Failure | None = None


Send = Callable[[Sequence[Parcel], EpochMs], list[Outcome]]
"""Sends parcels at this moment, and gives what came of each; one that fails does not hold up the others."""
