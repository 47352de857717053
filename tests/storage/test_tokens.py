"""Tokens, outcomes of requests that are remembered, and counted tries."""

import pytest

from functions.shared.store.ports import ConflictError
from functions.shared.store.records import Profile, Remembered, Token
from tests.storage.backend import Store
from tests.storage.examples import DAY, NOW, new_id, outcome, profile, token
from tests.storage.lives import add_token


def registered(store: Store, name: str) -> Profile:
    made = profile(name)
    store.players.register(made, token(made.id), None)
    return made


def add(store: Store, player: str, added: Token, remembered: Remembered | None = None) -> None:
    """Adds a token to a player as they are now."""
    owner = store.players.get(player)
    assert owner is not None
    add_token(store, owner, added, remembered)


def test_tokens_come_by_creation_with_all_that_is_kept_of_them(store: Store) -> None:
    ann = registered(store, "ann")
    first = store.players.tokens(ann.id)[0]
    later = [token(ann.id, NOW + i, expires_at=NOW + DAY * i) for i in (3, 1, 2)]
    for one in later:
        add(store, ann.id, one)
    assert store.players.tokens(ann.id) == [first, later[1], later[2], later[0]]
    assert [store.players.token(one.hash) for one in later] == later


def test_a_token_is_added_once_and_a_key_once(store: Store) -> None:
    ann = registered(store, "ann")
    one, other = token(ann.id), token(ann.id)
    add(store, ann.id, one, outcome(ann.id, "key", one.id))
    with pytest.raises(ConflictError):
        add(store, ann.id, one._replace(label="again"))
    with pytest.raises(ConflictError):
        add(store, ann.id, other, outcome(ann.id, "key", other.id))
    assert store.players.token(one.hash) == one
    assert store.players.token(other.hash) is None
    known = store.players.remembered(ann.id, "key", NOW)
    assert known is not None
    assert known.ids == (one.id,)
    add(store, ann.id, other, outcome(ann.id, "key", other.id, at=NOW + 2 * DAY))
    assert store.players.token(other.hash) == other


def test_a_revoked_token_is_gone_and_only_it(store: Store) -> None:
    ann = registered(store, "ann")
    one, other = store.players.tokens(ann.id)[0], token(ann.id)
    add(store, ann.id, other)
    assert store.players.revoke(ann.id, one.id) is True
    assert store.players.revoke(ann.id, one.id) is False
    assert (store.players.token(one.hash), store.players.token(other.hash)) == (None, other)
    assert store.players.tokens(ann.id) == [other]


def test_nobody_revokes_the_token_of_another(store: Store) -> None:
    ann, bob = registered(store, "ann"), registered(store, "bob")
    theirs = store.players.tokens(ann.id)[0]
    assert store.players.revoke(bob.id, theirs.id) is False
    assert store.players.revoke(ann.id, new_id("tok_")) is False
    assert store.players.token(theirs.hash) == theirs


# Remembering and counting


def test_an_outcome_is_known_until_its_time_is_up(store: Store) -> None:
    ann = registered(store, "ann")
    kept = outcome(ann.id, "key")._replace(ids=("one", "two"))
    assert store.players.remembered(ann.id, "key", NOW) is None
    add(store, ann.id, token(ann.id), kept)
    assert store.players.remembered(ann.id, "key", NOW) == kept
    assert store.players.remembered(ann.id, "key", kept.expires_at - 1) == kept
    assert store.players.remembered(ann.id, "key", kept.expires_at) is None
    assert store.players.remembered(ann.id, "other", NOW) is None
    assert store.players.remembered("", "key", NOW) is None


def test_tries_are_counted_by_player_purpose_and_hour(store: Store) -> None:
    hour = NOW // 3_600_000
    assert [store.players.count_try("ann", "code", hour) for _ in range(4)] == [1, 2, 3, 4]
    assert store.players.count_try("bob", "code", hour) == 1
    assert store.players.count_try("ann", "name", hour) == 1
    assert store.players.count_try("ann", "code", hour + 1) == 1
    assert store.players.count_try("ann", "code", hour) == 5


def test_a_token_is_not_added_to_a_profile_that_has_changed(store: Store) -> None:
    ann = registered(store, "ann")
    one, other = token(ann.id), token(ann.id)
    add_token(store, ann, one)
    with pytest.raises(ConflictError):
        add_token(store, ann, other)
    assert store.players.token(other.hash) is None
    assert store.players.get(ann.id) == ann._replace(version=2)


def test_a_token_that_has_ended_makes_no_other(store: Store) -> None:
    ann, bob = registered(store, "ann"), registered(store, "bob")
    maker, made = token(ann.id), token(ann.id)
    add(store, ann.id, maker)
    store.players.revoke(ann.id, maker.id)
    owner = store.players.get(ann.id)
    assert owner is not None
    theirs = store.players.tokens(bob.id)[0]
    for gone in (maker, theirs):
        with pytest.raises(ConflictError):
            store.players.add_token(owner, gone.id, made, outcome(ann.id, "key"))
    assert store.players.token(made.hash) is None
    assert store.players.remembered(ann.id, "key", NOW) is None
    add_token(store, owner, made)
    assert store.players.token(made.hash) == made
