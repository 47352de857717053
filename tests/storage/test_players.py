"""Players, names, tokens, counted tries, and outcomes that are remembered."""

import pytest

from functions.shared.store.ports import ConflictError
from functions.shared.store.records import Profile
from tests.storage.backend import Store
from tests.storage.examples import DAY, NOW, digest, new_id, outcome, profile, token


def registered(store: Store, name: str) -> Profile:
    made = profile(name)
    store.players.register(made, token(made.id), None)
    return made


# Registering


def test_who_was_never_registered_is_none(store: Store) -> None:
    assert store.players.get("ply-none") is None
    assert store.players.named("none") is None
    assert store.players.token(digest("none")) is None
    assert store.players.tokens("ply-none") == []


def test_a_player_is_found_by_id_by_folded_name_and_by_token(store: Store) -> None:
    ann = profile("Ann_of-Ely")
    first = token(ann.id)
    store.players.register(ann, first, outcome("", "key", ann.id))
    assert store.players.get(ann.id) == ann
    assert store.players.named("ann_of-ely") == ann.id
    assert store.players.named("Ann_of-Ely") is None
    assert store.players.token(first.hash) == first
    assert store.players.tokens(ann.id) == [first]
    assert store.players.remembered("", "key", NOW) == outcome("", "key", ann.id)


def test_a_name_is_registered_once_whatever_its_case_and_the_second_player_leaves_no_trace(store: Store) -> None:
    ann = registered(store, "Ann")
    other = profile("aNN")
    second = token(other.id)
    with pytest.raises(ConflictError):
        store.players.register(other, second, outcome("", "key"))
    assert store.players.named("ann") == ann.id
    assert store.players.get(ann.id) == ann
    assert store.players.get(other.id) is None
    assert (store.players.token(second.hash), store.players.tokens(other.id)) == (None, [])
    assert store.players.remembered("", "key", NOW) is None


def test_a_player_id_a_token_and_a_key_are_registered_once(store: Store) -> None:
    ann = profile("ann")
    first = token(ann.id)
    store.players.register(ann, first, outcome("", "key"))
    bob = profile("bob")
    with pytest.raises(ConflictError):
        store.players.register(ann._replace(name="bob"), token(ann.id), None)
    with pytest.raises(ConflictError):
        store.players.register(bob, token(bob.id)._replace(hash=first.hash), None)
    with pytest.raises(ConflictError):
        store.players.register(bob, token(bob.id), outcome("", "key"))
    assert store.players.named("bob") is None
    assert store.players.token(first.hash) == first
    store.players.register(bob, token(bob.id), outcome("", "key", at=NOW + 2 * DAY))
    assert store.players.named("bob") == bob.id


# Names


def test_a_new_name_is_held_and_the_old_one_never_released(store: Store) -> None:
    ann = registered(store, "ann")
    store.players.rename(ann, ann._replace(name="Eve"))
    assert store.players.get(ann.id) == ann._replace(name="Eve", version=2)
    assert (store.players.named("ann"), store.players.named("eve")) == (ann.id, ann.id)
    other = profile("ANN")
    with pytest.raises(ConflictError):
        store.players.register(other, token(other.id), None)


def test_a_player_may_take_an_old_name_of_theirs_again_or_change_its_case(store: Store) -> None:
    first = registered(store, "ann")
    store.players.rename(first, first._replace(name="eve"))
    second = store.players.get(first.id)
    assert second is not None
    store.players.rename(second, second._replace(name="Ann"))
    third = store.players.get(first.id)
    assert third == first._replace(name="Ann", version=3)
    store.players.rename(third, third._replace(name="ANN"))
    assert store.players.named("ann") == first.id


def test_the_name_of_another_player_is_not_given(store: Store) -> None:
    ann, bob = registered(store, "ann"), registered(store, "bob")
    with pytest.raises(ConflictError):
        store.players.rename(bob, bob._replace(name="Ann"))
    assert (store.players.get(bob.id), store.players.named("ann")) == (bob, ann.id)


