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
            raise UnavailableError(str(error.cause_response_code)) from error

    return call


def _passes(error: PynamoDBException) -> bool:
    reasons = getattr(error, "cancellation_reasons", None) or ()
    throttled = any(reason is not None and reason.code in _THROTTLED_ITEMS for reason in reasons)
    return throttled or isinstance(error.cause, BotoCoreError) or error.cause_response_code in _PASSING
