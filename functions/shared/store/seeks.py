"""Seeks in DynamoDB: `SEEK#game#seats#clock | rating#id`, and `PLAYER#p | SEEK#game` beside it, so that a player has
one a game. The first is there as long as the seek waits: whoever deletes it has it alone."""

from collections.abc import Sequence
from typing import Any

import msgspec

from engine.types import EpochMs
from functions.shared.store.availability import guarded
from functions.shared.store.due import shard_of
from functions.shared.store.matches import new_match
from functions.shared.store.models import PlayerItem, SeekItem
from functions.shared.store.records import MatchRecord, Remembered, Seek, SeekStatus
from functions.shared.store.remembering import remembered_item, unless_remembered
from functions.shared.store.transactions import Put, transact

KEPT_S = 48 * 3600
"""How long it is known what became of a seek: as long as an idempotency key."""


class DynamoSeeks:
    """`ports.Seeks` over the matches and players tables."""

    @guarded
    def begin(self, seek: Seek, remembered: Remembered | None) -> None:
        """See `ports.Seeks`."""
        puts: list[Put] = [
            (_entry(seek), SeekItem.pk.does_not_exist()),
            (_own(seek), PlayerItem.pk.does_not_exist()),
        ]
        if remembered is not None:
            puts.append((remembered_item(remembered), unless_remembered(remembered)))
        transact(puts)

    @guarded
    def of_player(self, player: str) -> Sequence[Seek]:
        """See `ports.Seeks`."""
        every = PlayerItem.sk.startswith("SEEK#")
        return [_seek(item.body) for item in PlayerItem.query(f"PLAYER#{player}", every, consistent_read=True)]

    @guarded
    def get(self, player: str, seek_id: str) -> Seek | None:
        """See `ports.Seeks`. What waits is looked for first: what has ended by then is found among the others."""
        waiting = next((seek for seek in self.of_player(player) if seek.id == seek_id), None)
        if waiting is not None:
            return waiting
        try:
            item = PlayerItem.get(f"PLAYER#{player}", f"SOUGHT#{seek_id}", consistent_read=True)
        except PlayerItem.DoesNotExist:
            return None
        return _seek(item.body)

    @guarded
    def waiting(self, key: str) -> Seek | None:
        """See `ports.Seeks`."""
        pk, _, sk = key.partition("|")
        try:
            item = SeekItem.get(pk, sk, consistent_read=True)
        except SeekItem.DoesNotExist:
            return None
        return _seek(item.body)

    @guarded
    def near(self, seek: Seek, low: int, high: int, most: int) -> Sequence[Seek]:
        """See `ports.Seeks`."""
        found: list[Seek] = []
        if high >= seek.rating:
            above = SeekItem.sk.between(_place(max(low, seek.rating)), _place(high) + "~")
            found += _read(seek, above, most, upwards=True)
        if low < seek.rating:
            below = SeekItem.sk.between(_place(low), _place(min(high + 1, seek.rating)))
            found += _read(seek, below, most, upwards=False)
        return [other for other in found if other.id != seek.id]

    @guarded
    def move(self, before: Seek, after: Seek) -> None:
        """See `ports.Seeks`."""
        transact([(_entry(after), SeekItem.pk.does_not_exist()), (_own(after), None)], taken=[_entry(before)])

    @guarded
    def postpone(self, seek: Seek, due: EpochMs) -> None:
        """See `ports.Seeks`. What the player's list says of it stays: no reader asks when it is due."""
        transact([(_entry(seek._replace(due=due)), SeekItem.pk.exists())])

    @guarded
    def end(self, seek: Seek, status: SeekStatus, now: EpochMs) -> None:
        """See `ports.Seeks`."""
        transact([(_ended(seek._replace(status=status), now), None)], [_own(seek)], taken=[_entry(seek)])

    @guarded
    def pair(self, record: MatchRecord, seeks: Sequence[Seek], maker: str, now: EpochMs) -> MatchRecord:
        """See `ports.Seeks`."""
        stored, puts = new_match(record, [seek.player for seek in seeks])
        for seek in seeks:
            matched = seek._replace(status=SeekStatus.MATCHED, match=record.match.id, at_once=seek.id == maker)
            puts.append((_ended(matched, now), None))
        transact(puts, [_own(seek) for seek in seeks], taken=[_entry(seek) for seek in seeks])
        return stored


def _place(rating: int) -> str:
    return f"{rating:04d}#"


def _table(seek: Seek) -> str:
    clock = ",".join(str(value) for _, value in sorted(seek.clock.items()))
    return f"SEEK#{seek.game}#{seek.seats}#{clock}"


def _entry(seek: Seek) -> SeekItem:
    # Ids sort by creation: of equal ratings the oldest comes first.
    place = _place(seek.rating) + seek.id
    return SeekItem(_table(seek), place, body=_body(seek), dp=shard_of(seek.id), da=seek.due)


def _own(seek: Seek) -> PlayerItem:
    return PlayerItem(f"PLAYER#{seek.player}", f"SEEK#{seek.game}", body=_body(seek))


def _ended(seek: Seek, now: EpochMs) -> PlayerItem:
    ttl = now // 1000 + KEPT_S
    return PlayerItem(f"PLAYER#{seek.player}", f"SOUGHT#{seek.id}", body=_body(seek), ttl=ttl)


def _body(seek: Seek) -> str:
    return msgspec.json.encode(seek).decode()


def _seek(body: str | None) -> Seek:
    return msgspec.json.decode(body or "", type=Seek)


def _read(seek: Seek, places: Any, most: int, *, upwards: bool) -> list[Seek]:
    query = SeekItem.query(_table(seek), places, scan_index_forward=upwards, consistent_read=True, limit=most)
    return [_seek(item.body) for item in query]
