"""How a tournament comes about, and what its organizers may change of it."""

from collections.abc import Mapping
from typing import Any

from engine import tournament as engine
from engine.types import EpochMs, Json
from functions.shared import ids
from functions.shared.flows.accounts import own_profile, profile_of
from functions.shared.flows.marks import Key, recall, to_remember
from functions.shared.flows.tournaments import auditing, life, reading, running, starting
from functions.shared.flows.tournaments.auditing import Outcome, changed, require_organizer
from functions.shared.flows.tournaments.orders import (
    MatchOrder,
    RegistrationOrder,
    TournamentOrder,
    checked,
    order_of,
    playing,
)
from functions.shared.problems import Problem, Rejected, busy, invalid
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records_tournament import Change, Phase, Step, TournamentRecord

__all__ = [
    "MatchOrder",
    "Outcome",
    "RegistrationOrder",
    "TournamentOrder",
    "add_organizer",
    "cancel",
    "change",
    "create",
    "remove_organizer",
    "start_now",
]

ORGANIZERS = 20

_RUNNING = ("name", "match.clock", "match.best_of", "round_deadline")
"""What can still be changed once it has started, for pairings that have not begun."""

_SHOWN = ("name", "starts_at")
"""What calendars show."""


_FIELDS = {
    "": TournamentOrder._fields,
    "registration": RegistrationOrder._fields,
    "match": MatchOrder._fields,
}


def create(services: Services, organizer: str, order: TournamentOrder, key: Key, now: EpochMs) -> Outcome:
    """A new tournament. Raises `Rejected`: invalid-request (naming the field and the legal values), key-reused,
    try-again."""
    try:
        fields = checked(order, now)
    except Rejected:
        made = _made_before(services, key, now)
        if made is None:
            raise
        return made
    known = recall(services, key, now)
    if known is not None:
        return Outcome(reading.find(services, known[0]), replayed=True)
    own_profile(services, organizer)
    record = TournamentRecord(
        id=ids.new(ids.TOURNAMENT, now, services.random_bytes),
        key=services.random_bytes(32).hex(),
        organizers=(organizer,),
        created_at=now,
        **fields,
    )
    record = life.at_rest(record)
    new = Change(
        record.id,
        after=record,
        audit=(auditing.entry(services, organizer, "created", now),),
        joined=(organizer,),
        remembered=to_remember(key, (record.id,), now),
    )
    try:
        services.tournaments.commit(new)
    except ConflictError as conflict:
        known = recall(services, key, now)
        if known is None:
            raise busy() from conflict
        return Outcome(reading.find(services, known[0]), replayed=True)
    return Outcome(record._replace(version=1))


def _made_before(services: Services, key: Key, now: EpochMs) -> Outcome | None:
    """What this very request made when its times had not passed yet."""
    try:
        known = recall(services, key, now)
    except Rejected:
        return None  # another request: what is wrong with this one is told first
    return None if known is None else Outcome(reading.find(services, known[0]), replayed=True)


def change(
    services: Services, record: TournamentRecord, player: str, changes: Mapping[str, Json], now: EpochMs
) -> TournamentRecord:
    """The tournament after an organizer's changes. `changes` has fields of `TournamentOrder` by name, those of
    `registration` and `match` as `registration.capacity`, `match.clock`, …, with values as there; what is not named
    stays. Once it has started only `name`, `match.clock`, `match.best_of` and `round_deadline` can be changed, for
    pairings that have not begun.

    Raises `Rejected`: forbidden (no organizer), invalid-request (also for a capacity below the number entered),
    conflict (over, or started), try-again.
    """

    def step(record: TournamentRecord) -> Change:
        order = _with(order_of(record), changes)
        has_started = record.phase is not Phase.OPEN or record.starts_at <= now
        if record.phase in (Phase.FINISHED, Phase.CANCELLED):
            raise Rejected(Problem.CONFLICT, f"the tournament is {record.phase}")
        fixed = [name for name in changes if name not in _RUNNING] if has_started else []
        if fixed:
            can = ", ".join(_RUNNING)
            raise Rejected(Problem.CONFLICT, f"the tournament has started; {fixed[0]} is fixed, what can change: {can}")
        fields = playing(order) if has_started else checked(order, now)
        after = record._replace(**fields)
        before, now_is = _differences(record, after)
        if not now_is:
            return Change(record.id)
        if after.registration.capacity < record.entered:
            raise invalid(("registration", "capacity"), f"{record.entered} have entered; it can't be less")
        if not has_started:
            after = life.at_rest(after)
            if record.waitlisted and after.registration.capacity > record.entered:
                after = life.begun(after, Step.PROMOTE, now, now)
        after = after._replace(changes=record.changes + any(name in now_is for name in _SHOWN))
        audit = auditing.entry(services, player, "changed", now, before=before, after=now_is)
        return Change(record.id, record, after, audit=(audit,))

    require_organizer(record, player)
    return _go_on(services, changed(services, record, step, now), now).record


def _with(order: TournamentOrder, changes: Mapping[str, Json]) -> TournamentOrder:
    parts: dict[str, dict[str, Any]] = {"": {}, "registration": {}, "match": {}}
    for name, value in changes.items():
        part, _, field = name.rpartition(".")
        if field not in _FIELDS.get(part, ()):
            raise invalid(tuple(name.split(".")), "there is no such field")
        parts[part][field] = value
    registration = order.registration._replace(**parts["registration"])
    match = order.match._replace(**parts["match"])
    return order._replace(registration=registration, match=match)._replace(**parts[""])


