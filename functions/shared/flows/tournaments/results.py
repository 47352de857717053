"""What the end of a tournament's match does to the tournament."""

from engine.tournament.protocol import Key
from functions.shared.flows.tournaments import cascading
from functions.shared.flows.tournaments.attending import attend, ending
from functions.shared.flows.tournaments.moves import feed
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import MatchRecord
from functions.shared.store.records_tournament import Phase


def settle_match(services: Services, record: MatchRecord) -> None:
    """Carries the end of a match into its pairing and those that follow; nothing for a match of no tournament, or when
    it was done before. Raises `ConflictError`, also while a ruling is being carried through the bracket."""
    fixture, match = record.fixture, record.match
    tournament = None if fixture is None else services.tournaments.get(fixture.tournament)
    if fixture is None or tournament is None or tournament.phase is not Phase.RUNNING:
        return
    if cascading.is_under_way(tournament):
        raise ConflictError(f"{tournament.id} is in the middle of {tournament.step}")
    now = services.now()
    key = Key(fixture.stage, fixture.round, fixture.place)
    moved = feed(services, tournament, key, lambda pairing: ending(pairing, match, fixture.game), now)
    attend(services, moved.record, moved.pairings, match.ended_at, now)
