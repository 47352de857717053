"""The answer to an action that closes a decision, its repetition, and all that is told after it: what stays hidden
then changes none of them. The games' adapters make the pairs of decisions (tests/engine/adapters)."""

import json
from collections.abc import Callable, Iterator
from random import Random

import pytest

from engine.deal import Chance
from engine.match import play, record
from engine.match.record import Match, Status
from engine.types import Action, Seat
from tests.engine import adapters
from tests.engine.adapters import Moment, Twin
from tests.engine.cases import Case
from tests.leaks.routes import acting, some_reads
from tests.leaks.scenes import EVERY_CASE, choice, decisions, record_of, representatives, seal
from tests.leaks.stage import ANYBODY, SPECTATOR, Answer, Asked, Stage, Viewer, at_seat, differences
from tests.leaks.worlds import hide


def viewers(match: Match, rng: Random) -> list[Viewer]:
    """Who closes the decision, another seat, a spectator."""
    closer = play.asked(match)[-1]
    other = rng.choice([seat for seat in range(len(match.seats)) if seat != closer])
    return [at_seat(closer), at_seat(other), rng.choice([ANYBODY, SPECTATOR])]


def twins(match: Match, choices: dict[Seat, Action], viewer: Viewer, rng: Random) -> Iterator[Twin]:
    """The decision itself, and others that close like it to the viewer."""
    chance = record.chance(match)
    step = record.rules(match).resolve(match.state, choices, chance)
    yield Twin(match.state, choices, chance)
    yield from adapters.of(match.game).twins(Moment(match.state, choices, step), chance, viewer.seat, rng)


def told(stage: Stage, match: Match, choices: dict[Seat, Action], viewer: Viewer) -> tuple[list[Asked], list[Answer]]:
    """All that a viewer is told while the last seat closes the decision, and after that."""
    *early, closer = choices
    for number, seat in enumerate(early):
        match = seal(match, seat, choices[seat], 1000 * (number + 1))
    stage.clear()
    stage.put(record_of(match))
    deed = acting(match, choices[closer])
    answers = stage.ask(at_seat(closer), [deed, deed])
    assert [answer.status for answer in answers] == [200, 200]
    assert answers[0].body == answers[1].body
    stage.service.settle()
    asked = some_reads(stage.service.stack, match, 8, Random(f"{viewer} {match.turn} {match.id}"))
    if viewer.seat != closer:
        return asked, stage.ask(viewer, asked)
    return [deed, deed, *asked], answers + stage.ask(viewer, asked)


@pytest.mark.parametrize("case", EVERY_CASE, ids=str)
def test_what_stays_hidden_when_a_decision_closes_changes_no_answer(
    stage: Stage, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random(f"replies {case}")
    open_ones = [match for match in decisions(case) if match.status is Status.ACTIVE]
    compared = 0
    for match in representatives(open_ones, 1 if case.given else 3, rng):
        choices = {seat: choice(match, seat, case.policy, rng) for seat in play.asked(match)}
        for viewer in viewers(match, rng):
            expected: list[Answer] = []
            for number, twin in enumerate(twins(match, choices, viewer, rng)):
                changed = match._replace(state=twin.state)
                changed = hide(changed, viewer, rng) if number else changed
                with monkeypatch.context() as patch:
                    patch.setattr(play, "chance", _dealing(twin.chance))
                    asked, found = told(stage, changed, dict(twin.choices), viewer)
                wrong = differences(asked, expected or found, found)
                assert not wrong, f"{viewer.name} can tell number {number}:\n" + "\n".join(wrong)
                expected = found
                compared += number
    assert compared


def _dealing(chance: Chance) -> Callable[[Match], Chance]:
    return lambda match: chance


@pytest.mark.parametrize("case", [case for case in EVERY_CASE if not case.given], ids=str)
def test_a_late_repetition_shows_the_match_as_it_is_now_and_no_more(stage: Stage, case: Case) -> None:
    """A seat repeats its first action, with its key, at the end of the match: it gets what it reads."""
    first = decisions(case)[0]
    seat = play.asked(first)[0]
    stage.put(record_of(first))
    deed = acting(first, choice(first, seat, "timid", Random(0)))
    for other in play.asked(first)[1:]:
        stage.ask(at_seat(other), [acting(first, choice(first, other, "timid", Random(0)), f"key-{other}")])
    (acted,) = stage.ask(at_seat(seat), [deed])
    assert acted.status == 200
    while (now := stage.stored().match).status is Status.ACTIVE and now.turn < 12:
        for asked in play.asked(now):
            action = choice(now, asked, "timid", Random(now.turn))
            stage.ask(at_seat(asked), [acting(now, action, f"key-{asked}-{now.turn}")])
    stage.service.settle()
    read, repeated = stage.ask(at_seat(seat), [Asked("GET", f"/v1/matches/{first.id}"), deed])
    assert repeated.status == 200
    assert json.loads(repeated.body) == json.loads(read.body)
