from typing import Any, NamedTuple

from engine import deal, games
from engine.bots import Bot
from engine.games import options


class Tally(NamedTuple):
    won: int
    drawn: int
    lost: int


def duel(game_id: str, bot: Bot, other: Bot, matches: int, **given: Any) -> Tally:
    """The results of `bot`, which changes its seat from match to match. All chance follows from the match's number."""
    game: Any = games.find(game_id)
    chosen = options.complete(game.OPTIONS, given, 2)
    results = []
    for number in range(matches):
        own = number % 2
        bots = (bot, other) if own == 0 else (other, bot)
        chance = deal.chance(bytes(32), f"duel-{number}", game_id, [b"", b""])
        state, turn = game.new(chosen, 2, chance), 0
        while asked := game.pending(state):
            turn += 1
            choices = {
                seat: bots[seat].choose(
                    game.view(state, seat), game.legal_actions(state, seat), chance(f"bot/seat={seat}/turn={turn}")
                )
                for seat in asked
            }
            state = games.apply(game, state, choices, chance).state
        ranks = game.standing(state).ranks
        results.append(ranks[1 - own] - ranks[own])
    return Tally(results.count(1), results.count(0), results.count(-1))
