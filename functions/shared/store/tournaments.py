"""Tournaments in DynamoDB: whatever happens is one transaction of what it touches, each item on its version."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from engine.tournament.protocol import Key
from engine.types import EpochMs
from functions.shared.store import tournament_items as items
from functions.shared.store.availability import guarded
from functions.shared.store.inbox import event_item
from functions.shared.store.matches import new_match
from functions.shared.store.models import PlayerItem, TournamentItem
from functions.shared.store.records import DueItem
from functions.shared.store.records_tournament import (
    AuditEntry,
    Change,
    Chunk,
    EntryRecord,
    EntryState,
    PairingRecord,
    Phase,
    Places,
    RoundRecord,
    TournamentRecord,
)
from functions.shared.store.remembering import remembered_item, unless_remembered
from functions.shared.store.transactions import Put, Update, transact

T = TypeVar("T")

_WAITING = (EntryState.WAITLISTED, EntryState.WAITING_CHECKED_IN)
_END = "~"


class DynamoTournaments:
    """`ports.Tournaments` over the tournaments table, and the players' lists."""

    @guarded
    def get(self, tournament: str) -> TournamentRecord | None:
        """See `ports.Tournaments`."""
        return _get(tournament, "META", items.meta_of)

    @guarded
    def get_many(self, tournaments: Sequence[str]) -> list[TournamentRecord]:
        """See `ports.Tournaments`."""
        keys = [(items.pk(tournament), "META") for tournament in dict.fromkeys(tournaments)]
        found = {item.pk: items.meta_of(item) for item in TournamentItem.batch_get(keys, consistent_read=True)}
        return [found[items.pk(one)] for one in tournaments if items.pk(one) in found]

    @guarded
    def commit(self, change: Change) -> None:
        """See `ports.Tournaments`."""
        puts, deletes, updates = _meta(change)
        for before, after in change.entries:
            _entry(change.tournament, before, after, puts, deletes)
        for pairing in change.pairings:
            item = items.pairing_item(change.tournament, pairing._replace(version=pairing.version + 1))
            puts.append((item, _unmoved(pairing.version)))
        for round_ in change.rounds:
            item = items.round_item(change.tournament, round_._replace(version=round_.version + 1))
            puts.append((item, _unmoved(round_.version)))
        puts += [(items.chunk_item(change.tournament, chunk), None) for chunk in change.standings]
        puts += [(items.audit_item(change.tournament, entry), None) for entry in change.audit]
        puts += [(_organizing(player, change.tournament), None) for player in change.joined]
        deletes += [_organizing(player, change.tournament) for player in change.left]
        puts += [(event_item(to, notice, notice.at, n), None) for n, (to, notice) in enumerate(change.told)]
        if change.match is not None:
            puts += new_match(*change.match)[1]
        if change.remembered is not None:
            puts.append((remembered_item(change.remembered), unless_remembered(change.remembered)))
        transact(puts, deletes, updates=updates)

    @guarded
    def entry(self, tournament: str, player: str) -> EntryRecord | None:
        """See `ports.Tournaments`."""
        return _get(tournament, items.entry_sk(player), items.entry_of)

    @guarded
    def some_entries(self, tournament: str, players: Sequence[str]) -> Mapping[str, EntryRecord]:
        """See `ports.Tournaments`."""
        keys = [(items.pk(tournament), items.entry_sk(player)) for player in dict.fromkeys(players)]
        found = map(items.entry_of, TournamentItem.batch_get(keys, consistent_read=True)) if keys else iter(())
        return {entry.player: entry for entry in found}

    @guarded
    def entries(self, tournament: str, after: str = "", limit: int | None = None) -> Sequence[EntryRecord]:
        """See `ports.Tournaments`."""
        return _several(tournament, items.entry_sk(""), items.entry_sk(after), limit, items.entry_of)

    @guarded
    def first_waiting(self, tournament: str) -> str | None:
        """See `ports.Tournaments`."""
        found = _query(tournament, TournamentItem.sk.startswith("WAIT#"), limit=1)
        return next((item.sk.rsplit("#", 1)[-1] for item in found), None)

    @guarded
    def pairings(self, tournament: str, keys: Sequence[Key]) -> Mapping[Key, PairingRecord]:
        """See `ports.Tournaments`."""
        if len(keys) == 1:
            found = _get(tournament, items.pairing_sk(keys[0]), items.pairing_of)
            return {} if found is None else {keys[0]: found}
        wanted = [(items.pk(tournament), items.pairing_sk(key)) for key in dict.fromkeys(keys)]
        read = map(items.pairing_of, TournamentItem.batch_get(wanted, consistent_read=True)) if wanted else iter(())
        return {record.pairing.key: record for record in read}

    @guarded
    def round_pairings(
        self, tournament: str, stage: str, number: int, after: int = 0, limit: int | None = None
    ) -> Sequence[PairingRecord]:
        """See `ports.Tournaments`."""
        prefix = items.pairing_sk(Key(stage, number, 0))[:-5]
        return _several(tournament, prefix, f"{prefix}{after:05d}", limit, items.pairing_of)

    @guarded
    def all_pairings(
        self, tournament: str, after: Key | None = None, limit: int | None = None
    ) -> Sequence[PairingRecord]:
        """See `ports.Tournaments`."""
        start = "PAIR#" if after is None else items.pairing_sk(after)
        return _several(tournament, "PAIR#", start, limit, items.pairing_of)

    @guarded
    def rounds(self, tournament: str) -> Sequence[RoundRecord]:
        """See `ports.Tournaments`."""
        return _several(tournament, "ROUND#", "ROUND#", None, items.round_of)

    @guarded
    def round(self, tournament: str, stage: str, number: int) -> RoundRecord | None:
        """See `ports.Tournaments`."""
        return _get(tournament, items.round_sk(stage, number), items.round_of)

    @guarded
    def standings(self, tournament: str, first: int, rows: int) -> Sequence[Chunk]:
        """See `ports.Tournaments`. The first chunk that counts is the last one that begins at or before `first`."""
        at_or_before = TournamentItem.sk.between(items.chunk_sk(0), items.chunk_sk(first))
        found = [items.chunk_of(item) for item in _query(tournament, at_or_before, limit=1, newest_first=True)]
        if not found:
            return ()
        last = first + rows - 1
        reached = found[0].first + len(found[0].rows)
        if reached <= last:
            between = TournamentItem.sk.between(items.chunk_sk(reached), items.chunk_sk(last))
            found += [items.chunk_of(item) for item in _query(tournament, between)]
        return found

    @guarded
    def audit(self, tournament: str, before: str | None, limit: int) -> Sequence[AuditEntry]:
        """See `ports.Tournaments`."""
        upto = TournamentItem.sk.between("AUDIT#", "AUDIT#" + (_END if before is None else before))
        found = map(items.audit_of, _query(tournament, upto, limit=limit + 1, newest_first=True))
        return [entry for entry in found if entry.id != before][:limit]

    @guarded
    def listed(self, phase: Phase, game: str, after: str | None, limit: int) -> Places:
        """See `ports.Tournaments`."""
        is_ahead = phase is Phase.OPEN
        beyond = None if after is None else TournamentItem.la > after if is_ahead else TournamentItem.la < after
        query = TournamentItem.lists.query(f"{phase}#{game}", beyond, scan_index_forward=is_ahead, limit=limit)
        places = tuple(item.la or "" for item in query)
        return Places(places, places[-1] if len(places) == limit else None)

    @guarded
    def of_player(self, player: str, after: str | None, limit: int) -> Places:
        """See `ports.Tournaments`."""
        found = set()
        for prefix in ("ENTRY#", "ORGANIZE#"):
            upto = PlayerItem.sk.between(prefix, prefix + (_END if after is None else after))
            query = PlayerItem.query(
                f"PLAYER#{player}", upto, scan_index_forward=False, consistent_read=True, limit=limit + 1
            )
            found |= {item.sk.removeprefix(prefix) for item in query} - {after}
        ids = tuple(sorted(found, reverse=True)[:limit])
        return Places(ids, ids[-1] if len(ids) == limit else None)

    @guarded
    def due(self, shard: int, until: EpochMs, limit: int, after: str | None = None) -> Sequence[DueItem]:
        """See `ports.Tournaments`."""
        start = None if after is None else msgspec.json.decode(after)
        reached = TournamentItem.da <= until
        query = TournamentItem.due.query(f"due#{shard}", reached, limit=limit, last_evaluated_key=start)
        return [_due(item) for item in query]


