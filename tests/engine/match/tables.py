"""Matches for the tests of engine.match: tables with everybody seated, moves, and what a viewer is told."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from engine.clock import Clock
from engine.errors import Refused
from engine.match import codec, lobby, play
from engine.match.log import last_events, shown
from engine.match.play import Request
from engine.match.record import By, Entry, Match, Sitter, commitment, last_event_at, rules, sitters
from engine.types import Action, Data, EpochMs, Json, Seat, Turn
from tests.engine.cases import find

START: EpochMs = 1_800_000_000_000
KEY = bytes(range(32))
MINUTE = Clock("per-move", 60)
FORFEIT = Clock("per-move", 60, "forfeit")
SIMULTANEOUS = ("misfortune", "half-deck-poker", "micro-poker")
"""The games in which several seats choose at the same time."""


def person(number: int, nonce: str = "") -> Sitter:
    return Sitter(f"ply-{number}", f"Player {number}", 1500, nonce=nonce)


def robot(number: int, style: str = "house") -> Sitter:
    return Sitter(f"bot-{number}", f"Bot {number}", 1500, bot=style)


def opened(game: str, size: int | None = None, given: Data | None = None, of: Clock | None = MINUTE) -> Match:
    """A match whose seats are all free."""
    return lobby.create(f"match-{game}", game, size, given or {}, of, KEY, START)


def seated(game: str, sitters: Sequence[Sitter], given: Data | None = None, of: Clock | None = MINUTE) -> Match:
    """A match that has started with these sitters."""
    match = opened(game, len(sitters), given, of)
    for sitter in sitters:
        match = lobby.join(match, sitter, START)
    return match


def people(game: str, size: int | None = None, given: Data | None = None, of: Clock | None = MINUTE) -> Match:
    """A match that has started with persons only."""
    low, _ = find(game).SEATS
    return seated(game, [person(number) for number in range(size or low)], given, of)


def first(match: Match, seat: Seat) -> Action:
    """The first thing that a seat may do."""
    action: Action = play.legal(match, seat).actions[0]
    return action


def act(match: Match, seat: Seat, action: Action | None = None, after: int = 1000, key: str = "") -> Match:
    """A seat's choice (its first legal one), `after` milliseconds into the decision."""
    request = Request(seat, match.opened_at + after, key=key)
    return play.act(match, request, match.turn, first(match, seat) if action is None else action)


def everybody(match: Match, after: int = 1000) -> Match:
    """All that are awaited choose their first legal action."""
    turn = match.turn
    for seat in play.awaited(match):
        match = act(match, seat, after=after) if match.turn == turn else match
    return match


def resign(match: Match, seat: Seat, after: int = 1000) -> Match:
    """A seat leaves, `after` milliseconds after the last event."""
    return play.resign(match, Request(seat, last_event_at(match) + after))


def refusal(match: Match, seat: Seat, turn: Turn, action: Action) -> tuple[str, str, tuple[str, ...]]:
    """How an action is refused: code, detail, place."""
    try:
        play.act(match, Request(seat, match.opened_at), turn, action)
    except Refused as refused:
        return refused.code, refused.detail, refused.loc
    raise AssertionError(f"{action} was accepted")


def choices(match: Match, turn: Turn) -> list[Entry]:
    """The log's choices of one decision."""
    return [entry for entry in match.log if entry.turn == turn and entry.move and entry.type != "resign"]


def types(match: Match) -> list[str]:
    return [entry.type for entry in match.log]


def lefts(match: Match) -> list[str]:
    """Why each seat has left, or nothing."""
    return [str(sitter.left) for sitter in sitters(match)]


def text(match: Match) -> str:
    """All of a match, as it would be stored."""
    return json.dumps(codec.dump(match))


def reload(match: Match) -> Match:
    """The match after a visit to the store."""
    return codec.load(json.loads(text(match)))


def observed(match: Match, viewer: Seat | None, tries: Sequence[Action] = ()) -> str:
    """All that a match tells a viewer (None: a spectator), and how it answers what the viewer may not do."""
    asked = play.asked(match)
    told: dict[str, Json] = {
        "status": match.status,
        "turn": match.turn,
        "asked": asked,
        "deadlines": [play.deadline(match, seat) for seat in asked],
        "seats": [[sitter.player, sitter.name, sitter.left, sitter.left_at] for sitter in sitters(match)],
        "times": [match.started_at, match.opened_at, match.ended_at],
        "result": match.result,
        "commitment": commitment(match),
        "view": None if match.state is None else rules(match).view(match.state, viewer),
        "log": [shown(entry, number, viewer, match.turn) for number, entry in enumerate(match.log, 1)],
        "last_events": last_events(match, viewer),
    }
    if viewer is not None:
        legal = play.legal(match, viewer)
        told |= {"you": viewer in play.awaited(match), "legal": [list(legal.actions), legal.optional]}
        told["refusals"] = [refusal(match, viewer, match.turn, action) for action in tries]
    return json.dumps(told)


def by_of(entries: Sequence[Entry]) -> Mapping[Seat | None, By | str]:
    return {entry.seat: entry.by for entry in entries}


def tourist(match: Match) -> Seat:
    """Whose turn it is to decide in Micro Poker."""
    view: Any = rules(match).view(match.state, None)
    seat: Seat = view["tourist"]
    return seat
