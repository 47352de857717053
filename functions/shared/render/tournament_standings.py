"""The table of a tournament, for programs and for spreadsheets."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from engine.tournament.protocol import Amount, Row
from functions.shared.flows.tournaments.reading import RowPage
from functions.shared.render.match import PlayerRef
from functions.shared.render.tournament import ref

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a spreadsheet takes for the beginning of a formula; a negative number is none."""


class PartBody(msgspec.Struct):
    """A summand of a criterion: from which round and opponent."""

    round: int
    opponent: PlayerRef | None
    value: float


class TiebreakBody(msgspec.Struct):
    """A criterion of a row, and what it adds up."""

    name: str
    value: float
    parts: list[PartBody]


class RowBody(msgspec.Struct):
    """A row: equal ranks are shared, the next one is as if they were not (1, 2, 2, 4). `decided_by` names what
    separates it from the rank above; the first from the one below."""

    rank: int
    player: PlayerRef
    seed: int
    points: float
    tiebreaks: list[TiebreakBody]
    decided_by: str | None


class StandingsPage(msgspec.Struct):
    """A page of the table. Values are exact, in heats the nearest number to a multiple of 1/5040."""

    items: list[RowBody]
    next_cursor: str | None
    final: bool


def players(row: Row) -> Iterator[str]:
    """Everybody whom a row names."""
    yield row.player
    for tiebreak in row.tiebreaks:
        yield from (part.opponent for part in tiebreak.parts if part.opponent)


def page(shown: RowPage, names: Mapping[str, str], cursor: str | None) -> StandingsPage:
    """A page of the table and the cursor of the next one."""
    return StandingsPage([_row(row, names) for row in shown.rows], cursor, shown.is_final)


def _row(row: Row, names: Mapping[str, str]) -> RowBody:
    tiebreaks = [
        TiebreakBody(
            one.name,
            number(one.value),
            [
                PartBody(part.round, ref(part.opponent, names) if part.opponent else None, number(part.amount))
                for part in one.parts
            ],
        )
        for one in row.tiebreaks
    ]
    return RowBody(row.rank, ref(row.player, names), row.seed, number(row.points), tiebreaks, row.decided_by)


def number(amount: Amount) -> int | float:
    """The fraction as a JSON number: whole where it is, else the nearest one."""
    whole, rest = divmod(amount.units, amount.per)
    return amount.units / amount.per if rest else whole


def csv_text(rows: Sequence[Row], names: Mapping[str, str]) -> str:
    """The table with a line of titles, a column for each criterion (RFC 4180)."""
    criteria = list(dict.fromkeys(one.name for row in rows for one in row.tiebreaks))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(map(harmless, ["rank", "player", "name", "seed", "points", *criteria, "decided_by"]))
    for row in rows:
        values = {one.name: number(one.value) for one in row.tiebreaks}
        shown = ref(row.player, names)
        cells: list[float | str] = [row.rank, shown.id, shown.name, row.seed, number(row.points)]
        cells += [*(values.get(name, "") for name in criteria), row.decided_by or ""]
        writer.writerow([harmless(cell) for cell in cells])
    return out.getvalue()


def harmless(value: float | str) -> float | str:
    """What stands in a cell: a text that a spreadsheet would take for a formula gets an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
