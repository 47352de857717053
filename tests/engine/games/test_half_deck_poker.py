import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import deal, games
from engine.errors import IllegalAction, Refused
from engine.games import half_deck_poker as half_deck
from engine.games import options
from engine.games.half_deck_poker import State
from engine.games.protocol import Event, Standing
from engine.types import Action
from tests.engine.games.half_deck_table import (
    CALL,
    CHANCE,
    FOLD,
    STAY,
    SWAP,
    apply,
    begin,
    bet,
    close,
    play,
    rich,
    swap,
)


def test_each_round_is_dealt_from_its_own_label() -> None:
    state = half_deck.new(options.complete(half_deck.OPTIONS, {}, 2), 2, CHANCE)
    for number in (1, 2):
        cards = CHANCE(f"half/round={number}").shuffle(range(1, 11))
        for seat in (0, 1):
            view = half_deck.view(state, seat)
            assert view["cards"] == {"alpha": cards[2 * seat], "beta": cards[2 * seat + 1]}
            assert view["seen"] == sorted(cards[4 + 3 * seat : 7 + 3 * seat])
        state = play(state, (1, 1), None, (CALL, CALL)).state


@pytest.mark.parametrize(("chips", "asked"), [((3, 3), (0, 1)), ((4, 3), (0,)), ((3, 4), (1,))])
def test_only_the_seat_that_raised_more_is_asked_to_swap(chips: tuple[int, int], asked: tuple[int, ...]) -> None:
    state = bet(begin(), *chips)
    assert half_deck.pending(state) == asked
    assert state.phase == ("calling" if len(asked) == 2 else "swapping")


@pytest.mark.parametrize("seat", [0, 1])
def test_a_swap_moves_the_cards_and_leaves_the_bets(seat: int) -> None:
    state = bet(begin(), *((5, 3) if seat == 0 else (3, 5)))
    before = [half_deck.view(state, viewer)["cards"] for viewer in (0, 1)]
    state = swap(state, True)
    after = [half_deck.view(state, viewer)["cards"] for viewer in (0, 1)]
    assert after[seat] == {"alpha": before[seat]["beta"], "beta": before[seat]["alpha"]}
    assert after[1 - seat] == before[1 - seat]
    assert half_deck.view(state, 0)["raises"] == ([5, 3] if seat == 0 else [3, 5])


def test_a_seat_that_does_not_swap_keeps_its_cards_where_they_lie() -> None:
    state = bet(begin(), 5, 3)
    assert half_deck.view(swap(state, False), 0)["cards"] == {"alpha": 8, "beta": 4}


def test_against_a_raise_of_nothing_only_a_call_is_legal_and_is_asked_all_the_same() -> None:
    state = swap(bet(begin(min_raise=0), 0, 4), False)
    assert half_deck.pending(state) == (0, 1)
    assert half_deck.legal_actions(state, 1).actions == ({"type": "call"},)
    assert half_deck.missed_action(state, 1) == {"type": "call"}
    with pytest.raises(IllegalAction, match=r"must be one of: call$"):
        half_deck.check(state, 1, {"type": "fold"})
    assert half_deck.legal_actions(state, 0).actions == ({"type": "call"}, {"type": "fold"})
    state = bet(begin(min_raise=0), 0, 0)
    assert [half_deck.legal_actions(state, seat).actions for seat in (0, 1)] == [({"type": "call"},)] * 2


def test_an_unfinished_match_stands_by_the_last_payout_and_open_bets_count_for_nobody() -> None:
    state = bet(rich(begin(), 30, 31), 30, 1)
    assert half_deck.standing(state) == Standing((2, 1), (30, 31))
    assert half_deck.standing(begin()) == Standing((1, 1), (40, 40))


@pytest.mark.parametrize(("min_raise", "lowest"), [(0, 0), (1, 1)])
def test_a_raise_is_from_the_lowest_to_the_own_stack(min_raise: int, lowest: int) -> None:
    state = rich(begin(min_raise=min_raise), 7, 73)
    for seat, stack in ((0, 7), (1, 73)):
        actions = half_deck.legal_actions(state, seat).actions
        assert [action["chips"] for action in actions] == list(range(lowest, stack + 1))
        assert all(half_deck.check(state, seat, action) == action for action in actions)
        for chips in (lowest - 1, stack + 1):
            with pytest.raises(IllegalAction, match=f"chips must be an integer from {lowest} to {stack}"):
                half_deck.check(state, seat, {"type": "raise", "chips": chips})


