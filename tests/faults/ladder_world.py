"""Ended matches and what the ladder makes of them, without a game being played."""

import itertools
from collections.abc import Sequence
from typing import Any

from engine.clock import Clock, parse
from engine.ladder.standing import Standing, unlisted_at
from engine.match.record import Match, Result, Sitter, Status
from engine.types import EpochMs
from functions.shared.store.ladder_records import Rating
from functions.shared.store.records import MatchRecord
from infra.local import filters
from tests.faults.world import STACK, START, World

GAME = "misfortune"

_CLOCK: Clock = parse({"kind": "per-move", "seconds": 60})
_numbers = itertools.count(1)
_PATTERNS = next(trigger.patterns for trigger in STACK.streams if trigger.function == "RankFunction")

Record = dict[str, Any]


def player(number: int) -> str:
    """The id of a player."""
    return f"ply_{number:026d}"


def ended(
    players: Sequence[str],
    ranks: Sequence[int],
    at: EpochMs = START,
    reason: str = "played",
    acted: Sequence[bool] | None = None,
    **door: Any,
) -> MatchRecord:
    """A match that has just ended, by seat; `door` are fields of its record."""
    who = zip(players, acted or [True] * len(players), strict=True)
    seats = tuple(Sitter(player, f"name of {player}", 1500, acted=acts) for player, acts in who)
    match = Match(
        f"mat_{next(_numbers):026d}",
        GAME,
        1,
        {},
        _CLOCK,
        "00" * 32,
        at - 1000,
        seats,
        Status.FINISHED,
        at - 1000,
        at,
        result=Result(reason, tuple(ranks), (0,) * len(players)),
    )
    return MatchRecord(match, **{"rated": True, "talk": False, **door})


def aborted(record: MatchRecord) -> MatchRecord:
    """The match, in which nobody has done anything."""
    seats = tuple(seat._replace(acted=False) for seat in record.match.seats if seat is not None)
    return record._replace(match=record.match._replace(status=Status.ABORTED, result=None, seats=seats))


def store(record: MatchRecord) -> str:
    """Puts a match where it is played, and gives its id."""
    from functions.shared import wiring

    first = record.match.seats[0]
    assert first is not None
    wiring.services().matches.create(record, first.player, None)
    return record.match.id


def told(match: str) -> Record:
    """What the stream says of an ended match."""
    return {"dynamodb": {"Keys": {"pk": {"S": f"MAT#{match}"}, "sk": {"S": "M"}}, "SequenceNumber": match}}


def settle(world: World, *records: MatchRecord) -> list[str]:
    """Stores matches and settles them, one after the other; gives their ids."""
    matches = [store(record) for record in records]
    for match in matches:
        assert world.settle([told(match)]) == {"batchItemFailures": []}
    return matches


def changed(world: World) -> list[Record]:
    """Takes the records of the ladder's stream that the counting function would get."""
    records = world.dynamo.take_records("LadderTable", 1_000_000)
    return list(filter(filters.fitting(_PATTERNS), records))


def count(world: World, records: Sequence[Record]) -> Any:
    """Gives records to the counting function."""
    return world.invoke("RankFunction", {"Records": list(records)})


def publish(world: World) -> Any:
    """Lets a minute's schedule run."""
    return world.invoke("RankFunction", {})


def drain(world: World) -> None:
    """Counts everything that has changed, and publishes it; what is unlisted on the way, too."""
    publish(world)
    while records := changed(world):
        for first in range(0, len(records), 100):
            assert count(world, records[first : first + 100]) == {"batchItemFailures": []}
        publish(world)


def rate_at(ratings: dict[str, int], at: EpochMs = START, **fields: Any) -> None:
    """Puts players into the ladder with these points, as if they had played; it is still to be counted."""
    from functions.shared import wiring

    for who, points in ratings.items():
        standing = Standing(1000 * points, won=30)
        listed = Rating(GAME, who, standing, True, reached_at=at, played_at=at, entry_at=at, due=unlisted_at(at))
        wiring.services().ladder.change(Rating(GAME, who), listed._replace(**fields))
