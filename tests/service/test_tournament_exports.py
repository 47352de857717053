"""What goes into other programs: calendars (RFC 5545), tables as CSV (RFC 4180)."""

import csv
import io
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from engine.tournament.protocol import Amount, Row, Tiebreak
from functions.shared.render.tournament_calendar import folded
from functions.shared.render.tournament_standings import csv_text, harmless, number
from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import problem
from tests.service.moments import ms
from tests.service.organizing import HOUR, begin, by_player, enter, finish, post, rows, scheduled, show, soon, started
from tests.service.playing import at, me

NAME = "Grand; Prix, of \\ Zürich 🎲"


def calendar(client: Client, path: str) -> list[dict[str, str]]:
    """The events of a calendar, unfolded, each property by its name; and everything that RFC 5545 asks of its form."""
    reply = client.call("GET", path)
    assert (reply.status, reply.headers["content-type"]) == (200, "text/calendar; charset=utf-8")
    text = reply.body
    assert text.endswith("END:VCALENDAR\r\n")
    assert "\n" not in text.replace("\r\n", "")
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    lines = text.replace("\r\n ", "").split("\r\n")
    assert lines[:4] == [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Bluffhouse//Tournaments 1//EN",
        "CALSCALE:GREGORIAN",
    ]
    events: list[dict[str, str]] = []
    for line in lines:
        name, _, value = line.partition(":")
        if line == "BEGIN:VEVENT":
            events.append({})
        elif events and name not in ("BEGIN", "END", ""):
            assert name not in events[-1]
            events[-1][name] = value
    assert all({"UID", "DTSTAMP", "DTSTART", "SEQUENCE", "SUMMARY", "STATUS"} <= set(event) for event in events)
    return events


