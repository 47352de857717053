"""Histories of the whole service in which much goes wrong (promises 3, 4 and 7): in the end nothing is lost, and
nothing counts twice. `make faults SEED=…` replays one; `make soak` lives through thousands."""

import sys
from collections.abc import Sized

import pytest

from functions.shared import clock
from tests.faults import history

SEEDS = range(16)
"""A match of each game, with each of the other things that clients are up to."""


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_goes_wrong_in_the_end_all_is_done_once_and_what_was_answered_is_true(seed: int) -> None:
    report = history.run(seed)
    assert report.calls > 100
    assert bool(report.faults.keys() - {"condition that failed"}) == (seed % history.CLEAN_EVERY != 0)
    assert report.outcomes["POST players: done"] == history.CLIENTS


def test_a_seed_decides_its_history_to_the_last_call() -> None:
    first, second = history.run(5), history.run(5)
    assert first == second
    assert first.digest != history.run(6).digest


def memory() -> dict[str, int]:
    """How much each of the functions' modules keeps from one call to the next, by name."""
    found = {}
    for module_name, module in list(sys.modules.items()):
        if module_name.split(".")[0] == "functions":
            for name, value in vars(module).items():
                if value is clock.rfc3339:
                    continue  # an instant is written the same way for ever
                if hasattr(value, "cache_info"):
                    found[f"{module_name}.{name}"] = value.cache_info().currsize
                elif isinstance(value, Sized) and not isinstance(value, type):
                    found[f"{module_name}.{name}"] = len(value)
    return found


def test_an_instance_remembers_nothing_but_who_asked_and_what_it_read_or_wrote() -> None:
    """So a deploy of the histories has to forget nothing else."""
    history.run(1)
    before = memory()
    history.run(2)
    assert memory() == before
    assert {"functions.shared.http.identity._kept", "functions.shared.store.packing._kept"} <= before.keys()
