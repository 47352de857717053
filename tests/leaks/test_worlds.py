"""What a viewer may not know changes no byte of any answer: every game, option, phase and viewer, on every route.

Each scene is put into worlds that are the same to a viewer (tests/leaks/worlds.py), who asks the same in all of them.
"""

from collections.abc import Iterator, Mapping
from random import Random

import pytest

from engine.match import play
from engine.match.record import sitters
from engine.types import Action
from tests.engine.cases import Case
from tests.engine.cases import cases as all_cases
from tests.leaks.routes import Position, next_pages, reads, refused
from tests.leaks.scenes import EVERY_CASE, Scene, scenes
from tests.leaks.stage import ANYBODY, SPECTATOR, Answer, Asked, Stage, Viewer, at_seat, differences
from tests.leaks.worlds import World, own_choices, worlds

MOST_SCENES = 3
MOST_SEATS = 3


def viewers(scene: Scene, most_seats: int, rng: Random) -> list[Viewer]:
    """Seats that are asked and such that are not, who leaves and who has left, and both kinds of spectators."""
    seats = list(range(len(scene.match.seats)))
    special = [seat for seat in seats if seat == scene.leaver or sitters(scene.match)[seat].left]
    asked = [seat for seat in play.asked(scene.match) if seat not in special]
    others = [seat for seat in seats if seat not in special and seat not in asked]
    rng.shuffle(asked)
    rng.shuffle(others)
    chosen = [*asked[: most_seats - 1], *special[:1], *others, *asked[most_seats - 1 :], *special[1:]][:most_seats]
    return [*map(at_seat, chosen), ANYBODY, SPECTATOR]


def everything(stage: Stage, viewer: Viewer, questions: list[Asked]) -> tuple[list[Asked], list[Answer]]:
    """The answers to questions, and to those for the pages that follow."""
    answers = stage.ask(viewer, questions)
    more = next_pages(questions, [answer.body for answer in answers])
    return questions + more, answers + stage.ask(viewer, more)


def alike(stage: Stage, viewer: Viewer, same: Iterator[World], rng: Random) -> int:
    """Compares each world with the first one; the number of answers compared."""
    first = next(same)
    stage.put(first.record, first.away)
    position = Position(first.record.match, viewer.seat)
    questions = [*reads(stage.service.stack, first.record.match), *refused(stage.service.stack, position, rng)]
    asked, expected = everything(stage, viewer, questions)
    assert stage.unchanged()
    compared = 0
    for world in same:
        stage.put(world.record, world.away)
        again, found = everything(stage, viewer, questions)
        told = differences(asked, expected, found)
        assert not told, f"{viewer.name} can tell {first.name!r} from {world.name!r}:\n" + "\n".join(told)
        assert again == asked
        assert stage.unchanged()
        compared += len(found)
    return compared


def a_scene_tells_nothing(stage: Stage, scene: Scene, most_seats: int) -> int:
    rng = Random(f"{scene.name} {scene.match.id}")
    return sum(
        alike(stage, viewer, worlds(scene, viewer, own, rng), rng)
        for viewer in viewers(scene, most_seats, rng)
        for own in own_choices(scene, viewer, rng)
    )


@pytest.mark.parametrize("case", EVERY_CASE, ids=str)
def test_what_a_viewer_may_not_know_changes_no_answer(stage: Stage, case: Case) -> None:
    assert all([a_scene_tells_nothing(stage, scene, MOST_SEATS) for scene in scenes(case, MOST_SCENES)])
