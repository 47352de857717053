"""Heats: who sits where, who goes on, and the places (tournaments.md, "Formats", `heats`)."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from engine import tournament
from engine.deal import Stream, root
from engine.tournament import heats_tables
from engine.tournament.draw import ruleset
from engine.tournament.heats_tables import Meetings, Tables
from engine.tournament.protocol import Amount, Facts, Pairing, Shape, Status
from tests.engine.tournament.playing import (
    ID,
    KEY,
    Play,
    begin,
    by_seed,
    check_end,
    current_round,
    next_round,
    parsed,
    ranked,
    table,
    to_the_end,
    withdraw,
)


def tables(play: Play, number: int) -> list[list[str]]:
    return [
        [side.player for side in pairing.sides]
        for key, pairing in sorted(play.stored.items())
        if key.round == number and pairing.status is not Status.VOID
    ]


def the_lower_seed_wins(play: Play, pairing: Pairing, number: int) -> Facts:
    return ranked(pairing, number, [side.seed for side in pairing.sides])


def finish_round(play: Play) -> None:
    number = current_round(play)
    while any(p.result is None for key, p in play.stored.items() if key.round == number):
        to_the_end(play, Random(1), by_seed, 1)


def shape(n: int, **given: object) -> list[int]:
    topology = tournament.topology("heats", n, parsed("heats", **given))
    return [found.pairings for found in tournament.shapes(topology)]


@pytest.mark.parametrize(
    ("n", "seats", "least", "number"),
    [
        (22, 4, 3, 6),
        (5, 3, 3, 1),
        (8, 3, 3, 2),
        (10, 3, 3, 3),
        (7, 6, 3, 2),
        (3, 6, 3, 1),
        (5, 2, 2, 2),
        (10_000, 4, 3, 2500),
    ],
)
def test_there_are_as_few_tables_as_the_seats_allow_and_none_below_the_minimum(
    n: int, seats: int, least: int, number: int
) -> None:
    assert heats_tables.number_of_tables(n, seats, least) == number


def test_the_first_round_is_dealt_as_a_snake_by_seed() -> None:
    assert tables(begin("heats", 10, seats=4), 1) == [
        ["p1", "p6", "p7"],
        ["p2", "p5", "p8"],
        ["p3", "p4", "p9", "p10"],
    ]


def test_seats_are_drawn_from_the_stream_of_the_table() -> None:
    play = begin("heats", 10, seats=4)
    key = root(KEY, ID, ruleset("heats", play.topology.settings), ())
    for place, pairing in enumerate(sorted(play.stored.values()), 1):
        drawn = Stream(key, f"heats/round=1/table={place}").shuffle(range(len(pairing.sides)))
        assert pairing.games[0].seats == drawn


@pytest.mark.parametrize(
    ("n", "given", "expected"),
    [
        (22, {"seats": 4}, [6, 3, 2, 1]),
        (9, {"seats": 3}, [3, 1]),
        (3, {"seats": 6}, [1]),
        (12, {"seats": 6, "advance": 1}, [2, 1]),
        (36, {"seats": 6, "advance": 5}, [6, 5, 5, 4, 3, 2, 2, 2, 1]),
        (22, {"seats": 4, "rounds": 3}, [6, 6, 6]),
    ],
)
def test_the_rounds_are_known_beforehand(n: int, given: dict[str, int], expected: list[int]) -> None:
    assert shape(n, **given) == expected


def test_half_of_the_seats_go_on_by_default() -> None:
    play = begin("heats", 12, seats=4)
    finish_round(play)
    assert next_round(play)
    assert sorted(player for players in tables(play, 2) for player in players) == ["p1", "p2", "p3", "p4", "p5", "p6"]


def test_enough_go_on_for_a_table_of_the_games_minimum() -> None:
    play = begin("heats", 6, seats=3, advance=1)
    finish_round(play)
    assert next_round(play)
    assert [len(players) for players in tables(play, 2)] == [4]


def test_who_goes_on_is_decided_by_rank_then_points_scores_and_seed() -> None:
    play = begin("heats", 6, seats=3, advance=1)

    def even(play: Play, pairing: Pairing, number: int) -> Facts:
        scores = [9 if pairing.sides[index].player == "p6" else 0 for index in pairing.games[0].seats]
        return Facts("played", (1, 1, 1), tuple(scores), ("",) * 3, (True,) * 3)

    to_the_end(play, Random(1), even, limit=4)
    assert next_round(play)
    assert tables(play, 1) == [["p1", "p4", "p5"], ["p2", "p3", "p6"]]
    assert tables(play, 2) == [["p1", "p2", "p4", "p6"]]


def test_the_final_heads_the_standings_and_the_others_follow_by_round_and_place() -> None:
    play = begin("heats", 12, seats=4)
    to_the_end(play, Random(1), by_seed)
    rows = table(play)
    assert [row.rank for row in rows] == [1, 2, 3, 4, 5, 5, 7, 7, 7, 10, 10, 10]
    assert [row.player for row in rows[:4]] == ["p1", "p2", "p3", "p4"]
    assert [row.decided_by for row in rows] == ["place"] * 4 + ["round"] * 2 + ["round"] * 3 + ["place"] * 3


def test_points_are_shares_of_a_point() -> None:
    play = begin("heats", 3)
    to_the_end(play, Random(1), by_seed)
    assert [row.points for row in table(play)] == [Amount(5040, 5040), Amount(2520, 5040), Amount(0, 5040)]


def test_a_withdrawal_between_rounds_lets_the_next_at_the_table_go_on() -> None:
    play = begin("heats", 12, seats=4)
    finish_round(play)
    withdraw(play, "p1")
    assert next_round(play)
    assert "p1" not in [player for players in tables(play, 2) for player in players]
    assert sum(map(len, tables(play, 2))) == 6


def test_when_too_few_are_left_it_ends_by_points_so_far_then_seed() -> None:
    play = begin("heats", 8, seats=4)
    to_the_end(play, Random(1), the_lower_seed_wins, limit=4)
    for player in ("p2", "p3", "p4", "p5", "p7", "p8"):
        withdraw(play, player)
    assert not next_round(play)
    check_end(play)
    rows = table(play)
    assert [(row.rank, row.player, row.points.units) for row in rows[:2]] == [(1, "p6", 3360), (2, "p1", 0)]


def test_when_too_few_are_left_equal_points_go_by_seed() -> None:
    play = begin("heats", 8, seats=4)
    to_the_end(play, Random(1), lambda play, pairing, number: ranked(pairing, number, (1, 1, 1, 1)), limit=4)
    for player in ("p2", "p3", "p4", "p5", "p7", "p8"):
        withdraw(play, player)
    assert not next_round(play)
    assert [(row.rank, row.player, row.points.units) for row in table(play)[:2]] == [(1, "p1", 2520), (2, "p6", 2520)]
    assert table(play)[1].decided_by == "seed"


def test_with_rounds_everybody_plays_all_of_them_and_points_decide() -> None:
    play = begin("heats", 13, seats=4, rounds=4)
    to_the_end(play, Random(1))
    assert [sum(map(len, tables(play, number))) for number in range(1, 5)] == [13] * 4
    rows = table(play)
    assert [row.rank for row in rows] == list(range(1, 14))
    points = [row.points.units for row in rows]
    assert points == sorted(points, reverse=True)
    assert [tiebreak.name for tiebreak in rows[0].tiebreaks] == ["game-score", "wins", "seed"]


def test_the_second_round_goes_by_points_then_seed_larger_tables_first() -> None:
    assert heats_tables.cut(list("abcdefghijk"), 3) == [list("abcd"), list("efgh"), list("ijk")]
    play = begin("heats", 9, seats=3, rounds=2)
    finish_round(play)
    assert next_round(play)
    assert tables(play, 2) == [["p1", "p2", "p3"], ["p4", "p5", "p6"], ["p7", "p8", "p9"]]


def test_in_a_later_round_those_with_the_same_points_sit_together_whatever_their_seeds() -> None:
    play = begin("heats", 9, seats=3, rounds=2)
    to_the_end(play, Random(1), the_lower_seed_wins, limit=6)
    assert next_round(play)
    assert tables(play, 2) == [["p7", "p8", "p9"], ["p4", "p5", "p6"], ["p1", "p2", "p3"]]


def test_who_has_sat_late_sits_early_in_the_next_round() -> None:
    play = begin("heats", 24, 2, seats=6, rounds=6)
    to_the_end(play, Random(3))
    past: Counter[str] = Counter()
    for number in range(1, 7):
        for pairing in (p for key, p in play.stored.items() if key.round == number):
            sat = [past[pairing.sides[index].player] for index in pairing.games[0].seats]
            assert sat == sorted(sat, reverse=True)
        past = heats_tables.places(p for key, p in play.stored.items() if key.round <= number)
    assert max(map(abs, past.values())) <= 12


# Swaps against repeated meetings.


def repeats(seated: Tables, met: Meetings) -> int:
    return sum(met.get(a, {}).get(b, 0) for players in seated for a, b in combinations(players, 2))


def naive(seated: Tables, met: Meetings) -> Tables:
    """Step 6 with every swap tried out and the whole sum counted anew."""
    seated = [list(players) for players in seated]
    order = [player for players in seated for player in players]
    for _ in range(20):
        has_swapped = False
        for player in order:
            spots = [(i, j) for i, players in enumerate(seated) for j in range(len(players))]
            here = next((i, j) for i, j in spots if seated[i][j] == player)
            if not any(met.get(player, {}).get(other, 0) for other in seated[here[0]]):
                continue
            before, candidates = repeats(seated, met), []
            for spot in spots:
                if spot[0] != here[0] and abs(spot[0] - here[0]) <= 6:
                    swap(seated, here, spot)
                    distance = spots.index(spot) - spots.index(here)
                    candidates.append((repeats(seated, met), abs(distance), distance, spot))
                    swap(seated, here, spot)
            best = min(candidates, default=None)
            if best is not None and best[0] < before:
                swap(seated, here, best[3])
                has_swapped = True
        if not has_swapped:
            break
    return seated


def swap(seated: Tables, here: tuple[int, int], there: tuple[int, int]) -> None:
    (i, j), (k, m) = here, there
    seated[i][j], seated[k][m] = seated[k][m], seated[i][j]


@pytest.mark.parametrize("seed", range(60))
def test_swaps_are_those_that_a_naive_count_finds(seed: int) -> None:
    rng = Random(seed)
    n, size = rng.randrange(6, 40), rng.randrange(2, 6)
    names = [f"p{i}" for i in range(n)]
    met: dict[str, Counter[str]] = {name: Counter() for name in names}
    for _ in range(rng.randrange(1, 5)):
        rng.shuffle(names)
        for players in heats_tables.cut(names, -(-n // size)):
            for a, b in combinations(players, 2):
                met[a][b] += 1
                met[b][a] += 1
    seated = heats_tables.cut(sorted(names), -(-n // size))
    mixed = heats_tables.mixed(seated, met)
    assert mixed == naive(seated, met)
    assert repeats(mixed, met) <= repeats(seated, met)
    assert sorted(player for players in mixed for player in players) == sorted(names)


def test_nobody_meets_again_as_long_as_that_is_possible() -> None:
    """48 players at tables of four, five rounds: 15 different opponents for each of them."""
    play = begin("heats", 48, 1, seats=4, rounds=5)
    to_the_end(play, Random(1))
    met = heats_tables.meetings(play.stored.values())
    assert {count for counts in met.values() for count in counts.values()} == {1}
    assert {len(counts) for counts in met.values()} == {15}


def test_shapes_are_those_that_are_played() -> None:
    for n in range(3, 34):
        play = begin("heats", n, n, seats=5)
        to_the_end(play, Random(n))
        played = Counter(key.round for key in play.stored)
        assert tournament.shapes(play.topology) == tuple(Shape("main", r, played[r]) for r in sorted(played))
