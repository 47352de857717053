"""How players come into a tournament before it starts, and leave it at any time."""

import hmac
from collections.abc import Callable
from typing import NamedTuple

from engine.errors import Refused
from engine.match import lobby
from engine.types import EpochMs
from functions.shared.clock import rfc3339
from functions.shared.flows.accounts import own_profile, profile_of
from functions.shared.flows.marks import Key, recall, to_remember
from functions.shared.flows.seats import count_code, rating_of
from functions.shared.flows.tournaments import auditing, leaving, life, running, telling
from functions.shared.flows.tournaments.auditing import require_organizer
from functions.shared.flows.tournaments.life import Status
from functions.shared.flows.tournaments.moves import ATTEMPTS, rest
from functions.shared.flows.tournaments.promoting import next_up
from functions.shared.problems import Problem, Rejected, busy, from_engine, invalid, not_found
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import Remembered
from functions.shared.store.records_tournament import (
    AuditEntry,
    Change,
    EntryRecord,
    EntryState,
    Phase,
    TournamentRecord,
)

MOST_SEED = 10_000

_CHECKED = {
    EntryState.ENTERED: EntryState.CHECKED_IN,
    EntryState.WAITLISTED: EntryState.WAITING_CHECKED_IN,
}
_HAS_PLACE = (EntryState.ENTERED, EntryState.CHECKED_IN)


class Entered(NamedTuple):
    """An entry, the tournament as it is then, and whether the request came before."""

    entry: EntryRecord
    record: TournamentRecord
    replayed: bool = False


class _Wish(NamedTuple):
    player: str
    by: str
    seed: int | None
    nonce: str | None

    @property
    def is_own(self) -> bool:
        return self.player == self.by


def enter(
    services: Services,
    record: TournamentRecord,
    player: str,
    by: str,
    seed: int | None,
    nonce: str | None,
    code_of: Callable[[], str | None],
    key: Key,
    now: EpochMs,
) -> Entered:
    """The entry of `player`, made by `by`: themself, or an organizer for them. Beyond the capacity it is on the waiting
    list. Who is in already stays in; an own request agrees to what an organizer entered, and replaces the nonce; an
    organizer's gives the seed. `code_of` gives the join code, and is asked only where one is needed.

    Raises `Rejected`: forbidden (somebody else's entry or a seed without being an organizer, the rating, no join code
    where one is needed), not-found (no such player, a wrong join code), invalid-request (nonce, seed), conflict (not
    open for entries, or over), rate-limited (join codes), key-reused, unauthenticated (closed account), try-again.
    """
    wish = _checked(services, record, _Wish(player, by, seed, nonce))
    known = recall(services, key, now)
    if known is not None:
        return _again(services, record, player)
    for attempt in range(ATTEMPTS):
        record = started(services, record, now)
        before = services.tournaments.entry(record.id, player)
        is_in = before is not None and before.state is not EntryState.WITHDRAWN
        if not is_in:
            _require_fit(services, record, wish, code_of, now)
            _require_open(record, wish, now)
        after = _entry(record, before if is_in else None, wish, now)
        remembered = to_remember(key, (record.id, player), now)
        try:
            if before is not None and after == before:
                _note(services, record, remembered)
                return Entered(before, record)
            if is_in and record.phase is not Phase.OPEN:
                raise _too_late(record, now)
            after = after._replace(version=0 if before is None else before.version)
            change = _coming_in(services, record, before, after, wish, now)._replace(remembered=remembered)
            services.tournaments.commit(change)
        except ConflictError:
            if recall(services, key, now) is not None:
                return _again(services, record, player)
            rest(services, attempt)
            record = _fresh(services, record)
            continue
        counted = record._replace(
            entered=record.entered + change.entered, waitlisted=record.waitlisted + change.waitlisted
        )
        return Entered(after._replace(version=after.version + 1), counted)
    raise busy()


def _checked(services: Services, record: TournamentRecord, wish: _Wish) -> _Wish:
    if not wish.is_own or wish.seed is not None:
        require_organizer(record, wish.by)
    if wish.seed is not None and not 1 <= wish.seed <= MOST_SEED:
        raise invalid(("seed",), f"must be 1 to {MOST_SEED}")
    if wish.seed is not None and record.seeding != "manual":
        raise invalid(("seed",), f"seeding is {record.seeding} here; seeds are given with manual seeding")
    if wish.nonce is not None:
        if not wish.is_own:
            raise invalid(("nonce",), "a nonce comes from the player")
        try:
            wish = wish._replace(nonce=lobby.checked_nonce(wish.nonce))
        except Refused as refused:
            raise from_engine(refused) from refused
    if wish.is_own:
        own_profile(services, wish.player)
    elif profile_of(services, wish.player).closed_at:
        raise invalid(("player",), "this account is closed")
    return wish