def instant(text: str) -> str:
    """An instant of the API as a calendar has it."""
    return datetime.fromtimestamp(ms(text) // 1000, UTC).strftime("%Y%m%dT%H%M%SZ")


def test_a_tournament_is_an_event_in_a_calendar(anybody: Client, ann: Client) -> None:
    start = soon(2 * HOUR)
    tournament = scheduled(ann, name=NAME, starts_at=start, registration={"check_in_minutes": 30})
    path = f"/v1/tournaments/{tournament}/calendar.ics"
    (event,) = calendar(anybody, path)
    assert event["DTSTART"] == instant(start)
    assert event["SUMMARY"] == "Grand\\; Prix\\, of \\\\ Zürich 🎲"
    assert (event["STATUS"], event["SEQUENCE"]) == ("CONFIRMED", "0")
    assert "misfortune\\, single-elimination\\nRegistration closes" in event["DESCRIPTION"]


def test_a_later_version_has_the_same_uid_and_a_higher_sequence(ann: Client) -> None:
    tournament = scheduled(ann)
    path = f"/v1/tournaments/{tournament}/calendar.ics"
    versions = [calendar(ann, path)[0]]
    changes = [{"starts_at": soon(3 * HOUR)}, {"name": "Another Cup"}, {"starts_at": soon(4 * HOUR)}]
    for change in changes:
        at(ann.call("PATCH", f"/v1/tournaments/{tournament}", change))
        versions += calendar(ann, path)
    at(post(ann, tournament, "cancel", {"reason": "Rain"}))
    versions += calendar(ann, path)
    assert len({event["UID"] for event in versions}) == 1
    sequences = [int(event["SEQUENCE"]) for event in versions]
    assert sequences == sorted(set(sequences))
    assert versions[1]["DTSTART"] == instant(changes[0]["starts_at"])
    assert versions[-1]["STATUS"] == "CANCELLED"
    assert "Cancelled: Rain" in versions[-1]["DESCRIPTION"]


def test_an_event_that_is_called_off_by_itself_is_called_off_in_calendars(service: LocalService, ann: Client) -> None:
    tournament = scheduled(ann)
    path = f"/v1/tournaments/{tournament}/calendar.ics"
    (before,) = calendar(ann, path)
    begin(service)
    (after,) = calendar(ann, path)
    assert after["STATUS"] == "CANCELLED"
    assert int(after["SEQUENCE"]) > int(before["SEQUENCE"])


def test_a_player_has_a_calendar_that_anybody_can_subscribe_to(
    anybody: Client, ann: Client, bob: Client, cyd: Client
) -> None:
    tournaments = [scheduled(ann, name=name) for name in ("One", "Two", "Three")]
    for tournament in tournaments[:2]:
        enter(tournament, bob)
    assert {event["SUMMARY"] for event in calendar(anybody, f"/v1/players/{me(bob)}/calendar.ics")} == {"One", "Two"}
    assert len(calendar(anybody, f"/v1/players/{me(ann)}/calendar.ics")) == 3
    assert calendar(anybody, f"/v1/players/{me(cyd)}/calendar.ics") == []
    own = {event["UID"]: event for event in calendar(anybody, f"/v1/players/{me(bob)}/calendar.ics")}
    (event,) = calendar(anybody, f"/v1/tournaments/{tournaments[0]}/calendar.ics")
    assert own[event["UID"]] == event
    problem(anybody.call("GET", "/v1/players/nobody/calendar.ics"), 404, "not-found")


@pytest.mark.parametrize("line", ["", "a" * 75, "a" * 76, "ü" * 80, "🎲" * 200, "x" * 74 + "🎲" + "y" * 80])
def test_a_line_is_folded_without_cutting_a_character(line: str) -> None:
    pieces = list(folded(line))
    assert all(len(piece.encode()) <= 75 for piece in pieces)
    assert all(piece.startswith(" ") for piece in pieces[1:])
    assert pieces[0] + "".join(piece[1:] for piece in pieces[1:]) == line
    assert len(pieces) > 1 or len(line.encode()) <= 75


def test_the_table_is_a_file_for_spreadsheets(
    service: LocalService, anybody: Client, ann: Client, new_player: Callable[[], Client]
) -> None:
    clients = [new_player() for _ in range(4)]
    tournament = started(service, ann, *clients, format="round-robin", tiebreaks=["sonneborn-berger", "game-score"])
    finish(service, ann, tournament, by_player(clients))
    reply = anybody.call("GET", f"/v1/tournaments/{tournament}/standings.csv")
    assert (reply.status, reply.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert reply.body.count("\r\n") == 5
    title, *lines = csv.reader(io.StringIO(reply.body))
    expected = ["rank", "player", "name", "seed", "points", "sonneborn-berger", "game-score", "decided_by"]
    assert title == expected
    for line, row in zip(lines, rows(ann, tournament), strict=True):
        values = [row["rank"], row["player"]["id"], row["player"]["name"], row["seed"], row["points"]]
        values += [*(one["value"] for one in row["tiebreaks"]), row["decided_by"] or ""]
        assert line == list(map(str, values))


def test_a_table_before_the_start_has_its_titles_only(anybody: Client, ann: Client) -> None:
    tournament = scheduled(ann)
    assert anybody.call("GET", f"/v1/tournaments/{tournament}/standings.csv").body.count("\r\n") == 1
    assert show(ann, tournament, "standings") | {"server_time": ""} == {
        "items": [],
        "next_cursor": None,
        "final": False,
        "server_time": "",
    }


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_no_cell_starts_a_formula(start: str) -> None:
    name = f'{start}HYPERLINK("http://evil")'
    row = Row(1, "ply_1", 1, Amount(1), (Tiebreak(name, Amount(-3)),), name)
    title, line = csv.reader(io.StringIO(csv_text([row], {"ply_1": name}), newline=""))
    assert [cell for cell in (*title, *line) if cell.startswith(start)] == (["-3"] if start == "-" else [])
    assert line[2] == "'" + name
    assert harmless(-3) == -3


def test_a_fraction_is_a_whole_number_where_it_is_one() -> None:
    assert [number(Amount(units, per)) for units, per in ((4, 2), (3, 2), (-4, 4), (0, 5040))] == [2, 1.5, -1, 0]
    assert round(number(Amount(1680, 5040)) * 5040) == 1680
    assert [type(number(Amount(units, 2))) for units in (4, 3)] == [int, float]


def test_forms_that_are_not_offered_are_refused_in_type(ann: Client) -> None:
    tournament = scheduled(ann, format="round-robin")
    told = problem(ann.call("GET", f"/v1/tournaments/{tournament}/export.trf"), 404, "not-found")
    assert "standings.csv" in told["detail"]
    reply = ann.call("GET", f"/v1/tournaments/{tournament}/bracket?as=brackets-model")
    assert problem(reply, 422, "invalid-request")["errors"][0]["loc"] == ["as"]
