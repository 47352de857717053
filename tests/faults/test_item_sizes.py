"""Budgets: how large a stored match gets, at any point of any game: most stay within 2 KB, none goes past 24 KB."""

import base64
from collections.abc import Callable
from random import Random
from statistics import median
from typing import Any

import pytest

from engine import bots
from engine.match import lobby, play
from engine.match.record import Match, Sitter, Status, chance, rules
from engine.replay import replay
from engine.types import Action, Seat
from functions.shared import ids
from functions.shared.store import packing
from functions.shared.store.matches import _prepared
from functions.shared.store.records import LogPart, MatchRecord
from infra.bench.capacity import size_of
from tests.faults.telling import show
from tests.faults.world import START

MOST, HALF = 24 * 1024, 2 * 1024

Choose = Callable[[Match, Seat, Random], Action]


class Stored:
    """A match that is played and stored, action by action, and the sizes of what was stored."""

    def __init__(self, game: str, seats: int, options: dict[str, Any]) -> None:
        self.rng = Random(f"{game} {seats} {options}")
        match = lobby.create(self._id(ids.MATCH), game, seats, options, None, self.rng.randbytes(32), START)
        for seat in range(seats):
            sitter = Sitter(self._id(ids.PLAYER), f"Player-number-{seat}", 1500, nonce=self.rng.randbytes(16).hex())
            match = lobby.join(match, sitter, START + seat, self.mark())
        self.items: list[int] = []
        self.parts: list[LogPart] = []
        self.part_sizes: list[int] = []
        self.record = MatchRecord(match, True, expires_at=START)
        self._store(None, self.record)

    def play(self, choose: Choose, most: int = 10**6) -> "Stored":
        """Acts, each time after a tenth of what the clock allows, until the match ends or so many actions were made."""
        now = START
        while self.record.match.status is Status.ACTIVE and self.record.match.moves < most:
            match = self.record.match
            seat = play.awaited(match)[0]
            now += 100 * match.clock.seconds
            request = play.Request(seat, now, key=self.mark())
            match = play.act(match, request, match.turn, choose(match, seat, self.rng))
            self._store(self.record, self.record._replace(match=match))
        return self

    def mark(self) -> str:
        """What an action leaves of its idempotency key: nothing that could be compressed."""
        return base64.urlsafe_b64encode(self.rng.randbytes(18)).decode()[:18]

    def _id(self, prefix: str) -> str:
        return ids.new(prefix, START, self.rng.randbytes)

    def _store(self, before: MatchRecord | None, after: MatchRecord) -> None:
        self.record, item, log = _prepared(before, after)
        self.items.append(size_of(item))
        if log is not None:
            self.parts.append(packing.unpack_part(int(log.sk.removeprefix("LOG#")), log.body))
            self.part_sizes.append(size_of(log.serialize()))


def house(match: Match, seat: Seat, rng: Random) -> Action:
    game = rules(match)
    view, legal = game.view(match.state, seat), game.legal_actions(match.state, seat)
    return bots.choose(match.game, bots.HOUSE, view, legal, chance(match)(f"{rng.random()}"))


def any_legal(match: Match, seat: Seat, rng: Random) -> Action:
    return rng.choice(rules(match).legal_actions(match.state, seat).actions)


def patient(match: Match, seat: Seat, rng: Random) -> Action:
    """Raises little, mostly challenges, and gives up where bids get wild: ten people who can wait."""
    legal, bids = rules(match).legal_actions(match.state, seat).actions, match.state.bids
    if not bids:
        return legal[0]
    gives_way = bids[-1].challenges < match.state.seats - 2
    if bids[-1].rank > 200 or (gives_way and rng.random() < 0.9):
        return legal[-1]
    return legal[rng.randrange(2)]


def endless(match: Match, seat: Seat, rng: Random) -> Action:
    """The lowest raise, each time when but one seat is left that has not challenged."""
    legal, bids = rules(match).legal_actions(match.state, seat).actions, match.state.bids
    gives_way = bids and bids[-1].challenges < match.state.seats - 2
    return legal[-1] if gives_way else legal[0]


def shown(name: str, stored: Stored) -> None:
    parts = stored.part_sizes or [0]
    show(
        f"{name}: {stored.record.match.moves} actions, item {median(stored.items):.0f}, most {max(stored.items)} "
        f"bytes; {len(stored.parts)} parts of {median(parts):.0f}, most {max(parts)}"
    )


WORST: tuple[tuple[str, int, dict[str, Any]], ...] = (
    *(("liars-poker", seats, {"rounds": 50 // seats}) for seats in (2, 5, 10)),
    ("liars-poker", 10, {"rounds": 5, "digits": 12, "bidder_rebid": "once"}),
    ("half-deck-poker", 2, {"start_chips": 200, "min_raise": 0}),
    ("micro-poker", 6, {"max_turns": 180, "declaration": "category-rank", "scoring": "trust-only"}),
    ("misfortune", 2, {"recall": "event-only", "leftover": "showdown"}),
)


def test_a_match_of_ten_patient_players_mostly_stays_within_two_kilobytes() -> None:
    stored = Stored("liars-poker", 10, {}).play(patient)
    shown("patient", stored)
    assert stored.record.match.moves >= 700
    assert median(stored.items) <= HALF
    assert max(stored.items) <= MOST


@pytest.mark.parametrize(("game", "seats", "options"), WORST)
def test_no_options_make_a_large_item(game: str, seats: int, options: dict[str, Any]) -> None:
    stored = Stored(game, seats, options).play(house)
    shown(f"{game} {seats} {options}", stored)
    assert stored.record.match.status is Status.FINISHED
    assert max(stored.items) <= MOST


def test_ten_thousand_actions_that_hold_a_match_up_do_not_fill_it() -> None:
    stored = Stored("liars-poker", 10, {"digits": 12, "rounds": 5}).play(endless, 10_000)
    shown("endless", stored)
    assert stored.record.match.moves == 10_000
    assert max(stored.items) <= MOST
    parts = [(part.first, len(part.entries)) for part in stored.parts]
    assert [first for first, _ in parts] == [1 + sum(count for _, count in parts[:i]) for i in range(len(parts))]
    assert stored.record.match.put_away == sum(count for _, count in parts)
    assert [part.first for part in stored.record.parts] == [first for first, _ in parts]
    assert max(stored.part_sizes) <= 1024


def test_what_was_put_away_and_what_stayed_replay_to_the_same_match() -> None:
    stored = Stored("micro-poker", 4, {}).play(any_legal)
    assert len(stored.parts) > 1
    match = stored.record.match
    log = tuple(entry for part in stored.parts for entry in part.entries) + match.log
    whole = match._replace(put_away=0, log=log)
    assert replay(whole) == whole
    assert packing.unpack(packing.pack(stored.record), stored.record.version, stored.record.due) == stored.record
