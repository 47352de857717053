"""The form of a proof: which fields it has, and what each of them holds. Nothing else is accepted."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, NoReturn

from engine import instants
from engine.match.record import By, Left, Status
from engine.proof import CHECKSUMS, EVENTS, LISTS, canonical
from engine.types import Json

_DEPTH = 12
_SAFE = 2**53
"""Other languages than this one keep whole numbers below it."""
_NONCE_BYTES = 64


class Disproved(Exception):
    """What is wrong with a proof, and where: a field, or an action or event by its number, and a field of that."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.where = where
        self.what = what


class _Kind(NamedTuple):
    what: str
    holds: Callable[[Json], bool]


def _is_natural(value: Json) -> bool:
    return type(value) is int and value >= 0


def _is_hex(most: int, least: int = 0) -> Callable[[Json], bool]:
    form = re.compile(f"(?:[0-9a-f]{{2}}){{{least},{most}}}")
    return lambda value: type(value) is str and form.fullmatch(value) is not None


def _is_instant(value: Json) -> bool:
    try:
        return type(value) is str and instants.read(value) >= 0
    except ValueError:
        return False


def _each(holds: Callable[[Json], bool]) -> Callable[[Json], bool]:
    return lambda value: type(value) is list and all(map(holds, value))


def _or_null(kind: _Kind) -> _Kind:
    return _Kind(f"{kind.what} or null", lambda value: value is None or kind.holds(value))


def _one_of(values: Iterable[str]) -> _Kind:
    known = [str(value) for value in values]
    return _Kind("one of " + ", ".join(known), lambda value: type(value) is str and value in known)


_TEXT = _Kind("a text", lambda value: type(value) is str)
_NATURAL = _Kind("a whole number from 0 up", _is_natural)
_INTEGER = _Kind("a whole number", lambda value: type(value) is int)
_OBJECT = _Kind("an object", lambda value: type(value) is dict)
_LIST = _Kind("a list", lambda value: type(value) is list)
_INSTANT = _Kind("an instant such as 2027-01-10T08:00:00.000Z", _is_instant)
_HASH = _Kind("32 bytes in hexadecimal", _is_hex(32, 32))
_SUM = _Kind("16 hexadecimal digits", _is_hex(8, 8))
_SEAT_OR_ALL = _or_null(_NATURAL)

_FIELDS: Mapping[str, _Kind] = {
    "spec": _TEXT,
    "match": _TEXT,
    "game": _TEXT,
    "ruleset": _TEXT,
    "options": _OBJECT,
    "seats": _NATURAL,
    "bots": _Kind("a list of seats", _each(_is_natural)),
    "commitment": _HASH,
    "key": _HASH,
    "nonces": _Kind(f"a list of up to {_NONCE_BYTES} bytes each in hexadecimal", _each(_is_hex(_NONCE_BYTES))),
    "clock": _OBJECT,
    "started_at": _or_null(_INSTANT),
    "actions": _LIST,
    "events": _LIST,
    "status": _one_of((Status.FINISHED, Status.ABORTED)),
    "ended_at": _INSTANT,
    "result": _or_null(_OBJECT),
    CHECKSUMS: _OBJECT,
}
_RESULT: Mapping[str, _Kind] = {
    "reason": _TEXT,
    "ranks": _Kind("a list of whole numbers from 0 up", _each(_is_natural)),
    "scores": _Kind("a list of whole numbers", _each(_INTEGER.holds)),
}
_ACTION: Mapping[str, _Kind] = {
    "n": _NATURAL,
    "turn": _NATURAL,
    "seat": _NATURAL,
    "by": _one_of(By),
    "at": _INSTANT,
    "action": _OBJECT,
}
_PARTS: Mapping[str, _Kind] = {
    "type": _one_of(EVENTS),
    "after": _NATURAL,
    "at": _INSTANT,
    "seat": _SEAT_OR_ALL,
    "reason": _one_of(Left),
    "pause": _NATURAL,
    "from": _INSTANT,
    "until": _INSTANT,
}
_SUMS: Mapping[str, _Kind] = {
    name: _Kind("a list of 16 hexadecimal digits each", _each(_SUM.holds)) if name in LISTS else _SUM
    for name in _FIELDS
    if name != CHECKSUMS
}


