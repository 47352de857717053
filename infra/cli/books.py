"""Recomputes a ladder from the books that a running service gives out, part by part."""

from collections.abc import Callable
from typing import Any, NamedTuple

from functions.shared.flows.recompute import Ledger, enter, kept, kept_from
from functions.shared.store.ladder_records import entry_from

BATCH = 100
"""Players that are asked for at once."""

Send = Callable[[dict[str, Any]], dict[str, Any]]


class Replayed(NamedTuple):
    """What a recomputation came to. Entries that commit while it runs may be among the wrong ones: run it again."""

    entries: int
    players: int
    wrong: list[str]
    """In words: entries that don't follow from those before them, ratings that don't follow from the entries."""


def replay(game: str, send: Send) -> Replayed:
    """Goes through all entries of a ladder, in the order of their moments, then compares what is stored."""
    ledger, wrong, entries, after = Ledger({}, {}), [], 0, None
    while True:
        part = send({"command": "ladder-entries", "game": game, "after": after})
        for entry in map(entry_from, part["entries"]):
            entries += 1
            if not enter(ledger, entry):
                wrong.append(f"{entry.match}: {'its annulment' if entry.annuls else 'the result'} computes otherwise")
        after = part["after"]
        if after is None:
            break
    players = sorted(ledger.ratings)
    for first in range(0, len(players), BATCH):
        asked = players[first : first + BATCH]
        stored = send({"command": "ladder-ratings", "game": game, "players": asked})["ratings"]
        wrong += [
            f"{player}: stored {kept_from(stored[player])}, computed {kept(ledger.ratings[player])}"
            for player in asked
            if kept_from(stored[player]) != kept(ledger.ratings[player])
        ]
    return Replayed(entries, len(players), wrong)
