"""What has to hold of each match when the month is over."""

import base64
from collections import defaultdict
from typing import Any

from engine.match import play
from engine.match.record import Match, Status, sitters
from engine.replay import replay
from functions.shared.store import packing
from tests.faults.month_run import Aftermath
from tests.faults.month_stories import Story

Told = tuple[str, int]
"""Type of a notice, and its turn."""


def check_end(story: Story, after: Aftermath) -> None:
    """It is the match that nobody's being late has changed, it replays from its own log, and it ended once."""
    match = after.matches[story.created.match.id]
    assert match == story.end
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
    for record in after.history:
        change = record["dynamodb"]
        if change["Keys"]["sk"]["S"] == "M":
            found[change["Keys"]["pk"]["S"].removeprefix("MAT#")].append(change["NewImage"])
    return found


def check_versions(images: list[dict[str, Any]]) -> None:
    """Each write followed the one before; one of them ended the match, and the next one, the last, settled it."""
    assert [int(image["v"]["N"]) for image in images] == list(range(1, len(images) + 1))
    assert ["ended" in image for image in images] == [*[False] * (len(images) - 2), True, False]


def check_notices(match: Match, images: list[dict[str, Any]], inboxes: dict[str, list[Told]]) -> None:
    """Everybody was told at least once of the start, the end, and of each decision that asked them and was stored
    before it closed, in this order; and of nothing else."""
    expected: dict[str, set[Told]] = {player: {("match-finished", 0)} for player in people(match)}
    if match.started_at:
        for told in expected.values():
            told.add(("match-started", 0))
    for image in images:
        stored = packing.unpack(base64.b64decode(image["body"]["B"]), int(image["v"]["N"]), None).match
        if stored.status is Status.ACTIVE:
            for seat in play.asked(stored):
                sitter = sitters(stored)[seat]
                if not sitter.bot:
                    expected[sitter.player].add(("your-turn", stored.turn))
    for player, told in inboxes.items():
        first_seen = list(dict.fromkeys(told))
        assert set(first_seen) == expected.get(player, set())
        assert first_seen == sorted(first_seen, key=_place)


def _place(told: Told) -> tuple[int, int]:
    kind, turn = told
    return ["match-started", "your-turn", "match-finished"].index(kind), turn


def told(after: Aftermath) -> dict[str, dict[str, list[Told]]]:
    """What each player was told of each match, in the order of insertion."""
    found: dict[str, dict[str, list[Told]]] = defaultdict(lambda: defaultdict(list))
    for player, notices in after.inboxes.items():
        for notice in notices:
            found[notice.data["match"]][player].append((notice.type, notice.data.get("turn", 0)))
    return found


def people(match: Match) -> list[str]:
    """The players who sit there, house bots apart."""
    return [sitter.player for sitter in match.seats if sitter is not None and not sitter.bot]
