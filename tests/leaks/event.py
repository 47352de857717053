"""A tournament that is being played while questions are asked: whatever a match hides, it is shown alike."""

from engine import tournament as engine
from engine.deal import Stream
from engine.tournament.protocol import Entrant, Settings
from engine.types import EpochMs
from functions.shared import ids
from functions.shared.store.ports import Services
from functions.shared.store.records_tournament import (
    AuditEntry,
    Change,
    EntryRecord,
    PairingRecord,
    Phase,
    Registration,
    TournamentRecord,
)

KEY = bytes(range(150, 182))
NONCE = bytes([155]) * 24
CODE = "CANARYTOURNAMENTCODE"
"""Its secrets. The nonce is that of its organizer, who asks nothing, since their account is closed."""


def tournament_id(now: EpochMs) -> str:
    """The id of the tournament that `put` stores."""
    return ids.new(ids.TOURNAMENT, now, lambda size: bytes([99]) * size)


def put(services: Services, players: tuple[str, ...], now: EpochMs) -> None:
    """Stores a tournament that has begun, with these players and its organizer, and its first pairings."""
    organizer = ids.new(ids.PLAYER, now, lambda size: bytes([97]) * size)
    entrants = (*players, organizer)
    record = TournamentRecord(
        id=tournament_id(now),
        name="Fools' Cup",
        game="misfortune",
        options={},
        format="double-elimination",
        starts_at=now - 1000,
        registration=Registration(now - 5000, now - 1000, len(entrants), 0, None, CODE),
        seeding="rating",
        settings=Settings(),
        clock={"kind": "per-move", "seconds": 3600},
        round_deadline=86_400,
        unrated=False,
        time_zone="UTC",
        key=KEY.hex(),
        organizers=(organizer,),
        created_at=now - 5000,
        phase=Phase.RUNNING,
        n=len(entrants),
        drawn=Settings(),
        round=1,
    )
    entries = tuple(
        (None, EntryRecord(one, now - 4000, nonce=NONCE.hex() if one == organizer else "", rating=0, seed=seed))
        for seed, one in enumerate(entrants, 1)
    )
    field = [Entrant(entry.player, entry.seed, 0) for _, entry in entries]
    topology = engine.topology(record.format, record.n, record.settings)
    drawn = engine.start(topology, field, lambda label: Stream(KEY, label))
    audit = AuditEntry(ids.new(ids.AUDIT, now, lambda size: bytes([98]) * size), now - 5000, organizer, "created")
    services.tournaments.commit(Change(record.id, after=record, joined=(organizer,), audit=(audit,)))
    services.tournaments.commit(Change(record.id, entries=entries))
    pairings = tuple(PairingRecord(pairing, now - 1000, now + 86_400_000) for pairing in drawn)
    services.tournaments.commit(Change(record.id, pairings=pairings))
