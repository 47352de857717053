"""The suite itself: each leak below is of a kind that was seen elsewhere (reports.md), and is noticed."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from engine.games import half_deck_poker
from engine.games.half_deck_poker import State
from engine.games.protocol import Legal
from engine.match import log, play
from engine.match.record import Match
from engine.types import Json, Seat
from tests.engine.cases import Case
from tests.leaks.asking import cannot_tell, cannot_tell_after
from tests.leaks.canaries import planted
from tests.leaks.routes import Position, acting, every_read, refused
from tests.leaks.scenes import Scene, choice, decisions, record_of, seal
from tests.leaks.stage import NOW, SPECTATOR, Stage, Viewer, at_seat
from tests.leaks.worlds import World, own_choices, worlds

CASE = Case("half-deck-poker", 2, (), "mixed", 0)
TABLE = Case("micro-poker", 4, (), "mixed", 0)


def compare_worlds(stage: Stage) -> None:
    """Scenes in their worlds: two at a table of two, and to one of three who choose at once, and one who waits."""
    later = next(match for match in decisions(CASE)[1:] if len(play.asked(match)) == 2)
    table = decisions(TABLE)[0]
    (waiting,) = set(range(TABLE.seats)) - set(play.asked(table))
    for match, viewers in (
        (decisions(CASE)[0], [at_seat(0), SPECTATOR]),
        (later, [at_seat(0)]),
        (table, [at_seat(play.asked(table)[0]), at_seat(waiting)]),
    ):
        for viewer in viewers:
            _compare(stage, Scene("noticed", match), viewer)


def _compare(stage: Stage, scene: Scene, viewer: Viewer) -> None:
    rng = Random(0)
    for own in own_choices(scene, viewer, rng):
        same = list(worlds(scene, viewer, own, 2, rng))
        asked = every_read(stage.service.stack, scene.match)
        asked += refused(stage.service.stack, Position(same[0].record.match, viewer.seat), rng)
        cannot_tell(stage, viewer, asked, same)


def compare_replies(stage: Stage) -> None:
    """A seal, in worlds in which others have sealed or not."""
    match = decisions(TABLE)[0]
    first, second, *_ = play.asked(match)
    rng = Random(0)
    same = [
        World("nobody has sealed", record_of(match)),
        World("one has sealed", record_of(seal(match, second, choice(match, second, "mixed", rng), 1000))),
    ]
    deed = acting(match, choice(match, first, "mixed", rng))
    cannot_tell_after(stage, at_seat(first), deed, every_read(stage.service.stack, match), same)


def the_suite(stage: Stage) -> None:
    compare_worlds(stage)
    compare_replies(stage)


def _sealed(match: Match) -> int:
    return len(match.seals)


Patch = Callable[[pytest.MonkeyPatch], None]


def _patched(module: Any, name: str, change: Callable[..., Any]) -> Patch:
    """A function that gets the true one and its arguments, in its place."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        true = getattr(module() if callable(module) else module, name)
        patch.setattr(module() if callable(module) else module, name, lambda *args, **kw: change(true, *args, **kw))

    return apply


def _render() -> Any:
    from functions.shared.render import match

    return match


def _http() -> Any:
    from functions.shared.http import answer

    return answer


def _journal() -> Any:
    from functions.shared.flows import journal

    return journal


def _lists() -> Any:
    from functions.shared.flows import lists

    return lists


def a_field_of_the_view(true: Any, state: State, seat: Seat | None) -> dict[str, Json]:
    return {**true(state, seat), "high": max(state.deal[2:4], default=0)}


def an_order_of_keys(true: Any, state: State, seat: Seat | None) -> dict[str, Json]:
    view = true(state, seat)
    return dict(reversed(view.items())) if state.deal and state.deal[9] > state.deal[8] else view


def a_legal_action(true: Any, state: State, seat: Seat) -> Legal:
    legal = true(state, seat)
    return Legal(legal.actions[: -state.deal[7]]) if state.phase == "raising" else legal


def who_is_asked(true: Any, match: Match) -> tuple[Seat, ...]:
    sealed = {choice.seat for choice in match.seals}
    return tuple(seat for seat in true(match) if seat not in sealed)


def a_count_in_the_head(true: Any, record: Any, *rest: Any) -> Any:
    return {**true(record, *rest), "rating_range": [0, _sealed(record.match)]}


def when_to_ask_again(true: Any, record: Any, *rest: Any) -> int:
    return int(true(record, *rest) + _sealed(record.match))


def a_number_in_the_log(true: Any, services: Any, record: Any, *rest: Any) -> Any:
    return [event | {"n": event["n"] + _sealed(record.match)} for event in true(services, record, *rest)]


def an_event_of_a_seal(true: Any, match: Match, viewer: Seat | None) -> Any:
    return [*true(match, viewer), *({"n": 0, "at": NOW, "type": "sealed"} for _ in match.seals)]


def an_error_text(true: Any, match: Match, seat: Seat) -> str:
    return f"{true(match, seat)} ({_sealed(match)} have chosen)"


def a_deadline(true: Any, match: Match, seat: Seat) -> Any:
    at = true(match, seat)
    return at if at is None or seat in play.awaited(match) else at + 60_000


def a_place_in_a_list(true: Any, record: Any, *rest: Any) -> str:
    return f"{_sealed(record.match)}{true(record, *rest)}"


LEAKS: dict[str, Patch] = {
    "a field of the view": _patched(half_deck_poker, "view", a_field_of_the_view),
    "an order of keys": _patched(half_deck_poker, "view", an_order_of_keys),
    "a legal action": _patched(half_deck_poker, "legal_actions", a_legal_action),
    "who is asked": _patched(play, "asked", who_is_asked),
    "a count in the head": _patched(_render, "_head", a_count_in_the_head),
    "when to ask again": _patched(_render, "poll_after", when_to_ask_again),
    "a number in the log": _patched(_journal, "read", a_number_in_the_log),
    "an event of a seal": _patched(_render, "last_events", an_event_of_a_seal),
    "an error text": _patched(play, "_why_not", an_error_text),
    "a deadline": _patched(play, "deadline", a_deadline),
    "a place in a list": _patched(_lists, "_deadline", a_place_in_a_list),
}


def test_the_suite_finds_nothing_as_it_is(stage: Stage) -> None:
    the_suite(stage)


@pytest.mark.parametrize("leak", LEAKS)
def test_the_suite_notices_a_leak(stage: Stage, leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    LEAKS[leak](monkeypatch)
    with pytest.raises(AssertionError, match="can tell"):
        the_suite(stage)


def test_the_suite_notices_an_entity_tag_of_the_version(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def tag(true: Any, body: bytes) -> str:
        version = 0 if stage.record is None else stage.record.version
        return str(true(body + str(version).encode()))

    _patched(_http, "etag", tag)(monkeypatch)
    with pytest.raises(AssertionError, match="can tell"):
        the_suite(stage)


def test_a_canary_in_an_answer_is_noticed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.leaks.test_canaries import shows_no_canary

    def all_events(true: Any, entry: Any, number: int, viewer: Seat | None, turn: int) -> Any:
        return {**true(entry, number, viewer, turn), "key": entry.key}

    _patched(log, "shown", all_events)(monkeypatch)
    with pytest.raises(AssertionError, match="mark of a request"):
        shows_no_canary(stage, planted(decisions(CASE)[0]))