def test_the_largest_stack_of_all_may_be_raised_in_full() -> None:
    state = rich(begin(start_chips=200), 399, 1)
    assert half_deck.legal_actions(state, 0).actions[-1] == {"type": "raise", "chips": 399}


RAISING = begin()
SWAPPING = bet(begin(), 3, 4)
CALLING = swap(SWAPPING, True)


@pytest.mark.parametrize(
    ("state", "action"),
    [
        (RAISING, {"type": "raise", "chips": True}),
        (RAISING, {"type": "raise", "chips": 1.0}),
        (RAISING, {"type": "raise", "chips": "1"}),
        (RAISING, {"type": "raise"}),
        (RAISING, {"type": "raise", "chips": 1, "place": "alpha"}),
        (RAISING, {"type": "call"}),
        (RAISING, {}),
        (SWAPPING, {"type": "swap", "swap": 1}),
        (SWAPPING, {"type": "swap", "swap": None}),
        (SWAPPING, {"type": "swap"}),
        (SWAPPING, {"type": "raise", "chips": 1}),
        (CALLING, {"type": "call", "chips": 3}),
        (CALLING, {"type": "check"}),
        (CALLING, {"type": "swap", "swap": True}),
    ],
)
def test_an_action_that_the_phase_does_not_ask_for_exactly_so_is_illegal(state: State, action: Action) -> None:
    with pytest.raises(IllegalAction):
        half_deck.check(state, 1, action)


def test_a_missed_action_is_the_lowest_raise_no_swap_and_a_fold() -> None:
    assert half_deck.missed_action(RAISING, 0) == {"type": "raise", "chips": 1}
    assert half_deck.missed_action(begin(min_raise=0), 0) == {"type": "raise", "chips": 0}
    assert half_deck.missed_action(SWAPPING, 1) == STAY
    assert half_deck.missed_action(CALLING, 0) == {"type": "fold"}


def test_whoever_is_not_asked_has_no_legal_action() -> None:
    assert half_deck.legal_actions(SWAPPING, 1).actions == (SWAP, STAY)
    assert half_deck.legal_actions(SWAPPING, 0).actions == ()
    over = play(rich(begin((3, 4), (5, 6)), 2, 40), (2, 2), None, (CALL, CALL)).state
    assert half_deck.legal_actions(over, 1).actions == ()


@pytest.mark.parametrize(
    "given", [{name: value} for name, value in [("start_chips", 9), ("start_chips", 201), ("min_raise", 2)]]
)
def test_an_option_out_of_bounds_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        options.chosen(half_deck.OPTIONS, given, 2)


def test_the_options_have_the_pages_defaults() -> None:
    assert options.complete(half_deck.OPTIONS, {}, 2) == {"start_chips": 40, "min_raise": 1}
    assert half_deck.new(options.complete(half_deck.OPTIONS, {"start_chips": 15}, 2), 2, CHANCE).stacks == (15, 15)


def test_choices_are_logged_first_and_in_full() -> None:
    raises = apply(RAISING, s0={"type": "raise", "chips": 3}, s1={"type": "raise", "chips": 4})
    assert raises.events == (Event("raise", 0, {"chips": 3}), Event("raise", 1, {"chips": 4}))
    assert apply(SWAPPING, s1=SWAP).events == (Event("swap", 1, {"swap": True}),)
    assert close(CALLING, FOLD, CALL).events[:2] == (Event("fold", 0), Event("call", 1))


def test_a_view_has_the_five_known_cards_and_what_both_have_chosen() -> None:
    view = half_deck.view(RAISING, 1)
    assert (view["cards"], view["seen"]) == ({"alpha": 2, "beta": 9}, [6, 7, 10])
    assert (view["phase"], view["raises"], view["swapper"]) == ("raising", None, None)
    assert (view["stacks"], view["bank"], view["debts"], view["finished"]) == ([40, 40], 0, [0, 0], [])
    view = half_deck.view(SWAPPING, 0)
    assert (view["phase"], view["raises"], view["swapper"]) == ("swapping", [3, 4], None)
    view = half_deck.view(CALLING, 0)
    assert (view["phase"], view["raises"], view["swapper"]) == ("calling", [3, 4], 1)


