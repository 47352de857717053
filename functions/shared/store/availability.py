"""Failures of the database that pass by themselves, as one error."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from botocore.exceptions import BotoCoreError
from pynamodb.exceptions import PynamoDBException

from functions.shared.store.ports import UnavailableError

P = ParamSpec("P")
R = TypeVar("R")

_PASSING = {
    "InternalServerError",
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ServiceUnavailable",
    "ThrottlingException",
    "TransactionInProgressException",
}
TRANSACTION_CONFLICT = "TransactionConflictException"
SOMEBODY_ELSE = {"ConditionalCheckFailedException", TRANSACTION_CONFLICT}
"""Why a plain conditional write fails: others wrote first, or the item is part of their transaction at this moment."""
_THROTTLED_ITEMS = {"ProvisionedThroughputExceeded", "ThrottlingError"}


def guarded(method: Callable[P, R]) -> Callable[P, R]:
    """The method, raising `UnavailableError` when the database is throttled or out of reach."""

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except PynamoDBException as error:
            if not _passes(error):
                raise
            raise UnavailableError(code_of(error) or str(error)) from error

    return call


def code_of(error: PynamoDBException) -> str:
    """DynamoDB's code of an error; nothing where it never answered, on which pynamodb's `cause_response_code` fails."""
    return "" if isinstance(error.cause, BotoCoreError) else error.cause_response_code or ""


def _passes(error: PynamoDBException) -> bool:
    reasons = getattr(error, "cancellation_reasons", None) or ()
    throttled = any(reason is not None and reason.code in _THROTTLED_ITEMS for reason in reasons)
    return throttled or isinstance(error.cause, BotoCoreError) or code_of(error) in _PASSING
