"""The odds of a bid in Liar's Poker, as a help in matches that count for nothing."""

from engine.errors import Refused
from engine.games.liars_odds import odds
from engine.match.play import require_active
from engine.match.record import all_options
from engine.types import Seat
from functions.shared.problems import Problem, Rejected, from_engine, malformed, not_found
from functions.shared.store.records import MatchRecord


def require_game(record: MatchRecord) -> None:
    """Raises `Rejected` (not-found) for another game."""
    if record.match.game != "liars-poker":
        raise not_found("page: odds are for Liar's Poker")


def require_unrated(record: MatchRecord) -> None:
    """Raises `Rejected` (forbidden) for a rated match."""
    if record.rated:
        raise Rejected(Problem.FORBIDDEN, "odds are for unrated matches only")


def odds_of(record: MatchRecord, seat: Seat, digit: int, count: int) -> dict[str, str]:
    """The chance that the bid holds for all that the seat knows, and the break-even of a raise.

    Raises `Rejected`: invalid-request (400), match-not-open, match-over.
    """
    match = record.match
    digits = all_options(match)["digits"]
    if count > digits * len(match.seats):
        raise malformed(f"count must be an integer from 1 to {digits * len(match.seats)}")
    try:
        require_active(match)
        return odds(match.state.serials[seat], len(match.seats), digits, digit, count)
    except Refused as refused:
        raise from_engine(refused) from refused
