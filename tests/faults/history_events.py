"""What has to hold of tournaments when a history is over."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.match.record import Status
from functions.shared.flows.tournaments import closing
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord, Notice
from functions.shared.store.records_tournament import EntryState, PairingRecord, Phase, Step, TournamentRecord

Item = dict[str, Any]
Inboxes = Mapping[str, Sequence[tuple[int, Notice]]]


def check(
    services: Services,
    items: Mapping[tuple[str, str], Item],
    records: Mapping[str, MatchRecord],
    inboxes: Inboxes,
) -> Counter[str]:
    """Looks at all tournaments and their matches. Gives what became of them, by kind."""
    outcomes: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for pk, sk in items:
        if sk != "META":
            continue
        record = services.tournaments.get(pk.removeprefix("TRN#"))
        assert record is not None
        assert record.phase in (Phase.FINISHED, Phase.CANCELLED)
        assert (record.step, record.due) == (Step.REST, None)
        outcomes[f"tournament {record.phase}"] += 1
        pairings = services.tournaments.all_pairings(record.id)
        known.update(match for one in pairings for match in one.matches if match)
        for pairing in pairings:
            _check_pairing(record, pairing, records)
            outcomes[f"pairing {pairing.pairing.result.reason if pairing.pairing.result else 'void'}"] += 1
        _check_entries(services, record)
        _check_standings(services, record, inboxes)
    assert known == Counter(match for match, one in records.items() if one.fixture is not None)
    return outcomes


def _check_pairing(tournament: TournamentRecord, one: PairingRecord, records: Mapping[str, MatchRecord]) -> None:
    """It is over, and each of its games is what its match came to."""
    pairing = one.pairing
    assert one.due is None
    assert pairing.status in ("settled", "void")
    assert pairing.result is not None or pairing.status == "void"
    for number, match_id in enumerate(one.matches, 1):
        if not match_id:
            continue
        record = records[match_id]
        fixture = record.fixture
        assert fixture is not None
        assert fixture == (tournament.id, *pairing.key, number)
        game = next(game for game in pairing.games if game.number == number)
        result = record.match.result
        if game.end is not None and not game.void and game.end.reason not in ("walkover", "ruling"):
            assert result is not None or record.match.status is Status.ABORTED
            if result is not None:
                by_side = sorted(zip(game.seats, result.ranks, result.scores, strict=True))
                is_late = one.deadline and record.match.ended_at >= one.deadline
                assert game.end.reason == ("deadline" if is_late else result.reason)
                assert game.end.ranks == tuple(rank for _, rank, _ in by_side)
                assert game.end.scores == tuple(score for _, _, score in by_side)


def _check_entries(services: Services, record: TournamentRecord) -> None:
    """The counters are those of the entries."""
    entries = services.tournaments.entries(record.id)
    placed = sum(one.state in (EntryState.ENTERED, EntryState.CHECKED_IN) for one in entries)
    waiting = sum(one.state in (EntryState.WAITLISTED, EntryState.WAITING_CHECKED_IN) for one in entries)
    if record.phase is Phase.CANCELLED and not record.n:
        assert (record.entered, record.waitlisted) == (placed, waiting)
    assert record.entered <= record.registration.capacity
    seeds = sorted(one.seed for one in entries if one.seed)
    assert seeds == list(range(1, record.n + 1))


def _check_standings(services: Services, record: TournamentRecord, inboxes: Inboxes) -> None:
    """The table that was taken down follows from the pairings, no round is open, and everybody was told of it."""
    ended = {}
    for player, told in inboxes.items():
        own = [notice for _, notice in told if notice.data.get("tournament") == record.id]
        ends = {n.id: n for n in own if n.type in ("tournament-finished", "tournament-cancelled")}
        assert len(ends) <= 1, player
        for notice in ends.values():
            ended[player] = notice
    if record.phase is Phase.CANCELLED:
        entered = {one.player for one in services.tournaments.entries(record.id) if one.state != "withdrawn"}
        assert set(ended) == entered
        return
    assert all(one.open == 0 for one in services.tournaments.rounds(record.id))
    stored = [row for chunk in services.tournaments.standings(record.id, 0, 10_000) for row in chunk.rows]
    assert tuple(stored) == closing.rows_of(services, record)
    assert {player: notice.data["rank"] for player, notice in ended.items()} == {row.player: row.rank for row in stored}
