"""What becomes of each match of a month when nothing is late, computed by the engine alone: what players do in it, what
they are answered, and how it ends. The service has to come to the same, whoever looks when."""

import hashlib
from heapq import heappop, heappush
from random import Random
from typing import NamedTuple

from engine import clock
from engine.match import play
from engine.match.record import Match, Status, rules, sitters
from engine.types import EpochMs, Seat, Turn
from functions.shared.flows import creating, seats
from functions.shared.flows import play as flow
from functions.shared.flows.marks import Key
from functions.shared.flows.visibility import find_for
from functions.shared.problems import Rejected
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord
from tests.engine.walks import choose
from tests.faults.month_events import Asked, Away, Back, Declared, Event, Life, Looked, after, due, seen
from tests.faults.month_plan import HOUR, MINUTE, Plan, Table, served
from tests.faults.month_variable import Matches, Players, profiles, services_over

OVER = (Status.FINISHED, Status.ABORTED)
_RANKS = {Declared: 0, Looked: 1, Away: 2, Back: 2, Asked: 3}


class Story(NamedTuple):
    """A match of the month."""

    table: Table
    created: MatchRecord
    events: tuple[tuple[Event, str], ...]
    """In their order, each with the code of the refusal that answers it."""
    end: Match
    moments: tuple[EpochMs, ...]
    """When time changed the match."""


def less_ratings(match: Match) -> Match:
    """The match without what its players were worth when they sat down: that depends on which of their other matches
    had been settled by then."""
    return match._replace(seats=tuple(sitter and sitter._replace(rating=0) for sitter in match.seats))


def rank(event: Event) -> int:
    """What comes first of two events at one moment."""
    return _RANKS[type(event)]


def stories(plan: Plan) -> tuple[Story, ...]:
    """All matches of a month."""
    return tuple(_Telling(plan, table).story() for table in plan.tables)


def request(services: Services, match_id: str, asked: Asked) -> str:
    """Lets the service carry out a request; gives the code of the refusal, or the empty text."""
    at, player, key = asked.at, asked.player, asked.key
    try:
        record = find_for(services, match_id, player)
        if asked.what == "join":
            seats.join(services, record, player, "", key, at)
        elif asked.what == "leave":
            seats.leave(services, record, player, key, at)
        elif asked.what == "start":
            seats.start(services, record, player, key, at)
        else:
            assert asked.action is not None
            seat = seats.require_seat(record.match, player)
            flow.act(services, record, seat, key, asked.turn, asked.action, at)
    except Rejected as rejected:
        return rejected.code.value
    return ""


def create(services: Services, plan: Plan, table: Table) -> MatchRecord:
    """Lets the service create a match. Id and key depend on the plan alone."""
    chance = Random(f"chance {plan.seed} {table.number}")
    key = Key(table.players[0], "", "", is_given=False)
    services = services._replace(random_bytes=chance.randbytes)
    return creating.create(services, table.players[0], table.order, key, table.at).record


def _beginning(plan: Plan, created: MatchRecord) -> Life:
    names = {player: profile.name for player, profile in profiles(plan).items()}
    return Life(created.match, created.expires_at, names, plan.vacations)


