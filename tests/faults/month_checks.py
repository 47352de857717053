"""What has to hold of each match when the month is over."""

import base64
from collections import defaultdict
from typing import Any, NamedTuple

from engine.match import play
from engine.match.record import Match, Status, sitters
from engine.replay import replay
from engine.types import EpochMs, Turn
from functions.shared.flows.referee import BATCH, Done
from functions.shared.store import packing
from functions.shared.store.due import SETTLE_AFTER_MS, SHARDS
from tests.faults.month_run import Aftermath, Run
from tests.faults.month_stories import Story, less_ratings

REFEREES = ("Query", "GetItem", "BatchGetItem", "PutItem", "TransactWriteItems", "BatchWriteItem")
"""The calls that a referee makes."""

ORDER = ("match-started", "your-turn", "match-finished", "rated")


class Told(NamedTuple):
    """A notice: of what turn, if of one, and when it was inserted."""

    type: str
    turn: Turn
    at: EpochMs


def check_end(story: Story, after: Aftermath) -> None:
    """It is the match that nobody's being late has changed, it replays from its own log, and it ended once."""
    match = after.matches[story.created.match.id]
    assert less_ratings(match) == less_ratings(story.end)
    assert replay(match) == match
    ends = [entry for entry in match.log if entry.type in ("finished", "aborted")]
    assert ends == [match.log[-1]]
    assert ends[0].at == match.ended_at


def check_settled(story: Story, after: Aftermath) -> None:
    """It is in the list of ended ones of each of its players, once, in no other, and due no more."""
    match = after.matches[story.created.match.id]
    item = after.items[f"MAT#{match.id}", "M"]
    assert not {"dp", "da", "ended"} & item.keys()
    listed = {(pk, sk) for pk, sk in after.items if pk.startswith("PLAYER#") and sk.endswith(match.id)}
    assert listed == {(f"PLAYER#{player}", f"DONE#{match.ended_at:013d}#{match.id}") for player in people(match)}


def versions(after: Aftermath) -> dict[str, list[dict[str, Any]]]:
    """Every stored version of each match, in order."""
    found = defaultdict(list)
    for change in after.history:
        if change["Keys"]["sk"]["S"] == "M":
            found[change["Keys"]["pk"]["S"].removeprefix("MAT#")].append(change["NewImage"])
    return found


def check_versions(images: list[dict[str, Any]]) -> None:
    """Each write followed the one before; one of them ended the match, and the next one, the last, settled it."""
    assert [int(image["v"]["N"]) for image in images] == list(range(1, len(images) + 1))
    assert ["ended" in image for image in images] == [*[False] * (len(images) - 2), True, False]


def check_notices(match: Match, images: list[dict[str, Any]], inboxes: dict[str, list[Told]]) -> None:
    """Everybody was told at least once of the start, the end, the ratings, and of each decision that asked them and was
    stored before it closed, and of nothing else. In order, but for an end that the referee told before a late stream.
    """
    expected: dict[str, set[tuple[str, int]]] = {player: {("match-finished", 0)} for player in people(match)}
    if match.started_at:
        for those in expected.values():
            those.add(("match-started", 0))
    for image in images:
        record = packing.unpack(base64.b64decode(image["body"]["B"]), int(image["v"]["N"]), None)
        stored = record.match
        for seat in play.asked(stored):
            sitter = sitters(stored)[seat]
            if not sitter.bot:
                expected[sitter.player].add(("your-turn", stored.turn))
    assert (record.rated_as is not None) == (record.rated and match.status is Status.FINISHED)
    if record.rated_as is not None:
        for those in expected.values():
            those.add(("rated", 0))
    assert {player: {(one.type, one.turn) for one in told} for player, told in inboxes.items()} == expected
    for told in inboxes.values():
        firsts: dict[tuple[str, int], Told] = {}
        for one in told:
            firsts.setdefault((one.type, one.turn), one)
        late = match.ended_at + SETTLE_AFTER_MS
        in_time = [one for one in firsts.values() if one.type == "your-turn" or one.at < late]
        assert in_time == sorted(in_time, key=lambda one: (ORDER.index(one.type), one.turn))


def check_calls(run: Run) -> None:
    """A referee asks each shard once, and once more for each batch that is full. What is due costs it one read and one
    write, an end one more read and two more writes: what the players are told, and the ladder's books. Jobs, which go
    through many matches, are apart."""
    done, calls = run
    if Done.WORKED in done:
        return
    assert SHARDS <= calls["Query"] <= SHARDS + done.total() // BATCH
    assert calls["GetItem"] == done.total()
    assert calls["PutItem"] + calls["TransactWriteItems"] <= done.total() + done[Done.SETTLED]
    assert calls["BatchWriteItem"] == done[Done.SETTLED] >= calls["BatchGetItem"]
    assert calls.total() == sum(calls[name] for name in REFEREES)


def told(after: Aftermath) -> dict[str, dict[str, list[Told]]]:
    """What the players of each match were told of it, in the order of insertion."""
    found: dict[str, dict[str, list[Told]]] = defaultdict(lambda: defaultdict(list))
    for player, inbox in after.inboxes.items():
        for at, notice in inbox:
            found[notice.data["match"]][player].append(Told(notice.type, notice.data.get("turn", 0), at))
    return found


def people(match: Match) -> list[str]:
    """The players who sit there, house bots apart."""
    return [sitter.player for sitter in match.seats if sitter is not None and not sitter.bot]
