"""A local service in a process of its own, for as long as it is measured or shown."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Serving(NamedTuple):
    """A service that runs."""

    url: str
    pid: int


@contextmanager
def serving(*options: str) -> Iterator[Serving]:
    """Runs `bluffhouse serve` on a free port; it has ended when the context is left. Raises `RuntimeError`."""
    command = [sys.executable, "-m", "infra.cli.main", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own command
        try:
            yield Serving(_listening(process), process.pid)
        finally:
            process.terminate()


def _listening(process: "subprocess.Popen[str]") -> str:
    for line in process.stdout or ():
        found = re.search(r"http://[\d.]+:\d+", line)
        if found:
            return found.group()
    raise RuntimeError("the service ended before it listened")


def cpu_seconds(pid: int) -> float:
    """The processor time that a process has used so far (Linux)."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:  # noqa: PTH123 - not a file of anybody's
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
