"""A match as JSON data, for its store. A field that is missing is read as its default: records outlive deploys."""

from collections.abc import Sequence
from typing import Any

from engine.clock import Clock
from engine.match.record import Entry, Match, Result, Sealed, Sitter, Status, all_options, rules
from engine.types import Data, Json

_ENTRY_DEFAULTS = tuple(Entry(0, 0, ""))


def dump_entry(entry: Entry) -> list[Json]:
    """The fields in order, less the defaults at the end."""
    fields: list[Json] = list(entry)
    while len(fields) > 3 and fields[-1] == _ENTRY_DEFAULTS[len(fields) - 1]:
        fields.pop()
    return fields


def load_entry(fields: Sequence[Json]) -> Entry:
    """The entry that `dump_entry` was given."""
    entry = Entry(*fields)
    return entry._replace(to=tuple(entry.to)) if entry.to else entry


def dump(match: Match) -> dict[str, Json]:
    """All of a match, secrets included, as JSON data."""
    data: dict[str, Json] = match._asdict()
    data["seats"] = [None if sitter is None else list(sitter) for sitter in match.seats]
    data["state"] = None if match.state is None else rules(match).dump(match.state)
    data["log"] = [dump_entry(entry) for entry in match.log]
    return data


def load(data: Data) -> Match:
    """The match that `dump` was given."""
    fields: dict[str, Any] = dict(data)
    fields["status"] = Status(fields["status"])
    fields["clock"] = Clock(*fields["clock"])
    fields["seats"] = tuple(None if sitter is None else Sitter(*sitter) for sitter in fields["seats"])
    fields["seals"] = tuple(Sealed(*choice) for choice in fields["seals"])
    fields["log"] = tuple(load_entry(entry) for entry in fields["log"])
    if fields["result"] is not None:
        reason, ranks, scores = fields["result"]
        fields["result"] = Result(reason, tuple(ranks), tuple(scores))
    match = Match(**fields)
    if match.state is None:
        return match
    state = rules(match).load(match.state, all_options(match), len(match.seats))
    return match._replace(state=state)