def test_a_profile_that_has_changed_is_not_renamed_and_the_name_stays_free(store: Store) -> None:
    ann = registered(store, "ann")
    store.players.rename(ann, ann._replace(name="eve"))
    with pytest.raises(ConflictError):
        store.players.rename(ann, ann._replace(name="mia"))
    assert store.players.get(ann.id) == ann._replace(name="eve", version=2)
    assert store.players.named("mia") is None


def test_nobody_is_renamed_who_does_not_exist(store: Store) -> None:
    nobody = profile("ann")
    with pytest.raises(ConflictError):
        store.players.rename(nobody, nobody._replace(name="eve"))
    assert (store.players.get(nobody.id), store.players.named("eve")) == (None, None)


# Recovering


def test_recovering_ends_all_old_tokens_and_spends_the_code(store: Store) -> None:
    ann = registered(store, "ann")
    bob = registered(store, "bob")
    old = [*store.players.tokens(ann.id), token(ann.id)]
    store.players.add_token(old[1], None)
    new = token(ann.id)
    store.players.recover(ann, ann._replace(recovery_hash="spent"), new, outcome("", "key"))
    assert store.players.get(ann.id) == ann._replace(recovery_hash="spent", version=2)
    assert [store.players.token(one.hash) for one in old] == [None, None]
    assert store.players.tokens(ann.id) == [new]
    assert store.players.token(new.hash) == new
    assert len(store.players.tokens(bob.id)) == 1


def test_a_code_is_spent_once_and_the_second_attempt_leaves_the_tokens_as_they_are(store: Store) -> None:
    ann = registered(store, "ann")
    new, late = token(ann.id), token(ann.id)
    store.players.recover(ann, ann._replace(recovery_hash="spent"), new, outcome("", "key"))
    with pytest.raises(ConflictError):
        store.players.recover(ann, ann._replace(recovery_hash="again"), late, None)
    after = store.players.get(ann.id)
    assert after is not None
    with pytest.raises(ConflictError):
        store.players.recover(after, after._replace(recovery_hash="again"), late, outcome("", "key"))
    assert store.players.get(ann.id) == after
    assert store.players.tokens(ann.id) == [new]
    assert store.players.token(late.hash) is None


# Tokens


def test_tokens_come_by_creation_with_all_that_is_kept_of_them(store: Store) -> None:
    ann = registered(store, "ann")
    first = store.players.tokens(ann.id)[0]
    later = [token(ann.id, NOW + i, expires_at=NOW + DAY * i) for i in (3, 1, 2)]
    for one in later:
        store.players.add_token(one, None)
    assert store.players.tokens(ann.id) == [first, later[1], later[2], later[0]]
    assert [store.players.token(one.hash) for one in later] == later


def test_a_token_is_added_once_and_a_key_once(store: Store) -> None:
    ann = registered(store, "ann")
    one, other = token(ann.id), token(ann.id)
    store.players.add_token(one, outcome(ann.id, "key", one.id))
    with pytest.raises(ConflictError):
        store.players.add_token(one._replace(label="again"), None)
    with pytest.raises(ConflictError):
        store.players.add_token(other, outcome(ann.id, "key", other.id))
    assert store.players.token(one.hash) == one
    assert store.players.token(other.hash) is None
    known = store.players.remembered(ann.id, "key", NOW)
    assert known is not None
    assert known.ids == (one.id,)
    store.players.add_token(other, outcome(ann.id, "key", other.id, at=NOW + 2 * DAY))
    assert store.players.token(other.hash) == other


def test_a_revoked_token_is_gone_and_only_it(store: Store) -> None:
    ann = registered(store, "ann")
    one, other = store.players.tokens(ann.id)[0], token(ann.id)
    store.players.add_token(other, None)
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
    store.players.add_token(token(ann.id), kept)
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
