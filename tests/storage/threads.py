"""Several writers at once, of whom some meet a conflict."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from functions.shared.store.ports import ConflictError
from tests.faults.threads import together

T = TypeVar("T")


def gained(jobs: Sequence[Callable[[], T]]) -> list[T | None]:
    """What the jobs give that begin at the same moment; None for one that met a conflict."""

    def run(job: Callable[[], T]) -> T | None:
        try:
            return job()
        except ConflictError:
            return None

    return together([partial(run, job) for job in jobs])


def done(jobs: Sequence[Callable[[], object]]) -> list[int]:
    """As `gained`; gives which of the jobs got through."""

    def told_so(job: Callable[[], object]) -> bool:
        job()
        return True

    results = gained([partial(told_so, job) for job in jobs])
    return [number for number, result in enumerate(results) if result is not None]
