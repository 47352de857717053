"""Puts a match into worlds that are the same to a viewer, and compares all that the viewer is told in them."""

from collections.abc import Sequence

from tests.leaks.routes import next_pages
from tests.leaks.stage import Answer, Asked, Stage, Viewer, differences
from tests.leaks.worlds import World


def everything(stage: Stage, viewer: Viewer, asked: Sequence[Asked]) -> tuple[list[Asked], list[Answer]]:
    """The answers to questions, and to those for the pages that follow."""
    answers = stage.ask(viewer, asked)
    more = next_pages(asked, [answer.body for answer in answers])
    return [*asked, *more], answers + stage.ask(viewer, more)


def cannot_tell(stage: Stage, viewer: Viewer, asked: Sequence[Asked], same: Sequence[World]) -> int:
    """Compares each world with the first one; the number of answers compared. The questions change nothing."""
    stage.clear()
    stage.put(same[0].record, same[0].bound)
    all_asked, expected = everything(stage, viewer, asked)
    assert stage.unchanged()
    compared = 0
    for world in same[1:]:
        stage.put(world.record, world.bound)
        again, found = everything(stage, viewer, asked)
        told = differences(all_asked, expected, found)
        assert not told, f"{viewer.name} can tell {same[0].name!r} from {world.name!r}:\n" + "\n".join(told)
        assert again == all_asked
        assert stage.unchanged()
        compared += len(found)
    return compared


def cannot_tell_after(stage: Stage, viewer: Viewer, deed: Asked, asked: Sequence[Asked], same: Sequence[World]) -> None:
    """Compares, in each world, the answer to something that the viewer does, that to its repetition with the same key,
    and what the viewer is told then."""
    assert any(name == "idempotency-key" for name, _ in deed.headers)
    steps = [deed, deed, *asked]
    expected: list[Answer] = []
    for world in same:
        stage.clear()
        stage.put(world.record, world.bound)
        found = stage.ask(viewer, [deed, deed])
        stage.service.settle()
        found += stage.ask(viewer, asked)
        assert found[0].status < 300, found[0]
        assert ("idempotency-replayed", "true") in found[1].headers
        assert found[1].body == found[0].body
        told = differences(steps, expected or found, found)
        assert not told, f"{viewer.name} can tell {same[0].name!r} from {world.name!r}:\n" + "\n".join(told)
        expected = found
