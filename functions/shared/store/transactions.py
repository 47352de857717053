"""Several items that must agree are written in one transaction."""

import secrets
from collections.abc import Sequence
from typing import Any, TypeAlias

from pynamodb.exceptions import TransactWriteError
from pynamodb.expressions.condition import Condition
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from functions.shared.store.availability import code_of
from functions.shared.store.models import connection
from functions.shared.store.ports import ConflictError

Put: TypeAlias = tuple[Any, Condition | None]
"""An item, and what is expected in its place."""

_SOMEBODY_ELSE = {"None", "ConditionalCheckFailed", "TransactionConflict"}


def transact(puts: Sequence[Put], deletes: Sequence[Model] = ()) -> None:
    """All of the writes or none. Raises `ConflictError` when an expectation fails or another transaction is under way.

    Each call carries a token, so that one which the client sends twice is carried out once.
    """
    try:
        with TransactWrite(connection=connection(), client_request_token=secrets.token_hex(16)) as transaction:
            for item, expected in puts:
                transaction.save(item, condition=expected)
            for item in deletes:
                transaction.delete(item)
    except TransactWriteError as error:
        codes = {reason.code for reason in error.cancellation_reasons if reason is not None}
        if code_of(error) == "TransactionCanceledException" and codes <= _SOMEBODY_ELSE:
            raise ConflictError("somebody else wrote first") from error
        raise
