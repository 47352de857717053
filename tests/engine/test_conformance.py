"""Every registered game keeps what engine/games/protocol.py promises, whatever its options and its table.

A new game or option is covered by being registered; it only has to bring its adapter (tests/engine/adapters).
"""

import json
import os
import random
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine import games
from engine.errors import IllegalAction
from engine.games import liars_poker
from engine.games.options import Choice
from engine.games.protocol import Event, Game, Legal, Standing, Step
from tests.engine import adapters, conformance, fresh
from tests.engine.cases import POLICIES, Case, cases, every_case, find, options_of, tables, values
from tests.engine.walks import Walk, walk

ROOT = Path(__file__).parents[2]

every_walk = pytest.mark.parametrize("case", [case for game in games.IDS for case in cases(game)], ids=str)
every_game = pytest.mark.parametrize("game_id", games.IDS)


@every_walk
def test_a_match_ends_within_its_bound_and_asks_somebody_until_then(case: Case) -> None:
    conformance.ends(walk(case))


@every_walk
def test_a_state_always_has_an_order(case: Case) -> None:
    conformance.ranks_every_state(walk(case))


@every_walk
def test_sums_of_stakes_chips_and_cards_are_kept(case: Case) -> None:
    conformance.keeps_totals(walk(case), adapters.of(case.game))


@every_walk
def test_the_first_events_are_the_choices(case: Case) -> None:
    conformance.starts_with_the_choices(walk(case))


@every_walk
def test_what_leaves_a_game_is_json_without_floats(case: Case) -> None:
    conformance.holds_json_only(walk(case))


@every_walk
def test_a_state_comes_back_from_its_dump(case: Case) -> None:
    conformance.comes_back_from_its_dump(walk(case))


@every_walk
def test_no_argument_is_changed_and_the_answer_is_always_the_same(case: Case) -> None:
    conformance.changes_no_argument(walk(case))


@every_walk
def test_every_listed_action_is_accepted(case: Case) -> None:
    conformance.accepts_what_it_lists(walk(case), adapters.of(case.game))


@every_walk
def test_every_listed_optional_part_fits_every_listed_action(case: Case) -> None:
    conformance.lists_optional_parts(walk(case), adapters.of(case.game))


@every_walk
def test_no_other_action_is_accepted_and_the_refusal_changes_nothing(case: Case) -> None:
    conformance.accepts_nothing_else(walk(case), adapters.of(case.game))


@every_walk
def test_an_applied_decision_holds_no_other_action_either(case: Case) -> None:
    conformance.applies_nothing_else(walk(case), adapters.of(case.game))


@every_walk
def test_a_decision_takes_the_choices_of_exactly_the_asked_seats(case: Case) -> None:
    conformance.refuses_another_set_of_seats(walk(case))


@every_walk
def test_a_missed_action_is_a_legal_one(case: Case) -> None:
    conformance.has_a_legal_missed_action(walk(case), adapters.of(case.game))


@every_walk
def test_other_names_of_the_seats_give_the_same_match(case: Case) -> None:
    conformance.is_the_same_game_for_other_seats(walk(case), adapters.of(case.game))


