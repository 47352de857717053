"""Results that reach the ladder the hard way: told twice, late and out of order, by functions that are stopped before
and after any of their writes, with replies that are lost and others that get in between."""

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

from functions.shared.flows.annul import NotRatedError, annul
from functions.shared.store.ports import ConflictError, UnavailableError
from tests.faults.breaking import Killed, failing, killed_after, killed_before, lost, resent
from tests.faults.ladder_checks import services
from tests.faults.ladder_world import Record, changed, count, drain, ended, player, publish, store, told
from tests.faults.world import Call, Hook, World

THROTTLED = failing("ProvisionedThroughputExceededException")
BREAKS: list[Hook] = [killed_before, killed_after, lost, resent, THROTTLED]
TROUBLE, TROUBLES = 0.25, 1000
"""How likely it is that something happens to a write; in a long run less, so that it happens to about so many."""

AGAIN, NO_SHOW = 0.3, 0.1
"""How likely a table plays again, and a seat does not act."""

BATCH = 100
"""Records of a delivery at most (template.yaml)."""

MINUTE_MS = 60_000
DAYS_S = 91 * 86_400


class Chaos:
    """One run, by its seed. What is not done goes back into the bag, as what a stream delivers again would."""

    def __init__(self, world: World, seed: str, players: int, results: int) -> None:
        self._world, self._random = world, Random(seed)
        self._players, self._results, self._left = players, results, results
        self._step = max(20, results // 100)
        self._trouble = min(TROUBLE, TROUBLES / results)
        self._nested = self._rested = False
        self._table: list[str] = []
        self.matches: list[str] = []
        self.ends: list[str] = []
        """Matches that the settling function has not taken yet."""
        self.records: list[Record] = []
        """Of the ladder's stream, as yet not counted."""
        self._old: list[Record] = []
        self.broken = 0
        """How many calls went wrong."""

    def run(self) -> None:
        """Plays all results and delivers them until nothing is left."""
        while self._left or self.ends or self.records:
            for _ in range(min(self._left, self._step)):
                self._play()
            with self._world.around(self._interfere):
                for _ in range(max(4, self._step // 25)):
                    self._settle()
                    self._count()
                for _ in range(max(1, 80 // self._step)):
                    self._publish()
                self._annul()
            self._world.advance(self._random.choice([1, 60, 600]))
            if not self._rested and self._left <= self._results // 8:
                self._rested = True
                self._world.advance(DAYS_S)  # and many are unlisted, until they play again
        drain(self._world)

    def _play(self) -> None:
        self._left -= 1
        if not self._table or self._random.random() > AGAIN:
            self._table = self._seated()
        seats = len(self._table)
        ranks = [self._random.randint(1, seats) for _ in range(seats)]
        ranks = [1 + sum(other < rank for other in ranks) for rank in ranks]
        acted = [self._random.random() > NO_SHOW for _ in range(seats)]
        at = self._world.clock.now() - self._random.randrange(MINUTE_MS)
        self.matches.append(store(ended(self._table, ranks, at, acted=acted)))
        self.ends += [self.matches[-1]] * self._random.choice([1, 1, 1, 2, 5])

    def _seated(self) -> list[str]:
        """Who plays. A few play much: their results overlap, and fall into one batch."""
        numbers = [int(self._players * self._random.random() ** 2) for _ in range(100)]
        return [player(number) for number in dict.fromkeys(numbers)][: self._random.choice([2, 2, 2, 3, 4])]

    def _settle(self) -> None:
        self._random.shuffle(self.ends)
        size = min(self._step // 2, BATCH)
        batch, self.ends = self.ends[:size], self.ends[size:]
        if batch:
            self.ends += self._failed(batch, lambda: self._world.settle([told(match) for match in batch]))
        self.records += changed(self._world)

    def _count(self) -> None:
        """A batch in any order, with old records among the new ones."""
        self._random.shuffle(self.records)
        size = self._random.randrange(1, min(self._step + 10, BATCH))
        batch, self.records = self.records[:size], self.records[size:]
        late = self._random.sample(self._old, min(len(self._old), self._random.choice([0, 0, 3, 10])))
        mixed = batch + late
        self._random.shuffle(mixed)
        if mixed:
            self.records += self._failed(mixed, lambda: count(self._world, mixed))
        self._old = (self._old + batch)[-2000:]

    def _annul(self) -> None:
        with suppress(Killed, UnavailableError, ConflictError, NotRatedError):
            annul(services(), self._random.choice(self.matches), self._world.clock.now())

    def _publish(self) -> None:
        with suppress(Killed, UnavailableError):
            publish(self._world)

    def _failed(self, batch: list[Any], deliver: Any) -> list[Any]:
        """What of a batch comes again."""
        try:
            answer = deliver()
        except Killed:
            return batch
        return batch if answer["batchItemFailures"] or self._random.random() < 0.1 else []

    def _interfere(self, operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        is_write = operation.startswith(("Put", "Transact"))
        likely = TROUBLE if _publishes(parameters) else self._trouble
        if self._nested or not is_write or self._random.random() > likely:
            return call()
        self.broken += 1
        if self._random.random() < 0.5:
            self._meanwhile(parameters)
            return call()
        return self._random.choice(BREAKS)(operation, parameters, call)

    def _meanwhile(self, parameters: dict[str, Any]) -> None:
        """Others work between somebody's read and write."""
        work: list[list[Callable[[], None]]] = [[self._settle], [self._count], [self._count, self._publish]]
        self._nested = True
        try:
            for step in work[-1] if _publishes(parameters) else self._random.choice(work):
                step()
        finally:
            self._nested = False


def _publishes(parameters: dict[str, Any]) -> bool:
    """Whether it is a snapshot that is written."""
    parts = [part for action in parameters.get("TransactItems", []) for part in action.values()]
    return any(part.get("Item", {}).get("sk") == {"S": "SNAPSHOT"} for part in parts)
