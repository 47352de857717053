"""Rounds: how many of their pairings are open, which one is being played, what closes one and the event."""

from collections import Counter
from collections.abc import Mapping, Sequence

from engine import tournament as engine
from engine.tournament import course, draw
from engine.tournament.protocol import Key, Pairing
from engine.types import EpochMs
from functions.shared.flows.tournaments import life
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records_tournament import PairingRecord, Phase, RoundRecord, Step, TournamentRecord

Counted = tuple[tuple[RoundRecord, ...], TournamentRecord | None]
"""Rounds as they are to be written; and the tournament, None where it is not concerned."""


def drawn(services: Services, record: TournamentRecord, pairings: Sequence[Pairing]) -> tuple[RoundRecord, ...]:
    """What is kept of the draw of these pairings: the round, or of a bracket all rounds that follow one another, the
    first one with the digest that is published."""
    topology, key = life.topology(record), pairings[0].key
    first = [pairing for pairing in pairings if pairing.key[:2] == key[:2]]
    every = first if engine.by_rounds(topology) else _whole(record, pairings)
    total = Counter(engine.ordinal(topology, pairing.key) for pairing in every)
    still_open = Counter(engine.ordinal(topology, one.key) for one in every if not course.is_done(one))
    before = {one.round: one.version for one in services.tournaments.rounds(record.id)}
    digests = {key.round: draw.digest(record.id, first)}
    return tuple(
        RoundRecord(
            key.stage, number, many, still_open[number], digests.get(number, ""), record.step_at, before.get(number, 0)
        )
        for number, many in sorted(total.items())
    )


def _whole(record: TournamentRecord, stored: Sequence[Pairing]) -> list[Pairing]:
    topology = life.topology(record)
    known = {pairing.key: pairing for pairing in stored}
    keys = (
        Key(shape.stage, shape.round, place)
        for shape in engine.shapes(topology)
        for place in range(1, shape.pairings + 1)
    )
    return [known.get(key) or engine.blank(topology, key) for key in keys]


def counted(
    services: Services,
    record: TournamentRecord,
    known: Mapping[Key, PairingRecord],
    changed: Sequence[Pairing],
    at: EpochMs,
    now: EpochMs,
) -> Counted:
    """What changed pairings do to their rounds, `known` being what was stored of them; and the tournament, when another
    round is being played then, or the last one has closed.

    It is written as well where two results might both be the last but one. Raises `ConflictError` when that can't be
    told at this moment.
    """
    if engine.by_rounds(life.topology(record)):
        return _of_round(services, record, known, changed, at, now)
    after = _ended(services, record, known, changed, at, now)
    rounds, number = _of_bracket(services, record, known, changed)
    return rounds, after if number == record.round else (after or record)._replace(round=number)


def _of_round(
    services: Services,
    record: TournamentRecord,
    known: Mapping[Key, PairingRecord],
    changed: Sequence[Pairing],
    at: EpochMs,
    now: EpochMs,
) -> Counted:
    pairing = changed[0]
    settled = int(pairing.result is not None) - int(known[pairing.key].pairing.result is not None)
    if not settled:
        return (), None
    round_ = services.tournaments.round(record.id, pairing.key.stage, pairing.key.round)
    if round_ is None:
        raise ConflictError(f"{record.id} {pairing.key}")
    round_ = round_._replace(open=round_.open - settled)
    if round_.open or round_.round != record.round:
        return (round_,), None
    return (round_,), _next_step(record, Step.DRAW, at, now)


def _of_bracket(
    services: Services, record: TournamentRecord, known: Mapping[Key, PairingRecord], changed: Sequence[Pairing]
) -> tuple[tuple[RoundRecord, ...], int]:
    """The rounds that have more or fewer open pairings, and the first one that has any; at the end the last one that
    was played."""
    topology = life.topology(record)
    moved = Counter[int]()
    for pairing in changed:
        before = known[pairing.key].pairing if pairing.key in known else engine.blank(topology, pairing.key)
        moved[engine.ordinal(topology, pairing.key)] += course.is_done(before) - course.is_done(pairing)
    if not any(moved.values()):
        return (), record.round
    rounds = [one._replace(open=one.open + moved[one.round]) for one in services.tournaments.rounds(record.id)]
    first = next((one.round for one in rounds if one.open), record.round)
    return tuple(one for one in rounds if moved[one.round]), first


def _ended(
    services: Services,
    record: TournamentRecord,
    known: Mapping[Key, PairingRecord],
    changed: Sequence[Pairing],
    at: EpochMs,
    now: EpochMs,
) -> TournamentRecord | None:
    """A bracket that comes to its end; while a ruling is being carried through it, that looks at the end itself."""
    topology = life.topology(record)
    ends = engine.find(record.format).ends(topology)
    new = {
        pairing.key: pairing
        for pairing in changed
        if pairing.key not in known or not course.is_done(known[pairing.key].pairing)
    }
    if record.phase is not Phase.RUNNING or record.step is Step.UNDO:
        return None
    if not any(key in new and course.is_done(new[key]) for key in ends):
        return None
    old = services.tournaments.pairings(record.id, [key for key in ends if key not in new])
    is_over = engine.is_over(topology, ({key: one.pairing for key, one in old.items()} | new).get)
    return _next_step(record, Step.CLOSE, at, now) if is_over else record


def _next_step(record: TournamentRecord, step: Step, at: EpochMs, now: EpochMs) -> TournamentRecord:
    if record.step not in (Step.REST, Step.CALL):
        raise ConflictError(f"{record.id} is in the middle of {record.step}")
    return life.begun(record, step, at, now)
