"""Ways in which a call of the database goes wrong, as hooks round it."""

from typing import Any

from botocore.exceptions import ReadTimeoutError
from moto.dynamodb.exceptions import TransactionCanceledException

from infra.local.dynamo_errors import client_error, to_client_error
from tests.faults.world import Call, Hook

Answer = dict[str, Any]

WRITES = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem")


class Killed(BaseException):
    """The function was stopped: no line of it runs after this."""


def plain(operation: str, parameters: dict[str, Any], call: Call) -> Answer:
    """Nothing goes wrong."""
    return call()


def lost(operation: str, parameters: dict[str, Any], call: Call) -> Answer:
    """The call is carried out, and nobody hears of it."""
    call()
    raise ReadTimeoutError(endpoint_url="https://dynamodb.us-east-1.amazonaws.com/")


def resent(operation: str, parameters: dict[str, Any], call: Call) -> Answer:
    """The first reply is lost, and the client sends the same call once more, as botocore does."""
    call()
    return call()


def failing(code: str) -> Hook:
    """The call is refused with this code."""

    def refuse(operation: str, parameters: dict[str, Any], call: Call) -> Answer:
        raise client_error(operation, code, "a fault of the tests")

    return refuse


def cancelled(code: str) -> Hook:
    """The transaction is cancelled for its first item, for this reason."""

    def refuse(operation: str, parameters: dict[str, Any], call: Call) -> Answer:
        others = len(parameters["TransactItems"]) - 1
        reasons = [(code, "a fault of the tests", None), *[(None, None, None)] * others]
        raise to_client_error(operation, TransactionCanceledException(reasons))

    return refuse


def killed_before(operation: str, parameters: dict[str, Any], call: Call) -> Answer:
    """The function stops, and the call was never made."""
    raise Killed


def killed_after(operation: str, parameters: dict[str, Any], call: Call) -> Answer:
    """The call is carried out, and the function stops."""
    call()
    raise Killed


class Counting:
    """A hook that counts the calls, and does something else with one of them."""

    def __init__(self, place: int | None = None, how: Hook = plain) -> None:
        self.calls: list[str] = []
        self._place = place
        self._how = how

    def __call__(self, operation: str, parameters: dict[str, Any], call: Call) -> Answer:
        self.calls.append(operation)
        hook = self._how if len(self.calls) - 1 == self._place else plain
        return hook(operation, parameters, call)


class Stopping:
    """Counts writes, and stops the function after one of them."""

    def __init__(self, place: int | None = None) -> None:
        self.writes = 0
        self._place = place

    def __call__(self, operation: str, parameters: dict[str, Any], call: Call) -> Answer:
        answer = call()
        if operation in WRITES:
            self.writes += 1
            if self.writes - 1 == self._place:
                raise Killed
        return answer


def on(operations: str | tuple[str, ...], hook: Hook, times: int = 1, table: str = "MatchesTable") -> Hook:
    """The hook for the first so many calls of these operations on a table, a transaction being on all of its tables."""
    left = [times]
    names = (operations,) if isinstance(operations, str) else operations

    def chosen(operation: str, parameters: dict[str, Any], call: Call) -> Answer:
        if operation in names and _is_on(parameters, table) and left[0]:
            left[0] -= 1
            return hook(operation, parameters, call)
        return call()

    return chosen


def _is_on(parameters: dict[str, Any], table: str) -> bool:
    actions = parameters.get("TransactItems", [{"": parameters}])
    return any(part.get("TableName") == table for action in actions for part in action.values())
