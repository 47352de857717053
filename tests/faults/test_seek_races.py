"""Who seeks at the same moment: nobody is paired twice for one seek, or with themself, and nobody is left behind."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from functions.shared.store.records import Seek
from tests.faults.breaking import on
from tests.faults.threads import codes, together
from tests.faults.world import Call, Caller, Hook, Reply, World, record_of

pytestmark = pytest.mark.usefixtures("restless")

BODY = {"game": "misfortune"}


def seek(caller: Caller, **wishes: Any) -> Reply:
    return caller.call("POST", "/v1/seeks", BODY | wishes)


def waiting(world: World) -> list[str]:
    """Who waits, by the players' own lists; the lists by rating hold the same, but for when a seek is due."""
    items = world.items().items()
    own = [json.loads(item["body"]["S"]) for (_, sk), item in items if sk.startswith("SEEK#")]
    entries = [json.loads(item["body"]["S"]) for (pk, _), item in items if pk.startswith("SEEK#")]
    due = Seek._fields.index("due")
    assert sorted(seek[:due] for seek in own) == sorted(seek[:due] for seek in entries)
    return [str(seek[Seek._fields.index("player")]) for seek in own]


def matches(world: World) -> list[tuple[str, ...]]:
    """The players of each match, sorted: at one moment chance says who is the oldest. What their lists say agrees."""
    found = []
    for pk, sk in world.items():
        if sk == "M":
            match = pk.removeprefix("MAT#")
            seated = tuple(sitter.player for sitter in record_of(match).match.seats)
            assert {key for key, live in world.items() if live == f"LIVE#{match}"} == {f"PLAYER#{p}" for p in seated}
            found.append(tuple(sorted(seated)))
    return found


def consistent(world: World, replies: Sequence[Reply]) -> None:
    """Every seek that was made waits or has one match, of different players, each for a seek of theirs."""
    made = [reply.body for reply in replies if reply.status == 201]
    ended = Counter(pk.removeprefix("PLAYER#") for pk, sk in world.items() if sk.startswith("SOUGHT#"))
    seated = Counter(player for match in matches(world) for player in match)
    assert all(len(set(match)) == len(match) for match in matches(world))
    assert seated == ended
    assert len(made) == sum(ended.values()) + len(waiting(world))


