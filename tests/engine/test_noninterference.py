"""What a viewer may not know changes nothing that the viewer sees, in any game, option, phase and place at the table.

The adapters (tests/engine/adapters) make, from the rules pages, pairs of states or closing decisions that differ only
in what a viewer may not know. Everything that the engine tells that viewer has to be equal to the letter: views
(with the order of keys and lists), legal actions, refusals, who is asked, and events as the viewer gets them.

Sealed choices of an open decision need no pair: no function of a game is given one before `resolve` has all of them.
"""

from collections.abc import Iterator
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine import games
from engine.errors import IllegalAction
from engine.games import liars_poker
from engine.games.protocol import Event, Game, Legal, Step
from engine.types import Action, Json, Seat
from tests.engine import adapters
from tests.engine.adapters import Adapter
from tests.engine.cases import Case, cases, every_case, find, tables, text
from tests.engine.conformance import outcome
from tests.engine.neighbours import mutants
from tests.engine.walks import Walk, sample, walk

PHASES = 8
"""Decisions of a walk that are looked at."""

every_walk = pytest.mark.parametrize("case", [case for game in games.IDS for case in cases(game)], ids=str)


def viewers(done: Walk) -> tuple[Seat | None, ...]:
    return (*range(done.seats), None)


def seen(event: Event, viewer: Seat | None) -> Json:
    """An event as a viewer gets it while it is fresh."""
    secret = event.secret if viewer in event.to else {}
    return [event.type, event.seat, event.data, secret, event.brief]


def told(game: Game[Any], state: Any, viewer: Seat | None, tries: list[Action]) -> str:
    """All that a game tells a viewer of a state, and its answer to each of some actions."""
    asked = game.pending(state)
    everything: list[Json] = [list(asked), game.view(state, viewer)]
    if viewer is not None:
        legal = game.legal_actions(state, viewer)
        everything += [list(legal.actions), legal.optional]
        if viewer in asked:
            everything += [game.missed_action(state, viewer)]
            everything += [outcome(game, state, viewer, action) for action in tries]
    return text(everything)


def attempts(done: Walk, state: Any, viewer: Seat | None, rng: Random) -> list[Action]:
    """Legal and illegal actions whose answers are compared."""
    if viewer not in done.game.pending(state) or viewer is None:
        return []
    actions = done.game.legal_actions(state, viewer).actions
    some = [actions[0], actions[-1], rng.choice(actions)]
    near = list(mutants(done.game.missed_action(state, viewer)))
    others = [action for moment in sample(done, 10) for action in moment.choices.values()]
    return some + rng.sample(near, 8) + rng.sample(others, min(8, len(others)))


def states_tell_a_viewer_nothing_more(done: Walk, adapter: Adapter) -> int:
    """Compares each state with its other worlds; the number of comparisons."""
    compared, game = 0, done.game
    states = [*(moment.state for moment in sample(done, PHASES)), done.end]
    for number, state in enumerate(states):
        for viewer in viewers(done):
            rng = Random(f"{number} {viewer}")
            tries = attempts(done, state, viewer, rng)
            expected = told(game, state, viewer, tries)
            for world in adapter.worlds(state, viewer, rng):
                assert told(game, world, viewer, tries) == expected
                compared += 1
    return compared


def decisions_tell_a_viewer_nothing_more(done: Walk, adapter: Adapter) -> int:
    """Compares each closing decision with its twins; the number of comparisons."""
    compared, game = 0, done.game
    for number, moment in enumerate(sample(done, PHASES)):
        for viewer in viewers(done):
            rng = Random(f"{number} {viewer}")
            step = game.resolve(moment.state, moment.choices, done.chance)
            tries = attempts(done, step.state, viewer, rng)
            expected = [[seen(event, viewer) for event in step.events], told(game, step.state, viewer, tries)]
            for twin in adapter.twins(moment, done.chance, viewer, rng):
                other = game.resolve(twin.state, twin.choices, twin.chance)
                found = [[seen(event, viewer) for event in other.events], told(game, other.state, viewer, tries)]
                assert text(found) == text(expected)
                compared += 1
    return compared


def nothing_tells_more(done: Walk, adapter: Adapter) -> None:
    """Both comparisons."""
    states_tell_a_viewer_nothing_more(done, adapter)
    decisions_tell_a_viewer_nothing_more(done, adapter)


@every_walk
def test_what_a_viewer_may_not_know_shows_nowhere(case: Case) -> None:
    assert states_tell_a_viewer_nothing_more(walk(case), adapters.of(case.game))


@every_walk
def test_what_stays_hidden_when_a_decision_closes_shows_nowhere(case: Case) -> None:
    assert decisions_tell_a_viewer_nothing_more(walk(case), adapters.of(case.game))


@every_walk
def test_the_other_worlds_are_states_of_the_game(case: Case) -> None:
    """An adapter that made impossible states would prove nothing: each goes on to an end."""
    done, adapter = walk(case), adapters.of(case.game)
    for moment in sample(done, 3):
        for viewer in (0, None):
            for world in adapter.worlds(moment.state, viewer, Random(0)):
                assert done.game.load(done.game.dump(world), done.options, done.seats) == world
                assert adapter.totals(world) == adapter.totals(moment.state)


