"""Lists of matches: filters, limits, cursors (api.md, "lists"; reports 49)."""

from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import problem
from tests.service.playing import act, at, create, lay, me, read, table


def page(client: Client, **query: Any) -> Any:
    return client.ok("GET", "/v1/matches", query=query)


def ids(client: Client, **query: Any) -> list[str]:
    """The whole list, page by page."""
    found: list[str] = []
    while True:
        shown = page(client, **query)
        found += [head["id"] for head in shown["items"]]
        if shown["next_cursor"] is None:
            return found
        query["cursor"] = shown["next_cursor"]


@pytest.fixture
def five(service: LocalService, ann: Client, bob: Client) -> list[str]:
    """Five open matches of ann's, the newest first."""
    made = []
    for _ in range(5):
        made.append(create(ann))
        service.advance(1)
    return made[::-1]


def test_a_list_shows_heads(ann: Client, bob: Client) -> None:
    match = table(ann, bob, rated=False)
    full = read(ann, match)
    (head,) = page(ann, mine="true")["items"]
    assert set(full) - set(head) == {"view", "last_events", "deal", "poll_after", "server_time"}
    assert head == {name: full[name] for name in head}


def test_open_matches_are_listed_by_default_the_newest_first(anybody: Client, five: list[str]) -> None:
    assert ids(anybody)[:5] == ids(anybody, status="open")[:5] == five
    assert ids(anybody, game="misfortune")[:5] == five
    assert not set(five) & set(ids(anybody, game="liars-poker"))


def test_each_status_has_its_list(service: LocalService, anybody: Client, ann: Client, bob: Client) -> None:
    states = {"open": create(ann), "active": table(ann, bob), "finished": table(ann, bob), "aborted": create(ann)}
    at(act(ann, states["finished"], {"type": "resign"}))
    at(ann.call("POST", f"/v1/matches/{states['aborted']}/leave"))
    service.settle()
    for status, match in states.items():
        for client, query in ((anybody, {"player": me(ann)}), (ann, {"mine": "true"}), (anybody, {})):
            if status == "aborted" and not query:
                continue
            listed = ids(client, status=status, **query)
            assert set(states.values()) & set(listed) == {match}
    assert set(ids(ann, mine="true")) == set(states.values()) - {states["aborted"]} | set(
        ids(ann, mine="true", status="aborted")
    )
    problem(anybody.call("GET", "/v1/matches?status=aborted"), 400, "invalid-request")


def test_active_matches_go_by_their_start_and_finished_ones_by_their_end(
    service: LocalService, anybody: Client, ann: Client, bob: Client
) -> None:
    first, second = create(ann), create(ann)
    for match in (second, first):
        service.advance(1)
        at(bob.call("POST", f"/v1/matches/{match}/join"))
    assert ids(anybody, status="active")[:2] == [first, second]
    for match in (first, second):
        service.advance(1)
        at(act(bob, match, {"type": "resign"}))
    assert ids(anybody, status="finished")[:2] == [second, first]


def test_a_move_changes_no_order(ann: Client, bob: Client, service: LocalService, anybody: Client) -> None:
    matches = []
    for _ in range(3):
        matches.append(table(ann, bob))
        service.advance(1)
    before = ids(anybody, status="active"), ids(ann, mine="true")
    at(lay(ann, matches[0], "7", "higher", 1))
    at(lay(bob, matches[0], "9", "higher", 1))
    assert (ids(anybody, status="active"), ids(ann, mine="true")) == before


def test_mine_and_player_are_lists_of_one_player(anybody: Client, ann: Client, bob: Client, cyd: Client) -> None:
    both, anns = table(ann, bob), create(ann)
    table(bob, cyd)
    assert set(ids(ann, mine="true")) == set(ids(anybody, player=me(ann))) == {both, anns}
    assert ids(ann, mine="true", player=me(ann), status="open") == [anns]
    assert ids(anybody, player="ply_" + "0" * 26) == []
    problem(ann.call("GET", f"/v1/matches?mine=true&player={me(bob)}"), 400, "invalid-request")


def test_joinable_matches_are_those_that_the_caller_could_join(anybody: Client, ann: Client, bob: Client) -> None:
    free = create(ann, "liars-poker", seats=3)
    taken = table(ann, bob, game="liars-poker")
    narrow = create(ann, "liars-poker", rating_range=[2000, 2100])
    for_bob = create(ann, "liars-poker", rating_range=[2000, 2100], invite=[me(bob)])
    private = create(ann, "liars-poker", visibility="private", invite=[me(bob)])
    every = [free, taken, narrow, for_bob, private]

    def joinable(client: Client) -> list[str]:
        return [match for match in ids(client, joinable="true", game="liars-poker") if match in every]

    assert joinable(ann) == []
    assert set(joinable(anybody)) >= {free}
    assert sorted(joinable(bob)) == sorted([free, for_bob, private])
    at(bob.call("POST", f"/v1/matches/{free}/join"))
    assert sorted(joinable(bob)) == sorted([for_bob, private])
    for match in joinable(bob):
        assert bob.call("POST", f"/v1/matches/{match}/join").status == 200
    assert joinable(bob) == []


