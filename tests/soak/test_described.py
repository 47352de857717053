"""schemathesis against the whole service: whatever is sent, the answer is one that openapi.json describes."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.organizing import order
from tests.service.receiver import receiving

SCHEMATHESIS = Path(__file__).parents[2] / ".venv-fuzz" / "bin" / "schemathesis"
SECONDS = 180
"""Of one run."""

CHECKS = """
[checks.positive_data_acceptance] # what a body may be depends on the game and the match
enabled = false

[checks.negative_data_rejection] # 413, too, for too much of what is wrong
expected-statuses = ["4xx"]

[checks.use_after_free] # a seek that was taken back, an entry that was withdrawn say so
enabled = false
"""

pytestmark = pytest.mark.skipif(
    not SCHEMATHESIS.exists(), reason="schemathesis is not in .venv-fuzz: `make test` and `make soak` install it"
)


def closed(document: dict[str, Any], ids: Mapping[str, list[str]]) -> dict[str, Any]:
    """The document, with no field in an answer but those that it describes, and ids of what is there as examples."""
    for schema in document["components"]["schemas"].values():
        if "properties" in schema:
            schema["additionalProperties"] = False
    operations = [(path, *one) for path, methods in document["paths"].items() for one in methods.items()]
    for path, method, operation in operations:
        for parameter in operation["parameters"]:
            if parameter["in"] in ("path", "query") and parameter["name"] in ids:
                # What is written to is not what is read: it may end. A proof is of the last one, which has.
                known = ids[parameter["name"]]
                place = -1 if path.endswith("/proof") else int(method != "get" and len(known) > 1)
                parameter["example"] = known[place]
    return document


@pytest.fixture
def players(service: LocalService) -> Iterator[list[Client]]:
    """Four players."""
    clients = [Client(service.url) for _ in range(4)]
    for number, client in enumerate(clients):
        client.token = client.ok("POST", "/v1/players", {"name": f"player-{number}"})["token"]
    yield clients
    for client in clients:
        client.close()


def matches(ann: Client, bob: Client) -> list[str]:
    """Matches to stumble upon: waiting, running, ended, private, somebody else's."""

    def made(creator: Client, game: str, **more: Any) -> str:
        return str(creator.ok("POST", "/v1/matches", {"game": game, **more})["id"])

    # The first two are the examples: more operations are about them than about another game's.
    running = [made(ann, "liars-poker", bots=1) for _ in range(2)]
    running += [made(ann, game["id"], bots=game["seats"]["min"] - 1) for game in ann.ok("GET", "/v1/games")["items"]]
    ended = made(ann, "misfortune", bots=1)
    ann.ok("POST", f"/v1/matches/{ended}/actions", {"action": {"type": "resign"}})
    private = made(bob, "misfortune", visibility="private")
    return [*running, private, *[made(bob, "liars-poker") for _ in range(3)], made(ann, "liars-poker", seats=5), ended]


def tournaments(ann: Client, entrants: Sequence[Client]) -> list[str]:
    """Tournaments of ann's: some that run, one to be entered, one that was cancelled."""

    def made(**more: Any) -> str:
        return str(ann.ok("POST", "/v1/tournaments", order(**more))["id"])

    def begun(**more: Any) -> str:
        tournament = made(**more)
        for entrant in entrants:
            entrant.ok("POST", f"/v1/tournaments/{tournament}/entries", {})
        ann.ok("POST", f"/v1/tournaments/{tournament}/start")
        return tournament

    cancelled = made()
    ann.ok("POST", f"/v1/tournaments/{cancelled}/cancel")
    running = [begun(format=name) for name in ("single-elimination", "double-elimination", "round-robin")]
    return [*running, made(game="micro-poker", format="heats"), cancelled]


def world(players: Sequence[Client], target: str) -> dict[str, list[str]]:
    """Ids of what is there, by the name of a path's parameter."""
    ann, bob = players[:2]
    webhook = {"url": target, "events": ["*"]}
    tournament = tournaments(ann, players)
    stages = ann.ok("GET", f"/v1/tournaments/{tournament[0]}/bracket")["stages"]
    return {
        "game": ["misfortune"],
        "match": matches(ann, bob),
        "pairing": [pairing["id"] for stage in stages for part in stage["rounds"] for pairing in part["pairings"]],
        "player": [client.ok("GET", "/v1/me")["id"] for client in players],
        "seek": [ann.ok("POST", "/v1/seeks", {"game": game})["seek"]["id"] for game in ("misfortune", "micro-poker")],
        "token": [ann.ok("POST", "/v1/me/tokens", {"scopes": ["read"], "label": str(i)})["id"] for i in range(5)],
        "tournament": tournament,
        "webhook": [ann.ok("POST", "/v1/webhooks", webhook)["id"] for _ in range(2)],
    }


def promised(document: dict[str, Any], has_token: bool) -> set[str]:
    """The reads that anybody with a token, or without one, can do."""
    reads = {path: methods["get"] for path, methods in document["paths"].items() if "get" in methods}
    return {
        f"GET {path}"
        for path, operation in reads.items()
        if "200" in operation["responses"] and (has_token or {} in operation["security"])
    }


def settings(ids: Mapping[str, list[str]]) -> str:
    """The settings of schemathesis, in TOML: ids of what is there, for the path parameters."""
    lines = [CHECKS]
    for name, values in ids.items():
        lines.append(f"[dictionaries.{name}]\nvalues = {json.dumps(values)}")
    lines.append("[parameters]")
    lines += [f'"path.{name}" = {{ dictionary = "{name}", probability = 0.5 }}' for name in ids]
    return "\n".join(lines) + "\n"


def run(service: LocalService, players: Sequence[Client], folder: Path, has_token: bool, *bounds: str) -> None:
    """Sends what schemathesis thinks of within the bounds. Every answer is described, every read succeeds once."""
    with receiving() as receiver:
        ids = world(players, receiver.url)
        service.settle()
    document = players[0].ok("GET", "/openapi.json")
    asked, config, report = (folder / name for name in ("openapi.json", "schemathesis.toml", "report.json"))
    asked.write_text(json.dumps(closed(document, ids | {"name": ["player-1"]})))
    config.write_text(settings(ids))
    command = [str(SCHEMATHESIS), "--no-color", "--config-file", str(config), "run", str(asked), "--url", service.url]
    command += ["--generation-database", "none", "--report-json-path", str(report), *bounds]
    if has_token:
        command += ["--header", f"Authorization: Bearer {players[0].token}", "--exclude-operation-id", "delete_me"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS + 60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rates = json.loads(report.read_text())["valid_rates"]
    accepted = {name for name, phases in rates.items() if any(phase["accepted"] for phase in phases.values())}
    assert promised(document, has_token) - accepted == set()


@pytest.mark.soak
@pytest.mark.parametrize("has_token", [True, False], ids=["with a token", "without one"])
def test_every_answer_is_described(
    service: LocalService, players: list[Client], tmp_path: Path, has_token: bool
) -> None:
    run(service, players, tmp_path, has_token, "--max-time", str(SECONDS))


def test_every_answer_to_a_few_requests_is_described(
    service: LocalService, players: list[Client], tmp_path: Path
) -> None:
    run(service, players, tmp_path, True, "--seed", "1", "--max-examples", "5", "--phases", "examples,fuzzing")
