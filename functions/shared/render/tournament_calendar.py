"""Tournaments as a calendar (RFC 5545): one event each, at the instant of its start."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from engine.types import EpochMs
from functions.shared.store.records_tournament import Phase, TournamentRecord

LINE = 75
"""Octets of a line at most, its end not counted (RFC 5545, 3.1)."""

_ESCAPES = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})


def text(name: str, records: Sequence[TournamentRecord]) -> str:
    """A calendar of this name. An event keeps its UID, and its SEQUENCE grows with what it shows."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Bluffhouse//Tournaments 1//EN",
        "CALSCALE:GREGORIAN",
        f"X-WR-CALNAME:{_escaped(name)}",
        *(line for record in records for line in _event(record)),
        "END:VCALENDAR",
    ]
    return "".join(f"{piece}\r\n" for line in lines for piece in folded(line))


def folded(line: str) -> Iterable[str]:
    """The line in pieces of at most 75 octets; a blank leads all but the first. No character is cut."""
    piece = ""
    size = 0
    for char in line:
        width = len(char.encode())
        if size + width > LINE:
            yield piece
            piece, size = " ", 1
        piece += char
        size += width
    yield piece


def _event(record: TournamentRecord) -> list[str]:
    is_off = record.phase is Phase.CANCELLED
    return [
        "BEGIN:VEVENT",
        f"UID:{record.id}@bluffhouse",
        f"SEQUENCE:{record.changes + is_off}",
        f"DTSTAMP:{_instant(record.created_at)}",
        f"DTSTART:{_instant(record.starts_at)}",
        f"SUMMARY:{_escaped(record.name)}",
        f"DESCRIPTION:{_escaped(_description(record))}",
        f"STATUS:{'CANCELLED' if is_off else 'CONFIRMED'}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _description(record: TournamentRecord) -> str:
    registration = record.registration
    lines = [f"{record.game}, {record.format}", f"Registration closes {_readable(registration.closes_at)}"]
    if registration.check_in_minutes:
        lines.append(f"Check in within {registration.check_in_minutes} minutes before the start")
    if record.reason:
        lines.append(f"Cancelled: {record.reason}")
    return "\n".join(lines)


def _escaped(value: str) -> str:
    return value.translate(_ESCAPES)


def _instant(at: EpochMs) -> str:
    return datetime.fromtimestamp(at // 1000, UTC).strftime("%Y%m%dT%H%M%SZ")


def _readable(at: EpochMs) -> str:
    return datetime.fromtimestamp(at // 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
