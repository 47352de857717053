"""Pairings as JSON data: nothing of them is lost, whatever has happened to them."""

import json

import pytest

from engine.tournament import codec
from engine.tournament.protocol import (
    End,
    Game,
    Key,
    Nobody,
    Origin,
    Pairing,
    Reason,
    Result,
    Side,
    Source,
    Status,
)

EMPTY = Pairing(
    Key("losers", 2, 1),
    (Side(Source(Origin.LOSER, 0, Key("winners", 2, 2))), Side(Source(Origin.WINNER, 0, Key("losers", 1, 1)))),
)
PLAYED = Pairing(
    Key("winners", 1, 1),
    (Side(Source(Origin.SEED, 1), "ply_a", 1), Side(Source(Origin.SEED, 4), "ply_b", 4)),
    Status.SETTLED,
    3,
    (Game(1, (0, 1), True, End("played", (1, 2), (-3, 3), ("", "timeout"), (True, False))), Game(2, (1, 0))),
    Result(Reason.FORFEIT, (1, 2), (2, 0), (-3, 3), (False, True)),
)
FIRST, SECOND = PLAYED.sides
CASES = {
    "blank": EMPTY,
    "played": PLAYED,
    "owed": PLAYED._replace(owed=True),
    "void": EMPTY._replace(status=Status.VOID),
    "out": PLAYED._replace(sides=(FIRST._replace(out=True), SECOND)),
    "withdrew": PLAYED._replace(sides=(FIRST, SECOND._replace(withdrew=True))),
    **{str(who): EMPTY._replace(sides=(EMPTY.sides[0]._replace(nobody=who), EMPTY.sides[1])) for who in Nobody},
    **{
        flag: PLAYED._replace(games=(PLAYED.games[0], PLAYED.games[1]._replace(**{flag: True})))
        for flag in ("started", "void", "stopped")
    },
}


@pytest.mark.parametrize("case", CASES)
def test_a_pairing_comes_back_as_it_was(case: str) -> None:
    loaded = codec.load(json.loads(json.dumps(codec.dump(CASES[case]))))
    assert loaded == CASES[case]
    assert codec.dump(loaded) == codec.dump(CASES[case])
    assert (type(loaded.key), type(loaded.status)) == (Key, Status)


def test_no_two_of_these_pairings_are_written_alike() -> None:
    written = {json.dumps(codec.dump(pairing)) for pairing in CASES.values()}
    assert len(written) == len(set(CASES.values()))


def test_what_is_as_by_default_takes_no_room() -> None:
    assert set(codec.dump(EMPTY)) == {"key", "status", "sides"}
    assert codec.dump(EMPTY)["sides"][1] == {"from": "winner", "of": ["losers", 1, 1]}
