"""Promise 3: a function that is stopped before or after any of its calls, and the same request again, leave what one
clean run leaves."""

import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from functions.shared.flows import referee
from functions.shared.store import due, packing
from functions.shared.store.ports import UnavailableError
from tests.faults import scenes
from tests.faults import world as worlds
from tests.faults.breaking import Counting, Killed, failing, killed_after, killed_before, lost, plain
from tests.faults.scenes import Scene
from tests.faults.world import Hook, World

Setting = Callable[[World], Scene]

OF_THE_MOMENT = re.compile(r"\b\d{13}\b|(?<=^PROFILE of player 0 \[\] )v\d+")

KILLS = {"before": killed_before, "after": killed_after}
every_kill = pytest.mark.parametrize("when", [pytest.param("before", marks=pytest.mark.soak), "after"])
"""Before a call is after the one before it, but for what the function has in its memory."""

FAULTS = {"throttled": failing("ProvisionedThroughputExceededException"), "reply lost": lost}


def clean(setting: Setting) -> tuple[list[str], Any, Counter[str]]:
    """The calls of a run in which nothing goes wrong, its answer, and what it leaves."""
    with worlds.running() as world:
        scene = prepared(world, setting)
        calls = Counting()
        with world.around(calls):
            answer = scene.go()
        return calls.calls, answer, left_by(world, scene, setting)


def left_by(world: World, scene: Scene, setting: Setting) -> Counter[str]:
    """What is stored in the end; after a sweep, when the next minute's has run."""
    if setting in scenes.SWEEPS:
        world.advance(60)
        world.sweep()
    return scenes.stored(world, scene.players)


def prepared(world: World, setting: Setting) -> Scene:
    """The scene, at a time when tokens are looked up again."""
    scene = setting(world)
    world.advance(30)
    return scene


@pytest.fixture(autouse=True)
def few_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer queries a sweep."""
    for module in (due, referee):
        monkeypatch.setattr(module, "SHARDS", 2)


@every_kill
@pytest.mark.parametrize("setting", [*scenes.REQUESTS, *scenes.SETTLING, *scenes.SWEEPS])
def test_what_is_stopped_at_any_call_is_made_good_by_a_repetition(setting: Setting, when: str) -> None:
    calls, answer, left = clean(setting)
    assert len(calls) > 1
    for place in range(len(calls)):
        with worlds.running() as world:
            scene = prepared(world, setting)
            with world.around(Counting(place, KILLS[when])), pytest.raises(Killed):
                scene.go()
            again = scene.go()
            assert left_by(world, scene, setting) == left, (place, calls[place])
            if setting not in scenes.SWEEPS:
                assert again == answer, (place, calls[place])


@pytest.mark.parametrize("how", FAULTS)
@pytest.mark.parametrize("setting", scenes.REQUESTS)
def test_a_call_that_fails_is_answered_with_try_again_and_made_good_by_a_repetition(setting: Setting, how: str) -> None:
    calls, answer, left = clean(setting)
    for place in range(len(calls)):
        with worlds.running() as world:
            scene = prepared(world, setting)
            with world.around(Counting(place, FAULTS[how])):
                assert scene.go() == (503, "try-again"), (place, calls[place])
            assert scene.go() == answer, (place, calls[place])
            assert scenes.stored(world, scene.players) == left, (place, calls[place])


@pytest.mark.parametrize("how", FAULTS)
@pytest.mark.parametrize("setting", scenes.SETTLING)
def test_a_settlement_that_fails_is_reported_and_delivered_again(setting: Setting, how: str) -> None:
    calls, answer, left = clean(setting)
    for place in range(len(calls)):
        with worlds.running() as world:
            scene = prepared(world, setting)
            with world.around(Counting(place, FAULTS[how])):
                assert len(scene.go()["batchItemFailures"]) == 1
            assert scene.go() == answer
            assert scenes.stored(world, scene.players) == left


@pytest.mark.parametrize("how", FAULTS)
@pytest.mark.parametrize("setting", scenes.SWEEPS)
def test_a_sweep_that_fails_is_made_good_by_the_next_one(setting: Setting, how: str) -> None:
    calls, _, left = clean(setting)
    for place in range(len(calls)):
        with worlds.running() as world:
            scene = prepared(world, setting)
            with world.around(Counting(place, FAULTS[how])), pytest.raises(UnavailableError):
                scene.go()
            scene.go()
            assert left_by(world, scene, setting) == left, (place, calls[place])


@pytest.mark.parametrize("how", [*KILLS.values(), *FAULTS.values()])
@pytest.mark.parametrize("setting", scenes.JOBS)
def test_a_job_that_is_cut_off_is_finished_by_the_referee(setting: Setting, how: Hook) -> None:
    """The request may be repeated, to be told that it was carried out; what is left to do is done without it, and dated
    when it is done. An account that is closed may be closed once more while its token is remembered."""
    calls, _, _ = clean(setting)
    for place in range(len(calls)):
        lefts = []
        for hook in (how, plain):
            with worlds.running() as world:
                scene = prepared(world, setting)
                with world.around(Counting(place, hook)), suppress(Killed):
                    scene.go()
                scene.go()
                for _ in range(3):
                    world.advance(60)
                    world.sweep()
                # In which order ended matches are settled is open here, and so what the ladder's books say of each.
                left = scenes.stored(world, scene.players) - scenes.ladder(world, scenes.named(scene.players))
                lefts.append(Counter(OF_THE_MOMENT.sub("*", one) for one in left.elements()))
        assert lefts[0] == lefts[1], (place, calls[place])
        assert not [kind for kind in lefts[0] if kind.startswith("JOB")]


@pytest.mark.parametrize("when", KILLS)
@pytest.mark.parametrize("setting", [scenes.join, scenes.leave, scenes.seal, scenes.close_phase, scenes.end])
def test_a_write_that_puts_events_away_is_all_or_nothing(
    setting: Setting, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "BOUND", 0)
    monkeypatch.setattr(packing, "FEWEST", 1)
    monkeypatch.setattr(packing, "LAST_EVENTS", 1)
    test_what_is_stopped_at_any_call_is_made_good_by_a_repetition(setting, when)


@pytest.mark.parametrize("hook", [*KILLS.values(), *FAULTS.values()])
def test_what_a_stopped_function_left_undone_is_done_by_the_referee(hook: Hook) -> None:
    """The stream's function fails for good: its records are gone, the match is settled all the same."""
    _, _, left = clean(scenes.settle)
    with worlds.running() as world:
        scene = prepared(world, scenes.settle)
        with world.around(Counting(0, hook)):
            try:
                assert scene.go()["batchItemFailures"]
            except Killed:
                assert hook in KILLS.values()
        world.advance(30)
        assert world.sweep() == {"settled": 1}
        assert scenes.stored(world, scene.players) == left
