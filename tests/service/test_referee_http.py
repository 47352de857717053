"""The referee over the whole service (design.md, promises 3, 7 and 9; reports 20, 23)."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from functions.shared import clock
from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import stored
from tests.service.moments import DAY, deaf, jump, ms, record_of, services, sweep
from tests.service.playing import act, at, create, lay, me, read, table

MINUTE = {"kind": "per-move", "seconds": 60}
FORFEIT = {**MINUTE, "on_timeout": "forfeit"}


def told(client: Client, match: str) -> list[str]:
    events = client.ok("GET", "/v1/me/events?limit=100")["items"]
    return [event["type"] for event in events if event["match"] == match]


def lists(service: LocalService, client: Client, match: str) -> list[str]:
    """The player's lists that have the match."""
    keys = [sk for _, pk, sk in stored(service) if pk == f"PLAYER#{me(client)}" and sk.endswith(match)]
    return sorted(key.partition("#")[0] for key in keys)


def test_each_minute_it_does_what_time_asks_for(service: LocalService, ann: Client, bob: Client) -> None:
    missed, lost, waiting = table(ann, bob, clock=MINUTE), table(ann, bob, clock=FORFEIT), create(ann)
    for match in (missed, lost):
        at(lay(ann, match, "7", "higher", 1))
    service.advance(119)
    assert (record_of(missed).match.turn, record_of(lost).match.status) == (2, "finished")
    assert told(bob, missed) == ["match-started", "your-turn", "your-turn"]
    assert told(bob, lost) == ["match-started", "your-turn", "match-finished", "rated"]
    assert lists(service, bob, lost) == ["DONE"]
    jump(service, 14 * DAY - 120)
    sweep(service)
    assert record_of(waiting).match.status == "open"
    jump(service, 1)
    sweep(service)
    record = record_of(waiting)
    assert (record.match.status, record.settled, record.due) == ("aborted", True, None)
    assert record.match.ended_at == record.expires_at
    assert (told(ann, waiting), lists(service, ann, waiting)) == (["match-finished"], ["DONE"])


def test_nothing_is_taken_from_who_has_nothing_to_do(service: LocalService, ann: Client, bob: Client) -> None:
    """A match that has just started, one that is over, a seat that is not asked, one that has chosen."""
    over, fresh = table(ann, bob, clock=MINUTE), create(ann, clock=MINUTE)
    at(act(ann, over, {"type": "resign"}))
    liars = table(ann, bob, game="liars-poker", clock=FORFEIT)
    (asked,) = read(ann, liars)["to_act"]
    sealed = table(ann, bob, clock=MINUTE)
    at(lay(ann, sealed, "7", "higher", 1))
    jump(service, 59.999)
    at(bob.call("POST", f"/v1/matches/{fresh}/join"))
    before = [record_of(match).match for match in (over, fresh)]
    jump(service, 0.001)
    sweep(service)
    assert [record_of(match).match for match in (over, fresh)] == before
    assert [seat["left"] for seat in read(ann, liars)["seats"]] == ["timeout" if i == asked else None for i in (0, 1)]
    log = ann.ok("GET", f"/v1/matches/{sealed}/log")["items"]
    assert {event["seat"]: event["by"] for event in log if event["turn"] == 1 and "by" in event} == {
        0: "player",
        1: "clock",
    }


def test_a_match_without_people_ends(service: LocalService, ann: Client) -> None:
    match = create(ann, "micro-poker", seats=3, bots=2, clock=FORFEIT)
    service.advance(120)
    over = record_of(match).match
    assert (over.status, over.result.reason, over.seats[0].left) == ("finished", "timeout", "timeout")
    assert over.result.ranks[0] == 3
    assert lists(service, ann, match) == ["DONE"]


def test_what_the_stream_does_not_bring_is_done_a_minute_later(service: LocalService, ann: Client, bob: Client) -> None:
    resigned, lost = table(ann, bob), table(ann, bob, clock=FORFEIT)
    at(lay(ann, lost, "7", "higher", 1))
    with deaf(service):
        at(act(ann, resigned, {"type": "resign"}))
        jump(service, 60)
        sweep(service)
        assert told(bob, resigned)[-1] == "match-finished"
        assert (lists(service, bob, resigned), lists(service, bob, lost)) == (["DONE"], ["LIVE"])
        assert record_of(lost).match.status == "finished"
        jump(service, 60)
        sweep(service)
    assert (told(bob, lost), lists(service, bob, lost)) == (
        ["match-started", "your-turn", *told(bob, lost)[2:]],
        ["DONE"],
    )
    assert told(bob, lost)[-1] == "match-finished"


