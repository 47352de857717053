"""The table of a round robin: points, the criteria in their order, what decided, shared ranks."""

from collections.abc import Mapping
from itertools import combinations
from random import Random

import pytest

from engine.tournament import tiebreaks
from engine.tournament.protocol import (
    Amount,
    Entrant,
    Key,
    Nobody,
    Origin,
    Pairing,
    Reason,
    Result,
    Row,
    Side,
    Source,
    Status,
)

H2H, WINS, SB, SCORE, RATING = (
    tiebreaks.HEAD_TO_HEAD,
    tiebreaks.WINS,
    tiebreaks.SONNEBORN_BERGER,
    tiebreaks.GAME_SCORE,
    tiebreaks.OPPONENTS_RATING,
)
DEFAULT = (H2H, WINS, SB)

Results = Mapping[str, str]
"""`ab` won, drawn or lost (`+ = -`) by the first, `f` lost by forfeit, `d` lost by both."""

RANKS = {"+": (1, 2), "=": (1, 1), "-": (2, 1), "f": (2, 1), "d": (2, 2)}
REASONS = {"f": Reason.FORFEIT, "d": Reason.DOUBLE_FORFEIT}


def field(names: str, ratings: tuple[int, ...] = ()) -> list[Entrant]:
    return [Entrant(name, i, ratings[i - 1] if ratings else 1_500_000) for i, name in enumerate(names, 1)]


def side(name: str) -> Side:
    seed = ord(name) - 96 if name != "-" else 0
    return Side(Source(Origin.SEED, seed), name if seed else "", seed, Nobody.NO if seed else Nobody.BYE)


def pairings(results: Results, scores: Mapping[str, tuple[int, int]] | None = None) -> list[Pairing]:
    made = []
    for number, (pair, result) in enumerate(results.items(), 1):
        given = (scores or {}).get(pair, (0, 0))
        done = Result(REASONS.get(result, Reason.PLAYED), RANKS[result], (0, 0), given, (False, False))
        sides = (side(pair[0]), side(pair[1]))
        made.append(Pairing(Key("main", number, 1), sides, Status.SETTLED, result=done))
    return made


def rows(names: str, results: Results, criteria: tuple[str, ...] = DEFAULT, times: int = 1) -> list[Row]:
    return list(tiebreaks.standings(criteria, times, field(names), pairings(results)))


def shown(row: Row, name: str) -> Amount | None:
    return next((tiebreak.value for tiebreak in row.tiebreaks if tiebreak.name == name), None)


def order(table: list[Row]) -> list[tuple[int, str]]:
    return [(row.rank, row.player) for row in table]


def test_points_are_one_a_half_and_nothing() -> None:
    table = rows("abc", {"ab": "+", "ac": "=", "bc": "-"})
    assert [(row.player, row.points) for row in table] == [
        ("a", Amount(3, 2)),
        ("c", Amount(3, 2)),
        ("b", Amount(0, 2)),
    ]


def test_the_meeting_of_two_equals_decides() -> None:
    table = rows("abcd", {"ab": "-", "ac": "+", "ad": "+", "bc": "-", "bd": "+", "cd": "-"}, (H2H,))
    assert order(table) == [(1, "b"), (2, "a"), (3, "d"), (4, "c")]
    assert [row.points.units for row in table] == [4, 4, 2, 2]
    assert [row.decided_by for row in table] == [H2H, H2H, "points", H2H]
    assert shown(table[0], H2H) == Amount(2, 2)


def test_head_to_head_is_applied_again_in_each_smaller_tie() -> None:
    """Among a, b, c, d, equal in points, d has 2, a and b 1½, c 1; and a has beaten b."""
    among = {"ab": "+", "ac": "-", "ad": "=", "bc": "+", "bd": "=", "cd": "-"}
    others = {"ae": "=", "be": "=", "ce": "+", "de": "-", "af": "+", "bf": "+", "cf": "+", "df": "+", "ef": "-"}
    table = rows("abcdef", {**among, **others}, (H2H,))
    assert order(table) == [(1, "d"), (2, "a"), (3, "b"), (4, "c"), (5, "e"), (6, "f")]
    assert [row.points.units for row in table] == [6, 6, 6, 6, 4, 2]
    assert [shown(row, H2H) for row in table[:4]] == [Amount(4, 2), Amount(2, 2), Amount(0, 2), Amount(2, 2)]


def test_a_circle_of_three_stays_equal_and_shares_a_rank() -> None:
    table = rows("abcd", {"ab": "+", "bc": "+", "ac": "-", "ad": "+", "bd": "+", "cd": "+"})
    assert order(table) == [(1, "a"), (1, "b"), (1, "c"), (4, "d")]
    assert [row.decided_by for row in table] == ["points"] * 4


def test_who_is_equal_in_everything_has_nothing_that_decided() -> None:
    table = rows("ab", {"ab": "="})
    assert order(table) == [(1, "a"), (1, "b")]
    assert [row.decided_by for row in table] == [None, None]


def test_after_a_shared_second_rank_comes_the_fourth() -> None:
    table = rows("abcd", {"ab": "+", "ac": "+", "ad": "+", "bc": "=", "bd": "+", "cd": "+"})
    assert order(table) == [(1, "a"), (2, "b"), (2, "c"), (4, "d")]


def test_wins_count_what_was_won_at_the_table() -> None:
    """b has a win by forfeit, c two draws: equal points, no win for either."""
    table = rows("abc", {"ba": "-", "bc": "=", "cb": "=", "ab": "f"}, (WINS,), 2)
    assert {row.player: shown(row, WINS) for row in table} == {"a": Amount(1), "b": Amount(0), "c": Amount(0)}


