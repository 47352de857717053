"""Choices that meet each other, a resignation, the deadline or the end at the same moment, over every store."""

from functools import partial
from typing import Any

import pytest

from engine.clock import Clock
from engine.match import lobby
from engine.match import play as rules_of_play
from engine.match.advance import advance
from engine.match.play import Request
from engine.match.record import By, Status
from engine.types import Seat
from functions.shared.flows import play
from functions.shared.flows.marks import key_of
from functions.shared.problems import Rejected
from functions.shared.store.records import MatchRecord
from tests.storage.backend import Store
from tests.storage.examples import NOW, joined
from tests.storage.lives import created, started
from tests.storage.threads import gained

PLAYERS = ("ann", "bob", "cyd", "dan", "eve", "fay")
CLOCK = Clock("per-move", 60)
DEADLINE = NOW + 60_000


pytestmark = pytest.mark.usefixtures("restless")


def seal(store: Store, record: MatchRecord, seat: Seat, at: int = NOW, choice: int = 0) -> Any:
    """A seat's choice by the flow that serves it; the problem's code when it is refused."""
    action = rules_of_play.legal(record.match, seat).actions[choice]
    turn = record.match.turn
    key = key_of(store.services, PLAYERS[seat], "act", f"{record.match.id}-{seat}", {"turn": turn, "action": action})
    try:
        return play.act(store.services, record, seat, key, turn, action, at)
    except Rejected as rejected:
        return rejected.code


def resign(store: Store, record: MatchRecord, seat: Seat) -> Any:
    key = key_of(store.services, PLAYERS[seat], "act", f"{record.match.id}-{seat}-resign", {"type": "resign"})
    return play.act(store.services, record, seat, key, None, rules_of_play.RESIGN, NOW)


def stored(store: Store, record: MatchRecord) -> MatchRecord:
    found = store.matches.get(record.match.id)
    assert found is not None
    return found


def micro(store: Store) -> MatchRecord:
    """A table of six at the first declarations: five strangers are asked at once."""
    record = created(store, game="micro-poker", size=6, clock=CLOCK)
    for player in PLAYERS[1:]:
        record = store.matches.seat(record, joined(record, player), player)
    return record


def test_two_hundred_pairs_of_simultaneous_choices_all_commit(store: Store) -> None:
    for round_ in range(200):
        record = started(store, created(store, game="misfortune"))
        outcomes = gained([partial(seal, store, record, seat, NOW, round_ % 5) for seat in (0, 1)])
        assert all(isinstance(outcome, play.Outcome) for outcome in outcomes), round_
        after = stored(store, record).match
        assert (after.moves, after.turn, after.seals) == (2, 2, ())


def test_five_strangers_who_declare_at_once_are_all_heard(store: Store) -> None:
    for _ in range(10):
        record = micro(store)
        strangers = rules_of_play.asked(record.match)
        assert len(strangers) == 5
        gained([partial(seal, store, record, seat) for seat in strangers])
        after = stored(store, record).match
        assert after.turn == 2
        assert sorted(entry.seat for entry in after.log if entry.type == "declare") == list(strangers)


def test_a_choice_and_a_resignation_at_once_both_count(store: Store) -> None:
    for _ in range(20):
        record = micro(store)
        one, other, *rest = rules_of_play.asked(record.match)
        gained([partial(seal, store, record, one), partial(resign, store, record, other)])
        after = stored(store, record).match
        assert [sitter.left for sitter in after.seats if sitter and sitter.left] == ["resigned"]
        assert sorted(rules_of_play.awaited(after)) == rest
        assert sum(entry.type == "resign" for entry in after.log) == 1


def test_a_choice_against_the_deadline_is_one_of_a_move_and_a_missed_action(store: Store) -> None:
    for _ in range(20):
        record = started(store, created(store, clock=CLOCK))
        (seat,) = rules_of_play.asked(record.match)

        def referee(record: MatchRecord = record) -> MatchRecord:
            return store.matches.save(record, record._replace(match=advance(record.match, DEADLINE)))

        gained([partial(seal, store, record, seat, DEADLINE - 1), referee])
        after = stored(store, record).match
        made = [entry for entry in after.log if entry.move]
        assert len(made) == 1
        assert made[0].by in (By.PLAYER, By.CLOCK)
        assert made[0].at == (DEADLINE if made[0].by == By.CLOCK else DEADLINE - 1)
        assert after.turn == 2


def test_the_last_two_choices_at_once_end_the_match(store: Store) -> None:
    for _ in range(10):
        record = started(store, created(store, game="misfortune"))
        match = record.match
        while match.turn < 13:
            for seat in (0, 1):
                match = rules_of_play.act(
                    match, Request(seat, NOW), match.turn, rules_of_play.legal(match, seat).actions[0]
                )
        record = store.matches.save(record, record._replace(match=match))
        gained([partial(seal, store, record, seat) for seat in (0, 1)])
        after = stored(store, record)
        assert after.match.status is Status.FINISHED
        assert sum(entry.type == "finished" for entry in after.match.log) == 1
        assert after.due is not None  # it waits to be settled


def test_a_start_and_the_last_seat_at_once_start_the_match_once(store: Store) -> None:
    for _ in range(10):
        record = created(store, game="liars-poker", size=3)
        record = store.matches.seat(record, joined(record, "bob"), "bob")

        def begin(record: MatchRecord = record) -> MatchRecord:
            return store.matches.save(record, record._replace(match=lobby.start(record.match, 0, NOW)))

        results = gained([begin, partial(store.matches.seat, record, joined(record, "cyd"), "cyd")])
        assert sum(result is not None for result in results) == 1
        after = stored(store, record).match
        assert after.status is Status.ACTIVE
        assert sum(entry.type == "started" for entry in after.log) == 1
        assert len(after.seats) in (2, 3)
