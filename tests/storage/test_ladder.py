"""Ladders: the books and the ratings are written together, and so are marks and what they come to."""

import json

import pytest

from engine.ladder.standing import Standing
from functions.shared.store.ladder_records import (
    Delta,
    EntryLine,
    LadderEntry,
    LadderPlace,
    Mark,
    Meetings,
    Rating,
    Snapshot,
    taken_in,
)
from functions.shared.store.ports import ConflictError, NewerRecordError
from tests.storage.backend import Store

GAME = "misfortune"
ANN, BOB = "ply_1", "ply_2"
WON = Rating(
    GAME,
    ANN,
    Standing(1_560_000, 1, 0, 0),
    listed=True,
    reached_at=17,
    played_at=17,
    entry_at=17,
    let_off_at=3,
    due=900,
)
LOST = Rating(GAME, BOB, Standing(1_440_000, 0, 0, 1), listed=True, reached_at=17, played_at=17, entry_at=17, due=901)
LINES = (
    EntryLine(ANN, 1, 1_500_000, 1_560_000, 0, 0, 120_000),
    EntryLine(BOB, 2, 1_500_000, 1_440_000, 0, 0, 120_000, let_off=True),
)
ENTRY = LadderEntry("mat_1", GAME, 17, LINES, "elo/1")
MET = Meetings(GAME, (ANN, BOB), (17,))


def enter(store: Store, entry: LadderEntry = ENTRY, meetings: Meetings | None = MET) -> None:
    """The first result of both."""
    store.ladder.enter(entry, [(Rating(GAME, ANN), WON), (Rating(GAME, BOB), LOST)], meetings)


def test_before_the_first_result_there_are_beginners_who_never_met(store: Store) -> None:
    books = store.ladder.books(GAME, "mat_1", [BOB, ANN])
    assert books.entry is None
    assert books.ratings == {ANN: Rating(GAME, ANN), BOB: Rating(GAME, BOB)}
    assert books.meetings == Meetings(GAME, (ANN, BOB))


def test_a_result_is_in_the_books_the_ratings_and_both_histories(store: Store) -> None:
    enter(store)
    books = store.ladder.books(GAME, "mat_1", [ANN, BOB])
    assert books.entry == store.ladder.entry("mat_1") == ENTRY
    assert books.ratings == {ANN: WON._replace(version=1), BOB: LOST._replace(version=1)}
    assert books.meetings == MET._replace(version=1)
    for player in (ANN, BOB):
        assert [row.entry for row in store.ladder.history(GAME, player, None, 10).rows] == [ENTRY]
    assert [entry for _, entry in store.ladder.entries(GAME, None, 10)] == [ENTRY]
    assert store.ladder.entries("liars-poker", None, 10) == []


def test_a_match_is_entered_once(store: Store) -> None:
    enter(store)
    before = store.ladder.books(GAME, "mat_1", [ANN, BOB])
    again = [(WON._replace(version=1), WON), (LOST._replace(version=1), LOST)]
    with pytest.raises(ConflictError):
        store.ladder.enter(ENTRY._replace(at=18), again, MET._replace(version=1))
    with pytest.raises(ConflictError):
        store.ladder.enter(ENTRY._replace(at=18), [], None)
    assert store.ladder.books(GAME, "mat_1", [ANN, BOB]) == before


@pytest.mark.parametrize("which", ["ann", "bob", "meetings"])
def test_an_entry_on_a_version_that_has_passed_changes_nothing(store: Store, which: str) -> None:
    enter(store)
    ann, bob = WON._replace(version=int(which != "ann")), LOST._replace(version=int(which != "bob"))
    second = ENTRY._replace(match="mat_2", at=18)
    with pytest.raises(ConflictError):
        store.ladder.enter(second, [(ann, ann), (bob, bob)], MET._replace(version=int(which != "meetings")))
    assert store.ladder.entry("mat_2") is None
    assert store.ladder.ratings(GAME, [ANN, BOB]) == {ANN: WON._replace(version=1), BOB: LOST._replace(version=1)}
    assert len(store.ladder.history(GAME, ANN, None, 10).rows) == 1


def test_the_annulment_of_a_match_stands_beside_its_result(store: Store) -> None:
    enter(store)
    annulment = ENTRY._replace(at=30, annuls=True)
    store.ladder.enter(annulment, [(WON._replace(version=1), WON._replace(listed=False, due=None))], None)
    assert store.ladder.entry("mat_1") == ENTRY
    assert store.ladder.entry("mat_1", annulment=True) == annulment
    assert store.ladder.entry("mat_2", annulment=True) is None
    assert [row.entry for row in store.ladder.history(GAME, ANN, None, 10).rows] == [annulment, ENTRY]
    assert [entry for _, entry in store.ladder.entries(GAME, None, 10)] == [ENTRY, annulment]


