"""Webhooks: each with its place among what is due, on its version."""

import pytest

from functions.shared import ids
from functions.shared.store.due import SHARDS
from functions.shared.store.ports import ConflictError
from functions.shared.store.records import JobKind, Profile
from functions.shared.store.webhook_records import HookStatus, Webhook
from tests.storage.backend import Store
from tests.storage.examples import NOW, new_id, outcome, profile, token


def owner(store: Store, name: str = "ann") -> Profile:
    """A player who has registered."""
    made = profile(name)
    store.players.register(made, token(made.id), None)
    return made


def webhook(player: str, due: int | None = NOW) -> Webhook:
    return Webhook(
        new_id(ids.WEBHOOK),
        player,
        "https://example.com/é",
        ("your-turn", "tournament-*"),
        NOW,
        "mark",
        "salt",
        HookStatus.PENDING,
        live=False,
        cursor=None,
        due=due,
        woken=True,
        version=1,
    )


def due(store: Store, until: int = NOW) -> list[str]:
    """What the referee finds."""
    return sorted(one.key for shard in range(SHARDS) for one in store.matches.due(shard, until, 10))


def test_a_webhook_is_read_as_it_was_written_by_its_owner_alone(store: Store) -> None:
    ann = owner(store)
    made = webhook(ann.id)
    store.webhooks.add(ann, made, None)
    assert store.webhooks.get(ann.id, made.id) == made
    assert store.webhooks.get("ply_9", made.id) is None
    assert store.webhooks.of_player(ann.id) == [made]
    assert list(store.webhooks.of_player(ann.id, strong=False)) == [made]
    assert store.webhooks.of_player("ply_9") == []


def test_webhooks_stand_in_the_order_of_their_creation(store: Store) -> None:
    ann = owner(store)
    made = [webhook(ann.id) for _ in range(3)]
    for number, one in enumerate(made):
        store.webhooks.add(ann._replace(version=1 + number), one, None)
    assert store.webhooks.of_player(ann.id) == made


def test_of_two_that_are_added_at_once_one_is(store: Store) -> None:
    ann = owner(store)
    first, second = webhook(ann.id), webhook(ann.id)
    store.webhooks.add(ann, first, None)
    with pytest.raises(ConflictError):
        store.webhooks.add(ann, second, None)
    assert store.webhooks.of_player(ann.id) == [first]
    assert due(store) == [f"JOB#{JobKind.WEBHOOK}#{first.id}"]


def test_a_webhook_is_due_as_long_as_it_says_so(store: Store) -> None:
    ann = owner(store)
    made = webhook(ann.id)
    store.webhooks.add(ann, made, None)
    name = f"JOB#{JobKind.WEBHOOK}#{made.id}"
    assert due(store) == [name]
    later = store.webhooks.save(made, made._replace(due=NOW + 5, woken=False, cursor="place"))
    assert later == made._replace(due=NOW + 5, woken=False, cursor="place", version=2)
    assert store.webhooks.get(ann.id, made.id) == later
    assert (due(store), due(store, NOW + 5)) == ([], [name])
    job = store.jobs.get(JobKind.WEBHOOK, made.id)
    assert job is not None
    assert job.data == {"player": ann.id}
    live = later._replace(due=None, live=True, cursor=None, status=HookStatus.ACTIVE)
    assert store.webhooks.save(later, live).version == 3
    assert due(store, NOW + 5) == []


def test_a_webhook_is_changed_on_its_version_alone(store: Store) -> None:
    ann = owner(store)
    made = webhook(ann.id)
    store.webhooks.add(ann, made, None)
    failed = store.webhooks.save(made, made._replace(failures=1, failed_at=NOW, failure="no answer", due=NOW + 9))
    with pytest.raises(ConflictError):
        store.webhooks.save(made, made._replace(failures=7, due=NOW))
    assert store.webhooks.get(ann.id, made.id) == failed
    assert due(store) == []


def test_a_webhook_that_was_removed_is_not_brought_back(store: Store) -> None:
    ann = owner(store)
    made = webhook(ann.id)
    store.webhooks.add(ann, made, None)
    store.webhooks.remove(made._replace(version=7))
    store.webhooks.remove(made)
    with pytest.raises(ConflictError):
        store.webhooks.save(made, made._replace(woken=False))
    assert store.webhooks.of_player(ann.id) == []


def test_a_request_is_remembered_with_what_it_made_or_not_at_all(store: Store) -> None:
    ann = owner(store)
    made = webhook(ann.id)
    asked = outcome(ann.id, made=made.id)
    store.webhooks.add(ann, made, asked)
    assert store.players.remembered(ann.id, asked.mark, NOW) == asked
    with pytest.raises(ConflictError):
        store.webhooks.add(ann._replace(version=2), webhook(ann.id), asked)
    assert store.webhooks.of_player(ann.id) == [made]
    replayed = outcome(ann.id, "other", made.id)
    store.webhooks.save(made, made._replace(woken=False), replayed)
    assert store.players.remembered(ann.id, "other", NOW) == replayed
