"""The end of a tournament: its standings are taken down, its key is opened, everybody is told."""

from collections.abc import Sequence

import msgspec

from engine import tournament as engine
from engine.tournament.protocol import Row
from engine.types import EpochMs
from functions.shared.flows.tournaments import life, telling
from functions.shared.flows.tournaments.starting import field_of
from functions.shared.store.ports import Services
from functions.shared.store.records_tournament import Change, Chunk, Phase, Step, TournamentRecord

ROWS, BYTES = 200, 60_000
"""Rows of a chunk at most, and so many bytes of them before they are compressed."""

CHUNKS = 10
"""Chunks of a transaction."""

TOLD = 100
"""Players that are told between two notes of how far that has come."""

TELLS = 10


def rows_of(services: Services, record: TournamentRecord) -> tuple[Row, ...]:
    """The table as it is now, from all entries and pairings."""
    field = field_of(services.tournaments.entries(record.id))
    pairings = [one.pairing for one in services.tournaments.all_pairings(record.id)]
    return engine.standings(life.topology(record), field, pairings)


def chunks(rows: Sequence[Row]) -> list[Chunk]:
    """The rows in pieces, each of which is an item far below DynamoDB's 400 KB."""
    found: list[Chunk] = []
    piece: list[Row] = []
    size = 0
    for number, row in enumerate(rows):
        length = len(msgspec.json.encode(row))
        if piece and (len(piece) == ROWS or size + length > BYTES):
            found.append(Chunk(number - len(piece), tuple(piece)))
            piece, size = [], 0
        piece.append(row)
        size += length
    return [*found, Chunk(len(rows) - len(piece), tuple(piece))] if piece else found


def close(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    """Takes the final standings down, batch by batch; then the tournament has finished."""
    pieces = chunks(rows_of(services, record))
    for start in range(int(record.cursor or 0), len(pieces), CHUNKS):
        batch = tuple(pieces[start : start + CHUNKS])
        after = life.reached(record, str(start + len(batch)), now)
        record = life.written(services, Change(record.id, record, after, standings=batch))
    after = life.begun(record, Step.TELL, record.step_at, now)
    after = after._replace(phase=Phase.FINISHED, ended_at=record.step_at)
    return life.written(services, Change(record.id, record, after))


def tell_everybody(services: Services, record: TournamentRecord, now: EpochMs) -> TournamentRecord:
    """Tells everybody, batch by batch, that it has finished, and in which place they are; or that it was cancelled."""
    for _ in range(TELLS):
        if record.phase is Phase.FINISHED:
            reached, is_last = _tell_places(services, record, now)
        else:
            reached, is_last = _tell_of_the_end(services, record, now)
        after = life.at_rest(record) if is_last else life.reached(record, reached, now)
        record = life.written(services, Change(record.id, record, after))
        if is_last:
            break
    return record


def _tell_places(services: Services, record: TournamentRecord, now: EpochMs) -> tuple[str, bool]:
    first = int(record.cursor or 0)
    found = services.tournaments.standings(record.id, first, TOLD)
    rows = [row for chunk in found for number, row in enumerate(chunk.rows, chunk.first) if number >= first][:TOLD]
    places = [(row.player, {"rank": row.rank}) for row in rows]
    telling.tell_each(services, record, telling.FINISHED, places, record.ended_at, now)
    return str(first + len(rows)), len(rows) < TOLD


def _tell_of_the_end(services: Services, record: TournamentRecord, now: EpochMs) -> tuple[str, bool]:
    page = services.tournaments.entries(record.id, record.cursor, TOLD)
    players = [entry.player for entry in page if entry.state != "withdrawn"]
    telling.tell(services, record, telling.CANCELLED, players, record.ended_at, now, reason=record.reason)
    return page[-1].player if page else record.cursor, len(page) < TOLD
