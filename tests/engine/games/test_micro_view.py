"""Who may know what of Micro Poker, in views and events: nothing depends on cards that the reader does not see."""

import json
from random import Random
from typing import Any

import pytest

from engine.cards import deck
from engine.games import micro_poker as micro
from engine.games.micro_scoring import Table
from engine.games.micro_state import State
from engine.types import Seat
from tests.engine.games.micro_rig import HONEST, LIAR, PASS, decide, laid, moments_of, ordinary


def elsewhere(state: State, viewer: Seat | None, rng: Random, fixed: Seat | None = None) -> State:
    """The table with all cards changed about that the viewer doesn't see, the hand of `fixed` apart."""
    table, is_stranger = state.table, viewer is not None and viewer != state.tourist and not state.ended
    seen = {viewer, fixed} | ({seat for seat in range(state.seats) if seat != state.tourist} if is_stranger else set())
    hidden = [seat for seat in range(state.seats) if seat not in seen]
    banks = table.banks if state.ended else None
    pool = [*table.deck, *(card for seat in hidden for card in table.hands[seat])]
    pool += [] if banks is not None else [card for bank in table.banks for card in bank]
    rng.shuffle(pool)

    def as_many(cards: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(pool.pop() for _ in cards)

    hands = tuple(as_many(hand) if seat in hidden else hand for seat, hand in enumerate(table.hands))
    banks = tuple(map(as_many, table.banks)) if banks is None else banks
    return state._replace(table=Table(as_many(table.deck), hands, banks))


@pytest.mark.parametrize("seats", [3, 5])
def test_a_view_and_what_is_legal_do_not_depend_on_what_the_viewer_may_not_know(seats: int) -> None:
    rng = Random(seats)
    for moment in moments_of(seats):
        for state in (moment.state, moment.step.state):
            for viewer in (None, *range(seats)):
                other = elsewhere(state, viewer, rng)
                assert micro.view(other, viewer) == micro.view(state, viewer)
                if viewer is not None:
                    assert micro.legal_actions(other, viewer) == micro.legal_actions(state, viewer)


@pytest.mark.parametrize("seats", [3, 5])
def test_the_public_part_of_what_happens_depends_on_the_shown_hand_alone(seats: int) -> None:
    rng, decisions = Random(seats), 0
    for moment in moments_of(seats):
        if not moment.state.declared or moment.step.state.ended:
            continue
        decisions += 1
        (decision,) = moment.choices.values()
        other = elsewhere(moment.state, None, rng, fixed=decision.get("seat"))
        there = micro.resolve(other, moment.choices, moment.deal).events
        assert [(e.type, e.seat, e.data, e.to, sorted(e.secret)) for e in there] == [
            (e.type, e.seat, e.data, e.to, sorted(e.secret)) for e in moment.step.events
        ]
    assert decisions > 20


def cards_in(value: object) -> set[str]:
    found = json.loads(json.dumps(value), object_pairs_hook=lambda pairs: [item for _, item in pairs])
    flat: list[Any] = [found]
    cards = set()
    while flat:
        item = flat.pop()
        if isinstance(item, list):
            flat += item
        elif item in deck(2):
            cards.add(item)
    return cards


def test_no_card_is_in_a_view_or_an_event_but_those_that_its_reader_may_see() -> None:
    for moment in moments_of(4):
        state = moment.state
        strangers = [seat for seat in range(4) if seat != state.tourist]
        open_cards = {card for seat in strangers for card in state.table.hands[seat]}
        assert cards_in(micro.view(state, None)) == set()
        assert cards_in(micro.view(state, state.tourist)) == set(state.table.hands[state.tourist])
        assert all(cards_in(micro.view(state, seat)) == open_cards for seat in strangers)
        shown = {
            card for choice in moment.choices.values() if "seat" in choice for card in state.table.hands[choice["seat"]]
        }
        for event in moment.step.events:
            allowed = (
                {card for bank in moment.step.state.table.banks for card in bank} if event.type == "ended" else shown
            )
            assert cards_in(event.data) <= allowed
            told = {card for seat in event.to for card in moment.step.state.table.hands[seat]}
            assert cards_in(event.secret) == told


def test_a_stranger_sees_all_strangers_with_role_and_true_hand_the_last_card_at_the_end() -> None:
    view = micro.view(laid("2dAd", HONEST, LIAR), 2)
    assert view["strangers"] == [
        {"seat": 1, "cards": ["7d", "Jh", "Jc"], "role": "honest", "best": {"hand": "pair"}},
        {"seat": 2, "cards": ["4h", "9c", "4s"], "role": "liar", "best": {"hand": "pair"}},
    ]
    assert (view["seat"], view["cards"], view["phase"]) == (2, ["4h", "9c", "4s"], "declarations")


@pytest.mark.parametrize("viewer", [None, 0])
def test_tourist_and_spectator_see_counts_and_no_strangers(viewer: Seat | None) -> None:
    view = micro.view(ordinary(banks=("2h3h", "", "7h")), viewer)
    assert (view["deck"], view["banks"], view["phase"], view["tourist"]) == (9, [2, 0, 1], "decision", 0)
    assert (view["strangers"], view["banked"]) == (None, None)
    assert view["cards"] == (None if viewer is None else ["2d", "Ad"])


def test_banks_are_open_once_the_match_is_over() -> None:
    end = decide(ordinary(banks=("2h3h", "", "7h"), max_turns=1), PASS).state
    for viewer in (None, 0, 1):
        view = micro.view(end, viewer)
        assert (view["banked"], view["ended"], view["phase"]) == ([["2h", "3h"], [], ["7h"]], "max-turns", "over")
        assert view["strangers"] is None
