"""What strangers may say: by role, with and without ranks and remarks, offered and accepted alike."""

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any, cast

import pytest

from engine.cards import RANKS
from engine.errors import IllegalAction
from engine.games import micro_poker as micro
from engine.games.micro_hands import CATEGORIES
from engine.games.micro_state import State
from engine.types import Action, Seat
from tests.engine.games.micro_rig import FREE, HONEST, LIAR, addable, declared, laid, say

SEATS = {"honest": 1, "liar": 2, "free": 3}
TRUE = {1: "pair", 2: "pair", 3: "three-of-a-kind", 4: "high-card"}


def table(**given: Any) -> State:
    """A tourist, and a stranger of each role; a second liar holds a high card."""
    return laid("2dAd", HONEST, LIAR, FREE, "QhJh7s", **given)


def accepts(state: State, seat: Seat, action: Action) -> bool:
    try:
        micro.check(state, seat, action)
    except IllegalAction:
        return False
    return True


def listed(state: State, seat: Seat) -> list[Any]:
    return [tuple(action.values())[1:] for action in micro.legal_actions(state, seat).actions]


def test_all_strangers_are_asked_at_once_and_the_tourist_after_them() -> None:
    state = table(tourist=0)
    assert micro.pending(state) == (1, 2, 3, 4)
    assert micro.pending(declared(state)) == (0,)


def test_an_honest_seat_may_say_nothing_but_its_true_category() -> None:
    assert listed(table(), 1) == [("pair",)]


def test_a_liar_may_say_all_but_its_true_category_even_the_impossible() -> None:
    assert listed(table(), 2) == [(category,) for category in CATEGORIES if category != "pair"]


def test_a_free_seat_may_say_anything() -> None:
    assert listed(table(), 3) == [(category,) for category in CATEGORIES]


def test_with_ranks_an_honest_seat_names_the_rank_of_its_pair() -> None:
    assert listed(table(declaration="category-rank"), 1) == [("pair", "J")]


def test_with_ranks_a_wrong_rank_is_a_lie_too() -> None:
    said = listed(table(declaration="category-rank"), 2)
    assert said == [claim for claim in product(CATEGORIES, RANKS) if claim != ("pair", "4")]


def test_with_ranks_a_free_seat_may_name_each_of_them() -> None:
    assert listed(table(declaration="category-rank"), 3) == list(product(CATEGORIES, RANKS))


@pytest.mark.parametrize(("joker_hand", "true"), [("wild", "three-of-a-kind"), ("blank", "pair")])
def test_a_joker_helps_its_hand_only_where_it_is_wild(joker_hand: str, true: str) -> None:
    state = table(joker_hand=joker_hand)
    assert micro.missed_action(state, 3) == say(true)
    assert micro.view(state, 1)["strangers"][2]["best"] == {"hand": true}


def test_who_is_not_asked_has_nothing_to_say() -> None:
    state = table()
    assert micro.legal_actions(state, 0).actions == ()
    assert [micro.legal_actions(declared(state), seat).actions for seat in (1, 2, 3, 4)] == [()] * 4


@pytest.mark.parametrize(
    ("declaration", "seat", "expected"),
    [
        ("category", 1, say("pair")),
        ("category", 2, say("high-card")),
        ("category", 3, say("three-of-a-kind")),
        ("category", 4, say("pair")),
        ("category-rank", 1, say("pair", "J")),
        ("category-rank", 2, say("high-card", "2")),
        ("category-rank", 3, say("three-of-a-kind", "5")),
    ],
)
def test_who_misses_tells_the_truth_or_the_lowest_lie(declaration: str, seat: Seat, expected: Action) -> None:
    assert micro.missed_action(table(declaration=declaration), seat) == expected


def test_the_lowest_lie_goes_on_to_the_next_rank_where_the_lowest_claim_is_true() -> None:
    # A high card led by a two can't be held; by a four, the lowest that can, it is not the lowest claim.
    state = laid("2dAd", "QhJh7s", "X22h3h", declaration="category-rank", joker_hand="blank")
    assert micro.missed_action(state, 2) == say("high-card", "2")
    lone_two = laid("2dAd", "QhJh7s", "X1X22h", declaration="category-rank", joker_hand="blank")
    assert micro.missed_action(lone_two, 2) == say("high-card", "3")


