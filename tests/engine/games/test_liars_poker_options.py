"""Every option of Liar's Poker, with its bounds and its default (rules/liars-poker.md)."""

from collections.abc import Sequence

import pytest

from engine.deal import chance
from engine.errors import Code, IllegalAction, Refused
from engine.games import liars_poker as liars
from engine.games.options import chosen, complete, schema
from engine.types import Action
from tests.engine.games.liars_table import CHALLENGE, STAND, act, bid, dealt, rebidding, start


def openers(starter: str, *rounds: Sequence[Action], seats: int = 3, opener: int = 0) -> list[int]:
    """Who opened each of the rounds, and who would open the next; every serial is 12345678."""
    deal = dealt(opener, *[["12345678"] * seats] * (len(rounds) + 1))
    state = start(deal, seats, starter=starter, rounds=len(rounds) + 1)
    found = [state.opener]
    for actions in rounds:
        state, _ = act(state, deal, *actions)
        found.append(state.opener)
    assert liars.pending(state) == (state.opener,)
    return found


@pytest.mark.parametrize(
    ("rank_order", "ascending"),
    [("zero-low", "0123456789"), ("zero-high", "1234567890"), ("ace-high", "2345678901")],
)
def test_the_bids_are_ordered_by_count_then_by_the_rank_order(rank_order: str, ascending: str) -> None:
    state = start(chance(b"", "", "", ()), 2, rank_order=rank_order)
    expected = [bid(count, int(digit)) for count in range(1, 17) for digit in ascending]
    assert list(liars.legal_actions(state, state.opener).actions) == expected


@pytest.mark.parametrize("seats", range(2, 11))
@pytest.mark.parametrize("digits", [4, 8, 12])
def test_a_round_has_ten_bids_a_digit_and_seat_and_then_only_the_challenge(seats: int, digits: int) -> None:
    deal = dealt(0, ["0" * digits] * seats)
    state = start(deal, seats, digits=digits, rounds=1)
    assert [len(serial) for serial in state.serials] == [digits] * seats
    bids = liars.legal_actions(state, 0).actions
    assert len(bids) == 10 * digits * seats
    for number, action in enumerate(bids, 1):
        (seat,) = liars.pending(state)
        assert seat == (number - 1) % seats
        state, _ = act(state, deal, action)
        (next_seat,) = liars.pending(state)
        answers = liars.legal_actions(state, next_seat).actions
        assert len(answers) == len(bids) - number + 1
        assert answers[-1] == CHALLENGE
    state, events = act(state, deal, *[CHALLENGE] * (seats - 1))
    assert events[-1].data["holds"] is False
    assert liars.pending(state) == ()


def test_digits_default_to_eight_with_repeats_allowed() -> None:
    state = start(chance(b"k", "m", "r", ()), 10)
    assert {len(serial) for serial in state.serials} == {8}
    assert any(len(set(serial)) < 8 for serial in state.serials)


@pytest.mark.parametrize(("seats", "rounds"), [(2, 5), (3, 3), (4, 2), *((n, 1) for n in range(5, 11))])
def test_the_rounds_follow_the_seats_by_default(seats: int, rounds: int) -> None:
    assert complete(liars.OPTIONS, {}, seats)["rounds"] == rounds
    deal = chance(b"k", "m", "r", ())
    state, settled = start(deal, seats), 0
    while liars.pending(state):
        state, events = act(state, deal, bid(1, 0), *[CHALLENGE] * (seats - 1))
        settled += sum(event.type == "settled" for event in events)
    assert settled == rounds
    assert [done["round"] for done in liars.view(state, None)["settled"]] == list(range(1, rounds + 1))


