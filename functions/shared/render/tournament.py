"""A tournament as one caller sees it, with its entries and its audit. Its key, nonces and join code end here."""

from collections.abc import Mapping
from typing import Any

import msgspec

from engine import deal
from engine.ladder.elo import shown as points
from engine.tournament import draw
from engine.types import EpochMs
from functions.shared.clock import rfc3339
from functions.shared.flows.tournaments import life
from functions.shared.render.match import PlayerRef
from functions.shared.store.records import DELETED
from functions.shared.store.records_tournament import (
    AuditEntry,
    EntryRecord,
    Phase,
    Step,
    TournamentRecord,
)

_HIDDEN = ("join_code", "registration.join_code", "key", "nonce")
"""What the audit does not show, however it came there."""


class RegistrationBody(msgspec.Struct):
    """Who may enter, and when, and how many have. `join_code` is shown to organizers only."""

    opens_at: str
    closes_at: str
    capacity: int
    check_in_minutes: int
    check_in_opens_at: str | None
    rating_range: list[int] | None
    needs_code: bool
    join_code: str | None
    entered: int
    waitlisted: int


class MatchSettingsBody(msgspec.Struct):
    """How its matches are played."""

    clock: dict[str, Any]
    best_of: int
    seats: int
    replays: int


class DealBody(msgspec.Struct):
    """What proves that the draws and deals were fair. The key is published when everything is over, with the nonces of
    the entrants; `ruleset` binds the draws to format and settings as they were at the start."""

    spec: str
    commitment: str
    ruleset: str | None
    key: str | None


class TournamentHead(msgspec.Struct):
    """A tournament in a list. `rounds` is how many follow one another at most."""

    id: str
    name: str
    game: str
    options: dict[str, Any]
    """Those that differ from the game's defaults."""
    format: str
    status: str
    starts_at: str
    registration: RegistrationBody
    seeding: str
    match: MatchSettingsBody
    round_deadline: int
    third_place: bool
    advance: int | None
    cycles: int
    tiebreaks: list[str] | None
    """Null: those of the format."""
    unrated: bool
    time_zone: str | None
    organizers: list[PlayerRef]
    entrants: int | None
    """How many took part, once it has started."""
    round: int
    """The round that is being played, 0 before the start, at the end the last one. In a bracket those count as one that
    are played side by side, and it is the first of which a pairing is open."""
    rounds: int
    latest_end: str
    reason: str | None
    """Why it was cancelled."""
    created_at: str
    ended_at: str | None
    deal: DealBody


class EntryBody(msgspec.Struct):
    """An entry. `confirmed`: whether the player has agreed to what an organizer entered."""

    tournament: str
    player: PlayerRef
    seed: int | None
    status: str
    at: str
    confirmed: bool
    rating: int | None
    """At the start."""
    nonce: str | None
    """The own one; everybody's when all is over."""


class EnteredBody(EntryBody):
    """An entry as the answer to what changed it, with what is of the moment."""


class YouBody(msgspec.Struct):
    """The caller's part in it."""

    entry: EntryBody | None
    organizer: bool


class TournamentBody(TournamentHead):
    """A tournament."""

    you: YouBody | None
    """Null without a token."""


class AuditBody(msgspec.Struct):
    """What an organizer did; `player` is null for what the service did by itself."""

    id: str
    at: str
    player: PlayerRef | None
    action: str
    reason: str
    before: dict[str, Any]
    after: dict[str, Any]


def ref(player: str, names: Mapping[str, str]) -> PlayerRef:
    """A player by the name of today."""
    return PlayerRef(player, names.get(player, DELETED))


def head(record: TournamentRecord, player: str | None, names: Mapping[str, str], now: EpochMs) -> TournamentHead:
    """A tournament as it stands in the lists of a player (None: of anybody)."""
    return TournamentHead(**_head(record, player, names, now))


def body(
    record: TournamentRecord, player: str | None, own: EntryRecord | None, names: Mapping[str, str], now: EpochMs
) -> TournamentBody:
    """The whole tournament as a player sees it, who has this entry, or none."""
    you = None
    if player is not None:
        mine = None if own is None else entry(record, own, player, names)
        you = YouBody(mine, player in record.organizers)
    return TournamentBody(**_head(record, player, names, now), you=you)


def entry(record: TournamentRecord, shown: EntryRecord, player: str | None, names: Mapping[str, str]) -> EntryBody:
    """An entry as a player (None: anybody) sees it."""
    may_see = shown.player == player or _is_open_book(record)
    return EntryBody(
        record.id,
        ref(shown.player, names),
        shown.seed or shown.wish or None,
        life.standing(record, shown),
        rfc3339(shown.at),
        shown.confirmed,
        None if shown.rating is None else points(shown.rating),
        shown.nonce if may_see else None,
    )


def audit(shown: AuditEntry, names: Mapping[str, str]) -> AuditBody:
    """An entry of the audit."""
    who = ref(shown.player, names) if shown.player else None
    before, after = _open(shown.before), _open(shown.after)
    return AuditBody(shown.id, rfc3339(shown.at), who, shown.action, shown.reason, before, after)


def _open(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _open(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
        if name not in _HIDDEN
    }


def _is_open_book(record: TournamentRecord) -> bool:
    """Whether nothing is played any more, so that all secrets of its chance can be told."""
    return record.phase in (Phase.FINISHED, Phase.CANCELLED) and record.step in (Step.REST, Step.TELL)


def _head(record: TournamentRecord, player: str | None, names: Mapping[str, str], now: EpochMs) -> dict[str, Any]:
    settings = record.settings
    return {
        "id": record.id,
        "name": record.name,
        "game": record.game,
        "options": record.options,
        "format": record.format,
        "status": life.status(record, now),
        "starts_at": rfc3339(record.starts_at),
        "registration": _registration(record, player in record.organizers),
        "seeding": record.seeding,
        "match": MatchSettingsBody(record.clock, settings.best_of, settings.seats, settings.replays),
        "round_deadline": record.round_deadline,
        "third_place": settings.third_place,
        "advance": settings.advance or None,
        "cycles": settings.cycles,
        "tiebreaks": list(settings.tiebreaks) or None,
        "unrated": record.unrated,
        "time_zone": record.time_zone or None,
        "organizers": [ref(one, names) for one in record.organizers],
        "entrants": record.n or None,
        "round": record.round,
        "rounds": life.depth(record),
        "latest_end": rfc3339(life.latest_end(record)),
        "reason": record.reason or None,
        "created_at": rfc3339(record.created_at),
        "ended_at": rfc3339(record.ended_at) if record.ended_at else None,
        "deal": _deal(record),
    }


def _deal(record: TournamentRecord) -> DealBody:
    ruleset = None if record.drawn is None else draw.ruleset(record.format, record.drawn)
    key = record.key if _is_open_book(record) else None
    return DealBody(deal.SPEC, life.commitment(record), ruleset, key)


def _registration(record: TournamentRecord, is_organizer: bool) -> RegistrationBody:
    shown = record.registration
    return RegistrationBody(
        rfc3339(shown.opens_at),
        rfc3339(shown.closes_at),
        shown.capacity,
        shown.check_in_minutes,
        rfc3339(life.check_in_opens(record)) if shown.check_in_minutes else None,
        None if shown.rating_range is None else list(shown.rating_range),
        bool(shown.join_code),
        shown.join_code or None if is_organizer else None,
        record.entered,
        record.waitlisted,
    )
