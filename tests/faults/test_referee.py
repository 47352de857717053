"""What time does, and what follows from an end: once, whoever does it, however late or often (promises 3 and 7)."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.faults import scenes
from tests.faults import world as worlds
from tests.faults.breaking import on
from tests.faults.clients import legal_of
from tests.faults.scenes import ACE, DUCE, MOVE_S, RESIGN
from tests.faults.threads import colliding
from tests.faults.world import Call, Caller, World, record_of, whole_of

CLOCKS: tuple[dict[str, Any], ...] = (
    {"kind": "per-move", "seconds": MOVE_S},
    {"kind": "per-move", "seconds": MOVE_S, "on_timeout": "forfeit"},
)

Watch = Callable[[World, list[Caller], str], object]


def nobody(world: World, players: list[Caller], match: str) -> object:
    """Time goes on and nobody looks."""
    world.advance(5 * MOVE_S)
    return None


def the_referee(world: World, players: list[Caller], match: str) -> object:
    """A sweep now and then, some of them late, some at the deadline."""
    for _ in range(20):
        world.advance(MOVE_S / 4)
        world.sweep()
    return None


def a_reader(world: World, players: list[Caller], match: str) -> object:
    """Somebody without a seat looks once a day."""
    for _ in range(15):
        world.advance(MOVE_S / 3)
        assert world.call("GET", f"/v1/matches/{match}").status == 200
    return None


def both(world: World, players: list[Caller], match: str) -> object:
    """Sweeps and reads, at odd times."""
    rng = random.Random(1)
    while world.clock.now() < worlds.START + 5000 * MOVE_S:
        world.advance(rng.randrange(1, MOVE_S))
        rng.choice((world.sweep, lambda: players[0].ok("GET", f"/v1/matches/{match}")))()
    return None


def after(watch: Watch, order: dict[str, Any], acts: bool) -> str:
    """What a match is in the end whose players stop playing, in a world that is watched so."""
    with worlds.running() as world:
        players = world.players(2)
        match = world.table(players, **order)
        if acts:
            players[0].act(match, 1, ACE)
            players[1].act(match, 1, DUCE)
            world.advance(1000)
            players[0].act(match, 2, {**ACE, "card": "2c"})
        watch(world, players, match)
        world.clock.set(worlds.START + 6000 * MOVE_S)
        assert players[1].ok("GET", f"/v1/matches/{match}")["status"] in ("finished", "aborted")
        names = {player.id: f"player {number}" for number, player in enumerate(players)}
        return scenes.shown(world, match, names)


@pytest.mark.parametrize("acts", [True, False])
@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("watch", [the_referee, a_reader, both])
def test_a_late_read_comes_to_the_outcome_that_the_referee_and_readers_come_to(
    watch: Watch, clock: dict[str, Any], acts: bool
) -> None:
    assert after(watch, {"clock": clock}, acts) == after(nobody, {"clock": clock}, acts)


def test_nothing_falls_a_millisecond_before_the_deadline_and_all_at_it(world: World) -> None:
    players = world.players(2)
    match = world.table(players)
    players[0].act(match, 1, ACE)
    world.advance(MOVE_S - 0.001)
    assert world.sweep() == {}
    assert players[1].act(match, 1, DUCE).status == 200
    other = world.table(players)
    world.advance(MOVE_S)
    assert players[0].act(other, 1, ACE).code in ("stale-turn", "not-your-turn")
    assert record_of(other).match.turn == 2


def test_a_request_from_before_the_deadline_that_is_overtaken_by_the_referee_is_stale(world: World) -> None:
    players = world.players(2)
    match = world.table(players)
    world.advance(MOVE_S - 0.001)

    def overtaken(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        world.advance(0.001)
        assert world.sweep() == {"advanced": 1}
        return call()

    with world.around(on("PutItem", overtaken)):
        reply = players[0].act(match, 1, ACE, "a")
    assert reply.code == "stale-turn"
    log = whole_of(match).log
    assert [entry.by for entry in log if entry.type == "play"] == ["clock", "clock"]


def test_a_request_that_overtakes_the_referee_counts_and_the_referee_comes_back(world: World) -> None:
    players = world.players(2)
    match = world.table(players)
    world.advance(MOVE_S)
    stamped = world.clock.now() - 1

    def overtaking(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        late = world.clock.now()
        world.clock.set(stamped)
        assert players[0].act(match, 1, ACE, "a").status == 200
        world.clock.set(late)
        return call()

    with world.around(on("PutItem", overtaking)):
        world.sweep()
    world.sweep()
    log = whole_of(match).log
    assert [entry.by for entry in log if entry.type == "play"] == ["player", "clock"]


@pytest.mark.usefixtures("restless")
def test_two_referees_at_once_bring_each_match_up_once(world: World) -> None:
    players = world.players(2)
    matches = [world.table(players) for _ in range(6)]
    world.advance(MOVE_S)
    done = colliding(world, "MAT#", [world.sweep, world.sweep, world.sweep])
    world.sweep()
    assert sum(one.get("advanced", 0) for one in done) >= 6
    for match in matches:
        record = record_of(match)
        assert (record.match.turn, record.match.moves) == (2, 2)


def ended(world: World) -> tuple[list[Caller], str]:
    players = world.players(2)
    match = world.table(players)
    players[0].act(match, 1, ACE)
    players[1].act(match, None, RESIGN)
    return players, match


def is_settled(world: World, players: list[Caller], match: str) -> bool:
    """Whether each player has the match in the list of ended ones, and it is due no more. Never half."""
    items = world.items()
    record = record_of(match)
    done = [(f"PLAYER#{p.id}", f"DONE#{record.match.ended_at:013d}#{match}") in items for p in players]
    live = [(f"PLAYER#{p.id}", f"LIVE#{match}") in items for p in players]
    item = items[f"MAT#{match}", "M"]
    owed = ["da" in item, "dp" in item, "ended" in item]
    assert {(*done, *(not one for one in live), *(not one for one in owed))} <= {(True,) * 7, (False,) * 7}
    assert record.settled == done[0]
    return done[0]


def test_an_ended_match_stays_due_until_it_is_settled_and_is_settled_once(world: World) -> None:
    players, match = ended(world)
    assert not is_settled(world, players, match)
    records = world.stream()
    assert len(records) == 1
    assert world.settle(records) == {"batchItemFailures": []}
    assert is_settled(world, players, match)
    settled = world.items()
    # Five times, late, and from before the end: what counts is what is stored now.
    for again in (records, records * 5, world.stream(), records):
        world.advance(60)
        assert world.settle(again) == {"batchItemFailures": []}
        assert world.sweep() == {}
    assert world.items() == settled


def test_records_out_of_order_and_of_many_matches_settle_what_has_ended(world: World) -> None:
    tables = [ended(world) for _ in range(4)]
    running = world.players(2)
    goes_on = world.table(running)
    records = world.dynamo.take_records("MatchesTable", 10_000)
    random.Random(2).shuffle(records)
    matches = [record for record in records if record["dynamodb"]["Keys"]["sk"]["S"] == "M"]
    assert len(matches) > 12
    assert world.settle(matches + matches[::-1]) == {"batchItemFailures": []}
    assert all(is_settled(world, players, match) for players, match in tables)
    assert not record_of(goes_on).settled
    assert {sk for pk, sk in world.items() if pk == f"PLAYER#{running[0].id}"} >= {f"LIVE#{goes_on}"}


@pytest.mark.usefixtures("restless")
def test_consumers_and_a_referee_that_settle_at_once_settle_once(world: World) -> None:
    players, match = ended(world)
    records = world.stream()
    world.advance(60)
    version = record_of(match).version
    jobs: list[Callable[[], Any]] = [lambda: world.settle(records)] * 3 + [world.sweep]
    colliding(world, "MAT#", jobs)
    assert is_settled(world, players, match)
    assert record_of(match).version == version + 1


def test_what_the_stream_missed_the_referee_settles_after_a_minute(world: World) -> None:
    players, match = ended(world)
    world.advance(59.999)
    assert world.sweep() == {}
    world.advance(0.001)
    assert world.sweep() == {"settled": 1}
    assert is_settled(world, players, match)
    assert world.settle(world.stream()) == {"batchItemFailures": []}
    assert world.sweep() == {}


def test_the_record_of_a_settlement_itself_settles_nothing_more(world: World) -> None:
    _, match = ended(world)
    world.settle(world.stream())
    assert world.stream() == []
    assert record_of(match).settled


def test_a_match_that_cannot_be_read_does_not_hold_up_the_others(world: World) -> None:
    """Nor does it the next time: the referee comes back to it for ever, and says so."""
    players = world.players(2)
    broken, whole = (world.table(players) for _ in range(2))
    item = world.items()[f"MAT#{broken}", "M"]
    world.dynamo.put_item(TableName="MatchesTable", Item={**item, "body": {"B": b"\x00no record"}})
    for turn in (2, 3):
        world.advance(MOVE_S)
        assert world.sweep() == {"failed": 1, "advanced": 1}
        assert record_of(whole).match.turn == turn


def test_a_sweep_does_no_more_than_it_is_asked_to_and_the_next_goes_on(world: World, monkeypatch: Any) -> None:
    from functions.referee import handler

    players = world.players(2)
    matches = [world.table(players) for _ in range(5)]
    world.advance(MOVE_S)
    monkeypatch.setattr(handler, "LIMIT", 2)
    assert [sum(world.sweep().values()) for _ in range(4)] == [2, 2, 1, 0]
    assert {record_of(match).match.turn for match in matches} == {2}


def test_bots_that_were_cut_off_go_on_with_the_next_call_whoever_makes_it(world: World, monkeypatch: Any) -> None:
    """One answer a call: the bots' match is due at once, and each call takes it one answer further."""
    from engine.match import advance

    monkeypatch.setattr(advance.advance, "__defaults__", (1,))
    ann = world.player()
    match = ann.ok("POST", "/v1/matches", {"game": "liars-poker", "seats": 4, "bots": 3})["id"]
    while not ann.ok("GET", f"/v1/matches/{match}")["you"]["to_act"]:
        world.sweep()
    turn = record_of(match).match.turn
    assert ann.act(match, turn, legal_of(ann, match).actions[0]).status == 200
    assert [entry.by for entry in whole_of(match).log if entry.turn == turn + 1] == ["bot"]
