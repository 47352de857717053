"""Recorded proofs of matches in which clocks, pauses, resignations and forfeits have a part.

`python tests/golden/timed.py` records those that are missing; delete a file to record it anew. A change of a recorded
one is a change of the rules.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from engine import games
from engine.match.record import Match
from engine.proof import prove
from engine.types import Json
from tests.engine.cases import cases
from tests.engine.match.stories import TIMED, Story, ending, over

FOLDER = Path(__file__).with_name("proofs")
TRIES, LONGEST = 400, 24_000
"""Stories to choose from, and characters of a proof."""


def best(game: str, clock: str) -> str:
    """The proof, among those of many stories, in which most kinds of things happen."""
    told = [proof for match in _matches(game, clock) if len(proof := json.dumps(prove(match))) <= LONGEST]
    return max(told, key=lambda text: (len(_kinds(json.loads(text))), -len(text)))


def _matches(game: str, clock: str) -> Iterator[Match]:
    every = cases(game)
    for seed in range(TRIES):
        case = every[seed % len(every)]
        bots = tuple(seat for seat in range(case.seats - 1) if (seed + seat) % 5 == 0)
        yield over(ending(Story(case.game, case.seats, case.given, clock, bots, seed, 80)))


def _kinds(proof: Json) -> set[tuple[str, str]]:
    acts = {(action["by"], action["action"]["type"]) for action in proof["actions"]}
    events = {(event["type"], event.get("reason", "")) for event in proof["events"]}
    return acts | events | {(str(proof["status"]), str((proof["result"] or {}).get("reason")))}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for game_id in games.IDS:
        for kind in TIMED:
            path = FOLDER / f"{game_id}.{kind}.json"
            if not path.exists():
                path.write_text(best(game_id, kind) + "\n", encoding="utf-8")
