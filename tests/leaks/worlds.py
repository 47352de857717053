"""Worlds that differ from one another only in what a viewer may not know.

Game states come from the games' adapters; everything else that a record holds is covered here: sealed choices of
others, their nonces and the marks of their requests, secrets in the log, invitations, the join code.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import NamedTuple

from engine.match import play
from engine.match.record import Entry, Match, sitters
from engine.types import Action, Seat
from functions.shared.store.records import MatchRecord
from tests.engine import adapters
from tests.leaks.scenes import Scene, choice, record_of, seal
from tests.leaks.stage import GUEST, STRANGER, Player, Viewer

RESIGNS_MS = 20_000
"""When the leaver of a scene resigns, after the decision opened."""


class World(NamedTuple):
    """A record, and what makes it different."""

    name: str
    record: MatchRecord
    bound: int | None = None
    """The size of an item from which on old events are stored apart, if not the usual one."""


def unfold(scene: Scene, choices: Mapping[Seat, Action]) -> Match:
    """The scene's match after these choices, in their order, the first ones before somebody resigns."""
    match = scene.match
    early = {seat: action for number, (seat, action) in enumerate(choices.items()) if number <= len(choices) // 2}
    for number, (seat, action) in enumerate(early.items()):
        match = seal(match, seat, action, 1000 * (number + 1))
    if scene.leaver is not None:
        match = play.resign(match, play.Request(scene.leaver, scene.match.opened_at + RESIGNS_MS))
    for number, (seat, action) in enumerate(choices.items()):
        if seat not in early:
            match = seal(match, seat, action, RESIGNS_MS + 1000 * (number + 1))
    return match


def own_choices(scene: Scene, viewer: Viewer, rng: Random) -> list[Mapping[Seat, Action]]:
    """What the viewer itself may have done in the scene: nothing, or made a choice that does not close the decision."""
    asked = play.asked(scene.match)
    others = [seat for seat in asked if seat not in (viewer.seat, scene.leaver)]
    if viewer.seat not in asked or viewer.seat is None or not others:
        return [{}]
    return [{}, {viewer.seat: choice(scene.match, viewer.seat, "mixed", rng)}]


def worlds(scene: Scene, viewer: Viewer, own: Mapping[Seat, Action], most: int, rng: Random) -> Iterator[World]:
    """The scene with nobody else's choices made, and then up to three worlds that are the same to the viewer."""
    yield World("nobody else has chosen", _door(record_of(unfold(scene, own)), GUEST))
    match = scene.match
    states = [match.state, *adapters.of(match.game).worlds(match.state, viewer.seat, rng)]
    for number in range(most):
        hidden = hide(match._replace(state=states[(number + 1) % len(states)]), viewer, rng)
        changed = scene._replace(match=hidden)
        sealing = _sealing(changed, viewer, own, rng)
        sealing = sealing[:1] if number == 2 else sealing
        choices = {seat: choice(hidden, seat, "bold", rng) for seat in sealing}
        name = f"other state, and sealed choices of {sealing}, number {number}"
        yield World(name, _door(record_of(unfold(changed, {**own, **choices})), STRANGER), 0 if number == 1 else None)


def _sealing(scene: Scene, viewer: Viewer, own: Mapping[Seat, Action], rng: Random) -> list[Seat]:
    """As many others as can have chosen with the decision still open, the leaver first: what it chose stands."""
    asked = play.asked(scene.match)
    others = [seat for seat in asked if seat not in (viewer.seat, scene.leaver)]
    rng.shuffle(others)
    is_awaited = viewer.seat in asked and viewer.seat not in own and viewer.seat != scene.leaver
    sealing = others if is_awaited else others[1:]
    is_open_without = is_awaited or bool(others)
    if scene.leaver in asked and scene.leaver != viewer.seat and scene.leaver is not None and is_open_without:
        return [scene.leaver, *sealing]
    return sealing


def hide(match: Match, viewer: Viewer, rng: Random) -> Match:
    """The match with other secrets in its log, other nonces, other marks: all but the viewer's own."""
    entries = tuple(_other_entry(entry, match, viewer, rng) for entry in match.log)
    seats = tuple(
        sitter._replace(nonce=rng.randbytes(rng.randrange(65)).hex(), seen=rng.randrange(50), misses=sitter.misses)
        if seat != viewer.seat
        else sitter
        for seat, sitter in enumerate(sitters(match))
    )
    return match._replace(log=entries, seats=seats)


def _other_entry(entry: Entry, match: Match, viewer: Viewer, rng: Random) -> Entry:
    if entry.secret and viewer.seat not in entry.to:
        entry = entry._replace(secret={"cards": ["canary"] * rng.randrange(9)})
    if entry.brief and match.turn > entry.turn + 1:
        entry = entry._replace(brief={"cards": ["canary"] * rng.randrange(9)})
    if entry.seat != viewer.seat:
        mark = "".join(rng.choices("abcdef-_", k=len(entry.key)))
        committed = entry.at - rng.randrange(1, 900) if entry.move else 0
        entry = entry._replace(key=mark, committed=committed)
    return entry


def _door(record: MatchRecord, invited: Player) -> MatchRecord:
    """The record with an invitation of somebody else: not of more people, since each is told of it in turn."""
    return record._replace(invited=(invited.id,))
