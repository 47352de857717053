"""What is shown of tournaments."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from engine import games
from engine import tournament as engine
from engine.tournament.protocol import Key, Row, Shape
from engine.types import EpochMs
from functions.shared import ids
from functions.shared.flows.tournaments import closing, life
from functions.shared.flows.tournaments.life import Status
from functions.shared.problems import not_found
from functions.shared.store.ports import Services
from functions.shared.store.records_tournament import (
    AuditEntry,
    EntryRecord,
    EntryState,
    PairingRecord,
    Phase,
    Places,
    RoundRecord,
    TournamentRecord,
)

READS = 6
"""Pieces of a list that are read for one page at most."""

_PHASES = {Status.RUNNING: Phase.RUNNING, Status.FINISHED: Phase.FINISHED, Status.CANCELLED: Phase.CANCELLED}


class Wanted(NamedTuple):
    """Which tournaments a caller wants to see."""

    status: Status | None = None
    game: str | None = None
    player: str | None = None
    """Only those that this player has entered or organizes."""
    limit: int = 20


class Found(NamedTuple):
    """A page of tournaments, and the cursor of the next one."""

    records: list[TournamentRecord]
    next: str | None


class EntryPage(NamedTuple):
    """A page of entries, and the cursor of the next one."""

    entries: tuple[EntryRecord, ...]
    next: str | None


class BracketRound(NamedTuple):
    """A round: what is known of its pairings, by place."""

    shape: Shape
    pairings: tuple[PairingRecord, ...]
    """Those that are not stored are blank (version 0)."""
    drawn: RoundRecord | None
    """What was published of its draw."""


class RowPage(NamedTuple):
    """A page of standings, and the cursor of the next one."""

    rows: tuple[Row, ...]
    is_final: bool
    next: str | None


class AuditPage(NamedTuple):
    """A page of the audit, newest first, and the cursor of the next one."""

    entries: tuple[AuditEntry, ...]
    next: str | None


def find(services: Services, tournament_id: str) -> TournamentRecord:
    """The tournament. Raises `Rejected` (not-found)."""
    record = services.tournaments.get(tournament_id) if ids.is_id(ids.TOURNAMENT, tournament_id) else None
    if record is None:
        raise not_found("tournament")
    return record


def own_entry(services: Services, record: TournamentRecord, player: str | None) -> EntryRecord | None:
    """The caller's own entry, if there is one."""
    return None if player is None else services.tournaments.entry(record.id, player)


def listed(services: Services, wanted: Wanted, cursor: str | None, now: EpochMs) -> Found:
    """A page of tournaments: of one player's the newest first; else by status (without one, those that have not
    started): the next to start first, those that have started the newest first. A page may be short while there is a
    next one."""
    found: list[TournamentRecord] = []
    for _ in range(READS):
        page = _places(services, wanted, cursor)
        read = {record.id: record for record in services.tournaments.get_many([one for one, _ in page])}
        for one, place in page:
            cursor = place
            record = read.get(one)
            if record is not None and _is_wanted(record, wanted, now):
                found.append(record)
            if len(found) == wanted.limit:
                return Found(found, cursor)
        if len(page) < wanted.limit:
            return Found(found, None)
    return Found(found, cursor)


def _places(services: Services, wanted: Wanted, cursor: str | None) -> list[tuple[str, str]]:
    """Up to a page's number of ids after a place, each with its place."""
    if wanted.player is not None:
        own = services.tournaments.of_player(wanted.player, cursor, wanted.limit)
        return [(one, one) for one in own.places]
    phase = Phase.OPEN if wanted.status is None else _PHASES.get(wanted.status, Phase.OPEN)
    chosen = [wanted.game] if wanted.game else games.IDS
    pages: list[Places] = [services.tournaments.listed(phase, game, cursor, wanted.limit) for game in chosen]
    # Each game's list gives as many as a page holds, so the first of them all are among these.
    places = sorted((place for page in pages for place in page.places), reverse=phase is not Phase.OPEN)
    return [(place.rsplit("#", 1)[-1], place) for place in places[: wanted.limit]]


def _is_wanted(record: TournamentRecord, wanted: Wanted, now: EpochMs) -> bool:
    return wanted.game in (None, record.game) and wanted.status in (None, life.status(record, now))


def entries(services: Services, record: TournamentRecord, cursor: str | None, limit: int) -> EntryPage:
    """A page of entries by player id; before the start those who have withdrawn are left out."""
    page = services.tournaments.entries(record.id, cursor or "", limit)
    shown = tuple(entry for entry in page if entry.seed or entry.state is not EntryState.WITHDRAWN)
    return EntryPage(shown, page[-1].player if len(page) == limit else None)


def shapes(record: TournamentRecord) -> tuple[Shape, ...]:
    """The rounds of a tournament that has started, in the order of display; none before."""
    return engine.shapes(life.topology(record)) if record.round else ()


def bracket(
    services: Services, record: TournamentRecord, stage: str | None = None, number: int | None = None
) -> Sequence[BracketRound]:
    """The rounds of a stage, or of all; with a number only that round. Rounds that are not drawn yet have no pairings
    (of a bracket: blank ones). Raises `Rejected` (not-found) for a stage or a round that there is not."""
    every = shapes(record)
    chosen = [shape for shape in every if stage in (None, shape.stage) and number in (None, shape.round)]
    if not chosen and (stage is not None or number is not None):
        raise not_found("round")
    if not chosen:
        return ()
    stored: dict[tuple[str, int], list[PairingRecord]] = {}
    if len(chosen) == 1:
        shape = chosen[0]
        stored[shape[:2]] = list(services.tournaments.round_pairings(record.id, shape.stage, shape.round))
    else:
        pairings = services.tournaments.all_pairings(record.id)
        stored = {key: list(group) for key, group in groupby(pairings, lambda one: one.pairing.key[:2])}
    published = (one for one in services.tournaments.rounds(record.id) if one.digest)
    drawn = {(one.stage, one.round): one for one in published}
    return [
        BracketRound(shape, tuple(_filled(record, shape, stored.get(shape[:2], ()))), drawn.get(shape[:2]))
        for shape in chosen
    ]


def _filled(record: TournamentRecord, shape: Shape, stored: Sequence[PairingRecord]) -> Iterator[PairingRecord]:
    topology = life.topology(record)
    if engine.by_rounds(topology):
        yield from stored
        return
    known = {one.pairing.key.place: one for one in stored}
    for place in range(1, shape.pairings + 1):
        key = Key(shape.stage, shape.round, place)
        yield known.get(place) or PairingRecord(engine.blank(topology, key))


def standings(services: Services, record: TournamentRecord, cursor: str | None, limit: int) -> RowPage:
    """A page of the table, the best first: at any time as it is now, final at the end. Empty before the start."""
    first = int(cursor or 0)
    is_final = record.phase is Phase.FINISHED
    if not record.round:
        return RowPage((), is_final, None)
    if is_final:
        chunks = services.tournaments.standings(record.id, first, limit + 1)
        numbered = [(number, row) for chunk in chunks for number, row in enumerate(chunk.rows, chunk.first)]
        rows = [row for number, row in numbered if number >= first]
    else:
        rows = list(closing.rows_of(services, record)[first:])
    more = len(rows) > limit
    return RowPage(tuple(rows[:limit]), is_final, str(first + limit) if more else None)


def audit(services: Services, record: TournamentRecord, cursor: str | None, limit: int) -> AuditPage:
    """A page of what organizers did, the newest first."""
    found = tuple(services.tournaments.audit(record.id, cursor, limit))
    return AuditPage(found, found[-1].id if len(found) == limit else None)