@pytest.fixture
def due(service: LocalService, new_player: Callable[[], Client]) -> list[str]:
    """250 of 252 matches whose deadlines come next: what others have left behind has ended."""
    from functions.shared.flows import creating
    from functions.shared.flows.marks import key_of

    jump(service, 90 * DAY)
    while sweep(service):
        service.settle()
    made = []
    for player in (me(new_player()) for _ in range(3)):
        for _ in range(84):
            order = creating.Order("misfortune", bots=1, clock=FORFEIT)
            key = key_of(services(), player, "here", None, None)
            made.append(creating.create(services(), player, order, key, clock.now()).record.match.id)
    return made[:250]


def test_more_than_one_run_can_do_is_done_by_the_next_ones_and_the_lag_is_told(
    service: LocalService, due: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from functions.referee import handler

    lags: list[tuple[str, int]] = []
    counts: Counter[str] = Counter()
    monkeypatch.setattr(handler, "measure_ms", lambda name, value: lags.append((name, value)))
    monkeypatch.setattr(handler, "count", lambda name, value=1: counts.update({name: value}))
    monkeypatch.setattr(handler, "LIMIT", 100)
    jump(service, 90)
    runs = []
    while sum((done := service._invoke("RefereeFunction", {})).values()):
        runs.append(sum(done.values()))
    assert runs == [100, 100, 52]
    assert lags == [("RefereeLag", 30_000)] * 3 + [("RefereeLag", 0)]
    assert (counts["DueAdvanced"], counts["RefereeRuns"]) == (252, 4)
    service.settle()
    for match in due:
        found = record_of(match)
        assert (found.match.result.reason, found.match.ended_at) == ("timeout", found.match.started_at + 60_000)
        assert (found.settled, found.due) == (True, None)


def test_two_that_run_at_once_end_each_match_once(service: LocalService, due: list[str]) -> None:
    jump(service, 60)
    versions = {match: record_of(match).version for match in due}
    with ThreadPoolExecutor(3) as pool:
        for run in [pool.submit(service._invoke, "RefereeFunction", {}) for _ in range(3)]:
            run.result()
    sweep(service)
    service.settle()
    for match in due:
        found = record_of(match)
        assert [entry.type for entry in found.match.log].count("finished") == 1
        assert (found.settled, found.version) == (True, versions[match] + 2)


def story(client: Client, match: str) -> Any:
    """What happened, by the moment of the start, less what the cards decide."""
    over = read(client, match)
    began = ms(over["started_at"])
    events = client.ok("GET", f"/v1/matches/{match}/log?limit=100")["items"]
    logged = [
        (ms(event["at"]) - began, event["turn"], event["seat"], event["type"], event.get("by"))
        for event in events
        if event["type"] in ("play", "left", "finished", "aborted")
    ]
    return over["status"], over["result"] and over["result"]["reason"], ms(over["ended_at"]) - began, logged


@pytest.mark.parametrize("own_clock", [MINUTE, FORFEIT, {"kind": "fischer", "seconds": 90, "increment": 5, "cap": 95}])
def test_with_the_referee_stopped_for_hours_a_late_look_comes_to_the_same(
    service: LocalService, anybody: Client, ann: Client, bob: Client, own_clock: Any
) -> None:
    def play(pass_time: Callable[[float], Any]) -> Any:
        match = table(ann, bob, clock=own_clock)
        for turn, (one, other) in enumerate((("A", "2"), ("3", "4")), 1):
            at(lay(ann, match, one, "higher", turn))
            pass_time(30)
            at(lay(bob, match, other, "higher", turn))
        at(lay(bob, match, "K", "lower", 3))
        pass_time(7200)
        return story(anybody, match)

    refereed = play(service.advance)
    assert refereed[0] == "finished"
    assert play(lambda seconds: jump(service, seconds)) == refereed
