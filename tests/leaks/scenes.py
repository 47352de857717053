"""Matches of every game and option, and the moments of each at which somebody may ask."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from random import Random
from typing import NamedTuple

from engine import games
from engine.clock import Clock, parse
from engine.match import lobby, play
from engine.match.record import Match, Sitter, Status, rules, sitters
from engine.types import Action, EpochMs, Json, Seat
from functions.shared import ids
from functions.shared.store.records import MatchRecord
from tests.engine.cases import POLICIES, Case, find, tables, values
from tests.engine.walks import choose
from tests.leaks.stage import NOW, PLAYERS

DAY_S = 86_400
CLOCK = parse({"kind": "per-move", "seconds": DAY_S})
FISCHER = parse({"kind": "fischer", "seconds": DAY_S, "increment": 60, "cap": 2 * DAY_S})
CLOCKS = (
    CLOCK,
    FISCHER,
    parse({"kind": "per-move", "seconds": DAY_S, "on_timeout": "forfeit"}),
    parse({"kind": "byo-yomi", "seconds": 3600, "periods": 3, "period_seconds": DAY_S}),
    parse({"kind": "none"}),
)
BEGAN: EpochMs = NOW - 2 * 3_600_000
"""When the matches start; each decision takes a second, the open one is a minute old at least."""

OPEN_MS, RATING = 14 * DAY_S * 1000, 1500

MARK = "mark-of-"
"""How the marks of requests begin; the seat follows."""


class Scene(NamedTuple):
    """A decision that is open, in which nobody has chosen yet."""

    name: str
    match: Match
    leaver: Seat | None = None
    """Who resigns in it, maybe after others have chosen."""


def cases(game_id: str) -> list[Case]:
    """Defaults at three tables, and each value of each option at a table with a spectator among the seats, if the game
    has one."""
    sizes = tables(game_id)
    found = [Case(game_id, seats, (), "mixed", 0) for seats in sorted({sizes[0], sizes[len(sizes) // 3], sizes[-1]})]
    seats = min(sizes[-1], max(3, sizes[0]))
    for option in find(game_id).OPTIONS:
        for number, value in enumerate(values(option, seats)[1:]):
            found.append(Case(game_id, seats, ((option.name, value),), POLICIES[number % 3], number))
    return found


def is_simultaneous(case: Case) -> bool:
    """Whether the first decision of a match asks several seats at once."""
    return len(play.asked(lobby_of(case, case.seats))) > 1


EVERY_CASE = [case for game_id in games.IDS for case in cases(game_id)]


def key_of(case: Case) -> bytes:
    """The secret key of a case's match."""
    return Random(f"key {case}").randbytes(32)


def match_id(case: Case) -> str:
    """The id of a case's match."""
    return ids.new(ids.MATCH, BEGAN, Random(f"id {case}").randbytes)


def sitter(seat: Seat) -> Sitter:
    """Who takes a seat, with a nonce."""
    player = PLAYERS[seat]
    return Sitter(player.id, player.name, RATING, nonce=f"{seat:02x}" * 8)


def lobby_of(case: Case, taken: int, began: EpochMs = BEGAN, clock: Clock = CLOCK) -> Match:
    """The case's match with so many seats taken."""
    given = dict(case.given)
    match = lobby.create(match_id(case), case.game, case.seats, given, clock, key_of(case), began - 60_000)
    for seat in range(taken):
        match = lobby.join(match, sitter(seat), began - 60_000 + 1000 * seat, f"{MARK}{seat}-join".ljust(18, "."))
    return match


def record_of(match: Match) -> MatchRecord:
    """The record of a public match that counts for nothing."""
    return MatchRecord(match, rated=False, expires_at=match.created_at + OPEN_MS)


def seal(match: Match, seat: Seat, action: Action, after_ms: int) -> Match:
    """The match with a seat's choice, so long after the decision opened."""
    mark = f"{MARK}{seat}-{match.turn}".ljust(18, ".")
    return play.act(match, play.Request(seat, match.opened_at + after_ms, key=mark), match.turn, action)


def choice(match: Match, seat: Seat, policy: str, rng: Random) -> Action:
    """What a seat does, of its own will."""
    game = rules(match)
    while True:
        action = choose(game, match.state, seat, policy, rng)
        if action["type"] != "pass":  # which only the clock can do
            return action


@cache
def decisions(case: Case, clock: Clock = CLOCK) -> tuple[Match, ...]:
    """The case's match before each of its decisions, and at its end: of a few, the one with the most kinds of
    moments."""
    tries = [
        played(lobby_of(case, case.seats, clock=clock), case._replace(salt=salt), lambda match: {}) for salt in range(4)
    ]
    return max(map(tuple, tries), key=lambda matches: len(set(map(kind, matches))))


