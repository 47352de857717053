"""Breaks the code in small ways, one at a time, in a copy; each has to be caught by the test that is named for it.

`make mutants` runs all; `python -m tests.mutants.run NAME…` runs some.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.mutants.table import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
COPIED = ("engine", "functions", "infra", "tests", "pyproject.toml", "template.yaml", "README.md", "Makefile")
TIMEOUT_S = 300


@contextmanager
def _copy() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        for name in COPIED:
            source, target = ROOT / name, Path(folder) / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
            else:
                shutil.copy(source, target)
        yield Path(folder)


def _passes(folder: Path, test: str) -> bool:
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test]
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return False  # a mutant that hangs is caught, too
    if run.returncode not in (0, 1):
        raise SystemExit(f"{test} can't be run:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return run.returncode == 0


def _is_caught(folder: Path, mutant: Mutant) -> bool:
    path = folder / mutant.file
    original = path.read_text(encoding="utf-8")
    if original.count(mutant.before) != 1:
        raise SystemExit(f"{mutant.name}: the text to replace stands {original.count(mutant.before)} times")
    path.write_text(original.replace(mutant.before, mutant.after), encoding="utf-8")
    try:
        return not _passes(folder, mutant.test)
    finally:
        path.write_text(original, encoding="utf-8")


def main(names: Sequence[str]) -> int:
    """Runs the mutants with these names, or all; the exit status is the number of those that survived."""
    wanted = [mutant for mutant in MUTANTS if not names or mutant.name in names]
    survivors = 0
    with _copy() as folder:
        for test in dict.fromkeys(mutant.test for mutant in wanted):
            if not _passes(folder, test):
                raise SystemExit(f"{test} fails without a mutant")
        for mutant in wanted:
            began = time.monotonic()
            caught = _is_caught(folder, mutant)
            survivors += not caught
            verdict = "caught  " if caught else "SURVIVED"
            sys.stdout.write(f"{verdict} {time.monotonic() - began:5.1f} s  {mutant.name}  by {mutant.test}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(wanted) - survivors} of {len(wanted)} caught\n")
    return survivors


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
