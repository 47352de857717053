"""All that is stored, as text that can be compared: without what differs from one run to the next by chance."""

import base64
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from engine.types import EpochMs
from functions.shared.store import ladder_counts, packing
from tests.faults.matrix_stage import Stage
from tests.faults.world import STACK

Records = Counter[str]
"""How often each text is there. What is of the same kind and was made by chance (two new matches) has the same text."""

Words = frozenset[str]
"""The ids and random values that were there before an operation: they keep their names in a comparison."""

_ID = re.compile(r"\b(?:ply|mat|tok|sek|whk|trn|par|aud|msg)_[0-9A-Z]{26}")
_CHANCE = re.compile(r"\b[0-9a-f]{16,}\b")
_MOMENT = re.compile(r"\b\d{13}\b")

_IN_STEPS = ("TRN#", "HOOK#", "JOB#")
"""What goes through as many versions as it takes steps, of which a repetition may make more. The others' are compared.
"""
_DERIVED = frozenset(("dp", "ttl"))
"""Attributes that follow from an id, or from the moments of the body."""
_MADE_AT_ONCE = re.compile(r",(?:true|false)]$")
"""Of a seek: whether the first attempt of a request found opponents, or a later one. It says how that is answered."""


def known(stage: Stage) -> Words:
    """The ids and random values that a world has now."""
    text = "\n".join(_texts(stage, None))
    return frozenset(_ID.findall(text)) | frozenset(_CHANCE.findall(text))


def records(stage: Stage, before: Words) -> Records:
    """All items of all tables, and what webhooks were sent. What a player was told counts once for each id: inboxes and
    webhooks are told at least once, and the same news has the same id."""
    return Counter(_named(text, before) for text in _texts(stage, before))


def dated(found: Records, since: EpochMs) -> Records:
    """The records without moments from `since` on: what was done minutes later is dated later."""
    return Counter(_MOMENT.sub(lambda at: at[0] if int(at[0]) < since else "later", text) for text in found.elements())


def difference(found: Records, expected: Records, most: int = 4) -> str:
    """What is there and should not be, and the other way round, for whoever reads of a failure."""
    more, missing = found - expected, expected - found
    lines = [f"too much: {text[:1500]}" for text in list(more)[:most]]
    return "\n".join(lines + [f"missing: {text[:1500]}" for text in list(missing)[:most]])


def _named(text: str, before: Words) -> str:
    text = _ID.sub(lambda found: found[0] if found[0] in before else f"{found[0][:3]}_new", text)
    return _CHANCE.sub(lambda found: found[0] if found[0] in before else "chance", text)


def _texts(stage: Stage, before: Words | None) -> Iterator[str]:
    """Everything there is; `before` is None while it is not known yet what is new."""
    news: dict[tuple[str, str], str] = {}
    for table in STACK.tables:
        for item in stage.world.dynamo.scan(TableName=table["TableName"])["Items"]:
            pk, sk = item["pk"]["S"], item["sk"]["S"]
            if sk.startswith("EVENT#"):
                event, *what = json.loads(item["body"]["S"])
                news[pk, event] = "told " + json.dumps([pk, *what])
            elif sk == "SNAPSHOT":
                # When and in how many parts it was published is the publisher's own; without counts it says nothing.
                yield from [
                    f"{pk} {count}" for count in enumerate(ladder_counts.unpack(_bytes(item["counts"]))) if count[1]
                ]
            else:
                yield _text(item, before)
    yield from news.values()
    yield from [f"sent {message}" for message in set(stage.sent)]


def _text(item: dict[str, Any], before: Words | None) -> str:
    pk, sk = item["pk"]["S"], item["sk"]["S"]
    plain = {name: next(iter(value.values())) for name, value in item.items() if name not in ("pk", "sk", "body")}
    if pk.startswith(_IN_STEPS) or sk.startswith(_IN_STEPS):
        plain.pop("v", None)
    for name in _DERIVED & plain.keys():
        plain[name] = "some"
    body = _body(pk, sk, item["body"], before) if "body" in item else ""
    return f"{pk} | {sk} {sorted(plain.items())} {body}"


def _body(pk: str, sk: str, value: dict[str, Any], before: Words | None) -> str:
    if "S" in value:
        return _MADE_AT_ONCE.sub("", value["S"]) if sk.startswith("SOUGHT#") else str(value["S"])
    data = _bytes(value)
    if pk.startswith("MAT#"):
        return _match(data, before) if sk == "M" else repr(packing.unpack_part(int(sk.partition("#")[2]), data))
    text = (data if data[:1] in b"[{" else zlib.decompress(data, -zlib.MAX_WBITS)).decode()
    return _pairing(text) if sk.startswith("PAIR#") else text


def _bytes(value: dict[str, Any]) -> bytes:
    raw = value["B"]
    return raw if isinstance(raw, bytes) else base64.b64decode(raw)


def _pairing(text: str) -> str:
    """A pairing without the note of whose forfeit was carried out, which only says what need not be done again."""
    pairing, since, deadline, matches, _, *others = json.loads(text)
    return json.dumps([pairing, since, deadline, matches, *others])


def _match(data: bytes, before: Words | None) -> str:
    """A match; of one that is new not what its own chance decided."""
    record = packing._read(data, log=True)
    match = record.match
    if before is None or match.id in before:
        log = tuple(entry._replace(key="key" if entry.key else "") for entry in match.log)
        seals = tuple(sealed._replace(key="key" if sealed.key else "") for sealed in match.seals)
        return repr(record._replace(match=match._replace(log=log, seals=seals)))
    seats = sorted(str(sitter and (sitter.player, sitter.name, sitter.bot, sitter.left)) for sitter in match.seats)
    logged = sorted((entry.type, entry.by) for entry in match.log)
    door = (record.rated, record.private, bool(record.join_code), record.invited, bool(record.rematch), record.settled)
    return repr((match.game, match.status, match.turn, match.created_at, seats, logged, door, record.fixture))
