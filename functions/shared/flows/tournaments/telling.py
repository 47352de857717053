"""What players are told of tournaments. The same news has the same id, however often it is put into an inbox.

What goes with one change of a tournament is written with it (`news`, `Change.told`); what goes on in steps once it has
been written is told by the steps (`tell`)."""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence

from engine.types import EpochMs, Json
from functions.shared.store.ports import Services
from functions.shared.store.records import Notice
from functions.shared.store.records_tournament import TournamentRecord

INVITED = "tournament-invited"
"""An organizer has entered the player, who has to agree."""
PROMOTED = "tournament-promoted"
"""A place came free for the player on the waiting list."""
REMOVED = "tournament-removed"
"""An organizer has withdrawn the player's entry."""
STARTED = "tournament-started"
RULING = "tournament-ruling"
"""An organizer has decided a pairing of the player's, or what it came from."""
FINISHED = "tournament-finished"
CANCELLED = "tournament-cancelled"


def news(
    record: TournamentRecord, kind: str, players: Iterable[str], at: EpochMs, **data: Json
) -> tuple[tuple[str, Notice], ...]:
    """The same news of the moment `at` for several players, to be written with what it is about."""
    return tuple((player, _notice(record, kind, player, at, data)) for player in players)


def tell(
    services: Services,
    record: TournamentRecord,
    kind: str,
    players: Sequence[str],
    at: EpochMs,
    now: EpochMs,
    **data: Json,
) -> None:
    """Puts the same news of the moment `at` into several inboxes; see `tell_each`."""
    tell_each(services, record, kind, [(player, data) for player in players], at, now)


def tell_each(
    services: Services,
    record: TournamentRecord,
    kind: str,
    players: Sequence[tuple[str, Mapping[str, Json]]],
    at: EpochMs,
    now: EpochMs,
) -> None:
    """Puts news of the moment `at` into inboxes, with what it says to each. What it is about has been decided before;
    that it was told is noted afterwards, so that a crash can't keep it back: it is told again then."""
    told = [(player, _notice(record, kind, player, at, data)) for player, data in players]
    if told:
        services.inbox.put(told, now)


def _notice(record: TournamentRecord, kind: str, player: str, at: EpochMs, data: Mapping[str, Json]) -> Notice:
    digest = hashlib.sha256(f"{record.id}/{kind}/{at}/{data.get('pairing', '')}/{player}".encode()).digest()
    notice_id = "evt_" + base64.urlsafe_b64encode(digest)[:22].decode()
    return Notice(notice_id, kind, at, {"tournament": record.id, "game": record.game, **data})