def _unmoved(version: int) -> Condition:
    fresh: Condition = TournamentItem.pk.does_not_exist() if version == 0 else TournamentItem.v == version
    return fresh


def _meta(change: Change) -> tuple[list[Put], list[Any], list[Update]]:
    before, after = change.record, change.after
    if before is None:
        # A new tournament, or one that is not concerned.
        new = [] if after is None else [items.meta_item(after._replace(version=1))]
        return [(item, TournamentItem.pk.does_not_exist()) for item in new], [], []
    condition: Condition = TournamentItem.v == before.version
    actions: list[Action] = []
    if after is not None:
        attributes = items.meta_attributes(after._replace(version=before.version + 1))
        kinds = TournamentItem.get_attributes()
        actions += [kinds[n].remove() if value is None else kinds[n].set(value) for n, value in attributes.items()]
        if after.phase is Phase.OPEN and after.registration.capacity < before.registration.capacity:
            condition &= TournamentItem.entered <= after.registration.capacity
    capacity = before.registration.capacity
    if change.entered:
        actions.append(TournamentItem.entered.add(change.entered))
    if change.waitlisted:
        actions.append(TournamentItem.waitlisted.add(change.waitlisted))
    if change.entered > 0:
        condition &= TournamentItem.entered < capacity
    if change.entered and not change.waitlisted:
        # A place goes to who waits, not past them, and is not left empty while somebody does.
        condition &= TournamentItem.waitlisted == 0
    if change.waitlisted > 0:
        condition &= (TournamentItem.entered >= capacity) | (TournamentItem.waitlisted > 0)
    return [], [], [(TournamentItem(items.pk(before.id), "META"), actions, condition)]


