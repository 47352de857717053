"""Proofs to verify: of every recorded playthrough, and of matches in which time and leavers have a part."""

import json
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from engine import games
from engine.clock import Clock
from engine.match import lobby, play
from engine.match.record import Match, Sitter, Status
from engine.proof import CHECKSUMS, checksums, prove
from engine.proof_form import Disproved
from engine.types import EpochMs
from engine.verify import verify
from tests.golden import playthrough

FOLDER = Path(playthrough.__file__).with_name("proofs")
SCRIPT = Path(__file__).with_name("verify.mjs")
START: EpochMs = 1_800_000_000_000
DAY = Clock("per-move", 86_400)

Proof = dict[str, Any]

needs_node = pytest.mark.skipif(which("node") is None, reason="there is no command `node` here")


def played(text: str) -> Match:
    """The match of a recorded playthrough, each choice a second after the one before."""
    setup, decisions = playthrough.read(text)
    key = setup["key"].to_bytes(32, "big").hex()
    known = (playthrough.MATCH_ID, setup["game"], setup["rules_version"], setup["options"], DAY, key, START)
    match = Match(*known, (None,) * setup["seats"])
    for seat in range(setup["seats"]):
        match = lobby.join(match, Sitter(f"player {seat}", "", 1500), START)
    for turn, choices in enumerate(decisions, 1):
        for number, (seat, action) in enumerate(choices.items(), 1):
            match = play.act(match, play.Request(seat, match.opened_at + 1000 * number), turn, action)
    assert match.status is Status.FINISHED
    return match


@cache
def _texts() -> dict[str, str]:
    told = {path.stem: played(path.read_text(encoding="utf-8")) for path in sorted(playthrough.FOLDER.glob("*.txt"))}
    kept = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.json"))}
    return {name: json.dumps(prove(match)) for name, match in told.items()} | kept


def names() -> list[str]:
    """The names of all proofs: a game's id, and what is special."""
    return sorted([path.stem for path in (*playthrough.FOLDER.glob("*.txt"), *FOLDER.glob("*.json"))])


def proof(name: str) -> Proof:
    """A proof of one's own, to change as one likes."""
    found: Proof = json.loads(_texts()[name])
    return found


def timed() -> list[str]:
    """The names of the proofs in which time and leavers have a part."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def of_each_game() -> list[str]:
    """For each game the shortest of these."""
    kept = [(path.stat().st_size, path.stem) for path in FOLDER.glob("*.json")]
    return [min(one for one in kept if one[1].startswith(game))[1] for game in games.IDS]


def forged(changed: Proof) -> Proof:
    """The proof with checksums made anew, as somebody would who means to deceive."""
    body = {name: value for name, value in changed.items() if name != CHECKSUMS}
    return body | {CHECKSUMS: checksums(body)}


def fault(changed: Any) -> str:
    """Where a proof is wrong; the empty text when it holds."""
    try:
        verify(changed)
    except Disproved as found:
        return found.where
    return ""


def by_node(proofs: Sequence[Any]) -> list[str]:
    """The second verifier's answer to each proof: `holds`, or `refused: ` and where."""
    lines = "\n".join(map(json.dumps, proofs))
    run = subprocess.run(["node", SCRIPT], input=lines, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    answers = run.stdout.splitlines()
    assert len(answers) == len(proofs)
    assert run.returncode == any(answer != "holds" for answer in answers)
    return answers
