"""Client programs of known strength seek one another and play rated matches over HTTP: the ladder puts them into their
order, says of each row why, and counts right."""

from collections.abc import Iterator, Sequence
from random import Random
from statistics import correlation
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from engine import bots
from engine.deal import Stream
from engine.games.protocol import Legal
from engine.ladder import elo
from infra.cli.main import app
from infra.client import Client
from infra.local.service import LocalService
from tests.service.moments import HOUR, jump, sweep

GAME = "liars-poker"


class Program(NamedTuple):
    """A player that plays sensibly, but for the share of its actions in which it does anything at all."""

    client: Client
    player: str
    blunders: float


@pytest.fixture
def service() -> Iterator[LocalService]:
    """A running service with a store of its own, and a clock that stands still until it is moved."""
    running = LocalService(manual_clock=True)
    running.start()
    yield running
    running.stop()


def programs(service: LocalService, count: int) -> list[Program]:
    """From the best to the worst, which does nothing but blunder."""
    found = []
    for number in range(count):
        client = Client(service.url)
        made = client.ok("POST", "/v1/players", {"name": f"program-{number}"})
        client.token = made["token"]
        found.append(Program(client, made["player"]["id"], number / (count - 1)))
    return found


def matched(service: LocalService, field: Sequence[Program], chance: Random) -> set[str]:
    """The matches that all of them get who seek, in any order, and wait for a day at most."""
    seeks = {}
    for program in chance.sample(field, len(field)):
        answer = program.client.ok("POST", "/v1/seeks", {"game": GAME})
        if answer["seek"] is not None:
            seeks[answer["seek"]["id"]] = program
    for _ in range(25):
        jump(service, HOUR)
        sweep(service)
    return {program.client.ok("GET", f"/v1/seeks/{seek}")["match"] for seek, program in seeks.items()}


def play(match: str, by_id: dict[str, Program], chance: Random) -> None:
    """Each player does what it does until the match is over."""
    spectator = next(iter(by_id.values())).client
    seats = [by_id[seat["player"]["id"]] for seat in spectator.ok("GET", f"/v1/matches/{match}")["seats"]]
    seen = seats[0].client.ok("GET", f"/v1/matches/{match}")
    while seen["status"] == "active":
        program = seats[seen["to_act"][0]]
        view = program.client.ok("GET", f"/v1/matches/{match}")["view"]
        listed = program.client.ok("GET", f"/v1/matches/{match}/legal-actions")
        action = chosen(program, view, Legal(listed["actions"], listed["optional"]), chance)
        seen = program.client.ok("POST", f"/v1/matches/{match}/actions", {"turn": seen["turn"], "action": action})


def chosen(program: Program, view: Any, legal: Legal, chance: Random) -> Any:
    style = bots.RANDOM if chance.random() < program.blunders else bots.HOUSE
    return bots.choose(GAME, style, view, legal, Stream(chance.randbytes(16), "e2e"))


def ladder(client: Client) -> Iterator[Any]:
    """All entries, page by page."""
    page = client.ok("GET", f"/v1/ladders/{GAME}?limit=3")
    yield from page["items"]
    while page["next_cursor"] is not None:
        page = client.ok("GET", f"/v1/ladders/{GAME}?limit=3&cursor={page['next_cursor']}")
        yield from page["items"]


def history(client: Client, player: str) -> list[Any]:
    """All rows, newest first."""
    path = f"/v1/ladders/{GAME}/players/{player}?limit=7"
    page = client.ok("GET", path)
    rows = list(page["history"])
    while page["next_cursor"] is not None:
        page = client.ok("GET", f"{path}&cursor={page['next_cursor']}")
        rows += page["history"]
    return rows


