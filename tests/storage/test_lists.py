"""Lists of matches: what is in them, in which order, page by page."""

from collections.abc import Callable

import pytest

from functions.shared.store.records import MatchRecord, Page
from tests.storage.backend import Store
from tests.storage.examples import NOW, aborted, told
from tests.storage.lives import closed, created, finished, started

Source = Callable[[str | None, int], Page]


def names(page: Page) -> list[str]:
    return [place.id for place in page.places]


def paged(source: Source, size: int) -> list[str]:
    """The whole of a list, read in pages of a size."""
    found: list[str] = []
    before: str | None = None
    for _ in range(100):
        page = source(before, size)
        assert len(page.places) <= size
        found += names(page)
        if not page.more:
            return found
        before = page.places[-1].key
    raise AssertionError("the list has no end")


def public(store: Store, status: str, game: str = "liars-poker") -> Source:
    return lambda before, limit: store.matches.listed(status, game, before, limit)


def live(store: Store, player: str) -> Source:
    return lambda before, limit: store.matches.of_player(player, ended=False, before=before, limit=limit)


def ended(store: Store, player: str) -> Source:
    return lambda before, limit: store.matches.of_player(player, ended=True, before=before, limit=limit)


def invited(store: Store, player: str) -> Source:
    return lambda before, limit: store.matches.invited(player, before, limit)


# Public matches


def test_a_public_match_is_listed_by_its_status_and_game_only(store: Store) -> None:
    record = created(store)
    steps: list[tuple[str, Callable[[MatchRecord], MatchRecord]]] = [
        ("open", lambda record: record),
        ("active", lambda record: started(store, record, NOW + 1)),
        ("finished", lambda record: finished(store, record, NOW + 2)),
        ("finished", lambda record: closed(store, record)),
    ]
    for status, step in steps:
        record = step(record)
        for listed in ("open", "active", "finished"):
            assert names(store.matches.listed(listed, "liars-poker", None, 10)) == (
                [record.match.id] if listed == status else []
            )
        assert names(store.matches.listed(status, "misfortune", None, 10)) == []


def test_private_and_aborted_matches_are_in_no_public_list(store: Store) -> None:
    private = created(store, private=True)
    private = started(store, private, NOW)
    finished(store, private, NOW)
    gone = created(store)
    store.matches.save(gone, aborted(gone))
    for status in ("open", "active", "finished"):
        assert names(store.matches.listed(status, "liars-poker", None, 10)) == []


def test_open_matches_come_by_creation_active_ones_by_start_finished_ones_by_end_the_newest_first(
    store: Store,
) -> None:
    first, second, third = (created(store, at=NOW + i) for i in range(3))
    assert paged(public(store, "open"), 10) == [third.match.id, second.match.id, first.match.id]
    third = started(store, third, NOW + 10)
    first = started(store, first, NOW + 11)
    second = started(store, second, NOW + 12)
    assert paged(public(store, "active"), 10) == [second.match.id, first.match.id, third.match.id]
    first = finished(store, first, NOW + 20)
    finished(store, third, NOW + 21)
    finished(store, second, NOW + 22)
    assert paged(public(store, "finished"), 10) == [second.match.id, third.match.id, first.match.id]
    closed(store, first)
    assert paged(public(store, "finished"), 10) == [second.match.id, third.match.id, first.match.id]


def test_writes_that_change_no_status_leave_a_list_as_it_is(store: Store) -> None:
    first, second = created(store, at=NOW), created(store, at=NOW + 1)
    store.matches.save(first, told(first, 3))
    assert paged(public(store, "open"), 10) == [second.match.id, first.match.id]


@pytest.mark.parametrize("size", [1, 3, 7, 8])
def test_pages_of_any_size_hold_each_match_once_though_all_are_of_one_moment(store: Store, size: int) -> None:
    ids = [created(store).match.id for _ in range(7)]
    assert paged(public(store, "open"), size) == ids[::-1]
    assert paged(live(store, "ann"), size) == ids[::-1]


def test_matches_that_come_or_go_between_two_pages_shift_no_other(store: Store) -> None:
    records = [created(store, at=NOW + i) for i in range(6)]
    first = store.matches.listed("open", "liars-poker", None, 2)
    assert names(first) == [records[5].match.id, records[4].match.id]
    created(store, at=NOW + 10)
    started(store, records[4], NOW + 11)  # the one that the cursor points at
    started(store, records[2], NOW + 12)
    second = store.matches.listed("open", "liars-poker", first.places[-1].key, 3)
    assert names(second) == [records[3].match.id, records[1].match.id, records[0].match.id]


def test_a_list_that_is_empty_or_read_to_its_end_has_no_more(store: Store) -> None:
    assert store.matches.listed("open", "liars-poker", None, 10) == Page((), False)
    created(store)
    page = store.matches.listed("open", "liars-poker", None, 10)
    assert (len(page.places), page.more) == (1, False)
    assert store.matches.listed("open", "liars-poker", page.places[-1].key, 10) == Page((), False)


# A player's own


def test_a_players_lists_hold_their_own_matches_only(store: Store) -> None:
    mine, other = created(store, "ann"), created(store, "annie")
    assert (names(live(store, "ann")(None, 10)), names(live(store, "annie")(None, 10))) == (
        [mine.match.id],
        [other.match.id],
    )
    assert names(ended(store, "ann")(None, 10)) == []


def test_live_matches_come_by_creation_ended_ones_by_end_the_newest_first(store: Store) -> None:
    records = [created(store, at=NOW + i) for i in range(4)]
    assert paged(live(store, "ann"), 2) == [record.match.id for record in reversed(records)]
    order = (2, 0, 3, 1)
    for at, i in enumerate(order):
        record = started(store, records[i], NOW + 10)
        closed(store, finished(store, record, NOW + 100 + at))
    assert paged(ended(store, "ann"), 2) == [records[i].match.id for i in reversed(order)]
    assert paged(ended(store, "bob"), 3) == [records[i].match.id for i in reversed(order)]
    assert paged(live(store, "ann"), 2) == []


def test_a_players_cursor_stays_good_when_its_match_has_left_the_list(store: Store) -> None:
    records = [created(store, at=NOW + i) for i in range(5)]
    page = live(store, "ann")(None, 2)
    gone = store.matches.save(records[3], aborted(records[3]))
    assert page.places[-1].id == gone.match.id
    closed(store, gone)
    assert names(live(store, "ann")(page.places[-1].key, 2)) == [records[2].match.id, records[1].match.id]


def test_invitations_come_newest_first_and_page_by_page(store: Store) -> None:
    ids = [created(store, at=NOW + i, invited=("bob", "cyd")).match.id for i in range(5)]
    assert paged(invited(store, "bob"), 2) == ids[::-1]
    assert paged(invited(store, "cyd"), 5) == ids[::-1]
    assert paged(invited(store, "ann"), 5) == []
