"""The proof of a match, once it is over."""

from engine.match.record import Match, Status
from engine.proof import prove
from engine.types import Json
from functions.shared.problems import Problem, Rejected
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord


def proof_of(services: Services, record: MatchRecord) -> dict[str, Json]:
    """The proof (`engine.proof`), also of a match that was aborted: what was committed to is opened in any case.

    Raises `Rejected` (match-active) before the end.
    """
    if record.match.status in (Status.OPEN, Status.ACTIVE):
        raise Rejected(Problem.MATCH_ACTIVE, "the proof opens every card: it is there when the match is over")
    return prove(_whole(services, record))


def _whole(services: Services, record: MatchRecord) -> Match:
    """The match with all of its log."""
    match = record.match
    parts = services.matches.log_parts(match.id, 1, match.put_away) if match.put_away else ()
    early = [entry for part in parts for entry in part.entries]
    return match._replace(put_away=0, log=(*early, *match.log))
