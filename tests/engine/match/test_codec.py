"""A match as data for its store: it comes back as it was, also where a field is missing that has a default."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.clock import Clock, Pause
from engine.match import codec, lobby, play
from engine.match.record import Entry, Match, Sitter, Status
from engine.types import Json
from tests.engine.match import tables
from tests.engine.match.stories import Story, moments, stories
from tests.engine.match.tables import START, act, opened, people, person


def trimmed(fields: list[Json], kind: Any) -> list[Json]:
    """The fields of a record less those at the end that are as by default."""
    fields = list(fields)
    while fields and len(fields) - 1 >= len(kind._fields) - len(kind._field_defaults):
        if fields[-1] != json.loads(json.dumps(kind._field_defaults[kind._fields[len(fields) - 1]])):
            break
        fields.pop()
    return fields


def lean(data: dict[str, Json]) -> dict[str, Json]:
    """A dump as an earlier version would have written it: nothing that has its default."""
    left = dict(data)
    left["clock"] = trimmed(data["clock"], Clock)
    left["seats"] = [None if sitter is None else trimmed(sitter, Sitter) for sitter in data["seats"]]
    left["log"] = [trimmed(entry, Entry) for entry in data["log"]]
    for name, value in Match._field_defaults.items():
        if left[name] == json.loads(json.dumps(value)):
            del left[name]
    return left


def types_of(value: Any) -> Any:
    """The shape of a value: equal named tuples and tuples differ here."""
    if isinstance(value, tuple | list):
        return [type(value).__name__, *map(types_of, value)]
    return {name: types_of(inner) for name, inner in value.items()} if isinstance(value, dict) else None


@settings(max_examples=150, deadline=None)
@given(stories())
def test_a_match_comes_back_from_the_store_at_every_point(story: Story) -> None:
    for match in moments(story):
        assert tables.reload(match) == match


@settings(max_examples=50, deadline=None)
@given(stories(most=20))
def test_it_comes_back_in_the_same_types(story: Story) -> None:
    for match in moments(story):
        again = tables.reload(match)
        assert types_of(again._replace(state=None)) == types_of(match._replace(state=None))
        assert type(again.state) is type(match.state)
        assert isinstance(again.status, Status)


@settings(max_examples=80, deadline=None)
@given(stories())
def test_a_match_goes_on_from_the_store_as_it_would_have(story: Story) -> None:
    for match in moments(story):
        if match.status is Status.ACTIVE:
            assert tables.everybody(tables.reload(match)) == tables.everybody(match)


@settings(max_examples=80, deadline=None)
@given(stories())
def test_fields_that_are_missing_are_read_as_their_defaults(story: Story) -> None:
    for match in moments(story):
        data = lean(json.loads(tables.text(match)))
        assert "put_away" not in data
        assert codec.load(data) == match


@settings(max_examples=50, deadline=None)
@given(stories(most=20), st.sampled_from([0, 1, 2]))
def test_a_dump_is_json_without_floats_and_changes_nothing(story: Story, round_trips: int) -> None:
    for match in moments(story):
        stored = tables.text(match)
        again = match
        for _ in range(round_trips):
            again = tables.reload(again)
        assert tables.text(again) == stored
        json.loads(stored, parse_float=_no_float)


def _no_float(number: str) -> None:
    raise AssertionError(f"{number} is a float")


def test_a_match_comes_back_before_its_start_with_free_seats_between_taken_ones() -> None:
    match = opened("liars-poker", 4, {"digits": 5})
    for number in range(3):
        match = lobby.join(match, person(number, "ab"), START, key="k")
    match = lobby.leave(match, 1, START)
    for early in (opened("misfortune"), match, lobby.abort(match, START)):
        assert tables.reload(early) == early
        assert codec.load(lean(json.loads(tables.text(early)))) == early


def test_events_whose_cards_are_shown_briefly_or_to_some_come_back() -> None:
    match = people("misfortune", given={"recall": "event-only"})
    match = tables.everybody(match)
    assert [bool(entry.brief) for entry in match.log[-3:]] == [False, False, True]
    assert [entry.to for entry in match.log[-3:]] == [(0,), (1,), ()]
    assert tables.reload(match) == match


def test_a_put_away_log_is_counted_and_its_entries_come_back() -> None:
    match = tables.everybody(people("half-deck-poker"))
    short = match._replace(put_away=3, log=match.log[3:])
    assert tables.reload(short) == short
    assert [codec.load_entry(json.loads(json.dumps(entry))) for entry in match.log] == list(match.log)


def test_a_load_leaves_the_dump_as_it_was() -> None:
    data = json.loads(tables.text(act(people("misfortune"), 0)))
    kept = json.dumps(data)
    tables.everybody(codec.load(data))
    assert json.dumps(data) == kept


def test_secrets_are_in_the_dump_and_nowhere_else_to_be_found() -> None:
    """The store is the one place that may have them: who serializes a match for a caller has to go another way."""
    match = act(people("misfortune"), 0, {"type": "play", "card": "9c", "claim": "equal"})
    assert match.key in tables.text(match)
    assert "9c" in json.dumps(codec.dump(match)["seals"])
    for viewer in (1, None):
        assert match.key not in tables.observed(match, viewer)
        assert '"seals"' not in tables.observed(match, viewer)


@pytest.mark.parametrize("name", ["clock", "seats", "seals", "log", "result", "pauses", "", "game", "rules_version"])
def test_what_is_not_known_here_is_not_read_at_all(name: str) -> None:
    pause = Pause("vacation", 0, START + 5, START + 9)
    match = play.resign(play.pause(act(people("misfortune"), 0), pause, START + 5), play.Request(1, START + 6))
    data: dict[str, Any] = json.loads(tables.text(match))
    assert codec.load(data) == match
    if name in ("clock", "result"):
        data[name].append("new")
    elif name in ("seats", "seals", "log", "pauses"):
        data[name][0].append("new")
    else:
        data |= {name or "new": 99 if name == "rules_version" else "new"}
    with pytest.raises(codec.NewerError):
        codec.load(data)
