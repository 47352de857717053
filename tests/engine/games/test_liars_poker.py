"""Liar's Poker against its page (rules/liars-poker.md): the fixtures to the numbers, the rounds, every refusal."""

from typing import Any, cast

import pytest

from engine import games
from engine.deal import chance
from engine.errors import Code, IllegalAction
from engine.games import liars_poker as liars
from engine.games.protocol import Legal
from engine.types import Action
from tests.engine.games.liars_table import CHALLENGE, PAGE_SERIALS, STAND, act, bid, dealt, rebidding, start

PAGE_ACTIONS = (
    *(bid(2, 0), bid(2, 5), bid(3, 0), bid(3, 8), bid(3, 9), bid(4, 0), bid(5, 0)),
    *(CHALLENGE, bid(6, 0), CHALLENGE, CHALLENGE),
)
PAGE_SEATS = (0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1)


@pytest.mark.parametrize(("second_serial", "found", "net"), [("92859819", 5, [1, 1, -2]), ("92859810", 6, [-1, -1, 2])])
def test_the_game_of_the_page_is_settled_as_there(second_serial: str, found: int, net: list[int]) -> None:
    serials = (PAGE_SERIALS[0], second_serial, PAGE_SERIALS[2])
    deal = dealt(0, serials)
    state, events = act(start(deal, 3, rounds=1), deal, *PAGE_ACTIONS)
    assert tuple(event.seat for event in events[:-1]) == PAGE_SEATS
    assert [event.type for event in events] == [action["type"] for action in PAGE_ACTIONS] + ["settled"]
    assert events[-1].data == {
        "round": 1,
        "bidder": 2,
        "found": found,
        "holds": found == 6,
        "net": net,
        "serials": list(serials),
    }
    assert liars.pending(state) == ()
    assert liars.standing(state) == (((1, 1, 3), tuple(net)) if net[0] > 0 else ((2, 2, 1), tuple(net)))


@pytest.mark.parametrize(("rank_order", "refused"), [("zero-high", 1), ("ace-high", 1)])
def test_the_game_of_the_page_is_illegal_under_the_other_orders(rank_order: str, refused: int) -> None:
    deal = dealt(0, PAGE_SERIALS)
    state, _ = act(start(deal, 3, rounds=1, rank_order=rank_order), deal, *PAGE_ACTIONS[:refused])
    with pytest.raises(IllegalAction):
        act(state, deal, PAGE_ACTIONS[refused])


ACE_SERIALS = ("21068274", "44789800", "27706500", "63523655")
ACE_ACTIONS = (
    *(bid(3, 2), bid(4, 4), bid(4, 0), bid(5, 5), CHALLENGE, bid(5, 0), bid(6, 0)),
    *(CHALLENGE, CHALLENGE, CHALLENGE),
)


def test_the_ace_high_game_of_the_page_is_settled_as_there() -> None:
    deal = dealt(0, ACE_SERIALS)
    state, events = act(start(deal, 4, rounds=1, rank_order="ace-high"), deal, *ACE_ACTIONS)
    assert events[-1].data["found"] == 6
    assert events[-1].data["bidder"] == 2
    assert liars.standing(state).scores == (-1, -1, 3, -1)


def test_the_third_bid_of_the_ace_high_game_is_illegal_under_zero_low() -> None:
    deal = dealt(0, ACE_SERIALS)
    state, _ = act(start(deal, 4, rounds=1), deal, *ACE_ACTIONS[:2])
    with pytest.raises(IllegalAction):
        act(state, deal, ACE_ACTIONS[2])


def test_each_serial_comes_from_the_label_of_its_round_and_seat() -> None:
    deal = chance(b"k", "m", "r", ())
    state = start(deal, 3, digits=5)
    number = 1
    while liars.pending(state):
        streams = [deal(f"liars/round={number}/seat={seat}") for seat in range(3)]
        assert state.serials == tuple("".join(str(s.below(10)) for _ in range(5)) for s in streams)
        state, _ = act(state, deal, bid(1, 0), CHALLENGE, CHALLENGE)
        number += 1
    assert number == 4


def test_the_first_opener_is_drawn() -> None:
    for seats in range(2, 11):
        for key in (b"a", b"b", b"c"):
            deal = chance(key, "m", "r", ())
            state = start(deal, seats)
            assert liars.pending(state) == (deal("liars/first").below(seats),)


def test_with_two_seats_one_challenge_ends_the_round() -> None:
    deal = dealt(1, ["00000000", "00000000"])
    state, events = act(start(deal, 2, rounds=1), deal, bid(16, 0), CHALLENGE)
    assert events[-1].data == {
        "round": 1,
        "bidder": 1,
        "found": 16,
        "holds": True,
        "net": [-1, 1],
        "serials": ["00000000", "00000000"],
    }
    assert liars.pending(state) == ()


