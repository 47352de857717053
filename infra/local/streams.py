"""Delivers the records of tables' streams to the functions that the template names, as Lambda's pollers do.

At least once and in order: a batch that failed is delivered again from the record that failed, a bounded number of
times; then the queue of failures is told of the record, and what follows it goes on.
"""

import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from infra.local import filters
from infra.local.template import StreamTrigger

Record = dict[str, Any]
Invoke = Callable[[str, Any], Any]

WINDOW = 0.05
"""Seconds in which records gather into a batch; a call a record would take the interpreter from the gateway."""
_TAKEN = 1000


class RecordSource(Protocol):
    """Where records come from, each once and in order."""

    def take_records(self, table: str, limit: int) -> list[Record]:
        """Remove and give the oldest records of a table's stream, at most `limit`."""


class Failure(NamedTuple):
    """What the on-failure queue is told: which record the function did not take. Of its content, as in Lambda's
    message, nothing."""

    queue: str
    function: str
    table: str
    sequence_number: str
    attempts: int


class StreamPump:
    """Moves records from a source to functions, in one background thread or in the caller of `settle`."""

    def __init__(
        self,
        triggers: Sequence[StreamTrigger],
        source: RecordSource,
        invoke: Invoke,
        *,
        poll: float | None = None,
        window: float = WINDOW,
    ) -> None:
        """Deliver by `invoke(function, event)`. `poll`, in seconds, is for a source that does not call `wake`."""
        for trigger in triggers:
            for pattern in trigger.patterns:
                filters.check(pattern)
        self.failures: list[Failure] = []
        """What the queues got, oldest first."""
        self._lanes = [_Lane(trigger, invoke, self.failures) for trigger in triggers]
        self._tables = sorted({trigger.table for trigger in triggers})
        self._source = source
        self._poll = poll
        self._window = window
        self._pumping = threading.Lock()
        self._woken = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="streams", daemon=True)

    def start(self) -> None:
        """Deliver in the background."""
        self._thread.start()

    def stop(self) -> None:
        """End the background deliveries after the one under way."""
        self._stopped.set()
        self._woken.set()
        self._thread.join()

    def wake(self, table: str) -> None:
        """Say that a table's stream has new records."""
        del table
        self._woken.set()

    def settle(self) -> None:
        """Deliver until nothing is left, what the functions write on the way included."""
        with self._pumping:
            while self._pump():
                pass

    def _run(self) -> None:
        while True:
            self._woken.wait(self._poll)
            self._stopped.wait(self._window)
            if self._stopped.is_set():
                return
            self._woken.clear()
            self.settle()

    def _pump(self) -> bool:
        """Take and deliver once; tell whether there was anything."""
        busy = False
        for table in self._tables:
            records = self._source.take_records(table, _TAKEN)
            lanes = [lane for lane in self._lanes if lane.trigger.table == table]
            for lane in lanes:
                lane.offer(records)
                lane.deliver()
            busy = busy or bool(records)
        return busy


class _Lane:
    """The records on their way to one function."""

    def __init__(self, trigger: StreamTrigger, invoke: Invoke, failures: list[Failure]) -> None:
        self.trigger = trigger
        self._invoke = invoke
        self._failures = failures
        self._queue: deque[Record] = deque()

    def offer(self, records: Sequence[Record]) -> None:
        """Queue the records that the function asked for."""
        patterns = self.trigger.patterns
        for record in records:
            if not patterns or any(filters.matches(pattern, record) for pattern in patterns):
                self._queue.append(record)

    def deliver(self) -> None:
        """Call the function until the queue is empty."""
        size, attempts = self.trigger.batch_size, 0
        while self._queue:
            batch = [self._queue[index] for index in range(min(size, len(self._queue)))]
            taken = self._call(batch)
            if taken:
                size, attempts = self.trigger.batch_size, 0
                for _ in range(taken):
                    self._queue.popleft()
            if taken == len(batch):
                continue
            if not taken and len(batch) > 1 and self.trigger.bisects:
                # halved until the record that fails is alone, which then uses up its attempts
                size = (len(batch) + 1) // 2
                continue
            attempts += 1
            if attempts == self.trigger.attempts:
                attempts = 0
                self._give_up(self._queue.popleft())

    def _call(self, batch: list[Record]) -> int:
        """Call the function with a batch; give how many records from its start are done."""
        event = msgspec.json.decode(msgspec.json.encode({"Records": batch}))
        try:
            answer = self._invoke(self.trigger.function, event)
        except Exception:  # noqa: BLE001 - whatever a function raises, its batch has failed
            sys.stderr.write(f"{self.trigger.function} failed on {len(batch)} records\n{traceback.format_exc()}")
            return 0
        return _done(batch, answer) if self.trigger.reports_failures else len(batch)

    def _give_up(self, record: Record) -> None:
        function, number, attempts = self.trigger.function, record["dynamodb"]["SequenceNumber"], self.trigger.attempts
        sys.stderr.write(f"{function}: record {number} failed {attempts} times, given up\n")
        if queue := self.trigger.on_failure:
            self._failures.append(Failure(queue, function, self.trigger.table, number, attempts))


def _done(batch: list[Record], answer: Any) -> int:
    """Read `batchItemFailures`: nothing there means success, a record that is not in the batch that all failed."""
    failures = answer.get("batchItemFailures") if isinstance(answer, dict) else None
    if not failures:
        return len(batch)
    numbers = [record["dynamodb"]["SequenceNumber"] for record in batch]
    failed = [failure.get("itemIdentifier") for failure in failures]
    if not set(failed) <= set(numbers):
        return 0
    return min(numbers.index(number) for number in failed)
