"""Matches: what is stored is read again, and every write names what it expects."""

from typing import Any

import pytest

from engine import games
from engine.match.play import asked
from functions.shared.store.ports import ConflictError
from tests.storage.backend import Store
from tests.storage.examples import (
    DAY,
    NOW,
    aborted,
    acted,
    joined,
    left,
    new_id,
    open_match,
    outcome,
    resigned,
    told,
)
from tests.storage.lives import created, finished, started

EVERYTHING: dict[str, Any] = {
    "private": True,
    "join_code": "ABCDEFGHJK",
    "invited": ("ply-2", "ply-3"),
    "rating_range": (1200, 1800),
    "talk": False,
}


def live(store: Store, player: str) -> list[str]:
    return [place.id for place in store.matches.of_player(player, ended=False, before=None, limit=50).places]


def ended(store: Store, player: str) -> list[str]:
    return [place.id for place in store.matches.of_player(player, ended=True, before=None, limit=50).places]


def invited(store: Store, player: str) -> list[str]:
    return [place.id for place in store.matches.invited(player, None, 50).places]


# Reading


def test_a_match_that_was_never_stored_is_none(store: Store) -> None:
    assert store.matches.get("mat-none") is None


@pytest.mark.parametrize("game", games.IDS)
def test_a_match_is_read_as_it_was_stored_at_every_point_of_its_life(store: Store, game: str) -> None:
    record = store.matches.create(open_match("ann", game), "ann", None)
    assert store.matches.get(record.match.id) == record
    for number in range(1, len(record.match.seats)):
        record = store.matches.seat(record, joined(record, f"player-{number}"), f"player-{number}")
        assert store.matches.get(record.match.id) == record
    seat = asked(record.match)[0]
    record = store.matches.save(record, acted(record, seat, key="a-key"))
    assert store.matches.get(record.match.id) == record
    while record.match.result is None:
        record = store.matches.save(record, resigned(record, asked(record.match)[-1]))
        assert store.matches.get(record.match.id) == record
    record = store.matches.close(record, record._replace(settled=True))
    assert store.matches.get(record.match.id) == record
    assert record.settled


def test_who_may_see_and_join_a_match_is_kept_with_it(store: Store) -> None:
    record = store.matches.create(open_match("ann", **EVERYTHING), "ann", None)
    read = store.matches.get(record.match.id)
    assert read is not None
    assert {name: getattr(read, name) for name in EVERYTHING} == EVERYTHING
    assert (read.rated, read.expires_at) == (True, NOW + 14 * DAY)


def test_several_matches_come_in_the_order_asked_for_without_those_that_do_not_exist(store: Store) -> None:
    records = [store.matches.create(open_match("ann"), "ann", None) for _ in range(4)]
    wanted = [records[2], records[0], records[3]]
    ids = [wanted[0].match.id, "mat-none", *[record.match.id for record in wanted[1:]]]
    assert store.matches.get_many(ids) == wanted
    assert store.matches.get_many([]) == []
    assert store.matches.get_many(["mat-none"]) == []


def test_a_hundred_matches_come_at_once(store: Store) -> None:
    ids = [store.matches.create(open_match("ann"), "ann", None).match.id for _ in range(100)]
    ids.reverse()
    assert [record.match.id for record in store.matches.get_many(ids)] == ids


# Creating


def test_a_new_match_has_version_one_and_enters_its_creators_list_and_the_invitations(store: Store) -> None:
    record = store.matches.create(open_match("ann", invited=("bob", "cyd")), "ann", None)
    assert record.version == 1
    assert (live(store, "ann"), live(store, "bob")) == ([record.match.id], [])
    assert (invited(store, "bob"), invited(store, "cyd"), invited(store, "ann")) == ([record.match.id],) * 2 + ([],)


def test_a_match_that_exists_is_not_created_again_and_nothing_is_written(store: Store) -> None:
    first = store.matches.create(open_match("ann"), "ann", None)
    again = first._replace(version=0, invited=("cyd",), talk=False)
    with pytest.raises(ConflictError):
        store.matches.create(again, "bob", outcome("bob"))
    assert store.matches.get(first.match.id) == first
    assert (live(store, "bob"), invited(store, "cyd")) == ([], [])
    assert store.players.remembered("bob", "mark", NOW) is None


