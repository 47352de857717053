"""Requests of players of a running match at once, over every store: what they choose counts once, and none is lost."""

from functools import partial
from typing import Any

import pytest

from engine.match.record import Status
from engine.replay import replay
from tests.faults.breaking import on
from tests.faults.clients import legal_of
from tests.faults.threads import codes, colliding, insist, together
from tests.faults.world import Call, Caller, Reply, World, record_of, whole_of

pytestmark = pytest.mark.usefixtures("restless")

RESIGN = {"type": "resign"}


def play(rank: str, seat: int) -> dict[str, str]:
    """A card of Misfortune, claimed to be lower."""
    return {"type": "play", "card": rank + "ch"[seat], "claim": "lower"}


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
            reply = insist(partial(caller.act, match, legal["turn"], action, key))
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


def at_the_last_choice(callers: list[Caller], match: str) -> int:
    """Plays Misfortune up to its last turn, which it gives."""
    for turn, rank in enumerate("A23456789TJQ", 1):
        for seat, caller in enumerate(callers):
            assert caller.act(match, turn, play(rank, seat)).status == 200
    return 13


def test_the_last_two_choices_at_once_end_the_match_and_both_are_told(world: World) -> None:
    callers = world.players(2)
    match = world.table(callers)
    turn = at_the_last_choice(callers, match)
    replies = colliding(world, "MAT#", [partial(callers[seat].act, match, turn, play("K", seat)) for seat in (0, 1)])
    assert codes(replies) == {"": 2}
    assert "finished" in {reply.body["status"] for reply in replies}
    whole = whole_of(match)
    assert (whole.status, whole.moves) == (Status.FINISHED, 26)
    assert [entry.type for entry in whole.log].count("finished") == 1
    assert replay(whole) == whole


def test_of_the_last_two_seats_that_resign_at_once_one_does(world: World) -> None:
    callers = world.players(2)
    for _ in range(5):
        match = world.table(callers)
        replies = colliding(world, "MAT#", [partial(caller.act, match, None, RESIGN) for caller in callers])
        assert codes(replies) == {"": 1, "match-over": 1}
        log = [entry.type for entry in whole_of(match).log]
        assert (log.count("resign"), log.count("finished")) == (1, 1)


def test_a_choice_and_a_resignation_at_once_end_the_match_once(world: World) -> None:
    callers = world.players(2)
    for _ in range(5):
        match = world.table(callers)
        seal, leave = partial(callers[0].act, match, 1, play("A", 0)), partial(callers[1].act, match, None, RESIGN)
        chosen, left = colliding(world, "MAT#", [seal, leave])
        assert (left.status, chosen.code) in ((200, ""), (200, "match-over"))
        whole = whole_of(match)
        assert [entry.type for entry in whole.log].count("finished") == 1
        assert replay(whole) == whole
