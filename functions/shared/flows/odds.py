"""The odds of a bid in Liar's Poker, as a help in matches that count for nothing."""

from engine.errors import Refused
from engine.games.liars_odds import odds
from engine.match.play import require_active
from engine.match.record import all_options
from engine.types import Seat
from functions.shared.problems import Problem, Rejected, from_engine, not_found
from functions.shared.store.records import MatchRecord


def odds_of(record: MatchRecord, seat: Seat, digit: int, count: int) -> dict[str, str]:
    """The chance that the bid holds for all that the seat knows, and the break-even of a raise.

    Raises `Rejected`: not-found (another game), forbidden (rated), match-not-open, match-over, invalid-request.
    """
    match = record.match
    if match.game != "liars-poker":
        raise not_found("page: odds are for Liar's Poker")
    if record.rated:
        raise Rejected(Problem.FORBIDDEN, "odds are for unrated matches only")
    try:
        require_active(match)
        digits = all_options(match)["digits"]
        return odds(match.state.serials[seat], len(match.seats), digits, digit, count)
    except Refused as refused:
        raise from_engine(refused) from refused
