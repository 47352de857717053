"""Micro Poker's turns: the deal, what follows a decision, the ends and the order of the seats."""

import json
from collections.abc import Iterator
from itertools import product
from typing import Any, cast

import pytest

from engine import games
from engine.cards import deck, unpack
from engine.deal import chance
from engine.errors import IllegalAction, Refused
from engine.games import micro_poker as micro
from engine.games.micro_scoring import Table
from engine.games.micro_state import State
from engine.types import Action
from tests.engine.games.micro_rig import (
    GAME,
    HONEST,
    LIAR,
    PASS,
    accuse,
    decide,
    declared,
    kinds,
    laid,
    moments_of,
    no_chance,
    options,
    ordinary,
    random_match,
    texts,
    trust,
)

TABLES = range(3, 7)


def over(*banks: str) -> State:
    """A finished match with these banks."""
    return laid(*[""] * len(banks), banks=banks)._replace(ended="deck-short")


def test_the_game_is_registered_under_its_id() -> None:
    assert games.find("micro-poker") is GAME


@pytest.mark.parametrize("seats", TABLES)
@pytest.mark.parametrize("jokers", [0, 1, 2])
def test_two_cards_each_from_seat_0_and_one_more_for_each_stranger_after_the_drawn_tourist(
    seats: int, jokers: int
) -> None:
    deal = chance(bytes(32), f"match-{seats}", "micro-poker@1", [b""] * seats)
    first = deal("micro/first").below(seats)
    cards = list(deal("micro/deal").shuffle(deck(jokers)))
    hands = [[cards.pop(0), cards.pop(0)] for _ in range(seats)]
    for i in range(1, seats):
        hands[(first + i) % seats].append(cards.pop(0))
    state = micro.new(options(seats, jokers=jokers), seats, deal)
    assert (state.turn, state.tourist) == (1, first)
    assert [list(hand) for hand in state.table.hands] == hands
    assert list(state.table.deck) == cards
    assert state.table.banks == ((),) * seats


def test_any_seat_may_be_drawn_as_the_first_tourist() -> None:
    firsts = {micro.new(options(3), 3, chance(bytes([i] * 32), "m", "r", [b""] * 3)).tourist for i in range(20)}
    assert firsts == {0, 1, 2}


@pytest.mark.parametrize(
    ("given", "seats"),
    [
        ({"jokers": 3}, 3),
        ({"jokers": True}, 3),
        ({"joker_hand": "tame"}, 3),
        ({"max_turns": 0}, 3),
        ({"max_turns": 91}, 3),
        ({"max_turns": 181}, 6),
        ({"turns": 4}, 3),
    ],
)
def test_options_out_of_bounds_are_refused(given: dict[str, Any], seats: int) -> None:
    with pytest.raises(Refused):
        options(seats, **given)


def test_by_default_there_are_two_wild_jokers_remarks_base_scoring_and_eight_turns_a_seat() -> None:
    assert options(4) == {
        "jokers": 2,
        "joker_hand": "wild",
        "table_talk": "remarks",
        "declaration": "category",
        "scoring": "base",
        "hand_rule": "reset-all",
        "max_turns": 32,
    }


def test_the_tourist_may_trust_or_accuse_each_stranger() -> None:
    state = declared(laid(HONEST, "2dAd", LIAR, "5c6c9d", tourist=1))
    assert micro.legal_actions(state, 1).actions == (*map(trust, (0, 2, 3)), *map(accuse, (0, 2, 3)))
    assert micro.legal_actions(state, 1).optional == {}


@pytest.mark.parametrize(
    "action",
    [
        trust(0),
        trust(3),
        trust(-1),
        {"type": "trust", "seat": True},
        {"type": "trust", "seat": 1.0},
        {"type": "trust", "seat": "1"},
        {"type": "trust", "seat": None},
        {"type": "trust", "seat": [1]},
        {"type": "trust"},
        {"type": "accuse", "seat": 1, "remarks": []},
        {"type": "declare", "hand": "pair"},
        PASS,
    ],
)
def test_the_tourist_is_refused_anything_else_the_clocks_pass_included(action: Action) -> None:
    with pytest.raises(IllegalAction):
        micro.check(ordinary(), 0, action)


def test_a_tourist_that_misses_passes() -> None:
    assert micro.missed_action(ordinary(), 0) == PASS


def test_the_chosen_hand_is_shown_to_all_with_its_role() -> None:
    events = decide(ordinary(), trust(2)).events
    assert (events[0].type, events[0].seat, events[0].data) == ("trust", 0, {"seat": 2})
    assert (events[1].type, events[1].seat) == ("shown", 2)
    assert events[1].data == {"cards": ["4h", "9c", "4s"], "role": "liar", "lying": True}


