"""What a viewer may not know of a match changes nothing that the viewer is told (design.md, promise 5).

Each test makes two matches that differ only in that: in whether a seat has sealed its choice, in which choice, in when,
or in the hidden cards. All that `tables.observed` gathers has to be equal to the letter.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.match import log, play
from engine.match.advance import advance
from engine.match.play import Request
from engine.match.record import Entry, Match, Status, chance, last_event_at, logged, rules, sitters
from engine.types import Action, EpochMs, Json, Seat
from tests.engine import adapters
from tests.engine.adapters import Moment
from tests.engine.match import tables
from tests.engine.match.stories import PER_MOVE, Story, moments, pick, stories
from tests.engine.match.tables import SIMULTANEOUS, act, observed, people

NONSENSE: Action = {"type": "nonsense"}
sealed_games = stories(most=40, only=SIMULTANEOUS)
minute_games = stories(most=40, only=SIMULTANEOUS, clocks=PER_MOVE)
"""Where no clock tells afterwards how long a seat thought."""


def others(match: Match, seat: Seat) -> tuple[Seat | None, ...]:
    return (*(other for other in range(len(match.seats)) if other != seat), None)


def sealings(story: Story) -> Iterator[tuple[Match, Seat, Random]]:
    """The moments at which a seat can seal its choice and leaves the decision open, with all others still in time."""
    rng = Random(story.seed)
    for match in moments(story):
        now = present(match)
        if len(play.awaited(match)) > 1 and all(play.may_act(match, seat, now + 1) for seat in play.awaited(match)):
            yield match, rng.choice(play.awaited(match)), rng


def present(match: Match) -> EpochMs:
    return max([last_event_at(match), *(choice.at for choice in match.seals)])


def thought(match: Match, rng: Random) -> int:
    """Milliseconds into the decision, now or later, at which nobody has run out of time."""
    limits = [limit for seat in play.awaited(match) if (limit := play.deadline(match, seat)) is not None]
    return rng.randrange(present(match), min(limits)) - match.opened_at


def assert_alike(one: Match, other: Match, viewers: tuple[Seat | None, ...]) -> None:
    for viewer in viewers:
        tries = [NONSENSE] if viewer is not None else []
        assert observed(one, viewer, tries) == observed(other, viewer, tries)


def whether_a_seat_has_sealed_is_known_to_it_alone(story: Story) -> None:
    for match, seat, rng in sealings(story):
        sealed = act(match, seat, pick(match, seat, rng), after=thought(match, rng))
        assert_alike(match, sealed, others(match, seat))
        assert observed(match, seat) != observed(sealed, seat)


@settings(max_examples=120, deadline=None)
@given(sealed_games)
def test_whether_a_seat_has_sealed_is_known_to_it_alone(story: Story) -> None:
    whether_a_seat_has_sealed_is_known_to_it_alone(story)


@settings(max_examples=120, deadline=None)
@given(sealed_games)
def test_which_choice_a_seat_has_sealed_and_when_is_known_to_it_alone(story: Story) -> None:
    for match, seat, rng in sealings(story):
        one = act(match, seat, pick(match, seat, rng), after=thought(match, rng))
        other = act(match, seat, pick(match, seat, rng), after=thought(match, rng))
        assert_alike(one, other, others(match, seat))


@settings(max_examples=120, deadline=None)
@given(stories(most=40, only=("micro-poker",), clocks=PER_MOVE), st.sampled_from(["resign", "forfeit", "act"]))
def test_what_others_do_meanwhile_does_not_tell_whether_a_seat_has_sealed(story: Story, what: str) -> None:
    """Also not by its date: a request may be stamped earlier than a choice that was sealed before it got through."""
    for match, seat, rng in sealings(story):
        third = next(other for other in play.awaited(match) if other != seat)
        still_open = len(play.awaited(match)) > 2
        if not still_open or len([sitter for sitter in sitters(match) if not sitter.left]) < 3:
            continue
        sealed = act(match, seat, pick(match, seat, rng), after=30_000)
        at, choice = match.opened_at + 20_000, pick(match, third, rng)

        def step(match: Match, third: Seat = third, at: int = at, choice: Action = choice) -> Match:
            if what == "resign":
                return play.resign(match, Request(third, at))
            if what == "forfeit":
                return play.forfeit(match, third, at)
            return play.act(match, Request(third, at), match.turn, choice)

        one, other = step(match), step(sealed)
        if one.status is Status.ACTIVE:
            assert_alike(one, other, others(match, seat))


@settings(max_examples=120, deadline=None)
@given(minute_games)
def test_when_a_seat_had_sealed_stays_unknown_once_the_decision_has_closed(story: Story) -> None:
    for match, seat, rng in sealings(story):
        choice, rest = pick(match, seat, rng), [other for other in play.awaited(match) if other != seat]
        times = rng.sample(range(20_000), 2)
        worlds = [act(match, seat, choice, after=after) for after in times]
        for other in rest:
            made = pick(match, other, rng)
            worlds = [act(world, other, made, after=20_000) for world in worlds]
        assert worlds[0].turn > match.turn
        assert_alike(worlds[0], worlds[1], (*range(len(match.seats)), None))


@settings(max_examples=60, deadline=None)
@given(minute_games)
def test_the_order_of_sealing_stays_unknown_once_the_decision_has_closed(story: Story) -> None:
    for match, _, rng in sealings(story):
        awaited = play.awaited(match)
        made = {seat: pick(match, seat, rng) for seat in awaited}
        worlds = []
        for order in (awaited, tuple(reversed(awaited))):
            world = match
            for number, seat in enumerate(order):
                world = act(world, seat, made[seat], after=1000 * number)
            worlds.append(world)
        assert_alike(worlds[0], worlds[1], (*range(len(match.seats)), None))


@settings(max_examples=60, deadline=None)
@given(minute_games)
def test_a_seat_that_sealed_looks_when_time_closes_the_decision_as_if_it_had_sealed_at_any_time(story: Story) -> None:
    for match, seat, rng in sealings(story):
        if any(sitters(match)[other].bot for other in play.awaited(match)):
            continue
        choice, closes = pick(match, seat, rng), play.closes_at(match)
        assert closes is not None
        early, late = (advance(act(match, seat, choice, after=after), closes) for after in (1, 59_999))
        assert_alike(early, late, (*range(len(match.seats)), None))


@settings(max_examples=60, deadline=None)
@given(stories(most=25, bots=False, clocks=PER_MOVE))
def test_cards_that_stay_hidden_when_a_decision_closes_show_nowhere_in_the_match(story: Story) -> None:
    """The adapters know each game's hidden cards; the log, the numbering and all else of the match stands around it."""
    rng = Random(story.seed)
    for match in moments(story):
        asked = play.awaited(match)
        if match.seals or not asked or any(tables.lefts(match)):
            continue
        viewer = rng.choice((*range(story.seats), None))
        made = {seat: pick(match, seat, rng) for seat in asked}
        own = chance(match)
        moment = Moment(match.state, made, rules(match).resolve(match.state, made, own))
        for twin in adapters.of(match.game).twins(moment, own, viewer, rng):
            one, other = match, match._replace(state=twin.state)
            with pytest.MonkeyPatch.context() as patch:
                for seat in asked:
                    one = act(one, seat, made[seat])
                    patch.setattr(play, "chance", lambda match, twin=twin: twin.chance)
                    other = act(other, seat, twin.choices[seat])
                    patch.undo()
            # Not before: with `recall` = `event-only` the viewer may have seen cards that it may see no longer.
            assert_alike(one, other, (viewer,))


