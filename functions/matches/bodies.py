"""The request bodies of matches."""

from typing import Annotated, Any, Literal

import msgspec

from engine.bots import HOUSE, STYLES
from engine.games import IDS
from functions.shared.http.fields import Nonce, RatingRange

PlayerId = Annotated[str, msgspec.Meta(max_length=40)]


EXAMPLES: list[dict[str, Any]] = [
    {"type": "resign"},
    {"type": "bid", "count": 1, "digit": 0},
    {"type": "challenge"},
    {"type": "play", "card": "7c", "claim": "lower"},
    {"type": "raise", "chips": 1},
]
"""Actions of some games; `legal-actions` lists those that are possible now."""


class _Strict(msgspec.Struct, forbid_unknown_fields=True):
    """A body with no fields but its own."""


class NewMatch(_Strict):
    """The match that is asked for."""

    game: Annotated[str, msgspec.Meta(max_length=40, extra_json_schema={"enum": list(IDS)})]
    seats: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None
    options: dict[str, Any] | None = None
    clock: dict[str, Any] | None = None
    rated: bool | None = None
    visibility: Literal["public", "private"] = "public"
    invite: Annotated[list[PlayerId], msgspec.Meta(max_length=20)] = msgspec.field(default_factory=list)
    rating_range: RatingRange | None = None
    bots: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    bot_style: Annotated[str, msgspec.Meta(extra_json_schema={"enum": list(STYLES)})] = HOUSE
    nonce: Nonce = ""
    talk: bool | None = None


class Join(_Strict):
    """What it may take to join."""

    join_code: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    nonce: Nonce = ""


class Nothing(_Strict):
    """A body without fields; it may be left out."""


class OwnNonce(_Strict):
    """The caller's nonce."""

    nonce: Nonce


class Act(_Strict):
    """An action in a turn; `turn` may be left out to resign."""

    action: Annotated[dict[str, Any], msgspec.Meta(examples=EXAMPLES)]
    turn: Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)] | None = None
