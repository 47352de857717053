"""A month in the service: what players do comes at its moments, all else as a schedule has it. Flows are called as the
handlers call them, over the embedded store."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from random import Random
from typing import Any, NamedTuple, TypeVar

from engine.match.record import Match
from engine.types import EpochMs
from functions.shared.flows import absence, play, referee
from functions.shared.flows.marks import Key
from functions.shared.flows.referee import Done
from functions.shared.flows.visibility import find
from functions.shared.store.ports import Services
from functions.shared.store.records import Notice, Token
from tests.faults import world as worlds
from tests.faults.breaking import Counting, Killed, killed_after, killed_before, plain
from tests.faults.month_events import Asked
from tests.faults.month_lanes import Lanes
from tests.faults.month_plan import DAY, HOUR, MINUTE, MONTH, Outage, Plan, Vacation
from tests.faults.month_stories import Story, create, less_ratings, request
from tests.faults.month_variable import profiles
from tests.faults.world import START, Call, World

T = TypeVar("T")
Step = tuple[EpochMs, int, int, Callable[[], object]]
READERS = ("SettleFunction", "InboxFunction")
EVERYTHING = 1_000_000


class Run(NamedTuple):
    """A referee's run that nobody disturbed: what became of what was due, and its calls of the database, those apart
    that look for tournaments, of which there are none."""

    done: Counter[Done]
    calls: Counter[str]


class Aftermath(NamedTuple):
    """What there is when a month is over."""

    matches: dict[str, Match]
    items: dict[tuple[str, str], dict[str, Any]]
    history: list[dict[str, Any]]
    """What each write to the table of matches changed, in order."""
    inboxes: dict[str, list[tuple[EpochMs, Notice]]]
    """Of each player: when each notice was inserted, in this order."""
    sweeps: int
    runs: list[Run]
    """Those of the sweeps that nobody disturbed."""
    collisions: int
    """How often a referee found that somebody else wrote in between."""
    failures: int
    """How many records a reader of the stream gave back."""


def run(plan: Plan, stories: tuple[Story, ...], schedule: str) -> Aftermath:
    """The month, with the referees, readers and deliveries of a schedule of its own: `busy` or `idle`."""
    with worlds.running() as world:
        return _Month(world, plan, stories, schedule).run()


class _Month:
    def __init__(self, world: World, plan: Plan, stories: tuple[Story, ...], schedule: str) -> None:
        from functions.shared import wiring

        self._world = world
        self._plan = plan
        self._stories = stories
        self._rng = rng = Random(f"{plan.seed} {schedule}")
        self._often = len(stories) * {"busy": 2, "idle": 0.3}[schedule]
        self._lanes = Lanes(world, rng)
        self._services: Services = wiring.services()._replace(random_bytes=rng.randbytes, pause=lambda _: None)
        self._queries: dict[str, dict[str, Any]] = {}
        self._begun: list[str] = []
        self._at = START
        self._sweeps = 0
        self._runs: list[Run] = []
        self._collisions = 0

    def run(self) -> Aftermath:
        """All of it."""
        for profile in profiles(self._plan).values():
            token = Token(f"tok_{profile.id[4:]}", profile.id, profile.id, (), "", START, None)
            self._services.players.register(profile, token, None)
        end = max(story.end.ended_at for story in self._stories) + DAY
        for at, _, _, step in sorted([*self._script(), *self._noise(end)], key=lambda step: step[:3]):
            self._go_to(at)
            step()
        self._finish(end)
        found = {story.created.match.id: worlds.whole_of(story.created.match.id) for story in self._stories}
        inboxes = {player: self._inbox(player) for player in self._plan.players}
        counts = self._sweeps, self._runs, self._collisions, self._lanes.failures
        return Aftermath(found, dict(self._items()), self._lanes.history, inboxes, *counts)

    def _finish(self, at: EpochMs) -> None:
        """Everybody looks until nothing is left to do."""
        for _ in range(100):
            at += MINUTE
            self._go_to(at)
            done = referee.sweep(self._services, at, EVERYTHING).done
            for function in READERS:
                self._lanes.deliver(function, all_of_it=True)
            if not done and self._lanes.is_empty():
                return
        raise AssertionError(f"after the month something is left to do for ever: {done}")

    def _go_to(self, at: EpochMs) -> None:
        self._at = at
        # Deliveries take a millisecond each, and the clock never goes back.
        self._world.clock.set(max(at, self._world.clock.now()))

    def _items(self) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
        for name in ("PlayersTable", "MatchesTable"):
            for page in pages(partial(self._world.dynamo.scan, TableName=name)):
                yield from (((item["pk"]["S"], item["sk"]["S"]), item) for item in page)

    def _inbox(self, player: str) -> list[tuple[EpochMs, Notice]]:
        page = self._services.inbox.read(player, "", EVERYTHING)
        return [(int(place[:13]), notice) for place, notice in zip(page.places, page.notices, strict=True)]

    # What is the same in every schedule.

    def _script(self) -> Iterator[Step]:
        for outage in self._plan.outages:
            yield outage.declared, 0, 0, partial(self._declare, outage)
            if outage.swept is not None:
                yield outage.swept, 1, 0, partial(self._sweep_all, outage.swept)
        for away in self._plan.vacations:
            yield away.at, 2, 0, partial(self._leave, away)
            if away.back is not None:
                yield away.back, 2, 0, partial(self._return, away)
        for story in self._stories:
            yield story.table.at, 3, 0, partial(self._create, story)
            for number, (event, code) in enumerate(story.events, 1):
                if isinstance(event, Asked):
                    yield event.at, 3, number, partial(self._ask, story, event, code)

    def _declare(self, outage: Outage) -> None:
        outage_id = f"{outage.start}-{outage.end}"
        for _ in range(2):
            absence.declare_outage(self._services, outage_id, outage.start, outage.end, outage.declared)

    def _sweep_all(self, at: EpochMs) -> None:
        while done := referee.sweep(self._services, at, EVERYTHING).done:
            assert Done.FAILED not in done

    def _leave(self, away: Vacation) -> None:
        key = Key(away.player, "", "", is_given=False)
        with self._crowded(0.3):
            absence.begin_vacation(self._services, away.player, away.days, key, away.at)

    def _return(self, away: Vacation) -> None:
        assert away.back is not None
        with self._crowded(0.3):
            absence.end_vacation(self._services, away.player, away.back)

    def _create(self, story: Story) -> None:
        record = create(self._services, self._plan, story.table)
        assert less_ratings(record.match) == less_ratings(story.created.match)
        self._begun.append(record.match.id)

    def _ask(self, story: Story, asked: Asked, expected: str) -> None:
        with self._crowded(0.1):
            code = request(self._services, story.created.match.id, asked)
        assert code == expected, f"table {story.table.number}: {asked}"

    # What a schedule has of its own.

    def _noise(self, end: EpochMs) -> Iterator[Step]:
        rng, often = self._rng, int(self._often)
        stops = [START + rng.randrange(MONTH) for _ in range(4)]
        stopped = [(at, at + rng.randrange(6 * HOUR, 48 * HOUR)) for at in stops]
        whenever = partial(rng.randrange, START, end)
        ends = [at + rng.choice((-1, 0, 1, MINUTE)) for story in self._stories for at in story.moments]
        sweeps = [whenever() for _ in range(often)] + _some(ends, often, rng)
        found = [(at, partial(self._sweep, at)) for at in sweeps if not any(a <= at < b for a, b in stopped)]
        looks = [(event.at, story) for story in self._stories for event, _ in story.events]
        looks += [(at, story) for story in self._stories for at in story.moments]
        for at, story in _some(looks, 2 * often, rng):
            at += rng.choice((-1, 0, 1))
            found.append((at, partial(self._look, story.created.match.id, at)))
        for function in READERS:
            found += [(whenever(), partial(self._lanes.deliver, function)) for _ in range(often)]
            found += [(whenever(), partial(self._lanes.again, function)) for _ in range(often // 5)]
        for at, step in found:
            if not self._is_quiet(at):
                yield at, rng.choice((-1, 9)), 0, step

    def _is_quiet(self, at: EpochMs) -> bool:
        return any(outage.is_silent and outage.start <= at <= outage.declared for outage in self._plan.outages)

    def _look(self, match_id: str, at: EpochMs) -> None:
        if match_id in self._begun:
            play.current(self._services, find(self._services, match_id), at)

    def _sweep(self, at: EpochMs) -> None:
        """A referee that does little or much, among others or not, that may see an old index, or be killed."""
        rng = self._rng
        crowd, place = rng.choice((0, 0.5)), rng.randrange(40) if rng.random() < 0.1 else None
        kill = Counting(place, rng.choice((killed_before, killed_after)))
        old = self._old_index if rng.random() < 0.3 else plain
        limit = rng.choice((3, 20, EVERYTHING))
        with self._crowded(crowd), self._world.around(kill), self._world.around(old), suppress(Killed):
            with self._world.dynamo.recorded_calls() as calls:
                done = referee.sweep(self._services, at, limit).done
            assert Done.FAILED not in done
            self._collisions += done[Done.BUSY]
            if (crowd, place, old, limit) == (0, None, plain, EVERYTHING):
                made = Counter(operation for operation, tables in calls if tables != "TournamentsTable")
                self._runs.append(Run(done, made))
        self._sweeps += 1

    def _old_index(self, operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        """The due index of the matches as such a referee saw it before."""
        place = parameters.get("TableName"), parameters.get("IndexName")
        if place != ("MatchesTable", "due") or "ExclusiveStartKey" in parameters:
            return call()
        shard = next(value["S"] for value in parameters["ExpressionAttributeValues"].values() if "S" in value)
        answer = call()
        before = self._queries.get(shard, answer)
        self._queries[shard] = answer
        return before if self._rng.random() < 0.5 else answer

    @contextmanager
    def _crowded(self, chance: float) -> Iterator[None]:
        """Let somebody else come between what is read and what is written, at some of the writes in the block."""
        if self._is_quiet(self._at):
            yield
            return
        inside = False

        def hook(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
            nonlocal inside
            if operation in ("PutItem", "TransactWriteItems") and not inside and self._rng.random() < chance:
                inside = True
                self._somebody_else()
                inside = False
            return call()

        with self._world.around(hook):
            yield

    def _somebody_else(self) -> None:
        rng, at = self._rng, self._at
        if self._begun and rng.random() < 0.5:
            self._look(rng.choice(self._begun), at)
        elif rng.random() < 0.7:
            assert Done.FAILED not in referee.sweep(self._services, at - rng.choice((0, 0, 1, HOUR)), EVERYTHING).done
        else:
            self._lanes.deliver(rng.choice(READERS))


def pages(scan: Callable[..., dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """All pages of a scan."""
    more: dict[str, Any] = {}
    while True:
        answer = scan(**more)
        yield answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        more = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _some(values: Sequence[T], most: int, rng: Random) -> list[T]:
    return rng.sample(values, min(most, len(values)))
