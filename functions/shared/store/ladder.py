"""Ladders in DynamoDB: a result is one transaction, and so is each batch that is counted of what it changed."""

from collections.abc import Mapping, Sequence

import msgspec
from pynamodb.expressions.condition import Condition

from engine.types import EpochMs
from functions.shared.store import ladder_items as items
from functions.shared.store.availability import guarded
from functions.shared.store.ladder_records import (
    Books,
    Counters,
    Delta,
    DueRating,
    HistoryPage,
    HistoryRow,
    LadderEntry,
    LadderPlace,
    Mark,
    Meetings,
    Rating,
    Snapshot,
)
from functions.shared.store.models import LadderItem
from functions.shared.store.transactions import Put, transact


class DynamoLadder:
    """`ports.Ladder` over the ladder table."""

    @guarded
    def books(self, game: str, match_id: str, players: Sequence[str]) -> Books:
        """See `ports.Ladder`."""
        entry, pair = items.entry_key(match_id, annulment=False), items.meetings_key(game, players)
        found = _get_many([entry, pair, *(items.rating_key(game, player) for player in players)])
        return Books(
            items.entry_of(found[entry]) if entry in found else None,
            _ratings(found, game, players),
            items.meetings_of(found.get(pair), game, players),
        )

    @guarded
    def enter(self, entry: LadderEntry, changed: Sequence[tuple[Rating, Rating]], meetings: Meetings | None) -> None:
        """See `ports.Ladder`."""
        puts: list[Put] = [(items.entry_item(entry), LadderItem.pk.does_not_exist())]
        puts += [_changed(before, after) for before, after in changed]
        if meetings is not None:
            after = meetings._replace(version=meetings.version + 1)
            puts.append((items.meetings_item(after), _expected(meetings.version)))
        moved = {before.player for before, _ in changed}
        for line in entry.lines:
            version = line.version + (line.player in moved)
            puts.append((items.history_item(entry, line.player, version), None))
        transact(puts)

    @guarded
    def entry(self, match_id: str, *, annulment: bool = False) -> LadderEntry | None:
        """See `ports.Ladder`."""
        key = items.entry_key(match_id, annulment=annulment)
        found = _get_many([key])
        return items.entry_of(found[key]) if key in found else None

    @guarded
    def entries(self, game: str, after: str | None, limit: int) -> Sequence[tuple[str, LadderEntry]]:
        """See `ports.Ladder`."""
        later = None if after is None else LadderItem.la > after
        places = list(LadderItem.lists.query(items.entries_partition(game), later, limit=limit))
        found = _get_many([(item.pk, item.sk) for item in places])
        return [(item.la or "", items.entry_of(found[item.pk, item.sk])) for item in places]

    @guarded
    def history(self, game: str, player: str, before: str | None, limit: int) -> HistoryPage:
        """See `ports.Ladder`."""
        older = None if before is None else LadderItem.sk < before
        partition = items.history_partition(game, player)
        query = LadderItem.query(partition, older, scan_index_forward=False, consistent_read=True, limit=limit)
        places = [item.sk for item in query]
        found = _get_many([items.entry_key_at(place) for place in places])
        rows = [HistoryRow(place, items.entry_of(found[items.entry_key_at(place)])) for place in places]
        return HistoryPage(tuple(rows), len(places) == limit)

    @guarded
    def ratings(self, game: str, players: Sequence[str]) -> Mapping[str, Rating]:
        """See `ports.Ladder`."""
        found = _get_many([items.rating_key(game, player) for player in players])
        return _ratings(found, game, players)

    @guarded
    def of_player(self, player: str, games: Sequence[str]) -> Mapping[str, Rating]:
        """See `ports.Ladder`."""
        found = _get_many([items.rating_key(game, player) for game in games])
        return {game: _ratings(found, game, [player])[player] for game in games}

    @guarded
    def change(self, before: Rating, after: Rating) -> Rating:
        """See `ports.Ladder`."""
        transact([_changed(before, after)])
        return after._replace(version=before.version + 1)

    @guarded
    def due(self, game: str, until: EpochMs, limit: int, after: str | None = None) -> Sequence[DueRating]:
        """See `ports.Ladder`."""
        start = None if after is None else msgspec.json.decode(after)
        partition = items.due_partition(game)
        query = LadderItem.due.query(partition, LadderItem.da <= until, limit=limit, last_evaluated_key=start)
        return [items.due_of(item) for item in query]

    @guarded
    def marks(self, game: str, players: Sequence[str]) -> Mapping[str, Mark]:
        """See `ports.Ladder`."""
        found = _get_many([items.mark_key(game, player) for player in players])
        return {mark.player: mark for mark in map(items.mark_of, found.values())}

    @guarded
    def count(self, moves: Sequence[tuple[Mark | None, Mark]], delta: Delta | None) -> None:
        """See `ports.Ladder`."""
        puts: list[Put] = [
            (items.mark_item(after), _expected(0 if before is None else before.version)) for before, after in moves
        ]
        if delta is not None:
            puts.append((items.delta_item(moves[0][1].game, delta), LadderItem.pk.does_not_exist()))
        transact(puts)

    @guarded
    def standing(self, game: str, player: str) -> tuple[Rating, Mark | None]:
        """See `ports.Ladder`."""
        mark = items.mark_key(game, player)
        found = _get_many([items.rating_key(game, player), mark])
        rating = _ratings(found, game, [player])[player]
        return rating, items.mark_of(found[mark]) if mark in found else None

    @guarded
    def counters(self, game: str) -> Counters:
        """See `ports.Ladder`.

        The deltas sort before the snapshot, and a query is no transaction: one that was published in between would be
        read twice, if the snapshot did not name it.
        """
        snapshot = Snapshot(game)
        deltas: list[Delta] = []
        for item in LadderItem.query(items.counts_partition(game), consistent_read=True):
            if item.counts is not None:
                snapshot = items.snapshot_of(item)
            else:
                deltas.append(items.delta_of(item))
        return Counters(snapshot, [delta for delta in deltas if delta.id not in snapshot.taken])

    @guarded
    def publish(self, before: Snapshot, after: Snapshot, taken: Sequence[Delta]) -> None:
        """See `ports.Ladder`."""
        item = items.snapshot_item(after._replace(version=before.version + 1))
        transact([(item, _expected(before.version))], [items.delta_item(before.game, delta) for delta in taken])

    @guarded
    def band(
        self, game: str, band: int, limit: int, beyond: str | None = None, *, upwards: bool = False
    ) -> Sequence[LadderPlace]:
        """See `ports.Ladder`."""
        further = None if beyond is None else LadderItem.la < beyond if upwards else LadderItem.la > beyond
        partition = items.band_partition(game, band)
        query = LadderItem.lists.query(partition, further, scan_index_forward=not upwards, limit=limit)
        return [items.place_of(item) for item in query]


def _get_many(keys: Sequence[items.Key]) -> dict[items.Key, LadderItem]:
    return {(item.pk, item.sk): item for item in LadderItem.batch_get(keys, consistent_read=True)}


def _ratings(found: Mapping[items.Key, LadderItem], game: str, players: Sequence[str]) -> dict[str, Rating]:
    known = {player: found.get(items.rating_key(game, player)) for player in players}
    return {player: Rating(game, player) if item is None else items.rating_of(item) for player, item in known.items()}


def _changed(before: Rating, after: Rating) -> Put:
    return items.rating_item(after._replace(version=before.version + 1)), _expected(before.version)


def _expected(version: int) -> Condition:
    """What a write of a version expects to find; nothing, where it is the first."""
    expected: Condition = LadderItem.v == version if version else LadderItem.pk.does_not_exist()
    return expected
