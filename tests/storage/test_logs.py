"""Logs that grow: the oldest events are put away, once, in the write that makes them too many."""

import pytest

from engine.match.record import Entry
from functions.shared.store.ports import ConflictError
from functions.shared.store.records import LogPart, MatchRecord
from tests.storage.backend import Store
from tests.storage.examples import joined, left, open_match, resigned, told

ALL = (1, 10**8 - 1)


def grown(store: Store, record: MatchRecord, saves: int) -> MatchRecord:
    """The match after some writes of four events each."""
    for _ in range(saves):
        record = store.matches.save(record, told(record, 4))
    return record


def whole(store: Store, record: MatchRecord) -> list[Entry]:
    parts = store.matches.log_parts(record.match.id, *ALL)
    return [entry for part in parts for entry in part.entries] + list(record.match.log)


def test_a_short_log_stays_in_its_match(store: Store) -> None:
    record = grown(store, store.matches.create(open_match("ann"), "ann", None), 3)
    assert (record.parts, record.match.put_away, len(record.match.log)) == ((), 0, 13)
    assert store.matches.log_parts(record.match.id, *ALL) == []


def test_no_event_is_lost_or_doubled_when_some_are_put_away(store: Store) -> None:
    record = store.matches.create(open_match("ann"), "ann", None)
    told_in_all = list(record.match.log)
    for _ in range(25):
        after = told(record, 4)
        told_in_all += after.match.log[-4:]
        record = store.matches.save(record, after)
        assert store.matches.get(record.match.id) == record
        assert whole(store, record) == told_in_all
    assert len(record.parts) > 2


def test_parts_follow_one_another_and_the_match_names_them(store: Store) -> None:
    record = grown(store, store.matches.create(open_match("ann"), "ann", None), 30)
    parts = store.matches.log_parts(record.match.id, *ALL)
    assert [part.first for part in parts] == [part.first for part in record.parts]
    first = 1
    for part in parts:
        assert part.first == first
        first += len(part.entries)
    assert record.match.put_away == first - 1


def test_parts_are_read_by_their_first_events_both_ends_included(store: Store) -> None:
    record = grown(store, store.matches.create(open_match("ann"), "ann", None), 30)
    parts: list[LogPart] = list(store.matches.log_parts(record.match.id, *ALL))
    assert len(parts) >= 4
    second, third = parts[1].first, parts[2].first
    assert store.matches.log_parts(record.match.id, second, third) == parts[1:3]
    assert store.matches.log_parts(record.match.id, second, third - 1) == parts[1:2]
    assert store.matches.log_parts(record.match.id, second + 1, third) == parts[2:3]
    assert store.matches.log_parts(record.match.id, second + 1, third - 1) == []
    assert store.matches.log_parts("mat-none", *ALL) == []


def test_parts_of_another_match_are_not_among_them(store: Store) -> None:
    one, other = (grown(store, store.matches.create(open_match(p), p, None), 20) for p in ("ann", "bob"))
    assert (whole(store, one)[0].data["player"], whole(store, other)[0].data["player"]) == ("ann", "bob")
    assert len(whole(store, one)) == len(whole(store, other)) == 81


def test_a_save_that_comes_too_late_puts_nothing_away(store: Store) -> None:
    record = store.matches.create(open_match("ann"), "ann", None)
    while not store.matches.log_parts(record.match.id, *ALL):
        before, record = record, store.matches.save(record, told(record, 4, "first"))
    parts = store.matches.log_parts(record.match.id, *ALL)
    late = told(before, 40, "late")
    with pytest.raises(ConflictError):
        store.matches.save(before, late)
    assert store.matches.get(record.match.id) == record
    assert store.matches.log_parts(record.match.id, *ALL) == parts
    assert "late" not in {entry.type for entry in whole(store, record)}


def test_a_seat_taken_and_an_end_put_events_away_too(store: Store) -> None:
    record = store.matches.create(told(open_match("ann", size=3), 60), "ann", None)
    assert len(record.parts) == 1
    record = store.matches.seat(record, told(joined(record, "bob"), 20), "bob")
    assert len(record.parts) == 2
    record = store.matches.unseat(record, told(left(record, 1), 20), "bob")
    assert len(record.parts) == 3
    record = store.matches.seat(record, joined(record, "bob"), "bob")
    record = store.matches.seat(record, joined(record, "cyd"), "cyd")
    for seat in (0, 1):
        record = store.matches.save(record, resigned(record, seat))
    assert record.match.result is not None
    count = len(whole(store, record))
    record = store.matches.close(record, record._replace(settled=True))
    assert store.matches.get(record.match.id) == record
    assert len(whole(store, record)) == count
