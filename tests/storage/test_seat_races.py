"""Who comes, goes, starts and plays again at once, over every store: nobody is half seated, nothing begins twice."""

from collections import Counter
from functools import partial

import pytest

from engine.match.record import Status
from tests.faults.threads import codes, colliding, insist, together
from tests.faults.world import Caller, World, record_of, whole_of

pytestmark = pytest.mark.usefixtures("restless")


@pytest.mark.parametrize("free", [1, 3])
def test_of_fifty_players_as_many_get_a_seat_as_there_are(world: World, free: int) -> None:
    creator, *callers = world.players(51)
    match = creator.ok("POST", "/v1/matches", {"game": "liars-poker", "seats": 1 + free})["id"]

    replies = colliding(
        world, "MAT#", [partial(caller.call, "POST", f"/v1/matches/{match}/join") for caller in callers]
    )
    assert codes(replies) == {"": free, "match-full": 50 - free}
    winners = {caller.id for caller, reply in zip(callers, replies, strict=True) if reply.status == 200}
    record = record_of(match)
    assert [sitter.player for sitter in record.match.seats][1:] == [
        entry.data["player"] for entry in record.match.log if entry.type == "joined"
    ][1:]
    assert {sitter.player for sitter in record.match.seats} == {creator.id, *winners}
    live = {pk for pk, sk in world.items() if sk == f"LIVE#{match}"}
    assert live == {f"PLAYER#{player}" for player in {creator.id, *winners}}


def test_one_player_in_two_sessions_gets_one_seat(world: World) -> None:
    ann, bob = world.players(2)
    match = ann.ok("POST", "/v1/matches", {"game": "liars-poker", "seats": 5})["id"]
    replies = colliding(world, "MAT#", [lambda: bob.call("POST", f"/v1/matches/{match}/join")] * 8)
    assert codes(replies) == {"": 1, "already-joined": 7}
    assert [s.player for s in record_of(match).match.seats if s] == [ann.id, bob.id]


def test_those_who_come_and_go_at_once_are_each_logged_once(world: World) -> None:
    creator, *callers = world.players(9)
    match = creator.ok("POST", "/v1/matches", {"game": "liars-poker", "seats": 10})["id"]
    done: list[tuple[str, str]] = []

    def visit(caller: Caller) -> None:
        for number in range(3):
            for what in ("join", "leave"):
                path, key = f"/v1/matches/{match}/{what}", f"{what}-{number}"
                reply = insist(partial(caller.call, "POST", path, None, key))
                assert reply.status == 200, reply
                done.append((what, caller.id))

    together([partial(visit, caller) for caller in callers])
    log = whole_of(match).log
    assert sum(entry.type == "joined" for entry in log) == 1 + sum(what == "join" for what, _ in done)
    assert sum(entry.type == "unseated" for entry in log) == sum(what == "leave" for what, _ in done)
    record = record_of(match)
    assert [s.player for s in record.match.seats if s] == [creator.id]
    assert {pk for pk, sk in world.items() if sk == f"LIVE#{match}"} == {f"PLAYER#{creator.id}"}
    assert record.version == len(log)


def sent(caller: Caller, path: str, key: str) -> str:
    """The problem's code of a request that is repeated until it is answered."""
    return insist(partial(caller.call, "POST", path, None, key)).code


@pytest.mark.parametrize("late", ["join", "leave"])
def test_a_start_and_who_comes_or_goes_at_once_leave_a_table_that_is_whole(world: World, late: str) -> None:
    creator, guest, third, *others = world.players(5)
    for _ in range(5):
        match = creator.ok("POST", "/v1/matches", {"game": "liars-poker", "seats": 6})["id"]
        path = f"/v1/matches/{match}"
        for caller in (guest, third):
            caller.ok("POST", f"{path}/join")
        jobs = [partial(sent, creator, f"{path}/start", "start")]
        jobs += [partial(sent, caller, f"{path}/{late}", late) for caller in (others if late == "join" else [third])]
        started, *moved = colliding(world, "MAT#", jobs)
        assert started == ""
        assert set(moved) <= {"", "match-not-open", "match-full"}
        record = record_of(match)
        seated = [sitter.player for sitter in record.match.seats]
        change = moved.count("")
        assert (record.match.status, len(seated)) == (Status.ACTIVE, 3 + change if late == "join" else 3 - change)
        assert [entry.type for entry in record.match.log].count("started") == 1
        live = {pk for pk, sk in world.items() if sk == f"LIVE#{match}"}
        assert live == {f"PLAYER#{player}" for player in seated}
        for caller in (creator, guest, third, *others):
            caller.act(match, None, {"type": "resign"})


def test_of_sixteen_starts_at_once_one_begins_the_match(world: World) -> None:
    creator, guest = world.players(2)
    match = creator.ok("POST", "/v1/matches", {"game": "liars-poker", "seats": 4})["id"]
    guest.ok("POST", f"/v1/matches/{match}/join")
    path = f"/v1/matches/{match}/start"
    replies = colliding(world, "MAT#", [partial(creator.call, "POST", path, None, f"key-{i}") for i in range(16)])
    assert codes(replies) == {"": 1, "match-not-open": 15}
    assert [entry.type for entry in record_of(match).match.log].count("started") == 1


@pytest.mark.parametrize("is_settled", [True, False])
def test_sixteen_who_ask_for_another_match_at_once_get_one(world: World, is_settled: bool) -> None:
    callers = world.players(4)
    match = world.table(callers, "micro-poker")
    for caller in callers[:3]:
        assert caller.act(match, None, {"type": "resign"}).status == 200
    if is_settled:
        world.advance(60)
        assert world.sweep()["settled"] == 1

    def ask(number: int) -> str:
        path = f"/v1/matches/{match}/rematch"
        reply = insist(partial(callers[number % 4].call, "POST", path, None, f"key-{number}"))
        assert reply.status == 201, reply
        return str(reply.body["id"])

    (made,) = set(colliding(world, "MAT#", [partial(ask, number) for number in range(16)]))
    assert record_of(match).rematch == made
    after = record_of(made).match
    ids = [caller.id for caller in callers]
    assert (after.status, [sitter.player for sitter in after.seats]) == (Status.ACTIVE, [*ids[-1:], *ids[:-1]])
    matches = {pk for pk, sk in world.items() if sk == "M"}
    assert matches == {f"MAT#{match}", f"MAT#{made}"}
    live = Counter(pk for pk, sk in world.items() if sk == f"LIVE#{made}")
    assert live == {f"PLAYER#{player}": 1 for player in ids}