SOME_CLAIMS: dict[str, list[dict[str, str]]] = {
    "category": [{"hand": category} for category in CATEGORIES],
    "category-rank": [
        {"hand": hand, "rank": rank}
        for hand, rank in (("pair", "J"), ("pair", "4"), ("pair", "5"), ("three-of-a-kind", "5"), ("high-card", "2"))
    ],
}


def sayable(declaration: str, seats: int) -> Iterator[Action]:
    """Every declaration with no remark, one or two of any seats, the maker's and the tourist's included."""
    claims = SOME_CLAIMS[declaration]
    remarks = [{"seat": seat, **claim} for seat in range(-1, seats + 1) for claim in claims]
    for claim in claims:
        yield {"type": "declare", **claim}
        for number in (1, 2):
            for some in combinations(remarks, number):
                yield {"type": "declare", **claim, "remarks": list(some)}


def is_offered(state: State, seat: Seat, action: Action) -> bool:
    bare = {name: value for name, value in action.items() if name != "remarks"}
    if bare not in micro.legal_actions(state, seat).actions:
        return False
    remarks, offered = action.get("remarks", []), addable(state, seat, bare)
    return len({remark["seat"] for remark in remarks}) == len(remarks) and all(r in offered for r in remarks)


@pytest.mark.parametrize("talk", ["remarks", "none"])
@pytest.mark.parametrize("role", list(SEATS))
def test_what_is_offered_is_accepted_and_what_is_accepted_is_offered(role: str, talk: str) -> None:
    state = table(table_talk=talk)
    verdicts = set()
    for action in sayable("category", 5):
        verdict = accepts(state, SEATS[role], action)
        assert verdict is is_offered(state, SEATS[role], action), action
        verdicts.add((verdict, "remarks" in action))
    assert verdicts == {(True, False), (False, True)} | ({(True, True)} if talk == "remarks" else set()) | (
        set() if role == "free" else {(False, False)}
    )


@pytest.mark.parametrize("role", list(SEATS))
def test_the_same_holds_with_ranks(role: str) -> None:
    state = laid("2dAd", HONEST, LIAR, FREE, declaration="category-rank")
    for action in sayable("category-rank", 4):
        assert accepts(state, SEATS[role], action) is is_offered(state, SEATS[role], action), action


@pytest.mark.parametrize("declaration", ["category", "category-rank"])
def test_any_listed_remarks_one_a_seat_fit_any_listed_declaration(declaration: str) -> None:
    state = table(declaration=declaration)
    for seat in micro.pending(state):
        legal = micro.legal_actions(state, seat)
        remarks = legal.optional["remarks"]
        chosen = [[remark for remark in remarks if remark["seat"] == other][-1:] for other in TRUE]
        every = [remark for one in chosen for remark in one]
        for action in legal.actions:
            assert accepts(state, seat, {**action, "remarks": every}), action


def test_an_honest_seat_is_offered_the_one_true_remark_on_each_other_stranger() -> None:
    remarks = micro.legal_actions(table(), 1).optional["remarks"]
    assert remarks == [{"seat": seat, "hand": TRUE[seat]} for seat in (2, 3, 4)]


def test_a_liar_is_offered_every_false_remark_on_each_other_stranger() -> None:
    remarks = micro.legal_actions(table(), 2).optional["remarks"]
    assert remarks == [{"seat": s, "hand": c} for s in (1, 3, 4) for c in CATEGORIES if c != TRUE[s]]


def test_no_remark_fits_all_that_a_free_seat_may_declare_so_its_view_tells_which_go_with_what() -> None:
    state = table()
    assert micro.legal_actions(state, 3).optional == {"remarks": []}
    assert micro.view(state, 3)["remarks"] == {
        "honest": [{"seat": seat, "hand": TRUE[seat]} for seat in (1, 2, 4)],
        "lying": [{"seat": s, "hand": c} for s in (1, 2, 4) for c in CATEGORIES if c != TRUE[s]],
    }


@pytest.mark.parametrize("seat", [None, 0, 1, 2, 4])
def test_nobody_else_is_told_of_the_free_seats_remarks(seat: Seat | None) -> None:
    assert micro.view(table(), seat)["remarks"] is None


def test_a_table_without_talk_offers_no_remarks() -> None:
    state = table(table_talk="none")
    assert [micro.legal_actions(state, seat).optional for seat in micro.pending(state)] == [{}] * 4
    assert micro.view(state, 3)["remarks"] is None


@pytest.mark.parametrize("talk", ["remarks", "none"])
def test_no_remarks_may_be_left_out_or_empty_and_are_left_out_in_the_end(talk: str) -> None:
    assert micro.check(table(table_talk=talk), 1, {**say("pair"), "remarks": []}) == say("pair")


