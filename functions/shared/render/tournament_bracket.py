"""Who meets whom in a tournament, and how it went."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from engine import tournament as engine
from engine.tournament.protocol import HALVES, Amount, Key, Nobody, Origin, Result, Side, Status
from engine.tournament.rulings import Impact
from engine.tournament.series import POINTS
from functions.shared.clock import rfc3339
from functions.shared.flows.tournaments import life
from functions.shared.flows.tournaments.reading import BracketRound
from functions.shared.render.match import PlayerRef
from functions.shared.render.tournament import ref
from functions.shared.render.tournament_standings import number
from functions.shared.store.records_tournament import PairingRecord, TournamentRecord


class SourceBody(msgspec.Struct):
    """Where a side comes from: a seed, or the winner or loser of a pairing."""

    type: str
    seed: int | None
    pairing: str | None
    """The id."""
    at: str | None
    """Where that stands: stage/round/place."""


class SideBody(msgspec.Struct):
    """A side. Without a player it is not known yet, or nobody comes: a `bye` by the draw, `vacant` because whoever was
    to come is out."""

    player: PlayerRef | None
    seed: int | None
    source: SourceBody
    bye: bool
    vacant: bool


class ResultBody(msgspec.Struct):
    """How a pairing ended, by side: equal ranks are a draw, ranks 2 and 2 a pairing that nobody won."""

    reason: str
    ranks: list[int]
    points: list[float]
    scores: list[int]


class PairingBody(msgspec.Struct):
    """A pairing. Its place counts from 1; `matches` are those that count, in the order played."""

    id: str
    stage: str
    round: int
    place: int
    sides: list[SideBody]
    status: str
    best_of: int
    matches: list[str]
    result: ResultBody | None
    deadline: str | None


class RoundBody(msgspec.Struct):
    """A round; `digest` is what was published of its draw."""

    round: int
    status: str
    deadline: str | None
    digest: str | None
    pairings: list[PairingBody]


class StageBody(msgspec.Struct):
    """A stage of a tournament."""

    stage: str
    format: str
    rounds: list[RoundBody]


class BracketBody(msgspec.Struct):
    """The stages of a tournament that has started; none before."""

    stages: list[StageBody]
    next_cursor: str | None


class FollowerBody(msgspec.Struct):
    """A pairing that a ruling would undo."""

    id: str
    stage: str
    round: int
    place: int


class VoidsBody(msgspec.Struct):
    """The followers that a ruling would undo, by how far they have come."""

    open: list[FollowerBody]
    playing: list[FollowerBody]
    played: list[FollowerBody]


class RulingBody(msgspec.Struct):
    """A pairing after a ruling; of a dry run, what it would undo, and whether it needs `cascade`."""

    pairing: PairingBody | None
    voids: VoidsBody | None
    needs_cascade: bool


def players(record: PairingRecord) -> Iterator[str]:
    """Everybody who has come to a side."""
    return (side.player for side in record.pairing.sides if side.player)


def bracket(
    record: TournamentRecord, rounds: Sequence[BracketRound], names: Mapping[str, str], cursor: str | None
) -> BracketBody:
    """These rounds by stage, in their order."""
    stages: dict[str, list[RoundBody]] = {}
    for shown in rounds:
        stages.setdefault(shown.shape.stage, []).append(_round(record, shown, names))
    return BracketBody([StageBody(stage, record.format, parts) for stage, parts in stages.items()], cursor)


def _round(record: TournamentRecord, shown: BracketRound, names: Mapping[str, str]) -> RoundBody:
    deadlines = [one.deadline for one in shown.pairings if one.deadline]
    return RoundBody(
        shown.shape.round,
        _status(one.pairing.status for one in shown.pairings),
        rfc3339(max(deadlines)) if deadlines else None,
        shown.drawn.digest if shown.drawn is not None else None,
        [pairing(record, one, names) for one in shown.pairings],
    )


def _status(of_pairings: Iterable[Status]) -> str:
    """Of a round: settled when all are, waiting while nothing has begun; void when nobody plays it."""
    found = set(of_pairings)
    if found <= {Status.VOID} and found:
        return Status.VOID
    if found <= {Status.SETTLED, Status.VOID} and found:
        return Status.SETTLED
    if Status.PLAYING in found or (Status.SETTLED in found and Status.READY in found):
        return Status.PLAYING
    return Status.READY if Status.READY in found else Status.WAITING


def pairing(record: TournamentRecord, shown: PairingRecord, names: Mapping[str, str]) -> PairingBody:
    """One pairing."""
    stored = shown.pairing
    return PairingBody(
        life.pairing_id(record.id, stored.key),
        *stored.key,
        [_side(record, side, names) for side in stored.sides],
        stored.status,
        stored.best_of,
        [match for game, match in zip(stored.games, shown.matches, strict=False) if not game.void and match],
        None if stored.result is None else _result(record, stored.result),
        rfc3339(shown.deadline) if shown.deadline else None,
    )


def _side(record: TournamentRecord, side: Side, names: Mapping[str, str]) -> SideBody:
    source, of = side.source, side.source.of
    return SideBody(
        ref(side.player, names) if side.player else None,
        side.seed or None,
        SourceBody(
            source.origin,
            source.seed if source.origin is Origin.SEED else None,
            None if of is None else life.pairing_id(record.id, of),
            None if of is None else str(of),
        ),
        side.nobody is Nobody.BYE,
        side.nobody is Nobody.VACANT,
    )


def _result(record: TournamentRecord, result: Result) -> ResultBody:
    per = POINTS if engine.find(record.format).TABLES else HALVES
    points = [number(Amount(units, per)) for units in result.points]
    return ResultBody(result.reason, list(result.ranks), list(points), list(result.scores))


def ruled(record: TournamentRecord, shown: PairingRecord, names: Mapping[str, str]) -> RulingBody:
    """What a ruling has made of a pairing."""
    return RulingBody(pairing(record, shown, names), None, False)


def dry_run(record: TournamentRecord, impact: Impact) -> RulingBody:
    """What a ruling would undo."""
    kinds = (impact.open, impact.playing, impact.played)
    voids = VoidsBody(*([_follower(record, key) for key in keys] for keys in kinds))
    return RulingBody(None, voids, bool(impact.begun))


def _follower(record: TournamentRecord, key: Key) -> FollowerBody:
    return FollowerBody(life.pairing_id(record.id, key), *key)
