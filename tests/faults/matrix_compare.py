"""Whether a run ended as it may, by what was stored and what was answered."""

from collections.abc import Iterator, Sequence

from tests.faults.matrix_records import Records, dated, difference
from tests.faults.matrix_stories import Run

_REPLAYED = " replayed"


class Wrong(AssertionError):
    """Something was lost, done twice, or answered otherwise than it happened."""


def require(is_so: bool, what: str) -> None:
    """Raises `Wrong` unless it is so."""
    if not is_so:
        raise Wrong(what)


def same(answer: str, other: str) -> bool:
    """Whether two answers say the same, from the record or not."""
    return answer.removesuffix(_REPLAYED) == other.removesuffix(_REPLAYED)


def when(found: Run, allowed: Sequence[Run]) -> str:
    """Nothing if the run has left what one of the allowed ones has; ", later" if that took minutes. Raises `Wrong` if
    it never did."""
    if _is_mixture(found.after, [one.after for one in allowed]):
        return ""
    later = [one.later for one in allowed if one.later is not None]
    if any(_is_mixture(*pair) for pair in _later(found, later)):
        return ", later"
    raise Wrong(differs(found, allowed[0]))


def differs(found: Run, expected: Run) -> str:
    """In what records a run differs from another one."""
    if found.later is None or expected.later is None:
        return difference(found.after, expected.after)
    return difference(dated(found.later, found.since), dated(expected.later, found.since))


def _later(found: Run, later: Sequence[Records]) -> Iterator[tuple[Records, Sequence[Records]]]:
    """What there is minutes later and may be, as it is, then without moments since the operation began."""
    if found.later is not None:
        yield found.later, later
        yield dated(found.later, found.since), [dated(one, found.since) for one in later]


def _is_mixture(found: Records, allowed: Sequence[Records]) -> bool:
    """Whether each record is that of one of the runs: a sweep that is cut off does the rest a minute later."""
    if found in allowed:
        return True
    every = common = allowed[0]
    for one in allowed[1:]:
        every, common = every | one, common & one
    return found <= every and common <= found and found.total() in {one.total() for one in allowed}
