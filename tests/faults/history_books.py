"""What has to hold of the ladders and of the seeks when a history is over."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from engine.ladder.elo import shown
from engine.match.record import Status, sitters
from functions.shared.flows import fsck, recompute
from functions.shared.flows.count import marked
from functions.shared.store.ladder_records import LadderEntry
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord, Seek, SeekStatus
from tests.faults.history_world import History

Item = dict[str, Any]


def check(
    history: History, players: Mapping[tuple[str, str], Item], records: Mapping[str, MatchRecord]
) -> Counter[str]:
    """Looks at the ladders of the games that were played, and at all seeks. Gives what became of them, by kind."""
    outcomes = _check_seeks(players, records)
    for game in sorted({record.match.game for record in records.values()}):
        outcomes += _check_ladder(history.services, game, records)
    return outcomes


def ended_seeks(players: Mapping[tuple[str, str], Item]) -> list[Seek]:
    """All seeks that are over."""
    bodies = [item["body"]["S"] for (_, sk), item in players.items() if sk.startswith("SOUGHT#")]
    return [msgspec.json.decode(body, type=Seek) for body in bodies]


def _check_seeks(players: Mapping[tuple[str, str], Item], records: Mapping[str, MatchRecord]) -> Counter[str]:
    """Each seek came to one match or none, in which its player sits; each of these matches is of seeks alone."""
    seeks = ended_seeks(players)
    seated: dict[str, list[str]] = {}
    for seek in seeks:
        assert bool(seek.match) == (seek.status is SeekStatus.MATCHED)
        if seek.match:
            seated.setdefault(seek.match, []).append(seek.player)
    for match_id, seekers in seated.items():
        record = records[match_id]
        assert sorted(sitter.player for sitter in sitters(record.match)) == sorted(seekers)
        assert len(set(seekers)) == len(seekers)
        assert record.rated
    return Counter(f"seek {seek.status}" for seek in seeks)


def _check_ladder(services: Services, game: str, records: Mapping[str, MatchRecord]) -> Counter[str]:
    """Each match that was played is entered once; from the entries alone follow all ratings, from these all marks and
    counters; and the matches say what was entered."""
    played = [r for r in records.values() if r.match.game == game and r.match.started_at and not r.private]
    entries = [entry for _, entry in services.ladder.entries(game, None, 1000)]
    assert Counter(entry.match for entry in entries if not entry.annuls) == Counter(r.match.id for r in played)
    annulled = Counter(entry.match for entry in entries if entry.annuls)
    assert all(count == 1 for count in annulled.values())
    ledger = recompute.Ledger({}, {})
    assert [entry.match for entry in entries if not recompute.enter(ledger, entry)] == []
    people = sorted({sitter.player for record in played for sitter in sitters(record.match) if not sitter.bot})
    ratings = services.ladder.ratings(game, people)
    for player, rating in ratings.items():
        expected = ledger.ratings.get(player, rating._replace(entry_at=0))
        assert recompute.kept(rating) == recompute.kept(expected), player
        assert services.ladder.marks(game, [player]).get(player) == (marked(rating) if rating.version else None)
    _check_counters(services, game, Counter(rating.points for rating in ratings.values() if rating.listed))
    by_match = {entry.match: entry for entry in entries if not entry.annuls}
    for record in played:
        _check_told(record, by_match[record.match.id])
    return Counter(f"result {'annulled' if entry.annuls else entry.reason or 'rated'}" for entry in entries)


def _check_counters(services: Services, game: str, held: Counter[int]) -> None:
    counters = services.ladder.counters(game)
    assert counters.deltas == []
    assert {points: count for points, count in enumerate(counters.counts()) if count} == dict(held)
    after = None
    while True:
        part = fsck.fsck(services, game, after, repair=False)
        assert (part.uncounted, part.drift) == (0, 0)
        after = part.after
        if after is None:
            return


def _check_told(record: MatchRecord, entry: LadderEntry) -> None:
    if record.rated_as is None:
        assert not record.rated or record.match.status is Status.ABORTED
        return
    changes = tuple((shown(line.before), shown(line.after)) for line in entry.lines)
    assert (record.rated_as.reason, record.rated_as.changes) == (entry.reason, changes)
