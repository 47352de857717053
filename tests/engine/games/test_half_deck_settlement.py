from collections.abc import Iterator
from itertools import permutations, product

import pytest

from engine.games.half_deck_settlement import Pair, Payout, Showdown, settle
from tests.engine.games.half_deck_reference import play_out

Situation = tuple[Pair, Pair, int | None, tuple[bool, bool]]
"""Stacks, raises, who swaps, who folds."""


def situations(most: int) -> Iterator[Situation]:
    """Every way in which two stacks of 1…`most` chips can be raised, swapped, called and folded."""
    for stacks in product(range(1, most + 1), range(1, most + 1)):
        for raises in product(range(stacks[0] + 1), range(stacks[1] + 1)):
            swaps = [None] if raises[0] == raises[1] else [None, 0 if raises[0] > raises[1] else 1]
            first_folds, second_folds = ((False, True) if chips else (False,) for chips in reversed(raises))
            for swapper, first, second in product(swaps, first_folds, second_folds):
                yield stacks, raises, swapper, (first, second)


def deals(lowest: tuple[int, ...]) -> Iterator[tuple[Pair, Pair]]:
    """Every order of four cards: Alpha and Beta of seat 0, the same of seat 1."""
    for a, b, c, d in permutations(lowest):
        yield (a, b), (c, d)


ALIKE = [(1, 2, 6, 9), (1, 5, 6, 9), (2, 5, 6, 9), (4, 5, 6, 9)]
"""Beside their order, only a 1 and a 2 matter: each four cards are like one of these."""


def settled(situation: Situation, dealt: tuple[Pair, Pair]) -> Payout:
    stacks, raises, swapper, folded = situation
    lying = tuple(cards[::-1] if seat == swapper else cards for seat, cards in enumerate(dealt))
    return settle(stacks, Showdown((lying[0], lying[1]), raises, swapper, folded))


def refereed(situation: Situation, dealt: tuple[Pair, Pair]) -> tuple[Pair, Pair, int]:
    stacks, raises, swapper, folded = situation
    cards = {(player, place): dealt[s][p] for s, player in enumerate("LR") for p, place in enumerate(("alpha", "beta"))}
    table = play_out(
        dict(zip("LR", stacks, strict=True)),
        dict(zip("LR", raises, strict=True)),
        cards,
        None if swapper is None else "LR"[swapper],
        {player for player, folds in zip("LR", folded, strict=True) if folds},
    )
    assert table.pot == {"alpha": 0, "beta": 0}
    return (table.purse["L"], table.purse["R"]), (table.debt["L"], table.debt["R"]), table.bank


def assert_agrees(situation: Situation, dealt: tuple[Pair, Pair]) -> Payout:
    payout = settled(situation, dealt)
    stacks, debts, bank = refereed(situation, dealt)
    assert (payout.stacks, payout.debts) == (stacks, debts), (situation, dealt)
    assert sum(payout.stacks) + bank == sum(situation[0]), (situation, dealt)
    assert min(payout.stacks) >= 0
    assert bank >= 2 or 0 in payout.stacks
    return payout


@pytest.mark.parametrize("lowest", ALIKE)
def test_every_situation_of_small_stacks_settles_as_the_second_referee_says(lowest: tuple[int, ...]) -> None:
    dealt = list(deals(lowest))
    met = set()
    for situation in situations(6):
        for cards in dealt:
            payout = assert_agrees(situation, cards)
            met.add((payout.stacks[0] == 0, payout.stacks[1] == 0, payout.debts[0] > 0, payout.debts[1] > 0))
    assert {(False, False, False, False), (True, False, True, False), (False, True, False, True)} <= met
    assert (True, True, False, False) in met


def test_every_deal_settles_as_the_second_referee_says() -> None:
    ways = [
        (stacks, raises, swapper, (first, second))
        for stacks, raises in (((40, 40), (3, 4)), ((12, 5), (8, 5)), ((2, 3), (2, 2)))
        for swapper in ([None] if raises[0] == raises[1] else [None, 0 if raises[0] > raises[1] else 1])
        for first, second in product((False, True), repeat=2)
    ]
    for a, b, c, d in permutations(range(1, 11), 4):
        for situation in ways:
            assert_agrees(situation, ((a, b), (c, d)))


def test_a_relabelling_that_keeps_order_and_penalties_changes_no_payout() -> None:
    for situation in situations(3):
        for one, two in zip(deals((2, 4, 5, 6)), deals((2, 3, 7, 10)), strict=True):
            assert settled(situation, one) == settled(situation, two)
