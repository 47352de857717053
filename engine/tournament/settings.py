"""What an organizer may choose, format by format. A refusal names the field and the legal values."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from engine.errors import Code, Refused
from engine.tournament import find
from engine.tournament.format import Format
from engine.tournament.protocol import Settings
from engine.types import Data, EpochMs, Json

BEST_OF = (1, 3, 5, 7, 9)
ROUNDS = 30
"""The most rounds of heats."""
TABLE = 10
"""The largest table: 1/5040 of a point counts up to nine opponents exactly."""

MOVES = 20
"""So many moves a game fit one after the other before a pairing's deadline, with the clock by default."""
CLOCK_SECONDS = (10, 2_592_000)
"""The bounds of a clock's seconds a move (api.md, "Clocks")."""

_LOCATIONS = {name: ("match", name) for name in ("best_of", "seats", "replays")}

_Check: TypeAlias = Callable[[Json], bool]


def parse(format_id: str, tables: tuple[int, int], given: Data) -> Settings:
    """The settings of a format for a game with tables of `tables[0]` to `tables[1]` seats.

    `given` has any of `best_of`, `replays`, `seats`, `third_place`, `cycles`, `advance`, `rounds`, `tiebreaks`, each as
    in a request; null stands for not given. Raises `Refused` (invalid-request) naming the field and the legal values.
    """
    rules = find(format_id)
    chosen = {name: value for name, value in given.items() if value is not None}
    unknown = [name for name in chosen if name not in Settings._fields or name == "least"]
    if unknown:
        raise _refused(unknown[0], f"unknown setting; {format_id} has: {', '.join(_names(rules))}")
    for name in chosen:
        if name not in _names(rules):
            raise _refused(name, f"{format_id} does not have it; its settings are: {', '.join(_names(rules))}")
    seats = _seats(rules, tables, chosen.get("seats"))
    if "advance" in chosen and "rounds" in chosen:
        raise _refused("rounds", "give either advance or rounds, not both")
    for name, (is_legal, legal) in _legal(rules, seats).items():
        if name in chosen and not is_legal(chosen[name]):
            raise _refused(name, f"must be {legal}")
    if "tiebreaks" in chosen and rules.TABLES and "rounds" not in chosen:
        raise _refused(
            "tiebreaks", "heats have tie-breaks with rounds only; with advance, places go by round and table"
        )
    values = {**chosen, "seats": seats, "least": tables[0]}
    if "tiebreaks" in chosen:
        values["tiebreaks"] = tuple(chosen["tiebreaks"])
    return Settings(**values)


def table_sizes(settings: Settings, rules: Format) -> range:
    """The numbers of seats that a match of the event may have: the game's options have to allow each of them."""
    if not rules.TABLES:
        return range(2, 3)
    return range(settings.least, max(settings.seats, 2 * settings.least - 1) + 1)


def latest_end(start: EpochMs, depth: int, deadline_s: int) -> EpochMs:
    """When an event is over at the latest, with `depth` rounds of `deadline_s` seconds."""
    return start + 1000 * depth * deadline_s


def clock_seconds(deadline_s: int, best_of: int) -> int:
    """The seconds a move that a match has by default: the deadline ÷ (20 × best_of), within the bounds of a clock."""
    low, high = CLOCK_SECONDS
    return max(low, min(high, deadline_s // (MOVES * best_of)))


def _names(rules: Format) -> tuple[str, ...]:
    if rules.TABLES:
        return ("seats", "advance", "rounds", "tiebreaks")
    if rules.BY_ROUNDS:
        return ("best_of", "seats", "cycles", "tiebreaks")
    third = () if rules.ID == "double-elimination" else ("third_place",)
    return ("best_of", "replays", "seats", *third)


def _seats(rules: Format, tables: tuple[int, int], given: Json) -> int:
    low, high = tables[0], min(tables[1], TABLE)
    if not rules.TABLES:
        if low > 2:
            raise _refused("seats", f"{rules.ID} needs two at a table, the game has {low} to {high}; play heats")
        if given is not None and not _is_integer(given, 2, 2):
            raise _refused("seats", f"must be 2 in {rules.ID}")
        return 2
    if high < 2 * low - 1:
        # Of 2·low − 1 players nobody may be left out, and they do not make two tables.
        raise _refused(
            "seats", f"heats need a game with tables of {low} to {2 * low - 1} seats, it has {low} to {high}"
        )
    if given is not None and not _is_integer(given, low, high):
        raise _refused("seats", f"must be an integer from {low} to {high}")
    return low if given is None else int(given)


def _legal(rules: Format, seats: int) -> Mapping[str, tuple[_Check, str]]:
    return {
        "best_of": (lambda v: type(v) is int and v in BEST_OF, "one of " + ", ".join(map(str, BEST_OF))),
        "replays": (lambda v: _is_integer(v, 0, 2), "an integer from 0 to 2"),
        "third_place": (lambda v: type(v) is bool, "true or false"),
        "cycles": (lambda v: _is_integer(v, 1, 2), "1 or 2"),
        "advance": (lambda v: _is_integer(v, 1, seats - 1), f"an integer from 1 to {seats - 1}"),
        "rounds": (lambda v: _is_integer(v, 1, ROUNDS), f"an integer from 1 to {ROUNDS}"),
        "tiebreaks": (
            lambda v: _is_list_of(v, rules.TIEBREAKS),
            "a list, each at most once, of " + ", ".join(rules.TIEBREAKS),
        ),
    }


def _is_integer(value: Json, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _is_list_of(value: Json, names: tuple[str, ...]) -> bool:
    if not isinstance(value, list | tuple):
        return False
    return all(isinstance(name, str) and name in names for name in value) and len(set(value)) == len(value)


def _refused(name: str, detail: str) -> Refused:
    return Refused(Code.INVALID_REQUEST, detail, _LOCATIONS.get(name, (name,)))