def test_my_turn_goes_by_deadline(service: LocalService, ann: Client, bob: Client) -> None:
    late = table(ann, bob, clock={"kind": "per-move", "seconds": 5000})
    soon = table(ann, bob, clock={"kind": "per-move", "seconds": 1000})
    sealed = table(ann, bob, clock={"kind": "per-move", "seconds": 3000})
    create(ann)
    service.advance(1)
    next_ = table(ann, bob, game="half-deck-poker", clock={"kind": "per-move", "seconds": 2000})
    assert ids(ann, my_turn="true") == [soon, next_, sealed, late]
    at(lay(ann, sealed, "7", "higher", 1))
    assert ids(ann, my_turn="true") == [soon, next_, late]
    assert ids(bob, my_turn="true") == [soon, next_, sealed, late]
    assert ids(ann, my_turn="true", game="half-deck-poker") == [next_]
    assert ids(ann, my_turn="true", status="active") == [soon, next_, late]
    assert ids(ann, my_turn="true", status="open") == []
    assert ids(ann, my_turn="true", joinable="true") == []
    problem(ann.call("GET", f"/v1/matches?my_turn=true&player={me(bob)}"), 400, "invalid-request")


def test_walking_through_my_turn_skips_nothing_that_stays(ann: Client, bob: Client) -> None:
    matches = [table(ann, bob, clock={"kind": "per-move", "seconds": 1000 + i}) for i in range(6)]
    first = page(ann, my_turn="true", limit=2)
    assert [head["id"] for head in first["items"]] == matches[:2]
    for match in (matches[0], matches[3]):
        at(lay(ann, match, "7", "higher", 1))
    soonest = table(ann, bob, clock={"kind": "per-move", "seconds": 10})
    rest = ids(ann, my_turn="true", limit=2, cursor=first["next_cursor"])
    assert rest == [matches[2], matches[4], matches[5]]
    assert ids(ann, my_turn="true", limit=2) == [soonest, matches[1], *rest]


def test_equal_deadlines_are_neither_skipped_nor_repeated(ann: Client, bob: Client) -> None:
    matches = [table(ann, bob) for _ in range(7)]
    assert sorted(ids(ann, my_turn="true", limit=2)) == sorted(matches)


@pytest.mark.parametrize("limit", ["0", "-1", "101", "1000000000", "1e9", "abc", "", "1.0", "+5", "0x10", "٣", " 5"])
@pytest.mark.parametrize("name", ["", "mine", "my_turn", "joinable"])
def test_a_page_has_one_to_a_hundred_items(ann: Client, name: str, limit: str) -> None:
    query = {"limit": limit} | ({name: "true"} if name else {})
    problem(ann.call("GET", "/v1/matches", query=query), 400, "invalid-request")


def test_a_page_has_twenty_items_by_default(ann: Client, five: list[str]) -> None:
    for _ in range(15):
        create(ann)
    create(ann, bots=1)
    assert len(page(ann, mine="true")["items"]) == 20
    assert page(ann, mine="true")["next_cursor"] is not None
    assert len(page(ann, mine="true", limit=100)["items"]) == 21
    assert page(ann, mine="true", limit=100)["next_cursor"] is None


@pytest.mark.parametrize(
    "query",
    [
        "status=Open",
        "status=",
        "status=open,active",
        "status=open&status=active",
        "game=poker",
        "game=",
        "mine=yes",
        "mine=1",
        "mine=",
        "mine=TRUE",
        "my_turn=x",
        "joinable=",
        "mine=true&mine=true",
        "limit=5&limit=5",
        "player=",
        "player=me",
        "player=x",
        "player=%00",
        "player=bot-1",
        "player=" + "x" * 5000,
        "joinable=true&joinable",
    ],
)
def test_a_filter_that_can_not_be_is_refused(ann: Client, query: str) -> None:
    problem(ann.call("GET", f"/v1/matches?{query}"), 400, "invalid-request")


def test_own_lists_need_a_token(anybody: Client) -> None:
    for query in ("mine=true", "my_turn=true"):
        problem(anybody.call("GET", f"/v1/matches?{query}"), 401, "unauthenticated")
    assert anybody.call("GET", "/v1/matches?mine=false&my_turn=false").status == 200
