"""What goes wrong in a history, and how often: each seed has its own mixture, so that each kind is once alone, once in
company, once absent."""

from collections import Counter
from random import Random
from typing import Any

from tests.faults.breaking import cancelled, failing, killed_after, killed_before, lost, plain, resent
from tests.faults.world import Call, Hook

Answer = dict[str, Any]

_OF_WRITES: dict[str, Hook] = {
    "crash before a write": killed_before,
    "crash after a write": killed_after,
    "reply of a write lost": lost,
    "write sent twice": resent,
    "write throttled": failing("ProvisionedThroughputExceededException"),
    "write refused, internal error": failing("InternalServerError"),
}
_OF_PUTS = _OF_WRITES | {"put in the way of a transaction": failing("TransactionConflictException")}
_OF_TRANSACTIONS = _OF_WRITES | {
    "transaction in the way of another": cancelled("TransactionConflict"),
    "transaction throttled for an item": cancelled("ThrottlingError"),
}
_OF_BATCHES = _OF_WRITES
_OF_READS: dict[str, Hook] = {
    "crash before a read": killed_before,
    "crash after a read": killed_after,
    "reply of a read lost": lost,
    "read throttled": failing("ThrottlingException"),
}
_KINDS = {
    "GetItem": _OF_READS,
    "BatchGetItem": _OF_READS,
    "Query": _OF_READS,
    "PutItem": _OF_PUTS,
    "UpdateItem": _OF_PUTS,
    "DeleteItem": _OF_PUTS,
    "TransactWriteItems": _OF_TRANSACTIONS,
    "BatchWriteItem": _OF_BATCHES,
}
SLOW, OLD_INDEX, FAILED_CONDITION = "call held up", "index read that is old", "condition that failed"
TWICE_AT_ONCE = "the same done by another before a write"

RATES = (0.002, 0.01, 0.03)
"""How likely a fault of weight 1 is."""

WEIGHTS = (0, 1, 1, 1, 4)
"""How often a history has a kind of fault, compared with others."""


class Faults:
    """What goes wrong; and what did, by kind."""

    def __init__(self, rng: Random, *, is_on: bool = True) -> None:
        self.done: Counter[str] = Counter()
        self.is_on = is_on
        self._rng = rng
        self._rate = rng.choice(RATES)
        self._weights: dict[str, int] = {}
        self._indexes: dict[tuple[str, ...], Answer] = {}

    def happens(self, kind: str, often: float = 1) -> bool:
        """Whether this goes wrong now, `often` times as likely as others; it is counted."""
        if not self.is_on:
            return False
        if kind not in self._weights:
            self._weights[kind] = self._rng.choice(WEIGHTS)
        if self._rng.random() >= self._rate * often * self._weights[kind]:
            return False
        self.done[kind] += 1
        return True

    def latency_ms(self) -> int:
        """How long it takes until a call arrives. Now and then others do a lot meanwhile."""
        if self.happens(SLOW):
            return self._rng.choice((self._rng.randrange(100, 1000), self._rng.randrange(1000, 8000)))
        return self._rng.randrange(1, self._rng.choice((10, 30, 200)))

    def draw(self, operation: str, parameters: dict[str, Any]) -> Hook:
        """What happens to a call. A write goes wrong more often than a read."""
        kinds = _KINDS[operation]
        kind = self._rng.choice(list(kinds))
        if self.happens(kind, 0.4 if kinds is _OF_READS else 5):
            return kinds[kind]
        return self._indexed if "IndexName" in parameters else plain

    def _indexed(self, operation: str, parameters: dict[str, Any], call: Call) -> Answer:
        """An index as it was when it was last asked for the same."""
        texts = (value["S"] for value in parameters["ExpressionAttributeValues"].values() if "S" in value)
        place = (parameters["TableName"], parameters["IndexName"], *sorted(texts))
        answer = call()
        before = self._indexes.get(place)
        if before is not None and "ExclusiveStartKey" not in parameters and self.happens(OLD_INDEX, 3):
            return before
        self._indexes[place] = answer
        return answer
