"""Promise 3, over either store: a function that is stopped right after a write, a write whose reply is lost, and one
that is sent twice, leave what one clean run leaves once the request has been repeated."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from functions.shared.flows import referee
from functions.shared.store import due
from functions.shared.store.ports import UnavailableError
from tests.faults import scenes
from tests.faults.breaking import Killed, killed_after, lost, resent
from tests.faults.scenes import Scene
from tests.faults.world import Call, Hook, World
from tests.storage import worlds

WRITES = ("PutItem", "TransactWriteItems")
FAULTS = {"stopped": killed_after, "reply lost": lost, "sent twice": resent}
SCENES = (
    *(scenes.register, scenes.create, scenes.join_last, scenes.leave_as_creator, scenes.say),
    *(scenes.seal, scenes.close_phase, scenes.act_after_a_deadline, scenes.end),
    *(scenes.seek_and_find, scenes.cancel_a_seek, scenes.sweep_deadlines, scenes.sweep_to_the_end, scenes.sweep_seeks),
)
"""One for each kind of write; test_crashes has all of them, over the embedded store."""

Setting = Callable[[World], Scene]


class Breaking:
    """A hook that counts writes, and does something else with one of them."""

    def __init__(self, place: int | None, how: Hook | None) -> None:
        self.writes = 0
        self._place = place
        self._how = how

    def __call__(self, operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        if operation not in WRITES:
            return call()
        self.writes += 1
        if self._how is not None and self.writes == self._place:
            return self._how(operation, parameters, call)
        return call()


def run(setting: Setting, place: int | None = None, how: Hook | None = None) -> tuple[int, Any, Counter[str]]:
    """How many writes it took, what the last answer was, and what is stored in the end."""
    with worlds.opened() as world:
        scene = setting(world)
        world.advance(30)
        breaking = Breaking(place, how)
        with world.around(breaking), suppress(Killed, UnavailableError):
            answer = scene.go()
        if how is not None:
            answer = scene.go()
        if setting in scenes.SWEEPS:
            world.advance(60)
            world.sweep()
            answer = None
        return breaking.writes, answer, scenes.stored(world, scene.players)


@pytest.mark.parametrize("setting", SCENES)
def test_a_write_that_goes_wrong_is_made_good_by_a_repetition(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (due, referee):
        monkeypatch.setattr(module, "SHARDS", 2)
    writes, answer, left = run(setting)
    assert writes
    for place in range(1, writes + 1):
        for name, how in FAULTS.items():
            assert run(setting, place, how)[1:] == (answer, left), (place, name)
