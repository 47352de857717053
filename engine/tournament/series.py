"""The games of a pairing: who sits where, and when they have decided it (tournaments.md, "Formats", `best_of`)."""

from collections.abc import Sequence

from engine.games.protocol import competition_ranks
from engine.match.record import Left
from engine.tournament.format import Format
from engine.tournament.protocol import (
    HALVES,
    End,
    Facts,
    Game,
    Pairing,
    Reason,
    Result,
    Settings,
    Side,
)

POINTS = 5040
"""The points of a table in heats are so many for who beats everybody: divisible by the opponents of any table up to
ten, and by two."""

FIRST, SECOND, DRAW, NOBODY_WON = (1, 2), (2, 1), (1, 1), (2, 2)
"""Ranks of a pairing of two sides."""


def is_out(side: Side) -> bool:
    """Whether the player loses whatever is not decided yet."""
    return side.out or side.withdrew


def live(pairing: Pairing) -> tuple[Game, ...]:
    """The games that count."""
    return tuple(game for game in pairing.games if not game.void)


def running(pairing: Pairing) -> Game | None:
    """The game that counts and has not ended, whether its match has been created or not."""
    return next((game for game in pairing.games if not game.void and game.end is None), None)


def next_game(rules: Format, pairing: Pairing) -> Pairing:
    """The pairing with a further game. Side 1, in a knock-out the higher seed, has seat 0 first, then by turns."""
    first = 1 if rules.KNOCK_OUT and pairing.sides[1].seed < pairing.sides[0].seed else 0
    first ^= len(live(pairing)) % 2
    return with_game(pairing, (first, 1 - first))


def with_game(pairing: Pairing, seats: tuple[int, ...]) -> Pairing:
    """The pairing with a further game at these seats, numbered after all that it ever had."""
    return pairing._replace(games=(*pairing.games, Game(len(pairing.games) + 1, seats)))


def by_side(game: Game, facts: Facts) -> End:
    """How the match ended, by side. Without ranks, who stayed is above who left."""
    size = len(game.seats)
    ranks = facts.ranks or competition_ranks([not left for left in facts.left])
    scores = facts.scores or (0,) * size
    places = [game.seats.index(side) for side in range(size)]
    return End(
        facts.reason,
        tuple(ranks[seat] for seat in places),
        tuple(scores[seat] for seat in places),
        tuple(facts.left[seat] for seat in places),
        tuple(facts.acted[seat] for seat in places),
    )


def decided(rules: Format, settings: Settings, pairing: Pairing, late: bool) -> Result | None:
    """The result that the ended games come to; None while another one is to be played.

    `late`: the deadline has passed, and no other one will be.
    """
    if rules.TABLES:
        return _table(pairing, late)
    return _forfeited(pairing, late) or _counted(rules, settings, pairing, late)


def absent(rules: Format, pairing: Pairing) -> tuple[bool, ...]:
    """Who is out by how the games ended, whatever was ruled."""
    ends = _ends(pairing)
    late = bool(ends) and ends[-1].reason == Reason.DEADLINE
    found = _table(pairing, late) if rules.TABLES else _forfeited(pairing, late)
    return found.out if found else (False,) * len(pairing.sides)


def result(pairing: Pairing, reason: Reason, ranks: tuple[int, ...], out: Sequence[bool] = ()) -> Result:
    """A result of two sides with what the games gave so far."""
    return Result(reason, ranks, _points(pairing), _scores(pairing), tuple(out) or (False,) * len(pairing.sides))


def table_result(pairing: Pairing, reason: Reason, ranks: tuple[int, ...], out: Sequence[bool]) -> Result:
    """A result of a table: points are the share of opponents beaten, ties half (tournaments.md, `heats`, 7)."""
    half = POINTS // (HALVES * (len(ranks) - 1))
    points = tuple(
        half * sum((rank < r) + (rank <= r) for j, r in enumerate(ranks) if i != j) for i, rank in enumerate(ranks)
    )
    return Result(reason, ranks, points, _scores(pairing), tuple(out))


def forfeit(pairing: Pairing, lost: Sequence[bool], reason: Reason, out: Sequence[bool] = ()) -> Result:
    """A result of two sides of which one or both lose without play."""
    if all(lost):
        return result(pairing, Reason.DOUBLE_FORFEIT, NOBODY_WON, out)
    return result(pairing, reason, SECOND if lost[0] else FIRST, out)


def _table(pairing: Pairing, late: bool) -> Result:
    sides, ends = range(len(pairing.sides)), _ends(pairing)
    if not ends:
        # Its match was never created: nobody is at fault.
        return table_result(pairing, Reason.DEADLINE, (1,) * len(sides), (False,) * len(sides))
    end = ends[-1]
    absent = [not end.acted[i] and (late or bool(end.left[i])) for i in sides]
    ranks = competition_ranks([(not absent[i], -end.ranks[i]) for i in sides])
    out = [absent[i] or end.left[i] == Left.FORFEIT for i in sides]
    return table_result(pairing, Reason.DEADLINE if late else Reason.PLAYED, ranks, out)


def _forfeited(pairing: Pairing, late: bool) -> Result | None:
    """Who never acted, or was taken out, loses the pairing and is out; both who leave at once are, too."""
    ends = _ends(pairing)
    if not ends:
        return None
    left = ends[-1].left
    if all(left):
        return forfeit(pairing, (True, True), Reason.FORFEIT, (True, True))
    absent = [not any(end.acted[i] for end in ends) and (late or bool(left[i])) for i in (0, 1)]
    lost = [absent[i] or left[i] == Left.FORFEIT for i in (0, 1)]
    return forfeit(pairing, lost, Reason.FORFEIT, lost) if any(lost) else None


def _counted(rules: Format, settings: Settings, pairing: Pairing, late: bool) -> Result | None:
    """By points, then in a knock-out by replays, scores, seeds."""
    played = len(_ends(pairing))
    to_play = max(0, pairing.best_of - played)
    mine, others = _points(pairing)
    reason = Reason.DEADLINE if late else Reason.PLAYED
    if abs(mine - others) > HALVES * (0 if late else to_play):
        return result(pairing, reason, FIRST if mine > others else SECOND)
    withdrew = [is_out(side) for side in pairing.sides]
    if any(withdrew):
        return forfeit(pairing, withdrew, Reason.FORFEIT)
    if not late and (to_play or (rules.KNOCK_OUT and played < pairing.best_of + settings.replays)):
        return None
    if not rules.KNOCK_OUT:
        return result(pairing, reason, DRAW)
    totals = _scores(pairing)
    seeds = [-side.seed for side in pairing.sides]
    return result(pairing, reason, FIRST if (totals[0], seeds[0]) > (totals[1], seeds[1]) else SECOND)


def _ends(pairing: Pairing) -> list[End]:
    return [game.end for game in pairing.games if game.end is not None and not game.void]


def _points(pairing: Pairing) -> tuple[int, ...]:
    """In halves, by side: 2 for a game won, 1 for a draw."""
    ends = _ends(pairing)
    return tuple(sum((e.ranks[i] < e.ranks[1 - i]) + (e.ranks[i] <= e.ranks[1 - i]) for e in ends) for i in (0, 1))


def _scores(pairing: Pairing) -> tuple[int, ...]:
    ends = _ends(pairing)
    return tuple(sum(end.scores[i] for end in ends) for i in range(len(pairing.sides)))
