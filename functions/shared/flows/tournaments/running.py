"""How a tournament moves on by itself: in steps of bounded work, each of which can be cut off and repeated."""

from collections.abc import Callable, Mapping

from engine.types import EpochMs
from functions.shared.flows.tournaments import cascading, closing, drawing, life, promoting, starting
from functions.shared.store.ports import Services
from functions.shared.store.records_tournament import Change, Phase, Step, TournamentRecord

STEPS = 12
"""So many parts of steps a call: a tournament of a few dozen players starts in one."""


def _undo(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    work = cascading.carry_on if cascading.is_under_way(record) else drawing.undo_rounds
    return work(services, record, now)


_WORK: Mapping[Step, Callable[[Services, TournamentRecord, EpochMs], TournamentRecord]] = {
    Step.PROMOTE: promoting.promote,
    Step.RATE: starting.take_ratings,
    Step.SEED: starting.take_seeds,
    Step.DRAW: drawing.store_round,
    Step.CALL: drawing.call_round,
    Step.UNDO: _undo,
    Step.STOP: drawing.stop,
    Step.CLOSE: closing.close,
    Step.TELL: closing.tell_everybody,
}


def run(services: Services, tournament_id: str, now: EpochMs) -> TournamentRecord | None:
    """Brings a tournament on by up to a bounded number of writes: starts it when it is time, creates rounds and
    matches, closes it. Gives it as it is then, None when there is none. What is left to do is told by `step`, and is
    done by whoever calls next: the stream, the referee. Raises `ConflictError` when somebody else is at it.
    """
    record = services.tournaments.get(tournament_id)
    for _ in range(STEPS):
        if record is None:
            break
        if record.step is not Step.REST:
            begun = record.step
            record = _WORK[record.step](services, record, now)
            if record.step is begun:
                break  # there is more of it than fits into a call
        elif record.phase is Phase.OPEN and record.starts_at <= now:
            record = starting.begin(services, record, now)
        else:
            break
    return record


def postpone(services: Services, record: TournamentRecord) -> None:
    """Notes when a tournament that was due too early is due."""
    due = life.at_rest(record).due
    if record.step is Step.REST and record.due != due:
        services.tournaments.commit(Change(record.id, record, record._replace(due=due)))
