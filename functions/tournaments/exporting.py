"""Routes by which tournaments go into other programs."""

from functions.shared.flows.accounts import profile_of
from functions.shared.flows.tournaments import reading
from functions.shared.http.answer import Answer, Text
from functions.shared.http.request import Request, require
from functions.shared.problems import Problem, not_found
from functions.shared.render import tournament_calendar, tournament_standings
from functions.shared.store.records import Scope
from functions.tournaments.common import READING, app, names_of, readable

CALENDAR = "text/calendar; charset=utf-8"
CSV = "text/csv; charset=utf-8"

ROWS = 1000
"""Rows of a table that are read at once."""

LISTED = 100
"""The newest tournaments of a player that their calendar has."""


@app.route(
    "GET",
    "/v1/tournaments/{tournament}/calendar.ics",
    token=False,
    answers={200: CALENDAR},
    problems=READING,
)
def event_calendar(request: Request, tournament: str) -> Answer:
    """Read a tournament as a calendar (RFC 5545). A later version has the same UID and a higher SEQUENCE."""
    record = readable(request, tournament)
    return Answer(Text(CALENDAR, tournament_calendar.text(record.name, [record])))


@app.route(
    "GET",
    "/v1/players/{player}/calendar.ics",
    token=False,
    answers={200: CALENDAR},
    problems=READING,
)
def player_calendar(request: Request, player: str) -> Answer:
    """Read the tournaments that a player has entered or organizes as a calendar, which a program can subscribe to."""
    profile = profile_of(request.services, player)
    require(request, Scope.READ)
    wanted = reading.Wanted(player=profile.id, limit=LISTED)
    found = reading.listed(request.services, wanted, None, request.now)
    return Answer(Text(CALENDAR, tournament_calendar.text(profile.shown_name, found.records)))


@app.route(
    "GET",
    "/v1/tournaments/{tournament}/standings.csv",
    token=False,
    answers={200: CSV},
    problems=READING,
)
def csv_standings(request: Request, tournament: str) -> Answer:
    """Read the table as it is now, as CSV (RFC 4180)."""
    record = readable(request, tournament)
    page = reading.standings(request.services, record, None, ROWS)
    rows = list(page.rows)
    while page.next is not None:
        page = reading.standings(request.services, record, page.next, ROWS)
        rows += page.rows
    names = names_of(request, [row.player for row in rows])
    return Answer(Text(CSV, tournament_standings.csv_text(rows, names)))


@app.route(
    "GET",
    "/v1/tournaments/{tournament}/export.trf",
    token=False,
    answers={},
    problems=(Problem.NOT_FOUND, Problem.FORBIDDEN),
)
def trf(request: Request, tournament: str) -> Answer:
    """Answers that there is no export in this form."""
    record = readable(request, tournament)
    raise not_found(f"export of a {record.format} event; its table is standings.csv, its games are in bracket")
