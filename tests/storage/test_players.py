"""Players: their names, which are never released, their recovery, and what becomes of their profiles."""

import pytest

from functions.shared.store.ports import ConflictError
from functions.shared.store.records import Job, JobKind, Profile, Vacation
from tests.storage.backend import Store
from tests.storage.examples import DAY, NOW, digest, outcome, profile, token
from tests.storage.lives import add_token


def read(store: Store, player: str) -> Profile:
    found = store.players.get(player)
    assert found is not None
    return found


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
    second = read(store, first.id)
    store.players.rename(second, second._replace(name="Ann"))
    third = read(store, first.id)
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
    add_token(store, ann, old[1])
    ann = read(store, ann.id)
    new = token(ann.id)
    store.players.recover(ann, ann._replace(recovery_hash="spent"), new, outcome("", "key"))
    assert store.players.get(ann.id) == ann._replace(recovery_hash="spent", version=3)
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
    after = read(store, ann.id)
    with pytest.raises(ConflictError):
        store.players.recover(after, after._replace(recovery_hash="again"), late, outcome("", "key"))
    assert store.players.get(ann.id) == after
    assert store.players.tokens(ann.id) == [new]
    assert store.players.token(late.hash) is None


def test_a_token_that_was_added_meanwhile_keeps_a_recovery_from_leaving_it_out(store: Store) -> None:
    ann = registered(store, "ann")
    added, new = token(ann.id), token(ann.id)
    add_token(store, ann, added)
    with pytest.raises(ConflictError):
        store.players.recover(ann, ann._replace(recovery_hash="spent"), new, None)
    assert store.players.token(new.hash) is None
    ann = read(store, ann.id)
    store.players.recover(ann, ann._replace(recovery_hash="spent"), new, None)
    assert store.players.tokens(ann.id) == [new]


# Changing and closing


def test_a_profile_is_changed_together_with_the_job_that_follows_from_it(store: Store) -> None:
    ann = registered(store, "ann")
    after = ann._replace(vacation=Vacation(NOW, NOW + DAY, 1), days_taken=1)
    job = Job(JobKind.VACATION, ann.id, {"cursor": None}, NOW)
    store.players.save(ann, after, job)
    assert store.players.get(ann.id) == after._replace(version=2)
    assert store.jobs.get(JobKind.VACATION, ann.id) == job
    assert len(store.players.tokens(ann.id)) == 1


def test_neither_is_written_when_the_profile_has_changed_or_the_job_is_under_way(store: Store) -> None:
    ann = registered(store, "ann")
    job = Job(JobKind.VACATION, ann.id, {"step": 1}, NOW)
    store.players.save(ann, ann._replace(days_taken=1), job)
    after = read(store, ann.id)
    with pytest.raises(ConflictError):
        store.players.save(ann, ann._replace(days_taken=2), job._replace(id="other"))
    assert store.jobs.get(JobKind.VACATION, "other") is None
    with pytest.raises(ConflictError):
        store.players.save(after, after._replace(days_taken=3), job._replace(data={"step": 2}))
    assert store.players.get(ann.id) == after
    assert store.jobs.get(JobKind.VACATION, ann.id) == job


def test_a_closed_account_has_no_tokens_and_its_name_is_not_released(store: Store) -> None:
    ann, bob = registered(store, "ann"), registered(store, "bob")
    more = token(ann.id)
    add_token(store, ann, more)
    ann = read(store, ann.id)
    job = Job(JobKind.CLOSE, ann.id, {}, NOW)
    store.players.close(ann, ann._replace(closed_at=NOW), job)
    assert store.players.get(ann.id) == ann._replace(closed_at=NOW, version=3)
    assert (store.players.tokens(ann.id), store.players.token(more.hash)) == ([], None)
    assert store.jobs.get(JobKind.CLOSE, ann.id) == job
    assert store.players.named("ann") == ann.id
    assert len(store.players.tokens(bob.id)) == 1


def test_an_account_that_has_changed_is_not_closed_and_keeps_its_tokens(store: Store) -> None:
    ann = registered(store, "ann")
    add_token(store, ann, token(ann.id))
    with pytest.raises(ConflictError):
        store.players.close(ann, ann._replace(closed_at=NOW), Job(JobKind.CLOSE, ann.id, {}, NOW))
    assert store.jobs.get(JobKind.CLOSE, ann.id) is None
    assert (read(store, ann.id).closed_at, len(store.players.tokens(ann.id))) == (0, 2)
