"""What an organizer asks for, and whether it is possible."""

from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from engine import clock, games
from engine import tournament as engine
from engine.errors import Refused
from engine.games import options
from engine.games.protocol import Game
from engine.tournament import settings
from engine.tournament.protocol import Settings
from engine.tournament.seeding import Method
from engine.types import Data, EpochMs
from functions.shared.flows.texts import checked as checked_text
from functions.shared.problems import from_engine, invalid
from functions.shared.store.records_tournament import Registration, TournamentRecord

DEADLINE_S = 7 * 86_400
DEADLINES_S = (60, 90 * 86_400)
"""The shortest and the longest time for a pairing."""

CHECK_IN = 7 * 24 * 60
"""Minutes that a check-in may be open at most."""

AHEAD_MS = 5 * 366 * 86_400_000
"""How far ahead a tournament may be scheduled."""

NAME = 80
CODE = (4, 64)
"""Characters of a join code."""

_MINUTE_MS = 60_000


class RegistrationOrder(NamedTuple):
    """Who may enter; None where the default is meant."""

    opens_at: EpochMs | None = None
    """At once."""
    closes_at: EpochMs | None = None
    """When the check-in opens; without one, the start."""
    capacity: int | None = None
    """As many as the format takes, 10,000 at most."""
    check_in_minutes: int = 0
    rating_range: tuple[int, int] | None = None
    join_code: str = ""


class MatchOrder(NamedTuple):
    """How its matches are played; None where the default is meant."""

    clock: Data | None = None
    best_of: int | None = None
    seats: int | None = None
    replays: int | None = None


class TournamentOrder(NamedTuple):
    """The tournament that an organizer asks for, in the fields of a request; None where the default is meant."""

    name: str
    game: str
    format: str
    starts_at: EpochMs
    options: Data | None = None
    registration: RegistrationOrder = RegistrationOrder()
    seeding: str = "rating"
    match: MatchOrder = MatchOrder()
    rounds: int | None = None
    round_deadline: int | None = None
    """Seconds; 7 days by default."""
    third_place: bool | None = None
    advance: int | None = None
    cycles: int | None = None
    groups: int | None = None
    ruleset: str | None = None
    tiebreaks: tuple[str, ...] | None = None
    unrated: bool = False
    repeats: str | None = None
    time_zone: str | None = None


def checked(order: TournamentOrder, now: EpochMs) -> dict[str, Any]:
    """The fields of the `TournamentRecord` that follow from an order. Raises `Rejected` (invalid-request) naming the
    field that is wrong, and what is possible."""
    _require_offered(order)
    game = _game(order.game)
    if order.seeding not in list(Method):
        raise invalid(("seeding",), "must be one of: " + ", ".join(Method))
    if not now < order.starts_at <= now + AHEAD_MS:
        raise invalid(("starts_at",), "must be in the future, five years ahead at most")
    fields = playing(order)
    chosen = fields["settings"]
    try:
        for seats in settings.table_sizes(chosen, engine.find(order.format)):
            options.chosen(game.OPTIONS, order.options or {}, seats)
    except Refused as refused:
        raise from_engine(refused) from refused
    return fields | {
        "game": order.game,
        "options": dict(order.options or {}),
        "format": order.format,
        "starts_at": order.starts_at,
        "registration": _registration(order, chosen, now),
        "seeding": order.seeding,
        "unrated": order.unrated,
        "time_zone": _zone(order.time_zone or "UTC"),
    }


def playing(order: TournamentOrder) -> dict[str, Any]:
    """Those fields that may change also for what has not begun of a running tournament: name, settings, clock,
    deadline. Raises as `checked`."""
    low, high = DEADLINES_S
    deadline = DEADLINE_S if order.round_deadline is None else order.round_deadline
    if not low <= deadline <= high:
        raise invalid(("round_deadline",), f"must be {low} to {high} seconds")
    given = {name: getattr(order, name) for name in ("third_place", "cycles", "advance", "rounds", "tiebreaks")}
    given |= {name: getattr(order.match, name) for name in ("best_of", "seats", "replays")}
    try:
        chosen = settings.parse(order.format, _game(order.game).SEATS, given)
        default = clock.per_move(settings.clock_seconds(deadline, chosen.best_of))
        timed = default if order.match.clock is None else clock.parse(order.match.clock)
    except Refused as refused:
        raise from_engine(refused) from refused
    if timed.kind == clock.NONE and not order.unrated:
        raise invalid(("match", "clock", "kind"), "a match without a clock can't be rated; set unrated, or choose one")
    return {
        "name": checked_text("name", order.name, NAME),
        "settings": chosen,
        "clock": clock.describe(timed),
        "round_deadline": deadline,
    }