def _entry(
    tournament: str, before: EntryRecord | None, after: EntryRecord, puts: list[Put], deletes: list[Any]
) -> None:
    """The entry, its place on the waiting list, and the tournament's in the player's list."""
    version = 0 if before is None else before.version
    puts.append((items.entry_item(tournament, after._replace(version=version + 1)), _unmoved(version)))
    was_waiting, is_waiting = before is not None and before.state in _WAITING, after.state in _WAITING
    if is_waiting and not was_waiting:
        puts.append((items.waiting_item(tournament, after), None))
    if before is not None and was_waiting and not is_waiting:
        deletes.append(items.waiting_item(tournament, before))
    was_in = before is not None and before.state is not EntryState.WITHDRAWN
    is_in = after.state is not EntryState.WITHDRAWN
    own = PlayerItem(f"PLAYER#{after.player}", f"ENTRY#{tournament}")
    if is_in and not was_in:
        puts.append((own, None))
    if was_in and not is_in and not after.seed:
        deletes.append(own)


def _organizing(player: str, tournament: str) -> PlayerItem:
    return PlayerItem(f"PLAYER#{player}", f"ORGANIZE#{tournament}")


def _get(tournament: str, sk: str, read: Callable[[TournamentItem], T]) -> T | None:
    try:
        return read(TournamentItem.get(items.pk(tournament), sk, consistent_read=True))
    except TournamentItem.DoesNotExist:
        return None


def _query(
    tournament: str, keys: Condition, limit: int | None = None, *, newest_first: bool = False
) -> Iterator[TournamentItem]:
    return iter(
        TournamentItem.query(
            items.pk(tournament), keys, consistent_read=True, limit=limit, scan_index_forward=not newest_first
        )
    )


def _several(
    tournament: str, prefix: str, after: str, limit: int | None, read: Callable[[TournamentItem], T]
) -> list[T]:
    """What stands under a prefix after a key."""
    keys = TournamentItem.sk.between(after, prefix + _END)
    found = _query(tournament, keys, None if limit is None else limit + 1)
    return [read(item) for item in found if item.sk != after][:limit]


def _due(item: TournamentItem) -> DueItem:
    place = {"pk": {"S": item.pk}, "sk": {"S": item.sk}, "dp": {"S": item.dp}, "da": {"N": str(int(item.da or 0))}}
    return DueItem(items.due_key((item.pk, item.sk)), int(item.da or 0), msgspec.json.encode(place).decode())
