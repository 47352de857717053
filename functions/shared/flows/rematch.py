"""The same table once more: one rematch a match, made by whoever of its players asks first, joined by the others. One
that was aborted, as when its maker left, makes room for another."""

from engine.bots import STYLES
from engine.clock import describe
from engine.match import lobby
from engine.match.record import Match, Sitter, Status, rules, seat_of, sitters
from engine.types import EpochMs
from functions.shared.flows import creating, play, seats
from functions.shared.flows.marks import Key, recall, to_remember
from functions.shared.flows.play import Outcome
from functions.shared.flows.visibility import find
from functions.shared.problems import Problem, Rejected, busy
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import DELETED, MatchRecord

ATTEMPTS = 4
"""The old match is also written by who settles it."""


def rematch(services: Services, record: MatchRecord, player: str, key: Key, now: EpochMs) -> Outcome:
    """The rematch of a finished match with the player seated; it is made if nobody has asked yet.

    Everybody sits one seat further than before. Raises `Rejected`: forbidden (no seat), match-active, conflict (it was
    aborted, or too few can come back), key-reused, limit-reached, and what joining can raise.
    """
    seats.require_seat(record.match, player)
    record = play.current(services, record, now)
    _require_finished(record)
    known = recall(services, key, now)
    if known is not None:
        return Outcome(find(services, known[0]), replayed=True)
    for _ in range(ATTEMPTS):
        standing = _standing(services, record, key, now)
        if standing is not None:
            try:
                return _joined(services, standing, player, key, now)
            except Rejected:
                if _standing(services, record, key, now) is not None:
                    raise
                continue  # its maker has just left: it makes room for another
        made = _made(services, record, player, now)
        seats.require_room(services, player, made.match.status)
        origin = record, record._replace(rematch=made.match.id)
        try:
            return Outcome(services.matches.create(made, player, to_remember(key, (made.match.id,), now), origin))
        except ConflictError:
            known = recall(services, key, now)
            if known is not None:
                return Outcome(find(services, known[0]), replayed=True)
            record = find(services, record.match.id)
    raise busy()


def _require_finished(record: MatchRecord) -> None:
    if record.match.status in (Status.OPEN, Status.ACTIVE):
        raise Rejected(Problem.MATCH_ACTIVE, "a rematch is for when the match is over")
    if record.match.status is Status.ABORTED:
        raise Rejected(Problem.CONFLICT, "this match was aborted; create a new one")
    if sum(sitter.name != DELETED for sitter in sitters(record.match)) < rules(record.match).SEATS[0]:
        raise Rejected(Problem.CONFLICT, "too few of its players are still here; create a new match")


def _standing(services: Services, record: MatchRecord, key: Key, now: EpochMs) -> MatchRecord | None:
    """The rematch that was made of a match, unless it has been aborted and this request had not joined it before."""
    if not record.rematch:
        return None
    made = play.current(services, find(services, record.rematch), now)
    is_over = made.match.status is Status.ABORTED
    return None if is_over and not play.was_done(services, made, key, seats.in_the_lobby) else made


def _joined(services: Services, record: MatchRecord, player: str, key: Key, now: EpochMs) -> Outcome:
    if seat_of(record.match, player) is not None and not play.was_done(services, record, key, seats.in_the_lobby):
        return Outcome(record)
    try:
        return seats.join(services, record, player, "", key, now)
    except Rejected as rejected:
        if rejected.code is not Problem.ALREADY_JOINED:
            raise
        return Outcome(find(services, record.match.id))  # another request of theirs came first


def _made(services: Services, record: MatchRecord, player: str, now: EpochMs) -> MatchRecord:
    old = record.match
    order = creating.Order(
        old.game,
        len(old.seats),
        old.options,
        describe(old.clock),
        record.rated,
        record.private,
        rating_range=record.rating_range,
        talk=record.talk,
    )
    fresh = creating.ordered(services, order, now)
    seated = list(sitters(old))
    rotated = seated[-1:] + seated[:-1]
    reserved = tuple(sitter.player for sitter in rotated)
    match = fresh.match._replace(host=reserved.index(player))
    match = _with_bots(match, rotated, now)
    match = seats.take_seat(services, match, player, "", now, wish=match.host)
    others = tuple(s.player for s in seated if not s.bot and s.player != player and s.name != DELETED)
    return fresh._replace(match=match, reserved=reserved, invited=others, rated=record.rated)


def _with_bots(match: Match, rotated: list[Sitter], now: EpochMs) -> Match:
    for seat, sitter in enumerate(rotated):
        if sitter.bot in STYLES:
            fresh = Sitter(sitter.player, sitter.name, sitter.rating, bot=sitter.bot)
            match = lobby.join(match, fresh, now, wish=seat)
    return match
