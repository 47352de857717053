"""The tables' streams on their way to the functions: late, repeated, and in any order that each has to bear."""

import zlib
from functools import partial
from typing import Any

from infra.local import filters
from infra.local.template import StreamTrigger
from tests.faults.breaking import Killed
from tests.faults.history_world import History
from tests.faults.world import STACK

Record = dict[str, Any]

SHARDS = 2
"""Of each stream: what is in one of them stays in order, and what is written later may come earlier in another."""

REPAIRED = ("SettleFunction",)
"""What these functions never hear of, the referee finds."""

UNORDERED = ("SettleFunction", "RankFunction")
"""These functions go by what is stored, or by versions: even the changes of one item may come in any order."""

TABLES = sorted({trigger.table for trigger in STACK.streams})


class Streams:
    """All lanes."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._lanes = [_Lane(history, trigger, shard) for trigger in STACK.streams for shard in range(SHARDS)]

    def start(self) -> None:
        """Delivers while there are clients."""
        for lane in self._lanes:
            self._history.tasks.spawn(lane.name, partial(self._run, lane))

    def _run(self, lane: "_Lane") -> None:
        while self._history.busy:
            lane.wait()
            self.take()
            lane.deliver()

    def take(self) -> None:
        """Distributes what was written since the last time."""
        for table in TABLES:
            records = self._history.dynamo.take_records(table, 1_000_000)
            if table == "MatchesTable":
                self._history.images += [record["dynamodb"] for record in records]
            for lane in self._lanes:
                lane.offer(table, records)

    def drain(self) -> bool:
        """Delivers all there is, once; tells whether there was anything."""
        self.take()
        busy = [lane for lane in self._lanes if lane.queue]
        for lane in busy:
            while lane.queue:
                lane.deliver()
        return bool(busy)


class _Lane:
    """One shard's records on their way to one function."""

    def __init__(self, history: History, trigger: StreamTrigger, shard: int) -> None:
        self.name = f"{trigger.table} to {trigger.function}, shard {shard}"
        self.queue: list[Record] = []
        self._history = history
        self._trigger = trigger
        self._shard = shard
        self._fits = filters.fitting(trigger.patterns)
        self._rng = history.random(self.name)
        self._read: list[Record] = []

    def offer(self, table: str, records: list[Record]) -> None:
        """Queues those of a table's records that the function gets through this lane."""
        if table == self._trigger.table:
            self.queue += [record for record in records if self._is_own(record)]

    def wait(self) -> None:
        """Until the next delivery."""
        if self._history.faults.happens("records late", 4):
            self._history.tasks.sleep(self._rng.randrange(300_000))
        self._history.tasks.rest(self._rng.randrange(200, 16_000))

    def deliver(self) -> None:
        """Gives the function a batch; what it did not take comes again, and what follows it."""
        faults, function = self._history.faults, self._trigger.function
        if not self.queue:
            return
        if function in UNORDERED and len(self.queue) > 1 and faults.happens("records reordered", 10):
            self._rng.shuffle(self.queue)
        if self._read and faults.happens("old records again", 5):
            first = self._rng.randrange(len(self._read))
            self._call(self._read[first : first + self._trigger.batch_size])
        size = self._trigger.batch_size
        batch = self.queue[: self._rng.choice((size, self._rng.randint(1, size)))]
        if function in REPAIRED and faults.happens("records never", 3):
            del self.queue[: len(batch)]
            return
        done = self._call(batch)
        if faults.happens("records twice", 5):
            done = min(done, self._call(batch))
        self._read += self.queue[:done]
        del self.queue[:done]

    def _is_own(self, record: Record) -> bool:
        key = record["dynamodb"]["Keys"]["pk"]["S"]
        is_here = zlib.crc32(key.encode()) % SHARDS == self._shard
        return is_here and self._fits(record)

    def _call(self, batch: list[Record]) -> int:
        """Calls the function; gives how many of the records are done."""
        try:
            answer = self._history.invoke(self._trigger.function, {"Records": batch})
        except Killed:
            return 0
        failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        numbers = [record["dynamodb"]["SequenceNumber"] for record in batch]
        assert failed <= set(numbers)
        return min((numbers.index(number) for number in failed), default=len(batch))
