"""What every game has to keep, whatever its rules: one check a promise, each over a whole walk."""

import json
from collections.abc import Mapping
from random import Random
from typing import Any

from engine import games
from engine.errors import Code, IllegalAction, Refused
from engine.games.protocol import Event, Game, Legal
from engine.types import Action, Json, Seat
from tests.engine.adapters import Adapter, Moment
from tests.engine.cases import Case, same, text
from tests.engine.neighbours import canonical, menu, near_and_far, with_parts
from tests.engine.walks import Walk, sample, walk, with_some

HEAVY = 4
"""Decisions of a walk that the costly checks look at."""


def outcome(game: Game[Any], state: Any, seat: Seat, action: Action) -> str:
    """What `check` says of an action: its canonical form, or the whole refusal."""
    try:
        return "accepted " + same(game.check(state, seat, action))
    except IllegalAction as refused:
        return f"{type(refused).__name__} {refused.code} {refused.loc} {refused.detail}"


def ends(done: Walk) -> None:
    """Until the end somebody is pending and has a legal action; after it nobody is and nobody has."""
    game, everybody = done.game, range(done.seats)
    for moment in done.moments:
        asked = game.pending(moment.state)
        assert asked
        assert list(asked) == sorted(set(asked) & set(everybody))
        assert games.result(game, moment.state) is None
        for seat in everybody:
            assert bool(game.legal_actions(moment.state, seat).actions) is (seat in asked)
            assert seat in asked or game.legal_actions(moment.state, seat) == Legal()
    assert game.pending(done.end) == ()
    assert all(game.legal_actions(done.end, seat) == Legal() for seat in everybody)
    assert games.result(game, done.end) == game.standing(done.end)
    assert len(done.moments) <= game.bound(done.options, done.seats)


def ranks_every_state(done: Walk) -> None:
    """Any state has an order of all seats, by competition ranks and integer scores."""
    for state in done.states():
        ranks, scores = done.game.standing(state)
        assert len(ranks) == len(scores) == done.seats
        assert all(type(number) is int for number in (*ranks, *scores))
        assert all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)


def keeps_totals(done: Walk, adapter: Adapter) -> None:
    """What the rules say never changes is the same in every state."""
    first, *others = (same(adapter.totals(state)) for state in done.states())
    assert all(other == first for other in others)


def starts_with_the_choices(done: Walk) -> None:
    """The first events are the choices in seat order, and hold exactly the parts of the actions."""
    for state, choices, step in done.moments:
        asked = done.game.pending(state)
        assert len(step.events) >= len(asked)
        for seat, event in zip(asked, step.events, strict=False):
            assert (event.seat, event.type) == (seat, choices[seat]["type"])
            assert not event.secret or seat in event.to
            parts = {"type": event.type, **event.data, **event.secret, **event.brief}
            assert len(parts) == 1 + len(event.data) + len(event.secret) + len(event.brief)
            assert same(parts) == same(choices[seat])


def is_json(value: Json, arrays: type | tuple[type, ...] = list) -> bool:
    """Whether a value holds JSON types only, and no float."""
    if isinstance(value, dict):
        return type(value) is dict and all(type(k) is str and is_json(v, arrays) for k, v in value.items())
    if isinstance(value, list | tuple) and isinstance(value, arrays):
        return all(is_json(item, arrays) for item in value)
    return value is None or type(value) in (str, int, bool)


def holds_json_only(done: Walk) -> None:
    """Views, events, actions and states are JSON without floats (a dump may have tuples for lists)."""
    for moment in done.moments:
        for event in moment.step.events:
            assert is_event(event, done.seats), event
        assert all(is_json(choice) for choice in moment.choices.values())
    for state in [moment.state for moment in sample(done, HEAVY * 4)] + [done.end]:
        for viewer in (None, *range(done.seats)):
            assert is_json(done.game.view(state, viewer))
        assert is_json(done.game.dump(state), (list, tuple))


