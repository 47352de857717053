"""What a replay needs, what it finds, and what it refuses (`engine.replay`)."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.clock import Clock, Pause, parse, per_move
from engine.errors import Refused
from engine.match import lobby, play
from engine.match.advance import advance
from engine.match.record import Match, Sitter, Status
from engine.replay import action_of, replay

KEY = bytes(range(32))
T0 = 1_764_460_800_000
HOUR = 3_600_000


def opened(game: str = "misfortune", seats: int = 2, clock: Clock | None = None, **options: Any) -> Match:
    return lobby.create("mat_1", game, seats, options, clock or per_move(3600), KEY, T0)


def sitter(number: int, bot: str = "") -> Sitter:
    return Sitter(f"player-{number}", f"Name {number}", 1500 + number, bot=bot, nonce=f"{number:02x}")


def started(game: str = "misfortune", seats: int = 2, clock: Clock | None = None) -> Match:
    match = opened(game, seats, clock)
    for number in range(seats):
        match = lobby.join(match, sitter(number), T0 + number, f"joins {number}")
    return match


def acts(match: Match, seat: int, place: int, at: int) -> Match:
    action = play.legal(match, seat).actions[place]
    return play.act(match, play.Request(seat, at, key=f"key {match.moves}"), match.turn, action)


def resigns(match: Match, seat: int, at: int) -> Match:
    return play.resign(match, play.Request(seat, at, key="resigns"))


def runs_out(match: Match) -> Match:
    return advance(match, T0 + 1000 * HOUR)


def left_before_the_start() -> Match:
    match = opened("liars-poker", 4)
    for number in range(3):
        match = lobby.join(match, sitter(number), T0, f"{number}")
    match = lobby.leave(match, 1, T0 + 1, "leaves")
    match = lobby.join(match, sitter(3), T0 + 2, "3")
    match = lobby.leave(match, 2, T0 + 3)
    return runs_out(lobby.start(match, 0, T0 + 4, "starts"))


def aborted_by_its_creator() -> Match:
    match = lobby.join(opened("liars-poker", 5), sitter(0), T0)
    match = lobby.join(match, sitter(1), T0 + 5, "one")
    return lobby.leave(match, 0, T0 + 6, "leaves")


def expired() -> Match:
    return lobby.abort(lobby.join(opened(), sitter(0), T0), T0 + 14 * 24 * HOUR)


def nobody_acted() -> Match:
    return runs_out(started())


def resigned_with_a_sealed_choice_open() -> Match:
    match = acts(started(), 1, 5, T0 + 10)
    return resigns(match, 0, T0 + 20)


def sealed_and_run_out() -> Match:
    match = acts(started(), 1, 3, T0 + 10)
    return resigns(advance(match, T0 + 3 * HOUR), 1, T0 + 3 * HOUR)


def taken_out() -> Match:
    match = started("micro-poker", 4)
    first, second, third = play.awaited(match)
    match = acts(match, third, 0, T0 + 10)
    match = play.forfeit(match, first, T0 + 20)
    match = resigns(match, second, T0 + 30)
    return runs_out(match)


def with_bots() -> Match:
    match = lobby.join(opened("liars-poker", 3), sitter(0), T0)
    for number in (1, 2):
        match = lobby.join(match, sitter(number, "house"), T0)
    return runs_out(advance(match, T0))


def overtaken_past_its_deadline() -> Match:
    """A seat with two seconds left chooses in time, and is committed after another one that resigned at five."""
    clock = parse({"kind": "fischer", "seconds": 10, "increment": 0, "cap": 60})
    match = started("micro-poker", 4, clock)
    strangers, opened_at = play.awaited(match), match.opened_at
    (tourist,) = set(range(4)) - set(strangers)
    slow = (tourist + 2) % 4
    quick = [seat for seat in strangers if seat != slow]
    for seat, spent in ((quick[0], 1000), (quick[1], 1000), (slow, 8000), (tourist, 8000)):
        match = acts(match, seat, 0, opened_at + spent)
    first, last = (seat for seat in play.awaited(match) if seat != slow)
    opened_at = match.opened_at
    match = resigns(match, first, opened_at + 5000)
    for seat, spent in ((slow, 1999), (last, 6000)):
        match = acts(match, seat, 0, opened_at + spent)
    assert [entry.committed for entry in match.log if (entry.turn, entry.seat) == (3, slow)] == [opened_at + 5000]
    return runs_out(match)


def paused() -> Match:
    match = acts(started(), 0, 0, T0 + 10)
    match = play.pause(match, Pause("outage", None, T0 + 20, T0 + HOUR), T0 + 30)
    match = play.pause(match, Pause("vacation", 1, T0 + HOUR, T0 + 50 * HOUR), T0 + 40)
    match = acts(match, 1, 0, T0 + 2 * HOUR)
    match = acts(match, 0, 0, T0 + 2 * HOUR + 1)
    match = play.resume(match, "vacation", T0 + 10 * HOUR)
    return runs_out(match)


def paused_while_it_ends() -> Match:
    match = play.pause(started(), Pause("vacation", 1, T0, T0 + 50 * HOUR), T0 + 40)
    return resigns(match, 0, T0 + 50)


STORIES = (
    *(left_before_the_start, aborted_by_its_creator, expired, nobody_acted, resigned_with_a_sealed_choice_open),
    *(sealed_and_run_out, taken_out, with_bots, overtaken_past_its_deadline, paused, paused_while_it_ends),
)


@pytest.mark.parametrize("story", STORIES)
def test_a_match_that_has_ended_is_its_replay(story: Callable[[], Match]) -> None:
    match = story()
    assert match.status in (Status.FINISHED, Status.ABORTED)
    assert replay(match) == match


def test_an_action_is_read_from_its_entry_as_it_was_checked() -> None:
    match = acts(acts(started(), 0, 7, T0 + 10), 1, 2, T0 + 20)
    made = [action_of(entry) for entry in match.log if entry.move]
    assert made == [play.legal(started(), seat).actions[place] for seat, place in ((0, 7), (1, 2))]


def test_a_match_that_goes_on_is_not_replayed() -> None:
    with pytest.raises(ValueError, match="active"):
        replay(started())


def test_a_log_that_begins_in_the_middle_is_not_replayed() -> None:
    match = nobody_acted()
    with pytest.raises(ValueError, match="first 2 events"):
        replay(match._replace(log=match.log[2:], put_away=2))


def test_another_key_or_nonce_or_option_makes_another_match() -> None:
    match = with_bots()
    assert replay(match) == match
    for change in ({"key": bytes(32).hex()}, {"options": {"digits": 9}}, {"id": "mat_2"}):
        tampered = match._replace(**change)
        assert _differs(tampered)
    seats = (match.seats[0]._replace(nonce="ff"), *match.seats[1:])  # type: ignore[union-attr]
    assert _differs(match._replace(seats=seats))


def test_an_action_that_was_changed_afterwards_makes_another_match() -> None:
    match = sealed_and_run_out()
    place = next(i for i, entry in enumerate(match.log) if entry.by == "player" and entry.type == "play")
    entry = match.log[place]
    for changed in (
        entry._replace(data={"claim": "lower" if entry.data["claim"] != "lower" else "higher"}),
        entry._replace(secret={"card": "Kh"}),
        entry._replace(seat=0),
    ):
        assert _differs(match._replace(log=(*match.log[:place], changed, *match.log[place + 1 :])))


def test_a_result_that_was_changed_afterwards_is_found() -> None:
    match = resigned_with_a_sealed_choice_open()
    assert match.result is not None
    assert _differs(match._replace(result=match.result._replace(ranks=(1, 2))))


def _differs(match: Match) -> bool:
    try:
        return replay(match) != match
    except Refused:
        return True
