"""`bluffhouse verify`: what it says and how it exits."""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from typer.testing import CliRunner, Result

from infra.cli.main import app
from infra.client import Client
from infra.load.serving import serving
from infra.local.service import LocalService
from tests.service.playing import act, at, create, read
from tests.verify.proofs import needs_node, proof, timed

NAME = timed()[0]


def bluffhouse(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["verify", *arguments], input=stdin)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "proof.json"
    found.write_text(json.dumps(proof(NAME), indent=2))
    return found


def test_a_proof_that_holds_is_told_with_what_only_its_players_can_compare(path: Path) -> None:
    said = bluffhouse(str(path))
    assert said.exit_code == 0
    assert (
        f"{proof(NAME)['match']}, {proof(NAME)['ruleset']}, {proof(NAME)['seats']} seats: the proof holds."
        in said.output
    )
    assert proof(NAME)["commitment"] in said.output


def test_a_proof_is_read_from_standard_input(path: Path) -> None:
    assert bluffhouse("-", stdin=path.read_bytes()).exit_code == 0


def test_a_proof_that_does_not_hold_is_told_with_what_is_wrong_and_where(path: Path) -> None:
    changed = proof(NAME)
    changed["actions"][1]["seat"] = 1 - changed["actions"][1]["seat"]
    path.write_text(json.dumps(changed))
    said = bluffhouse(str(path))
    assert said.exit_code == 1
    assert said.stdout == ""
    assert "The proof does not hold. action 2" in said.stderr


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[]", b'{"a": 1, "a": 1}'])
def test_what_is_no_proof_does_not_hold(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert bluffhouse(str(path)).exit_code == 1


def test_a_file_that_is_not_there_is_told_apart(tmp_path: Path) -> None:
    said = bluffhouse(str(tmp_path / "none.json"))
    assert said.exit_code == 2
    assert "none.json: No such file or directory" in said.stderr


def test_nobody_at_a_url_is_told_apart() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        said = bluffhouse(f"http://127.0.0.1:{unused.getsockname()[1]}/proof")
    assert said.exit_code == 2
    assert "does not answer" in said.stderr


@pytest.fixture(scope="module")
def service() -> Iterator[LocalService]:
    running = LocalService(manual_clock=True)
    running.start()
    yield running
    running.stop()


def test_a_proof_is_read_from_a_url_with_a_token_where_one_is_needed(service: LocalService) -> None:
    ann, bob = Client(service.url), Client(service.url)
    for client, name in ((ann, "ann"), (bob, "bob")):
        client.token = client.ok("POST", "/v1/players", {"name": name})["token"]
    match = create(ann, visibility="private")
    at(bob.call("POST", f"/v1/matches/{match}/join", {"join_code": read(ann, match)["join_code"]}))
    url = f"{service.url}/v1/matches/{match}/proof"
    said = bluffhouse(url, "--token", str(ann.token))
    assert (said.exit_code, "answers 409: the proof opens every card" in said.stderr) == (2, True)
    at(act(ann, match, {"type": "resign"}))
    assert bluffhouse(url, "--token", str(ann.token)).exit_code == 0
    said = bluffhouse(url)
    assert (said.exit_code, "answers 404: there is no such match" in said.stderr) == (2, True)
    assert str(ann.token) not in said.output
    for client in (ann, bob):
        client.close()


README = Path(__file__).parents[2] / "README.md"


@needs_node
@pytest.mark.skipif(which("curl") is None, reason="there is no command `curl` here")
def test_a_match_by_curl_is_proven_to_both_verifiers_as_the_readme_says(tmp_path: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    script = "".join(block for block in blocks if "legal-actions" in block or "verify" in block)
    with serving() as running:
        script = script.replace("http://127.0.0.1:8000", running.url).replace(
            "proof.json", str(tmp_path / "proof.json")
        )
        script = script.replace(".venv/bin/", f"{Path(sys.executable).parent}/")
        command = ["bash", "-euo", "pipefail", "-c", script]
        run = subprocess.run(command, cwd=README.parent, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "the proof holds" in run.stdout
    assert run.stdout.splitlines()[-1] == "holds"
