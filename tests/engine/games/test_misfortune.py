import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import deal, games
from engine.errors import IllegalAction, Refused
from engine.games import misfortune, options
from engine.games.misfortune import State
from engine.games.protocol import Standing, Step
from engine.types import Action

CHANCE = deal.chance(bytes(32), "mat", "misfortune@1", [b"", b""])
LOW, HIGH, PRAY = "lower", "higher", "equal"


def begin(**given: Any) -> State:
    return misfortune.new(options.complete(misfortune.OPTIONS, given, 2), 2, CHANCE)


def lay(seat: int, rank: str, claim: str) -> Action:
    return {"type": "play", "card": rank + "ch"[seat], "claim": claim}


def step(state: State, first: tuple[str, str], second: tuple[str, str]) -> Step[State]:
    return games.apply(misfortune, state, {0: lay(0, *first), 1: lay(1, *second)}, CHANCE)


def play(state: State, *rounds: tuple[tuple[str, str], tuple[str, str]]) -> State:
    for first, second in rounds:
        state = step(state, first, second).state
    return state


def agree(ranks: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (ranks[0], LOW), (ranks[1], HIGH)


def clash(ranks: str, claim: str = HIGH) -> tuple[tuple[str, str], tuple[str, str]]:
    return (ranks[0], claim), (ranks[1], claim)


ALL_AGREED = [agree(a + b) for a, b in zip("A23456789TJQK", "23456789TJQAK", strict=True)]
"""Thirteen agreements: one pair is seat 0's by rank, one is equal, eleven are seat 1's."""


def test_the_pages_fixture_an_equal_conflict_halves_the_cards_lying_from_before() -> None:
    state = play(begin(), (("K", LOW), ("2", HIGH)))
    assert state.collected == (0, 0)
    state = play(state, clash("55"))
    assert state.collected == (2, 2)


@pytest.mark.parametrize(
    ("ranks", "claim", "collected"),
    [("K2", HIGH, (2, 0)), ("K2", LOW, (0, 2)), ("2K", HIGH, (0, 2)), ("2K", LOW, (2, 0)), ("77", LOW, (1, 1))],
)
def test_in_a_conflict_the_right_claim_takes_both_cards(ranks: str, claim: str, collected: tuple[int, int]) -> None:
    assert play(begin(), clash(ranks, claim)).collected == collected


@pytest.mark.parametrize("claims", [(HIGH, LOW), (LOW, HIGH)])
def test_an_agreement_collects_nothing_whether_true_or_not(claims: tuple[str, str]) -> None:
    state = play(begin(), (("K", claims[0]), ("2", claims[1])))
    assert state.collected == (0, 0)
    assert misfortune.view(state, None)["face_down"] == 2


def test_the_next_conflict_is_for_all_cards_that_lie_face_down() -> None:
    state = play(begin(), clash("A2", LOW), agree("23"), agree("KQ"), clash("3T"))
    assert state.collected == (2, 6)
    assert misfortune.view(state, None)["face_down"] == 0


def test_a_conflict_leaves_nothing_for_the_one_after_it() -> None:
    assert play(begin(), agree("23"), clash("3T"), clash("42")).collected == (2, 4)


@pytest.mark.parametrize(("ace", "collected"), [("low", (0, 2)), ("high", (2, 0))])
def test_the_ace_is_below_the_two_or_above_the_king(ace: str, collected: tuple[int, int]) -> None:
    for rank in "2K":
        assert play(begin(ace=ace), clash("A" + rank)).collected == collected


@pytest.mark.parametrize("other", [HIGH, LOW])
@pytest.mark.parametrize("praying", [0, 1])
def test_a_true_prayer_wins_the_game_from_behind(praying: int, other: str) -> None:
    claims = (PRAY, other) if praying == 0 else (other, PRAY)
    lost = clash("2K" if praying == 0 else "K2")
    state = play(begin(), lost, (("5", claims[0]), ("5", claims[1])))
    assert misfortune.pending(state) == ()
    collected = (0, 2) if praying == 0 else (2, 0)
    assert games.result(misfortune, state) == Standing((1 + praying, 2 - praying), collected)


@pytest.mark.parametrize("praying", [0, 1])
def test_a_false_prayer_loses_the_game_from_ahead(praying: int) -> None:
    claims = (PRAY, HIGH) if praying == 0 else (HIGH, PRAY)
    won = clash("K2" if praying == 0 else "2K")
    state = play(begin(), won, (("5", claims[0]), ("6", claims[1])))
    assert misfortune.pending(state) == ()
    assert misfortune.standing(state).ranks == (2 - praying, 1 + praying)


@pytest.mark.parametrize("ranks", ["55", "5K"])
def test_two_prayers_draw_whatever_the_cards_and_the_score(ranks: str) -> None:
    state = play(begin(), clash("K2"), clash(ranks, PRAY))
    assert games.result(misfortune, state) == Standing((1, 1), (2, 0))


@pytest.mark.parametrize("leftover", ["void", "split", "showdown"])
@pytest.mark.parametrize("agreements", [2, 12])
def test_after_a_prayer_what_lies_on_the_table_counts_for_nobody(leftover: str, agreements: int) -> None:
    rounds = ALL_AGREED[:agreements]
    state = play(begin(leftover=leftover), *rounds, (("K", PRAY), ("K", HIGH)))
    assert games.result(misfortune, state) == Standing((1, 2), (0, 0))


def test_prayers_are_illegal_before_their_round_and_legal_from_it_on() -> None:
    state = play(begin(prayer_from_round=3), agree("23"))
    assert all(action["claim"] != PRAY for action in misfortune.legal_actions(state, 0).actions)
    with pytest.raises(IllegalAction, match="claim must be one of: higher, lower"):
        misfortune.check(state, 0, lay(0, "5", PRAY))
    state = play(state, agree("32"))
    assert lay(0, "5", PRAY) in misfortune.legal_actions(state, 0).actions
    assert misfortune.pending(play(state, clash("55", PRAY))) == ()


def test_prayers_are_allowed_from_the_first_round_by_default() -> None:
    assert misfortune.pending(play(begin(), clash("55", PRAY))) == ()


@pytest.mark.parametrize(
    ("leftover", "collected"), [("void", (0, 0)), ("split", (13, 13)), ("showdown", (2 + 1, 22 + 1))]
)
def test_the_end_decides_the_cards_that_no_conflict_collected(leftover: str, collected: tuple[int, int]) -> None:
    state = play(begin(leftover=leftover), *ALL_AGREED)
    assert misfortune.pending(state) == ()
    assert state.collected == collected


def test_a_showdown_counts_only_what_still_lies_and_adds_to_what_was_collected() -> None:
    rounds = [clash(rank * 2) for rank in "A23456789"] + [clash("TQ"), agree("JT"), agree("QK"), agree("KJ")]
    assert play(begin(leftover="showdown"), *rounds).collected == (9 + 4, 9 + 2 + 2)


def test_nothing_is_left_over_after_a_conflict_in_the_last_round() -> None:
    state = play(begin(leftover="showdown"), *ALL_AGREED[:12])
    state, events = step(state, *clash("KK"))
    assert [event.type for event in events] == ["play", "play", "conflict"]
    assert state.collected == (13, 13)


def test_equal_numbers_of_cards_draw() -> None:
    assert misfortune.standing(play(begin(), *ALL_AGREED)) == Standing((1, 1), (0, 0))


def test_the_match_goes_on_when_no_number_of_cards_could_turn_it() -> None:
    state = play(begin(), *map(clash, ["K2", "Q3", "J4", "T5", "96", "87", "7A"]))
    assert state.collected == (14, 0)
    assert misfortune.pending(state) == (0, 1)
    state = play(state, (("6", HIGH), ("9", HIGH)), (("5", LOW), ("T", LOW)), (("4", HIGH), ("J", PRAY)))
    assert misfortune.standing(state) == Standing((1, 2), (16, 2))


def test_the_last_round_ends_the_match_by_cards() -> None:
    rounds = [clash(a + b) for a, b in zip("K23456789TJQA", "A23456789TJQK", strict=True)]
    state = play(begin(), *rounds[:-1])
    assert misfortune.pending(state) == (0, 1)
    assert games.result(misfortune, state) is None
    state = play(state, (("A", HIGH), ("K", LOW)))
    assert games.result(misfortune, state) == Standing((1, 2), (13, 11))


def test_an_unfinished_match_stands_by_collected_cards_and_the_table_counts_for_nobody() -> None:
    state = play(begin(), clash("2K"), agree("K2"), agree("QA"))
    assert misfortune.standing(state) == Standing((2, 1), (0, 2))


@pytest.mark.parametrize(("ace", "lowest"), [("low", "A"), ("high", "2")])
def test_a_missed_action_lays_the_lowest_card_and_claims_that_it_is_lower(ace: str, lowest: str) -> None:
    state = begin(ace=ace)
    assert misfortune.missed_action(state, 1) == lay(1, lowest, LOW)
    assert misfortune.missed_action(state, 1) in misfortune.legal_actions(state, 1).actions
    state = play(state, ((lowest, LOW), (lowest, LOW)))
    assert misfortune.missed_action(state, 0) == lay(0, "2" if ace == "low" else "3", LOW)


def test_every_card_still_held_may_be_laid_with_every_claim() -> None:
    state = play(begin(), agree("5K"))
    actions = misfortune.legal_actions(state, 1).actions
    assert len(actions) == 12 * 3
    assert {action["card"] for action in actions} == {rank + "h" for rank in "A23456789TJQ"}
    assert all(misfortune.check(state, 1, action) == action for action in actions)


@pytest.mark.parametrize(
    "action",
    [
        {"type": "play", "card": "5c", "claim": LOW},
        {"type": "play", "card": "6h", "claim": LOW},
        {"type": "play", "card": "6", "claim": LOW},
        {"type": "play", "card": None, "claim": LOW},
        {"type": "play", "card": ["6c"], "claim": LOW},
        {"type": "play", "card": "6c", "claim": "Lower"},
        {"type": "play", "card": "6c", "claim": True},
        {"type": "play", "card": "6c"},
        {"type": "play", "card": "6c", "claim": LOW, "round": 2},
        {"type": "pass"},
        {"card": "6c", "claim": LOW},
        {},
    ],
)
def test_an_action_that_is_not_exactly_a_held_card_and_a_claim_is_illegal(action: Action) -> None:
    state = play(begin(), agree("5K"))
    with pytest.raises(IllegalAction):
        misfortune.check(state, 0, action)


@pytest.mark.parametrize(
    "given",
    [{"ace": "middle"}, {"leftover": "none"}, {"recall": True}]
    + [{"prayer_from_round": value} for value in (0, 14, True, "3")],
)
def test_an_option_out_of_bounds_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        options.chosen(misfortune.OPTIONS, given, 2)


def test_the_first_value_of_every_option_is_its_default() -> None:
    assert options.complete(misfortune.OPTIONS, {}, 2) == {
        "ace": "low",
        "leftover": "void",
        "prayer_from_round": 1,
        "recall": "open",
    }


def test_a_choice_is_logged_with_its_claim_for_all_and_its_card_for_its_seat() -> None:
    events = step(begin(), ("K", LOW), ("2", HIGH)).events
    assert [event.type for event in events] == ["play", "play", "agreement"]
    for seat, rank, claim in ((0, "K", LOW), (1, "2", HIGH)):
        event = events[seat]
        assert (event.seat, event.data, event.to) == (seat, {"claim": claim}, (seat,))
        assert {"type": event.type, **event.data, **event.secret, **event.brief} == lay(seat, rank, claim)
    assert events[2].data == {"face_down": 2}


def test_a_conflict_shows_all_cards_that_it_is_for() -> None:
    state = play(begin(), clash("33"), agree("K2"), agree("QA"))
    event = step(state, ("5", LOW), ("6", LOW)).events[-1]
    cards = [["Kc", "2h"], ["Qc", "Ah"], ["5c", "6h"]]
    assert (event.type, event.seat) == ("conflict", None)
    assert event.data == {"from_round": 2, "taken": [6, 0], "cards": cards}
    assert event.brief == {}


def test_a_prayer_shows_the_table_and_who_won() -> None:
    event = step(play(begin(), agree("K2")), ("5", LOW), ("5", PRAY)).events[-1]
    assert event.type == "prayer"
    assert event.data == {"from_round": 1, "winner": 1, "cards": [["Kc", "2h"], ["5c", "5h"]]}
    assert step(begin(), ("5", PRAY), ("6", PRAY)).events[-1].data["winner"] is None


def test_the_end_shows_what_still_lies_face_down() -> None:
    state = play(begin(leftover="split"), clash("A2"), *ALL_AGREED[2:11], agree("2A"))
    state = play(state, agree("Q3"))
    event = step(state, ("K", HIGH), ("K", LOW)).events[-1]
    assert event.type == "leftover"
    assert (event.data["from_round"], event.data["taken"]) == (2, [12, 12])
    assert event.data["cards"][-1] == ["Kc", "Kh"]


def cards_in_view(state: State, viewer: int | None) -> list[list[str | None]]:
    return [done["cards"] for done in misfortune.view(state, viewer)["played"]]


def test_a_view_has_the_own_hand_the_own_cards_on_the_table_and_all_claims() -> None:
    state = play(begin(), agree("K2"), clash("34"), agree("5Q"))
    view = misfortune.view(state, 0)
    assert view["hand"] == [rank + "c" for rank in "A246789TJQ"]
    assert [done["claims"] for done in view["played"]] == [[LOW, HIGH], [HIGH, HIGH], [LOW, HIGH]]
    assert (view["round"], view["face_down"], view["collected"]) == (4, 2, [0, 4])
    assert cards_in_view(state, 0) == [["Kc", "2h"], ["3c", "4h"], ["5c", None]]
    assert cards_in_view(state, 1) == [["Kc", "2h"], ["3c", "4h"], [None, "Qh"]]


def test_a_spectator_sees_no_hand_and_only_shown_cards() -> None:
    state = play(begin(), agree("K2"), clash("34"), agree("5Q"))
    assert misfortune.view(state, None)["hand"] is None
    assert cards_in_view(state, None) == [["Kc", "2h"], ["3c", "4h"], [None, None]]


def test_views_and_legal_actions_do_not_depend_on_the_opponents_cards_on_the_table() -> None:
    one = play(begin(), clash("34"), agree("K2"), agree("5Q"))
    two = play(begin(), clash("34"), agree("K7"), agree("59"))
    assert misfortune.view(one, 0) == misfortune.view(two, 0)
    assert misfortune.view(one, None) == misfortune.view(two, None)
    assert misfortune.legal_actions(one, 0) == misfortune.legal_actions(two, 0)
    assert misfortune.standing(one) == misfortune.standing(two)


@pytest.mark.parametrize("recall", ["open", "event-only"])
def test_all_cards_on_the_table_are_in_view_once_a_match_is_over(recall: str) -> None:
    shown = [["Ac", "2h"], ["2c", "3h"], ["5c", "5h"]]
    state = play(begin(recall=recall), *ALL_AGREED[:2], (("5", PRAY), ("5", LOW)))
    assert [cards_in_view(state, viewer) for viewer in (0, 1, None)] == [shown] * 3
    assert misfortune.view(state, None)["face_down"] == 0
    state = play(begin(recall=recall), *ALL_AGREED)
    assert cards_in_view(state, None)[12] == ["Kc", "Kh"]
    assert cards_in_view(state, None)[0] == ["Ac", "2h"]


def test_by_event_only_shown_cards_are_in_view_until_the_next_round_has_closed() -> None:
    state = play(begin(recall="event-only"), clash("A2"), agree("K3"), clash("34"))
    for viewer in (0, 1, None):
        assert cards_in_view(state, viewer) == [[None, None], ["Kc", "3h"], ["3c", "4h"]]
    state = play(state, agree("5Q"))
    assert cards_in_view(state, 0) == [[None, None], [None, None], [None, None], ["5c", None]]
    assert cards_in_view(state, 1) == [[None, None], [None, None], [None, None], [None, "Qh"]]
    state = play(state, clash("6J"))
    assert cards_in_view(state, 0)[2:] == [[None, None], ["5c", "Qh"], ["6c", "Jh"]]


def test_by_event_only_claims_and_counts_stay_in_view() -> None:
    rounds = [clash("A2"), agree("K3"), clash("34"), agree("5Q")]
    forgetful = misfortune.view(play(begin(recall="event-only"), *rounds), 0)
    remembering = misfortune.view(play(begin(), *rounds), 0)
    for view in (forgetful, remembering):
        for done in view["played"]:
            del done["cards"]
    assert forgetful == remembering


def test_by_event_only_two_pasts_with_the_same_claims_and_scores_look_alike() -> None:
    one = play(begin(recall="event-only"), clash("A2"), agree("K3"))
    two = play(begin(recall="event-only"), clash("AJ"), agree("K3"))
    assert misfortune.view(one, 0) == misfortune.view(two, 0)
    assert misfortune.view(one, None) == misfortune.view(two, None)


def test_by_event_only_the_log_carries_shown_cards_for_a_round_and_never_otherwise() -> None:
    state = play(begin(recall="event-only"), agree("K2"))
    event = step(state, ("5", LOW), ("6", LOW)).events[-1]
    assert event.data == {"from_round": 1, "taken": [4, 0]}
    assert event.brief == {"cards": [["Kc", "2h"], ["5c", "6h"]]}
    prayer = step(state, ("5", LOW), ("5", PRAY)).events[-1]
    assert (prayer.data, prayer.secret) == ({"from_round": 1, "winner": 1}, {})
    assert prayer.brief == {"cards": [["Kc", "2h"], ["5c", "5h"]]}


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**64), ace=st.sampled_from(["low", "high"]), leftover=st.sampled_from(["void", "split"]))
def test_every_match_ends_within_thirteen_rounds_and_keeps_its_cards(seed: int, ace: str, leftover: str) -> None:
    chosen = options.complete(misfortune.OPTIONS, {"ace": ace, "leftover": leftover, "prayer_from_round": 9}, 2)
    stream = deal.Stream(seed.to_bytes(9, "big"), "policy")
    state = misfortune.new(chosen, 2, CHANCE)
    decisions = 0
    while asked := misfortune.pending(state):
        legal = [misfortune.legal_actions(state, seat).actions for seat in asked]
        choices = {seat: legal[seat][stream.below(len(legal[seat]))] for seat in asked}
        state = games.apply(misfortune, state, choices, CHANCE).state
        decisions += 1
        assert misfortune.load(json.loads(json.dumps(misfortune.dump(state))), chosen, 2) == state
        view = misfortune.view(state, 0)
        known = sum(state.collected) + view["face_down"] + 2 * len(view["hand"])
        assert known == 26 or not misfortune.pending(state)
        assert known <= 26
    assert decisions <= misfortune.bound(chosen, 2) == 13


def test_conflicts_agree_with_open_spiels_goofspiel_over_2000_games() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed (extra `referees`)")
    goofspiel = pyspiel.load_game("goofspiel", {"num_cards": 13, "points_order": "ascending"})
    order = misfortune.ORDERS["low"]
    for number in range(2000):
        bids = [deal.Stream(bytes(32), f"goofspiel/{number}/{seat}").shuffle(range(13)) for seat in (0, 1)]
        referee = goofspiel.new_initial_state()
        state = begin()
        won = []
        for first, second in zip(*bids, strict=True):
            after = play(state, clash(order[first] + order[second]))
            change = after.collected[0] - state.collected[0], after.collected[1] - state.collected[1]
            won.append({(2, 0): 0, (0, 2): 1, (1, 1): -3}[change])
            state = after
            if not referee.is_terminal():
                referee.apply_actions([first, second])
        assert referee.is_terminal()
        (line,) = (text for text in referee.observation_string(0).splitlines() if text.startswith("Win sequence:"))
        assert won == [int(winner) for winner in line.removeprefix("Win sequence:").split()]