def test_a_new_bid_clears_the_challenges_and_challengers_act_again() -> None:
    deal = dealt(0, ["12345678"] * 4)
    state, _ = act(start(deal, 4, rounds=1), deal, bid(1, 1), CHALLENGE, CHALLENGE, bid(1, 2))
    assert liars.view(state, 0)["bids"][-1] == {"seat": 3, "count": 1, "digit": 2, "challenged_by": []}
    asked: list[int] = []
    for _ in range(3):
        asked += liars.pending(state)
        state, _ = act(state, deal, CHALLENGE)
    assert asked == [0, 1, 2]
    assert liars.pending(state) == ()


@pytest.mark.parametrize(
    ("count", "holds", "net"),
    [(4, True, (30, -10, -10, -10)), (5, False, (-30, 10, 10, 10)), (1, True, (30, -10, -10, -10))],
)
def test_the_bidder_takes_or_pays_a_stake_from_or_to_each(count: int, holds: bool, net: tuple[int, ...]) -> None:
    deal = dealt(0, ["12345678"] * 4)
    state, events = act(start(deal, 4, rounds=1, stake=10), deal, bid(count, 8), *[CHALLENGE] * 3)
    assert events[-1].data["holds"] is holds
    assert liars.standing(state).scores == net


def test_the_net_adds_up_over_rounds_and_most_stakes_win() -> None:
    deal = dealt(0, *[["12345678"] * 3] * 3)
    state = start(deal, 3)
    for bids in ((bid(3, 1),), (bid(1, 1), bid(3, 1)), (bid(3, 1),)):
        state, _ = act(state, deal, *bids, CHALLENGE, CHALLENGE)
    assert liars.standing(state) == ((2, 3, 1), (0, -3, 3))


def test_equal_stakes_share_the_rank() -> None:
    deal = dealt(0, *[["12345678"] * 4] * 2)
    state = start(deal, 4)
    for _ in range(2):
        state, _ = act(state, deal, bid(1, 1), CHALLENGE, CHALLENGE, CHALLENGE)
    assert liars.standing(state) == ((1, 1, 3, 3), (2, 2, -2, -2))


def test_an_unfinished_round_counts_for_nobody() -> None:
    deal = dealt(0, *[["12345678"] * 3] * 2)
    state, _ = act(start(deal, 3), deal, bid(1, 1), CHALLENGE, CHALLENGE)
    settled = liars.standing(state)
    state, _ = act(state, deal, bid(24, 9), CHALLENGE)
    assert liars.standing(state) == settled == ((1, 2, 2), (2, -1, -1))


def test_a_missed_action_opens_with_the_lowest_bid() -> None:
    for rank_order, digit in (("zero-low", 0), ("zero-high", 1), ("ace-high", 2)):
        state = start(dealt(0, PAGE_SERIALS), 3, rank_order=rank_order)
        assert liars.missed_action(state, 0) == bid(1, digit)


def test_a_missed_action_challenges_where_legal_and_stands_when_asked_again() -> None:
    state, deal = rebidding(3, bid(1, 1))
    assert liars.missed_action(state, 1) == CHALLENGE
    state, _ = act(state, deal, CHALLENGE, CHALLENGE)
    assert liars.missed_action(state, 0) == STAND


def test_a_match_of_missed_actions_ends() -> None:
    deal = chance(b"k", "m", "r", ())
    state = start(deal, 4)
    for _ in range(2 * 4):
        (seat,) = liars.pending(state)
        state, _ = act(state, deal, liars.missed_action(state, seat))
    assert liars.pending(state) == ()