def is_event(event: Event, seats: int) -> bool:
    """Whether an event is well formed."""
    return (
        type(event.type) is str
        and (event.seat is None or event.seat in range(seats))
        and all(is_json(part) for part in (event.data, event.secret, event.brief))
        and list(event.to) == sorted(set(event.to) & set(range(seats)))
        and bool(event.secret) <= bool(event.to)
    )


def comes_back_from_its_dump(done: Walk) -> None:
    """A state that went through JSON is the same state."""
    for state in done.states():
        dumped = json.loads(json.dumps(done.game.dump(state)))
        assert done.game.load(dumped, done.options, done.seats) == state


def changes_no_argument(done: Walk) -> None:
    """No function changes what it is given, and each gives the same when it is asked again."""
    game = done.game
    for moment in sample(done, HEAVY):
        state, choices, step = moment
        before = repr(state), same({str(seat): action for seat, action in choices.items()})
        first = everything(done, state)
        again = game.resolve(state, choices, done.chance)
        assert (repr(again), again) == (repr(step), step)
        assert everything(done, state) == first
        assert (repr(state), same({str(seat): action for seat, action in choices.items()})) == before
    assert repr(game.new(done.options, done.seats, done.chance)) == repr(done.states()[0])


def everything(done: Walk, state: Any) -> str:
    """All that a game tells of a state, as text."""
    game, seats = done.game, range(done.seats)
    asked = game.pending(state)
    return text(
        [
            [list(asked), list(game.standing(state)), game.dump(state)],
            [game.view(state, viewer) for viewer in (None, *seats)],
            [[list(legal.actions), legal.optional] for legal in (game.legal_actions(state, seat) for seat in seats)],
            [game.missed_action(state, seat) for seat in asked],
        ]
    )


def accepts_what_it_lists(done: Walk, adapter: Adapter) -> None:
    """Each listed action is accepted as it stands; so are the optional parts that may be added, put in order."""
    rng = Random(len(done.moments))
    for moment in sample(done, HEAVY):
        for seat in done.game.pending(moment.state):
            offered = menu(done, adapter, moment.state, seat)
            assert len(offered.actions) == len(done.game.legal_actions(moment.state, seat).actions)
            for written, action in offered.actions.items():
                assert same(done.game.check(moment.state, seat, action)) == written
            for action in with_parts(offered, rng, 10):
                written = canonical(offered, action) or "none"
                assert same(done.game.check(moment.state, seat, action)) == written


def lists_optional_parts(done: Walk, adapter: Adapter) -> None:
    """Any of the listed optional parts, at most one a seat, fits any of the listed actions."""
    rng = Random(len(done.moments))
    for moment in sample(done, HEAVY):
        for seat in done.game.pending(moment.state):
            actions, optional = done.game.legal_actions(moment.state, seat)
            for action in rng.sample(actions, min(10, len(actions))):
                fitting = adapter.parts(moment.state, seat, action)
                assert set(optional) <= set(fitting)
                for name, parts in optional.items():
                    assert {same(part) for part in parts} <= {same(part) for part in fitting[name]}
                done.game.check(moment.state, seat, with_some(action, optional, rng))


def accepts_nothing_else(done: Walk, adapter: Adapter) -> None:
    """Near and foreign actions are accepted exactly when they are listed, and else refused as `IllegalAction`."""
    for moment in sample(done, 3):
        before = repr(moment.state)
        for seat, action, written in near_and_far(done, adapter, moment):
            given = same(action)
            said = outcome(done.game, moment.state, seat, action)
            assert said.startswith(f"accepted {written}" if written else "IllegalAction illegal-action"), action
            assert same(action) == given
        assert repr(moment.state) == before


def applies_nothing_else(done: Walk, adapter: Adapter) -> None:
    """`apply` takes the same actions as `check`, and those of the clock."""
    for moment in sample(done, 2, "apply"):
        before = repr(moment.state)
        for seat, action, written in near_and_far(done, adapter, moment):
            is_clocks = any(action.get("type") == kind for kind in adapter.CLOCK_ONLY)
            assert is_clocks or is_applied(done, moment, {**moment.choices, seat: action}) is bool(written), action
        assert repr(moment.state) == before


