"""While a later version of the service takes over, what it wrote is left to it: no fault, nothing changed, nothing
lost."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from functions.shared.http import identity
from functions.shared.store import packing
from tests.faults.scenes import ACE, MOVE_S
from tests.faults.world import Caller, Reply, World, record_of

Change = Callable[[dict[str, Any]], object]

CHANGES: dict[str, Change] = {
    "a field of the record": lambda data: data.update(tournament="trn_1"),
    "a field of the match": lambda data: data["match"].update(takeback=3),
    "a field of a seat": lambda data: data["match"]["seats"][0].append("new"),
    "a field of an event": lambda data: data["match"]["log"][0].append("new"),
    "a field of the clock": lambda data: data["match"]["clock"].append(7),
    "a field of a seal": lambda data: data["match"]["seals"].append([1, {}, 0, "player", "", 1, "new"]),
    "a version of the rules": lambda data: data["match"].update(rules_version=99),
    "a game": lambda data: data["match"].update(game="yet-another-game"),
}


def put(world: World, table: str, key: tuple[str, str], **attributes: Any) -> None:
    """Changes attributes of a stored item."""
    world.dynamo.put_item(TableName=table, Item={**world.items()[key], **attributes})


def rewritten(world: World, match: str, change: Change) -> None:
    """The match as a later version would have stored it."""
    data = json.loads(packing._expand(world.items()[f"MAT#{match}", "M"]["body"]["B"]))
    change(data)
    put(world, "MatchesTable", (f"MAT#{match}", "M"), body={"B": packing._squeeze(data)})


def busy(reply: Reply) -> bool:
    return (reply.status, reply.code, reply.headers.get("retry-after")) == (503, "try-again", "1")


@pytest.mark.parametrize("what", CHANGES)
def test_who_meets_a_match_of_a_later_version_is_told_to_try_again(world: World, what: str) -> None:
    ann, bob = world.players(2)
    match = world.table([ann, bob])
    rewritten(world, match, CHANGES[what])
    before = world.items()
    path = f"/v1/matches/{match}"
    for method, route in (("GET", ""), ("GET", "/legal-actions"), ("GET", "/log"), ("POST", "/rematch")):
        assert busy(ann.call(method, path + route)), route
    assert busy(ann.act(match, 1, ACE))
    assert busy(ann.call("GET", "/v1/matches", mine="true", status="active"))
    assert world.items() == before


def test_a_record_packed_by_another_dictionary_waits_too(world: World) -> None:
    ann, bob = world.players(2)
    match = world.table([ann, bob])
    body = world.items()[f"MAT#{match}", "M"]["body"]["B"]
    put(world, "MatchesTable", (f"MAT#{match}", "M"), body={"B": bytes((200,)) + body[1:]})
    assert busy(ann.call("GET", f"/v1/matches/{match}"))


def test_the_referee_goes_past_it_and_changes_nothing(world: World) -> None:
    players = world.players(2)
    newer, whole = (world.table(players) for _ in range(2))
    rewritten(world, newer, CHANGES["a field of the match"])
    before = world.items()[f"MAT#{newer}", "M"]
    for turn in (2, 3):
        world.advance(MOVE_S)
        assert world.sweep() == {"failed": 1, "advanced": 1}
        assert record_of(whole).match.turn == turn
    assert world.items()[f"MAT#{newer}", "M"] == before


def test_consumers_of_the_stream_ask_for_its_records_again(world: World) -> None:
    ann, bob = world.players(2)
    match = world.table([ann, bob])
    ann.act(match, None, {"type": "resign"})
    rewritten(world, match, CHANGES["a field of the record"])
    records = world.dynamo.take_records("MatchesTable", 1000)
    last = records[-1]["dynamodb"]["SequenceNumber"]
    for function in ("SettleFunction", "InboxFunction"):
        assert world.invoke(function, {"Records": records[-1:]}) == {"batchItemFailures": [{"itemIdentifier": last}]}


def test_events_that_a_later_version_put_away_wait_for_it(world: World) -> None:
    callers = world.players(2)
    match = world.table(callers, "liars-poker")
    turn = 0
    while not (parts := [key for key in world.items() if key[1].startswith("LOG#")]):
        turn += 1
        seat = callers[0].ok("GET", f"/v1/matches/{match}")["to_act"][0]
        action = callers[seat].ok("GET", f"/v1/matches/{match}/legal-actions")["actions"][0]
        assert callers[seat].act(match, turn, action).status == 200
    entries = json.loads(packing._expand(world.items()[parts[0]]["body"]["B"]))
    put(world, "MatchesTable", parts[0], body={"B": packing._squeeze([[*entries[0], "new"], *entries[1:]])})
    assert busy(callers[0].call("GET", f"/v1/matches/{match}/log"))
    assert callers[0].call("GET", f"/v1/matches/{match}").status == 200


def test_players_and_tokens_of_a_later_version_wait_as_well(world: World) -> None:
    ann, bob = world.players(2)
    key = next(key for key, item in world.items().items() if key[1] == "TOKEN" and ann.id in item["body"]["S"])
    profile = json.loads(world.items()[f"PLAYER#{ann.id}", "PROFILE"]["body"]["S"])
    put(world, "PlayersTable", (f"PLAYER#{ann.id}", "PROFILE"), body={"S": json.dumps({**profile, "avatar": "cat"})})
    assert busy(ann.call("PATCH", "/v1/me", {"name": "another"}))
    assert busy(bob.call("GET", f"/v1/players/{ann.id}"))
    put(world, "PlayersTable", key, body={"S": json.dumps([*json.loads(world.items()[key]["body"]["S"]), "new"])})
    identity.forget()
    before = world.items()
    assert busy(ask(ann))
    assert ask(bob).status == 200
    assert world.items() == before


def ask(caller: Caller) -> Reply:
    return caller.call("GET", "/v1/matches", mine="true", status="active")
