"""The matches of a tournament: how they are made, and what their ends say."""

from engine import clock
from engine.match import lobby
from engine.match.outcome import outcome
from engine.match.record import Match, Status, sitters
from engine.tournament import draw
from engine.tournament.protocol import Facts, Order
from engine.types import EpochMs
from functions.shared import ids
from functions.shared.flows.accounts import profile_of
from functions.shared.flows.seats import sat_down
from functions.shared.store.ports import Services
from functions.shared.store.records import Fixture, MatchRecord
from functions.shared.store.records_tournament import NewMatch, PairingRecord, TournamentRecord


def made(services: Services, record: TournamentRecord, pairing: PairingRecord, order: Order, now: EpochMs) -> NewMatch:
    """The match of a game, begun, with its players at the seats of the order: three reads. Its key is
    HMAC(tournament key, pairing, game number), so that its deals were committed to with the tournament."""
    key, players = pairing.pairing.key, order.players
    profiles = services.players.get_many(players)
    ratings = services.ladder.ratings(record.game, players)
    entries = services.tournaments.some_entries(record.id, players)
    match = lobby.create(
        ids.new(ids.MATCH, now, services.random_bytes),
        record.game,
        len(players),
        record.options,
        clock.parse(record.clock),
        draw.match_key(bytes.fromhex(record.key), record.id, key, order.number),
        now,
    )
    for player in players:
        # Who has registered a moment ago may not be among them yet.
        profile = profiles.get(player) or profile_of(services, player)
        seated = profile._replace(name=profile.shown_name)
        match = sat_down(match, seated, ratings[player].points, entries[player].nonce, now)
    is_rated = not (record.unrated or match.options or match.clock.kind == clock.NONE)
    fixture = Fixture(record.id, *key, order.number)
    return NewMatch(MatchRecord(match, rated=is_rated, talk=False, fixture=fixture), players)


def facts(match: Match, *, at_deadline: bool = False) -> Facts:
    """What a match that is over says to its pairing. At a deadline also one in which nobody acted is taken as it
    stands; otherwise it was aborted, and has no ranks."""
    seats = sitters(match)
    left = tuple(str(sitter.left) for sitter in seats)
    acted = tuple(sitter.acted for sitter in seats)
    result = match.result
    if result is None and at_deadline:
        result = outcome(match, str(Status.ABORTED))
    if result is None:
        return Facts(str(match.status), (), (), left, acted)
    return Facts(str(result.reason), result.ranks, result.scores, left, acted)