def read(data: bytes) -> Json:
    """The JSON value of a proof as it was served or kept.

    Raises `Disproved` for what is no JSON, and for a name that an object has twice.
    """
    try:
        return json.loads(data.decode(), object_pairs_hook=_unique, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise Disproved(f"byte {error.start + 1}", "it is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise Disproved(f"character {error.pos + 1}", f"it is not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise Disproved("proof", f"it is not JSON: {error}") from error


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"an object has the name {next(n for n in names if names.count(n) > 1)!r} twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def check(proof: Json) -> None:
    """Raises `Disproved` unless the proof has exactly the fields of one, each holding what it should."""
    _plain(proof, "proof", 0)
    _fields(proof, "", _FIELDS)
    if proof["result"] is not None:
        _fields(proof["result"], "result", _RESULT)
    _fields(proof[CHECKSUMS], CHECKSUMS, _SUMS)
    for number, action in enumerate(proof["actions"], 1):
        _fields(action, f"action {number}", _ACTION)
    for number, event in enumerate(proof["events"], 1):
        where = f"event {number}"
        kind = event.get("type") if type(event) is dict else None
        names = EVENTS.get(kind, ()) if type(kind) is str else ()
        _fields(event, where, {name: _PARTS[name] for name in ("type", "after", "at", *names)})


def place(where: str, name: str) -> str:
    """The name of a field of something; of the proof itself, where that is empty."""
    return f"{where}, {name}" if where else name


def _fields(value: Json, where: str, kinds: Mapping[str, _Kind]) -> None:
    if type(value) is not dict:
        raise Disproved(where or "proof", "it must be an object")
    for name in kinds:
        if name not in value:
            raise Disproved(place(where, name), "it is missing")
    for name in value:
        if name not in kinds:
            raise Disproved(place(where, name), "there is no such field in a proof")
    for name, kind in kinds.items():
        if not kind.holds(value[name]):
            raise Disproved(place(where, name), f"it must be {kind.what}")


def _plain(value: Json, where: str, depth: int) -> None:
    """Raises `Disproved` for what no proof holds: numbers that are not whole or too large, other than ASCII text."""
    if depth > _DEPTH:
        raise Disproved(where, "it is nested too deeply")
    if type(value) is dict:
        for name, item in value.items():
            _ascii(name, where)
            _plain(item, name if not depth else where, depth + 1)
    elif type(value) is list:
        one = LISTS.get(where) if depth == 1 else None
        for number, item in enumerate(value, 1):
            _plain(item, where if one is None else f"{one} {number}", depth + 1)
    elif type(value) is str:
        _ascii(value, where)
    elif type(value) is float or (type(value) is int and abs(value) >= _SAFE):
        raise Disproved(where, "a number must be whole and below 2^53")


def _ascii(text: str, where: str) -> None:
    if not text.isascii():
        raise Disproved(where, "a text must be ASCII")


def difference(given: Json, made: Json, name: str) -> Disproved | None:
    """Where a field of a proof is not what the rules make of it, if anywhere."""
    if canonical(given) == canonical(made):
        return None
    if name not in LISTS:
        return _unlike(given, made, name)
    for number, (one, other) in enumerate(zip(given, made, strict=False), 1):
        if canonical(one) != canonical(other):
            return _unlike(one, other, f"{LISTS[name]} {number}")
    where = f"{LISTS[name]} {min(len(given), len(made)) + 1}"
    if len(given) > len(made):
        return Disproved(where, "it is one too many")
    return Disproved(where, f"it is missing: by the rules it is {canonical(made[len(given)])}")


def _unlike(given: Json, made: Json, where: str) -> Disproved:
    if type(given) is type(made) is dict:
        for name, value in made.items():
            if name not in given or canonical(given[name]) != canonical(value):
                return _unlike(given.get(name), value, place(where, name))
        extra = next(name for name in given if name not in made)
        return Disproved(place(where, extra), "by the rules there is none")
    return Disproved(where, f"it is {canonical(given)}; by the rules it is {canonical(made)}")