def test_a_spectator_sees_no_card_before_the_payout() -> None:
    for state in (RAISING, SWAPPING, CALLING):
        view = half_deck.view(state, None)
        assert (view["cards"], view["seen"]) == (None, None)


@pytest.mark.parametrize("phase", [RAISING, SWAPPING, CALLING])
def test_nothing_that_a_seat_is_told_depends_on_the_opponents_cards_before_the_payout(phase: State) -> None:
    """Seat 0 knows 8, 4 and 1, 3, 5: any of the other five may lie opposite."""
    for second in ((9, 2), (6, 7), (10, 2)):
        rest = [card for card in (2, 6, 7, 9, 10) if card not in second]
        other = phase._replace(deal=(8, 4, *second, 1, 3, 5, *rest))
        for viewer in (0, None):
            assert half_deck.view(other, viewer) == half_deck.view(phase, viewer)
        assert half_deck.legal_actions(other, 0) == half_deck.legal_actions(phase, 0)
        assert half_deck.standing(other) == half_deck.standing(phase)


def test_everything_of_a_finished_round_is_in_every_view() -> None:
    state = close(CALLING, FOLD, CALL).state
    for viewer in (0, 1, None):
        view = half_deck.view(state, viewer)
        assert (view["round"], view["stacks"], view["bank"]) == (2, [31, 45], 4)
        assert view["finished"] == [
            {
                "alpha": [8, 9],
                "beta": [4, 2],
                "seen": [[1, 3, 5], [6, 7, 10]],
                "raises": [3, 4],
                "swapper": 1,
                "folded": [True, False],
                "debts": [0, 0],
                "stacks": [31, 45],
            }
        ]


def test_a_finished_match_has_no_cards_in_play() -> None:
    state = play(rich(begin((3, 4), (5, 6)), 2, 40), (2, 2), None, (CALL, CALL)).state
    view = half_deck.view(state, 0)
    assert (view["phase"], view["cards"], view["seen"], view["raises"]) == ("over", None, None, None)
    assert (view["round"], len(view["finished"])) == (1, 1)


def test_a_match_of_nothing_but_antes_takes_as_many_rounds_as_chips() -> None:
    state = half_deck.new(options.complete(half_deck.OPTIONS, {"min_raise": 0, "start_chips": 12}, 2), 2, CHANCE)
    for _ in range(12):
        assert games.result(half_deck, state) is None
        state = play(state, (0, 0), None, (CALL, CALL)).state
    assert games.result(half_deck, state) == Standing((1, 1), (0, 0))


POLICIES: dict[str, Callable[[int, deal.Stream], int]] = {
    "first": lambda n, stream: 0,
    "last": lambda n, stream: n - 1,
    "low": lambda n, stream: stream.below(min(n, 3)),
    "high": lambda n, stream: n - 1 - stream.below(min(n, 3)),
    "any": lambda n, stream: stream.below(n),
}


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**64),
    policies=st.tuples(st.sampled_from(sorted(POLICIES)), st.sampled_from(sorted(POLICIES))),
    start_chips=st.sampled_from([10, 40]),
    min_raise=st.integers(0, 1),
)
def test_under_any_policy_chips_are_kept_and_the_match_ends_within_as_many_rounds_as_chips(
    seed: int, policies: tuple[str, str], start_chips: int, min_raise: int
) -> None:
    chosen = options.complete(half_deck.OPTIONS, {"start_chips": start_chips, "min_raise": min_raise}, 2)
    chance = deal.chance(bytes(32), str(seed), "half-deck-poker@1", [b"", b""])
    stream = chance("policy")
    state = half_deck.new(chosen, 2, chance)
    decisions = 0
    while asked := half_deck.pending(state):
        legal = {seat: half_deck.legal_actions(state, seat).actions for seat in asked}
        choices = {seat: legal[seat][POLICIES[policies[seat]](len(legal[seat]), stream)] for seat in asked}
        state = games.apply(half_deck, state, choices, chance).state
        decisions += 1
        view = half_deck.view(state, None)
        assert sum(state.stacks) + view["bank"] == 2 * start_chips
        assert min(*state.stacks, view["bank"]) >= 0
        assert half_deck.load(json.loads(json.dumps(half_deck.dump(state))), chosen, 2) == state
    assert len(state.finished) <= start_chips
    assert decisions <= half_deck.bound(chosen, 2)
