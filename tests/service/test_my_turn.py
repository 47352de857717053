"""The matches that wait for their player (api.md, "my_turn"): by the own deadline, whatever others have chosen."""

from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import nothing_stored
from tests.service.moments import DAY, jump
from tests.service.playing import act, at, lay, read, table

FISCHER = {"kind": "fischer", "seconds": 1000, "increment": 0, "cap": 1000}


def per_move(seconds: int) -> dict[str, Any]:
    return {"kind": "per-move", "seconds": seconds}


def waiting(client: Client, **query: Any) -> list[str]:
    """The list, page by page."""
    found: list[str] = []
    query = {"my_turn": "true", **query}
    while True:
        shown = client.ok("GET", "/v1/matches", query=query)
        found += [head["id"] for head in shown["items"]]
        if shown["next_cursor"] is None:
            return found
        query["cursor"] = shown["next_cursor"]


def test_clocks_of_all_kinds_are_sorted_by_the_own_deadline(service: LocalService, ann: Client, bob: Client) -> None:
    none = table(ann, bob, clock={"kind": "none"})
    slow = table(ann, bob, clock=per_move(DAY))
    fischer = table(ann, bob, clock=FISCHER)
    byo_yomi = table(ann, bob, clock={"kind": "byo-yomi", "seconds": 300, "periods": 3, "period_seconds": 100})
    fast = table(ann, bob, clock=per_move(500))
    assert waiting(ann) == waiting(ann, limit=2) == [fast, byo_yomi, fischer, slow, none]
    jump(service, 500)
    assert waiting(ann) == [byo_yomi, fischer, slow, none]
    jump(service, 100)
    assert waiting(ann) == [fischer, slow, none]


def test_each_player_has_an_order_of_their_own(service: LocalService, ann: Client, bob: Client) -> None:
    """In the second round ann has 990 seconds, bob 100."""
    match = table(ann, bob, clock=FISCHER)
    jump(service, 10)
    at(lay(ann, match, "7", "higher", 1))
    jump(service, 890)
    at(lay(bob, match, "7", "higher", 1))
    other = table(ann, bob, clock=per_move(500))
    assert (waiting(ann), waiting(bob)) == ([other, match], [match, other])
    assert {limit["clock"]["deadline"] for limit in read(ann, match)["seats"]} == {
        limit["clock"]["deadline"] for limit in read(bob, match)["seats"]
    }


def test_a_vacation_moves_the_own_deadline_only(ann: Client, bob: Client) -> None:
    first, second = table(ann, bob, clock=per_move(DAY)), table(ann, bob, clock=per_move(2 * DAY))
    fast = table(ann, bob, clock=per_move(3600))
    at(ann.call("POST", "/v1/me/vacation", {"days": 3}))
    third = table(bob, ann, clock=per_move(3 * DAY))
    assert waiting(ann) == waiting(bob) == [fast, first, second, third]
    later = table(ann, bob, clock={**per_move(DAY - 1), "on_timeout": "forfeit"})
    assert waiting(ann) == [fast, later, first, second, third]
    assert waiting(bob)[:2] == [fast, later]


@pytest.mark.parametrize("game", ["misfortune", "half-deck-poker"])
def test_whether_others_have_sealed_changes_nothing(service: LocalService, ann: Client, bob: Client, game: str) -> None:
    matches = [table(ann, bob, game=game, clock=per_move(1000 - i)) for i in range(4)]
    query = {"my_turn": "true", "limit": 3}

    def seen() -> Any:
        reply = ann.call("GET", "/v1/matches", query=query)
        return reply.headers["etag"], reply.body["items"], reply.body["next_cursor"], reply.headers["content-length"]

    before = seen()
    for match in matches[1:3]:
        legal = bob.ok("GET", f"/v1/matches/{match}/legal-actions")
        at(act(bob, match, legal["actions"][0], legal["turn"]))
    assert seen() == before
    assert waiting(bob) == [matches[3], matches[0]]
    service.settle()
    assert seen() == before


def test_who_ran_out_of_time_is_waited_for_no_longer_and_a_list_settles_nothing(
    service: LocalService, ann: Client, bob: Client
) -> None:
    over = table(ann, bob, clock={**per_move(60), "on_timeout": "forfeit"})
    missed, later = table(ann, bob, clock=per_move(60)), table(ann, bob, clock=per_move(600))
    jump(service, 60)
    with nothing_stored(service):
        assert waiting(ann) == waiting(bob) == [later]
    assert read(ann, missed)["turn"] == 2
    assert waiting(ann) == [missed, later]
    assert read(ann, over)["status"] == "aborted"


def test_a_match_without_a_seat_to_act_is_not_listed(ann: Client, bob: Client, cyd: Client) -> None:
    match = table(ann, bob, cyd, game="liars-poker")
    first = read(ann, match)["to_act"][0]
    lists = [waiting(client) for client in (ann, bob, cyd)]
    assert lists == [[match] if seat == first else [] for seat in range(3)]
    resigned = (ann, bob, cyd)[first]
    at(act(resigned, match, {"type": "resign"}))
    assert waiting(resigned) == []
    assert sum(len(waiting(client)) for client in (ann, bob, cyd)) == 1