def test_a_history_goes_by_versions_newest_first_and_page_by_page(store: Store) -> None:
    for number in range(1, 6):
        rating = WON._replace(version=number - 1)
        lines = (LINES[0]._replace(version=number - 1),)
        # The clocks of two functions may differ: the moments don't tell the order, the versions do.
        store.ladder.enter(LadderEntry(f"mat_{number}", GAME, 100 - number, lines, "elo/1"), [(rating, rating)], None)
    unrated = LadderEntry("mat_6", GAME, 200, (LINES[0]._replace(version=5),), reason="unrated")
    store.ladder.enter(unrated, [], None)
    found, before = list[str](), None
    for _ in range(4):
        page = store.ladder.history(GAME, ANN, before, 2)
        found += [row.entry.match for row in page.rows]
        if not page.rows:
            break
        before = page.rows[-1].key
    assert found == ["mat_6", "mat_5", "mat_4", "mat_3", "mat_2", "mat_1"]
    assert page.more is False


def test_entries_go_by_their_moments_page_by_page(store: Store) -> None:
    for number, at in enumerate([30, 10, 20]):
        store.ladder.enter(LadderEntry(f"mat_{number}", GAME, at, LINES, reason="unrated"), [], None)
    first = store.ladder.entries(GAME, None, 2)
    assert [entry.at for _, entry in first] == [10, 20]
    assert [entry.at for _, entry in store.ladder.entries(GAME, first[-1][0], 2)] == [30]


def test_a_rating_is_changed_on_its_version_alone(store: Store) -> None:
    enter(store)
    before = store.ladder.ratings(GAME, [ANN])[ANN]
    after = store.ladder.change(before, before._replace(listed=False, closed=True, due=None))
    assert store.ladder.of_player(ANN, [GAME, "liars-poker"]) == {
        GAME: WON._replace(listed=False, closed=True, due=None, version=2),
        "liars-poker": Rating("liars-poker", ANN),
    }
    assert after.version == 2
    with pytest.raises(ConflictError):
        store.ladder.change(before, before)


def test_listed_players_are_due_in_order_and_a_place_is_gone_on_from(store: Store) -> None:
    enter(store)
    assert [due.player for due in store.ladder.due(GAME, 900, 10)] == [ANN]
    first = store.ladder.due(GAME, 1000, 1)
    assert [(due.player, due.at) for due in first] == [(ANN, 900)]
    assert [due.player for due in store.ladder.due(GAME, 1000, 10, first[0].place)] == [BOB]
    assert store.ladder.due("liars-poker", 1000, 10) == []


def test_marks_and_their_delta_are_counted_together_or_not_at_all(store: Store) -> None:
    one, two = Mark(GAME, ANN, 1560, 17, 1), Mark(GAME, BOB, 1440, 17, 1)
    store.ladder.count([(None, one), (None, two)], Delta("a", {1560: 1, 1440: 1}))
    assert store.ladder.marks(GAME, [ANN, BOB, "ply_3"]) == {ANN: one, BOB: two}
    for before in (None, one._replace(version=7)):
        with pytest.raises(ConflictError):
            store.ladder.count([(two, two._replace(version=2)), (before, one)], Delta("b", {1560: 1}))
    with pytest.raises(ConflictError):
        store.ladder.count([(one, one._replace(version=2))], Delta("a", {1560: 1}))
    assert store.ladder.marks(GAME, [ANN, BOB]) == {ANN: one, BOB: two}
    counters = store.ladder.counters(GAME)
    assert counters.deltas == [Delta("a", {1440: 1, 1560: 1})]
    assert (counters.counts()[1440], counters.counts()[1560], sum(counters.counts())) == (1, 1, 2)


def test_marks_that_move_nobody_need_no_delta(store: Store) -> None:
    mark = Mark(GAME, ANN, None, 0, 1)
    store.ladder.count([(None, mark)], None)
    assert store.ladder.marks(GAME, [ANN]) == {ANN: mark}
    assert store.ladder.counters(GAME).deltas == []


def test_a_rating_is_read_with_its_mark(store: Store) -> None:
    assert store.ladder.standing(GAME, ANN) == (Rating(GAME, ANN), None)
    enter(store)
    mark = Mark(GAME, ANN, 1560, 17, 1)
    store.ladder.count([(None, mark)], None)
    assert store.ladder.standing(GAME, ANN) == (WON._replace(version=1), mark)


