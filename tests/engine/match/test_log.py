"""What a viewer may read in the log, and what has happened since the viewer's last own action."""

import pytest
from hypothesis import given, settings

from engine import games
from engine.match import lobby, play
from engine.match.log import LAST_EVENTS, last_events, shown
from engine.match.record import By, Entry, Match, published, rules, sitters
from engine.types import Json, Seat
from tests.engine.match import tables
from tests.engine.match.stories import Story, moments, stories, tell
from tests.engine.match.tables import START, act, opened, people, person

every_game = pytest.mark.parametrize("game", games.IDS)
RESERVED = {"n", "at", "turn", "seat", "type", "by"}

ENTRY = Entry(
    START, 4, "play", 1, {"claim": "higher"}, By.PLAYER, "mark", 9, START - 5, {"card": "9h"}, (1, 2), {"seen": "2c"}
)


def log_of(match: Match, viewer: Seat | None) -> list[dict[str, Json]]:
    return [shown(entry, number, viewer, match.turn) for number, entry in enumerate(match.log, match.put_away + 1)]


def numbers(match: Match, viewer: Seat | None) -> list[int]:
    return [event["n"] for event in last_events(match, viewer)]


@pytest.mark.parametrize(("viewer", "knows"), [(0, False), (1, True), (2, True), (3, False), (None, False)])
def test_a_secret_is_shown_to_its_seats_only(viewer: Seat | None, knows: bool) -> None:
    event = shown(ENTRY, 7, viewer, 9)
    assert ("card" in event) is knows
    assert event["claim"] == "higher"


@pytest.mark.parametrize(("turn", "is_shown"), [(4, True), (5, True), (6, False), (7, False), (40, False)])
def test_what_is_shown_briefly_is_shown_until_the_next_decision_has_closed(turn: int, is_shown: bool) -> None:
    for viewer in (0, 1, None):
        assert ("seen" in shown(ENTRY, 7, viewer, turn)) is is_shown


def test_an_event_shows_its_number_its_time_its_maker_and_nothing_of_the_request() -> None:
    assert shown(ENTRY, 7, None, 9) == {
        "n": 7,
        "at": START,
        "turn": 4,
        "seat": 1,
        "type": "play",
        "by": "player",
        "claim": "higher",
    }


def test_what_nobody_made_has_no_maker() -> None:
    assert "by" not in shown(Entry(START, 1, "started"), 1, None, 1)


def test_the_seat_that_an_action_names_does_not_hide_whose_action_it_is() -> None:
    event = shown(Entry(START, 2, "trust", 0, {"seat": 3}, By.PLAYER), 5, None, 3)
    assert (event["seat"], event["chosen"]) == (0, 3)


@every_game
def test_nobody_names_a_part_of_an_event_as_the_log_names_its_own(game: str) -> None:
    match = people(game, rules(people(game)).SEATS[1])
    for _ in range(30):
        match = tables.everybody(match)
    for entry in match.log:
        assert not RESERVED & set(entry.secret)
        assert not RESERVED & set(entry.brief)
        assert RESERVED & set(entry.data) <= {"seat"}
        assert not set(entry.data) & (set(entry.secret) | set(entry.brief) | {"chosen"})


@settings(max_examples=100, deadline=None)
@given(stories())
def test_no_viewer_reads_a_secret_of_others_or_who_acted_when_in_secret(story: Story) -> None:
    for match in moments(story):
        for viewer in (*range(story.seats), None):
            for entry, event in zip(match.log, log_of(match, viewer), strict=True):
                extra = set(event) - RESERVED - {"chosen"} - set(entry.data)
                allowed = set(entry.secret) if viewer in entry.to else set()
                if match.turn <= entry.turn + 1:
                    allowed |= set(entry.brief)
                assert extra == allowed
                assert not {"key", "move", "committed"} & set(event)


@settings(max_examples=100, deadline=None)
@given(stories())
def test_what_has_been_read_in_the_log_stays_as_it_is_but_for_what_is_shown_briefly(story: Story) -> None:
    for deed in tell(story):
        for viewer in (*range(story.seats), None):
            before, after = log_of(deed.before, viewer), log_of(deed.after, viewer)
            for entry, old, new in zip(deed.before.log, before, after, strict=False):
                brief = set(entry.brief)
                assert new in (old, {name: value for name, value in old.items() if name not in brief})
            assert len(after) >= len(before)


