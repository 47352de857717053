"""Tournaments as items (README, "Tables"): keys, bodies, index keys.

`TRN#t | META`, `ENTRY#player`, `WAIT#at#player`, `PAIR#stage#round#place`, `ROUND#stage#round`, `STAND#row`,
`AUDIT#id`.
"""

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from engine.tournament import codec
from engine.tournament.protocol import Key
from engine.types import EpochMs, Json
from functions.shared.store.due import TOURNAMENT_SHARDS, shard_of
from functions.shared.store.models import TournamentItem
from functions.shared.store.ports import NewerRecordError
from functions.shared.store.records_tournament import (
    AuditEntry,
    Chunk,
    EntryRecord,
    PairingRecord,
    RoundRecord,
    Step,
    TournamentRecord,
)

T = TypeVar("T")

_RAW = -zlib.MAX_WBITS
"""Neither header nor checksum: DynamoDB has its own."""

_COUNTED = 3
"""The last fields of a tournament stand in attributes of their own: counters and version."""


class _Pairing(NamedTuple):
    pairing: dict[str, Json]
    since: EpochMs
    deadline: EpochMs
    matches: tuple[str, ...]
    forfeited: tuple[str, ...]
    outages: tuple[str, ...] = ()


def pack(data: Any) -> bytes:
    """The data as compressed JSON."""
    squeezing = zlib.compressobj(6, zlib.DEFLATED, _RAW)
    return squeezing.compress(msgspec.json.encode(data)) + squeezing.flush()


def _expand(body: bytes) -> bytes:
    return zlib.decompress(body, _RAW)


def unpack(body: bytes | None, kind: type[T]) -> T:
    """The data that `pack` was given. Raises `NewerRecordError` for what is not of this kind."""
    try:
        return msgspec.json.decode(_expand(body or b""), type=kind)
    except msgspec.ValidationError as error:
        raise NewerRecordError(f"{kind.__name__}: {error}") from error


def pk(tournament: str) -> str:
    """The partition of a tournament."""
    return f"TRN#{tournament}"


def meta_attributes(record: TournamentRecord) -> dict[str, Any]:
    """What changes of a tournament's item with its version, by attribute; None where there is none."""
    return {
        "body": pack(tuple(record)[:-_COUNTED]),
        "v": record.version,
        "work": None if record.step is Step.REST else 1,
        "lp": f"{record.phase}#{record.game}",
        "la": f"{record.starts_at:013d}#{record.id}",
        "dp": None if record.due is None else shard_of(record.id, TOURNAMENT_SHARDS),
        "da": record.due,
    }


def meta_item(record: TournamentRecord) -> TournamentItem:
    """A tournament."""
    attributes = meta_attributes(record) | {"entered": record.entered, "waitlisted": record.waitlisted}
    return TournamentItem(pk(record.id), "META", **attributes)


def meta_of(item: TournamentItem) -> TournamentRecord:
    """The tournament that an item holds."""
    record = unpack(item.body, TournamentRecord)
    entered, waitlisted = int(item.entered or 0), int(item.waitlisted or 0)
    return record._replace(entered=entered, waitlisted=waitlisted, version=int(item.v or 0))


def entry_sk(player: str) -> str:
    """The key of an entry."""
    return f"ENTRY#{player}"


def entry_item(tournament: str, entry: EntryRecord) -> TournamentItem:
    """An entry."""
    body = msgspec.json.encode(tuple(entry)[:-1])
    return TournamentItem(pk(tournament), entry_sk(entry.player), body=body, v=entry.version)


def entry_of(item: TournamentItem) -> EntryRecord:
    """The entry that an item holds."""
    try:
        entry = msgspec.json.decode(item.body or b"", type=EntryRecord)
    except msgspec.ValidationError as error:
        raise NewerRecordError(f"EntryRecord: {error}") from error
    return entry._replace(version=int(item.v or 0))


def waiting_item(tournament: str, entry: EntryRecord) -> TournamentItem:
    """The place of an entry on the waiting list."""
    return TournamentItem(pk(tournament), f"WAIT#{entry.at:013d}#{entry.player}")


def pairing_sk(key: Key) -> str:
    """The key of a pairing."""
    return f"PAIR#{key.stage}#{key.round:03d}#{key.place:05d}"


def pairing_item(tournament: str, record: PairingRecord) -> TournamentItem:
    """A pairing."""
    sk = pairing_sk(record.pairing.key)
    fields = _Pairing(codec.dump(record.pairing), *record[1:6])
    return TournamentItem(
        pk(tournament),
        sk,
        body=pack(fields),
        v=record.version,
        dp=None if record.due is None else shard_of(tournament + sk, TOURNAMENT_SHARDS),
        da=record.due,
    )


def pairing_of(item: TournamentItem) -> PairingRecord:
    """The pairing that an item holds."""
    kept = unpack(item.body, _Pairing)
    due = None if item.da is None else int(item.da)
    return PairingRecord(codec.load(kept.pairing), *kept[1:], due=due, version=int(item.v or 0))


def round_item(tournament: str, record: RoundRecord) -> TournamentItem:
    """A round."""
    sk = round_sk(record.stage, record.round)
    return TournamentItem(pk(tournament), sk, body=pack(tuple(record)[:-1]), v=record.version)


def round_sk(stage: str, number: int) -> str:
    """The key of a round."""
    return f"ROUND#{stage}#{number:03d}"


def round_of(item: TournamentItem) -> RoundRecord:
    """The round that an item holds."""
    return unpack(item.body, RoundRecord)._replace(version=int(item.v or 0))


def chunk_sk(first: int) -> str:
    """The key of a piece of the standings."""
    return f"STAND#{first:05d}"


def chunk_item(tournament: str, chunk: Chunk) -> TournamentItem:
    """A piece of the standings."""
    return TournamentItem(pk(tournament), chunk_sk(chunk.first), body=pack(chunk))


def chunk_of(item: TournamentItem) -> Chunk:
    """The piece that an item holds."""
    return unpack(item.body, Chunk)


def audit_item(tournament: str, entry: AuditEntry) -> TournamentItem:
    """An entry of the audit."""
    return TournamentItem(pk(tournament), f"AUDIT#{entry.id}", body=pack(entry))


def audit_of(item: TournamentItem) -> AuditEntry:
    """The entry that an item holds."""
    return unpack(item.body, AuditEntry)


def due_key(keys: Sequence[str]) -> str:
    """How the referee knows an item of the due index: `TRN#id`, with `|stage/round/place` for a pairing."""
    partition, sk = keys
    if sk == "META":
        return partition
    _, stage, number, place = sk.split("#")
    return f"{partition}|{stage}/{int(number)}/{int(place)}"
