"""What a decision pays, to the card, and how the cards come back (rules/micro-poker.md, steps 4 and 5)."""

from typing import Any

import pytest

from engine.games.micro_state import State
from engine.games.protocol import Event, Step
from engine.types import Action, Seat
from tests.engine.games.micro_rig import (
    FREE,
    HONEST,
    LIAR,
    PASS,
    Shuffles,
    accuse,
    decide,
    declared,
    laid,
    say,
    texts,
    trust,
)

BANKS = ("2h3h", "5h6h", "7h8h")
OWN = "2dAd"
DECK = "2c3c4c5c6c7c8c9cTc"
HONEST_SEAT, LIAR_SEAT = 1, 2


def played(action: Action, scoring: str = "base", *, third: str = LIAR, **laying: Any) -> Step[State]:
    """The tourist, seat 0, decides about an honest seat 1 and a seat 2 that holds `third` and declares a high card."""
    laying = {"banks": BANKS, "deck": DECK} | laying
    state = declared(laid(OWN, HONEST, third, scoring=scoring, **laying), say("pair"), say("high-card"))
    return decide(state, action)


def banked(events: tuple[Event, ...]) -> list[tuple[Seat | None, Any]]:
    return [(event.seat, event.data) for event in events if event.type == "banked"]


def banks(step: Step[State]) -> list[str]:
    return texts(step.state.table.banks)


@pytest.mark.parametrize(
    ("scoring", "action", "expected"),
    [
        ("base", trust(HONEST_SEAT), ["2h3h" + "2c3c4c", "5h6h" + HONEST, "7h8h"]),
        ("base", trust(LIAR_SEAT), ["2h", "5h6h", "7h8h" + LIAR + "3h"]),
        ("base", accuse(LIAR_SEAT), ["2h3h" + "8h", "5h6h", "7h"]),
        ("base", accuse(HONEST_SEAT), ["2h", "5h6h" + "3h", "7h8h"]),
        ("trust-only", trust(HONEST_SEAT), ["2h3h" + OWN, "5h6h" + HONEST, "7h8h"]),
        ("trust-only", trust(LIAR_SEAT), ["2h3h", "5h6h", "7h8h" + LIAR]),
        ("trust-only", accuse(LIAR_SEAT), ["2h3h", "5h6h", "7h8h"]),
        ("trust-only", accuse(HONEST_SEAT), ["2h", "5h6h", "7h8h"]),
        ("base", PASS, list(BANKS)),
        ("trust-only", PASS, list(BANKS)),
    ],
)
def test_each_cell_of_the_table_pays_what_the_page_says(scoring: str, action: Action, expected: list[str]) -> None:
    assert banks(played(action, scoring)) == expected


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (trust(HONEST_SEAT), ["2c3c4c", HONEST, ""]),
        (trust(LIAR_SEAT), ["", "", LIAR + "2c"]),
        (accuse(LIAR_SEAT), ["2c", "", ""]),
        (accuse(HONEST_SEAT), ["", "2c", ""]),
    ],
)
def test_for_an_empty_bank_the_deck_pays(action: Action, expected: list[str]) -> None:
    assert banks(played(action, banks=("", "", ""))) == expected


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (trust(HONEST_SEAT), ["", HONEST, ""]),
        (trust(LIAR_SEAT), ["", "", LIAR]),
        (accuse(LIAR_SEAT), ["", "", ""]),
        (accuse(HONEST_SEAT), ["", "", ""]),
    ],
)
def test_when_the_deck_is_empty_too_nothing_pays(action: Action, expected: list[str]) -> None:
    assert banks(played(action, banks=("", "", ""), deck="")) == expected


def test_of_the_cards_due_from_the_deck_there_are_as_many_as_it_has() -> None:
    step = played(trust(HONEST_SEAT), deck="2c3c")
    assert banks(step) == ["2h3h2c3c", "5h6h" + HONEST, "7h8h"]
    assert banked(step.events)[1] == (0, {"from": "deck", "cards": 2})


def test_in_trust_only_nothing_is_lost_from_an_empty_bank() -> None:
    step = played(accuse(HONEST_SEAT), "trust-only", banks=("", "5h6h", "7h8h"))
    assert banks(step) == ["", "5h6h", "7h8h"]
    assert "fined" not in [event.type for event in step.events]


@pytest.mark.parametrize(
    ("said", "action", "expected"),
    [
        ("three-of-a-kind", trust(2), ["2h3h" + "2c3c4c", "5h6h", "7h8h" + FREE]),
        ("pair", trust(2), ["2h", "5h6h", "7h8h" + FREE + "3h"]),
        ("three-of-a-kind", accuse(2), ["2h", "5h6h", "7h8h" + "3h"]),
        ("pair", accuse(2), ["2h3h" + "8h", "5h6h", "7h"]),
    ],
)
def test_a_free_seat_is_honest_or_lying_by_what_it_declared(said: str, action: Action, expected: list[str]) -> None:
    state = declared(laid(OWN, HONEST, FREE, banks=BANKS, deck=DECK), say("pair"), say(said))
    assert banks(decide(state, action)) == expected


def test_with_ranks_the_right_category_with_a_wrong_rank_is_a_lie() -> None:
    laying: dict[str, Any] = {"banks": BANKS, "declaration": "category-rank"}
    state = declared(laid(OWN, HONEST, FREE, **laying), say("pair", "J"), say("three-of-a-kind", "9"))
    assert banks(decide(state, accuse(2))) == ["2h3h8h", "5h6h", "7h"]


