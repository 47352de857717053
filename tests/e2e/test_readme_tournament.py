"""What the README tells an organizer to paste works as it stands there."""

import re
import shutil
import subprocess

import pytest

from infra.load.serving import serving
from tests.e2e.test_readme import blocks


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_a_tournament_by_curl_is_scheduled_entered_changed_and_shown() -> None:
    match, tournament = (next(one for one in blocks() if word in one) for word in ("legal-actions", "calendar.ics"))
    definitions = match.partition("M=$(")[0]
    with serving() as service:
        ready = (definitions + tournament).replace("http://127.0.0.1:8000", service.url)
        run = subprocess.run(["bash", "-euo", "pipefail", "-c", ready], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    entered, capacity, shown, *calendar = run.stdout.splitlines()
    assert (entered, capacity) == ("entered", "64")
    assert re.fullmatch(r"\('registration', 1, '.+Z'\)", shown)
    assert calendar[0] == "BEGIN:VCALENDAR"
    assert "SUMMARY:Fools Cup" in calendar
