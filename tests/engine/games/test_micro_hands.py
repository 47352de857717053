"""Three-card hands: the page's counts, an independent referee, and every way in which a joker may stand for a card."""

from collections import Counter
from itertools import combinations, permutations

import pytest

from engine.cards import VALUES, deck, is_joker, unpack
from engine.games.micro_hands import CATEGORIES, Best, best, role

PAGE_COUNTS = {
    0: (48, 52, 720, 1096, 3744, 16440),
    1: (148, 130, 1020, 1308, 4380, 16440),
    2: (300, 208, 1320, 1520, 5016, 16440),
}
"""Hands by category, the best first, and by number of wild jokers (rules/micro-poker.md, "Fixtures")."""


def named(hand: str, wild: bool = True) -> tuple[str, int]:
    category, rank = best(unpack(hand), wild)
    return CATEGORIES[category], rank


@pytest.mark.parametrize(("jokers", "hands"), [(0, 22_100), (1, 23_426), (2, 24_804)])
def test_all_hands_by_category_are_as_many_as_the_page_says(jokers: int, hands: int) -> None:
    found = Counter(best(hand, True).category for hand in combinations(deck(jokers), 3))
    assert tuple(found[category] for category in reversed(range(6))) == PAGE_COUNTS[jokers]
    assert sum(found.values()) == hands


def test_all_hands_without_jokers_agree_with_pokerkit_in_category_and_in_order() -> None:
    lookups = pytest.importorskip(
        "pokerkit.lookups", reason="pokerkit, the referee of three-card hands, is not installed"
    )
    labels = {
        lookups.Label.HIGH_CARD: "high-card",
        lookups.Label.ONE_PAIR: "pair",
        lookups.Label.FLUSH: "flush",
        lookups.Label.STRAIGHT: "straight",
        lookups.Label.THREE_OF_A_KIND: "three-of-a-kind",
        lookups.Label.STRAIGHT_FLUSH: "straight-flush",
    }
    referee = lookups.RhodeIslandHoldemLookup()
    seen = []
    for hand in combinations(deck(), 3):
        entry = referee.get_entry("".join(hand))
        ours = best(hand, True)
        assert CATEGORIES[ours.category] == labels[entry.label], hand
        seen.append((entry.index, ours))
    # The referee goes on to compare kickers, so that of equals by ours either may be the better one.
    in_order = [ours for _, ours in sorted(seen)]
    assert in_order == sorted(in_order)
    assert len(seen) == 22_100


def test_a_wild_joker_is_worth_the_best_card_that_the_hand_does_not_hold() -> None:
    for natural in combinations(deck(), 2):
        stands_for = (card for card in deck() if card not in natural)
        assert best((*natural, "X1"), True) == max(best((*natural, card), True) for card in stands_for), natural


def test_two_wild_jokers_are_worth_the_best_two_cards_that_the_hand_does_not_hold() -> None:
    for card in deck():
        others = combinations([other for other in deck() if other != card], 2)
        assert best((card, "X1", "X2"), True) == max(best((card, *two), True) for two in others), card


def test_a_blank_joker_makes_a_pair_at_most_and_has_no_rank() -> None:
    for hand in combinations(deck(2), 3):
        naturals = [VALUES[card] for card in hand if not is_joker(card)]
        if len(naturals) < 3:
            is_pair = len(naturals) == 2 and naturals[0] == naturals[1]
            assert best(hand, False) == Best(CATEGORIES.index("pair" if is_pair else "high-card"), max(naturals)), hand


def test_without_a_joker_it_makes_no_difference_what_jokers_stand_for() -> None:
    assert all(best(hand, True) == best(hand, False) for hand in combinations(deck(), 3))


@pytest.mark.parametrize(
    ("hand", "category", "rank"),
    [
        ("Ad2c3h", "straight", 3),
        ("QdKcAh", "straight", 14),
        ("KdAc2h", "high-card", 14),
        ("KhAh2h", "flush", 14),
        ("Ad2d3d", "straight-flush", 3),
        ("QsKsAs", "straight-flush", 14),
        ("9d2c9h", "pair", 9),
        ("2d9c2h", "pair", 2),
        ("AdAcAh", "three-of-a-kind", 14),
        ("7d5c3h", "high-card", 7),
        ("5dX16d", "straight-flush", 7),
        ("X1Ad2d", "straight-flush", 3),
        ("X1Ah9h", "flush", 14),
        ("X15h9h", "flush", 14),
        ("X1KdTc", "pair", 13),
        ("X12dX2", "straight-flush", 4),
        ("X1AdX2", "straight-flush", 14),
        ("X14h4c", "three-of-a-kind", 4),
    ],
)
def test_straights_end_at_the_ace_and_the_rank_is_that_which_leads(hand: str, category: str, rank: int) -> None:
    assert named(hand) == (category, rank)


def test_the_order_held_makes_no_difference_to_what_a_hand_is_worth() -> None:
    for hand in ("4h9c4s", "5dX16d", "Ad2c3h", "9s2s4s"):
        assert len({best(cards, True) for cards in permutations(unpack(hand))}) == 1


def test_the_last_card_makes_twelve_cards_honest_two_free_and_forty_lying() -> None:
    assert Counter(role(("Jc", "X1", card)) for card in deck(2)) == {"honest": 12, "free": 2, "liar": 40}


def test_an_ace_drawn_last_makes_a_liar() -> None:
    assert role(unpack("JcQcAc")) == "liar"


def test_the_cards_before_the_last_do_not_change_the_role() -> None:
    assert [role(unpack(hand)) for hand in ("2c3cKd", "KdX1Jd", "2cX1X2")] == ["honest", "honest", "free"]
