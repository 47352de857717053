"""Many at once: seats, actions, sealed choices, names and keys are raced for by threads that switch all the time."""

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import pytest

from engine.replay import replay
from tests.faults.breaking import on
from tests.faults.clients import legal_of
from tests.faults.world import Call, Caller, Reply, World, record_of, whole_of

T = TypeVar("T")


@pytest.fixture(autouse=True)
def restless() -> Iterator[None]:
    """Threads switch every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(jobs: Sequence[Callable[[], T]]) -> list[T]:
    """What the jobs give, each in a thread of its own, begun at the same moment."""
    barrier = threading.Barrier(len(jobs))

    def run(job: Callable[[], T]) -> T:
        barrier.wait()
        return job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs))


def colliding(world: World, kind: str, jobs: Sequence[Callable[[], T]]) -> list[T]:
    """As `together`, and nobody goes on before all have read the item of this kind that they are about to change."""
    barrier, thread = threading.Barrier(len(jobs)), threading.local()

    def meet(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        answer = call()
        is_it = operation == "GetItem" and parameters["Key"]["pk"]["S"].startswith(kind)
        if is_it and not hasattr(thread, "has_met"):
            thread.has_met = True
            barrier.wait()
        return answer

    with world.around(meet):
        return together(jobs)


def codes(replies: Sequence[Reply]) -> Counter[str]:
    """How often each problem was answered; the empty text stands for success."""
    return Counter(reply.code for reply in replies)


def play(rank: str, seat: int) -> dict[str, str]:
    """A card of Misfortune, claimed to be lower."""
    return {"type": "play", "card": rank + "ch"[seat], "claim": "lower"}


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


def test_one_action_sent_sixteen_times_with_one_key_happens_once_and_all_are_told_so(world: World) -> None:
    ann, bob = world.players(2)
    match = world.table([ann, bob])
    for turn, rank in enumerate("A234", 1):
        act = partial(ann.act, match, turn, play(rank, 0), f"key-{turn}")
        replies = colliding(world, "MAT#", [act] * 16)
        assert [reply.status for reply in replies] == [200] * 16
        assert bob.act(match, turn, play(rank, 1)).status == 200
    log = whole_of(match).log
    assert [entry.data for entry in log if entry.type == "play"] == [{"claim": "lower"}] * 8
    assert sum(entry.seat == 0 and entry.type == "play" for entry in log) == 4
    assert {reply.body["turn"] for reply in replies} == {4}


@pytest.mark.parametrize(("game", "refusal"), [("misfortune", "not-your-turn"), ("liars-poker", "stale-turn")])
def test_one_action_sent_sixteen_times_without_a_key_is_accepted_once(world: World, game: str, refusal: str) -> None:
    callers = world.players(2)
    match = world.table(callers, game)
    seat = callers[0].ok("GET", f"/v1/matches/{match}")["to_act"][0]
    action = legal_of(callers[seat], match).actions[0]
    replies = colliding(world, "MAT#", [lambda: callers[seat].act(match, 1, action)] * 16)
    assert codes(replies) == {"": 1, refusal: 15}
    assert record_of(match).match.moves == 1


def test_of_two_different_answers_to_one_turn_one_counts(world: World) -> None:
    callers = world.players(2)
    match = world.table(callers, "liars-poker")
    seat = callers[0].ok("GET", f"/v1/matches/{match}")["to_act"][0]
    bids = [{"type": "bid", "count": 1 + i, "digit": i} for i in range(8)]
    replies = colliding(
        world, "MAT#", [partial(callers[seat].act, match, 1, bid, f"key-{bid['count']}") for bid in bids]
    )
    assert codes(replies) == {"": 1, "stale-turn": 7}
    (accepted,) = [bid for bid, reply in zip(bids, replies, strict=True) if reply.status == 200]
    (entry,) = [entry for entry in record_of(match).match.log if entry.type == "bid"]
    assert {"type": "bid", **entry.data} == accepted


def test_two_choices_sealed_at_once_both_commit_each_time(world: World) -> None:
    callers = world.players(2)
    for _ in range(5):
        match = world.table(callers)
        for turn, rank in enumerate("A23456789T", 1):
            seals = [partial(callers[seat].act, match, turn, play(rank, seat), f"key-{turn}") for seat in (0, 1)]
            replies = colliding(world, "MAT#", seals) if turn % 2 else together(seals)
            assert [reply.status for reply in replies] == [200, 200]
            assert max(reply.body["turn"] for reply in replies) == turn + 1
        assert record_of(match).match.moves == 20
        callers[0].act(match, None, {"type": "resign"})


def test_twins_that_both_find_a_passed_deadline_are_answered_alike(world: World) -> None:
    """The second one is about to store the time-out when the first has stored it, and the action after it."""
    ann, bob = world.players(2)
    match = world.table([ann, bob])
    world.advance(259_200)
    send = partial(ann.act, match, 2, play("2", 0), "one-key")
    first: list[Reply] = []

    def overtaken(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        first.append(send())
        return call()

    with world.around(on("PutItem", overtaken)):
        second = send()
    assert [first[0].status, second.status] == [200, 200]
    assert sum(entry.by == "player" for entry in whole_of(match).log) + len(record_of(match).match.seals) == 1


def test_five_choices_sealed_at_once_all_commit(world: World) -> None:
    callers = world.players(6)
    match = world.table(callers, "micro-poker")
    asked = callers[0].ok("GET", f"/v1/matches/{match}")["to_act"]
    seals = [partial(callers[seat].act, match, 1, legal_of(callers[seat], match).actions[0]) for seat in asked]
    replies = colliding(world, "MAT#", seals)
    assert [reply.status for reply in replies] == [200] * 5
    assert record_of(match).match.turn == 2


def test_thirty_two_writers_lose_no_event_and_double_none(world: World) -> None:
    """Each seat of a match plays in eight sessions at once, which all answer whatever they are asked first."""
    callers = world.players(4)
    match = world.table(callers, "micro-poker", options={"max_turns": 12})
    accepted: list[str] = []

    def session(caller: Caller, number: int) -> None:
        while (seen := caller.ok("GET", f"/v1/matches/{match}"))["status"] == "active":
            legal = caller.ok("GET", f"/v1/matches/{match}/legal-actions")
            if not legal["actions"]:
                continue
            key = f"{caller.name}-{number}-{legal['turn']}"
            action = legal["actions"][number % len(legal["actions"])]
            while (reply := caller.act(match, legal["turn"], action, key)).status == 503:
                assert reply.headers["retry-after"] == "1"
            assert reply.code in ("", "stale-turn", "not-your-turn", "match-over"), (seen, reply)
            if reply.status == 200:
                accepted.append(key)

    together([partial(session, caller, number) for number in range(8) for caller in callers])
    whole = whole_of(match)
    made = [entry for entry in whole.log if entry.move]
    assert sorted(entry.move for entry in made) == list(range(1, whole.moves + 1))
    assert len(set(accepted)) == len(accepted) == whole.moves
    assert len({entry.key for entry in made}) == whole.moves
    assert replay(whole) == whole


def test_those_who_come_and_go_at_once_are_each_logged_once(world: World) -> None:
    creator, *callers = world.players(9)
    match = creator.ok("POST", "/v1/matches", {"game": "liars-poker", "seats": 10})["id"]
    done: list[tuple[str, str]] = []

    def visit(caller: Caller) -> None:
        for number in range(3):
            for what in ("join", "leave"):
                path, key = f"/v1/matches/{match}/{what}", f"{what}-{number}"
                while (reply := caller.call("POST", path, None, key)).code == "try-again":
                    pass
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


@pytest.mark.parametrize("what", ["match", "player", "token"])
def test_one_key_makes_one_thing_and_all_answers_are_alike(world: World, what: str) -> None:
    ann = world.player()
    path, body = {
        "match": ("/v1/matches", {"game": "misfortune"}),
        "player": ("/v1/players", {"name": "the-one"}),
        "token": ("/v1/me/tokens", {"scopes": ["read"], "label": "one"}),
    }[what]
    token = None if what == "player" else ann.token
    before = world.items()
    key = "a-key-that-nobody-guesses"
    replies = colliding(world, "IDEM#", [lambda: world.call("POST", path, body, token, key)] * 8)
    assert [reply.status for reply in replies] == [201] * 8
    assert len({repr(less_time(reply.body)) for reply in replies}) == 1
    assert sum("idempotency-replayed" not in reply.headers for reply in replies) == 1
    made = sorted(sk.partition("#")[0] for _, sk in set(world.items()) - set(before))
    mark = next(sk for pk, sk in set(world.items()) - set(before) if pk.startswith("IDEM#"))
    expected = {
        "match": ["LIVE", "M"],
        "player": ["NAME", "PROFILE", "TOKEN", "TOKEN"],
        "token": ["TOKEN", "TOKEN"],
    }
    assert made == sorted([*expected[what], mark])


def less_time(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in ("server_time", "poll_after")}


def test_a_name_that_several_want_at_once_goes_to_one(world: World) -> None:
    for number in range(10):
        names = [f"Wanted-{number}", f"wanted-{number}"] * 4
        replies = together([partial(world.call, "POST", "/v1/players", {"name": name}) for name in names])
        assert codes(replies) == {"": 1, "name-taken": 7}
    holders = [item["player"]["S"] for (pk, _), item in world.items().items() if pk.startswith("NAME#wanted")]
    assert len(set(holders)) == 10
    profiles = {pk for pk, sk in world.items() if sk == "PROFILE"}
    assert {f"PLAYER#{holder}" for holder in holders} == profiles
