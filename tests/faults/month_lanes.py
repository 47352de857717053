"""The stream of the matches on its way to its two readers: late, repeated, and in any order that each has to bear."""

from itertools import groupby
from random import Random
from typing import Any

from infra.local import filters
from tests.faults.breaking import Counting, failing
from tests.faults.world import STACK, World

Record = dict[str, Any]
_BATCH = 100


def _key(record: Record) -> str:
    return str(record["dynamodb"]["Keys"]["pk"]["S"])


class Lanes:
    """What each function has still to read. What each write changed stays in `history`."""

    def __init__(self, world: World, rng: Random) -> None:
        self.history: list[Record] = []
        self.failures = 0
        self._world = world
        self._rng = rng
        self._triggers = {trigger.function: trigger for trigger in STACK.streams if trigger.table == "MatchesTable"}
        self._queues: dict[str, list[Record]] = {name: [] for name in self._triggers}
        self._read: dict[str, list[Record]] = {name: [] for name in self._triggers}

    def is_empty(self) -> bool:
        """Whether nobody has anything to read."""
        self._take()
        return not any(self._queues.values())

    def deliver(self, function: str, *, all_of_it: bool = False) -> None:
        """Gives a function some of what waits for it; what failed remains. Now and then a batch comes twice, or the
        database fails on the way."""
        self._take()
        queue = self._shuffled(function)
        while queue:
            size = self._rng.randint(1, _BATCH)
            batch, rest = queue[:size], queue[size:]
            failed = self._call(function, batch)
            if self._rng.random() < 0.2:
                failed = self._call(function, batch) or failed
            self._read[function] += batch[: len(batch) - len(failed)]
            queue = failed + rest
            if not all_of_it and self._rng.random() < 0.3:
                break
        self._queues[function] = queue

    def again(self, function: str) -> None:
        """Gives a function once more what it has read long ago."""
        if known := self._read[function]:
            first = self._rng.randrange(len(known))
            self._call(function, known[first : first + self._rng.randint(1, _BATCH)])

    def _take(self) -> None:
        records = self._world.dynamo.take_records("MatchesTable", 1_000_000)
        self.history += [record["dynamodb"] for record in records]
        for function, queue in self._queues.items():
            queue += [record for record in records if self._fits(function, record)]

    def _fits(self, function: str, record: Record) -> bool:
        return filters.fitting(self._triggers[function].patterns)(record)

    def _shuffled(self, function: str) -> list[Record]:
        """Of several matches in any order; of one match so too, if the function may get them so."""
        queue = self._queues[function]
        if function == "SettleFunction":
            return self._rng.sample(queue, len(queue))
        own = {key: list(records) for key, records in groupby(sorted(queue, key=_key), _key)}
        order = [_key(record) for record in queue]
        self._rng.shuffle(order)
        return [own[key].pop(0) for key in order]

    def _call(self, function: str, batch: list[Record]) -> list[Record]:
        """Calls a function, each time in a millisecond of its own; gives what has to come again."""
        now = self._world.clock
        now.set(now.now() + 1)
        fails_at = self._rng.randrange(20)
        hook = Counting(fails_at if fails_at < 3 else None, failing("ThrottlingException"))
        with self._world.around(hook):
            answer = self._world.invoke(function, {"Records": batch})
        failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        self.failures += len(failed)
        numbers = [record["dynamodb"]["SequenceNumber"] for record in batch]
        first = min((numbers.index(number) for number in failed), default=len(batch))
        return batch[first:]
