"""Jobs: work that may be cut off anywhere and is taken up by one at a time."""

import pytest

from functions.shared.store.ports import ConflictError
from functions.shared.store.records import Job, JobKind
from tests.storage.backend import Store
from tests.storage.examples import NOW

JOB = Job(JobKind.CLOSE, "ply-1", {"left": ["mat-1", "mat-2"], "name": "étoile"}, NOW)


def test_a_job_that_was_never_started_is_none(store: Store) -> None:
    assert store.jobs.get(JobKind.CLOSE, "ply-1") is None


def test_a_job_is_read_as_it_was_started_under_its_kind_and_id(store: Store) -> None:
    store.jobs.start(JOB)
    assert store.jobs.get(JobKind.CLOSE, "ply-1") == JOB
    assert store.jobs.get(JobKind.VACATION, "ply-1") is None
    assert store.jobs.get(JobKind.CLOSE, "ply-2") is None


def test_a_job_that_is_under_way_is_not_started_again(store: Store) -> None:
    store.jobs.start(JOB)
    with pytest.raises(ConflictError):
        store.jobs.start(JOB._replace(data={}))
    assert store.jobs.get(JobKind.CLOSE, "ply-1") == JOB


def test_a_step_of_a_job_is_saved_once(store: Store) -> None:
    store.jobs.start(JOB)
    second = store.jobs.save(JOB, JOB._replace(data={"left": ["mat-2"]}, due=NOW + 1))
    assert second == JOB._replace(data={"left": ["mat-2"]}, due=NOW + 1, version=1)
    assert store.jobs.get(JobKind.CLOSE, "ply-1") == second
    with pytest.raises(ConflictError):
        store.jobs.save(JOB, JOB._replace(data={"left": ["mat-1"]}))
    assert store.jobs.get(JobKind.CLOSE, "ply-1") == second


def test_a_job_that_is_done_is_gone_and_may_be_started_anew(store: Store) -> None:
    store.jobs.start(JOB)
    store.jobs.finish(JOB)
    assert store.jobs.get(JobKind.CLOSE, "ply-1") is None
    with pytest.raises(ConflictError):
        store.jobs.finish(JOB)
    with pytest.raises(ConflictError):
        store.jobs.save(JOB, JOB)
    store.jobs.start(JOB)
    assert store.jobs.get(JobKind.CLOSE, "ply-1") == JOB


def test_a_job_that_has_gone_on_is_not_done(store: Store) -> None:
    store.jobs.start(JOB)
    second = store.jobs.save(JOB, JOB._replace(due=NOW + 1))
    with pytest.raises(ConflictError):
        store.jobs.finish(JOB)
    assert store.jobs.get(JobKind.CLOSE, "ply-1") == second
