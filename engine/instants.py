"""Instants as the API writes them: RFC 3339 in UTC, with milliseconds. Pure arithmetic: the engine knows no clock."""

import re

from engine.types import EpochMs

_DAY_MS = 86_400_000
_EPOCH = 719_468
"""Days from 0000-03-01 to 1970-01-01."""
_FORM = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z", re.ASCII)


def _before_year(year: int) -> int:
    """Days from 0000-03-01 to the first of March of a year: its leap day is the last one of the year before."""
    return 365 * year + year // 4 - year // 100 + year // 400


def _before_month(month: int) -> int:
    """Days from the first of March to the first of a month; March is 0."""
    return (153 * month + 2) // 5


def write(at: EpochMs) -> str:
    """The instant as text: `2027-01-10T08:00:00.000Z`. For years 0000 to 9999."""
    days, ms = divmod(at, _DAY_MS)
    days += _EPOCH
    year = days * 400 // 146_097
    if days < _before_year(year):
        year -= 1
    elif days >= _before_year(year + 1):
        year += 1
    rest = days - _before_year(year)
    month = (5 * rest + 2) // 153
    day = rest - _before_month(month) + 1
    date = f"{year + month // 10:04d}-{(month + 2) % 12 + 1:02d}-{day:02d}"
    seconds, ms = divmod(ms, 1000)
    return f"{date}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{ms:03d}Z"


def read(text: str) -> EpochMs:
    """The instant that `write` gives this text for. Raises `ValueError` for any other text."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no instant: it must look like 2027-01-10T08:00:00.000Z")
    year, month, day, hour, minute, second, ms = map(int, found.groups())
    year, month = (year - 1, month + 9) if month < 3 else (year, month - 3)
    days = _before_year(year) + _before_month(month) + day - 1 - _EPOCH
    at = days * _DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + ms
    if write(at) != text:
        raise ValueError(f"{text!r} is no instant: there is no such date or time")
    return at