@pytest.mark.parametrize(
    ("name", "low", "high", "seats"),
    [
        ("digits", 4, 12, 2),
        ("stake", 1, 1000, 2),
        *(("rounds", 1, high, n) for n, high in {2: 25, 3: 16, 4: 12, 5: 10, 6: 8, 7: 7, 8: 6, 9: 5, 10: 5}.items()),
    ],
)
def test_the_numbers_are_bounded(name: str, low: int, high: int, seats: int) -> None:
    for value in (low, high):
        assert complete(liars.OPTIONS, {name: value}, seats)[name] == value
        chosen(liars.OPTIONS, {name: value}, seats)
    for wrong in (low - 1, high + 1, True, 1.0, "5", None):
        with pytest.raises(Refused) as refused:
            chosen(liars.OPTIONS, {name: wrong}, seats)
        assert refused.value.code is Code.INVALID_REQUEST
        assert refused.value.loc == ("options", name)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("rank_order", ("zero-low", "zero-high", "ace-high")),
        ("bidder_rebid", ("off", "once")),
        ("starter", ("rotate", "bidder", "loser")),
    ],
)
def test_the_choices_are_the_pages_and_the_first_is_the_default(name: str, values: tuple[str, ...]) -> None:
    assert complete(liars.OPTIONS, {}, 2)[name] == values[0]
    for value in values:
        chosen(liars.OPTIONS, {name: value}, 2)
    for wrong in ("", values[0].upper(), 0, None, True):
        with pytest.raises(Refused):
            chosen(liars.OPTIONS, {name: wrong}, 2)


HELD = (bid(1, 1), CHALLENGE, CHALLENGE)
FAILED = (bid(9, 1), CHALLENGE, CHALLENGE)
RAISED = (bid(1, 1), bid(2, 1), CHALLENGE, CHALLENGE)
OVERBID = (bid(1, 1), bid(9, 1), CHALLENGE, CHALLENGE)


def test_the_next_seat_opens_by_default_whoever_bid_last() -> None:
    assert openers("rotate", HELD, OVERBID, RAISED, FAILED) == [0, 1, 2, 0, 1]
    assert openers("rotate", HELD, HELD, opener=2) == [2, 0, 1]


def test_the_last_bidder_opens_whether_the_bid_held_or_not() -> None:
    assert openers("bidder", HELD, RAISED, OVERBID, FAILED) == [0, 0, 1, 2, 2]


def test_the_losing_bidder_opens_or_the_seat_before_the_bidder_that_won() -> None:
    assert openers("loser", FAILED) == [0, 0]
    assert openers("loser", OVERBID) == [0, 1]
    assert openers("loser", HELD) == [0, 2]
    assert openers("loser", RAISED) == [0, 0]
    assert openers("loser", HELD, HELD, HELD) == [0, 2, 1, 0]
    assert openers("loser", (bid(1, 1), CHALLENGE), seats=2) == [0, 1]


def test_without_rebids_the_last_challenge_settles() -> None:
    deal = dealt(0, ["12345678"] * 3)
    state, events = act(start(deal, 3, rounds=1), deal, bid(1, 1), CHALLENGE, CHALLENGE)
    assert events[-1].type == "settled"
    assert liars.pending(state) == ()


def test_a_bidder_whom_all_have_challenged_may_stand() -> None:
    state, deal = rebidding(3, bid(1, 1), CHALLENGE, CHALLENGE)
    assert liars.pending(state) == (0,)
    assert liars.view(state, None)["asked_again"] is True
    assert liars.standing(state).scores == (0, 0, 0)
    state, events = act(state, deal, STAND)
    assert [event.type for event in events] == ["stand", "settled"]
    assert liars.standing(state).scores == (2, -1, -1)


def test_a_bidder_asked_again_has_all_higher_bids_or_stands_but_no_challenge() -> None:
    state, deal = rebidding(3, bid(24, 7), CHALLENGE, CHALLENGE)
    assert list(liars.legal_actions(state, 0).actions) == [bid(24, 8), bid(24, 9), STAND]
    for illegal in (CHALLENGE, bid(24, 7), bid(1, 1)):
        with pytest.raises(IllegalAction):
            act(state, deal, illegal)


def test_a_higher_bid_of_any_digit_clears_the_challenges() -> None:
    state, deal = rebidding(3, bid(1, 1), CHALLENGE, CHALLENGE, bid(3, 8))
    assert liars.pending(state) == (1,)
    assert liars.view(state, None)["asked_again"] is False
    state, events = act(state, deal, CHALLENGE, CHALLENGE)
    assert events[-1].data["found"] == 3
    assert liars.standing(state).scores == (2, -1, -1)


