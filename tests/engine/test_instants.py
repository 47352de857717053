"""Instants as text, compared with the standard library's calendar."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine import instants

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(st.datetimes(timezones=st.just(UTC)))
@example(datetime(2000, 2, 29, 23, 59, 59, 999_000, tzinfo=UTC))
@example(datetime(1900, 3, 1, tzinfo=UTC))
@example(datetime(2100, 2, 28, tzinfo=UTC))
@example(datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC))
def test_an_instant_is_written_as_the_calendar_has_it_and_read_back(moment: datetime) -> None:
    at = (moment - EPOCH) // timedelta(milliseconds=1)
    text = instants.write(at)
    assert text == moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert instants.read(text) == at


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2027-01-10",
        "2027-01-10T08:00:00Z",
        "2027-01-10T08:00:00.000+00:00",
        "2027-01-10t08:00:00.000Z",
        "2027-02-29T08:00:00.000Z",
        "2027-04-31T08:00:00.000Z",
        "2027-00-10T08:00:00.000Z",
        "2027-13-10T08:00:00.000Z",
        "2027-01-00T08:00:00.000Z",
        "2027-01-10T24:00:00.000Z",
        "2027-01-10T08:60:00.000Z",
        "2027-01-10T08:00:60.000Z",
        "٢٠٢٧-01-10T08:00:00.000Z",
    ],
)
def test_what_is_no_instant_is_not_read(text: str) -> None:
    with pytest.raises(ValueError, match="no instant"):
        instants.read(text)
