"""What the end of a tournament's match does to the tournament."""

from engine.match.record import Match
from engine.tournament.protocol import Deadline, Ended, Key
from functions.shared.flows.tournaments import tables
from functions.shared.flows.tournaments.attending import attend
from functions.shared.flows.tournaments.moves import Happened, feed
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord
from functions.shared.store.records_tournament import PairingRecord, Phase


def settle_match(services: Services, record: MatchRecord) -> None:
    """Carries the end of a match into its pairing and those that follow; nothing for a match of no tournament, or when
    it was done before. Raises `ConflictError`."""
    fixture, match = record.fixture, record.match
    tournament = None if fixture is None else services.tournaments.get(fixture.tournament)
    if fixture is None or tournament is None or tournament.phase is not Phase.RUNNING:
        return
    now = services.now()
    key = Key(fixture.stage, fixture.round, fixture.place)
    moved = feed(services, tournament, key, lambda pairing: _happened(pairing, match, fixture.game), now)
    attend(services, moved.record, moved.pairings, match.ended_at, now)


def _happened(pairing: PairingRecord, match: Match, game: int) -> Happened:
    """The end of a match in its pairing. One that ended at the deadline or after it is the last of its pairing, whoever
    comes first with it: the referee, who ended it, or the stream."""
    if pairing.deadline and match.ended_at >= pairing.deadline:
        return Happened(Deadline(game, tables.facts(match, at_deadline=True)), pairing.deadline)
    return Happened(Ended(game, tables.facts(match)), match.ended_at)
