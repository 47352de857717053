"""The options of a game: their defaults, their bounds, and their JSON Schema."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from engine.errors import Code, Refused
from engine.types import Data, Json, Options

BySeats: TypeAlias = Callable[[int], int]


class Choice(NamedTuple):
    """One of a few values; the first is the default."""

    name: str
    values: tuple[Json, ...]
    help: str


class Range(NamedTuple):
    """An integer; default and upper bound may depend on the number of seats."""

    name: str
    low: int
    high: int | BySeats
    default: int | BySeats
    help: str


Option: TypeAlias = Choice | Range


def _at(value: int | BySeats, seats: int) -> int:
    return value if isinstance(value, int) else value(seats)


def default(option: Option, seats: int) -> Json:
    """The option's default at a table of `seats`."""
    return option.values[0] if isinstance(option, Choice) else _at(option.default, seats)


def _is_in_bounds(option: Option, value: Json, seats: int) -> bool:
    if isinstance(option, Choice):
        return any(type(value) is type(v) and value == v for v in option.values)
    return type(value) is int and option.low <= value <= _at(option.high, seats)


def _bounds(option: Option, seats: int) -> str:
    if isinstance(option, Choice):
        return "one of " + ", ".join(map(str, option.values))
    return f"an integer from {option.low} to {_at(option.high, seats)}"


def chosen(options: tuple[Option, ...], given: Data, seats: int) -> Options:
    """The given options, less those that equal their default. Raises `Refused` for an unknown or unbounded one."""
    by_name = {option.name: option for option in options}
    for name, value in given.items():
        option = by_name.get(name)
        if option is None:
            known = ", ".join(by_name) or "none"
            raise Refused(Code.INVALID_REQUEST, f"unknown option; the game has: {known}", ("options", name))
        if not _is_in_bounds(option, value, seats):
            raise Refused(Code.INVALID_REQUEST, f"must be {_bounds(option, seats)}", ("options", name))
    return {name: value for name, value in given.items() if value != default(by_name[name], seats)}


def complete(options: tuple[Option, ...], given: Data, seats: int) -> Options:
    """A value for every option: the given one, else the default at a table of `seats`. `given` has no others."""
    return {**_defaults(options, seats), **given}


@lru_cache(maxsize=64)
def _defaults(options: tuple[Option, ...], seats: int) -> Options:
    return {option.name: default(option, seats) for option in options}


def schema(options: tuple[Option, ...], seats: tuple[int, int]) -> dict[str, Json]:
    """The options as a JSON Schema (2020-12). What depends on the seats stands for each table under `x-by-seats`."""
    return {
        "type": "object",
        "properties": {option.name: _property(option, seats) for option in options},
        "additionalProperties": False,
    }


def _property(option: Option, seats: tuple[int, int]) -> dict[str, Json]:
    if isinstance(option, Choice):
        return {"enum": list(option.values), "default": option.values[0], "description": option.help}
    tables = range(seats[0], seats[1] + 1)
    by_seats = {n: {"default": default(option, n), "maximum": _at(option.high, n)} for n in tables}
    text: dict[str, Json] = {
        "type": "integer",
        "minimum": option.low,
        "maximum": max(bounds["maximum"] for bounds in by_seats.values()),
        "default": by_seats[seats[0]]["default"],
        "description": option.help,
    }
    if any(bounds != by_seats[seats[0]] for bounds in by_seats.values()):
        text["x-by-seats"] = {str(n): bounds for n, bounds in by_seats.items()}
    return text