def test_a_key_that_came_before_creates_nothing(store: Store) -> None:
    store.matches.create(open_match("ann"), "ann", outcome("ann", made="first"))
    second = open_match("ann", invited=("bob",))
    with pytest.raises(ConflictError):
        store.matches.create(second, "ann", outcome("ann", made="second"))
    assert store.matches.get(second.match.id) is None
    assert invited(store, "bob") == []
    known = store.players.remembered("ann", "mark", NOW)
    assert known is not None
    assert known.ids == ("first",)


def test_a_key_that_has_expired_creates_again_whether_or_not_it_was_swept_up(store: Store) -> None:
    store.matches.create(open_match("ann"), "ann", outcome("ann", made="first"))
    later = outcome("ann", made="second", at=NOW + 2 * DAY)
    with pytest.raises(ConflictError):
        store.matches.create(open_match("ann"), "ann", later._replace(at=later.at - 1))
    second = store.matches.create(open_match("ann"), "ann", later)
    assert store.matches.get(second.match.id) == second
    assert store.players.remembered("ann", "mark", later.at) == later


def test_keys_of_other_owners_and_routes_are_other_keys(store: Store) -> None:
    for remembered in (outcome("ann", "a"), outcome("ann", "b"), outcome("bob", "a")):
        store.matches.create(open_match(remembered.owner), remembered.owner, remembered)
    assert (len(live(store, "ann")), len(live(store, "bob"))) == (2, 1)


def test_a_rematch_is_created_together_with_the_mark_that_the_old_match_gets(store: Store) -> None:
    old = finished(store, started(store, created(store)))
    new = open_match("ann", reserved=("ann", "bob"))
    made = store.matches.create(new, "ann", None, (old, old._replace(rematch=new.match.id)))
    assert store.matches.get(new.match.id) == made
    assert made.reserved == ("ann", "bob")
    assert store.matches.get(old.match.id) == old._replace(rematch=new.match.id, version=old.version + 1)


def test_a_match_that_has_a_rematch_or_has_changed_gets_none(store: Store) -> None:
    old = finished(store, started(store, created(store)))
    first, second = open_match("ann"), open_match("bob")
    store.matches.create(first, "ann", None, (old, old._replace(rematch=first.match.id)))
    with pytest.raises(ConflictError):
        store.matches.create(second, "bob", outcome("bob"), (old, old._replace(rematch=second.match.id)))
    stored = store.matches.get(old.match.id)
    assert stored is not None
    assert stored.rematch == first.match.id
    assert store.matches.get(second.match.id) is None
    assert second.match.id not in live(store, "bob")
    assert store.players.remembered("bob", "mark", NOW) is None


# Saving


def test_a_save_counts_the_version_and_gives_what_is_stored(store: Store) -> None:
    first = store.matches.create(open_match("ann"), "ann", None)
    second = store.matches.save(first, told(first, 1))
    third = store.matches.save(second, told(second, 1))
    assert [record.version for record in (first, second, third)] == [1, 2, 3]
    assert store.matches.get(first.match.id) == third


def test_a_save_on_a_version_that_has_passed_changes_nothing(store: Store) -> None:
    first = store.matches.create(open_match("ann"), "ann", None)
    second = store.matches.save(first, told(first, 1, "second"))
    with pytest.raises(ConflictError):
        store.matches.save(first, told(first, 1, "late"))
    with pytest.raises(ConflictError):
        store.matches.save(second._replace(version=3), told(second, 1, "early"))
    assert store.matches.get(first.match.id) == second


def test_what_was_never_created_can_not_be_saved(store: Store) -> None:
    record = open_match("ann")._replace(version=1)
    with pytest.raises(ConflictError):
        store.matches.save(record, told(record, 1))
    assert store.matches.get(record.match.id) is None


# Seating