@contextmanager
def all_waiting_first(world: World, parties: int) -> Iterator[None]:
    """Nobody looks for others before all wait."""
    barrier, thread = threading.Barrier(parties), threading.local()

    def meet(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        answer = call()
        if operation == "TransactWriteItems" and not hasattr(thread, "has_met"):
            thread.has_met = True
            barrier.wait()
        return answer

    with world.around(meet):
        yield


def test_two_who_come_at_once_play_one_match_and_both_are_told_so(world: World) -> None:
    for _ in range(5):
        pair = world.players(2)
        before = len(matches(world))
        with all_waiting_first(world, 2):
            replies = together([partial(seek, caller) for caller in pair])
        assert [reply.status for reply in replies] == [201, 201]
        assert {reply.body["match"]["id"] for reply in replies} == {replies[0].body["match"]["id"]}
        assert [reply.body["seek"] for reply in replies] == [None, None]
        assert len(matches(world)) == before + 1
    assert waiting(world) == []


@pytest.mark.parametrize(("many", "seats", "game"), [(9, 2, "misfortune"), (10, 3, "liars-poker")])
def test_a_crowd_that_comes_at_once_is_seated_but_for_one(world: World, many: int, seats: int, game: str) -> None:
    """The referee seats within a minute whom the conflicts have kept from it."""
    crowd = world.players(many)
    with all_waiting_first(world, many):
        replies = together([partial(seek, caller, game=game, seats=seats) for caller in crowd])
    assert codes(replies) == {"": many}
    consistent(world, replies)
    world.advance(60)
    world.sweep()
    consistent(world, replies)
    assert len(waiting(world)) == 1
    assert Counter(map(len, matches(world))) == {seats: many // seats}


def test_one_player_in_eight_sessions_has_one_seek(world: World) -> None:
    (ann,) = world.players(1)
    replies = together([partial(seek, ann)] * 8)
    assert codes(replies)[""] == 1
    assert set(codes(replies)) <= {"", "limit-reached", "try-again"}
    assert waiting(world) == [ann.id]
    assert matches(world) == []


def test_one_who_waits_is_taken_by_one_of_many_sessions(world: World) -> None:
    ann, bob = world.players(2)
    assert seek(ann).status == 201
    replies = together([partial(seek, bob)] * 8)
    found = [reply.body["match"] for reply in replies if reply.status == 201 and reply.body["match"]]
    assert len(found) == 1
    assert matches(world) == [tuple(sorted((ann.id, bob.id)))]
    assert waiting(world) in ([], [bob.id])  # a session that came later waits


def test_a_seek_is_either_taken_back_or_matched(world: World) -> None:
    outcomes: Counter[bool] = Counter()
    for _ in range(12):
        ann, bob = world.players(2)
        waits = seek(ann).body["seek"]["id"]
        taken_back, found = together([partial(ann.call, "DELETE", f"/v1/seeks/{waits}"), partial(seek, bob)])
        state = ann.ok("GET", f"/v1/seeks/{waits}")["status"]
        is_matched = found.body["match"] is not None
        outcomes[is_matched] += 1
        if is_matched:
            assert (taken_back.status, taken_back.code, state) == (409, "conflict", "matched")
        else:
            assert (taken_back.status, state) == (204, "cancelled")
            assert bob.call("DELETE", f"/v1/seeks/{found.body['seek']['id']}").status == 204
    assert waiting(world) == []
    assert len(matches(world)) == outcomes[True]


def test_whoever_writes_first_has_the_seek(world: World) -> None:
    """A match is made when a cancel is about to be written, and the other way round."""
    ann, bob, cyd = world.players(3)
    waits = seek(ann).body["seek"]["id"]
    found: list[Reply] = []

    def overtaken(do: Callable[[], Reply]) -> Hook:
        def first(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
            found.append(do())
            return call()

        return on("TransactWriteItems", first)

    with world.around(overtaken(partial(seek, bob))):
        assert ann.call("DELETE", f"/v1/seeks/{waits}").code == "conflict"
    assert found[0].body["match"] is not None
    assert ann.ok("GET", f"/v1/seeks/{waits}")["match"] == found[0].body["match"]["id"]

    waits = seek(bob).body["seek"]["id"]

    def pairing(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        """Of the two transactions of a seek that finds somebody, the second."""
        is_it = operation == "TransactWriteItems" and len(parameters["TransactItems"]) > 4
        if is_it and len(found) == 1:
            found.append(bob.call("DELETE", f"/v1/seeks/{waits}"))
        return call()

    with world.around(pairing):
        assert seek(cyd).body["match"] is None
    assert found[1].status == 204
    assert waiting(world) == [cyd.id]
    assert matches(world) == [tuple(sorted((ann.id, bob.id)))]


def test_who_closes_their_account_as_they_are_matched_forfeits_or_was_never_there(world: World) -> None:
    for _ in range(6):
        ann, bob = world.players(2)
        assert seek(ann).status == 201
        world.advance(30)
        together([partial(ann.call, "DELETE", "/v1/me"), partial(seek, bob)])
        for _ in range(3):
            world.advance(60)
            world.sweep()
        assert ann.id not in waiting(world)
        for pk, sk in world.items():
            if sk == "M" and ann.id in str(record := record_of(pk.removeprefix("MAT#"))):
                assert record.match.status == "finished"
        for own in bob.ok("GET", "/v1/seeks")["items"]:
            assert bob.call("DELETE", f"/v1/seeks/{own['id']}").status == 204


def test_the_referee_and_a_request_take_a_seek_once(world: World) -> None:
    """At the full hour, two referees run and somebody comes."""
    from tests.faults.scenes import wired
    from tests.service.standings import give

    ann, bob, cyd = world.players(3)
    give(wired(), bob.id, "misfortune", 1700)
    give(wired(), cyd.id, "misfortune", 1600)
    assert [seek(caller).body["match"] for caller in (ann, bob)] == [None, None]
    world.advance(3600)

    came = together([world.sweep, world.sweep, lambda: seek(cyd)])
    assert isinstance(came[2], Reply)
    assert came[2].status == 201
    world.advance(60)
    world.sweep()
    assert len(matches(world)) == 1
    assert len(waiting(world)) == 1
