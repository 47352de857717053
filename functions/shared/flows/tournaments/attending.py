"""Does what a stored pairing asks for: its matches are created, aborted, left; what it owes is carried on; its deadline
is taken. All of it can be done again, by anybody."""

from collections.abc import Iterable

from engine import tournament as engine
from engine.match import play
from engine.match.advance import advance
from engine.match.record import Match, Status, seat_of
from engine.tournament import series
from engine.tournament.protocol import Act, Deadline, Ended, Key, Order, Started, Stopped
from engine.types import EpochMs
from functions.shared.flows.annul import NotRatedError, annul
from functions.shared.flows.changing import change_match
from functions.shared.flows.rate import rate
from functions.shared.flows.tournaments import life, tables
from functions.shared.flows.tournaments.moves import (
    ATTEMPTS,
    Happened,
    Moved,
    bumped,
    due_at,
    feed,
    kept,
    mark,
    owed_orders,
    rest,
)
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records_tournament import Change, PairingRecord, Phase, Step, TournamentRecord

_BUSY = (Step.RATE, Step.SEED, Step.DRAW, Step.UNDO)
"""Steps in which pairings are not all there yet, or not all of them stay."""


def attend(
    services: Services, record: TournamentRecord, pairings: Iterable[PairingRecord], at: EpochMs, now: EpochMs
) -> None:
    """Does what pairings and, one after the other, those that follow them ask for since something happened at `at`.

    Raises `ConflictError` when others keep getting in between; whatever is left is due.
    """
    waiting, conflicts = list(pairings), 0
    while waiting:
        pairing = waiting.pop()
        try:
            moved = _do_next(services, record, pairing, at, now)
        except ConflictError:
            conflicts += 1
            if conflicts > ATTEMPTS:
                raise
            rest(services, conflicts)
            key = pairing.pairing.key
            moved = Moved(
                services.tournaments.get(record.id) or record,
                tuple(services.tournaments.pairings(record.id, [key]).values()),
            )
        record = moved.record
        waiting += moved.pairings


def _do_next(services: Services, record: TournamentRecord, pairing: PairingRecord, at: EpochMs, now: EpochMs) -> Moved:
    """One thing that a pairing asks for; what has changed is to be looked at again."""
    if pairing.pairing.owed:
        return feed(services, record, pairing.pairing.key, Happened(None, at), now)
    for order in owed_orders(pairing):
        if order.act is Act.START and record.phase is Phase.RUNNING:
            return _start(services, record, pairing, order, now)
        if order.act is Act.ABORT:
            return _abort(services, record, pairing, order, now)
        if order.act is Act.FORFEIT:
            return _forfeit(services, record, pairing, order, now)
    return Moved(record, ())


def _start(services: Services, record: TournamentRecord, pairing: PairingRecord, order: Order, now: EpochMs) -> Moved:
    """The match begins in the transaction that says so: there is never a second one, nor one that nobody waits for."""
    match = tables.made(services, record, pairing, order, now)
    (changed,) = engine.advance(life.topology(record), pairing.pairing, Started(order.number), {})
    matches = (*pairing.matches, *[""] * order.number)[: order.number - 1]
    after = kept(record, pairing, changed, pairing.since, now)._replace(matches=(*matches, match.record.match.id))
    services.tournaments.commit(Change(record.id, record, pairings=(after,), match=match))
    return Moved(record, tuple(bumped([after])))


def _abort(services: Services, record: TournamentRecord, pairing: PairingRecord, order: Order, now: EpochMs) -> Moved:
    match_id = _match_of(pairing, order.number)
    if match_id:
        change_match(services, match_id, lambda match: _called_off(match, now), now)
        _unrate(services, match_id, now)
    return feed(services, record, pairing.pairing.key, Happened(Stopped(order.number), now), now)


def _called_off(match: Match, now: EpochMs) -> Match:
    match = advance(match, now)
    return play.call_off(match, now) if match.status is Status.ACTIVE else match


