"""Clocks in play, as laws: whoever looks, and when; what a pause preserves; whose clock it is that stands still."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import clock
from engine.clock import Clock, Pause
from engine.errors import Refused
from engine.match import lobby, play
from engine.match.advance import advance
from engine.match.play import Request
from engine.match.record import By, Match, Status, published, sitters
from engine.replay import replay
from engine.types import EpochMs, Seat
from tests.engine.match import tables
from tests.engine.match.stories import TIMED, Story, moments, over, pick, stories, tell
from tests.engine.match.tables import START, act, opened, people, person

FISCHER = Clock("fischer", 60, "forfeit", increment=5, cap=90)
LONG = 10 * 366 * 86_400_000


def by_whom(match: Match, turn: int, seat: Seat) -> list[str]:
    """Who made the seat's choice of a decision, sealed ones included."""
    sealed = [choice.by for choice in match.seals if choice.seat == seat] if match.turn == turn else []
    return [*(str(entry.by) for entry in tables.choices(match, turn) if entry.seat == seat), *sealed]


@settings(max_examples=120, deadline=None)
@given(stories(clocks=TIMED), st.sampled_from((-1, 0, 1)), st.integers(0, 2**32), st.booleans())
def test_around_its_deadline_a_seat_has_either_chosen_or_missed(
    story: Story, offset: int, seed: int, is_looked_at: bool
) -> None:
    """Before it the choice counts, whoever looked before; from it on the time-out does."""
    rng = Random(seed)
    for match in moments(story):
        if match.status is not Status.ACTIVE:
            return
        able = [seat for seat in play.awaited(match) if not sitters(match)[seat].bot]
        if not able or rng.random() < 0.5:
            continue
        seat = rng.choice(able)
        limit = play.deadline(match, seat)
        assert limit is not None
        at, action = limit + offset, pick(match, seat, rng)
        now = advance(match, at) if is_looked_at else match
        if offset < 0:
            chosen = play.act(now, Request(seat, at), match.turn, action)
            assert by_whom(advance(chosen, at + LONG), match.turn, seat) == [By.PLAYER]
            continue
        with pytest.raises(Refused):
            play.act(now, Request(seat, at), match.turn, action)
        timed_out = advance(match, at + LONG)
        assert By.PLAYER not in by_whom(timed_out, match.turn, seat)
        assert sitters(timed_out)[seat].left or by_whom(timed_out, match.turn, seat) == [By.CLOCK]


@settings(max_examples=80, deadline=None)
@given(stories(clocks=TIMED), st.lists(st.integers(0, 400_000), max_size=5))
def test_how_often_a_match_is_looked_at_makes_no_difference(story: Story, looks: list[int]) -> None:
    *_, match = moments(story)
    seen = match
    for at in sorted(looks):
        seen = advance(seen, match.opened_at + at)
    assert advance(seen, match.opened_at + LONG) == advance(match, match.opened_at + LONG)
    assert replay(over(seen)) == over(match)


def left_at(match: Match, seat: Seat, at: EpochMs) -> int:
    """What the running clock of a seat has left at a moment."""
    sitter, pauses = sitters(match)[seat], clock.of_seat(match.pauses, seat)
    whole = clock.total(match.clock, clock.Reserve(sitter.reserve_ms, sitter.periods))
    return whole - clock.elapsed(match.opened_at, at, pauses)


@settings(max_examples=80, deadline=None)
@given(stories(clocks=TIMED, bots=False), st.integers(0, 10**8), st.integers(0, 10**7), st.none() | st.integers(0, 9))
def test_what_remained_when_a_pause_began_remains_at_its_end(
    story: Story, length: int, late: int, cut: int | None
) -> None:
    """Also where it is written in late, or is cut short."""
    for deed in tell(story):
        match = deed.after
        if match.status is not Status.ACTIVE or match.pauses:
            continue
        start = max(deed.at, match.opened_at)
        end = start + length
        paused = play.pause(match, Pause("p", None, start, end), start + late)
        if cut is not None:
            end = start + length * cut // 10
            paused = play.resume(paused, "p", end)
        for seat in play.asked(match):
            before, limit = left_at(match, seat, start), play.deadline(match, seat)
            assert limit is not None
            if before > 0:
                assert left_at(paused, seat, end) == before
                assert play.deadline(paused, seat) == end + before
            else:
                assert play.deadline(paused, seat) == limit


def test_a_pause_is_its_seats_also_when_seats_are_numbered_anew() -> None:
    """Who is at seat 2 of the lobby may have seat 1 in the match."""
    match = opened("liars-poker", 5)
    for number in range(4):
        match = lobby.join(match, person(number), START)
    match = play.pause(match, Pause("p", 3, START, START + 100_000), START)
    match = lobby.leave(match, 1, START)
    match = lobby.start(match, 0, START)
    assert [sitter.player for sitter in sitters(match)] == ["ply-0", "ply-2", "ply-3"]
    assert [pause.seat for pause in match.pauses] == [2]
    for seat in range(3):
        assert play.deadline(match, seat) == START + 60_000 + (100_000 if seat == 2 else 0)


def test_a_pause_goes_with_who_gives_up_the_seat() -> None:
    match = opened("liars-poker", 3)
    for number in range(2):
        match = lobby.join(match, person(number), START)
    match = play.pause(match, Pause("all", None, START, START + 5_000), START)
    match = play.pause(match, Pause("p", 1, START, START + 100_000), START)
    match = lobby.join(lobby.leave(match, 1, START), person(7), START)
    match = lobby.start(match, 0, START)
    assert [pause.id for pause in match.pauses] == ["all"]
    assert play.deadline(match, 1) == START + 65_000


def test_a_pause_that_was_cut_short_says_until_when_it_lasted_and_is_replayed() -> None:
    match = people("misfortune")
    match = play.pause(match, Pause("p", 1, START + 10_000, START + 90_000), START + 10_000)
    match = play.pause(match, Pause("q", 1, START + 10_000, START + 80_000), START + 10_000)
    match = play.resume(match, "p", START + 30_000)
    match = play.resume(match, "q", START + 20_000)
    assert [entry.data for entry in match.log[-2:]] == [{"until": START + 30_000}, {"until": START + 20_000}]
    assert play.deadline(match, 1) == START + 80_000
    match = tables.resign(act(match, 0), 1)
    assert replay(match) == match


def test_the_ids_of_pauses_are_shown_to_nobody() -> None:
    match = play.pause(people("misfortune"), Pause("secret-id", 1, START, START + 5_000), START)
    for viewer in (None, 0, 1):
        assert "secret-id" not in tables.observed(match, viewer)


@pytest.mark.parametrize("late", [0, 1])
def test_a_pause_of_one_seat_does_not_keep_the_others_time_from_running_out(late: Seat) -> None:
    match = people("misfortune", of=FISCHER)
    match = play.pause(match, Pause("p", 1 - late, START, START + 500_000), START)
    match = advance(match, START + 60_000)
    assert not play.may_act(match, late, START + 60_000)
    assert play.closes_at(match) == START + 560_000
    before = published(match)
    match = act(match, 1 - late, after=510_000)
    assert tables.lefts(match)[late] == "timeout"
    assert sitters(match)[late].left_at == START + 510_000
    assert [entry.at for entry in match.log[before:]] == [START + 510_000] * (published(match) - before)
