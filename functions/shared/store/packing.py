"""A match record as bytes, and which part of its log is put away when they grow."""

import zlib
from typing import Any

import msgspec

from engine.match import codec
from engine.match.log import LAST_EVENTS
from functions.shared.store.dictionary import DICTIONARIES
from functions.shared.store.records import LogPart, MatchRecord, Part

BOUND = 1880
"""Bytes of a body above which some of the log is put away: with the item's other attributes, two write units. The
design's bound (promise 2: 4 KB) would double what most actions of a long match cost."""

FEWEST, MOST = 10, 20
"""Events of a part: at 40 to 60 bytes each, one write unit. Fewer would not be worth a transaction, which a record with
a large state would otherwise need at every action."""

_LEVEL = 5
"""Of zlib: 3 takes a quarter less time and leaves 5 % more."""
_RAW = -zlib.MAX_WBITS
"""Neither header nor checksum: DynamoDB has its own."""

_FIELDS = tuple(field for field in MatchRecord._fields if field not in ("match", "due", "version"))


def pack(record: MatchRecord) -> bytes:
    """The record, less what the item holds in attributes of its own. It compresses to a third."""
    data = {"match": codec.dump(record.match)} | {name: getattr(record, name) for name in _FIELDS}
    return _squeeze(data)


def unpack(body: bytes, version: int, due: int | None) -> MatchRecord:
    """The record that `pack` was given."""
    fields: dict[str, Any] = _expand(body)
    fields["match"] = codec.load(fields["match"])
    for name in ("invited", "reserved"):
        fields[name] = tuple(fields.get(name, ()))
    fields["parts"] = tuple(Part(*part) for part in fields["parts"])
    if fields["rating_range"] is not None:
        fields["rating_range"] = tuple(fields["rating_range"])
    return MatchRecord(**fields, version=version, due=due)


def pack_part(part: LogPart) -> bytes:
    """A part of a log."""
    return _squeeze(part.entries)


def unpack_part(first: int, body: bytes) -> LogPart:
    """The part that `pack_part` was given."""
    return LogPart(first, tuple(codec.load_entry(fields) for fields in _expand(body)))


def put_away(record: MatchRecord) -> tuple[MatchRecord, LogPart | None]:
    """Takes the oldest events out of a record's log; they go into a part. None where there are too few.

    The last ones stay: every view of the match shows them.
    """
    match = record.match
    old = match.log[:-LAST_EVENTS][:MOST]
    if len(old) < FEWEST:
        return record, None
    part = LogPart(match.put_away + 1, old)
    match = match._replace(log=match.log[len(old) :], put_away=match.put_away + len(old))
    parts = (*record.parts, Part(part.first, old[0].turn))
    return record._replace(match=match, parts=parts), part


def _squeeze(data: Any) -> bytes:
    number = len(DICTIONARIES) - 1
    squeezing = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW, zdict=DICTIONARIES[number])
    return bytes((number,)) + squeezing.compress(msgspec.json.encode(data)) + squeezing.flush()


def _expand(body: bytes) -> Any:
    expanding = zlib.decompressobj(_RAW, DICTIONARIES[body[0]])
    return msgspec.json.decode(expanding.decompress(body[1:]) + expanding.flush())
