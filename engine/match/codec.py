"""A match as JSON data, for its store. A field that is missing is read as its default: records outlive deploys.

A field that is not known is not read at all: while a later version takes over, what it wrote is for it to change. To
keep the field would not be enough, since what it means to the rest of the match is not known either.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from engine.clock import Clock, Pause
from engine.match.record import Entry, Match, Result, Sealed, Sitter, Status, all_options, rules
from engine.types import Data, Json

T = TypeVar("T", bound=tuple[Any, ...])

_TO = Entry._fields.index("to")


class NewerError(Exception):
    """The data has what this version of the code does not know. A later version wrote it."""


def load_row(kind: type[T], fields: Sequence[Json]) -> T:
    """A named tuple from its fields in order; what is missing at the end is read as its default. Raises `NewerError`
    for more fields than it has."""
    if len(fields) > len(kind._fields):  # type: ignore[attr-defined]
        raise NewerError(f"{kind.__name__} with {len(fields)} fields")
    return kind(*fields)


def load_entry(fields: Sequence[Json]) -> Entry:
    """An entry from its fields, as `load_row` reads it."""
    known = list(fields)
    known[_TO : _TO + 1] = map(tuple, known[_TO : _TO + 1])
    return load_row(Entry, known)


def dump(match: Match) -> dict[str, Json]:
    """All of a match, secrets included, as JSON data: named tuples stand as the lists of their fields."""
    data: dict[str, Json] = match._asdict()
    data["state"] = None if match.state is None else rules(match).dump(match.state)
    return data


def load(data: Data) -> Match:
    """The match that `dump` was given; a store may give its log as the tuple of entries that it is.

    Raises `NewerError` for fields, games and rules that are not known here.
    """
    unknown = data.keys() - _KNOWN
    if unknown:
        raise NewerError(f"Match with {', '.join(sorted(unknown))}")
    fields = {name: _READ[name](value) if name in _READ else value for name, value in data.items()}
    match = Match(**fields)
    try:
        rules(match)
    except LookupError as error:
        raise NewerError(f"rules of {error}") from error
    if match.state is None:
        return match
    state = rules(match).load(match.state, all_options(match), len(match.seats))
    return match._replace(state=state)


def _load_result(fields: Sequence[Json] | None) -> Result | None:
    if fields is None:
        return None
    return load_row(Result, [tuple(field) if isinstance(field, list) else field for field in fields])


_KNOWN = frozenset(Match._fields)

_READ: dict[str, Callable[[Json], Any]] = {
    "clock": lambda fields: load_row(Clock, fields),
    "seats": lambda seats: tuple(None if sitter is None else load_row(Sitter, sitter) for sitter in seats),
    "status": Status,
    "seals": lambda seals: tuple(load_row(Sealed, choice) for choice in seals),
    "log": lambda log: log if isinstance(log, tuple) else tuple(map(load_entry, log)),
    "result": _load_result,
    "pauses": lambda pauses: tuple(load_row(Pause, pause) for pause in pauses),
}
