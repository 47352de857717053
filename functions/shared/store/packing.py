"""A match record as bytes, and which part of its log is put away when they grow."""

import zlib
from typing import Any

import msgspec

from engine.match import codec
from engine.match.log import LAST_EVENTS
from functions.shared.store.records import LogPart, MatchRecord, Part

BOUND = 4096
"""Bytes of a match item above which its log's tail is put away (design.md, promise 2)."""

_LEVEL = 3
"""Of zlib: 6 saves 3 % more and takes half as long again."""

_FIELDS = tuple(field for field in MatchRecord._fields if field not in ("match", "due", "version"))


def pack(record: MatchRecord) -> bytes:
    """The record, less what the item holds in attributes of its own. Repeated names make it compress to a third."""
    data = {"match": codec.dump(record.match)} | {name: getattr(record, name) for name in _FIELDS}
    return _squeeze(data)


def unpack(body: bytes, version: int, due: int | None) -> MatchRecord:
    """The record that `pack` was given."""
    fields: dict[str, Any] = _expand(body)
    fields["match"] = codec.load(fields["match"])
    fields["invited"] = tuple(fields["invited"])
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
    """Takes all but the last events out of a record's log; they go into a part."""
    match = record.match
    old = match.log[:-LAST_EVENTS]
    if not old:
        return record, None
    part = LogPart(match.put_away + 1, old)
    match = match._replace(log=match.log[-LAST_EVENTS:], put_away=match.put_away + len(old))
    parts = (*record.parts, Part(part.first, old[0].turn))
    return record._replace(match=match, parts=parts), part


def _squeeze(data: Any) -> bytes:
    return zlib.compress(msgspec.json.encode(data), _LEVEL)


def _expand(body: bytes) -> Any:
    return msgspec.json.decode(zlib.decompress(body))
