"""How a run of an operation goes, from the first attempt to what is there in the end: what happens, and what was
observed of it."""

from collections.abc import Callable, Collection
from enum import StrEnum
from typing import NamedTuple

from engine.types import EpochMs
from tests.faults.breaking import Counting, killed_before
from tests.faults.matrix_records import Records, Words, known, records
from tests.faults.matrix_stage import AGAIN, DONE, KILLED, RAISED, Attempt, Meanwhile, Setting, Stage, cold, staged
from tests.faults.world import Hook

LATER = (1, 1, 5)
"""What takes minutes has these until it has to be done: a webhook that was being told is looked at after five."""

TRIES = 8
"""How often somebody repeats what was not done; one fault takes one or two."""

UNDONE = (KILLED, AGAIN, RAISED, "503 try-again")
"""What is repeated."""


class Kind(StrEnum):
    """Who repeats what was not done."""

    REQUEST = "the client, with the same key"
    STREAM = "the stream"
    SCHEDULE = "the next minute"
    COMMAND = "the operator"


class Operation(NamedTuple):
    """A row of the matrix."""

    name: str
    by: str
    """The route or the function, as template.yaml names it."""
    kind: Kind
    setting: Callable[[Stage], Setting]
    rival: str = ""
    """What conflicts with it; empty where nobody else writes what it writes."""

    @property
    def is_keyed(self) -> bool:
        """Whether a repetition is known by its key, and has to be answered as the first attempt would have been."""
        return self.by.startswith("POST ")


class Told(NamedTuple):
    """What a story says of the operation."""

    first: str
    """What the first attempt came to."""
    attempted: Records
    """What was stored after it."""
    answer: str
    """What was answered in the end."""
    other: str = ""
    """What was answered to the other who acted, if there was one."""


class Run(NamedTuple):
    """What was observed of one run."""

    told: Told
    before: Records
    after: Records
    """When whatever was undone has been repeated, and the streams have been delivered."""
    later: Records | None
    """After some minutes; None where they were not waited for."""
    calls: int
    since: EpochMs
    """When the operation began."""


class Scene(NamedTuple):
    """What a story happens to."""

    stage: Stage
    setting: Setting
    kind: Kind
    known: Words
    counting: Counting

    def attempt(self, hook: Hook | None = None) -> tuple[str, Records]:
        """The first attempt, under a hook; and what is stored after it."""
        with self.stage.world.around(self.counting):
            if hook is None:
                first = self.stage.attempt(self.setting.go)
            else:
                with self.stage.world.around(hook):
                    first = self.stage.attempt(self.setting.go)
        return first, records(self.stage, self.known)

    def insist(self, answer: str, kind: Kind | None = None) -> str:
        """The answer, or what the repetitions of the operation come to."""
        return _insisted(self.stage, self.setting.go, answer, kind or self.kind)


class Rival:
    """The write that conflicts with the operation, and whether it stored anything: who is told that something was done
    finds it done."""

    def __init__(self, scene: Scene) -> None:
        assert scene.setting.rival is not None
        self._scene, self._go, self._has_stored = scene, scene.setting.rival, False

    def act(self) -> str:
        """One attempt."""
        stage, words = self._scene.stage, self._scene.known
        before = records(stage, words)
        answer = self._go()
        self._has_stored = self._has_stored or records(stage, words) != before
        return answer

    def insist(self, answer: str | None = None) -> str:
        """What it comes to, from a first answer on where it has had one."""
        answer = _insisted(self._scene.stage, self.act, self.act() if answer is None else answer, Kind.COMMAND)
        return answer + ("" if self._has_stored else ", nothing stored")


Story = Callable[[Scene], Told]


