"""What the stack tells a function, read once at its start."""

import os
from typing import NamedTuple


class Settings(NamedTuple):
    """The environment of a function (template.yaml)."""

    players_table: str
    matches_table: str
    ladder_table: str
    tournaments_table: str
    secret: bytes
    """Keys the cursors and the secrets that a replay shows again."""


def has_limits() -> bool:
    """Whether callers are limited: unless RATE_LIMITS is `off`, as on a developer's machine."""
    return os.environ.get("RATE_LIMITS", "on") != "off"


def may_reach_loopback() -> bool:
    """Whether webhooks may lead to this machine: no stack says so, only the local service when it is told to."""
    return os.environ.get("WEBHOOKS_TO_LOOPBACK") == "on"


def read() -> Settings:
    """The settings. Raises `KeyError` naming the variable that is missing."""
    env = os.environ
    players, matches, ladder, tournaments = (
        env[f"{name}_TABLE"] for name in ("PLAYERS", "MATCHES", "LADDER", "TOURNAMENTS")
    )
    return Settings(players, matches, ladder, tournaments, env["SERVICE_SECRET"].encode())
