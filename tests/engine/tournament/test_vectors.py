"""The worked examples of the rules of tournaments."""

from itertools import combinations
from random import Random

import pytest

from engine import tournament
from engine.tournament import seeding
from engine.tournament.double_elimination import LOSERS, WINNERS, crossing
from engine.tournament.protocol import Entrant, Key, Origin, Topology
from engine.tournament.round_robin import berger
from engine.tournament.seeding import bracket_order
from tests.engine.tournament.playing import begin, by_seed, parsed, table, to_the_end


def first_round(n: int, format_id: str = "single-elimination", stage: str = "main") -> list[tuple[int | None, ...]]:
    play = begin(format_id, n)
    return [
        tuple(side.seed if side.player else None for side in pairing.sides)
        for key, pairing in sorted(play.stored.items())
        if key.stage == stage and key.round == 1
    ]


def test_the_seeds_of_eight_and_of_sixteen_stand_in_the_standard_order() -> None:
    assert bracket_order(8) == (1, 8, 4, 5, 2, 7, 3, 6)
    assert bracket_order(16) == (1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11)


def test_three_entrants_are_one_with_a_bye_and_two_against_three() -> None:
    assert first_round(3) == [(1, None), (2, 3)]


def test_five_entrants_are_three_byes_and_four_against_five() -> None:
    assert first_round(5) == [(1, None), (4, 5), (2, None), (3, None)]


@pytest.mark.parametrize("places", [2**k for k in range(1, 15)])
def test_the_seeds_of_a_first_pairing_add_up_to_one_more_than_the_places(places: int) -> None:
    order = bracket_order(places)
    assert {a + b for a, b in zip(order[::2], order[1::2], strict=True)} == {places + 1}
    assert sorted(order) == list(range(1, places + 1))


def test_bergers_tables_for_ten_are_the_printed_ones() -> None:
    assert berger(10, 1) == ((1, 10), (2, 9), (3, 8), (4, 7), (5, 6))
    assert berger(10, 2) == ((10, 6), (7, 5), (8, 4), (9, 3), (1, 2))
    assert berger(10, 3) == ((2, 10), (3, 1), (4, 9), (5, 8), (6, 7))


@pytest.mark.parametrize("n", range(2, 66, 2))
def test_bergers_tables_let_each_two_meet_once_and_each_play_each_round(n: int) -> None:
    rounds = [berger(n, number) for number in range(1, n)]
    assert all(sorted(seed for pair in pairs for seed in pair) == list(range(1, n + 1)) for pairs in rounds)
    met = {frozenset(pair) for pairs in rounds for pair in pairs}
    assert met == {frozenset(pair) for pair in combinations(range(1, n + 1), 2)}


@pytest.mark.parametrize(
    ("places", "orders"),
    [
        (16, [[3, 4, 1, 2], [1, 2], [1]]),
        (32, [[5, 6, 7, 8, 1, 2, 3, 4], [2, 1, 4, 3], [2, 1], [1]]),
    ],
)
def test_losers_of_the_winners_bracket_cross_over_as_printed(places: int, orders: list[list[int]]) -> None:
    """The order in which the losers of winners' rounds 2, 3, … meet the survivors 1, 2, …"""
    topology = tournament.topology("double-elimination", places, parsed("double-elimination"))
    found = []
    for number in range(2, places.bit_length()):
        count = places >> number
        pairings = [tournament.blank(topology, Key(LOSERS, 2 * (number - 1), place)) for place in range(1, count + 1)]
        for place, pairing in enumerate(pairings, 1):
            assert pairing.sides[1].source == (Origin.WINNER, 0, Key(LOSERS, 2 * number - 3, place))
        found.append([pairing.sides[0].source.of.place for pairing in pairings if pairing.sides[0].source.of])
    assert found == orders


def test_the_mask_of_a_crossing_reads_the_round_from_its_lowest_bit() -> None:
    assert [crossing(10, number) for number in (2, 3, 4, 5)] == [0b10000000, 0b0100000, 0b110000, 0b00100]


def losers_path(topology: Topology, key: Key) -> list[Key]:
    """The pairings of the losers' bracket that the loser of a winners' pairing goes through, winning all."""
    path = []
    flows = tournament.find(topology.format).flows
    (at,) = [flow.key for flow in flows(topology, tournament.blank(topology, key))][1:]
    while at.stage == LOSERS:
        path.append(at)
        at = flows(topology, tournament.blank(topology, at))[0].key
    return path


@pytest.mark.parametrize(
    ("places", "first"),
    [(4, 2), (8, 3), (16, 4), (32, 5), (64, 7), (128, 8), (256, 9), (512, 11), (1024, 13)],
)
def test_nobody_meets_again_before_the_losers_round_that_the_rules_name(places: int, first: int) -> None:
    """Who has lost to somebody in the winners' bracket meets the same one in the losers' bracket no earlier than in
    round `first`, whatever the results; and in that round it can happen."""
    topology = tournament.topology("double-elimination", places, parsed("double-elimination"))
    last = places.bit_length() - 1
    paths = {
        (number, place): losers_path(topology, Key(WINNERS, number, place))
        for number in range(1, last + 1)
        for place in range(1, (places >> number) + 1)
    }
    earliest = set()
    for (number, place), path in paths.items():
        for later in range(number + 1, last + 1):
            other = paths[later, (place - 1 >> later - number) + 1]
            earliest.add(min(key.round for key in path if key in other))
    assert min(earliest) == first
    rounds = {4: 2, 8: 4, 16: 6, 32: 8, 64: 10, 128: 12, 256: 14, 512: 16, 1024: 18}
    assert max(shape.round for shape in tournament.shapes(topology) if shape.stage == LOSERS) == rounds[places]


@pytest.mark.parametrize(
    ("format_id", "given", "places"),
    [
        ("single-elimination", {}, [1, 2, 3, 3, *[5] * 4, *[9] * 8]),
        ("single-elimination", {"third_place": True}, [1, 2, 3, 4, *[5] * 4, *[9] * 8]),
        ("double-elimination", {}, [1, 2, 3, 4, 5, 5, 7, 7, *[9] * 4, *[13] * 4]),
    ],
)
def test_places_of_sixteen_are_shared_as_printed(format_id: str, given: dict[str, bool], places: list[int]) -> None:
    play = begin(format_id, 16, **given)
    to_the_end(play, Random(1))
    assert [row.rank for row in table(play)] == places


def test_when_the_higher_seed_always_wins_the_places_follow_the_seeds() -> None:
    play = begin("double-elimination", 16)
    to_the_end(play, Random(1), by_seed)
    assert [row.seed for row in table(play)][:4] == [1, 2, 3, 4]


def test_groups_are_dealt_as_a_snake() -> None:
    field = [Entrant(f"p{seed}", seed, 0) for seed in range(1, 9)]
    assert [[e.seed for e in group] for group in seeding.snake(field, 2)] == [[1, 4, 5, 8], [2, 3, 6, 7]]
