"""The matrix's operations that nobody asks for, and those of operators: what follows from an end, from news, from
ratings, and from time."""

from functools import partial
from typing import Any

from functions.shared.store.records import Notice
from tests.faults.ladder_world import rate_at
from tests.faults.matrix_people import HOOK
from tests.faults.matrix_play import ACE, DUCE, RESIGN, acting, active, opened
from tests.faults.matrix_stage import AGAIN, Attempt, Setting, Stage, commanding, delivering, firing
from tests.faults.matrix_stories import Kind, Operation
from tests.faults.world import Caller
from tests.service.moments import services

GAME = "misfortune"


def _ends(stage: Stage, count: int = 2) -> list[tuple[str, list[Any]]]:
    """So many matches of the same two that have ended, a second apart, each with the stream's record of it."""
    ann, bob = stage.world.players(2)
    matches = [stage.world.table([ann, bob]) for _ in range(count)]
    for match in matches:
        ann.act(match, 1, ACE)
        bob.act(match, 1, DUCE)
    stage.streams.drain()
    found = []
    for match in matches:
        stage.world.advance(1)
        ann.act(match, None, RESIGN)
        found.append((match, stage.event_of("SettleFunction")))
    return found


def settle(stage: Stage) -> Setting:
    settling = [delivering(stage, "SettleFunction", records) for _, records in _ends(stage)]
    return Setting(*settling)


def settle_aborted(stage: Stage) -> Setting:
    players, path = opened(stage, 3)
    stage.streams.drain()
    players[0].ok("POST", f"{path}/leave")
    return Setting(delivering(stage, "SettleFunction", stage.event_of("SettleFunction")))


def make_good(stage: Stage) -> Setting:
    """The stream has told the settling function nothing."""
    ((_, records),) = _ends(stage, 1)
    stage.world.advance(60)
    return Setting(firing(stage, "RefereeFunction"), delivering(stage, "SettleFunction", records))


def tell(stage: Stage) -> Setting:
    active(stage)
    return Setting(delivering(stage, "InboxFunction", stage.event_of("InboxFunction")))


def _put(stage: Stage, owner: Caller, event: str) -> None:
    now = stage.world.clock.now()
    services().inbox.put([(owner.id, Notice(event, "invited", now, {"match": "mat_x", "game": GAME}))], now)


def _come(stage: Stage, owner: Caller) -> str:
    """Another event, of which another instance hears."""
    _put(stage, owner, "evt_between")
    return delivering(stage, "NotifyFunction", stage.event_of("NotifyFunction"))()


def notify(stage: Stage) -> Setting:
    """To a webhook that works."""
    (ann,) = stage.world.players(1)
    ann.ok("POST", "/v1/webhooks", HOOK)
    stage.streams.drain()
    _put(stage, ann, "evt_one")
    return Setting(delivering(stage, "NotifyFunction", stage.event_of("NotifyFunction")), partial(_come, stage, ann))


def catch_up(stage: Stage) -> Setting:
    """To a webhook that was just made, and has missed something."""
    (ann,) = stage.world.players(1)
    ann.ok("POST", "/v1/webhooks", HOOK)
    _put(stage, ann, "evt_one")
    return Setting(delivering(stage, "NotifyFunction", stage.event_of("NotifyFunction")), partial(_come, stage, ann))


def _counts(stage: Stage) -> list[Attempt]:
    """Two results of the same players that are to be counted, the earlier first."""
    found = []
    for _, records in _ends(stage):
        assert delivering(stage, "SettleFunction", records)() != AGAIN
        found.append(delivering(stage, "RankFunction", stage.event_of("RankFunction")))
    return found


def count(stage: Stage) -> Setting:
    first, second = _counts(stage)
    return Setting(first, second)


def publish(stage: Stage) -> Setting:
    first, second = _counts(stage)
    first()
    return Setting(firing(stage, "RankFunction"), second)


def unlist(stage: Stage) -> Setting:
    """One who has not played for 90 days, while their next result is settled."""
    ann, bob = stage.world.players(2)
    rate_at({ann.id: 1600}, stage.world.clock.now())
    stage.streams.drain()
    stage.world.advance(91 * 86_400)
    match = stage.world.table([ann, bob])
    ann.act(match, 1, ACE)
    bob.act(match, 1, DUCE)
    ann.act(match, None, RESIGN)
    settling = delivering(stage, "SettleFunction", stage.event_of("SettleFunction"))
    return Setting(firing(stage, "RankFunction"), settling)


def annul(stage: Stage) -> Setting:
    (match, records), (_, others) = _ends(stage)
    assert delivering(stage, "SettleFunction", records)() != AGAIN
    return Setting(commanding(stage, "annul", match=match), delivering(stage, "SettleFunction", others))


def outage(stage: Stage) -> Setting:
    ann, bob, match = active(stage)
    ann.act(match, 1, ACE)
    now = stage.world.clock.now()
    stage.world.advance(600)
    declare = commanding(stage, "declare-outage", **{"from": now + 60_000, "until": now + 300_000})
    return Setting(declare, acting(bob, match, DUCE, 1))


def redrive(stage: Stage) -> Setting:
    ((_, records),) = _ends(stage, 1)
    return Setting(commanding(stage, "redrive"), delivering(stage, "SettleFunction", records))


def repair(stage: Stage) -> Setting:
    first, second = _counts(stage)
    del first
    return Setting(commanding(stage, "fsck", game=GAME, repair=True), second)


OPERATIONS = (
    Operation("settle a result", "SettleFunction", Kind.STREAM, settle, "another result of its players is settled"),
    Operation("settle an aborted match", "SettleFunction", Kind.STREAM, settle_aborted),
    Operation(
        "settle what the stream lost", "RefereeFunction", Kind.SCHEDULE, make_good, "the stream delivers it late"
    ),
    Operation("tell the players", "InboxFunction", Kind.STREAM, tell),
    Operation("notify a webhook", "NotifyFunction", Kind.STREAM, notify, "another event comes"),
    Operation("bring a webhook up to date", "NotifyFunction", Kind.STREAM, catch_up, "another event comes"),
    Operation("count a rating", "RankFunction", Kind.STREAM, count, "the players' next ratings are counted"),
    Operation("publish ranks", "RankFunction", Kind.SCHEDULE, publish, "further ratings are counted"),
    Operation("unlist after 90 days", "RankFunction", Kind.SCHEDULE, unlist, "a result of the players is settled"),
    Operation("annul a result", "AdminFunction", Kind.COMMAND, annul, "another result of its players is settled"),
    Operation("declare an outage", "AdminFunction", Kind.COMMAND, outage, "a phase of a match closes"),
    Operation("redrive", "AdminFunction", Kind.COMMAND, redrive, "the stream delivers it"),
    Operation("repair a ladder", "AdminFunction", Kind.COMMAND, repair, "the ratings are counted by the stream"),
)
