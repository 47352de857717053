"""Idempotency of transactions: what ``ClientRequestToken`` promises, which moto ignores."""

import hashlib
from collections import OrderedDict
from typing import Any

import msgspec
from moto.core.exceptions import JsonRESTError

# API reference, TransactWriteItems: valid "for 10 minutes after the first request that uses it is completed".
_WINDOW_SECONDS = 600.0


class RequestTokens:
    """The tokens of the transactions that succeeded within the last ten minutes."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, tuple[bytes, float]] = OrderedDict()

    def repeats(self, body: dict[str, Any], now: float) -> bool:
        """Whether this transaction succeeded before under its token.

        Raises moto's error with the code IdempotentParameterMismatchException if the token stood for another one.
        """
        while self._seen and next(iter(self._seen.values()))[1] <= now - _WINDOW_SECONDS:
            self._seen.popitem(last=False)
        known = self._seen.get(body["ClientRequestToken"])
        if known is not None and known[0] != _digest(body):
            raise JsonRESTError(
                "IdempotentParameterMismatchException", "The request token was used before with other parameters"
            )
        return known is not None

    def succeeded(self, body: dict[str, Any], now: float) -> None:
        """Note that this transaction was applied."""
        self._seen[body["ClientRequestToken"]] = (_digest(body), now)


def _digest(body: dict[str, Any]) -> bytes:
    # ReturnConsumedCapacity may differ in a repetition.
    return hashlib.sha256(msgspec.json.encode(body["TransactItems"], order="sorted")).digest()