def test_a_forfeit_gives_the_point_to_the_opponent_and_a_double_one_to_nobody() -> None:
    table = rows("abc", {"ab": "f", "ac": "d", "bc": "+"})
    assert {row.player: row.points.units for row in table} == {"a": 0, "b": 4, "c": 0}


def test_a_rest_gives_nothing() -> None:
    table = rows("ab", {"a-": "+", "ab": "="})
    assert [row.points for row in table] == [Amount(1, 2), Amount(1, 2)]
    assert all(len(tiebreak.parts) == (tiebreak.name != WINS) for row in table for tiebreak in row.tiebreaks)


def test_sonneborn_berger_adds_the_points_of_those_beaten_and_half_of_those_drawn_with() -> None:
    table = rows("abcd", {"ab": "+", "ac": "=", "ad": "-", "bc": "+", "bd": "=", "cd": "-"}, (SB,))
    points = {row.player: row.points.units for row in table}
    assert points == {"a": 3, "b": 3, "c": 1, "d": 5}
    assert {row.player: shown(row, SB) for row in table} == {
        "a": Amount(2 * 3 + 1, 4),
        "b": Amount(2 * 1 + 5, 4),
        "c": Amount(3, 4),
        "d": Amount(2 * 3 + 3 + 2 * 1, 4),
    }


def test_the_parts_of_a_criterion_add_up_to_its_value() -> None:
    names, results = "abcdef", everybody("abcdef", 3)
    for row in rows(names, results, (H2H, WINS, SB, SCORE)):
        for tiebreak in row.tiebreaks:
            assert sum(part.amount.units for part in tiebreak.parts) == tiebreak.value.units
            assert {part.amount.per for part in tiebreak.parts} <= {tiebreak.value.per}


def test_game_scores_add_up_over_all_pairings() -> None:
    made = pairings({"ab": "=", "ac": "="}, {"ab": (3, -3), "ac": (4, 9)})
    table = tiebreaks.standings((SCORE,), 1, field("abc"), made)
    assert [(row.player, row.tiebreaks[0].value.units) for row in table] == [("a", 7), ("c", 9), ("b", -3)]


def test_the_mean_rating_of_opponents_is_rounded_half_up_over_what_was_played() -> None:
    made = pairings({"ab": "+", "ac": "+", "da": "f"})
    table = tiebreaks.standings((RATING,), 1, field("abcd", (1_500_000, 1_500_499, 1_501_000, 9_000_000)), made)
    assert {row.player: row.tiebreaks[0].value.units for row in table} == {"a": 1501, "b": 1500, "c": 1500, "d": 0}


def test_criteria_are_shown_in_the_order_applied_and_head_to_head_only_among_equals() -> None:
    table = rows("abc", {"ab": "+", "ac": "+", "bc": "="})
    assert [[tiebreak.name for tiebreak in row.tiebreaks] for row in table] == [[WINS, SB], [*DEFAULT], [*DEFAULT]]


def test_while_equals_have_still_to_meet_who_stays_alone_on_top_in_any_case_is_put_first() -> None:
    results = {"ab": "+", "ac": "+", "ad": "-", "ae": "-", "bd": "+", "be": "+", "cd": "+", "ce": "+"}
    table = rows("abcde", results, (H2H,))
    assert [row.points.units for row in table] == [4, 4, 4, 2, 2]
    assert order(table)[:3] == [(1, "a"), (2, "b"), (2, "c")]


def test_while_equals_have_still_to_meet_and_all_is_open_they_share_the_rank() -> None:
    table = rows("abcdef", {"ab": "+", "ea": "+", "bd": "+", "cd": "+", "ef": "+"}, (H2H,))
    assert order(table) == [(1, "e"), (2, "a"), (2, "b"), (2, "c"), (5, "d"), (5, "f")]


def everybody(names: str, seed: int) -> dict[str, str]:
    rng = Random(seed)
    return {a + b: rng.choice("+=-+-f") for a, b in combinations(names, 2)}


def value(results: Results, player: str, among: frozenset[str]) -> int:
    total = 0
    for pair, result in results.items():
        if player in pair and set(pair) <= among | {player}:
            ranks = RANKS[result]
            mine, other = ranks if pair[0] == player else ranks[::-1]
            total += 2 if mine < other else mine == other == 1
    return total


def reference(names: str, results: Results) -> list[list[str]]:
    """The groups of equals by points, head-to-head, wins, Sonneborn-Berger, written out naively."""
    points = {name: value(results, name, frozenset(names)) for name in names}

    def beaten(name: str) -> list[tuple[str, int, str]]:
        return [
            (pair.replace(name, ""), value({pair: result}, name, frozenset(names)), result)
            for pair, result in results.items()
            if name in pair
        ]

    wins = {name: sum(got == 2 and result != "f" for _, got, result in beaten(name)) for name in names}
    sb = {name: sum(got * points[other] for other, got, _ in beaten(name)) for name in names}

    def split(group: list[str], level: int) -> list[list[str]]:
        if len(group) == 1 or level == 4:
            return [sorted(group)]
        head = {name: value(results, name, frozenset(group)) for name in group}
        key = (points, head, wins, sb)[level]
        parts = [
            [name for name in group if key[name] == worth] for worth in sorted({key[n] for n in group}, reverse=True)
        ]
        after = level if level == 1 and len(parts) > 1 else level + 1
        return [deep for part in parts for deep in split(part, after)]

    return split(list(names), 0)


@pytest.mark.parametrize("seed", range(150))
def test_the_order_is_that_of_a_naive_count(seed: int) -> None:
    names = "abcdefgh"[: 4 + seed % 5]
    results = everybody(names, seed)
    table = rows(names, results)
    groups: dict[int, list[str]] = {}
    for row in table:
        groups.setdefault(row.rank, []).append(row.player)
    assert [sorted(group) for group in groups.values()] == reference(names, results)
