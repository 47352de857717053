"""A ruling whose consequences are carried on pairing by pairing, and the order in which that can be done."""

from random import Random
from typing import Any

import pytest

from engine import tournament
from engine.tournament import course, rulings, series
from engine.tournament.protocol import Event, Key, Pairing, Settings, Status, Withdrawn
from tests.engine.tournament.playing import Play, begin, check_end, rule, to_the_end, withdraw

BRACKETS = ["single-elimination", "double-elimination"]
EVENTS: list[tuple[str, int, dict[str, Any]]] = [
    ("single-elimination", 4, {"third_place": True}),
    ("single-elimination", 11, {"third_place": True}),
    ("double-elimination", 2, {}),
    ("double-elimination", 5, {}),
    ("double-elimination", 16, {}),
    ("double-elimination", 21, {"best_of": 3}),
]


@pytest.mark.parametrize("format_id", tournament.IDS)
@pytest.mark.parametrize("n", [3, 4, 13, 33])
def test_each_pairing_is_of_a_later_round_than_those_it_takes_its_sides_from(format_id: str, n: int) -> None:
    given = {"third_place": True} if format_id == "single-elimination" else {}
    topology = begin(format_id, n, **given).topology
    numbers = set[int]()
    for shape in tournament.shapes(topology):
        keys = [Key(shape.stage, shape.round, place) for place in range(1, max(1, shape.pairings) + 1)]
        for key in keys:
            number = tournament.ordinal(topology, key)
            numbers.add(number)
            assert all(tournament.ordinal(topology, other) > number for other in tournament.following(topology, key))
    assert numbers == set(range(1, tournament.depth(topology) + 1))


def test_a_ruling_reaches_145_of_the_pairings_of_ten_thousand_entrants_at_most() -> None:
    topology = tournament.topology("double-elimination", 10_000, Settings())
    keys = [
        Key(shape.stage, shape.round, place)
        for shape in tournament.shapes(topology)
        for place in {1, 1 + shape.pairings // 3, shape.pairings}
    ]
    reached = {key: len(rulings.reach(topology, key)) for key in keys}
    assert max(reached.values()) == reached[Key("winners", 1, 1)] == 145


def carried_on(play: Play, key: Key, ranks: tuple[int, ...]) -> dict[Key, Pairing]:
    """What is stored after a ruling whose consequences are carried on as `rulings.begin` says."""
    stored = dict(play.stored)
    first, *others = rulings.reach(play.topology, key)
    assert first == key
    changed = rulings.begin(play.topology, stored[key], ranks, stored, play.out)
    stored |= {pairing.key: pairing for pairing in changed}
    assert {pairing.key for pairing in changed} <= {key, *tournament.following(play.topology, key)}

    def give(at: Key, event: Event | None) -> None:
        changed = tournament.advance(play.topology, stored[at], event, stored)
        stored.update((pairing.key, pairing) for pairing in changed)

    for other in others:
        for side in stored[other].sides if other in stored else ():
            if side.player in play.out and not series.is_out(side) and not course.is_done(stored[other]):
                give(other, Withdrawn(side.player))
        if other in stored:
            give(other, None)
    assert not any(pairing.owed for pairing in stored.values())
    return stored


def meaning(pairing: Pairing) -> Pairing:
    """The pairing less the games that count no more, and the numbers of the others."""
    games = tuple(game._replace(number=0) for game in pairing.games if not game.void)
    return pairing._replace(games=games)


@pytest.mark.parametrize(("format_id", "n", "given"), EVENTS)
@pytest.mark.parametrize("seed", range(8))
def test_carried_on_a_ruling_leads_to_what_it_does_at_once(
    format_id: str, n: int, given: dict[str, Any], seed: int
) -> None:
    rng = Random(f"{format_id} {n} {seed}")
    play = begin(format_id, n, seed, **given)
    for _ in range(rng.randrange(3)):
        to_the_end(play, rng, limit=rng.randrange(3 * n))
        withdraw(play, rng.choice(play.field).player)
    to_the_end(play, rng, limit=rng.randrange(6 * n))
    can = [
        key
        for key, pairing in play.stored.items()
        if all(side.player for side in pairing.sides) and pairing.status is not Status.VOID
    ]
    key = rng.choice(can)
    for ranks in ((1, 2), (2, 1), (2, 2)):
        at_once = play._replace(stored=dict(play.stored), live={})
        rule(at_once, key, ranks)
        if sum(at_once.stored[where] != one for where, one in play.stored.items()) < 2:
            continue  # what undoes nothing is one act
        step_by_step = carried_on(play, key, ranks)
        assert {where: meaning(one) for where, one in step_by_step.items()} == {
            where: meaning(one) for where, one in at_once.stored.items()
        }
    rule(play, key, (2, 2))
    to_the_end(play, rng)
    check_end(play)