def is_applied(done: Walk, moment: Moment, choices: Mapping[Seat, Action]) -> bool:
    """Whether `apply` takes these choices. Any refusal but a plain `IllegalAction` is a fault."""
    try:
        games.apply(done.game, moment.state, choices, done.chance)
    except Refused as refused:
        if type(refused) is not IllegalAction or refused.code is not Code.ILLEGAL_ACTION:
            raise
        return False
    return True


def refuses_another_set_of_seats(done: Walk) -> None:
    """A decision closes with a choice of each seat that it asks, and of no other."""
    for moment in sample(done, HEAVY):
        asked = done.game.pending(moment.state)
        idle = [seat for seat in range(-1, done.seats + 1) if seat not in asked]
        wrong = [{seat: action for seat, action in moment.choices.items() if seat != gone} for gone in asked]
        wrong += [{**moment.choices, seat: moment.choices[asked[0]]} for seat in idle]
        assert is_applied(done, moment, moment.choices)
        assert not any(is_applied(done, moment, choices) for choices in wrong)


def has_a_legal_missed_action(done: Walk, adapter: Adapter) -> None:
    """The missed action is a listed one, or one that only the clock can make; it always leads on."""
    for moment in sample(done, HEAVY * 2):
        game, state = done.game, moment.state
        asked = game.pending(state)
        for seat in asked:
            missed = game.missed_action(state, seat)
            is_listed = same(missed) in {same(action) for action in game.legal_actions(state, seat).actions}
            assert is_listed is (missed["type"] not in adapter.CLOCK_ONLY)
            assert outcome(game, state, seat, missed).startswith("accepted") is is_listed
        choices = {seat: game.missed_action(state, seat) for seat in asked}
        assert games.apply(game, state, choices, done.chance) == game.resolve(state, choices, done.chance)


def is_the_same_game_for_other_seats(done: Walk, adapter: Adapter) -> None:
    """With the seats renamed, the same decisions ask the renamed seats, allow them the same, and rank them the same."""
    game, renamings = done.game, list(adapter.relabellings(done.options, done.seats))
    assert renamings
    for seats, action, chance in renamings:
        assert sorted(seats) == list(range(done.seats))
        assert seats != tuple(range(done.seats))
        deal = chance(done.chance)
        state = game.new(done.options, done.seats, deal)
        heavy = {id(moment) for moment in sample(done, HEAVY)}
        for moment in done.moments:
            agree(game, moment.state, state, seats)
            if id(moment) in heavy:
                for old, new in enumerate(seats):
                    here = {same(action(listed)) for listed in game.legal_actions(moment.state, old).actions}
                    assert here == {same(listed) for listed in game.legal_actions(state, new).actions}
            choices = {seats[seat]: action(chosen) for seat, chosen in moment.choices.items()}
            state = games.apply(game, state, choices, deal).state
        agree(game, done.end, state, seats)


def agree(game: Game[Any], here: Any, there: Any, seats: tuple[Seat, ...]) -> None:
    """Two states have the same seats pending and the same order, but for the seats' names."""
    assert tuple(sorted(seats[seat] for seat in game.pending(here))) == game.pending(there)
    one, other = game.standing(here), game.standing(there)
    for old, new in enumerate(seats):
        assert (one.ranks[old], one.scores[old]) == (other.ranks[new], other.scores[new])


def check_all(case: Case, adapter: Adapter) -> None:
    """Every check of this module."""
    done = walk(case)
    ends(done)
    ranks_every_state(done)
    keeps_totals(done, adapter)
    starts_with_the_choices(done)
    holds_json_only(done)
    comes_back_from_its_dump(done)
    changes_no_argument(done)
    accepts_what_it_lists(done, adapter)
    lists_optional_parts(done, adapter)
    accepts_nothing_else(done, adapter)
    applies_nothing_else(done, adapter)
    refuses_another_set_of_seats(done)
    has_a_legal_missed_action(done, adapter)
    is_the_same_game_for_other_seats(done, adapter)
