"""The demonstration of tournaments: what it prints agrees with what was played."""

import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from typer.testing import CliRunner

from infra.cli import demo_tournament as demo
from infra.cli.main import app
from infra.cli.tournament_report import report
from infra.client import Client
from infra.local.service import LocalService
from tests.e2e.tournament_books import check, check_ladder, published


@pytest.fixture
def service() -> Iterator[LocalService]:
    running = LocalService(manual_clock=True)
    running.start()
    yield running
    running.stop()


@pytest.mark.parametrize(
    ("duelists", "players"), [pytest.param(5, 7, id="small"), pytest.param(13, 22, marks=pytest.mark.soak, id="whole")]
)
def test_everything_agrees_with_the_logs(service: LocalService, duelists: int, players: int) -> None:
    with closing(Client(service.url)) as organizer:
        organizer.token = organizer.ok("POST", "/v1/players", {"name": "organizer"})["token"]
        programs = demo.registered(service.url, max(duelists, players), seed=7)
        start = demo.next_hour(organizer)
        duels = demo.scheduled(organizer, "Duels", demo.DUEL, "double-elimination", start)
        heats = demo.scheduled(organizer, "Heats", demo.TABLE, "heats", start)
        demo.held(organizer, {duels: programs[:duelists], heats: programs[:players]}, start)
        for event, number in ((duels, duelists), (heats, players)):
            found = published(organizer, event)
            assert (found.body["status"], found.body["entrants"]) == ("finished", number)
            check(found)
            check_ladder(found)
            told = "\n".join(report(organizer, event))
            assert all(told.count(program.name) >= 3 for program in programs[:number])
        for program in programs:
            program.client.close()


def test_the_command_prints_brackets_tables_and_ladders() -> None:
    run: Any = CliRunner().invoke(app, ["demo-tournament", "--duelists", "3", "--players", "3", "--seed", "2"])
    assert run.exit_code == 0, run.output
    statuses = re.findall(r"Fools' Cup: (\S+),", run.output)
    assert statuses == ["registration", "check-in", "running", "finished", "double-elimination"]
    for line in ("winners, round 1", "main, round 1", "Standings", "Ladder of misfortune", "Ladder of micro-poker"):
        assert f"  {line}\n" in run.output
    assert len(re.findall(r"^ +1\. \w+ ", run.output, re.M)) >= 4