def test_a_seat_is_taken_in_the_match_and_in_the_players_list_and_the_invitation_is_used_up(store: Store) -> None:
    record = store.matches.create(open_match("ann", size=3, invited=("bob", "cyd")), "ann", None)
    record = store.matches.seat(record, joined(record, "bob"), "bob")
    assert store.matches.get(record.match.id) == record
    assert (live(store, "bob"), invited(store, "bob")) == ([record.match.id], [])
    assert (live(store, "cyd"), invited(store, "cyd")) == ([], [record.match.id])


def test_a_seat_in_a_match_that_has_changed_is_not_taken(store: Store) -> None:
    first = store.matches.create(open_match("ann", invited=("bob",)), "ann", None)
    second = store.matches.save(first, told(first, 1))
    with pytest.raises(ConflictError):
        store.matches.seat(first, joined(first, "bob"), "bob")
    assert store.matches.get(first.match.id) == second
    assert (live(store, "bob"), invited(store, "bob")) == ([], [first.match.id])


def test_who_leaves_a_match_has_it_no_longer_in_their_list_and_may_come_back(store: Store) -> None:
    record = store.matches.create(open_match("ann", size=3), "ann", None)
    record = store.matches.seat(record, joined(record, "bob"), "bob")
    record = store.matches.unseat(record, left(record, 1), "bob")
    assert store.matches.get(record.match.id) == record
    assert (live(store, "ann"), live(store, "bob")) == ([record.match.id], [])
    record = store.matches.seat(record, joined(record, "bob"), "bob")
    assert live(store, "bob") == [record.match.id]


def test_nobody_leaves_a_match_that_has_changed(store: Store) -> None:
    record = store.matches.create(open_match("ann", size=3), "ann", None)
    first = store.matches.seat(record, joined(record, "bob"), "bob")
    second = store.matches.save(first, told(first, 1))
    with pytest.raises(ConflictError):
        store.matches.unseat(first, left(first, 1), "bob")
    assert store.matches.get(first.match.id) == second
    assert live(store, "bob") == [first.match.id]


# Closing


def test_a_closed_match_moves_to_the_ended_ones_of_all_its_players(store: Store) -> None:
    record = store.matches.create(open_match("ann"), "ann", None)
    record = store.matches.seat(record, joined(record, "bob"), "bob")
    record = store.matches.save(record, resigned(record, 0))
    match_id = record.match.id
    assert (live(store, "ann"), ended(store, "ann")) == ([match_id], [])
    record = store.matches.close(record, record._replace(settled=True))
    assert store.matches.get(match_id) == record
    for player in ("ann", "bob"):
        assert (live(store, player), ended(store, player)) == ([], [match_id])


def test_invitations_to_a_closed_match_are_gone(store: Store) -> None:
    record = store.matches.create(open_match("ann", invited=("bob", "cyd")), "ann", None)
    record = store.matches.save(record, aborted(record))
    assert invited(store, "bob") == [record.match.id]
    store.matches.close(record, record._replace(settled=True))
    assert (invited(store, "bob"), invited(store, "cyd")) == ([], [])


def test_a_match_that_has_changed_is_not_closed(store: Store) -> None:
    record = store.matches.create(open_match("ann", invited=("bob",)), "ann", None)
    first = store.matches.save(record, aborted(record))
    second = store.matches.close(first, first._replace(settled=True))
    with pytest.raises(ConflictError):
        store.matches.close(first, first._replace(settled=True))
    assert store.matches.get(first.match.id) == second
    assert (live(store, "ann"), ended(store, "ann")) == ([], [first.match.id])


def test_a_conflict_on_closing_moves_the_match_in_nobodys_list(store: Store) -> None:
    first = store.matches.create(open_match("ann", invited=("bob",)), "ann", None)
    store.matches.save(first, told(first, 1))
    with pytest.raises(ConflictError):
        store.matches.close(first, aborted(first)._replace(settled=True))
    assert (live(store, "ann"), ended(store, "ann"), invited(store, "bob")) == ([first.match.id], [], [first.match.id])


def test_matches_of_one_id_prefix_are_kept_apart(store: Store) -> None:
    short = open_match("ann")
    long = short._replace(match=short.match._replace(id=short.match.id + "0"))
    store.matches.create(short, "ann", None)
    store.matches.create(long, "ann", None)
    assert live(store, "ann") == [long.match.id, short.match.id]
    assert store.matches.get(new_id()) is None
