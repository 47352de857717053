import pytest

from engine import games
from engine.games import half_deck_poker as half_deck
from engine.games.half_deck_poker import State
from engine.games.protocol import Standing, Step
from tests.engine.games.half_deck_table import CALL, FOLD, begin, bet, close, payout, play, rich, swap


def test_the_pages_fixture_and_the_seeds_example() -> None:
    step = play(begin(), (3, 4), True, (FOLD, CALL))
    assert step.state.stacks == (40 - 9, 40 + 5)
    assert payout(step) == {
        "round": 1,
        "alpha": [8, 9],
        "beta": [4, 2],
        "seen": [[1, 3, 5], [6, 7, 10]],
        "winners": [1, 1],
        "calls": [0, 3],
        "fines": [2, 0],
        "bonuses": [3, 0],
        "debts": [0, 0],
        "stacks": [31, 45],
        "bank": 4,
    }


def test_the_higher_card_takes_both_bets_at_each_place() -> None:
    step = play(begin((8, 4), (2, 9)), (6, 6), None, (CALL, CALL))
    assert payout(step)["winners"] == [0, 1]
    assert step.state.stacks == (39, 39)
    step = play(begin((8, 4), (2, 3)), (6, 5), False, (CALL, CALL))
    assert step.state.stacks == (40 + 6 + 5 - 1, 40 - 6 - 5 - 1)


def test_a_fold_gives_the_bet_back_to_the_other_seat_whatever_the_cards() -> None:
    step = play(begin((3, 10), (4, 5)), (6, 7), False, (FOLD, FOLD))
    assert payout(step)["winners"] == [0, 1]
    assert step.state.stacks == (39, 39)


def test_a_call_with_fewer_chips_sends_the_unmatched_part_of_the_raise_back() -> None:
    state = rich(begin((3, 10), (4, 5)), 40, 10)
    step = play(state, (20, 6), False, (CALL, CALL))
    assert payout(step)["calls"] == [6, 4]
    assert step.state.stacks == (40 - 4 + 6 - 1, 10 + 4 - 6 - 1)


def test_a_seat_with_nothing_left_may_still_call_for_nothing() -> None:
    state = bet(rich(begin((3, 10), (4, 5)), 40, 10), 20, 10)
    state = swap(state, False)
    assert half_deck.legal_actions(state, 1).actions == ({"type": "call"}, {"type": "fold"})
    step = close(state, FOLD, CALL)
    assert payout(step)["calls"] == [0, 0]
    assert payout(step)["winners"] == [1, 1]
    assert step.state.stacks == (39, 9)


@pytest.mark.parametrize(
    ("first", "second", "fines"),
    [
        ((8, 4), (3, 1), [5, 0]),
        ((8, 4), (3, 2), [2, 0]),
        ((8, 1), (3, 2), [0, 0]),
        ((8, 2), (3, 1), [5, 0]),
        ((8, 4), (3, 5), [0, 0]),
        ((1, 4), (8, 5), [0, 5]),
        ((2, 4), (8, 5), [0, 2]),
        ((2, 4), (1, 5), [0, 0]),
        ((1, 4), (8, 2), [2, 5]),
    ],
)
def test_a_fold_against_a_one_or_a_two_costs_even_when_both_fold(
    first: tuple[int, int], second: tuple[int, int], fines: list[int]
) -> None:
    step = play(begin(first, second), (3, 3), None, (FOLD, FOLD))
    assert payout(step)["fines"] == fines
    assert step.state.stacks == (39 - fines[0], 39 - fines[1])


def test_a_call_against_a_one_costs_nothing() -> None:
    assert payout(play(begin((8, 4), (3, 1)), (3, 3), None, (CALL, CALL)))["fines"] == [0, 0]


def test_a_fold_costs_by_the_cards_as_they_lie_after_a_swap() -> None:
    state = begin((8, 4), (1, 9))
    assert payout(play(state, (3, 4), True, (FOLD, CALL)))["fines"] == [5, 0]
    assert payout(play(state, (3, 4), False, (FOLD, CALL)))["fines"] == [0, 0]
    state = begin((8, 1), (2, 9))
    assert payout(play(state, (3, 4), True, (FOLD, CALL)))["fines"] == [0, 0]


@pytest.mark.parametrize(
    ("first", "second", "answers", "bonuses"),
    [
        pytest.param((8, 4), (7, 9), (CALL, CALL), [3, 0], id="won with both"),
        pytest.param((8, 10), (6, 5), (CALL, CALL), [0, 4], id="lost with both"),
        pytest.param((9, 4), (5, 7), (CALL, CALL), [3, 4], id="won with the lower, lost with the higher: not netted"),
        pytest.param((4, 8), (2, 9), (CALL, CALL), [0, 0], id="won with the higher, lost with the lower"),
        pytest.param((4, 8), (2, 9), (FOLD, CALL), [3, 0], id="won with the lower by a fold"),
        pytest.param((4, 8), (2, 9), (CALL, FOLD), [0, 4], id="lost with the higher by a fold"),
        pytest.param((4, 8), (2, 9), (FOLD, FOLD), [3, 4], id="both folded"),
    ],
)
def test_a_swap_pays_for_the_lower_card_that_won_and_costs_for_the_higher_that_lost(
    first: tuple[int, int], second: tuple[int, int], answers: tuple[str, str], bonuses: list[int]
) -> None:
    """Seat 1 raises 4 against 3 and swaps: `second` are its cards at Alpha and Beta before that."""
    assert payout(play(begin(first, second), (3, 4), True, answers))["bonuses"] == bonuses


