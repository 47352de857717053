"""The names of the engine's bare values."""

from collections.abc import Mapping
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""What JSON can hold, less floats: strings, integers, booleans, null, lists and maps."""

Data: TypeAlias = Mapping[str, Json]
"""A JSON object. Never changed once it has been handed over."""

Action: TypeAlias = Data
"""A seat's choice: a JSON object with a `type`."""

Options: TypeAlias = Data
"""A game's options, complete: one value for every option of the game."""

Seat: TypeAlias = int
"""A place at the table, 0…n−1."""

Turn: TypeAlias = int
"""The number of a decision: 0 before the first, then 1, 2, …"""

EpochMs: TypeAlias = int
"""An instant, milliseconds since 1970-01-01T00:00:00Z."""

NOTHING: Data = {}
"""An object without members, shared."""
