"""Several items that must agree are written in one transaction."""

import secrets
from collections.abc import Sequence
from typing import Any, TypeAlias

from pynamodb.exceptions import TransactWriteError
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from functions.shared.store.availability import code_of
from functions.shared.store.models import connection
from functions.shared.store.ports import ConflictError

Put: TypeAlias = tuple[Any, Condition | None]
"""An item, and what is expected in its place."""

Update: TypeAlias = tuple[Any, list[Action], Condition]
"""An item, by its key; what is done with it, nothing included; and what is expected of it."""

_SOMEBODY_ELSE = {"None", "ConditionalCheckFailed", "TransactionConflict"}


def transact(
    puts: Sequence[Put],
    deletes: Sequence[Model] = (),
    present: Sequence[Any] = (),
    taken: Sequence[Any] = (),
    updates: Sequence[Update] = (),
) -> None:
    """All of the writes or none, and none unless there are items under the keys of those in `present`, and of those in
    `taken`, which are deleted. Raises `ConflictError` when an expectation fails or another transaction is under way.

    Each call carries a token, so that one which the client sends twice is carried out once.
    """
    try:
        with TransactWrite(connection=connection(), client_request_token=secrets.token_hex(16)) as transaction:
            for item, expected in puts:
                transaction.save(item, condition=expected)
            for item in deletes:
                transaction.delete(item)
            for item in taken:
                transaction.delete(item, condition=type(item).pk.exists())
            for item, actions, condition in updates:
                if actions:
                    transaction.update(item, actions, condition=condition)
                else:
                    transaction.condition_check(type(item), item.pk, item.sk, condition)
            for item in present:
                transaction.condition_check(type(item), item.pk, item.sk, type(item).pk.exists())
    except TransactWriteError as error:
        codes = {reason.code for reason in error.cancellation_reasons if reason is not None}
        if code_of(error) == "TransactionCanceledException" and codes <= _SOMEBODY_ELSE:
            raise ConflictError("somebody else wrote first") from error
        raise