def _unrate(services: Services, match_id: str, now: EpochMs) -> None:
    """Takes the rating of a match back that has been played. Were it entered later, it would stay."""
    record = services.matches.get(match_id)
    if record is None or record.match.status is not Status.FINISHED:
        return
    rate(services, record)
    try:
        annul(services, match_id, now)
    except NotRatedError:
        return


def _forfeit(services: Services, record: TournamentRecord, pairing: PairingRecord, order: Order, now: EpochMs) -> Moved:
    (player,) = order.players
    change_match(services, _match_of(pairing, order.number), lambda match: _left(match, player, now), now)
    done = pairing._replace(forfeited=(*pairing.forfeited, mark(order)))
    done = done._replace(due=due_at(done, now))
    services.tournaments.commit(Change(record.id, pairings=(done,)))
    return Moved(record, tuple(bumped([done])))


def _left(match: Match, player: str, now: EpochMs) -> Match:
    match, seat = advance(match, now), seat_of(match, player)
    if seat is None or match.status is not Status.ACTIVE:
        return match
    sitter = match.seats[seat]
    return match if sitter is None or sitter.left else play.forfeit(match, seat, now)


def _match_of(pairing: PairingRecord, number: int) -> str:
    return pairing.matches[number - 1] if number <= len(pairing.matches) else ""


def look(services: Services, tournament_id: str, key: Key, now: EpochMs) -> bool:
    """What the referee does with a pairing that is due: whatever it asks for, or its deadline. Gives whether there was
    anything to do. Raises `ConflictError` also while the tournament is in the middle of what concerns it."""
    record = services.tournaments.get(tournament_id)
    pairing = services.tournaments.pairings(tournament_id, [key]).get(key)
    if record is None or pairing is None or pairing.due is None or pairing.due > now:
        return False
    if record.step in _BUSY:
        raise ConflictError(f"{tournament_id} is being built")
    if pairing.pairing.owed or owed_orders(pairing):
        attend(services, record, [pairing], now, now)
    elif life.is_open(pairing.pairing) and record.phase is Phase.RUNNING:
        _overdue(services, record, pairing, now)
    pairing = services.tournaments.pairings(tournament_id, [key])[key]
    if pairing.due is not None and pairing.due <= now:
        due = due_at(pairing, now) if record.phase is Phase.RUNNING else None
        services.tournaments.commit(Change(record.id, pairings=(pairing._replace(due=due),)))
    return True


def _overdue(services: Services, record: TournamentRecord, pairing: PairingRecord, now: EpochMs) -> None:
    """At the deadline of a pairing its match ends as it stands, and no further one is played. One that had ended by
    itself, and is not settled yet, counts as it ended."""
    key, at = pairing.pairing.key, pairing.deadline
    game = series.running(pairing.pairing)
    match_id = "" if game is None or not game.started else _match_of(pairing, game.number)
    happened = Happened(Deadline(), at)
    if game is not None and match_id:
        change_match(services, match_id, lambda match: _adjudicated(match, at), now)
        stored = services.matches.get(match_id)
        if stored is None or stored.match.status is Status.ACTIVE:
            raise ConflictError(match_id)
        happened = ending(pairing, stored.match, game.number)
    moved = feed(services, record, key, happened, now)
    if any(one.pairing.key == key and life.is_open(one.pairing) for one in moved.pairings):
        happened = Happened(Deadline(), at)
        moved = feed(services, moved.record, key, happened, now)
    attend(services, moved.record, moved.pairings, happened.at, now)


def ending(pairing: PairingRecord, match: Match, game: int) -> Happened:
    """The end of a match in its pairing. One that ended at the deadline or after it is the last of its pairing, whoever
    comes first with it: the referee, who ended it, or the stream."""
    if pairing.deadline and match.ended_at >= pairing.deadline:
        return Happened(Deadline(game, tables.facts(match, at_deadline=True)), pairing.deadline)
    return Happened(Ended(game, tables.facts(match)), match.ended_at)


def _adjudicated(match: Match, at: EpochMs) -> Match:
    match = advance(match, at)
    return play.adjudicate(match, at) if match.status is Status.ACTIVE else match
