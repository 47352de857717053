"""Keys, names and tokens that several requests want at once, over every store."""

from functools import partial
from typing import Any

import pytest

from tests.faults.breaking import on
from tests.faults.threads import codes, colliding, together
from tests.faults.world import Call, World

pytestmark = pytest.mark.usefixtures("restless")


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


@pytest.mark.parametrize("end", ["revoked", "recovered"])
def test_a_token_that_ends_while_it_makes_another_makes_none(world: World, end: str) -> None:
    """It ends between what the request reads and what it writes."""
    reply = world.call("POST", "/v1/players", {"name": f"maker-{end}"})
    owner, code = reply.body["token"], reply.body["recovery_code"]
    body = {"scopes": ["account", "read"], "label": "maker"}
    maker = world.call("POST", "/v1/me/tokens", body, owner).body

    def ended(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        if end == "revoked":
            assert world.call("DELETE", f"/v1/me/tokens/{maker['id']}", None, owner).status == 204
        else:
            given = {"name": f"maker-{end}", "recovery_code": code}
            assert world.call("POST", "/v1/players/recover", given).status == 200
        return call()

    before = {key for key in world.items() if key[1] == "TOKEN"}
    with world.around(on("TransactWriteItems", ended, table="PlayersTable")):
        first = world.call("POST", "/v1/me/tokens", {"scopes": ["read"], "label": "made"}, maker["token"], "key")
    again = world.call("POST", "/v1/me/tokens", {"scopes": ["read"], "label": "made"}, maker["token"], "key")
    assert (first.code, again.code) == ("try-again", "unauthenticated")
    after = {key for key in world.items() if key[1] == "TOKEN"}
    assert (len(before), len(after - before)) == (2, 0 if end == "revoked" else 1)


def test_of_a_token_and_one_that_it_makes_at_the_same_moment_the_second_does_not_outlive_the_first(
    world: World,
) -> None:
    ann = world.player()
    for number in range(5):
        body = {"scopes": ["account", "read"], "label": str(number)}
        maker = ann.ok("POST", "/v1/me/tokens", body)
        make = partial(world.call, "POST", "/v1/me/tokens", {**body, "label": f"by-{number}"}, maker["token"])
        end = partial(ann.call, "DELETE", f"/v1/me/tokens/{maker['id']}")
        made, ended = together([make, end])
        assert ended.code in ("", "try-again")
        assert made.code in ("", "try-again", "unauthenticated")
        labels = [token["label"] for token in ann.ok("GET", "/v1/me/tokens")["items"]]
        assert (f"by-{number}" in labels) is (made.status == 201)
