"""`bluffhouse admin annul`, `replay-ladder` and `fsck`, on a running service."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from infra.cli.main import app
from infra.client import Client
from infra.local.service import LocalService
from tests.service.playing import act, at, lay, me, table

GAME = "misfortune"


@pytest.fixture
def service() -> Iterator[LocalService]:
    """A running service whose clock stands still."""
    running = LocalService(manual_clock=True)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def clients(service: LocalService) -> Iterator[list[Client]]:
    """Three players."""
    made = [Client(service.url) for _ in range(3)]
    for number, client in enumerate(made):
        client.token = client.ok("POST", "/v1/players", {"name": f"ladder-{number}"})["token"]
    yield made
    for client in made:
        client.close()


@pytest.fixture
def matches(service: LocalService, clients: list[Client]) -> list[str]:
    """Three rated matches, each won by the first of its players."""
    found = []
    for winner, loser in ((0, 1), (1, 2), (0, 2)):
        match = table(clients[winner], clients[loser])
        at(lay(clients[winner], match, "7", "higher", 1))
        at(lay(clients[loser], match, "9", "higher", 1))
        at(act(clients[loser], match, {"type": "resign"}))
        service.settle()
        found.append(match)
    return found


def bluffhouse(service: LocalService, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["admin", *arguments, "--url", service.url])


def item(service: LocalService, prefix: str) -> dict[str, Any]:
    """An item of the ladder's table."""
    assert service.dynamo is not None
    every = service.dynamo.scan(TableName="LadderTable")["Items"]
    return next(item for item in every if item["pk"]["S"].startswith(prefix))


def put(service: LocalService, changed: dict[str, Any]) -> None:
    """Writes an item as nobody should."""
    assert service.dynamo is not None
    service.dynamo.put_item(TableName="LadderTable", Item=changed)


def test_a_match_is_annulled_once_and_each_rating_is_said(
    service: LocalService, clients: list[Client], matches: list[str]
) -> None:
    first = bluffhouse(service, "annul", matches[0])
    assert (first.exit_code, first.stdout.splitlines()[0]) == (0, f"{matches[0]} is annulled.")
    # The first result had moved the loser by 60 points; what the second one moved stays.
    said = dict(line.split(": ") for line in first.stdout.splitlines()[1:])
    assert set(said) == {me(clients[0]), me(clients[1])}
    before, after = (float(part) for part in said[me(clients[1])].split(" to "))
    assert round(1000 * (after - before)) == 60_000
    again = bluffhouse(service, "annul", matches[0])
    assert again.stdout.splitlines() == [f"{matches[0]} is annulled already.", *first.stdout.splitlines()[1:]]
    for wrong in ("mat_unknown", "", "#"):
        refused = bluffhouse(service, "annul", wrong)
        assert (refused.exit_code, refused.stderr) == (1, "bluffhouse: this match has no rated result\n")
    assert bluffhouse(service, "replay-ladder", GAME).stdout == "4 entries, 3 players: 0 differ.\n"


def test_a_ladder_is_recomputed_bit_for_bit_whatever_the_pages(
    service: LocalService, matches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from functions.admin import ladders
    from infra.cli import books

    assert len(matches) == 3
    for entries, batch in ((500, 100), (1, 1), (2, 2)):
        monkeypatch.setattr(ladders, "ENTRIES", entries)
        monkeypatch.setattr(books, "BATCH", batch)
        done = bluffhouse(service, "replay-ladder", GAME)
        assert (done.exit_code, done.stdout) == (0, "3 entries, 3 players: 0 differ.\n")
    empty = bluffhouse(service, "replay-ladder", "liars-poker")
    assert (empty.exit_code, empty.stdout) == (0, "0 entries, 0 players: 0 differ.\n")


def test_a_rating_and_a_result_that_were_tampered_with_are_found(service: LocalService, matches: list[str]) -> None:
    rating = item(service, f"RATING#{GAME}#")
    body = json.loads(rating["body"]["S"])
    body[0][0] += 1
    put(service, {**rating, "body": {"S": json.dumps(body)}})
    done = bluffhouse(service, "replay-ladder", GAME)
    assert (done.exit_code, done.stdout.splitlines()[0]) == (1, "3 entries, 3 players: 1 differ.")
    assert rating["pk"]["S"].split("#")[2] in done.stdout
    put(service, rating)
    result = item(service, f"RESULT#{matches[0]}")
    put(service, {**result, "body": {"S": result["body"]["S"].replace("1560000", "1560001")}})
    done = bluffhouse(service, "replay-ladder", GAME)
    assert done.exit_code == 1
    assert f"{matches[0]}: the result computes otherwise" in done.stdout


def test_a_recount_finds_no_drift_and_repairs_what_somebody_broke(
    service: LocalService, matches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from functions.shared.flows import fsck

    monkeypatch.setattr(fsck, "PAUSE_S", 0)
    assert len(matches) == 3
    sound = "3 players, 0 not counted as they are, drift 0.\n"
    assert bluffhouse(service, "fsck", GAME).stdout == sound
    service.advance(60)
    assert bluffhouse(service, "fsck", GAME).stdout == sound
    mark = item(service, f"MARK#{GAME}#")
    player = mark["pk"]["S"].split("#")[2]
    elsewhere = {"body": {"S": "[1777,1]"}, "lp": {"S": f"band#{GAME}#111"}, "la": {"S": f"2318#{1:013d}#{player}"}}
    put(service, {**mark, "v": {"N": "1"}, **elsewhere})
    found = bluffhouse(service, "fsck", GAME)
    assert (found.exit_code, found.stdout.splitlines()[1]) == (1, "Run it again with --repair.")
    assert found.stdout.splitlines()[0] != sound.strip()
    repaired = bluffhouse(service, "fsck", GAME, "--repair")
    assert (repaired.exit_code, repaired.stdout.splitlines()[1]) == (0, "Repaired.")
    # The mark moved the counters back from where they never were: the second run puts them right.
    bluffhouse(service, "fsck", GAME, "--repair")
    assert bluffhouse(service, "fsck", GAME).stdout == sound


@pytest.mark.parametrize("command", ["fsck", "replay-ladder"])
def test_an_unknown_game_is_one_clear_line(service: LocalService, command: str) -> None:
    done = bluffhouse(service, command, "chess")
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("bluffhouse: game must be one of ")


@pytest.mark.parametrize(
    "event",
    [
        {"command": "annul"},
        {"command": "annul", "match": 7},
        {"command": "ladder-ratings", "game": GAME},
        {"command": "ladder-ratings", "game": GAME, "players": ["ply"] * 101},
        {"command": "ladder-entries"},
        {"command": ["fsck"]},
        {"command": "unknown"},
    ],
)
def test_what_makes_no_sense_is_refused(service: LocalService, event: dict[str, Any]) -> None:
    client = Client(service.url)
    answer = client.ok("POST", "/_local/admin", event)
    client.close()
    assert answer["ok"] is False
    assert answer["error"]
