"""What holds of every result under `elo/1`."""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from hypothesis import given
from hypothesis import strategies as st

from engine.ladder.elo import CEILING, FLOOR, Change, Entrant, changes, expected, k_factor, shown
from tests.engine.ladder.results import MIDDLE, gains, results


def scored(own: Entrant, other: Entrant) -> Fraction:
    return Fraction((own.rank < other.rank) - (own.rank > other.rank) + 1, 2)


def exact(result: Sequence[Entrant]) -> list[Fraction]:
    """K·D/√(N−1) by the text of ladder.md, with the root in millionths."""
    root = Fraction(isqrt(4 * (len(result) - 1) * 10**12) + 1 >> 1, 10**6)
    found = []
    for own in result:
        others = [other for other in result if other != own]
        hoped = [Fraction(expected(shown(own.rating - other.rating)), 10**6) for other in others]
        surplus = sum((scored(own, other) for other in others), Fraction()) - sum(hoped, Fraction())
        found.append(k_factor(own.games) * surplus / root)
    return found


@given(results(ratings=MIDDLE, games=20))
def test_with_equal_k_gains_and_losses_add_up_to_nothing(result: list[Entrant]) -> None:
    assert sum(gains(changes(result))) == 0


@given(results(ratings=MIDDLE))
def test_with_any_k_gains_add_up_to_the_exact_sum_rounded(result: list[Entrant]) -> None:
    assert abs(sum(gains(changes(result))) - sum(exact(result), Fraction())) <= Fraction(1, 2)


@given(results(ratings=MIDDLE))
def test_every_gain_is_within_a_milli_point_of_the_formula(result: list[Entrant]) -> None:
    assert all(abs(gain - ideal) < 1 for gain, ideal in zip(gains(changes(result)), exact(result), strict=True))


@given(results(), st.data())
def test_the_order_of_seats_changes_nothing(result: list[Entrant], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(result))
    assert sorted(changes(shuffled)) == sorted(changes(result))
    assert [change.player for change in changes(shuffled)] == [entrant.player for entrant in shuffled]


@given(results(ratings=MIDDLE))
def test_of_equals_the_lower_player_id_gets_the_milli_point_left_over(result: list[Entrant]) -> None:
    alike = [entrant._replace(rating=1_500_000, games=9) for entrant in result]
    by_rank: dict[int, list[int]] = {}
    ranks = {entrant.player: entrant.rank for entrant in alike}
    for change in sorted(changes(alike)):
        by_rank.setdefault(ranks[change.player], []).append(change.after - change.before)
    for of_rank in by_rank.values():
        assert of_rank == sorted(of_rank, reverse=True)
        assert of_rank[0] - of_rank[-1] <= 1


@given(results(ratings=MIDDLE), st.data())
def test_a_better_place_never_gains_less(result: list[Entrant], data: st.DataObject) -> None:
    seat = data.draw(st.integers(0, len(result) - 1))
    better = [*result]
    # Ahead of others or level with one of them; the others keep their order.
    better[seat] = result[seat]._replace(rank=data.draw(st.integers(0, result[seat].rank)))
    assert gains(changes(better))[seat] >= gains(changes(result))[seat]


@given(results())
def test_no_step_is_larger_than_k_times_the_root_of_the_opponents(result: list[Entrant]) -> None:
    for change in changes(result):
        assert (abs(change.after - change.before) - 1) ** 2 <= change.k**2 * (len(result) - 1)


@given(results(ratings=MIDDLE) | results(ratings=(1_999_000, 4_000_000), games=900))
def test_who_is_first_alone_gains_and_who_is_last_alone_loses(result: list[Entrant]) -> None:
    ranks = [entrant.rank for entrant in result]
    for entrant, gain in zip(result, gains(changes(result)), strict=True):
        if ranks.count(entrant.rank) == 1 and entrant.rank == min(ranks):
            assert gain >= 1
        if ranks.count(entrant.rank) == 1 and entrant.rank == max(ranks):
            assert gain <= -1


@given(results())
def test_ratings_stay_within_their_bounds(result: list[Entrant]) -> None:
    assert all(FLOOR <= change.after <= CEILING for change in changes(result))


@given(results(), results())
def test_k_depends_on_the_players_own_games_and_on_nobody_else(one: list[Entrant], other: list[Entrant]) -> None:
    def k(result: list[Entrant]) -> Change:
        return next(change for change in changes(result) if change.player == "ply_0")

    games = next(entrant.games for entrant in one if entrant.player == "ply_0")
    as_many = [e._replace(games=games) if e.player == "ply_0" else e for e in other]
    assert k(one).k == k(as_many).k == k_factor(games)


@given(results())
def test_what_is_shown_of_the_pairs_explains_the_change(result: list[Entrant]) -> None:
    for change in changes(result):
        if FLOOR < change.after < CEILING:
            total = sum(pair.score - pair.expected for pair in change.pairs)
            root = isqrt(4 * len(change.pairs) * 10**12) + 1 >> 1
            assert change.after - change.before - change.k * total // root in (0, 1)
