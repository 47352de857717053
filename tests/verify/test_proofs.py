"""The proofs of all recorded matches hold: every game, table and option, every clock, leavers and pauses."""

import json
import re
import subprocess
from collections import Counter
from typing import Any

import pytest

from engine import games
from engine.deal import commitment
from tests.verify.proofs import SCRIPT, by_node, fault, forged, names, needs_node, proof, timed


@pytest.mark.parametrize("name", names())
def test_the_proof_of_a_recorded_match_holds(name: str) -> None:
    assert fault(proof(name)) == ""


@needs_node
def test_the_second_verifier_agrees_with_every_proof() -> None:
    assert Counter(by_node([proof(name) for name in names()])) == {"holds": len(names())}


def test_the_recorded_proofs_have_every_kind_of_happening() -> None:
    proofs = [proof(name) for name in timed()]
    events = {(event["type"], event.get("reason")) for one in proofs for event in one["events"]}
    left = {("left", reason) for reason in ("timeout", "abandoned", "forfeit")}
    assert events == left | {("paused", None), ("resumed", None)}
    assert {action["by"] for one in proofs for action in one["actions"]} == {"player", "bot", "clock"}
    reasons = {one["result"]["reason"] for one in proofs if one["result"]}
    assert reasons == {"played", "resigned", "timeout", "abandoned", "forfeit"}
    assert {one["clock"]["kind"] for one in proofs} == {"per-move", "fischer", "byo-yomi"}


@pytest.mark.parametrize("game", games.IDS)
def test_another_key_with_its_own_commitment_deals_other_cards(game: str) -> None:
    """But in Misfortune, where nothing is dealt: there the key decides nothing."""
    name = next(name for name in names() if name.startswith(f"{game}.") and name.endswith("-seats"))
    changed: dict[str, Any] = proof(name)
    changed["key"] = "ab" * 32
    changed["commitment"] = commitment(changed["match"], bytes.fromhex(changed["key"])).hex()
    assert (fault(forged(changed)) == "") is (game == "misfortune")
    assert fault(changed) != ""


DRAWS = """
import { chanceOf } from %s;
const seed = Buffer.from([...Array(32).keys()]).toString("hex");
const nonces = ["alice", "bob", "carol"].map((name) => Buffer.from(name).toString("hex"));
const chance = chanceOf({ key: seed, match: "match-0001", ruleset: "liars_poker@1", seats: 3, nonces });
const draw = (label, length, n, { below } = chance(label)) => Array.from({ length }, () => below(n));
const shuffled = chance("shuffle/10").shuffle([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
console.log(JSON.stringify([draw("deal/round=1", 24, 10), shuffled, draw("reject", 5, 2 ** 31 + 1)]));
"""


@needs_node
def test_the_second_verifier_draws_the_rules_vectors() -> None:
    script = DRAWS % json.dumps(SCRIPT.as_uri())
    run = subprocess.run(
        ["node", "--input-type=module", "-e", script], input="", capture_output=True, text=True, check=False
    )
    assert json.loads(run.stdout.splitlines()[-1]) == [
        [int(digit) for digit in "979293618558594095917339"],
        [3, 8, 2, 9, 7, 10, 5, 1, 6, 4],
        [881047454, 343070356, 1868002241, 45590255, 718806615],
    ]


def test_the_second_verifier_is_short_and_needs_nothing_but_node() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 300
    assert re.findall(r'from "([^"]+)"', text) == ["node:crypto", "node:fs"]
