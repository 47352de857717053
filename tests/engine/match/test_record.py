"""A match as a value: who sits where, and what is derived from it."""

import pytest

from engine.match import lobby
from engine.match.record import (
    Entry,
    last_event_at,
    logged,
    not_before,
    published,
    replaced,
    rules,
    seat_of,
    sitters,
)
from tests.engine.match.tables import START, opened, people, person


def test_a_player_has_a_seat_or_none() -> None:
    match = lobby.join(lobby.join(opened("liars-poker", 3), person(4), START), person(7), START)
    assert (seat_of(match, "ply-4"), seat_of(match, "ply-7"), seat_of(match, "ply-9")) == (0, 1, None)
    assert [sitter.player for sitter in sitters(match)] == ["ply-4", "ply-7"]


def test_a_change_to_a_sitter_makes_a_new_match_and_leaves_the_others() -> None:
    match = people("liars-poker", 3)
    after = replaced(match, 1, misses=2)
    assert [sitter.misses for sitter in sitters(after)] == [0, 2, 0]
    assert [sitter.misses for sitter in sitters(match)] == [0, 0, 0]


def test_nobody_sits_at_a_free_seat() -> None:
    with pytest.raises(LookupError):
        replaced(opened("misfortune"), 0, misses=1)


def test_a_match_of_a_game_that_the_house_does_not_have_is_noticed() -> None:
    with pytest.raises(LookupError, match="chess"):
        rules(opened("misfortune")._replace(game="chess"))


def test_events_are_numbered_from_one_whatever_was_put_away() -> None:
    match = opened("misfortune")
    assert (published(match), last_event_at(match)) == (0, START)
    match = logged(match, Entry(START + 5, 0, "one"), Entry(START + 9, 0, "two"))
    assert (published(match), published(match._replace(put_away=30)), last_event_at(match)) == (2, 32, START + 9)


@pytest.mark.parametrize(("at", "expected"), [(START, START + 9), (START + 9, START + 9), (START + 10, START + 10)])
def test_nothing_is_dated_before_the_last_event(at: int, expected: int) -> None:
    assert not_before(logged(opened("misfortune"), Entry(START + 9, 0, "one")), at) == expected
