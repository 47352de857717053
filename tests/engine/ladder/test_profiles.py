"""Which ladder rates how, for life; and what each algorithm computes, for ever."""

import hashlib
import json

import pytest

from engine import games
from engine.deal import Stream
from engine.games.protocol import competition_ranks
from engine.ladder import elo, fide
from engine.ladder.elo import Entrant
from engine.ladder.fide import has_reached_2400
from engine.ladder.profiles import ALGORITHMS, PROFILES, algorithm, profile


def test_every_game_has_a_ladder_and_keeps_its_profile() -> None:
    assert {game: profile(game) for game in games.IDS} == {
        "micro-poker": "adaptive",
        "liars-poker": "adaptive",
        "misfortune": "adaptive",
        "half-deck-poker": "adaptive",
    }


def test_profiles_are_rated_by_their_algorithms() -> None:
    assert PROFILES == {"adaptive": "elo/1", "fide": "fide/1"}
    assert {"elo/1": elo.changes, "fide/1": fide.changes} == ALGORITHMS
    assert all(algorithm(game) == "elo/1" for game in games.IDS)


def test_a_ladder_that_does_not_exist_is_not_found() -> None:
    with pytest.raises(LookupError):
        profile("chess")
    with pytest.raises(LookupError):
        algorithm("chess")


def season(name: str, most: int, results: int = 1_500) -> str:
    """A digest of all changes of random results among forty players, with draws."""
    stream = Stream(bytes(32), f"season/{name}")
    ratings = {f"ply_{i:02}": (1_500_000 + 1_000 * (stream.below(1_600) - 500), 0, False) for i in range(40)}
    digest = hashlib.sha256()
    for _ in range(results):
        players = stream.shuffle(sorted(ratings))[: 2 + stream.below(most - 1)]
        ranks = competition_ranks([stream.below(1 + len(players)) for _ in players])
        found = ALGORITHMS[name](
            [Entrant(p, *ratings[p][:2], r, ratings[p][2]) for p, r in zip(players, ranks, strict=True)]
        )
        for change in found:
            _, played, reached = ratings[change.player]
            ratings[change.player] = (change.after, played + 1, has_reached_2400(reached, change.after))
        digest.update(json.dumps(found).encode())
    return digest.hexdigest()


@pytest.mark.parametrize(
    ("name", "most", "digest"),
    [
        ("elo/1", 10, "345442c5f19d7304366a32cbc4dc3bb6a6c4bdf7648166f4648e7a0d9fb580e7"),
        ("fide/1", 2, "7e5294052521c3df9f65c0284cf2a912064018e3d1cefd346ebbe6b0d22acea1"),
    ],
)
def test_what_an_algorithm_computes_never_changes(name: str, most: int, digest: str) -> None:
    assert season(name, most) == digest