@pytest.mark.parametrize(
    "illegal",
    [
        {},
        {"type": None},
        {"type": "Bid", "count": 3, "digit": 0},
        {"type": ["bid"], "count": 3, "digit": 0},
        {"type": "bid"},
        {"type": "bid", "count": 3},
        {"type": "bid", "digit": 3},
        {"type": "bid", "count": 3, "digit": 0, "seat": 1},
        {"type": "bid", "count": True, "digit": 0},
        {"type": "bid", "count": 3, "digit": False},
        {"type": "bid", "count": 3.0, "digit": 0},
        {"type": "bid", "count": "3", "digit": 0},
        {"type": "bid", "count": 3, "digit": None},
        {"type": "bid", "count": 3, "digit": 10},
        {"type": "bid", "count": 3, "digit": -1},
        {"type": "bid", "count": 0, "digit": 9},
        {"type": "bid", "count": -3, "digit": 9},
        {"type": "bid", "count": 25, "digit": 0},
        {"type": "bid", "count": 10**40, "digit": 0},
        {"type": "bid", "count": 2, "digit": 5},
        {"type": "bid", "count": 2, "digit": 4},
        {"type": "bid", "count": 1, "digit": 9},
        {"type": "challenge", "seat": 0},
        {"type": "stand"},
        {"type": "pass"},
        {"type": "resign"},
    ],
)
def test_an_illegal_action_is_refused_as_such_and_changes_nothing(illegal: Action) -> None:
    deal = dealt(0, PAGE_SERIALS)
    state, _ = act(start(deal, 3), deal, bid(2, 5))
    before = liars.dump(state)
    with pytest.raises(IllegalAction) as refused:
        act(state, deal, illegal)
    assert refused.value.code is Code.ILLEGAL_ACTION
    assert refused.value.loc == ("action",)
    assert refused.value.detail
    assert liars.dump(state) == before


@pytest.mark.parametrize("illegal", [CHALLENGE, STAND])
def test_there_is_nothing_to_answer_before_a_bid(illegal: Action) -> None:
    deal = dealt(0, PAGE_SERIALS)
    with pytest.raises(IllegalAction):
        act(start(deal, 3), deal, illegal)


@pytest.mark.parametrize(
    "opening", [{"type": "bid", "count": True, "digit": 0}, {"type": "bid", "count": 1.0, "digit": 0}]
)
def test_a_boolean_or_float_is_no_integer_even_where_it_equals_the_missed_action(opening: Action) -> None:
    deal = dealt(0, PAGE_SERIALS)
    with pytest.raises(IllegalAction):
        act(start(deal, 3), deal, opening)


def test_a_decision_takes_a_choice_of_the_asked_seat_and_of_no_other() -> None:
    deal = dealt(0, PAGE_SERIALS)
    state = start(deal, 3)
    game = cast(Any, liars)
    for choices in ({}, {1: bid(1, 0)}, {0: bid(1, 0), 1: CHALLENGE}):
        with pytest.raises(IllegalAction):
            games.apply(game, state, choices, deal)


def test_a_seat_that_is_not_asked_has_no_legal_action() -> None:
    deal = dealt(0, PAGE_SERIALS)
    state, _ = act(start(deal, 3), deal, bid(1, 0))
    assert [liars.legal_actions(state, seat) for seat in (0, 2)] == [Legal(), Legal()]
    assert len(liars.legal_actions(state, 1).actions) == 240


def test_a_seat_sees_its_own_serial_and_a_spectator_none() -> None:
    state = start(dealt(0, PAGE_SERIALS), 3)
    assert [liars.view(state, seat)["serial"] for seat in (0, 1, 2, None)] == [*PAGE_SERIALS, None]


def test_a_view_holds_bids_challenges_stakes_and_finished_serials() -> None:
    second = ("00000000", "11111111", "22222222")
    deal = dealt(0, PAGE_SERIALS, second)
    state = start(deal, 3, stake=5)
    state, _ = act(state, deal, *PAGE_ACTIONS, bid(1, 3), CHALLENGE)
    assert liars.view(state, 1) == {
        "seat": 1,
        "round": 2,
        "rounds": 3,
        "opener": 1,
        "serial": "11111111",
        "bids": [{"seat": 1, "count": 1, "digit": 3, "challenged_by": [2]}],
        "asked_again": False,
        "rebid": [],
        "net": [5, 5, -10],
        "settled": [
            {
                "round": 1,
                "serials": list(PAGE_SERIALS),
                "bid": {"seat": 2, "count": 6, "digit": 0, "challenged_by": [0, 1]},
                "found": 5,
                "holds": False,
            }
        ],
    }


def test_a_finished_match_shows_no_serial_of_a_round_that_was_not_played() -> None:
    deal = dealt(0, PAGE_SERIALS)
    state, _ = act(start(deal, 3, rounds=1), deal, *PAGE_ACTIONS)
    assert state.serials == ()
    assert [liars.view(state, seat)["serial"] for seat in (0, None)] == [None, None]
    assert len(liars.view(state, 0)["settled"]) == 1


def test_the_fixed_facts_are_the_pages() -> None:
    assert (liars.ID, liars.SEATS, liars.RULES_VERSION) == ("liars-poker", (2, 10), 1)
    assert [option.name for option in liars.OPTIONS] == [
        *("digits", "rank_order", "bidder_rebid", "stake", "rounds", "starter")
    ]
