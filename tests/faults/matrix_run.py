"""Tries an operation with a fault at each of its calls of the database, and names what came of it. The name follows
from what was observed: what was stored before, after the fault and in the end, and what was answered."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from tests.faults import breaking, matrix_rivals
from tests.faults import matrix_stories as stories
from tests.faults.breaking import Counting
from tests.faults.matrix_compare import Wrong, require, same, when
from tests.faults.matrix_records import difference
from tests.faults.matrix_stage import KILLED
from tests.faults.matrix_stories import UNDONE, Kind, Operation, Run, run
from tests.faults.world import Hook


class Fault(StrEnum):
    """A column."""

    BEFORE = "crash before the call"
    AFTER = "crash after the call"
    LOST = "reply lost"
    RESENT = "reply lost, call sent again"
    THROTTLED = "throttled"
    RIVAL = "conflicting write before the call"
    TWINS = "second instance before the call"
    TWICE = "comes twice"


HOOKS: dict[Fault, Hook] = {
    Fault.BEFORE: breaking.killed_before,
    Fault.AFTER: breaking.killed_after,
    Fault.LOST: breaking.lost,
    Fault.RESENT: breaking.resent,
    Fault.THROTTLED: breaking.failing("ProvisionedThroughputExceededException"),
}

Row = dict[Fault, Counter[str]]
"""How often each outcome was seen."""


def row(operation: Operation) -> Row:
    """All outcomes of an operation, by fault. Raises `Wrong`."""
    clean = run(operation, stories.clean)
    found: Row = {}
    for fault in Fault:
        if fault is Fault.RIVAL and not operation.rival:
            continue
        try:
            found[fault] = _outcomes(operation, fault, clean)
        except Wrong as wrong:
            raise Wrong(f"{operation.name}, {fault}, {wrong}") from wrong
    return found


def _outcomes(operation: Operation, fault: Fault, clean: Run) -> Counter[str]:
    if fault is Fault.TWICE:
        return Counter((_twice(operation, clean), _twice_late(operation, clean)))
    if fault is Fault.RIVAL:
        return matrix_rivals.outcomes(operation, clean)
    # A schedule that was cut off does the rest a minute later, as if it had come then.
    late = [run(operation, stories.missed)] if operation.kind is Kind.SCHEDULE else []
    found: Counter[str] = Counter()
    for place in range(clean.calls):
        try:
            if fault is Fault.TWINS:
                found[_twins(operation, [clean, *late], place)] += 1
            else:
                found[_faulty(operation, [clean, *late], Counting(place, HOOKS[fault]))] += 1
        except Wrong as wrong:
            raise Wrong(f"call {place + 1} of {clean.calls}: {wrong}") from wrong
    return found


def _faulty(operation: Operation, allowed: Sequence[Run], hook: Hook) -> str:
    clean = allowed[0]
    found = run(operation, stories.faulty(hook), [one.after for one in allowed])
    late = when(found, allowed)
    first, answer = found.told.first, found.told.answer
    if first not in UNDONE:
        require(same(first, clean.told.first) and found.told.attempted == clean.told.attempted, f"answered {first}")
        return "unharmed" + late
    stored = _stored(found, clean)
    is_other = not same(answer, clean.told.answer)
    require(not is_other or (stored != "redone" and not operation.is_keyed), f"{stored}, and answered {answer}")
    shown = f" ({answer})" if is_other else ""
    return ("" if first == KILLED else f"{first}: ") + stored + shown + late


def _stored(found: Run, clean: Run) -> str:
    if found.told.attempted == found.before:
        return "redone"
    return "kept" if found.told.attempted == clean.told.attempted else "completed"


def _twins(operation: Operation, allowed: Sequence[Run], place: int) -> str:
    found = run(operation, stories.twins(place), [one.after for one in allowed])
    return _once(operation, found, allowed[0]) + when(found, allowed)


def _twice(operation: Operation, clean: Run) -> str:
    found = run(operation, stories.twice, [clean.after])
    return _once(operation, found, clean) + when(found, [clean])


def _twice_late(operation: Operation, clean: Run) -> str:
    found = run(operation, stories.twice_late)
    require(found.after == clean.later, difference(found.after, clean.later or Counter()))
    return _once(operation, found, clean)


def _once(operation: Operation, found: Run, clean: Run) -> str:
    """What two of the same come to: which answers there were other than the clean run's."""
    answers = [found.told.first, found.told.answer, found.told.other]
    odd = list(dict.fromkeys(answer for answer in answers if not same(answer, clean.told.answer)))
    require(not operation.is_keyed or set(odd) <= set(UNDONE), f"answered {', '.join(odd)}")
    return "once" + (f" ({', '.join(odd)})" if odd else "")