@every_game
def test_matches_go_on_alike_in_a_fresh_process_with_other_hashes(game_id: str) -> None:
    picked = [case for case in cases(game_id)[::4] if walk(case).moments]
    asked = [fresh.request(case, len(walk(case).moments) // 2, steps=30) for case in picked]
    here = [
        fresh.trace(walk(case), walk(case).moments[len(walk(case).moments) // 2].state, request["choices"])
        for case, request in zip(picked, asked, strict=True)
    ]
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    there = subprocess.run(
        [sys.executable, "-m", "tests.engine.fresh"],
        input=json.dumps(asked),
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(there.stdout) == here


@contextmanager
def without_a_world(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing but the arguments: clocks and sources of chance fail."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the engine reads a clock or draws from the machine")

    with monkeypatch.context() as patched:
        for module in (random, time, secrets):
            for name in dir(module):
                if not name.startswith("_") and callable(getattr(module, name)):
                    patched.setattr(module, name, refuse)
        patched.setattr(os, "urandom", refuse)
        yield


@every_game
def test_a_match_needs_no_clock_and_no_chance_of_the_machine(game_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for case in cases(game_id)[::3]:
        expected = walk(case)
        with without_a_world(monkeypatch):
            found = walk.__wrapped__(case)
            told = conformance.everything(found, found.end)
        assert found.moments == expected.moments
        assert told == conformance.everything(expected, expected.end)


def test_the_ban_on_clocks_and_chance_bites(monkeypatch: pytest.MonkeyPatch) -> None:
    touches = [(time, "time"), (time, "monotonic_ns"), (random, "random"), (random, "Random"), (secrets, "token_bytes")]
    for module, name in [*touches, (os, "urandom")]:
        with without_a_world(monkeypatch), pytest.raises(AssertionError):
            getattr(module, name)(1)


@every_game
def test_the_slowest_matches_end_too(game_id: str) -> None:
    """The first listed action always, the last always, and the missed one always."""
    game = find(game_id)
    choosers: tuple[Callable[[Any, int], Any], ...] = (
        lambda state, seat: game.legal_actions(state, seat).actions[0],
        lambda state, seat: game.legal_actions(state, seat).actions[-1],
        game.missed_action,
    )
    for case in [Case(game_id, seats) for seats in (tables(game_id)[0], tables(game_id)[-1])]:
        for chooser in choosers:
            done = walk(case)
            state, decisions = game.new(done.options, done.seats, done.chance), 0
            while asked := game.pending(state):
                state = games.apply(game, state, {seat: chooser(state, seat) for seat in asked}, done.chance).state
                decisions += 1
                assert decisions <= game.bound(done.options, done.seats)


@every_game
def test_a_game_is_found_by_its_id_and_describes_itself(game_id: str) -> None:
    game = find(game_id)
    assert game_id == game.ID
    assert all(type(said) is str and said.strip() for said in (game.TITLE, game.SUMMARY, game.RULES))
    assert type(game.RULES_VERSION) is int
    assert game.RULES_VERSION >= 1
    assert 2 <= game.SEATS[0] <= game.SEATS[1]
    assert 10 <= game.MOVE_SECONDS <= 2_592_000
    assert len({option.name for option in game.OPTIONS}) == len(game.OPTIONS)
    assert all(option.help for option in game.OPTIONS)


@every_game
def test_every_value_of_every_option_is_met(game_id: str) -> None:
    met = {(name, value) for case in cases(game_id) for name, value in options_of(case).items()}
    for option in find(game_id).OPTIONS:
        if isinstance(option, Choice):
            assert {(option.name, value) for value in option.values} <= met
        else:
            assert {(option.name, value) for value in values(option, tables(game_id)[0])} <= met


def test_an_unknown_game_is_not_found() -> None:
    assert games.find("poker") is None


def test_a_game_without_an_adapter_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = SimpleNamespace(**{**vars(liars_poker), "__name__": "engine.games.stranger"})
    monkeypatch.setattr(adapters, "find", lambda _: stranger)
    with pytest.raises(AssertionError, match=r"tests\.engine\.adapters\.stranger"):
        adapters.of("stranger")


# The suite itself: each fault below is one that a game could have, and is noticed.


def faulty(**changes: Any) -> Walk:
    """A walk of Liar's Poker, with functions of the game replaced."""
    done = walk(Case("liars-poker", 3, policy=POLICIES[0]))
    return done._replace(game=cast(Game[Any], SimpleNamespace(**{**vars(liars_poker), **changes})))


def listing_one_too_many(state: liars_poker.State, seat: int) -> Legal:
    legal = liars_poker.legal_actions(state, seat)
    return Legal([*legal.actions, {"type": "bid", "count": 99, "digit": 9}]) if legal.actions else legal


def listing_one_too_few(state: liars_poker.State, seat: int) -> Legal:
    return Legal(liars_poker.legal_actions(state, seat).actions[1:])


def accepting_booleans(state: liars_poker.State, seat: int, action: Any) -> Any:
    plain = {name: int(value) if isinstance(value, bool) else value for name, value in action.items()}
    return liars_poker.check(state, seat, plain)


def refusing_by_crash(state: liars_poker.State, seat: int, action: Any) -> Any:
    if "count" in action and not isinstance(action["count"], int):
        raise TypeError("count")
    return liars_poker.check(state, seat, action)


def viewing_floats(state: liars_poker.State, seat: int | None) -> dict[str, Any]:
    return {**liars_poker.view(state, seat), "odds": 0.5}


def resolving_in_place(state: liars_poker.State, choices: Any, chance: Any) -> Step[Any]:
    step = liars_poker.resolve(state, choices, chance)
    for action in choices.values():
        action["seen"] = action.get("seen", 0) + 1
    return step


def favouring_seat_zero(state: liars_poker.State) -> Any:
    ranks, scores = liars_poker.standing(state)
    return Standing((1, *ranks[1:]), (scores[0] + 1, *scores[1:]))


ADAPTER = adapters.of("liars-poker")


@pytest.mark.parametrize(
    ("check", "changes"),
    [
        (lambda done: conformance.accepts_what_it_lists(done, ADAPTER), {"legal_actions": listing_one_too_many}),
        (lambda done: conformance.accepts_nothing_else(done, ADAPTER), {"legal_actions": listing_one_too_few}),
        (lambda done: conformance.accepts_nothing_else(done, ADAPTER), {"check": accepting_booleans}),
        (lambda done: conformance.accepts_nothing_else(done, ADAPTER), {"check": refusing_by_crash}),
        (conformance.holds_json_only, {"view": viewing_floats}),
        (conformance.changes_no_argument, {"resolve": resolving_in_place}),
        (conformance.comes_back_from_its_dump, {"dump": lambda state: liars_poker.dump(state._replace(rebid=(0,)))}),
        (conformance.ends, {"pending": lambda state: (0,)}),
        (conformance.ends, {"bound": lambda options, seats: 1}),
        (lambda done: conformance.is_the_same_game_for_other_seats(done, ADAPTER), {"standing": favouring_seat_zero}),
        (
            lambda done: conformance.has_a_legal_missed_action(done, ADAPTER),
            {"missed_action": lambda state, seat: {"type": "challenge"}},
        ),
    ],
)
def test_the_suite_notices_a_fault(check: Callable[[Walk], None], changes: dict[str, Any]) -> None:
    check(_copied(faulty()))
    with pytest.raises((AssertionError, TypeError, IllegalAction)):
        check(_copied(faulty(**changes)))


def _copied(done: Walk) -> Walk:
    """The walk with choices of its own, which a faulty game may spoil."""
    moments = [m._replace(choices={seat: dict(action) for seat, action in m.choices.items()}) for m in done.moments]
    return done._replace(moments=tuple(moments))


def test_the_suite_notices_a_choice_that_its_event_does_not_hold() -> None:
    done = faulty()
    first = done.moments[0]
    bare = Step(first.step.state, (Event("bid", first.step.events[0].seat), *first.step.events[1:]))
    with pytest.raises(AssertionError):
        conformance.starts_with_the_choices(done._replace(moments=(first._replace(step=bare),)))


@pytest.mark.soak
@pytest.mark.parametrize(("game_id", "seats"), [(game_id, n) for game_id in games.IDS for n in tables(game_id)])
def test_every_combination_of_options_conforms(game_id: str, seats: int) -> None:
    for case in every_case(game_id, seats):
        conformance.check_all(case, adapters.of(game_id))
        walk.cache_clear()
