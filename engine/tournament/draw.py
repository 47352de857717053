"""All chance of a tournament, from its committed key, and what is published of its draws (bluff-rng/v1).

The key is committed to, and its streams are made, as those of a match: `engine.deal` with the tournament's id.
"""

import hashlib
import hmac
import json
import struct
from collections.abc import Iterable, Sequence

from engine import deal
from engine.tournament.protocol import Key, Pairing, Settings

VERSION = 1
"""Moves when a recorded tournament would be drawn differently."""

_TAG = b"bluff-rng/v1/tournament/"


def ruleset(format_id: str, settings: Settings) -> str:
    """The text that binds the draws to the rules: format, version, and the settings that differ from the defaults."""
    default = Settings()._asdict()
    changed = {name: value for name, value in settings._asdict().items() if value != default[name]}
    return deal.ruleset(format_id, VERSION, changed)


def chance(
    key: bytes, tournament: str, format_id: str, settings: Settings, nonces: Sequence[bytes] = ()
) -> deal.Chance:
    """All draws of a tournament. `key` has 32 bytes; `settings` are those of the start, and `nonces` the entrants', in
    an order that the caller has fixed before it starts."""
    return deal.chance(key, tournament, ruleset(format_id, settings), nonces)


def address(tournament: str, key: Key) -> str:
    """What the id of a pairing is derived from: the same for whoever creates it, and however often."""
    return f"{tournament}/{key}"


def match_key(key: bytes, tournament: str, pairing: Key, number: int) -> bytes:
    """The secret key of a game's match: 32 bytes, HMAC(tournament key, pairing, game number)."""
    where = address(tournament, pairing).encode()
    return hmac.digest(key, _TAG + struct.pack(">I", len(where)) + where + struct.pack(">I", number), "sha256")


def digest(tournament: str, pairings: Iterable[Pairing]) -> str:
    """What is published of a round's draw: SHA-256, hexadecimal, of the canonical JSON of who meets whom.

    Results change nothing in it: an array of the tournament's id and, by key, `[stage, round, place, [players by side],
    [sides by seat of the first game]]`.
    """
    drawn = [
        [*pairing.key, [side.player for side in pairing.sides], list(pairing.games[0].seats) if pairing.games else []]
        for pairing in sorted(pairings)
    ]
    text = json.dumps([tournament, drawn], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
