"""A match record as bytes, and which part of its log is put away when they grow."""

import zlib
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from engine.match import codec
from engine.match.log import LAST_EVENTS
from engine.match.record import Entry, Match
from functions.shared.store.dictionary import DICTIONARIES
from functions.shared.store.ports import NewerRecordError
from functions.shared.store.records import Fixture, LogPart, MatchRecord, Part, RatedAs

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

KEPT = 500
"""Records that a process keeps beside the bytes that they are: who moves, or asks again, mostly meets the record that
was written or read here last. At 10 to 50 KB each."""

_kept: dict[bytes, MatchRecord] = {}

_APART = ("match", "rated_as", "fixture")
_FIELDS = tuple(field for field in MatchRecord._fields if field not in (*_APART, "due", "version"))
_KNOWN = frozenset((*_APART, *_FIELDS))

_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_anything = msgspec.json.Decoder().decode
_entries = msgspec.json.Decoder(tuple[Entry, ...]).decode
_READ: Mapping[str, Callable[[msgspec.Raw], Any]] = {"log": _entries}
"""What is read straight into named tuples: most of a record is its log."""
_NO_LOG = msgspec.Raw(b"[]")


def pack(record: MatchRecord) -> bytes:
    """The record, less what the item holds in attributes of its own. It compresses to a third."""
    body = _squeeze(_data(record))
    _keep(body, record)
    return body


def unpack(body: bytes, version: int, due: int | None, *, log: bool = True) -> MatchRecord:
    """The record that `pack` was given; without its log, where that isn't read and not at hand. Raises
    `NewerRecordError`."""
    record = _kept.get(body)
    if record is None:
        record = _read(body, log)
        if log:
            _keep(body, record)
    is_same = (record.version, record.due) == (version, due)
    return record if is_same else record._replace(version=version, due=due)


def _keep(body: bytes, record: MatchRecord) -> None:
    if len(_kept) >= KEPT:
        _kept.clear()
    _kept[body] = record


def _data(record: MatchRecord) -> dict[str, Any]:
    data = {"match": codec.dump(record.match)} | {name: getattr(record, name) for name in _FIELDS}
    if record.rated_as is not None:
        data["rated_as"] = record.rated_as
    if record.fixture is not None:
        data["fixture"] = record.fixture
    return data


def _read(body: bytes, log: bool) -> MatchRecord:
    raw = _fields(_expand(body))
    if not raw.keys() <= _KNOWN:
        raise NewerRecordError(f"MatchRecord with {', '.join(sorted(raw.keys() - _KNOWN))}")
    match = _match(raw.pop("match"), log)
    fields: dict[str, Any] = {name: _anything(value) for name, value in raw.items()}
    for name in ("invited", "reserved"):
        fields[name] = tuple(fields.get(name, ()))
    fields["parts"] = tuple(Part(*part) for part in fields["parts"])
    if "rated_as" in fields:
        reason, changes = fields["rated_as"]
        fields["rated_as"] = RatedAs(reason, tuple((before, after) for before, after in changes))
    if "fixture" in fields:
        fields["fixture"] = Fixture(*fields["fixture"])
    if fields["rating_range"] is not None:
        fields["rating_range"] = tuple(fields["rating_range"])
    return MatchRecord(match, **fields)


def _match(raw: msgspec.Raw, log: bool) -> Match:
    fields = _fields(raw)
    if not log:
        fields["log"] = _NO_LOG
    try:
        return codec.load({name: _READ.get(name, _anything)(value) for name, value in fields.items()})
    except (codec.NewerError, msgspec.ValidationError) as error:
        raise NewerRecordError(str(error)) from error


def pack_part(part: LogPart) -> bytes:
    """A part of a log."""
    return _squeeze(part.entries)


def unpack_part(first: int, body: bytes) -> LogPart:
    """The part that `pack_part` was given. Raises `NewerRecordError`."""
    try:
        return LogPart(first, _entries(_expand(body)))
    except msgspec.ValidationError as error:
        raise NewerRecordError(str(error)) from error


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


def _expand(body: bytes) -> bytes:
    if body[0] >= len(DICTIONARIES):
        raise NewerRecordError(f"dictionary {body[0]}")
    expanding = zlib.decompressobj(_RAW, DICTIONARIES[body[0]])
    return expanding.decompress(body[1:]) + expanding.flush()
