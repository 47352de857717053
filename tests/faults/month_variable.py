"""A store that is a variable: one match, its players, and nobody who looks at it but they."""

from collections.abc import Sequence
from random import Random
from typing import Any

from engine.types import EpochMs
from functions.shared.store.ladder_records import Rating
from functions.shared.store.ports import Services
from functions.shared.store.records import DueItem, Job, MatchRecord, Page, Place, Profile, Vacation
from tests.faults.month_plan import Plan
from tests.faults.world import START


def profiles(plan: Plan) -> dict[str, Profile]:
    """The players, when none of them has ever been away."""
    return {player: Profile(player, f"player-{i}", START, "") for i, player in enumerate(plan.players)}


class Matches:
    """One match, once it is created. Nobody else writes, so every condition holds."""

    def __init__(self, record: MatchRecord | None = None) -> None:
        self.record = record

    def get(self, match_id: str) -> MatchRecord | None:
        return self.record

    def create(self, record: MatchRecord, *_: Any) -> MatchRecord:
        return self.save(record, record)

    def save(self, before: MatchRecord, after: MatchRecord) -> MatchRecord:
        assert before.version == after.version
        self.record = after._replace(version=after.version + 1)
        return self.record

    def seat(self, before: MatchRecord, after: MatchRecord, player: str) -> MatchRecord:
        return self.save(before, after)

    unseat = seat

    def of_player(self, player: str, **_: Any) -> Page:
        return Page((Place("", self._id),) if self.record else (), more=False)

    def due(self, shard: int, *_: Any) -> Sequence[DueItem]:
        return [] if shard else [DueItem(f"MAT#{self._id}", 0, "")]

    @property
    def _id(self) -> str:
        assert self.record is not None
        return self.record.match.id


class Players:
    """The players as they are at a moment, and as they are changed after it."""

    def __init__(self, plan: Plan, at: EpochMs) -> None:
        self._known = profiles(plan)
        for away in plan.vacations:
            if away.at <= at < away.end:
                vacation = Vacation(away.at, away.whole, away.days)
                self._known[away.player] = self._known[away.player]._replace(vacation=vacation)

    def get(self, player: str) -> Profile:
        return self._known[player]

    def save(self, before: Profile, after: Profile, *_: Any) -> None:
        self._known[after.id] = after


class Ladder:
    """A ladder in which nobody has a result."""

    def ratings(self, game: str, players: Sequence[str]) -> dict[str, Rating]:
        return {player: Rating(game, player) for player in players}


class Jobs:
    """Jobs that are done at once, and leave nothing."""

    def get(self, *_: Any) -> None:
        return None

    def start(self, job: Job) -> None:
        pass

    def save(self, before: Job, after: Job) -> Job:
        return after

    def finish(self, job: Job) -> None:
        pass


class Tournaments:
    """No tournament at all."""

    def due(self, *_: Any) -> tuple[()]:
        return ()


def services_over(matches: Matches, players: Players) -> Services:
    """The flows' services, with chance of their own."""
    unused: dict[str, Any] = dict.fromkeys(Services._fields)
    ports: dict[str, Any] = {"matches": matches, "players": players, "jobs": Jobs(), "ladder": Ladder()}
    ports["tournaments"] = Tournaments()
    world = {"now": lambda: START, "random_bytes": Random("variable").randbytes, "pause": lambda _: None}
    return Services(**unused | ports | world | {"secret": b"secret"})
