"""Histories from the command line: `make faults SEED=…` lives through one again and says what happened in it;
`make soak` lives through thousands, and says what was lost: nothing."""

import argparse
import multiprocessing
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tests.faults import world as worlds

if TYPE_CHECKING:
    from tests.faults.history import Report

CHUNK = 10


def main(arguments: Sequence[str]) -> int:
    """Runs what the arguments say; gives the exit status."""
    parser = argparse.ArgumentParser(prog="history_replay", description=__doc__)
    parser.add_argument("seeds", nargs="*", type=int, metavar="SEED", help="a history to live through")
    parser.add_argument("--many", type=int, metavar="N", help="so many histories, on all cores")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first of the many (0)")
    parsed = parser.parse_args(arguments)
    worlds.prepare()
    if not parsed.seeds and parsed.many is None:
        parser.error("name a seed: make faults SEED=1")
    for seed in parsed.seeds:
        _tell(_run(seed))
    return 0 if parsed.many is None else _run_many(range(parsed.first, parsed.first + parsed.many))


def _run(seed: int) -> "Report":
    from tests.faults import history  # the functions' modules read the environment

    return history.run(seed)


def _attempt(seed: int) -> "Report | str":
    """The history, or how it failed."""
    try:
        return _run(seed)
    except Exception:  # noqa: BLE001 - the other histories are lived through all the same
        return f"seed {seed}\n{traceback.format_exc()}"


def _run_many(seeds: Sequence[int]) -> int:
    began, failures = time.monotonic(), list[str]()
    faults, outcomes = Counter[str](), Counter[str]()
    calls = 0
    with multiprocessing.get_context("spawn").Pool(os.cpu_count(), worlds.prepare) as pool:
        for found in pool.imap(_attempt, seeds, CHUNK):
            if isinstance(found, str):
                failures.append(found)
                sys.stdout.write(found)
                continue
            faults += found.faults
            outcomes += found.outcomes
            calls += found.calls
    spent = time.monotonic() - began
    sys.stdout.write(f"seeds {seeds[0]} to {seeds[-1]}: {len(seeds)} histories, {calls} calls, {spent:.0f} s\n")
    sys.stdout.write(f"faults by kind ({faults.total()}):\n{_listed(faults)}what came of it:\n{_listed(outcomes)}")
    sys.stdout.write(f"lost: {f'{len(failures)} histories failed' if failures else 'nothing'}\n")
    return min(1, len(failures))


def _tell(report: "Report") -> None:
    sys.stdout.write(f"seed {report.seed}: {report.calls} calls, digest {report.digest[:16]}\n")
    sys.stdout.write(f"faults by kind:\n{_listed(report.faults)}what came of it:\n{_listed(report.outcomes)}")
    sys.stdout.write("lost: nothing\n")


def _listed(counts: Mapping[str, int]) -> str:
    return "".join(f"{count:8} {kind}\n" for kind, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