@pytest.mark.parametrize(
    ("scoring", "action", "expected"),
    [
        ("base", trust(1), [(1, {"from": "hand", "cards": 3}), (0, {"from": "deck", "cards": 3})]),
        ("base", trust(2), [(2, {"from": "hand", "cards": 3}), (2, {"from": "bank", "cards": 1, "of": 0})]),
        ("base", accuse(2), [(0, {"from": "bank", "cards": 1, "of": 2})]),
        ("base", accuse(1), [(1, {"from": "bank", "cards": 1, "of": 0})]),
        ("trust-only", trust(1), [(1, {"from": "hand", "cards": 3}), (0, {"from": "hand", "cards": 2})]),
        ("trust-only", trust(2), [(2, {"from": "hand", "cards": 3})]),
        ("trust-only", accuse(2), []),
    ],
)
def test_everybody_is_told_how_many_cards_were_banked_and_whence(
    scoring: str, action: Action, expected: list[Any]
) -> None:
    assert banked(played(action, scoring).events) == expected


def test_the_lost_card_of_trust_only_is_told_without_its_face() -> None:
    events = played(accuse(HONEST_SEAT), "trust-only").events
    assert [(e.seat, e.data, e.secret) for e in events if e.type == "fined"] == [(0, {"cards": 1}, {})]


FOUR = ("2s3s", HONEST, LIAR, "5d9dTd")
"""Seats 1 and 2 are honest and lying; with seat 3 as the tourist its hand has two cards and seat 0's three."""


def returned(
    action: Action, hands: tuple[str, ...] = FOUR, tourist: Seat = 0, **given: Any
) -> tuple[str, list[str], str]:
    """The deck that is shuffled at the end of turn 7, and the hands and the deck of the next turn's declarations."""
    laying: dict[str, Any] = {"tourist": tourist, "turn": 7, "max_turns": 90, "deck": DECK} | given
    shuffles = Shuffles()
    state = laid(*hands, **laying)
    step = decide(declared(state), action, shuffles)
    assert list(shuffles.seen) == ["micro/turn=7/return"]
    (order,) = shuffles.seen["micro/turn=7/return"]
    return "".join(order), texts(step.state.table.hands), "".join(step.state.table.deck)


def test_hands_return_behind_the_deck_in_seat_order_after_the_tourist_and_each_as_it_was_held() -> None:
    turned = ("5d9dTd", HONEST, "2s3s", LIAR)
    order, _, _ = returned(PASS, turned, tourist=2)
    assert order == DECK + LIAR + "5d9dTd" + HONEST


def test_a_banked_hand_does_not_return() -> None:
    order, _, _ = returned(trust(1), banks=("6s", "", "", ""))
    assert order == DECK[6:] + LIAR + "5d9dTd"


def test_the_lost_card_of_trust_only_returns_ahead_of_the_hands() -> None:
    order, _, _ = returned(accuse(1), scoring="trust-only", banks=("6s7s", "", "", ""))
    assert order == DECK + "7s" + HONEST + LIAR + "5d9dTd"


def test_after_the_shuffle_all_strangers_take_two_and_then_the_next_strangers_draw() -> None:
    _, hands, deck = returned(accuse(2), banks=("", "", "6s", ""), turn=7)
    # Seats 1, 2 and 3 take 2c3c, 4c5c and 6c7c; seat 0 keeps its two; with seat 1 as the tourist 2, 3 and 0 draw.
    assert hands == ["2s3s" + "Tc", "2c3c", "4c5c" + "8c", "6c7c" + "9c"]
    assert deck == HONEST + LIAR + "5d9dTd"


def test_a_tourist_that_banked_its_own_two_takes_new_ones_last() -> None:
    _, hands, deck = returned(trust(1), scoring="trust-only", deck=DECK + "JcQc")
    assert hands == ["8c9c" + "Qc", "2c3c", "4c5c" + "Tc", "6c7c" + "Jc"]
    assert deck == LIAR + "5d9dTd"


def test_chosen_only_returns_the_chosen_hand_and_of_the_others_only_what_they_drew() -> None:
    order, hands, deck = returned(accuse(2), hand_rule="chosen-only", banks=("", "", "6s", ""))
    assert order == DECK + "Jc" + LIAR + "Td"
    assert hands == ["2s3s" + "6c", "7dJh", "2c3c" + "4c", "5d9d" + "5c"]
    assert deck == "7c8c9cTc" + "Jc" + LIAR + "Td"


def test_chosen_only_gives_two_new_cards_to_a_chosen_seat_that_banked_its_hand() -> None:
    order, hands, _ = returned(trust(2), hand_rule="chosen-only", banks=("6s", "", "", ""))
    assert order == DECK + "Jc" + "Td"
    assert hands == ["2s3s" + "6c", "7dJh", "2c3c" + "4c", "5d9d" + "5c"]


def test_chosen_only_chooses_nobody_after_a_pass() -> None:
    order, hands, _ = returned(PASS, hand_rule="chosen-only")
    assert order == DECK + "Jc" + "4s" + "Td"
    assert hands == ["2s3s" + "4c", "7dJh", "4h9c" + "2c", "5d9d" + "3c"]
