"""Delivers the records of tables' streams to the functions that the template names, as Lambda's pollers do.

At least once and in order: a batch that failed is delivered again from the record that failed, a bounded number of
times; then the queue of failures is told of the record, and what follows it goes on.
"""

import math
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from infra.local import filters
from infra.local.template import StreamTrigger

Record = dict[str, Any]
Invoke = Callable[[str, Any], Any]

WINDOW = 0.02
"""Seconds in which records gather: a call a record would cost more than what it does."""
PORTION = 20
"""Records of a table that are taken at a time, while somebody else waits for the thread."""
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
    """Moves records from a source to functions: little by little in whoever calls `step`, in one background thread
    after `start`, or all that there are in the caller of `settle`."""

    def __init__(
        self,
        triggers: Sequence[StreamTrigger],
        source: RecordSource,
        invoke: Invoke,
        *,
        poll: float | None = None,
        window: float = WINDOW,
    ) -> None:
        """Deliver by `invoke(function, event)`. `poll`, in seconds, is for a source that does not call `wake`.

        Raises `ValueError` for a filter pattern that can't be applied.
        """
        self.failures: list[Failure] = []
        """What the queues got, oldest first."""
        self._lanes = [_Lane(trigger, invoke, self.failures) for trigger in triggers]
        self._tables = sorted({trigger.table for trigger in triggers})
        self._source = source
        self._poll = math.inf if poll is None else poll
        self._window = window
        self._look_at = time.monotonic() if poll is not None else math.inf
        """When to look for records again. Other threads set it at any time, so it stands alone."""
        self._batch_at = math.inf
        """When the next batch goes out."""
        self._pumping = threading.Lock()
        self._woken = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="streams", daemon=True)

    def start(self) -> None:
        """Deliver in the background."""
        self._thread.start()

    def stop(self) -> None:
        """End the background deliveries after the one under way."""
        self._stopped = True
        self._woken.set()
        self._thread.join()

    def wake(self) -> None:
        """Say that there are new records."""
        if self._look_at == math.inf:
            self._look_at = time.monotonic() + self._window
            self._woken.set()

    def step(self) -> float:
        """Take a few records that have waited long enough, or give a function a batch of them; give the seconds until
        there may be more to do."""
        now = time.monotonic()
        if now < min(self._look_at, self._batch_at):
            return min(self._look_at, self._batch_at) - now
        if not self._pumping.acquire(blocking=False):
            return self._window  # somebody else delivers
        try:
            due = next((lane for lane in self._lanes if lane.due_at <= now), None)
            if due is not None:
                due.deliver()
            elif self._look_at <= now:
                self._look_at = now + self._poll
                if self._take(PORTION, now) >= PORTION:
                    self._look_at = now
            self._batch_at = min([lane.due_at for lane in self._lanes], default=math.inf)
        finally:
            self._pumping.release()
        return max(0.0, min(self._look_at, self._batch_at) - time.monotonic())

    def settle(self) -> None:
        """Deliver until nothing is left, what the functions write on the way included."""
        with self._pumping:
            busy = True
            while busy:
                busy = self._take(_TAKEN, time.monotonic()) > 0
                for lane in self._lanes:
                    while lane.waits:
                        busy = True
                        lane.deliver()

    def _run(self) -> None:
        while not self._stopped:
            wait = self.step()
            self._woken.wait(None if wait == math.inf else wait)
            self._woken.clear()

    def _take(self, limit: int, now: float) -> int:
        """Put what there is into the lanes, of each table at most `limit`; tell of how many one had the most."""
        most = 0
        for table in self._tables:
            records = self._source.take_records(table, limit)
            most = max(most, len(records))
            for lane in self._lanes:
                if lane.trigger.table == table:
                    lane.offer(records, now)
        return most


class _Lane:
    """The records on their way to one function."""

    def __init__(self, trigger: StreamTrigger, invoke: Invoke, failures: list[Failure]) -> None:
        self.trigger = trigger
        self.due_at = math.inf
        """When a batch goes out: it is full, or its window is over."""
        self._fits = filters.fitting(trigger.patterns)
        self._invoke = invoke
        self._failures = failures
        self._queue: deque[Record] = deque()
        self._size = trigger.batch_size
        """Records of the next batch, less when one has failed."""
        self._attempts = 0
        """Calls that did not take the oldest record when it could be told that it was the one."""

    @property
    def waits(self) -> bool:
        """Whether there is anything for the function."""
        return bool(self._queue)

    def offer(self, records: Sequence[Record], now: float) -> None:
        """Queue the records that the function asked for."""
        self._queue.extend(filter(self._fits, records))
        if len(self._queue) >= self.trigger.batch_size:
            self.due_at = now
        elif self._queue:
            self.due_at = min(self.due_at, now + self.trigger.window)

    def deliver(self) -> None:
        """Call the function once, with a batch that is there."""
        batch = [self._queue[index] for index in range(min(self._size, len(self._queue)))]
        taken = self._call(batch)
        if taken:
            self._size, self._attempts = self.trigger.batch_size, 0
            for _ in range(taken):
                self._queue.popleft()
        if taken < len(batch):
            if not taken and len(batch) > 1 and self.trigger.bisects:
                # halved until the record that fails is alone, which then uses up its attempts
                self._size = (len(batch) + 1) // 2
            else:
                self._failed()
        self.due_at = -math.inf if self._queue else math.inf

    def _failed(self) -> None:
        self._attempts += 1
        if self._attempts == self.trigger.attempts:
            self._attempts = 0
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