def test_briefly_shown_cards_are_gone_once_the_next_round_is_over() -> None:
    match = tables.everybody(people("misfortune", given={"recall": "event-only"}))
    conflict = len(match.log)
    assert "cards" in log_of(match, None)[conflict - 1]
    match = act(match, 0)
    assert "cards" in log_of(match, None)[conflict - 1]
    match = act(match, 1)
    assert "cards" not in log_of(match, None)[conflict - 1]
    assert "cards" not in log_of(match, 0)[conflict - 1]


def test_last_events_are_those_since_the_own_action() -> None:
    match = people("liars-poker", 4)
    order = [(play.asked(match)[0] + place) % 4 for place in range(4)]
    for seat in order:
        match = act(match, seat)
    start = len(match.log) - 4
    for place, seat in enumerate(order):
        assert numbers(match, seat) == list(range(start + place + 2, len(match.log) + 1))
    assert numbers(match, None) == list(range(1, len(match.log) + 1))


def test_what_ones_own_action_led_to_is_among_the_last_events_and_the_action_is_not() -> None:
    match = tables.everybody(people("misfortune"))
    assert [(event["type"], event["seat"]) for event in last_events(match, 1)] == [("play", 0), ("conflict", None)]
    assert [(event["type"], event["seat"]) for event in last_events(match, 0)] == [("play", 1), ("conflict", None)]


def test_a_sealed_choice_clears_ones_own_last_events_only() -> None:
    match = tables.everybody(people("misfortune"))
    after = act(match, 0)
    assert last_events(after, 0) == []
    assert last_events(after, 1) == last_events(match, 1)
    assert last_events(after, None) == last_events(match, None)


def test_a_missed_action_is_news_to_the_seat_that_missed_it() -> None:
    match = play.time_out(tables.everybody(people("misfortune")))
    assert [(event["seat"], event["by"]) for event in last_events(match, 0)[-3:-1]] == [(0, "clock"), (1, "clock")]


def test_the_end_is_news_to_who_resigned_and_the_resignation_is_not() -> None:
    match = tables.resign(people("misfortune"), 0)
    assert [event["type"] for event in last_events(match, 0)] == ["finished"]
    assert [event["type"] for event in last_events(match, 1)][-2:] == ["resign", "finished"]


def test_in_the_lobby_everything_is_news() -> None:
    match = lobby.join(lobby.join(opened("liars-poker", 3), person(0), START), person(1), START)
    assert numbers(match, 0) == numbers(match, 1) == numbers(match, None) == [1, 2]


def test_a_part_of_the_log_that_was_put_away_leaves_the_numbers_as_they_are() -> None:
    match = tables.everybody(people("half-deck-poker"))
    short = match._replace(put_away=2, log=match.log[2:])
    assert published(short) == published(match)
    assert numbers(short, None) == numbers(match, None)[2:]
    assert numbers(short, 0) == numbers(match, 0)
    assert numbers(tables.everybody(short), 0) == numbers(tables.everybody(match), 0)


@settings(max_examples=100, deadline=None)
@given(stories(most=100))
def test_last_events_are_at_most_twenty_the_newest_ones_in_order(story: Story) -> None:
    match = None
    seen = dict.fromkeys(range(story.seats), 0)
    for deed in tell(story):
        match = deed.after
        if deed.seat is not None and deed.what in ("act", "resign"):
            seen[deed.seat] = len(deed.before.log)
        for viewer in (*(seat for seat in range(story.seats) if seat not in story.bots), None):
            expected = [
                number
                for number, entry in [*enumerate(match.log, 1)][-LAST_EVENTS:]
                if viewer is None or (number > seen[viewer] and not (entry.seat == viewer and entry.by == By.PLAYER))
            ]
            assert numbers(match, viewer) == expected
            assert len(expected) <= 20
    if match is not None:
        assert [sitter.seen for seat, sitter in enumerate(sitters(match)) if seat not in story.bots] == [
            seen[seat] for seat in range(story.seats) if seat not in story.bots
        ]