def order_of(record: TournamentRecord) -> TournamentOrder:
    """The order that a tournament would come from. What is as by default stays so when something else changes."""
    registration, chosen = record.registration, record.settings
    check_in = record.starts_at - _MINUTE_MS * registration.check_in_minutes
    most = engine.find(record.format).MOST
    usual = Settings()._replace(least=chosen.least, seats=chosen.least)
    given = {name: None if value == getattr(usual, name) else value for name, value in chosen._asdict().items()}
    timed = clock.describe(clock.per_move(settings.clock_seconds(record.round_deadline, chosen.best_of)))
    return TournamentOrder(
        name=record.name,
        game=record.game,
        format=record.format,
        starts_at=record.starts_at,
        options=record.options,
        registration=RegistrationOrder(
            registration.opens_at,
            None if registration.closes_at == check_in else registration.closes_at,
            None if registration.capacity == most else registration.capacity,
            registration.check_in_minutes,
            registration.rating_range,
            registration.join_code,
        ),
        seeding=record.seeding,
        match=MatchOrder(
            None if record.clock == timed else record.clock, given["best_of"], given["seats"], given["replays"]
        ),
        round_deadline=record.round_deadline,
        unrated=record.unrated,
        time_zone=record.time_zone,
        **{name: given[name] for name in ("rounds", "third_place", "advance", "cycles", "tiebreaks")},
    )


def _require_offered(order: TournamentOrder) -> None:
    offered = ", ".join(engine.IDS)
    for name in ("groups", "ruleset"):
        if getattr(order, name) is not None:
            raise invalid((name,), f"no format that is offered has it; the formats are: {offered}")
    if order.repeats is not None:
        raise invalid(("repeats",), "series are not offered yet: leave it out, and create each event")


def _game(game_id: str) -> Game[Any]:
    game = games.find(game_id)
    if game is None:
        raise invalid(("game",), "must be one of: " + ", ".join(games.IDS))
    return game


def _registration(order: TournamentOrder, chosen: Settings, now: EpochMs) -> Registration:
    given, start = order.registration, order.starts_at
    if not 0 <= given.check_in_minutes <= CHECK_IN:
        raise invalid(("registration", "check_in_minutes"), f"must be 0 to {CHECK_IN}")
    check_in = start - _MINUTE_MS * given.check_in_minutes
    opens_at = now if given.opens_at is None else given.opens_at
    closes_at = check_in if given.closes_at is None else given.closes_at
    if opens_at >= start:
        raise invalid(("registration", "opens_at"), "must be before starts_at")
    if not opens_at < closes_at <= start:
        what = "must be after opens_at and not after starts_at"
        if given.closes_at is None:
            raise invalid(("registration", "check_in_minutes"), "the check-in would open before the registration")
        raise invalid(("registration", "closes_at"), what)
    low, high = engine.least(order.format, chosen), engine.find(order.format).MOST
    capacity = high if given.capacity is None else given.capacity
    if not low <= capacity <= high:
        raise invalid(("registration", "capacity"), f"must be {low} to {high} for {order.format}")
    if given.rating_range is not None and given.rating_range[0] > given.rating_range[1]:
        raise invalid(("registration", "rating_range"), "must be [lowest, highest]")
    shortest, longest = CODE
    code = given.join_code or ""
    if code and not (shortest <= len(code) <= longest and code.isascii() and code.isprintable() and " " not in code):
        raise invalid(("registration", "join_code"), f"must be {shortest} to {longest} visible ASCII characters")
    return Registration(opens_at, closes_at, capacity, given.check_in_minutes, given.rating_range, code)


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise invalid(("time_zone",), "must be the name of a time zone, such as Europe/Berlin") from error
    return name