def played(match: Match, case: Case, absent: Callable[[Match], Mapping[Seat, str]]) -> Iterator[Match]:
    """The match before each decision, and at its end. `absent` says who does not act in a decision, but does what:
    `miss` or `resign`."""
    rng = Random(str(case))
    while match.status is Status.ACTIVE:
        yield match
        turn, away = match.turn, absent(match)
        for seat in play.asked(match):
            if seat not in away and match.turn == turn and seat in play.awaited(match):
                match = seal(match, seat, choice(match, seat, case.policy, rng), 900 + 10 * seat)
        for seat, how in away.items():
            if how == "resign" and match.status is Status.ACTIVE and not sitters(match)[seat].left:
                match = play.resign(match, play.Request(seat, match.opened_at + 990))
        if match.status is Status.ACTIVE and match.turn == turn:
            match = play.time_out(match)
    yield match


@cache
def without(case: Case, seat: Seat, how: str) -> tuple[Match, ...]:
    """The same with one seat that resigns in the second decision that asks it, or misses every one."""
    began = BEGAN - (3 * DAY_S * 1000 if how == "miss" else 0)
    asked = [0]

    def absent(match: Match) -> Mapping[Seat, str]:
        if seat not in play.asked(match):
            return {}
        asked[0] += 1
        return {seat: how} if how == "miss" or asked[0] == 2 else {}

    return tuple(played(lobby_of(case, case.seats, began), case, absent))


def kind(match: Match) -> Json:
    """What kind of moment it is: which parts of the public view hold anything, who has left, what may be done."""
    game = rules(match)
    view = game.view(match.state, None)
    asked = play.asked(match)
    return (
        match.status,
        tuple((name, value if isinstance(value, str) else bool(value)) for name, value in view.items()),
        len(asked),
        tuple(sorted({action["type"] for seat in asked for action in game.legal_actions(match.state, seat).actions})),
        tuple(sitter.left for sitter in sitters(match)),
    )


def representatives(matches: Sequence[Match], most: int | None, rng: Random) -> list[Match]:
    """The first of each kind of moment, or so many of them."""
    first = {kind(match): match for match in reversed(matches)}
    found = sorted(first.values(), key=lambda match: (match.turn, match.status))
    return found if most is None or len(found) <= most else rng.sample(found, most)


def leavers(match: Match) -> list[Seat]:
    """Who may resign without closing the decision: a match of two ends at once."""
    asked = set(play.asked(match))
    return [seat for seat in range(len(match.seats)) if asked - {seat} or len(match.seats) == 2]


def scenes(case: Case, most: int | None) -> Iterator[Scene]:
    """Scenes of a case: moments of an undisturbed match, and of one that goes on after a seat has left; decisions in
    which a seat resigns while others may have chosen. `most` bounds the first; None: all kinds of moments."""
    rng = Random(f"scenes {case}")
    for match in representatives(decisions(case), most, rng):
        yield Scene(f"{case}, turn {match.turn}, {match.status}", match)
    for match in representatives(decisions(case)[:-1], None if most is None else 1, rng):
        leaver = rng.choice(leavers(match))
        yield Scene(f"{case}, turn {match.turn}, in which seat {leaver} resigns", match, leaver)
    ways = ["resign", "miss"]
    for how in ways if most is None or not case.given else rng.sample(ways, 1):
        seat = rng.randrange(case.seats)
        moments = [m for m in without(case, seat, how) if sitters(m)[seat].left]
        for match in representatives(moments, None if most is None else 1, rng):
            yield Scene(f"{case}, turn {match.turn}, {match.status}, after seat {seat} left ({how})", match)


def neighbours() -> list[MatchRecord]:
    """Other matches of the same players, which stand before and after in lists: by start, by deadline, by end."""
    found = []
    for game_id, began, last in (
        ("misfortune", BEGAN - 3_600_000, 0),
        ("half-deck-poker", BEGAN + 3_600_000, 0),
        ("liars-poker", BEGAN, 0),
        ("misfortune", BEGAN + 2000, -1),
    ):
        case = Case(game_id, 2, (), "mixed", began % 97)
        started = lobby_of(case, 2, began)
        found.append(record_of(list(played(started, case, lambda match: {}))[last]))
    waiting = Case("micro-poker", 3, (), "mixed", 5)
    return [*found, record_of(lobby_of(waiting, 2))]
