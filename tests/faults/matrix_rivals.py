"""Which of two came first, the operation or the write that conflicts with it, by what both left and were answered."""

from collections import Counter
from collections.abc import Sequence

from tests.faults import matrix_stories as stories
from tests.faults.matrix_compare import Wrong, differs, same, when
from tests.faults.matrix_stories import UNDONE, Kind, Operation, Run, run


def outcomes(operation: Operation, clean: Run) -> Counter[str]:
    """How often each outcome was seen, with the conflicting write before each call of the operation. Raises `Wrong`
    for what neither order of the two explains."""
    last, first = run(operation, stories.rival_last), run(operation, stories.rival_first)
    late = [run(operation, stories.rival_first_and_missed)] if operation.kind is Kind.SCHEDULE else []
    found: Counter[str] = Counter()
    for place in range(clean.calls):
        seen = run(operation, stories.rival_between(place), [last.after, first.after])
        try:
            what = _order(operation, place, seen, [last], [first, *late])
        except Wrong as wrong:
            raise Wrong(f"call {place + 1} of {clean.calls}: {wrong}") from wrong
        odd = "" if same(seen.told.answer, clean.told.answer) else f" ({seen.told.answer})"
        found[(f"{seen.told.first}: " if seen.told.first in UNDONE else "") + what + odd] += 1
    return found


def _order(operation: Operation, place: int, seen: Run, last: Sequence[Run], first: Sequence[Run]) -> str:
    is_first, is_second = _fits(seen, last), _fits(seen, first)
    if is_first or is_second:
        return "either" if is_first and is_second else "first" if is_first else "second"
    if not seen.told.answer.startswith("4"):  # what is refused does nothing, and there is no half of that
        within = run(operation, stories.rival_within(place), [seen.after])
        if _fits(seen, [within]):
            return "between"
    differences = "\n".join(f"{name}:\n{differs(seen, one)}" for name, one in (("1st", last[0]), ("2nd", first[0])))
    raise Wrong(f"{seen.told.answer} and {seen.told.other} in no order of the two\n{differences}")


def _fits(seen: Run, allowed: Sequence[Run]) -> bool:
    try:
        when(seen, allowed)
    except Wrong:
        return False
    return same(seen.told.answer, allowed[0].told.answer) and same(seen.told.other, allowed[0].told.other)