@pytest.mark.soak
@pytest.mark.parametrize(("game_id", "seats"), [(game_id, n) for game_id in games.IDS for n in tables(game_id)])
def test_no_combination_of_options_leaks(game_id: str, seats: int) -> None:
    for case in every_case(game_id, seats):
        nothing_tells_more(walk(case), adapters.of(game_id))
        walk.cache_clear()


# The suite itself: each leak below is one that was seen elsewhere (reports.md), and is noticed.


def other_serials(state: liars_poker.State, seat: Seat | None) -> Iterator[str]:
    return (serial for holder, serial in enumerate(state.serials) if holder != seat)


def shown_in_the_view(state: liars_poker.State, seat: Seat | None) -> dict[str, Json]:
    return {**liars_poker.view(state, seat), "all": list(state.serials)}


def counted_in_the_view(state: liars_poker.State, seat: Seat | None) -> dict[str, Json]:
    return {**liars_poker.view(state, seat), "zeros": "".join(state.serials).count("0")}


def ordered_in_the_view(state: liars_poker.State, seat: Seat | None) -> dict[str, Json]:
    view = liars_poker.view(state, seat)
    return dict(sorted(view.items(), reverse="".join(other_serials(state, seat)) > "5"))


def shown_in_the_legal_actions(state: liars_poker.State, seat: Seat) -> Legal:
    legal = liars_poker.legal_actions(state, seat)
    hopeless = "".join(state.serials).count("9") < 2
    return Legal([a for a in legal.actions if not (hopeless and a.get("digit") == 9)])


def shown_in_a_refusal(state: liars_poker.State, seat: Seat, action: Action) -> Action:
    try:
        return liars_poker.check(state, seat, action)
    except IllegalAction as refused:
        raise IllegalAction(f"{refused.detail} ({next(other_serials(state, seat))})") from None


def shown_in_the_missed_action(state: liars_poker.State, seat: Seat) -> Action:
    actions = liars_poker.legal_actions(state, seat).actions
    return actions[int("".join(other_serials(state, seat))) % len(actions)]


def shown_in_an_event(state: liars_poker.State, choices: Any, chance: Any) -> Step[Any]:
    step = liars_poker.resolve(state, choices, chance)
    first = step.events[0]
    return step._replace(events=(first._replace(data={**first.data, "serials": list(state.serials)}), *step.events[1:]))


def shown_to_all_seats(state: liars_poker.State, choices: Any, chance: Any) -> Step[Any]:
    step = liars_poker.resolve(state, choices, chance)
    deal = Event("dealt", 0, {}, {"serials": list(step.state.serials)}, (0, 1))
    return step._replace(events=(*step.events, deal))


@pytest.mark.parametrize("game_id", games.IDS)
def test_a_game_that_shows_its_whole_state_is_noticed(game_id: str) -> None:
    """So no adapter's worlds or twins are all the same."""
    game, adapter = find(game_id), adapters.of(game_id)

    def showing_all(state: Any, seat: Seat | None) -> dict[str, Json]:
        return {**game.view(state, seat), "state": game.dump(state)}

    done = walk(Case(game_id, tables(game_id)[0]))
    leaking = done._replace(game=cast(Game[Any], SimpleNamespace(**{**vars(game), "view": showing_all})))
    for compare in (states_tell_a_viewer_nothing_more, decisions_tell_a_viewer_nothing_more):
        with pytest.raises(AssertionError):
            compare(leaking, adapter)


@pytest.mark.parametrize(
    "changes",
    [
        {"view": shown_in_the_view},
        {"view": counted_in_the_view},
        {"view": ordered_in_the_view},
        {"legal_actions": shown_in_the_legal_actions},
        {"check": shown_in_a_refusal},
        {"missed_action": shown_in_the_missed_action},
        {"resolve": shown_in_an_event},
        {"resolve": shown_to_all_seats},
    ],
    ids=lambda changes: next(iter(changes.values())).__name__,
)
def test_the_suite_notices_a_leak(changes: dict[str, Any]) -> None:
    done = walk(Case("liars-poker", 3))
    leaking = done._replace(game=cast(Game[Any], SimpleNamespace(**{**vars(liars_poker), **changes})))
    with pytest.raises(AssertionError):
        nothing_tells_more(leaking, adapters.of("liars-poker"))


def test_a_deal_that_shows_the_last_one_is_noticed() -> None:
    """The serials of the next round must not depend on another seat's, nor may a view show them."""

    def dealing_to_all(state: liars_poker.State, seat: Seat | None) -> dict[str, Json]:
        return {**liars_poker.view(state, seat), "next": list(state.serials) if state.round == 2 else []}

    done = walk(Case("liars-poker", 3))
    first = [moment for moment in done.moments if moment.state.round == 1]
    leaking = done._replace(
        game=cast(Game[Any], SimpleNamespace(**{**vars(liars_poker), "view": dealing_to_all})),
        moments=tuple(first),
        end=first[-1].state,
    )
    with pytest.raises(AssertionError):
        decisions_tell_a_viewer_nothing_more(leaking, adapters.of("liars-poker"))
