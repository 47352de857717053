"""The request bodies of tournaments, and what they mean to the flows."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from engine.games import IDS
from engine.tournament import IDS as FORMATS
from engine.types import EpochMs, Json
from functions.shared.flows import texts
from functions.shared.flows.tournaments.creating import MatchOrder, RegistrationOrder, TournamentOrder
from functions.shared.http.fields import Nonce, RatingRange, rating_range

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)

REASON = 500
"""Characters of a reason."""

Text = Annotated[str, msgspec.Meta(max_length=1000)]
"""`flows.texts` says better what is wrong with a text than a schema does."""
Word = Annotated[str, msgspec.Meta(max_length=64)]
Number = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31)]
"""The flows know the bounds, which depend on other fields."""
Instant = Annotated[datetime, msgspec.Meta(tz=True, description="RFC 3339, with an offset.")]
PlayerId = Annotated[str, msgspec.Meta(max_length=40)]
Game = Annotated[str, msgspec.Meta(max_length=64, extra_json_schema={"enum": list(IDS)})]
Format = Annotated[str, msgspec.Meta(max_length=64, extra_json_schema={"enum": list(FORMATS)})]
Seeding = Annotated[str, msgspec.Meta(max_length=64, extra_json_schema={"enum": ["rating", "random", "manual"]})]
Tiebreaks = Annotated[list[Word], msgspec.Meta(max_length=20)]


class _Strict(msgspec.Struct, forbid_unknown_fields=True):
    """A body with no fields but its own."""


class NewRegistration(_Strict):
    """Who may enter, and when: from `opens_at` (at once) to `closes_at` (when the check-in opens, or the start)."""

    opens_at: Instant | None = None
    closes_at: Instant | None = None
    capacity: Number | None = None
    check_in_minutes: Number = 0
    rating_range: RatingRange | None = None
    join_code: Word | None = None


class NewMatchSettings(_Strict):
    """How its matches are played."""

    clock: dict[str, Any] | None = None
    best_of: Number | None = None
    seats: Number | None = None
    replays: Number | None = None


class NewTournament(_Strict):
    """The tournament that is asked for."""

    name: Text
    game: Game
    format: Format
    starts_at: Instant
    options: dict[str, Any] | None = None
    registration: NewRegistration = msgspec.field(default_factory=NewRegistration)
    seeding: Seeding = "rating"
    match: NewMatchSettings = msgspec.field(default_factory=NewMatchSettings)
    rounds: Number | None = None
    round_deadline: Number | None = None
    third_place: bool | None = None
    advance: Number | None = None
    cycles: Number | None = None
    groups: Number | None = None
    ruleset: Word | None = None
    tiebreaks: Tiebreaks | None = None
    unrated: bool = False
    repeats: Text | None = None
    time_zone: Word | None = None


class ChangedRegistration(_Strict):
    """What changes of the registration; null is the default."""

    opens_at: Instant | UnsetType | None = UNSET
    closes_at: Instant | UnsetType | None = UNSET
    capacity: Number | UnsetType | None = UNSET
    check_in_minutes: Number | UnsetType = UNSET
    rating_range: RatingRange | UnsetType | None = UNSET
    join_code: Word | UnsetType | None = UNSET


class ChangedMatchSettings(_Strict):
    """What changes of how matches are played; null is the default."""

    clock: dict[str, Any] | UnsetType | None = UNSET
    best_of: Number | UnsetType | None = UNSET
    seats: Number | UnsetType | None = UNSET
    replays: Number | UnsetType | None = UNSET


class ChangedTournament(_Strict):
    """What changes; what is left out stays as it is, null is the default."""

    name: Text | UnsetType = UNSET
    game: Game | UnsetType = UNSET
    format: Format | UnsetType = UNSET
    starts_at: Instant | UnsetType = UNSET
    options: dict[str, Any] | UnsetType | None = UNSET
    registration: ChangedRegistration | UnsetType = UNSET
    seeding: Seeding | UnsetType = UNSET
    match: ChangedMatchSettings | UnsetType = UNSET
    rounds: Number | UnsetType | None = UNSET
    round_deadline: Number | UnsetType | None = UNSET
    third_place: bool | UnsetType | None = UNSET
    advance: Number | UnsetType | None = UNSET
    cycles: Number | UnsetType | None = UNSET
    groups: Number | UnsetType | None = UNSET
    ruleset: Word | UnsetType | None = UNSET
    tiebreaks: Tiebreaks | UnsetType | None = UNSET
    unrated: bool | UnsetType = UNSET
    repeats: Text | UnsetType | None = UNSET
    time_zone: Word | UnsetType | None = UNSET


class Cancellation(_Strict):
    """Why it is cancelled; entrants are told."""

    reason: Text = ""


class Nothing(_Strict):
    """A body without fields; it may be left out."""


class NewEntry(_Strict):
    """An entry: the own one, or an organizer's for somebody, who gives the seed."""

    player: PlayerId | None = None
    seed: Number | None = None
    nonce: Nonce | None = None
    join_code: Word | None = None


class NewResult(_Strict):
    """How a pairing is to end: a rank for each side, and why."""

    ranks: Annotated[list[Annotated[int, msgspec.Meta(ge=1, le=100)]], msgspec.Meta(min_length=2, max_length=100)]
    reason: Text
    cascade: bool = False


def instant(at: datetime) -> EpochMs:
    """The instant of a body in milliseconds."""
    return (at - _EPOCH) // _MS


def reason_of(text: str) -> str:
    """The reason that an organizer gives. Raises `Rejected` (invalid-request)."""
    return texts.checked("reason", text, REASON)


def order_of(asked: NewTournament) -> TournamentOrder:
    """What the body asks for. Raises `Rejected` (invalid-request) for a rating range that is the wrong way round."""
    fields = {name: _meant(value, name) for name, value in _given(asked)}
    registration = RegistrationOrder(**{name: _meant(value, name) for name, value in _given(asked.registration)})
    return TournamentOrder(**fields | {"registration": registration, "match": MatchOrder(**dict(_given(asked.match)))})


def changes_of(asked: ChangedTournament) -> dict[str, Json]:
    """The fields that the body changes, as `flows.tournaments.creating.change` takes them. Raises as `order_of`."""
    changes: dict[str, Json] = {}
    for name, value in _given(asked):
        if isinstance(value, msgspec.Struct):
            changes |= {f"{name}.{part}": _meant(inner, part) for part, inner in _given(value)}
        else:
            changes[name] = _meant(value, name)
    return changes


def _given(asked: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    """The fields that a body says."""
    fields = ((name, getattr(asked, name)) for name in asked.__struct_fields__)
    return ((name, value) for name, value in fields if value is not UNSET)


def _meant(value: Any, name: str) -> Any:
    if isinstance(value, datetime):
        return instant(value)
    if name == "rating_range":
        return rating_range(value)
    if name == "join_code":
        return value or ""
    return tuple(value) if name == "tiebreaks" and value is not None else value
