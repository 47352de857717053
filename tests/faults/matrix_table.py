"""Writes `MATRIX.md`: every operation under every fault. `make matrix` runs it."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.faults import matrix_people, matrix_play, matrix_tournaments, matrix_upkeep
from tests.faults.matrix_run import Fault, Row, row
from tests.faults.matrix_stories import Operation

FILE = Path(__file__).parent / "MATRIX.md"

SECTIONS: Mapping[str, Sequence[Operation]] = {
    "Matches": matrix_play.OPERATIONS,
    "Players, seeks, webhooks": matrix_people.OPERATIONS,
    "What follows, and operators": matrix_upkeep.OPERATIONS,
    "Tournaments": matrix_tournaments.OPERATIONS,
}

HEAD = """\
# Faults

What comes of a fault at each call of the database that an operation makes. Every cell was observed: the handlers of
`template.yaml` run over the embedded DynamoDB (moto's operations behind `infra/local`), with the permissions that the
template gives them, and the cell says what was stored and answered.

`make matrix` makes this file anew, in some minutes. It fails, and names the call and the records, where anything was
lost, done twice, or answered otherwise than it happened. `make test` makes some of the rows anew and compares them,
`make soak` all.

A number is a number of runs, one for each call of the operation: up to {row} in a row, {runs} in all. A run has one
fault. Several at once, delays, another order and clocks that differ are what the seeded histories of `make soak` try.

## How a run goes

1. A world is set up: the same each time, ids and deals included. No instance is warm. The due index of matches has two
   shards, not sixteen: fewer queries that find nothing.
2. The operation is attempted, and the fault happens at one of its calls.
3. Whoever has to repeats what was not done. A client sends the request again, with the same `Idempotency-Key` where
   there is one: after `503 try-again` at once, after a crash when the streams have been delivered. A stream delivers
   the same records again. A schedule comes again after a minute. An operator gives the command again.
4. The streams are delivered until nothing is left.
5. All items of all tables, and what webhooks were sent, are compared with those of a run without a fault. Where they
   differ, the schedules get further minutes, and they are compared again; then without the moments since the
   operation began, for what is done later is dated later.

Not compared: which values chance gave to new ids, keys and deals; when items expire; how many versions it took a
tournament, a webhook or a job to get there; in how many parts counters were published; which attempt of a request found
a seek's opponents; the note that a forfeit was carried out. Inboxes and webhooks are told at least once: an event
counts once for its id. Where a schedule was cut off, each item may be as if it had come on time, or a minute later.

## Faults

| column | what happens |
|---|---|
| crash before, crash after | the function stops before the call is made, or when it is carried out |
| reply lost | the call is carried out, and times out |
| sent again | the call is carried out, its reply is lost, and the SDK sends the same call once more |
| throttled | the call is refused with `ProvisionedThroughputExceededException`, the SDK's own attempt included |
| conflicting write | another instance carries out the named request, or delivery, before the call |
| second instance | another instance carries out the very same request, delivery or schedule before the call |
| comes twice | it comes again at once when it is done, and when everything that follows is done: two runs |

## Outcomes

| word | what was observed |
|---|---|
| unharmed | answered as without the fault, and nothing to repeat |
| redone | nothing had been stored; the repetition did it |
| kept | all had been stored; the repetition changed nothing, and was answered alike, or as shown in parentheses |
| completed | some had been stored; the repetition did the rest |
| …, later | the repetition was answered; what it left was done within minutes, by the streams and the referee |
| once | of two, one did it; both were answered alike, or as shown in parentheses |
| first, second | all is as if the operation had come before, or after, the conflicting write, answers included |
| either | both orders leave the same |
| between | all is as if the operation had been stopped there, and gone on after the conflicting write |
| 503 try-again: … | so it was answered first |
| reported: … | the function first gave the records back to the stream, or the command was refused |
| raised: … | the function failed first |

A conflicting write that is answered as done must have stored something at that moment, or nothing in either order.
"""

COLUMNS = ("crash before", "crash after", "reply lost", "sent again", "throttled", "conflicting write")
LAST = ("second instance", "comes twice")


def operations() -> list[Operation]:
    """All of them, in the order of the file."""
    return [operation for section in SECTIONS.values() for operation in section]


def written(rows: Mapping[str, Row]) -> str:
    """The file, of the rows by the operations' names."""
    lines = [HEAD.format(row=max(map(_runs, rows.values())), runs=f"{sum(map(_runs, rows.values())):,}")]
    for title, section in SECTIONS.items():
        lines += [f"## {title}", "", *_table_head(), *(line(one, rows[one.name]) for one in section), ""]
    return "\n".join(lines)


def _table_head() -> Iterator[str]:
    names = ("operation", "by", *COLUMNS, *LAST)
    yield f"| {' | '.join(names)} |"
    yield "|---" * len(names) + "|"


def line(operation: Operation, found: Row) -> str:
    """A row of the file."""
    cells = [_cell(found.get(fault, Counter())) for fault in Fault]
    place = list(Fault).index(Fault.RIVAL)
    cells[place] = f"*{operation.rival}* {cells[place]}" if operation.rival else "–"
    return f"| {' | '.join((operation.name, f'`{operation.by}`', *cells))} |"


def _cell(found: Counter[str]) -> str:
    """The outcomes, those of one first answer together."""
    by_answer: dict[str, list[str]] = {}
    for outcome, many in found.items():
        answer, _, what = outcome.rpartition(": ")
        by_answer.setdefault(answer, []).append(f"{many} {what}")
    return "; ".join((f"{answer}: " if answer else "") + ", ".join(parts) for answer, parts in by_answer.items())


def _runs(found: Row) -> int:
    return sum(outcomes.total() for outcomes in found.values())


def main() -> None:
    """Runs everything, and writes the file. Raises `Wrong` where an outcome is wrong; then the file stays."""
    rows = {}
    for operation in operations():
        sys.stderr.write(f"{operation.name}\n")
        rows[operation.name] = row(operation)
    FILE.write_text(written(rows), encoding="utf-8")