def test_remarks_are_put_in_order_of_the_seats() -> None:
    action = say("high-card", seat4="flush", seat1="straight", seat3="pair")
    before = repr(action)
    assert micro.check(table(), 2, action) == say("high-card", seat1="straight", seat3="pair", seat4="flush")
    assert repr(action) == before


@pytest.mark.parametrize(
    "action",
    [
        say("high-card", seat1="flush", seat2="high-card"),
        say("high-card", seat1="flush", seat0="high-card"),
        say("high-card", seat5="flush"),
        say("high-card", seat1="pair"),
        say("high-card", seat1="flush", seat3="three-of-a-kind"),
        say("pair"),
        say("royal-flush"),
        say("high-card", "2"),
        say("high-card", seat1="royal-flush"),
        {"type": "declare"},
        {"type": "declare", "hand": None},
        {"type": "declare", "hand": ["flush"]},
        {"type": "declare", "hand": 4},
        {**say("high-card"), "note": "x"},
        {**say("high-card"), "remarks": None},
        {**say("high-card"), "remarks": {}},
        {**say("high-card"), "remarks": ["flush"]},
        {**say("high-card"), "remarks": [{"seat": 1}]},
        {**say("high-card"), "remarks": [{"hand": "flush"}]},
        {**say("high-card"), "remarks": [{"seat": True, "hand": "flush"}]},
        {**say("high-card"), "remarks": [{"seat": 1.0, "hand": "flush"}]},
        {**say("high-card"), "remarks": [{"seat": "1", "hand": "flush"}]},
        {**say("high-card"), "remarks": [{"seat": 1, "hand": "flush", "rank": "2"}]},
        {**say("high-card"), "remarks": [{"seat": 1, "hand": {}}]},
        {**say("high-card"), "remarks": [{"seat": 1, "hand": "flush"}, {"seat": 1, "hand": "flush"}]},
        {"type": "trust", "seat": 1},
        {"type": "pass"},
        {"type": ["declare"], "hand": "flush"},
        {"hand": "flush"},
        {},
    ],
)
def test_a_liar_is_refused_whatever_is_true_malformed_or_about_no_other_stranger(action: Action) -> None:
    assert not accepts(table(), 2, action)


@pytest.mark.parametrize("rank", [None, "1", "10", "t", 5, ["5"], "X"])
def test_with_ranks_a_rank_is_needed_and_must_be_one(rank: Any) -> None:
    state = table(declaration="category-rank")
    assert accepts(state, 2, say("straight", "5"))
    assert not accepts(state, 2, {"type": "declare", "hand": "straight", "rank": rank})
    assert not accepts(state, 2, say("straight"))


def test_a_free_seat_sticks_in_its_remarks_to_what_it_declared() -> None:
    state = table()
    assert accepts(state, 3, say("three-of-a-kind", seat1="pair", seat4="high-card"))
    assert accepts(state, 3, say("flush", seat1="flush", seat4="flush"))
    assert not accepts(state, 3, say("three-of-a-kind", seat1="flush"))
    assert not accepts(state, 3, say("flush", seat1="pair"))
    assert not accepts(state, 3, say("flush", seat1="flush", seat4="high-card"))


def test_what_was_said_is_published_in_seat_order_with_all_remarks() -> None:
    said = (say("pair", seat2="pair"), say("flush"), say("flush", seat1="flush"), say("pair", seat1="flush"))
    state = table(tourist=0)
    events = micro.resolve(state, dict(zip((1, 2, 3, 4), said, strict=True)), cast(Any, None)).events
    assert [(event.type, event.seat, event.data, event.secret) for event in events] == [
        ("declare", seat, {name: value for name, value in action.items() if name != "type"}, {})
        for seat, action in zip((1, 2, 3, 4), said, strict=True)
    ]


@pytest.mark.parametrize("viewer", [None, 0, 1, 3])
def test_everybody_sees_the_declarations_until_the_turn_is_over(viewer: Seat | None) -> None:
    state = declared(table(), say("pair", seat2="pair"), say("flush"))
    assert micro.view(state, viewer)["declarations"] == [
        {"seat": 1, "hand": "pair", "remarks": [{"seat": 2, "hand": "pair"}]},
        {"seat": 2, "hand": "flush"},
        {"seat": 3, "hand": "three-of-a-kind"},
        {"seat": 4, "hand": "pair"},
    ]
