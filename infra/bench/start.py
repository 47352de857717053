"""How long a move's function takes to start, beside boto3 and its client: `make bench-start`.

Each start is a process of its own; the modules have been compiled, as they are in the bundle.
"""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from os import environ
from typing import NamedTuple

from infra.local.context import REGION

STARTS = 9

BUDGET = 1.4
"""Times what boto3 takes."""

_BOTO3 = """
import time; begin = time.perf_counter()
import boto3
boto3.client("dynamodb")
print(time.perf_counter() - begin)
"""
_PLAY = """
import time; begin = time.perf_counter()
import functions.matches.handler
from functions.shared import wiring
from functions.shared.store.models import connection
wiring.services(); connection().client
print(time.perf_counter() - begin)
"""
_GAMES = """
import sys; from engine import games
print(sum(name in sys.modules for versions in games._MODULES.values() for name in versions))
"""


class Cold(NamedTuple):
    """Medians of a start, milliseconds."""

    boto3: float
    ours: float
    games: int
    """Games that were loaded by it: none should be before one is played."""


def cold(starts: int = STARTS) -> Cold:
    """Measures so many starts of each kind, in turn, with modules that have been compiled."""
    times: dict[str, list[float]] = {_BOTO3: [], _PLAY: []}
    with tempfile.TemporaryDirectory() as compiled:
        env = {**environ, "PYTHONPYCACHEPREFIX": compiled, "AWS_DEFAULT_REGION": REGION, "AWS_REGION": REGION}
        env |= {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "SERVICE_SECRET": "00" * 32}
        env |= {f"{name}_TABLE": f"{name}Table" for name in ("PLAYERS", "MATCHES", "LADDER", "TOURNAMENTS")}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        for number in range(1 + starts):
            for start, taken in times.items():
                seconds = float(_output(start, env))
                if number:
                    taken.append(seconds)
        games = int(_output(f"{_PLAY}{_GAMES}", env).split()[-1])
    by_boto3, by_us = (1e3 * statistics.median(taken) for taken in times.values())
    return Cold(by_boto3, by_us, games)


def _output(program: str, env: Mapping[str, str]) -> str:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout


def main() -> None:
    """Prints the medians and their ratio."""
    start = cold()
    ratio = f"{start.ours / start.boto3:.2f} (budget {BUDGET}), {start.games} games loaded"
    sys.stdout.write(f"a cold start, ms: boto3 and client {start.boto3:.0f}, ours {start.ours:.0f}: {ratio}\n")


if __name__ == "__main__":
    main()
