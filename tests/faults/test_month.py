"""Matches of all games over a virtual month: who looks, when, how often and in what order changes nothing (promises 3,
7 and 9). MONTH_SEED replays the month that a failure names."""

import os
import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest

from engine import games
from engine.clock import BYO_YOMI, FISCHER, NONE, PER_MOVE
from engine.match.record import sitters
from engine.replay import replay
from tests.engine.cases import tables
from tests.faults import month_checks as checks
from tests.faults import month_run
from tests.faults.month_events import Asked
from tests.faults.month_plan import Plan, plan
from tests.faults.month_stories import Story, stories
from tests.faults.month_unwatched import unwatched

DEFAULT = "8"
SEED = os.environ.get("MONTH_SEED")
MATCHES, SOAK = 48, 500
SCHEDULES = ("busy", "idle")


@cache
def month(seed: str, matches: int) -> tuple[Plan, tuple[Story, ...]]:
    planned = plan(seed, matches)
    return planned, stories(planned)


@contextmanager
def replayable(seed: str) -> Iterator[None]:
    """Let a failure say how to have it again."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"again: MONTH_SEED={seed}")
        raise


def check_month(seed: str, matches: int, schedule: str) -> None:
    """Lives through a month by a schedule, and holds each of its matches to its story."""
    with replayable(seed):
        planned, told = month(seed, matches)
        after = month_run.run(planned, told, schedule)
        for one in after.runs:
            checks.check_calls(one)
        images, inboxes = checks.versions(after), checks.told(after)
        for story in told:
            match_id = story.created.match.id
            checks.check_end(story, after)
            checks.check_settled(story, after)
            checks.check_versions(images[match_id])
            checks.check_notices(story.end, images[match_id], inboxes[match_id])


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_each_match_of_a_month_ends_once_as_and_when_its_record_says_whoever_looked_when(schedule: str) -> None:
    check_month(SEED or DEFAULT, MATCHES, schedule)


@pytest.mark.soak
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_so_does_each_of_five_hundred_in_a_month_that_was_never_seen_before(schedule: str) -> None:
    check_month(SEED or secrets.token_hex(4), SOAK, schedule)


@pytest.mark.parametrize("seed", [SEED] if SEED else list(map(str, range(10))))
def test_a_match_at_which_only_its_players_look_is_the_one_at_which_somebody_always_does(seed: str) -> None:
    with replayable(seed):
        planned, told = month(seed, MATCHES)
        for story in told:
            assert unwatched(planned, story) == story.end
            assert replay(story.end) == story.end


def test_a_month_by_the_same_schedule_is_the_same_to_the_last_record() -> None:
    planned, told = month(DEFAULT, 16)
    first, second = (month_run.run(planned, told, "busy") for _ in range(2))
    assert first == second
    assert min(first.sweeps, len(first.runs), first.collisions, first.failures) > 0


def test_a_month_has_everything_in_it() -> None:
    _, told = month(DEFAULT, MATCHES)
    ends = [story.end for story in told]
    tables_met = {(story.table.case.game, story.table.case.seats) for story in told}
    assert tables_met == {(game, seats) for game in games.IDS for seats in tables(game)}
    assert {end.clock.kind for end in ends} == {PER_MOVE, FISCHER, BYO_YOMI, NONE}
    assert {(end.clock.kind, end.clock.on_timeout) for end in ends} >= {
        (PER_MOVE, "default-action"),
        (PER_MOVE, "forfeit"),
    }
    reasons = Counter(end.result.reason if end.result else str(end.status) for end in ends)
    assert set(reasons) == {"played", "resigned", "timeout", "abandoned", "aborted"}
    assert reasons["played"] < MATCHES * 3 // 4
    assert any(end.options for end in ends)
    assert any(sitter.bot for end in ends for sitter in sitters(end))
    codes = {code for story in told for event, code in story.events if isinstance(event, Asked)}
    assert codes >= {"", "stale-turn", "match-over", "match-not-open", "already-joined", "illegal-action"}
    paused = {(entry.type, entry.seat is None) for end in ends for entry in end.log if entry.type.endswith("ed")}
    assert paused >= {("paused", True), ("paused", False), ("resumed", False)}
    assert sum(len(story.moments) for story in told) > MATCHES