def test_without_a_swap_there_is_no_bonus() -> None:
    state = begin((9, 4), (5, 7))
    assert payout(play(state, (3, 4), False, (CALL, CALL)))["bonuses"] == [0, 0]
    assert payout(play(state, (4, 4), None, (CALL, CALL)))["bonuses"] == [0, 0]


def test_the_swappers_raise_counts_as_announced_where_a_part_went_back() -> None:
    step = play(rich(begin((3, 7), (8, 5)), 40, 10), (20, 6), True, (CALL, CALL))
    assert payout(step)["calls"] == [6, 4]
    assert payout(step)["bonuses"] == [20, 0]
    assert step.state.stacks == (40 - 4 - 6 - 20 - 1, 10 + 4 + 6 + 20 - 1)


def test_the_other_raise_counts_as_announced_where_a_part_went_back() -> None:
    step = play(rich(begin((9, 3), (2, 5)), 21, 40), (20, 6), True, (CALL, CALL))
    assert payout(step)["calls"] == [1, 20]
    assert payout(step)["bonuses"] == [0, 6]
    assert step.state.stacks == (21 + 20 + 1 + 6 - 1, 40 - 20 - 1 - 6 - 1)


def test_nobody_pays_more_than_they_have_and_the_rest_is_debt() -> None:
    step = play(rich(begin((8, 4), (3, 1)), 3, 30), (2, 3), False, (FOLD, FOLD))
    assert payout(step)["fines"] == [5, 0]
    assert payout(step)["debts"] == [2 + 1, 0]
    assert step.state.stacks == (0, 29)


def in_debt_with_chips() -> Step[State]:
    """Seat 0 can't pay its fine, nor the bonus, and is then paid a bonus itself."""
    return play(rich(begin((8, 4), (1, 5)), 3, 30), (2, 4), True, (FOLD, FOLD))


def test_no_income_of_the_same_step_or_a_later_one_pays_a_debt() -> None:
    step = in_debt_with_chips()
    assert (payout(step)["fines"], payout(step)["bonuses"]) == ([5, 0], [2, 4])
    assert payout(step)["debts"] == [2 + 2, 0]
    assert step.state.stacks == (3 - 3 + 4 - 1, 30 - 4 - 1)
    assert half_deck.pending(step.state) == (0, 1)


def test_a_debt_is_of_its_round_only() -> None:
    state = in_debt_with_chips().state
    assert half_deck.view(state, None)["debts"] == [4, 0]
    assert half_deck.standing(state._replace(stacks=(20, 20))).ranks == (1, 1)
    state = state._replace(deal=tuple(range(1, 11)))
    state = play(state, (1, 1), None, (CALL, CALL)).state
    assert half_deck.view(state, None)["debts"] == [0, 0]


def test_a_stack_of_nothing_after_the_payout_loses() -> None:
    state = play(rich(begin((3, 4), (5, 6)), 2, 40), (2, 2), None, (CALL, CALL)).state
    assert half_deck.pending(state) == ()
    assert games.result(half_deck, state) == Standing((2, 1), (0, 41))


def test_a_stack_of_nothing_before_the_payout_may_come_back() -> None:
    state = play(rich(begin((8, 9), (5, 6)), 2, 40), (2, 2), None, (CALL, CALL)).state
    assert half_deck.pending(state) == (0, 1)
    assert state.stacks == (2 + 2 - 1, 40 - 2 - 1)


@pytest.mark.parametrize(
    ("first", "second", "answers", "debts", "ranks"),
    [
        ((8, 4), (3, 1), (FOLD, CALL), (5, 0), (2, 1)),
        ((1, 4), (8, 2), (FOLD, FOLD), (2, 5), (1, 2)),
        ((8, 4), (3, 1), (CALL, CALL), (0, 0), (1, 1)),
    ],
)
def test_when_both_have_nothing_the_smaller_debt_wins_and_equal_debts_draw(
    first: tuple[int, int],
    second: tuple[int, int],
    answers: tuple[str, str],
    debts: tuple[int, int],
    ranks: tuple[int, int],
) -> None:
    state = play(rich(begin(first, second), 1, 1), (1, 1), None, answers).state
    assert half_deck.view(state, None)["debts"] == list(debts)
    assert games.result(half_deck, state) == Standing(ranks, (0, 0))
