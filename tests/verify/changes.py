"""Small changes of a proof: every field changed in several ways, dropped, or joined by another one."""

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.proof import CHECKSUMS, LISTS
from tests.verify.proofs import Proof

Path = tuple[str | int, ...]


class Change(NamedTuple):
    """A proof with one change, and where that is."""

    path: Path
    how: str
    proof: Proof

    def __str__(self) -> str:
        return f"{'/'.join(map(str, self.path))} {self.how}"


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every part of a value, the whole first."""
    yield path, value
    parts = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    for name, part in parts:
        yield from places(part, (*path, name))


def _others(value: Any) -> Iterator[Any]:
    """Values near to a leaf."""
    match value:
        case bool():
            yield from (not value, int(value), None)
        case int():
            yield from (value + 1, value - 1, str(value), float(value), value + 0.5, None, bool(value), 10**30)
        case str():
            turned = {"0": "1", "a": "b", "2": "3"}
            yield turned.get(value[:1], "0") + value[1:]
            yield value[:-1] + turned.get(value[-1:], "0")
            yield from (value + "0", value + " ", value.upper() + "x", value[1:] or "x", None, 0, "\u00e9")
        case None:
            yield from (0, "", False)


def leaves(proof: Proof) -> Iterator[Change]:
    """Each leaf changed in several ways."""
    for path, value in places(proof):
        if type(value) not in (dict, list):
            for number, other in enumerate(_others(value)):
                if type(other) is not type(value) or other != value:
                    yield Change(path, f"becomes {other!r} ({number})", _with(proof, path, other))


def structures(proof: Proof) -> Iterator[Change]:
    """Each field dropped; an unknown one in each object; items of lists dropped, doubled, swapped."""
    for path, value in places(proof):
        if type(value) is dict:
            yield Change(path, "has one more field", _with(proof, path, value | {"more": 1}))
            for name in value:
                less = {other: item for other, item in value.items() if other != name}
                yield Change((*path, name), "is missing", _with(proof, path, less))
            yield Change(path, "is no object", _with(proof, path, [value]))
        elif type(value) is list:
            for i, item in enumerate(value):
                yield Change((*path, i), "is missing", _with(proof, path, value[:i] + value[i + 1 :]))
                yield Change(
                    (*path, i + 1), "is the one before again", _with(proof, path, [*value[: i + 1], *value[i:]])
                )
                if i and item != value[i - 1]:
                    swapped = [*value[: i - 1], item, value[i - 1], *value[i + 1 :]]
                    yield Change((*path, i - 1), "is swapped with the next", _with(proof, path, swapped))
            yield Change(path, "is no list", _with(proof, path, {"0": value}))


def _with(proof: Proof, path: Path, value: Any) -> Any:
    if not path:
        return value
    changed = copy.copy(proof)
    target: Any = changed
    for step in path[:-1]:
        target[step] = copy.copy(target[step])
        target = target[step]
    target[path[-1]] = value
    return changed


def named(path: Path) -> list[str]:
    """How a fault at a place may be named: by its field, action or event, or by what is inside of that."""
    if not path:
        return ["proof", "more", "spec"]
    top, *more = path
    if top == CHECKSUMS:
        return [CHECKSUMS, *(named(tuple(more)) if more else [])]
    if top in LISTS and more and isinstance(more[0], int):
        return [f"{LISTS[str(top)]} {more[0] + 1}", str(top)]
    return [str(top)]


def is_named(where: str, path: Path) -> bool:
    """Whether a fault names the place of a change."""
    return any(where == name or where.startswith(f"{name},") for name in named(path))
