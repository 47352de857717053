"""Liar's Poker against OpenSpiel's implementation, which was written by others from other rules text.

OpenSpiel asks the last bidder again after all others have challenged, in every table and as often as it likes; where
our rules settle instead, the bidder's challenge of its own bid (action 0) is added. Its digits are 1…10, ours
ascending in the rank order. It knows neither rounds nor stakes.
"""

from collections.abc import Iterator
from random import Random
from typing import Any, cast

import pytest

from engine import games
from engine.deal import chance
from engine.games import liars_poker as liars
from engine.games.options import complete
from engine.types import Action

pyspiel: Any = pytest.importorskip("pyspiel", reason="the extra `referees` (open-spiel) is not installed")
spiel: Any = pytest.importorskip("open_spiel.python.games.liars_poker", reason="the extra `referees` is not installed")

MATCHES = 600
RANK_ORDERS = ("zero-low", "zero-high", "ace-high")


class Table(spiel.LiarsPoker):  # type: ignore[misc]
    """OpenSpiel's game at a table of any size: its own ignores `players`."""

    def __init__(self, players: int, digits: int) -> None:
        info = pyspiel.GameInfo(
            num_distinct_actions=digits * 10 * players + 1,
            max_chance_outcomes=10,
            num_players=players,
            min_utility=1 - players,
            max_utility=players - 1,
            utility_sum=0.0,
            max_game_length=digits * 10 * players**2,
        )
        params = {"players": players, "hand_length": digits, "num_digits": 10}
        pyspiel.Game.__init__(self, spiel._GAME_TYPE, info, params)
        self.hand_length, self.num_digits = digits, 10
        self.deck = list(range(1, 11))


def number(action: Action, order: str) -> int:
    """Our action as OpenSpiel's."""
    if action["type"] != "bid":
        return 0
    return int((action["count"] - 1) * 10 + order.index(str(action["digit"])) + 1)


def matches() -> Iterator[tuple[int, int, str, str, int]]:
    rng = Random("openspiel")
    for seed in range(MATCHES):
        yield rng.randint(2, 10), rng.randint(4, 12), RANK_ORDERS[seed % 3], ("off", "once")[seed // 3 % 2], seed


def choose(actions: Any, rng: Random) -> Action:
    """An answer half the time where there is one, else a bid, the lower the likelier."""
    if actions[-1]["type"] != "bid" and rng.random() < 0.5:
        return cast(Action, actions[-1])
    return cast(Action, actions[int(len(actions) * rng.random() ** 3)])


@pytest.fixture(scope="module", params=range(6), ids=lambda part: f"part{part}")
def part(request: pytest.FixtureRequest) -> list[tuple[int, int, str, str, int]]:
    return list(matches())[request.param :: 6]


def test_legal_actions_and_returns_agree_with_openspiel(part: list[tuple[int, int, str, str, int]]) -> None:
    rebids = 0
    for seats, digits, rank_order, bidder_rebid, seed in part:
        given = {"digits": digits, "rank_order": rank_order, "bidder_rebid": bidder_rebid, "rounds": 1}
        options = complete(liars.OPTIONS, given, seats)
        order, rng, deal = liars.ORDERS[rank_order], Random(seed), chance(b"", f"{seed}", "", ())
        ours = liars.new(options, seats, deal)
        opener = ours.opener
        theirs = Table(seats, digits).new_initial_state()
        for place in range(digits):
            for player in range(seats):
                theirs.apply_action(order.index(ours.serials[(player + opener) % seats][place]) + 1)
        while asked := liars.pending(ours):
            assert not theirs.is_terminal()
            assert asked == ((theirs.current_player() + opener) % seats,)
            legal = liars.legal_actions(ours, asked[0]).actions
            assert sorted(number(action, order) for action in legal) == theirs.legal_actions()
            action = choose(legal, rng)
            rebids += bool(liars.view(ours, None)["asked_again"]) and action["type"] == "bid"
            ours = games.apply(cast(Any, liars), ours, {asked[0]: action}, deal).state
            theirs.apply_action(number(action, order))
        if not theirs.is_terminal():
            assert (theirs.current_player() + opener) % seats == ours.settled[-1].bid.seat
            theirs.apply_action(0)
        assert theirs.is_terminal()
        returns = theirs.returns()
        assert liars.standing(ours).scores == tuple(returns[(seat - opener) % seats] for seat in range(seats))
    assert (rebids > 5) is any(row[3] == "once" for row in part)