def test_a_snapshot_takes_deltas_in_once(store: Store) -> None:
    deltas = [Delta(f"d{number}", {number: 1, 1000: -1 if number % 2 else 1}) for number in range(3)]
    for number, delta in enumerate(deltas):
        store.ladder.count([(None, Mark(GAME, f"ply_{number}", number, 17, 1))], delta)
    first = store.ladder.counters(GAME)
    assert sorted(delta.id for delta in first.deltas) == ["d0", "d1", "d2"]
    taken = [delta for delta in first.deltas if delta.id != "d0"]
    after = taken_in(first.snapshot, taken)._replace(as_of=99)
    assert after.counts[1000] == 0
    store.ladder.publish(first.snapshot, after, taken)
    second = store.ladder.counters(GAME)
    assert second.snapshot == after._replace(version=1)
    assert [delta.id for delta in second.deltas] == ["d0"]
    assert second.counts() == first.counts()
    with pytest.raises(ConflictError):
        store.ladder.publish(first.snapshot, after, taken)
    with pytest.raises(ConflictError):
        store.ladder.publish(second.snapshot._replace(version=5), after, second.deltas)
    assert store.ladder.counters(GAME) == second


def test_a_counter_that_is_negative_for_the_time_being_is_kept(store: Store) -> None:
    """The delta that takes somebody out may be taken in before the one that brought them."""
    out = Delta("out", {1500: -3, 1600: 200, 4095: 1})
    store.ladder.count([(None, Mark(GAME, ANN, 1600, 17, 2))], out)
    counters = store.ladder.counters(GAME)
    store.ladder.publish(counters.snapshot, taken_in(counters.snapshot, [out]), [out])
    counts = store.ladder.counters(GAME).counts()
    assert {bucket: count for bucket, count in enumerate(counts) if count} == {1500: -3, 1600: 200, 4095: 1}


def test_a_delta_that_was_read_before_it_was_published_is_not_counted_twice(store: Store) -> None:
    """A query is no transaction: it may bring the delta, and the snapshot that took it in."""
    delta = Delta("a", {1500: 1})
    store.ladder.count([(None, Mark(GAME, ANN, 1500, 17, 1))], delta)
    store.ladder.publish(Snapshot(GAME), taken_in(Snapshot(GAME), [delta]), [delta])
    store.ladder.count([(Mark(GAME, ANN, 1500, 17, 1), Mark(GAME, ANN, 1500, 17, 2))], delta)  # as it was read
    assert store.ladder.counters(GAME).counts()[1500] == 1


def test_a_band_of_the_list_goes_by_rating_then_by_who_reached_it_first(store: Store) -> None:
    places = [(1519, 5), (1510, 9), (1510, 2), (1504, 7), (1520, 1), (1503, 1)]
    for number, (points, reached_at) in enumerate(places):
        store.ladder.count([(None, Mark(GAME, f"ply_{number}", points, reached_at, 1))], None)
    store.ladder.count([(None, Mark(GAME, "ply_9", None, 3, 1))], None)
    ordered = [LadderPlace(1519, 5, "ply_0"), LadderPlace(1510, 2, "ply_2"), LadderPlace(1510, 9, "ply_1")]
    ordered.append(LadderPlace(1504, 7, "ply_3"))
    band = 1504 // 16
    assert store.ladder.band(GAME, band, 10) == ordered
    assert store.ladder.band(GAME, band, 10, upwards=True) == ordered[::-1]
    assert store.ladder.band(GAME, band, 2, ordered[0].key) == ordered[1:3]
    assert store.ladder.band(GAME, band, 2, ordered[3].key, upwards=True) == ordered[2:0:-1]
    assert store.ladder.band("liars-poker", band, 10) == []
    moved = Mark(GAME, "ply_0", None, 5, 2)
    store.ladder.count([(Mark(GAME, "ply_0", 1519, 5, 1), moved)], None)
    assert store.ladder.band(GAME, band, 10) == ordered[1:]


@pytest.mark.parametrize("kind", ["rating", "standing", "entry"])
def test_what_a_later_version_wrote_is_left_to_it(store: Store, kind: str) -> None:
    """To write it back would lose what is not known here."""
    from functions.shared.store.models import LadderItem

    enter(store)
    key = ("RESULT#mat_1", "R") if kind == "entry" else (f"RATING#{GAME}#{ANN}", "R")
    item = LadderItem.get(*key)
    fields = json.loads(item.body or "")
    (fields[0] if kind == "standing" else fields).append("new")
    item.body = json.dumps(fields)
    item.save()
    with pytest.raises(NewerRecordError):
        store.ladder.books(GAME, "mat_1", [ANN, BOB])