def test_each_seat_may_rebid_once_a_round_and_is_then_not_asked_again() -> None:
    state, deal = rebidding(3, bid(1, 1), CHALLENGE, CHALLENGE, bid(1, 2), CHALLENGE, bid(1, 3), CHALLENGE, CHALLENGE)
    assert liars.pending(state) == (2,)
    state, _ = act(state, deal, bid(1, 4), bid(1, 5), CHALLENGE)
    assert liars.view(state, None)["bids"][-1] == {"seat": 0, "count": 1, "digit": 5, "challenged_by": [1]}
    assert liars.view(state, None)["rebid"] == [0, 2]
    state, _ = act(state, deal, CHALLENGE)
    assert liars.pending(state) == ()
    assert liars.standing(state).scores == (2, -1, -1)


def test_the_rebids_are_fresh_in_the_next_round() -> None:
    deal = dealt(0, *[["12345678"] * 3] * 2)
    state = start(deal, 3, bidder_rebid="once", rounds=2, starter="bidder")
    state, _ = act(state, deal, bid(1, 1), CHALLENGE, CHALLENGE, bid(1, 2), CHALLENGE, CHALLENGE)
    assert state.round == 2
    assert liars.view(state, None)["rebid"] == []
    state, _ = act(state, deal, bid(1, 1), CHALLENGE, CHALLENGE)
    assert liars.pending(state) == (0,)
    assert liars.view(state, None)["asked_again"] is True


def test_no_rebid_is_asked_at_the_highest_bid() -> None:
    state, _ = rebidding(3, bid(24, 9), CHALLENGE, CHALLENGE)
    assert liars.pending(state) == ()


def test_no_rebid_is_asked_at_the_highest_bid_of_another_order() -> None:
    deal = dealt(0, ["12345678"] * 3)
    state = start(deal, 3, bidder_rebid="once", rounds=1, rank_order="ace-high")
    asked, _ = act(state, deal, bid(24, 9), CHALLENGE, CHALLENGE)
    over, _ = act(state, deal, bid(24, 1), CHALLENGE, CHALLENGE)
    assert (liars.pending(asked), liars.pending(over)) == ((0,), ())


def test_no_rebid_is_asked_of_two_seats() -> None:
    state, _ = rebidding(2, bid(1, 1), CHALLENGE)
    assert liars.pending(state) == ()


@pytest.mark.parametrize(("seats", "rounds"), [(2, 5), (3, 3), (4, 2), (7, 1)])
def test_an_option_that_equals_its_default_at_this_table_is_left_out(seats: int, rounds: int) -> None:
    given = {"rounds": rounds, "digits": 8, "rank_order": "ace-high"}
    assert chosen(liars.OPTIONS, given, seats) == {"rank_order": "ace-high"}
    assert chosen(liars.OPTIONS, {"rounds": rounds + 1}, seats) == {"rounds": rounds + 1}


def test_an_unknown_option_is_refused_by_its_name() -> None:
    with pytest.raises(Refused) as refused:
        chosen(liars.OPTIONS, {"stakes": 2}, 2)
    assert (refused.value.code, refused.value.loc) == (Code.INVALID_REQUEST, ("options", "stakes"))


def test_the_schema_has_the_bounds_and_defaults_of_every_table() -> None:
    properties = schema(liars.OPTIONS, liars.SEATS)["properties"]
    assert (properties["digits"]["minimum"], properties["digits"]["maximum"], properties["digits"]["default"]) == (
        4,
        12,
        8,
    )
    assert properties["starter"]["enum"] == ["rotate", "bidder", "loser"]
    assert properties["starter"]["default"] == "rotate"
    by_seats = properties["rounds"]["x-by-seats"]
    assert {n: (table["default"], table["maximum"]) for n, table in by_seats.items()} == {
        str(n): ({2: 5, 3: 3, 4: 2}.get(n, 1), 50 // n) for n in range(2, 11)
    }


def test_what_is_done_to_complete_options_changes_no_later_ones() -> None:
    complete(liars.OPTIONS, {}, 2)["stake"] = 0
    assert complete(liars.OPTIONS, {}, 2)["stake"] == 1
