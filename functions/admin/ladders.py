"""Commands about ladders: annulling a match, recomputing from the books, counting again."""

from typing import Any

from engine import games
from functions.shared.clock import now
from functions.shared.flows import annul, fsck, recompute
from functions.shared.store.ports import ConflictError, Services

ENTRIES = 500
"""Entries of one answer."""

PLAYERS = 100


def annul_match(services: Services, event: dict[str, Any]) -> dict[str, Any]:
    """`{"match"}`: takes its rated result back, once."""
    match = event.get("match")
    if not isinstance(match, str):
        return _error("match must be the id of a match")
    try:
        entry, is_new = annul.annul(services, match, now())
    except annul.NotRatedError:
        return _error("this match has no rated result")
    except ConflictError:
        return _error("its players' ratings keep changing; try again")
    return {"ok": True, "annulled": is_new, "entry": entry}


def entries(services: Services, event: dict[str, Any]) -> dict[str, Any]:
    """`{"game", "after"}`: a part of a ladder's books, and where it goes on."""
    game = event.get("game")
    if game not in games.IDS:
        return _no_game()
    found = services.ladder.entries(game, event.get("after"), ENTRIES)
    after = found[-1][0] if len(found) == ENTRIES else None
    return {"ok": True, "entries": [entry for _, entry in found], "after": after}


def ratings(services: Services, event: dict[str, Any]) -> dict[str, Any]:
    """`{"game", "players"}`: what is stored of up to 100 players and follows from the books."""
    game, players = event.get("game"), event.get("players")
    if game not in games.IDS:
        return _no_game()
    if not isinstance(players, list) or len(players) > PLAYERS:
        return _error(f"players must be a list of at most {PLAYERS} ids")
    return {"ok": True, "ratings": recompute.stored(services, game, players)}


def recount(services: Services, event: dict[str, Any]) -> dict[str, Any]:
    """`{"game", "after", "repair"}`: counts a part of a ladder again."""
    game = event.get("game")
    if game not in games.IDS:
        return _no_game()
    try:
        part = fsck.fsck(services, game, event.get("after"), repair=event.get("repair") is True)
    except ConflictError:
        return _error("the ladder moves too fast; try again")
    return {"ok": True, **part._asdict()}


def _no_game() -> dict[str, Any]:
    return _error(f"game must be one of {', '.join(games.IDS)}")


def _error(text: str) -> dict[str, Any]:
    return {"ok": False, "error": text}
