"""A match as JSON data, for its store. A field that is missing is read as its default: records outlive deploys."""

from collections.abc import Callable, Sequence
from typing import Any

from engine.clock import Clock, Pause
from engine.match.record import Entry, Match, Result, Sealed, Sitter, Status, all_options, rules
from engine.types import Data, Json

_TO = Entry._fields.index("to")


def load_entry(fields: Sequence[Json]) -> Entry:
    """An entry from its fields in order; what is missing at the end is read as its default."""
    known = list(fields)
    known[_TO : _TO + 1] = map(tuple, known[_TO : _TO + 1])
    return Entry(*known)


def dump(match: Match) -> dict[str, Json]:
    """All of a match, secrets included, as JSON data: named tuples stand as the lists of their fields."""
    data: dict[str, Json] = match._asdict()
    data["state"] = None if match.state is None else rules(match).dump(match.state)
    return data


def load(data: Data) -> Match:
    """The match that `dump` was given."""
    fields = {name: _READ[name](value) if name in _READ else value for name, value in data.items()}
    match = Match(**fields)
    if match.state is None:
        return match
    state = rules(match).load(match.state, all_options(match), len(match.seats))
    return match._replace(state=state)


def _load_result(fields: Sequence[Json] | None) -> Result | None:
    if fields is None:
        return None
    reason, ranks, scores = fields
    return Result(reason, tuple(ranks), tuple(scores))


_READ: dict[str, Callable[[Json], Any]] = {
    "clock": lambda fields: Clock(*fields),
    "seats": lambda seats: tuple(None if sitter is None else Sitter(*sitter) for sitter in seats),
    "status": Status,
    "seals": lambda seals: tuple(Sealed(*choice) for choice in seals),
    "log": lambda log: tuple(map(load_entry, log)),
    "result": _load_result,
    "pauses": lambda pauses: tuple(Pause(*pause) for pause in pauses),
}