class _Telling:
    """A match while it is told, event by event."""

    def __init__(self, plan: Plan, table: Table) -> None:
        self._plan = plan
        self._table = table
        self._created = create(services_over(Matches(), Players(plan, table.at)), plan, table)
        self._life = _beginning(plan, self._created)
        self._now = table.at
        self._agenda: list[tuple[EpochMs, int, int, Event]] = []
        self._intended: dict[str, tuple[Turn, Seat]] = {}
        self._told: list[tuple[Event, str]] = []
        self._moments: list[EpochMs] = []
        self._asked = 0

    def story(self) -> Story:
        """All of it, to the end of the match and a while after."""
        self._foresee()
        while True:
            self._intend()
            when = self._due()
            if self._agenda and (when is None or self._agenda[0][0] <= when):
                self._now, _, _, event = heappop(self._agenda)
                self._life, code = after(self._life, event)
                self._told.append((event, code))
                if isinstance(event, Asked):
                    self._intended.pop(event.key.mark, None)
            elif when is not None:
                self._now = when
                self._moments.append(when)
                self._life = seen(self._life, when)
            else:
                break
        assert self._life.match.status in OVER, f"table {self._table.number} waits for ever"
        return Story(self._table, self._created, tuple(self._told), self._life.match, tuple(self._moments))

    def _due(self) -> EpochMs | None:
        """When time changes the match next, and it is noticed."""
        when = due(self._life)
        if when is None:
            return None
        when = max(when, self._now)
        for outage in self._plan.outages:
            if outage.is_silent and outage.start <= when < outage.declared:
                when = outage.swept if outage.swept is not None and when < outage.swept else outage.declared
        return when

    def _put(self, event: Event) -> None:
        heappush(self._agenda, (event.at, rank(event), len(self._told) + len(self._agenda), event))

    def _foresee(self) -> None:
        """What is known beforehand."""
        for at, player, what in self._table.arrivals:
            self._put(Asked(at, player, what, self._key(player)))
        for vacation in self._plan.vacations:
            if vacation.player in self._table.players and vacation.at > self._now:
                self._put(Away(vacation.at, vacation))
            if vacation.player in self._table.players and vacation.back is not None and vacation.back > self._now:
                self._put(Back(vacation.back, vacation))
        for outage in self._plan.outages:
            if outage.declared > self._now:
                self._put(Declared(outage.declared, outage))
            if outage.swept is not None and outage.swept > self._now:
                self._put(Looked(outage.swept))

    def _key(self, player: str) -> Key:
        self._asked += 1
        digest = hashlib.sha256(f"{self._table.number} {self._asked}".encode()).hexdigest()
        return Key(player, digest[:12], digest[12:18], is_given=True)

    def _intend(self) -> None:
        """Let who is asked make up their mind."""
        match = self._life.match
        planned = set(self._intended.values())
        for seat in play.awaited(match):
            sitter = sitters(match)[seat]
            if not sitter.bot and (match.turn, seat) not in planned:
                asked = self._intention(match, seat, sitter.player)
                if asked is not None:
                    self._intended[asked.key.mark] = match.turn, seat
                    self._put(asked)

    def _intention(self, match: Match, seat: Seat, player: str) -> Asked | None:
        temper = self._table.tempers[self._table.players.index(player)]
        rng = Random(f"{self._plan.seed} {self._table.number} {match.turn} {seat} {self._asked}")
        if match.turn >= temper.stops_at:
            return None
        at = self._moment(match, seat, player, temper.pace, rng)
        key = self._key(player)
        if match.turn >= temper.resigns_at:
            return Asked(at, player, "act", key, None, play.RESIGN)
        action = choose(rules(match), match.state, seat, self._table.case.policy, rng)
        turn = match.turn - (rng.random() < 0.02)
        asked = Asked(at, player, "act", key, turn, action)
        if rng.random() < 0.04:
            again = served(at + rng.randrange(int(_scale(match.clock))), self._plan.outages, rng)
            self._put(asked._replace(at=again))
        return asked

    def _moment(self, match: Match, seat: Seat, player: str, pace: float, rng: Random) -> EpochMs:
        """When a player acts: after a while, now and then within a millisecond of the deadline, seldom when away."""
        at = self._now + 1 + int(rng.expovariate(1) * pace * _scale(match.clock))
        limit = play.deadline(match, seat)
        if limit is not None and rng.random() < 0.08:
            at = max(self._now, limit + rng.choice((-1, 0, 1)))
        for vacation in self._plan.vacations:
            if vacation.player == player and vacation.at <= at < vacation.end and rng.random() < 0.8:
                at = vacation.end + rng.randrange(1, HOUR)
        return served(at, self._plan.outages, rng)


def _scale(timing: clock.Clock) -> float:
    """The time for a move, in milliseconds."""
    by_kind = {
        clock.PER_MOVE: timing.seconds,
        clock.FISCHER: timing.increment,
        clock.BYO_YOMI: timing.period_seconds,
        clock.NONE: 6 * HOUR // 1000,
    }
    return max(by_kind[timing.kind] * 1000, MINUTE // 2)
