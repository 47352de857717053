"""Brings a match up to a moment: house bots answer, passed deadlines are taken."""

from engine import bots
from engine.match.play import Request, act, awaited, closes_at, time_out
from engine.match.record import By, Match, chance, rules, sitters
from engine.types import EpochMs, Seat

STEPS = 200
"""The most answers and time-outs at once. Who is cut off is due at once (`next_due`), and the next call goes on."""


def advance(match: Match, now: EpochMs, steps: int = STEPS) -> Match:
    """The match at `now`. A bot answers when it is asked, a time-out falls on its deadline: whoever calls, and however
    late or often, comes to the same match."""
    for _ in range(steps):
        due = next_due(match)
        if due is None or due > now:
            break
        seat = _bot(match)
        match = time_out(match) if seat is None else _answer(match, seat)
    return match


def next_due(match: Match) -> EpochMs | None:
    """When the match next changes by itself; None when it waits for nobody."""
    return closes_at(match) if _bot(match) is None else match.opened_at


def _bot(match: Match) -> Seat | None:
    for seat in awaited(match):
        sitter = match.seats[seat]
        if sitter is not None and sitter.bot:
            return seat
    return None


def _answer(match: Match, seat: Seat) -> Match:
    game = rules(match)
    view, legal = game.view(match.state, seat), game.legal_actions(match.state, seat)
    stream = chance(match)(f"bot/seat={seat}/turn={match.turn}")
    action = bots.choose(match.game, sitters(match)[seat].bot, view, legal, stream)
    return act(match, Request(seat, match.opened_at, By.BOT), match.turn, action)