def test_a_face_down_card_shows_nowhere_while_it_lies_there() -> None:
    """Misfortune: two agreements, in which the first seat lays other cards."""

    def played(cards: tuple[str, str]) -> Match:
        match = people("misfortune")
        for card, own in zip(cards, ("6h", "7h"), strict=True):
            match = act(match, 0, {"type": "play", "card": card, "claim": "higher"})
            match = act(match, 1, {"type": "play", "card": own, "claim": "lower"})
        return match

    one, other = played(("Kc", "2c")), played(("5c", "9c"))
    assert_alike(one, other, (1, None))
    assert observed(one, 0) != observed(other, 0)
    for card in ("Kc", "2c"):
        assert card not in observed(one, 1)
        assert card not in observed(one, None)


# The suite itself: each of these leaks is noticed.


def _sealed_and_logged(match: Match, request: Request, action: Action, **changes: Json) -> Match:
    match = _seal(match, request, action, **changes)
    return logged(match, Entry(request.at, match.turn, "sealed"))


def _sealed_and_counted(match: Match, request: Request, action: Action, **changes: Json) -> Match:
    match = _seal(match, request, action, **changes)
    return match._replace(put_away=match.put_away + 1)


def _sealed_and_dated(match: Match, request: Request, action: Action, **changes: Json) -> Match:
    return _seal(match, request, action, **changes)._replace(opened_at=request.at)


_seal = play._seal
LEAKS: dict[str, tuple[Any, str, Any]] = {
    "who is asked shrinks": (play, "asked", play.awaited),
    "an event of its own": (play, "_seal", _sealed_and_logged),
    "the deadline moves": (play, "_seal", _sealed_and_dated),
    "the log shows the choices": (
        log,
        "last_events",
        lambda match, viewer: [choice.seat for choice in match.seals],
    ),
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_of_who_has_sealed_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, function, leaking = LEAKS[name]
    story = Story("misfortune", 2, (), "default-action", (), 3, 10)
    whether_a_seat_has_sealed_is_known_to_it_alone(story)
    monkeypatch.setattr(place, function, leaking)
    monkeypatch.setattr(tables, "last_events", log.last_events)
    with pytest.raises((AssertionError, RecursionError)):
        whether_a_seat_has_sealed_is_known_to_it_alone(story)
