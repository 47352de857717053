"""A match before its start: seats, the start with all seats and with fewer, leaving, refusals."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import games
from engine.clock import Clock
from engine.errors import Code, Refused
from engine.games.options import default
from engine.match import lobby, play
from engine.match.record import Match, Status, all_options, ruleset, seat_of
from tests.engine.cases import Case, cases, find
from tests.engine.match import tables
from tests.engine.match.tables import START, opened, people, person

every_game = pytest.mark.parametrize("game", games.IDS)


def players(match: Match) -> list[str | None]:
    return [None if sitter is None else sitter.player for sitter in match.seats]


def refused(step: Callable[[], object]) -> Refused:
    with pytest.raises(Refused) as caught:
        step()
    return caught.value


@every_game
def test_a_match_is_created_with_free_seats_by_default_the_fewest_and_the_games_clock(game: str) -> None:
    match = lobby.create("m", game, None, {}, None, tables.KEY, START)
    assert match.seats == (None,) * find(game).SEATS[0]
    assert match.clock == Clock("per-move", find(game).MOVE_SECONDS, "default-action")
    assert (match.status, match.turn, match.state, play.asked(match)) == (Status.OPEN, 0, None, ())


@pytest.mark.parametrize(
    ("game", "size", "given", "loc"),
    [
        ("chess", None, {}, ("game",)),
        ("", None, {}, ("game",)),
        ("liars-poker", 1, {}, ("seats",)),
        ("liars-poker", 11, {}, ("seats",)),
        ("misfortune", 3, {}, ("seats",)),
        ("micro-poker", 0, {}, ("seats",)),
        ("micro-poker", -3, {}, ("seats",)),
        ("liars-poker", 2, {"cards": 1}, ("options", "cards")),
        ("liars-poker", 2, {"digits": 3}, ("options", "digits")),
        ("liars-poker", 2, {"digits": True}, ("options", "digits")),
        ("liars-poker", 2, {"digits": 8.0}, ("options", "digits")),
        ("liars-poker", 5, {"rounds": 11}, ("options", "rounds")),
        ("misfortune", None, {"ace": "middle"}, ("options", "ace")),
        ("half-deck-poker", None, {"min_raise": 1.0}, ("options", "min_raise")),
    ],
)
def test_what_no_match_can_be_is_refused_with_its_place(
    game: str, size: int | None, given: dict[str, object], loc: tuple[str, ...]
) -> None:
    why = refused(lambda: lobby.create("m", game, size, given, None, tables.KEY, START))
    assert (why.code, why.loc) == (Code.INVALID_REQUEST, loc)


def test_who_joins_takes_the_lowest_free_seat() -> None:
    match = opened("liars-poker", 4)
    for number in range(3):
        match = lobby.join(match, person(number), START)
    match = lobby.leave(match, 1, START)
    assert players(match) == ["ply-0", None, "ply-2", None]
    match = lobby.join(match, person(7), START)
    assert players(match) == ["ply-0", "ply-7", "ply-2", None]
    assert seat_of(match, "ply-7") == 1
    assert seat_of(match, "ply-1") is None
    assert tables.types(match) == ["joined", "joined", "joined", "unseated", "joined"]


def test_a_seat_that_is_wished_for_is_taken_if_it_is_free_else_the_lowest_free_one() -> None:
    match = lobby.join(opened("liars-poker", 4), person(0), START, wish=2)
    match = lobby.join(match, person(1), START, wish=2)
    match = lobby.join(match, person(2), START, wish=0)
    assert players(match) == ["ply-1", "ply-2", "ply-0", None]
    match = lobby.join(match, person(3), START, wish=3)
    assert (players(match)[3], match.status) == ("ply-3", Status.ACTIVE)


def test_a_creator_who_has_another_seat_than_the_first_starts_and_ends_the_match() -> None:
    match = opened("liars-poker", 4)._replace(host=2)
    match = lobby.join(lobby.join(match, person(0), START, wish=2), person(1), START)
    assert refused(lambda: lobby.start(match, 0, START)).code == Code.FORBIDDEN
    assert players(lobby.start(match, 2, START)) == ["ply-1", "ply-0"]
    assert lobby.leave(match, 0, START).status is Status.OPEN
    assert lobby.leave(match, 2, START).status is Status.ABORTED


@given(st.lists(st.integers(0, 7), max_size=30))
def test_whoever_comes_and_goes_each_player_has_one_seat_and_free_ones_are_filled_from_below(steps: list[int]) -> None:
    match = lobby.join(opened("liars-poker", 6), person(99), START)
    for number in steps:
        seat = seat_of(match, f"ply-{number}")
        if seat is not None:
            match = lobby.leave(match, seat, START)
            assert match.seats[seat] is None
        elif match.seats.count(None) > 1:
            lowest = match.seats.index(None)
            match = lobby.join(match, person(number), START)
            assert seat_of(match, f"ply-{number}") == lowest
        taken = [player for player in players(match) if player is not None]
        assert len(set(taken)) == len(taken)
        assert match.status is Status.OPEN


@every_game
def test_the_last_seat_starts_the_match(game: str) -> None:
    match = opened(game)
    for number in range(len(match.seats)):
        assert (match.status, match.turn) == (Status.OPEN, 0)
        match = lobby.join(match, person(number), START + number)
    last = START + len(match.seats) - 1
    assert (match.status, match.turn, match.started_at, match.opened_at) == (Status.ACTIVE, 1, last, last)
    assert tables.types(match) == ["joined"] * len(match.seats) + ["started"]
    assert play.asked(match) == find(game).pending(match.state) != ()
    assert play.closes_at(match) == last + 60_000


def test_a_start_with_fewer_closes_the_gaps_and_nonces_follow_their_seats() -> None:
    match = opened("liars-poker", 6)
    for number in range(4):
        match = lobby.join(match, person(number, nonce=f"0{number}"), START)
    match = lobby.leave(match, 1, START)
    match = lobby.start(match, 0, START + 5)
    assert players(match) == ["ply-0", "ply-2", "ply-3"]
    assert [sitter and sitter.nonce for sitter in match.seats] == ["00", "02", "03"]
    assert (match.status, match.turn, match.started_at) == (Status.ACTIVE, 1, START + 5)


def test_a_start_with_fewer_takes_the_defaults_of_the_seats_that_play() -> None:
    match = lobby.join(lobby.join(opened("liars-poker", 4), person(0), START), person(1), START)
    assert all_options(match)["rounds"] == 2
    match = lobby.start(match, 0, START)
    assert all_options(match)["rounds"] == 5
    assert find("liars-poker").view(match.state, None)["rounds"] == 5
    assert ruleset(match) == "liars-poker@1"


def test_an_option_that_is_the_default_of_the_seats_that_play_is_left_out_of_the_ruleset() -> None:
    match = lobby.join(lobby.join(opened("liars-poker", 4, {"rounds": 5}), person(0), START), person(1), START)
    assert ruleset(match) == 'liars-poker@1 {"rounds":5}'
    match = lobby.start(match, 0, START)
    assert (ruleset(match), match.options, all_options(match)["rounds"]) == ("liars-poker@1", {}, 5)


def test_an_option_that_was_chosen_stays_when_fewer_start() -> None:
    match = lobby.join(lobby.join(opened("liars-poker", 4, {"rounds": 3}), person(0), START), person(1), START)
    match = lobby.start(match, 0, START)
    assert (ruleset(match), all_options(match)["rounds"]) == ('liars-poker@1 {"rounds":3}', 3)


def test_fewer_seats_do_not_start_with_an_option_that_is_too_large_for_them() -> None:
    match = opened("micro-poker", 6, {"max_turns": 120})
    for number in range(3):
        match = lobby.join(match, person(number), START)
    why = refused(lambda: lobby.start(match, 0, START))
    assert why.code == Code.CONFLICT
    assert "max_turns" in why.detail
    assert "90" in why.detail
    match = lobby.start(lobby.join(match, person(3), START), 0, START)
    assert (match.status, all_options(match)["max_turns"]) == (Status.ACTIVE, 120)


@every_game
def test_options_equal_to_their_defaults_do_not_count(game: str) -> None:
    low, high = find(game).SEATS
    for size in range(low, high + 1):
        for option in find(game).OPTIONS:
            match = opened(game, size, {option.name: default(option, size)})
            assert (match.options, ruleset(match)) == ({}, f"{game}@1")


@every_game
def test_all_options_hold_what_was_given_and_the_defaults(game: str) -> None:
    for case in cases(game):
        match = opened(game, case.seats, dict(case.given))
        own = {option.name: default(option, case.seats) for option in find(game).OPTIONS}
        assert all_options(match) == own | dict(case.given)
        assert match.options == {name: value for name, value in case.given if value != own[name]}


def test_when_the_creator_leaves_the_match_is_aborted() -> None:
    match = lobby.join(lobby.join(opened("liars-poker", 3), person(0), START), person(1), START)
    match = lobby.leave(match, 0, START + 9, key="k")
    assert (match.status, match.ended_at, match.result) == (Status.ABORTED, START + 9, None)
    assert tables.types(match)[-2:] == ["unseated", "aborted"]
    assert match.log[-2].key == "k"


def test_a_match_that_will_not_begin_is_aborted() -> None:
    match = lobby.abort(lobby.join(opened("liars-poker", 3), person(0), START), START + 9)
    assert (match.status, match.ended_at) == (Status.ABORTED, START + 9)
    assert (play.asked(match), play.closes_at(match)) == ((), None)


def test_events_of_the_lobby_stand_in_the_order_of_their_times_when_requests_overtake_one_another() -> None:
    match = lobby.join(opened("liars-poker", 4), person(0), START + 100)
    match = lobby.join(match, person(1), START + 300)
    match = lobby.join(match, person(2), START + 200)
    match = lobby.leave(match, 2, START + 250)
    match = lobby.start(match, 0, START + 290)
    assert [entry.at - START for entry in match.log] == [100, 300, 300, 300, 300]
    assert (match.started_at, match.opened_at) == (START + 300, START + 300)


def test_a_match_is_not_aborted_before_its_last_event() -> None:
    match = lobby.abort(lobby.join(opened("liars-poker", 3), person(0), START + 100), START + 50)
    assert match.ended_at == match.log[-1].at == START + 100


def _open(taken: int = 1) -> Match:
    match = opened("liars-poker", 3)
    for number in range(taken):
        match = lobby.join(match, person(number), START)
    return match


def _over() -> Match:
    return tables.resign(people("liars-poker", 2), 0)


REFUSALS: dict[str, tuple[Callable[[], object], Code]] = {
    "join twice": (lambda: lobby.join(_open(), person(0), START), Code.ALREADY_JOINED),
    "join one's own full match": (lambda: lobby.join(people("liars-poker"), person(1), START), Code.ALREADY_JOINED),
    "join one's own match that is over": (lambda: lobby.join(_over(), person(1), START), Code.ALREADY_JOINED),
    "join a full match": (lambda: lobby.join(people("liars-poker"), person(5), START), Code.MATCH_FULL),
    "join what started with fewer": (
        lambda: lobby.join(lobby.start(_open(2), 0, START), person(5), START),
        Code.MATCH_FULL,
    ),
    "join a match that is over": (lambda: lobby.join(_over(), person(5), START), Code.MATCH_NOT_OPEN),
    "join an aborted match": (
        lambda: lobby.join(lobby.abort(_open(), START), person(5), START),
        Code.MATCH_NOT_OPEN,
    ),
    "leave after the start": (lambda: lobby.leave(people("liars-poker"), 1, START), Code.MATCH_NOT_OPEN),
    "leave after the end": (lambda: lobby.leave(_over(), 1, START), Code.MATCH_NOT_OPEN),
    "abort after the start": (lambda: lobby.abort(people("liars-poker"), START), Code.MATCH_NOT_OPEN),
    "abort twice": (lambda: lobby.abort(lobby.abort(_open(), START), START), Code.MATCH_NOT_OPEN),
    "start twice": (lambda: lobby.start(people("liars-poker"), 0, START), Code.MATCH_NOT_OPEN),
    "start what another created": (lambda: lobby.start(_open(2), 1, START), Code.FORBIDDEN),
    "start what another created and has started": (
        lambda: lobby.start(people("liars-poker"), 1, START),
        Code.FORBIDDEN,
    ),
    "start alone": (lambda: lobby.start(_open(), 0, START), Code.CONFLICT),
    "nonce after the start": (lambda: lobby.set_nonce(people("liars-poker"), 0, "00"), Code.MATCH_NOT_OPEN),
    "nonce after the end": (lambda: lobby.set_nonce(_over(), 0, "00"), Code.MATCH_NOT_OPEN),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_each_refusal_of_the_lobby_has_its_code(name: str) -> None:
    step, code = REFUSALS[name]
    assert refused(step).code == code


@every_game
def test_a_start_needs_the_seats_that_the_game_needs(game: str) -> None:
    low, high = find(game).SEATS
    match = opened(game, high)
    for number in range(low - 1):
        match = lobby.join(match, person(number), START)
    why = refused(lambda: lobby.start(match, 0, START))
    assert why.code == Code.CONFLICT
    assert str(low) in why.detail
    match = lobby.join(match, person(99), START)
    started = match if match.status is Status.ACTIVE else lobby.start(match, 0, START)
    assert (started.status, len(started.seats)) == (Status.ACTIVE, low)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([case for game in games.IDS for case in cases(game)]))
def test_a_match_with_any_options_starts_at_its_first_decision(case: Case) -> None:
    match = people(case.game, case.seats, dict(case.given))
    assert (match.status, match.turn, match.moves, match.seals) == (Status.ACTIVE, 1, 0, ())
    assert play.awaited(match) == play.asked(match) != ()
