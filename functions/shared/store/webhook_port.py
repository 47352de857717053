"""What the flows need of the store of webhooks."""

from collections.abc import Sequence
from typing import Protocol

from functions.shared.store.records import Profile, Remembered
from functions.shared.store.webhook_records import Webhook


class Webhooks(Protocol):
    """The webhooks of players, each with the moment at which the referee looks at it."""

    def add(self, owner: Profile, webhook: Webhook, remembered: Remembered | None) -> None:
        """One more webhook of a player, in one transaction in which the profile's version moves along: so that nobody
        gets too many, or one beside the closing of the account. Raises `ConflictError`."""

    def get(self, player: str, webhook_id: str) -> Webhook | None:
        """A webhook of the player's: one strong read."""

    def of_player(self, player: str, *, strong: bool = True) -> Sequence[Webhook]:
        """The webhooks of a player, by creation: one read, which may be a moment old unless it is `strong`."""

    def save(self, before: Webhook, after: Webhook, remembered: Remembered | None = None) -> Webhook:
        """The webhook on the version before, and its place among what is due. Raises `ConflictError`."""

    def remove(self, webhook: Webhook) -> None:
        """Ends a webhook, whatever its version, if there still is one. What is due of it ends by itself. Raises
        `ConflictError` when it is written at the same moment."""