def _differences(before: TournamentRecord, after: TournamentRecord) -> tuple[dict[str, Json], dict[str, Json]]:
    """The fields that differ, as they were and as they are; of a join code only that it does."""
    old, new = before._asdict(), after._asdict()
    names = [name for name in new if old[name] != new[name]]
    found = []
    for fields in (old, new):
        values = {name: fields[name] for name in names}
        for name in ("registration", "settings"):
            if name in values:
                values[name] = values[name]._asdict()
                values[name].pop("join_code", None)
        found.append(values)
    return found[0], found[1]


def cancel(services: Services, record: TournamentRecord, player: str, reason: str, key: Key, now: EpochMs) -> Outcome:
    """The tournament, cancelled; open pairings become void, their matches are aborted. It stays as it is when it has
    been cancelled before. Raises `Rejected`: forbidden, key-reused, conflict (finished), try-again."""

    def step(record: TournamentRecord) -> Change:
        if record.phase is Phase.CANCELLED:
            return Change(record.id)
        if record.phase is Phase.FINISHED or record.step is Step.CLOSE:
            raise Rejected(Problem.CONFLICT, "the tournament is finished")
        after = life.begun(record, Step.STOP if record.n else Step.TELL, now, now)
        after = after._replace(phase=Phase.CANCELLED, reason=reason, ended_at=now, changes=record.changes + 1)
        audit = auditing.entry(services, player, "cancelled", now, reason)
        return Change(record.id, record, after, audit=(audit,))

    require_organizer(record, player)
    return _go_on(services, changed(services, record, step, now, key), now)


def start_now(services: Services, record: TournamentRecord, player: str, key: Key, now: EpochMs) -> Outcome:
    """The tournament, which starts at `now`; as it is when it has started. Before the check-in opens nobody needs to
    have checked in. Raises `Rejected`: forbidden, key-reused, conflict (too few entrants, or over), try-again."""

    def step(record: TournamentRecord) -> Change:
        if record.phase in (Phase.CANCELLED, Phase.FINISHED):
            raise Rejected(Problem.CONFLICT, f"the tournament is {record.phase}")
        if record.phase is Phase.RUNNING or record.starts_at <= now:
            return Change(record.id)
        begun = starting.begun(record, now, now)
        least = engine.least(record.format, record.settings)
        there = len(starting.chosen(begun, services.tournaments.entries(record.id)))
        if there < least:
            raise Rejected(Problem.CONFLICT, f"{there} would take part; {record.format} needs at least {least}")
        times = {"starts_at": record.starts_at}, {"starts_at": now}
        audit = auditing.entry(services, player, "started", now, before=times[0], after=times[1])
        return Change(record.id, record, begun._replace(changes=record.changes + 1), audit=(audit,))

    require_organizer(record, player)
    return _go_on(services, changed(services, record, step, now, key), now)


def add_organizer(
    services: Services, record: TournamentRecord, player: str, other: str, key: Key, now: EpochMs
) -> Outcome:
    """The tournament with one more organizer, 20 at most; as it is when they are one. Raises `Rejected`: forbidden,
    not-found (no such player), invalid-request (a closed account), key-reused, limit-reached, try-again."""

    def step(record: TournamentRecord) -> Change:
        if other in record.organizers:
            return Change(record.id)
        if len(record.organizers) >= ORGANIZERS:
            raise Rejected(Problem.LIMIT_REACHED, f"a tournament has {ORGANIZERS} organizers at most")
        audit = auditing.entry(services, player, "organizer-added", now, after={"player": other})
        after = record._replace(organizers=(*record.organizers, other))
        return Change(record.id, record, after, audit=(audit,), joined=(other,))

    require_organizer(record, player)
    if profile_of(services, other).closed_at:
        raise invalid(("player",), "this account is closed")
    return changed(services, record, step, now, key)


def remove_organizer(
    services: Services, record: TournamentRecord, player: str, other: str, now: EpochMs
) -> TournamentRecord:
    """The tournament without an organizer; as it is when they are none. Whoever created it stays. Raises `Rejected`:
    forbidden, conflict, try-again."""

    def step(record: TournamentRecord) -> Change:
        if other not in record.organizers:
            return Change(record.id)
        if other == record.organizers[0]:
            raise Rejected(Problem.CONFLICT, "whoever created the tournament stays an organizer of it")
        audit = auditing.entry(services, player, "organizer-removed", now, before={"player": other})
        after = record._replace(organizers=tuple(one for one in record.organizers if one != other))
        return Change(record.id, record, after, audit=(audit,), left=(other,))

    require_organizer(record, player)
    return changed(services, record, step, now).record


def _go_on(services: Services, outcome: Outcome, now: EpochMs) -> Outcome:
    """The tournament after what it has to do at once; where somebody else is at it, they do it."""
    record = outcome.record
    if record.step is Step.REST:
        return outcome
    try:
        return outcome._replace(record=running.run(services, record.id, now) or record)
    except ConflictError:
        return outcome._replace(record=reading.find(services, record.id))
