"""How long the engine takes for one action, a view, and a dump and load: `make bench-engine`.

House bots play whole matches; each action on the way is timed once, and the median counts. An action is all that is
legal for the seat, the check of what it chose, and, for the last seat that a decision asks, closing the decision.
"""

import statistics
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from engine import bots, deal, games
from engine.games import options
from engine.games.protocol import Game
from engine.types import Action, Seat

SEATS = {"micro-poker": 4, "liars-poker": 4, "misfortune": 2, "half-deck-poker": 2}
MATCHES = 60

ACTION_US = {"liars-poker": 10.0, "misfortune": 10.0, "micro-poker": 25.0, "half-deck-poker": 25.0}
VIEW_US, DUMP_LOAD_US = 50.0, 100.0
"""What the budgets allow, microseconds."""


class Figures(NamedTuple):
    """Medians of a game, microseconds."""

    actions: int
    action: float
    view: float
    dump_load: float


def measure(game_id: str, matches: int = MATCHES) -> Figures:
    """Plays so many matches of a game. Raises `ValueError` for a game that there is not."""
    game = games.find(game_id)
    if game is None:
        raise ValueError(game_id)
    timed = [times for number in range(matches) for times in _played(game, SEATS[game_id], number)]
    medians = (1e6 * statistics.median(column) for column in zip(*timed, strict=True))
    return Figures(len(timed), *medians)


def _played(game: Game[Any], seats: int, number: int) -> Iterator[tuple[float, float, float]]:
    """The seconds of an action, a view, and a dump and load, for each action of a match."""
    given = options.complete(game.OPTIONS, {}, seats)
    key = number.to_bytes(32, "big")
    chance = deal.chance(key, "bench", game.ID, [b""] * seats)
    state = game.new(given, seats, chance)
    turn = 0
    while asked := game.pending(state):
        turn += 1
        choices: dict[Seat, Action] = {}
        after = state
        for seat in asked:
            chosen = _choice(game, state, seat, key, turn)
            begin = time.perf_counter()
            game.legal_actions(state, seat)
            choices[seat] = game.check(state, seat, chosen)
            if len(choices) == len(asked):
                after = game.resolve(state, choices, chance).state
            acted = time.perf_counter()
            game.view(state, seat)
            viewed = time.perf_counter()
            game.load(game.dump(state), given, seats)
            loaded = time.perf_counter()
            yield acted - begin, viewed - acted, loaded - viewed
        state = after


def _choice(game: Game[Any], state: Any, seat: Seat, key: bytes, turn: int) -> Action:
    stream = deal.Stream(key, f"bench/seat={seat}/turn={turn}")
    return bots.choose(game.ID, bots.HOUSE, game.view(state, seat), game.legal_actions(state, seat), stream)


def main() -> None:
    """Prints a line a game."""
    sys.stdout.write("medians in µs, and the part of the budget that they are\n")
    sys.stdout.write("{:17}{:>10}{:>16}{:>16}{:>18}\n".format("game", "actions", "action", "view", "dump and load"))
    for game_id in games.IDS:
        found = measure(game_id)
        cells = (
            f"{value:.1f} ({value / budget:.2f})"
            for value, budget in zip(found[1:], (ACTION_US[game_id], VIEW_US, DUMP_LOAD_US), strict=True)
        )
        sys.stdout.write("{:17}{:>10}{:>16}{:>16}{:>18}\n".format(game_id, found.actions, *cells))


if __name__ == "__main__":
    main()