def _insisted(stage: Stage, go: Attempt, answer: str, kind: Kind) -> str:
    if kind is Kind.SCHEDULE:
        return DONE  # the next minute comes by itself
    go_on = go
    if answer == KILLED:
        if kind is Kind.REQUEST:
            stage.streams.drain()  # it takes the client a while to give up
        go_on = lambda: cold(go)  # noqa: E731
    for number in range(TRIES):
        if answer not in UNDONE:
            return answer
        if number:
            stage.streams.drain()  # a second has passed by now
        answer = go_on()
    raise AssertionError(f"{TRIES} times {answer}")


def run(operation: Operation, story: Story, expected: Collection[Records] | None = None) -> Run:
    """Lets a story happen. Minutes are waited for unless the records are already among those that are expected, from
    which the same follows."""
    with staged(operation.setting) as (stage, setting):
        scene = Scene(stage, setting, operation.kind, known(stage), Counting())
        before, since = records(stage, scene.known), stage.world.clock.now()
        told = story(scene)
        stage.streams.drain()
        if operation.kind is Kind.SCHEDULE:
            stage.minute()
        after, later = records(stage, scene.known), None
        if expected is None or after not in expected:
            for minutes in LATER:
                stage.minute(minutes)
            later = records(stage, scene.known)
        return Run(told, before, after, later, len(scene.counting.calls), since)


def clean(scene: Scene) -> Told:
    """Nothing goes wrong."""
    first, attempted = scene.attempt()
    return Told(first, attempted, first)


def missed(scene: Scene) -> Told:
    """A schedule that does not fire."""
    return Told("", records(scene.stage, scene.known), DONE)


def faulty(hook: Hook) -> Story:
    """Something goes wrong with a call, and whoever has to repeats the operation."""

    def story(scene: Scene) -> Told:
        first, attempted = scene.attempt(hook)
        return Told(first, attempted, scene.insist(first))

    return story


def twice(scene: Scene) -> Told:
    """It comes once more when it has been done."""
    first, attempted = scene.attempt()
    return Told(first, attempted, first, scene.insist(scene.setting.go(), Kind.COMMAND))


def twice_late(scene: Scene) -> Told:
    """It comes once more when everything has followed that follows."""
    first, attempted = scene.attempt()
    scene.stage.streams.drain()
    for minutes in LATER:
        scene.stage.minute(minutes)
    return Told(first, attempted, first, scene.insist(cold(scene.setting.go), Kind.COMMAND))


def twins(place: int) -> Story:
    """Another instance does the same before one of the calls."""

    def story(scene: Scene) -> Told:
        meanwhile = Meanwhile(place, scene.setting.go)
        first, attempted = scene.attempt(meanwhile)
        answer = scene.insist(first)
        return Told(first, attempted, answer, scene.insist(meanwhile.answer))

    return story


def rival_first(scene: Scene) -> Told:
    """The rival has acted before it comes."""
    other = Rival(scene).insist()
    first, attempted = scene.attempt()
    return Told(first, attempted, scene.insist(first), other)


def rival_first_and_missed(scene: Scene) -> Told:
    """The rival acts, and a schedule does not fire."""
    other = Rival(scene).insist()
    return Told("", records(scene.stage, scene.known), DONE, other)


def rival_last(scene: Scene) -> Told:
    """The rival acts after it."""
    first, attempted = scene.attempt()
    return Told(first, attempted, scene.insist(first), Rival(scene).insist())


def rival_between(place: int) -> Story:
    """The rival acts before one of the calls."""

    def story(scene: Scene) -> Told:
        rival = Rival(scene)
        meanwhile = Meanwhile(place, rival.act)
        first, attempted = scene.attempt(meanwhile)
        answer = scene.insist(first)
        return Told(first, attempted, answer, rival.insist(meanwhile.answer))

    return story


def rival_within(place: int) -> Story:
    """It is stopped before one of the calls, the rival acts, and it is repeated: nothing happens at once."""

    def story(scene: Scene) -> Told:
        first, attempted = scene.attempt(Counting(place, killed_before))
        other = Rival(scene).insist()
        return Told(first, attempted, scene.insist(first), other)

    return story
