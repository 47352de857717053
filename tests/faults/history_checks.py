"""What has to hold when a history is over and all has calmed down: nothing is owed to anybody, and whatever is stored
follows from what was done."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from engine.match.record import Match, Status, sitters
from engine.replay import replay
from functions.shared.store.due import SETTLE_AFTER_MS
from functions.shared.store.records import MatchRecord, Notice
from tests.faults import history_answers as answers
from tests.faults import history_books as books
from tests.faults import history_events as events
from tests.faults import month_checks
from tests.faults import world as worlds
from tests.faults.history_world import SKEW_MS, History
from tests.faults.month_checks import Told, people
from tests.faults.month_run import pages

TABLES = ("PlayersTable", "MatchesTable", "LadderTable", "TournamentsTable")
EVERYTHING = 100_000

Item = dict[str, Any]


class Left(NamedTuple):
    """What a history leaves."""

    items: dict[str, dict[tuple[str, str], Item]]
    """By table and key."""
    records: dict[str, MatchRecord]
    matches: dict[str, Match]
    """With their whole logs."""
    inboxes: dict[str, list[tuple[int, Notice]]]
    """By player: when each notice was inserted, and the notice, in this order."""


def check(history: History) -> Counter[str]:
    """Looks at everything. Raises `AssertionError`; gives what became of the requests and the rest, by kind."""
    left = _left(history)
    _check_rest(left)
    _check_matches(history, left)
    outcomes = Counter(f"match {_end(match)}" for match in left.matches.values())
    outcomes += answers.check(history, left.items["PlayersTable"], left.matches)
    outcomes += books.check(history, left.items["PlayersTable"], left.records)
    outcomes += events.check(history.services, left.items["TournamentsTable"], left.records, left.inboxes)
    _check_origins(left)
    return outcomes


def _left(history: History) -> Left:
    scan = history.dynamo.scan
    items = {
        table: {
            (item["pk"]["S"], item["sk"]["S"]): item
            for page in pages(lambda table=table, **more: scan(TableName=table, **more))
            for item in page
        }
        for table in TABLES
    }
    ids = [pk.removeprefix("MAT#") for pk, sk in items["MatchesTable"] if sk == "M"]
    players = sorted(pk.removeprefix("PLAYER#") for pk, sk in items["PlayersTable"] if sk == "PROFILE")
    inboxes = {}
    for player in players:
        page = history.services.inbox.read(player, "", EVERYTHING)
        told = zip(page.places, page.notices, strict=True)
        inboxes[player] = [(int(place[:13]), notice) for place, notice in told]
    records = {match: worlds.record_of(match) for match in ids}
    return Left(items, records, {match: worlds.whole_of(match) for match in ids}, inboxes)


def _end(match: Match) -> str:
    return f"over: {match.result.reason}" if match.result else str(match.status)


def _check_rest(left: Left) -> None:
    """Nothing is due, under way or waiting; the ladder's own looks after 90 days apart."""
    for table in ("PlayersTable", "MatchesTable", "TournamentsTable"):
        owed = {key: item for key, item in left.items[table].items() if {"dp", "da", "ended", "work"} & item.keys()}
        assert owed == {}, table
    kinds = {pk.partition("#")[0] for pk, _ in left.items["MatchesTable"]}
    assert kinds <= {"MAT"}, "seeks and jobs are over"
    waiting = [key for key in left.items["PlayersTable"] if key[1].startswith(("SEEK#", "LIVE#", "INVITE#"))]
    assert waiting == []


def _check_matches(history: History, left: Left) -> None:
    """Each match has ended once, by the rules and in its own time; each write of it followed the one before; its
    players have it in their lists of ended ones, and were told of it."""
    images: dict[str, list[Item]] = {match: [] for match in left.matches}
    for change in history.images:
        if change["Keys"]["sk"]["S"] == "M":
            images[change["Keys"]["pk"]["S"].removeprefix("MAT#")].append(change["NewImage"])
    done = {key for key in left.items["PlayersTable"] if key[1].startswith("DONE#")}
    expected = set()
    for match_id, match in left.matches.items():
        assert match.status in (Status.FINISHED, Status.ABORTED)
        assert left.records[match_id].settled
        assert replay(match) == match
        ends = [entry for entry in match.log if entry.type in ("finished", "aborted")]
        assert ends == [match.log[-1]]
        moves = sorted([entry.move for entry in match.log if entry.move] + [choice.move for choice in match.seals])
        assert moves == list(range(1, match.moves + 1))
        versions = images[match_id]
        assert [int(image["v"]["N"]) for image in versions] == list(range(1, len(versions) + 1))
        kept = [{name: value for name, value in image.items() if name not in ("v", "news")} for image in versions]
        assert all(before != after for before, after in pairwise(kept)), "nobody writes what is stored already"
        courses = ["ended" in image for image in versions]
        assert [course for course, _ in groupby(courses)] in ([False, True, False], [True, False])
        expected |= {(f"PLAYER#{player}", f"DONE#{match.ended_at:013d}#{match_id}") for player in people(match)}
        told = _told(left, match)
        for news in told.values():
            _check_order(match, news)
        month_checks.check_notices(
            match, versions, {player: sorted(news, key=_course) for player, news in told.items()}
        )
    assert done == expected


def _told(left: Left, match: Match) -> dict[str, list[Told]]:
    """What the players of a match were told of it, invitations apart."""
    return {
        sitter.player: [
            Told(notice.type, notice.data.get("turn", 0), at)
            for at, notice in left.inboxes[sitter.player]
            if notice.data.get("match") == match.id and notice.type != "invited"
        ]
        for sitter in sitters(match)
        if not sitter.bot
    }


def _course(told: Told) -> tuple[int, int]:
    return month_checks.ORDER.index(told.type), told.turn


def _check_order(match: Match, told: Sequence[Told]) -> None:
    """Each is told in the order of what happened, as far as the clocks of two instances agree; an end that the referee
    tells before a late stream apart."""
    late = match.ended_at + SETTLE_AFTER_MS
    firsts = {(one.type, one.turn): one for one in reversed(told)}.values()
    in_time = sorted((one for one in firsts if one.type == "your-turn" or one.at < late), key=_course)
    for before, after in pairwise(in_time):
        assert before.at <= after.at + 2 * SKEW_MS, (before, after)


def _check_origins(left: Left) -> None:
    """Each match came of one thing that was asked for: a request, seeks, a pairing; and each of these came to one."""
    players = left.items["PlayersTable"]
    origins = [made for ids in answers.remembered(players).values() for made in ids if made.startswith("mat_")]
    origins += sorted({seek.match for seek in books.ended_seeks(players) if seek.match})
    origins += [match for match, record in left.records.items() if record.fixture is not None]
    assert Counter(origins) == Counter(left.records.keys())
