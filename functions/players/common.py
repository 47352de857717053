"""What the routes of players share."""

from typing import Annotated

import msgspec

from functions.shared.flows import accounts
from functions.shared.http.app import App
from functions.shared.http.request import Request, require
from functions.shared.store.records import Scope

app = App()

Name = Annotated[
    str,
    # `accounts.checked_name` says better what is wrong with a name than a schema does.
    msgspec.Meta(extra_json_schema={"minLength": 2, "maxLength": 24, "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]*$"}),
]


class NewPlayer(msgspec.Struct, forbid_unknown_fields=True):
    """The name of a player: 2 to 24 ASCII letters, digits, `_` or `-`."""

    name: Name


def account(request: Request) -> accounts.Identity:
    """The caller, whose token may change the account. Raises `Rejected`: unauthenticated, forbidden."""
    require(request, Scope.ACCOUNT)
    return request.caller
