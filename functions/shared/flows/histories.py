"""A player's history in a ladder: each entry of the books, with all that its changes follow from."""

from collections.abc import Mapping
from typing import NamedTuple

from engine.ladder.elo import Change
from functions.shared.flows.rate import changes_of
from functions.shared.store.ladder_records import LadderEntry
from functions.shared.store.ports import Services

PROFILES = 100
"""Read at once."""


class Told(NamedTuple):
    """An entry, and what it does to each rating and why, by line; nothing where it says so itself: unrated, or an
    annulment."""

    entry: LadderEntry
    changes: tuple[Change, ...]


class History(NamedTuple):
    """A piece of a history, newest first, the names of all who are in it, and where it goes on."""

    rows: tuple[Told, ...]
    names: Mapping[str, str]
    next: str | None


def history(services: Services, game: str, player: str, before: str | None, limit: int) -> History:
    """Up to `limit` entries about a player, behind a place or from the newest on."""
    page = services.ladder.history(game, player, before, limit + 1)
    entries = [row.entry for row in page.rows[:limit]]
    is_more = len(page.rows) > limit
    players = sorted({line.player for entry in entries for line in entry.lines})
    names: dict[str, str] = {}
    for first in range(0, len(players), PROFILES):
        profiles = services.players.get_many(players[first : first + PROFILES])
        names |= {one.id: one.shown_name for one in profiles.values()}
    told = tuple(Told(entry, () if entry.reason or entry.annuls else changes_of(entry)) for entry in entries)
    return History(told, names, page.rows[limit - 1].key if is_more else None)