def test_the_next_seat_is_the_next_tourist_and_learns_its_own_two_cards_only() -> None:
    step = decide(ordinary(), accuse(1))
    assert kinds(step.events)[-2:] == [("turn", 1), ("hand", 1)]
    turn, hand = step.events[-2:]
    state = step.state
    assert (state.tourist, state.turn, state.declared) == (1, 2, ())
    assert turn.data == {"number": 2, "deck": len(state.table.deck)}
    assert turn.secret == {"hands": [{"seat": seat, "cards": list(state.table.hands[seat])} for seat in (0, 2)]}
    assert turn.to == (0, 2)
    assert (hand.data, hand.secret, hand.to) == ({}, {"cards": list(state.table.hands[1])}, (1,))


def test_after_a_pass_nothing_is_shown_or_banked_and_the_next_turn_begins() -> None:
    step = decide(ordinary(), PASS)
    assert kinds(step.events) == [("pass", 0), ("turn", 1), ("hand", 1)]


@pytest.mark.parametrize("action", [trust(1), accuse(2), PASS])
def test_the_game_ends_when_the_deck_is_empty_after_the_reward_before_cards_return(action: Action) -> None:
    left = "" if action in (PASS, accuse(2)) else "2c3c"
    state = ordinary(deck=left, banks=("2h", "", "7h"))
    step = games.apply(GAME, state, {0: action}, no_chance)
    assert step.state.ended == "deck-empty"
    assert micro.pending(step.state) == ()
    assert step.events[-1].data == {
        "reason": "deck-empty",
        "banks": [list(bank) for bank in step.state.table.banks],
    }


def test_with_the_last_card_of_the_deck_left_after_the_reward_cards_return() -> None:
    assert decide(ordinary(deck="2c3c4c5c"), trust(1)).state.ended == "deck-short"


def test_a_card_that_would_return_after_the_end_stays_in_the_bank() -> None:
    state = ordinary(deck="", banks=("2h3h", "", ""), scoring="trust-only")
    step = games.apply(GAME, state, {0: accuse(1)}, no_chance)
    assert step.state.ended == "deck-empty"
    assert texts(step.state.table.banks) == ["2h3h", "", ""]
    assert "fined" not in [event.type for event in step.events]


@pytest.mark.parametrize(
    ("action", "given", "least"),
    [
        # Two strangers take two each and two draw: six cards; the hand that was not banked brings back three.
        (trust(2), {}, 3),
        # The same, and two more for the tourist.
        (trust(1), {"scoring": "trust-only"}, 5),
        # One stranger takes two and two draw: four cards; the other brings back the one that it drew.
        (trust(2), {"hand_rule": "chosen-only"}, 3),
        # As many as that for the tourist, three of the deck for its bank.
        (trust(1), {}, 6),
    ],
)
def test_the_game_goes_on_only_while_the_deck_can_serve_reset_and_draws_in_full(
    action: Action, given: dict[str, Any], least: int
) -> None:
    cards = "2c3c4c5c6c7c8c9c"
    enough = decide(ordinary(deck=cards[: 2 * least], banks=("2h", "", ""), **given), action)
    assert enough.state.ended == ""
    assert enough.state.table.deck == ()
    short = decide(ordinary(deck=cards[: 2 * least - 2], banks=("2h", "", ""), **given), action)
    assert short.state.ended == "deck-short"
    assert short.events[-1].data["reason"] == "deck-short"


def test_the_game_ends_after_max_turns_even_by_a_pass_and_its_last_turn_is_settled() -> None:
    state = ordinary(max_turns=1, scoring="trust-only", banks=("2h3h", "", ""))
    assert decide(state, PASS).state.ended == "max-turns"
    fined = decide(state, accuse(1)).state
    assert fined.ended == "max-turns"
    assert texts(fined.table.banks) == ["2h", "", ""]
    assert decide(ordinary(max_turns=2), PASS).state.ended == ""


@pytest.mark.parametrize(
    ("banks", "ranks"),
    [
        (("2c3c", "AcKc", "5d"), (2, 1, 3)),
        (("2c3c4c", "AcKc", "AdKd"), (1, 2, 2)),
        # Values: an ace is 14, a joker nothing.
        (("AcX1", "9c6c", "KdX2"), (2, 1, 3)),
        # Equal values: an ace and a joker are no faces, a jack and a three have one.
        (("AcX1", "Jc3c", "9c5c"), (2, 1, 2)),
        (("JcKc", "TcAc", "QcQd"), (1, 3, 1)),
        (("", "", ""), (1, 1, 1)),
    ],
)
def test_most_cards_then_their_values_then_faces_decide_and_after_that_the_rank_is_shared(
    banks: tuple[str, ...], ranks: tuple[int, ...]
) -> None:
    standing = micro.standing(over(*banks))
    assert standing.ranks == ranks
    assert standing.scores == tuple(len(unpack(bank)) for bank in banks)