def _note(services: Services, record: TournamentRecord, remembered: Remembered | None) -> None:
    """Remembers a request that found everything as it asks for. Raises `ConflictError` when it came twice at once."""
    if remembered is not None:
        services.tournaments.commit(Change(record.id, remembered=remembered))


def _again(services: Services, record: TournamentRecord, player: str) -> Entered:
    entry = services.tournaments.entry(record.id, player)
    if entry is None:
        raise not_found("entry")
    return Entered(entry, _fresh(services, record), replayed=True)


def _fresh(services: Services, record: TournamentRecord) -> TournamentRecord:
    fresh = services.tournaments.get(record.id)
    if fresh is None:
        raise not_found("tournament")
    return fresh


def started(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    """The tournament, which has started if its time has come: whoever comes after that finds it so."""
    if record.phase is not Phase.OPEN or record.starts_at > now:
        return record
    try:
        return running.run(services, record.id, now) or record
    except ConflictError:
        return _fresh(services, record)


def _require_open(record: TournamentRecord, wish: _Wish, now: EpochMs) -> None:
    """Organizers may enter somebody until the start."""
    if record.phase is not Phase.OPEN:
        raise _too_late(record, now)
    registration = record.registration
    if wish.by in record.organizers:
        return
    if now < registration.opens_at:
        raise Rejected(Problem.CONFLICT, f"registration opens at {rfc3339(registration.opens_at)}")
    if now >= registration.closes_at:
        raise Rejected(Problem.CONFLICT, f"registration closed at {rfc3339(registration.closes_at)}")


def _too_late(record: TournamentRecord, now: EpochMs) -> Rejected:
    status = life.status(record, now)
    what = "has started" if status is Status.RUNNING else f"is {status}"
    return Rejected(Problem.CONFLICT, f"the tournament {what}; entries are taken before it starts")


def _require_fit(
    services: Services, record: TournamentRecord, wish: _Wish, code_of: Callable[[], str | None], now: EpochMs
) -> None:
    """Whoever an organizer enters needs neither the code nor the rating; nobody does once it is too late."""
    registration = record.registration
    if wish.by in record.organizers or record.phase is not Phase.OPEN:
        return
    if registration.rating_range is not None:
        (low, high), rating = registration.rating_range, rating_of(services, wish.player, record.game)
        if not low <= rating <= high:
            raise Rejected(Problem.FORBIDDEN, f"this tournament is for ratings from {low} to {high}; yours is {rating}")
    if registration.join_code:
        code = code_of()
        if code is None:
            raise Rejected(Problem.FORBIDDEN, "this tournament is entered with its join code")
        count_code(services, wish.player, now)
        if not hmac.compare_digest(registration.join_code.encode(), code.encode()):
            raise not_found("join code")


def _entry(record: TournamentRecord, before: EntryRecord | None, wish: _Wish, now: EpochMs) -> EntryRecord:
    if before is None:
        has_room = record.entered < record.registration.capacity and not record.waitlisted
        state = EntryState.ENTERED if has_room else EntryState.WAITLISTED
        return EntryRecord(wish.player, now, state, wish.is_own, wish.seed or 0, wish.nonce or "")
    after = before._replace(confirmed=before.confirmed or wish.is_own)
    if wish.nonce is not None:
        after = after._replace(nonce=wish.nonce)
    return after if wish.seed is None else after._replace(wish=wish.seed)


def _coming_in(
    services: Services,
    record: TournamentRecord,
    before: EntryRecord | None,
    after: EntryRecord,
    wish: _Wish,
    now: EpochMs,
) -> Change:
    if after.wish and (before is None or before.wish != after.wish):
        _require_free_seed(services, record, after)
    is_new = before is None or before.state is EntryState.WITHDRAWN
    audit: tuple[AuditEntry, ...] = ()
    if not wish.is_own:
        what = {"player": wish.player, "seed": wish.seed}
        audit = (auditing.entry(services, wish.by, "entered", now, after=what),)
    invited = [wish.player] if is_new and not wish.is_own else []
    is_waiting = after.state is EntryState.WAITLISTED
    return Change(
        record.id,
        record,
        entered=int(is_new and not is_waiting),
        waitlisted=int(is_new and is_waiting),
        entries=((before, after),),
        audit=audit,
        told=telling.news(record, telling.INVITED, invited, now),
    )


def _require_free_seed(services: Services, record: TournamentRecord, entry: EntryRecord) -> None:
    """Seeds are given by organizers one after the other; two who give the same at once are both heard, and the later
    entry goes behind at the start."""
    for other in services.tournaments.entries(record.id):
        if other.player != entry.player and other.wish == entry.wish and other.state is not EntryState.WITHDRAWN:
            raise invalid(("seed",), f"seed {entry.wish} has been given to {other.player}")


def withdraw(services: Services, record: TournamentRecord, player: str, by: str, now: EpochMs) -> Entered:
    """The entry of `player`, withdrawn by themself or an organizer; as it is when it was before. Before the start the
    first of the waiting list moves up. After it, what is open is forfeited.

    Raises `Rejected`: forbidden, not-found (no entry), conflict (over), try-again.
    """
    if player != by:
        require_organizer(record, by)
    for attempt in range(ATTEMPTS):
        record = started(services, record, now)
        entry = services.tournaments.entry(record.id, player)
        if entry is None:
            raise not_found("entry")
        if entry.state is EntryState.WITHDRAWN:
            return Entered(entry, record)
        if record.phase in (Phase.FINISHED, Phase.CANCELLED):
            raise Rejected(Problem.CONFLICT, f"the tournament is {record.phase}")
        audit = () if player == by else (auditing.entry(services, by, "removed", now, before={"player": player}),)
        try:
            if record.phase is Phase.RUNNING:
                after = leaving.leave(services, record, entry, audit, now)
                return Entered(after, _fresh(services, record))
            return _go(services, record, entry, audit, now)
        except ConflictError:
            rest(services, attempt)
            record = _fresh(services, record)
    raise busy()


def _go(
    services: Services, record: TournamentRecord, entry: EntryRecord, audit: tuple[AuditEntry, ...], now: EpochMs
) -> Entered:
    """Before the start: the place goes to who has waited longest, in the same transaction."""
    after = entry._replace(state=EntryState.WITHDRAWN)
    told = telling.news(record, telling.REMOVED, [entry.player] if audit else [], now)
    change = Change(record.id, record, entries=((entry, after),), audit=audit, told=told)
    if entry.state not in _HAS_PLACE:
        change = change._replace(waitlisted=-1)
    else:
        up = next_up(services, record) if record.entered <= record.registration.capacity else None
        if up is None:
            change = change._replace(entered=-1)
        else:
            told += telling.news(record, telling.PROMOTED, [up[1].player], now)
            change = change._replace(waitlisted=-1, entries=(*change.entries, up), told=told)
    services.tournaments.commit(change)
    counted = record._replace(entered=record.entered + change.entered, waitlisted=record.waitlisted + change.waitlisted)
    return Entered(after._replace(version=entry.version + 1), counted)


def withdraw_everywhere(services: Services, player: str, now: EpochMs) -> None:
    """Withdraws all entries of a closed account. Raises `ConflictError` when a tournament is in the middle of what
    concerns it."""
    after: str | None = None
    while True:
        page = services.tournaments.of_player(player, after, 100)
        for record in services.tournaments.get_many(page.places):
            if record.phase not in (Phase.OPEN, Phase.RUNNING):
                continue
            try:
                withdraw(services, record, player, player, now)
            except Rejected as rejected:
                if rejected.code is Problem.TRY_AGAIN:
                    raise ConflictError(record.id) from rejected
        if page.next is None:
            return
        after = page.next


def check_in(services: Services, record: TournamentRecord, player: str, key: Key, now: EpochMs) -> Entered:
    """The player's own entry, checked in, also one on the waiting list; as it is when it was before.

    Raises `Rejected`: not-found (no entry), key-reused, conflict (outside of the window; the detail says when it is),
    try-again.
    """
    for attempt in range(ATTEMPTS):
        if recall(services, key, now) is not None:
            return _again(services, record, player)
        record = started(services, record, now)
        entry = services.tournaments.entry(record.id, player)
        if entry is None or entry.state is EntryState.WITHDRAWN:
            raise not_found("entry")
        remembered = to_remember(key, (record.id, player), now)
        try:
            if entry.state in _CHECKED.values():
                _note(services, record, remembered)
                return Entered(entry, record)
            _require_window(record, now)
            after = entry._replace(state=_CHECKED[entry.state], confirmed=True)
            change = Change(record.id, record, entries=((entry, after),), remembered=remembered)
            services.tournaments.commit(change)
        except ConflictError:
            rest(services, attempt)
            record = _fresh(services, record)
            continue
        return Entered(after._replace(version=entry.version + 1), record)
    raise busy()


def _require_window(record: TournamentRecord, now: EpochMs) -> None:
    if record.phase is not Phase.OPEN:
        raise _too_late(record, now)
    if not record.registration.check_in_minutes:
        raise Rejected(Problem.CONFLICT, "this tournament has no check-in")
    opens = life.check_in_opens(record)
    if now < opens:
        window = f"from {rfc3339(opens)} to {rfc3339(record.starts_at)}"
        raise Rejected(Problem.CONFLICT, f"the check-in is open {window}")