def recomputed(player: str, row: Any) -> tuple[int, int, dict[str, tuple[int, int]]]:
    """Rating, K and pairs after the match of a row, by nothing but what the row says and the rules of the ladder."""
    others = [(one["player"]["id"], one["exact"]["before"], one["games"], one["rank"]) for one in row["opponents"]]
    own = elo.Entrant(player, row["exact"]["before"], row["games"], row["rank"])
    change, *_ = elo.changes([own, *(elo.Entrant(*other) for other in others)])
    return change.after, change.k, {pair.opponent: (pair.expected, pair.score) for pair in change.pairs}


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's: Pearson's correlation of the ranks, equal values sharing their middle rank."""
    return correlation(middle_ranks(one), middle_ranks(other))


def middle_ranks(values: Sequence[float]) -> list[float]:
    return [(2 * sum(b < a for b in values) + sum(b == a for b in values) - 1) / 2 for a in values]


@pytest.mark.parametrize(
    ("count", "rounds", "least"),
    [
        # In order by chance, ten correlate so in four of a thousand ladders, twelve in eight of a hundred thousand. Of
        # 40 simulated ladders of ten, the one in the worst order had .89; of six of twelve, .97.
        pytest.param(10, 12, 0.8, id="60 matches"),
        pytest.param(12, 50, 0.9, id="300 matches", marks=pytest.mark.soak),
    ],
)
def test_the_order_is_that_of_strength_and_every_row_can_be_recomputed(
    service: LocalService, count: int, rounds: int, least: float
) -> None:
    field, chance = programs(service, count), Random(count)
    by_id = {program.player: program for program in field}
    played = []
    for _ in range(rounds):
        matches = matched(service, field, chance)
        assert len(matches) == count // 2
        for match in matches:
            play(match, by_id, chance)
        service.settle()
        played += list(matches)

    client = field[0].client
    entries = {entry["player"]["id"]: entry for entry in ladder(client)}
    assert set(entries) == set(by_id)
    points = [entry["rating"] for entry in entries.values()]
    assert [entry["rank"] for entry in entries.values()] == [1 + sum(p > one for p in points) for one in points]
    shown = [entries[program.player]["rating"] for program in field]
    assert rank_correlation([-program.blunders for program in field], shown) >= least

    changes = 0
    for player, entry in entries.items():
        rows = history(client, player)
        assert len(rows) == entry["played"] == rounds
        assert sorted(row["match"] for row in rows) == sorted(
            match["id"] for match in finished(by_id[player].client, rounds)
        )
        before = elo.START
        for row in reversed(rows):
            assert (row["reason_code"], row["exact"]["before"]) == (None, before)
            after, k, pairs = recomputed(player, row)
            assert (row["exact"]["after"], row["exact"]["k"]) == (after, k)
            assert {one["player"]["id"]: (one["expected"], one["score"]) for one in row["opponents"]} == pairs
            before = after
            changes += 1
        assert elo.shown(before) == entry["rating"]
        results = [row["rank"] for row in rows], [row["opponents"][0]["rank"] for row in rows]
        won = sum(own < other for own, other in zip(*results, strict=True))
        drawn = sum(own == other for own, other in zip(*results, strict=True))
        assert (entry["won"], entry["drawn"], entry["lost"]) == (won, drawn, rounds - won - drawn)
    assert changes == 2 * len(set(played)) == count * rounds

    for command, told in (
        ("fsck", f"{count} players, 0 not counted as they are, drift 0."),
        ("replay-ladder", f"{len(played)} entries, {count} players: 0 differ."),
    ):
        run = CliRunner().invoke(app, ["admin", command, GAME, "--url", service.url])
        assert (run.exit_code, run.output.strip()) == (0, told)
    for program in field:
        program.client.close()


def finished(client: Client, count: int) -> list[Any]:
    """The client's matches that have ended."""
    page = client.ok("GET", f"/v1/matches?mine=true&status=finished&limit=100&game={GAME}")
    assert len(page["items"]) == count
    return list(page["items"])


def test_the_rank_correlation_is_spearmans() -> None:
    assert rank_correlation([1, 2, 3, 4, 5], [10, 20, 30, 40, 50]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3, 4, 5], [5, 4, 3, 2, 1]) == pytest.approx(-1)
    assert rank_correlation([1, 2, 3, 4, 5], [1, 3, 2, 6, 4.5]) == pytest.approx(1 - 6 * 4 / (5 * 24))
    assert rank_correlation([1, 2, 3], [7, 7, 9]) == pytest.approx(0.75**0.5)
