"""What the routes of tournaments share."""

from collections.abc import Iterable, Mapping

from functions.shared.flows.tournaments import reading
from functions.shared.flows.tournaments.auditing import require_organizer
from functions.shared.flows.tournaments.current import current
from functions.shared.http.answer import Answer
from functions.shared.http.app import App
from functions.shared.http.request import Request, require
from functions.shared.problems import Problem
from functions.shared.render import tournament as render
from functions.shared.store.records import Scope
from functions.shared.store.records_tournament import TournamentRecord

app = App()

READING = (Problem.NOT_FOUND, Problem.FORBIDDEN)
ORGANIZING = (Problem.NOT_FOUND, Problem.FORBIDDEN, Problem.CONFLICT, Problem.TRY_AGAIN)

_PROFILES = 100
"""Read at once."""


def readable(request: Request, tournament: str) -> TournamentRecord:
    """The tournament, which everybody may see. Raises `Rejected`: not-found, forbidden."""
    record = current(request.services, tournament, request.now)
    require(request, Scope.READ)
    return record


def organized(request: Request, tournament: str) -> TournamentRecord:
    """The tournament, to one of its organizers. Raises `Rejected`: not-found, forbidden."""
    record = current(request.services, tournament, request.now)
    require(request, Scope.ORGANIZE)
    require_organizer(record, request.caller.player)
    return record


def names_of(request: Request, players: Iterable[str]) -> Mapping[str, str]:
    """The names of players by id; `deleted` for a closed account. One read for each 100."""
    wanted = sorted(set(players) - {""})
    names: dict[str, str] = {}
    for first in range(0, len(wanted), _PROFILES):
        profiles = request.services.players.get_many(wanted[first : first + _PROFILES])
        names |= {profile.id: profile.shown_name for profile in profiles.values()}
    return names


def shown(request: Request, record: TournamentRecord, status: int = 200, *, replayed: bool = False) -> Answer:
    """A tournament as the caller sees it."""
    entry = reading.own_entry(request.services, record, request.player)
    names = names_of(request, [*record.organizers, *([entry.player] if entry else [])])
    body = render.body(record, request.player, entry, names, request.now)
    location = f"/v1/tournaments/{record.id}" if status == 201 else None
    return Answer(body, status, replayed=replayed, location=location, server_time=request.now)