def test_hands_in_play_do_not_score() -> None:
    assert micro.standing(laid("2dAd", HONEST, LIAR, banks=("2c", "", ""))).scores == (1, 0, 0)


def every_table() -> Iterator[dict[str, Any]]:
    choices = product((2, 0, 1), ("wild", "blank"), ("remarks", "none"), ("category", "category-rank"))
    for (jokers, joker_hand, talk, declaration), scoring, rule in product(
        choices, ("base", "trust-only"), ("reset-all", "chosen-only")
    ):
        yield {
            "jokers": jokers,
            "joker_hand": joker_hand,
            "table_talk": talk,
            "declaration": declaration,
            "scoring": scoring,
            "hand_rule": rule,
        }


def cards_of(table: Table) -> list[str]:
    return sorted([*table.deck, *(card for pile in (*table.hands, *table.banks) for card in pile)])


@pytest.mark.parametrize("seats", TABLES)
def test_at_every_table_random_matches_keep_each_card_and_end_within_the_bound(seats: int) -> None:
    for seed, given in enumerate(every_table()):
        given["max_turns"] = (8 * seats, 3, 30 * seats)[seed % 3]
        moments = list(random_match(seed, seats, **given))
        end = moments[-1].step.state
        assert end.ended in ("deck-empty", "deck-short", "max-turns")
        assert len(moments) <= micro.bound(end.options, seats)
        whole = sorted(deck(given["jokers"]))
        for moment in moments:
            assert cards_of(moment.step.state.table) == whole
            held = [len(hand) for hand in moment.state.table.hands]
            assert held == [2 if seat == moment.state.tourist else 3 for seat in range(seats)]


@pytest.mark.parametrize("seats", TABLES)
def test_a_state_comes_back_from_its_dump_in_every_phase(seats: int) -> None:
    for given in ({}, {"declaration": "category-rank", "hand_rule": "chosen-only"}):
        for moment in random_match(seats, seats, **given):
            state = moment.step.state
            assert micro.load(json.loads(json.dumps(micro.dump(state))), state.options, seats) == state


def always(kind: str, seats: int, **given: Any) -> tuple[State, int]:
    """The end of a match whose tourists always do the same with the next seat, and its number of decisions."""
    deal = chance(bytes(32), "always", "r", [b""] * seats)
    state, decisions = micro.new(options(seats, **given), seats, deal), 0
    while asked := micro.pending(state):
        choices = {seat: micro.missed_action(state, seat) for seat in asked}
        if state.declared and kind != "pass":
            choices = {state.tourist: {"type": kind, "seat": (state.tourist + 1) % seats}}
        state, decisions = games.apply(GAME, state, choices, deal).state, decisions + 1
    return state, decisions


@pytest.mark.parametrize("seats", TABLES)
@pytest.mark.parametrize("scoring", ["base", "trust-only"])
@pytest.mark.parametrize("kind", ["accuse", "pass"])
def test_tables_that_only_accuse_or_only_pass_end_within_the_bound(kind: str, scoring: str, seats: int) -> None:
    state, decisions = always(kind, seats, scoring=scoring)
    assert decisions <= micro.bound(state.options, seats) == 16 * seats
    assert state.ended == "max-turns"


@pytest.mark.parametrize("seats", TABLES)
def test_tables_that_only_trust_run_out_of_cards(seats: int) -> None:
    state, decisions = always("trust", seats)
    assert state.ended in ("deck-empty", "deck-short")
    assert decisions < micro.bound(state.options, seats)


def test_the_choices_come_first_among_the_events_and_hold_exactly_their_actions() -> None:
    for moment in moments_of(4):
        asked = micro.pending(moment.state)
        events = moment.step.events[: len(asked)]
        for seat, event in zip(asked, events, strict=True):
            action = moment.choices[seat]
            canonical = action if action == PASS else micro.check(moment.state, seat, action)
            assert event.seat == seat
            assert {"type": event.type, **event.data} == cast(Any, canonical)


def test_the_same_decision_resolved_twice_leads_to_the_same_and_changes_nothing() -> None:
    for moment in moments_of(3):
        before = repr(moment.state)
        checked = {
            seat: action if action == PASS else micro.check(moment.state, seat, action)
            for seat, action in moment.choices.items()
        }
        assert micro.resolve(moment.state, checked, moment.deal) == moment.step
        assert repr(moment.state) == before
