"""What the stack tells a function, read once at its start."""

import os
from typing import NamedTuple


class Settings(NamedTuple):
    """The environment of a function (template.yaml)."""

    players_table: str
    matches_table: str
    secret: bytes
    """Keys the cursors and the secrets that a replay shows again."""


def has_limits() -> bool:
    """Whether callers are limited: unless RATE_LIMITS is `off`, as on a developer's machine."""
    return os.environ.get("RATE_LIMITS", "on") != "off"


def read() -> Settings:
    """The settings. Raises `KeyError` naming the variable that is missing."""
    env = os.environ
    return Settings(env["PLAYERS_TABLE"], env["MATCHES_TABLE"], env["SERVICE_SECRET"].encode())
