"""What tests tell of what they measured."""

import sys


def show(line: str) -> None:
    """A line of a report, for who runs the tests with -s."""
    sys.stdout.write(f"\n{line}")
