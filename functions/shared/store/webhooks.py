"""Webhooks in DynamoDB: `PLAYER#p | HOOK#id`, and a job that is due as long as something is to be delivered late."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from pynamodb.exceptions import DeleteError

from functions.shared.store.availability import TRANSACTION_CONFLICT, code_of, guarded
from functions.shared.store.inbox import told_at
from functions.shared.store.jobs import job_item
from functions.shared.store.models import PlayerItem
from functions.shared.store.players import changed_profile
from functions.shared.store.ports import ConflictError
from functions.shared.store.records import Job, JobKind, Profile, Remembered
from functions.shared.store.remembering import remembered_item, unless_remembered
from functions.shared.store.transactions import Put, transact
from functions.shared.store.webhook_records import Change, HookStatus, Told, Webhook, Woken

_PREFIX = "HOOK#"
_OWNER = "PLAYER#"
_OUTSIDE = ("id", "player", "woken", "version")
"""Fields with a place of their own in the item."""


class DynamoWebhooks:
    """`webhook_port.Webhooks` over the players table, and the matches table for what is due."""

    @guarded
    def add(self, owner: Profile, webhook: Webhook, remembered: Remembered | None) -> None:
        """See `webhook_port.Webhooks`."""
        puts: list[Put] = [changed_profile(owner, owner), (_item(webhook), PlayerItem.pk.does_not_exist())]
        transact([*puts, (_job(webhook), None), *_remember(remembered)])

    @guarded
    def get(self, player: str, webhook_id: str) -> Webhook | None:
        """See `webhook_port.Webhooks`."""
        try:
            return _webhook(PlayerItem.get(_OWNER + player, _PREFIX + webhook_id, consistent_read=True))
        except PlayerItem.DoesNotExist:
            return None

    @guarded
    def of_player(self, player: str, *, strong: bool = True) -> Sequence[Webhook]:
        """See `webhook_port.Webhooks`."""
        found = PlayerItem.query(_OWNER + player, PlayerItem.sk.startswith(_PREFIX), consistent_read=strong)
        return [_webhook(item) for item in found]

    @guarded
    def save(self, before: Webhook, after: Webhook, remembered: Remembered | None = None) -> Webhook:
        """See `webhook_port.Webhooks`."""
        after = after._replace(version=before.version + 1)
        puts: list[Put] = [(_item(after), PlayerItem.v == before.version), *_remember(remembered)]
        # The job follows its webhook, whose version stands for both.
        if after.due is None:
            transact(puts, [_job(after)])
        else:
            transact([*puts, (_job(after), None)])
        return after

    @guarded
    def remove(self, webhook: Webhook) -> None:
        """See `webhook_port.Webhooks`."""
        try:
            _item(webhook).delete()
        except DeleteError as error:
            if code_of(error) == TRANSACTION_CONFLICT:
                raise ConflictError(webhook.id) from error
            raise


def change(record: Mapping[str, Any]) -> Change | None:
    """What a record of the players' stream tells of, if it is about an event or a webhook that was woken."""
    keys, image = record["Keys"], record.get("NewImage", {})
    owner, kind = keys["pk"]["S"], keys["sk"]["S"]
    if (event := told_at(kind, image)) is not None:
        return Told(owner.partition("#")[2], *event)
    if kind.startswith(_PREFIX) and "woken" in image:
        return Woken(owner.removeprefix(_OWNER), kind.removeprefix(_PREFIX))
    return None


def _item(webhook: Webhook) -> PlayerItem:
    fields = {name: value for name, value in webhook._asdict().items() if name not in _OUTSIDE}
    return PlayerItem(
        _OWNER + webhook.player,
        _PREFIX + webhook.id,
        body=msgspec.json.encode(fields).decode(),
        v=webhook.version,
        woken=1 if webhook.woken else None,
    )


def _webhook(item: PlayerItem) -> Webhook:
    fields: dict[str, Any] = msgspec.json.decode(item.body or "")
    fields |= {"events": tuple(fields["events"]), "status": HookStatus(fields["status"])}
    webhook_id, player = item.sk.removeprefix(_PREFIX), item.pk.removeprefix(_OWNER)
    return Webhook(webhook_id, player, **fields, woken=item.woken is not None, version=int(item.v or 0))


def _job(webhook: Webhook) -> Any:
    return job_item(Job(JobKind.WEBHOOK, webhook.id, {"player": webhook.player}, webhook.due or 0, webhook.version))


def _remember(remembered: Remembered | None) -> list[Put]:
    return [] if remembered is None else [(remembered_item(remembered), unless_remembered(remembered))]
