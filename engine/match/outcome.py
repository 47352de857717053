"""When a match is decided before its game is over, and who ranks where (rules/README.md)."""

from engine.games.protocol import competition_ranks
from engine.match.record import Match, Result, rules, sitters


def is_decided(match: Match) -> bool:
    """Whether one seat is left in, or nobody but house bots."""
    stay = [sitter for sitter in sitters(match) if not sitter.left]
    return len(stay) <= 1 or all(sitter.bot for sitter in stay)


def outcome(match: Match, reason: str = "") -> Result:
    """The result now: who stayed by the game's standing, then who left, the later above the earlier.

    The reason is, unless given, why the last seat left.
    """
    standing = rules(match).standing(match.state)
    seats = sitters(match)
    ranks = competition_ranks(
        [(not s.left, s.left_at if s.left else -rank) for s, rank in zip(seats, standing.ranks, strict=True)]
    )
    if not reason:
        reason = next(seats[e.seat].left for e in reversed(match.log) if e.seat is not None and seats[e.seat].left)
    return Result(str(reason), ranks, standing.scores)
