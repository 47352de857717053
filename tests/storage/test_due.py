"""What the referee has to look at: matches and jobs in the shards of one index."""

from engine.match import play
from functions.shared.store.due import SETTLE_AFTER_MS, SHARDS, shard_of
from functions.shared.store.records import DueItem, Job, JobKind
from tests.storage.backend import Store
from tests.storage.examples import DAY, NOW, told
from tests.storage.lives import closed, created, finished, started

LATER = NOW + 400 * DAY


def due(store: Store, until: int) -> set[str]:
    return {item.key for shard in range(SHARDS) for item in store.matches.due(shard, until, 100)}


def test_a_match_is_due_from_its_moment_on(store: Store) -> None:
    record = created(store)
    assert due(store, record.expires_at - 1) == set()
    assert due(store, record.expires_at) == {f"MAT#{record.match.id}"}


def test_each_match_is_due_in_the_one_shard_of_its_id(store: Store) -> None:
    ids = [created(store).match.id for _ in range(40)]
    by_shard = {shard: store.matches.due(shard, LATER, 100) for shard in range(SHARDS)}
    for shard, found in by_shard.items():
        assert {item.key for item in found} == {f"MAT#{one}" for one in ids if shard_of(one) == f"due#{shard}"}
    assert sum(map(len, by_shard.values())) == 40


def test_the_longest_due_come_first_with_their_moments_and_no_more_than_asked_for(store: Store) -> None:
    moments = {
        f"MAT#{record.match.id}": record.expires_at for record in (created(store, at=NOW + i) for i in range(60))
    }
    for shard in range(SHARDS):
        found = list(store.matches.due(shard, LATER, 100))
        assert [item.at for item in found] == sorted(moments[item.key] for item in found)
        assert [item.at for item in found] == [moments[item.key] for item in found]
        assert list(store.matches.due(shard, LATER, 2)) == found[:2]


def test_what_is_due_is_read_on_from_any_place_though_much_is_of_one_moment(store: Store) -> None:
    for _ in range(60):
        created(store)
    for shard in range(SHARDS):
        everything = list(store.matches.due(shard, LATER, 100))
        found: list[DueItem] = []
        for _ in range(len(everything) // 2 + 1):
            found += store.matches.due(shard, LATER, 2, found[-1].place if found else None)
        assert found == everything
        assert not everything or list(store.matches.due(shard, LATER, 2, everything[-1].place)) == []


def test_a_place_stays_good_when_what_stood_there_is_due_no_longer(store: Store) -> None:
    for _ in range(60):
        created(store)
    for shard in range(SHARDS):
        everything = list(store.matches.due(shard, LATER, 100))
        if len(everything) < 3:
            continue
        record = store.matches.get(everything[0].key.removeprefix("MAT#"))
        assert record is not None
        store.matches.save(record, record._replace(expires_at=record.expires_at + 30 * DAY))
        assert list(store.matches.due(shard, NOW + 14 * DAY, 100, everything[0].place)) == everything[1:]


def test_a_running_matchs_due_moment_moves_only_when_it_would_come_too_late(store: Store) -> None:
    record = started(store, created(store))
    deadline = play.closes_at(record.match)
    assert deadline is not None
    assert record.due == deadline
    later = record.match._replace(opened_at=NOW + 500)
    record = store.matches.save(record, record._replace(match=later))
    assert record.due == deadline
    assert due(store, deadline) == {f"MAT#{record.match.id}"}
    earlier = record.match._replace(opened_at=NOW - 500)
    record = store.matches.save(record, record._replace(match=earlier))
    assert record.due == deadline - 500
    assert due(store, deadline - 500) == {f"MAT#{record.match.id}"}
    assert due(store, deadline - 501) == set()


def test_an_ended_match_is_due_until_it_is_settled(store: Store) -> None:
    record = finished(store, started(store, created(store)), NOW + 5)
    assert due(store, NOW + 5 + SETTLE_AFTER_MS) == {f"MAT#{record.match.id}"}
    assert due(store, NOW + 4 + SETTLE_AFTER_MS) == set()
    closed(store, record)
    assert due(store, LATER) == set()


def test_jobs_are_due_among_the_matches_until_they_are_done(store: Store) -> None:
    record = created(store)
    job = Job(JobKind.OUTAGE, "2100-01-01", {"cursor": None}, NOW + 7)
    store.jobs.start(job)
    key = "JOB#outage#2100-01-01"
    assert due(store, NOW + 6) == set()
    assert due(store, NOW + 7) == {key}
    assert due(store, LATER) == {key, f"MAT#{record.match.id}"}
    job = store.jobs.save(job, job._replace(due=NOW + 9))
    assert (due(store, NOW + 8), due(store, NOW + 9)) == (set(), {key})
    store.jobs.finish(job)
    assert due(store, NOW + 9) == set()


def test_a_log_that_is_put_away_is_not_due(store: Store) -> None:
    record = created(store)
    record = store.matches.save(record, told(record, 60))
    assert record.parts
    assert due(store, LATER) == {f"MAT#{record.match.id}"}
