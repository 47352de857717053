"""Asking for rated opponents (api.md, "Ladder"; ladder.md, "Seeks")."""

from collections.abc import Callable
from typing import Any

import pytest

from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.moments import record_of, services
from tests.service.playing import act, at, create, me, read
from tests.service.seeking import ask, end_all, finds, own, seated, waits
from tests.service.standings import rate

GAMES = ("misfortune", "liars-poker", "half-deck-poker", "micro-poker")


@pytest.fixture(autouse=True)
def nobody_else_waits(service: LocalService) -> None:
    """What other tests left waiting is over."""
    end_all()


def test_who_comes_first_waits_and_who_comes_second_plays_with_them_at_once(
    service: LocalService, ann: Client, bob: Client
) -> None:
    reply = ask(ann)
    seek = at(reply)["seek"]
    assert (reply.status, reply.headers["location"]) == (201, f"/v1/seeks/{seek['id']}")
    expected = {"game": "misfortune", "seats": 2, "rating_range": None, "rating": 1500, "accepts": [1350, 1650]}
    assert expected.items() <= seek.items()
    assert (seek["status"], seek["match"], own(ann)) == ("waiting", None, [seek["id"]])

    reply = ask(bob)
    match = at(reply)["match"]
    assert (reply.status, reply.headers["location"]) == (201, f"/v1/matches/{match['id']}")
    assert (match["status"], match["turn"], match["rated"], match["visibility"]) == ("active", 1, True, "public")
    assert (seated(match), match["you"]["seat"]) == ([me(ann), me(bob)], 1)
    assert match == read(bob, match["id"]) | {"server_time": match["server_time"]}
    assert (own(ann), own(bob)) == ([], [])
    known = ann.ok("GET", f"/v1/seeks/{seek['id']}")
    assert (known["status"], known["match"], known["accepts"]) == ("matched", match["id"], None)

    service.settle()
    for client in (ann, bob):
        events = [event["type"] for event in client.ok("GET", "/v1/me/events?limit=100")["items"]]
        assert events == ["match-started", "your-turn"]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_can_be_sought_at_its_smallest_table(new_player: Callable[[], Client], game: str) -> None:
    need = new_player().ok("GET", f"/v1/games/{game}")["seats"]["min"]
    clients = [new_player() for _ in range(need)]
    for client in clients[:-1]:
        waits(client, game)
    match = finds(clients[-1], game)
    assert seated(match) == [me(client) for client in clients]
    assert match["clock"] == new_default(clients[0], game)


def new_default(client: Client, game: str) -> Any:
    return client.ok("GET", f"/v1/games/{game}")["default_clock"]


def test_who_wants_another_table_is_not_taken(ann: Client, bob: Client, cyd: Client) -> None:
    clock = {"kind": "per-move", "seconds": 259_200, "on_timeout": "default-action"}
    waits(ann, "liars-poker")
    waits(bob, "liars-poker", clock=clock | {"seconds": 60})
    waits(cyd, "liars-poker", seats=3)
    waits(ann, clock=clock)
    waits(bob, clock=clock | {"on_timeout": "forfeit"})
    assert seated(finds(cyd)) == [me(ann), me(cyd)]  # the clock that a game has by default can be named


def test_a_player_has_one_seek_a_game(service: LocalService, ann: Client) -> None:
    seek = waits(ann)
    with nothing_stored(service):
        told = problem(ask(ann, rating_range=[1000, 2000]), 409, "limit-reached")
        assert seek in told["detail"]
    others = [waits(ann, game) for game in GAMES if game != "misfortune"]
    assert sorted(own(ann)) == sorted([seek, *others])
    assert own(ann) == sorted(own(ann), reverse=True)


def test_nobody_is_paired_with_themself(ann: Client, bob: Client) -> None:
    fast = {"kind": "per-move", "seconds": 60}
    waits(ann)
    waits(ann, "liars-poker")
    problem(ask(ann, clock=fast), 409, "limit-reached")
    assert seated(finds(bob)) == [me(ann), me(bob)]


def test_ranges_hold_for_both(new_player: Callable[[], Client], ann: Client, bob: Client, cyd: Client) -> None:
    rate(bob, "misfortune", 1651)
    waits(ann)
    waits(bob)  # a point too far for both
    rate(cyd, "misfortune", 1600)
    assert seated(finds(cyd)) == [me(bob), me(cyd)]  # 49 points away; the other one 100
    picky, strong = new_player(), new_player()
    rate(strong, "misfortune", 1600)
    waits(picky, rating_range=[1700, 1900])
    assert own(ann)
    assert seated(finds(strong)) == [me(ann), me(strong)]  # picky accepts nobody at 1600
    assert len(own(picky)) == 1


def test_a_given_range_is_both_wider_and_narrower_than_the_usual_one(ann: Client, bob: Client, cyd: Client) -> None:
    rate(bob, "misfortune", 2500)
    rate(cyd, "misfortune", 1550)
    waits(ann, rating_range=[1600, 4095])
    waits(cyd, rating_range=[1500, 1500])
    match = finds(bob, rating_range=[0, 1500])
    assert seated(match) == [me(ann), me(bob)]
    assert [seat["rating"] for seat in match["seats"]] == [1500, 2500]
    assert len(own(cyd)) == 1


def test_the_nearest_rating_is_taken_and_of_equal_ones_the_oldest(
    service: LocalService, new_player: Callable[[], Client], ann: Client
) -> None:
    ratings = {"far": 1620, "old-above": 1540, "young-below": 1460, "nearer": 1475}
    clients = {}
    for name, points in ratings.items():
        clients[name] = new_player()
        rate(clients[name], "misfortune", points)
        # They must not take one another: each accepts 1500 only.
        waits(clients[name], rating_range=[1500, 1500])
        service.advance(1)
    found = []
    for _ in ratings:
        seeker = new_player()
        found.append(seated(finds(seeker))[0])
    assert found == [me(clients[name]) for name in ("nearer", "old-above", "young-below", "far")]
    waits(ann)


def test_a_rating_is_that_of_the_moment_of_seating_also_of_who_has_waited(ann: Client, bob: Client) -> None:
    waits(ann)
    rate(ann, "misfortune", 1580)
    assert ann.ok("GET", "/v1/seeks")["items"][0]["rating"] == 1500
    match = finds(bob)
    assert [(seat["player"]["id"], seat["rating"]) for seat in match["seats"]] == [(me(ann), 1580), (me(bob), 1500)]


def test_who_has_grown_too_strong_while_waiting_is_not_taken(ann: Client, bob: Client, cyd: Client) -> None:
    waits(ann)
    rate(ann, "misfortune", 1800)
    waits(bob)
    shown = ann.ok("GET", "/v1/seeks")["items"][0]
    assert (shown["rating"], shown["accepts"]) == (1800, [1650, 1950])
    rate(cyd, "misfortune", 1790)
    assert seated(finds(cyd)) == [me(ann), me(cyd)]


def test_a_table_of_three_fills_from_the_oldest_seek(service: LocalService, new_player: Callable[[], Client]) -> None:
    ratings = {"oldest": 1500, "apart": 1640, "near": 1520, "middle": 1570}
    clients = {}
    for name, points in ratings.items():
        clients[name] = new_player()
        rate(clients[name], "liars-poker", points)
        wishes: dict[str, Any] = {"seats": 3}
        if name in ("apart", "near"):
            wishes["rating_range"] = [1500, 1600]  # they refuse one another
        if name == "middle":
            match = finds(clients[name], "liars-poker", **wishes)
        else:
            waits(clients[name], "liars-poker", **wishes)
        service.advance(1)
    assert seated(match) == [me(clients[name]) for name in ("oldest", "near", "middle")]
    assert own(clients["apart"])


def test_a_table_needs_that_each_accepts_each(new_player: Callable[[], Client]) -> None:
    clients = [new_player() for _ in range(4)]
    for client, points in zip(clients, (1400, 1600, 1500, 1450), strict=True):
        rate(client, "liars-poker", points)
    for client in clients[:3]:
        waits(client, "liars-poker", seats=3)
    assert seated(finds(clients[3], "liars-poker", seats=3)) == [me(clients[0]), me(clients[2]), me(clients[3])]


def test_the_same_key_gives_the_same_match_and_a_seek_beside_the_match_that_came_later(
    service: LocalService, ann: Client, bob: Client
) -> None:
    first = ask(ann, key="one")
    with nothing_stored(service):
        again = ask(ann, key="one")
    assert (again.status, again.headers["idempotency-replayed"]) == (201, "true")
    assert (again.body["seek"], again.headers["location"]) == (first.body["seek"], first.headers["location"])
    problem(ask(ann, key="one", seats=2), 422, "key-reused")

    found = ask(bob, key="one")
    at(act(ann, found.body["match"]["id"], {"type": "resign"}))
    with_match = ask(ann, key="one")
    assert with_match.status == 201
    assert with_match.body["seek"]["id"] == first.body["seek"]["id"]
    assert (with_match.body["match"]["id"], with_match.body["match"]["status"]) == (
        found.body["match"]["id"],
        "finished",
    )
    replayed = ask(bob, key="one")
    assert (replayed.status, replayed.body["seek"]) == (201, None)
    assert (replayed.body["match"]["id"], replayed.body["match"]["you"]["seat"]) == (found.body["match"]["id"], 1)
    assert "idempotency-replayed" in replayed.headers
    waits(bob)
    assert ask(bob, key="one").body["match"]["id"] == found.body["match"]["id"]


def test_a_seek_is_taken_back_once_and_a_matched_one_not_at_all(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    seek = waits(ann)
    with nothing_stored(service):
        problem(bob.call("DELETE", f"/v1/seeks/{seek}"), 404, "not-found")
        problem(bob.call("GET", f"/v1/seeks/{seek}"), 404, "not-found")
    assert ann.call("DELETE", f"/v1/seeks/{seek}").status == 204
    assert ann.ok("GET", f"/v1/seeks/{seek}")["status"] == "cancelled"
    with nothing_stored(service):
        assert ann.call("DELETE", f"/v1/seeks/{seek}").status == 204
    waits(bob)
    other = waits(ann, "liars-poker")
    assert own(ann) == [other]
    match = finds(cyd)
    assert seated(match) == [me(bob), me(cyd)]
    taken = waits(ann)
    finds(bob)
    with nothing_stored(service):
        told = problem(ann.call("DELETE", f"/v1/seeks/{taken}"), 409, "conflict")
    assert "mat_" in told["detail"]


@pytest.mark.parametrize("path", ["sek_0", "sek_" + "0" * 26, "mat_" + "0" * 26, "%20", "null"])
def test_an_unknown_seek_is_not_there(ann: Client, path: str) -> None:
    for method in ("GET", "DELETE"):
        problem(ann.call(method, f"/v1/seeks/{path}"), 404, "not-found")


@pytest.mark.parametrize(
    ("wishes", "where"),
    [
        ({"game": "chess"}, ["game"]),
        ({"game": 7}, ["game"]),
        ({"seats": 3}, ["seats"]),
        ({"seats": True}, ["seats"]),
        ({"clock": {"kind": "none"}}, ["clock"]),
        ({"clock": {"kind": "per-move", "seconds": 9}}, ["clock", "seconds"]),
        ({"clock": []}, ["clock"]),
        ({"rating_range": [1600, 1500]}, ["rating_range"]),
        ({"rating_range": [1500]}, ["rating_range"]),
        ({"rating_range": [-1, 1500]}, ["rating_range", "0"]),
        ({"nonce": "0"}, ["nonce"]),
        ({"nonce": "00" * 65}, ["nonce"]),
        ({"options": {}}, ["options"]),
        ({"rated": True}, ["rated"]),
    ],
)
def test_a_table_that_there_can_not_be_is_refused(
    service: LocalService, ann: Client, wishes: Any, where: list[str]
) -> None:
    with nothing_stored(service):
        told = problem(ask(ann, **wishes), 422, "invalid-request")
    assert [error["loc"] for error in told["errors"]] == [where]


def test_a_token_is_needed_and_its_scope(ann: Client, anybody: Client, service: LocalService) -> None:
    seek = waits(ann)
    for method, path in (("POST", ""), ("GET", ""), ("GET", f"/{seek}"), ("DELETE", f"/{seek}")):
        problem(anybody.call(method, f"/v1/seeks{path}", {} if method == "POST" else None), 401, "unauthenticated")
    reader, player = Client(service.url), Client(service.url)
    reader.token = ann.ok("POST", "/v1/me/tokens", {"scopes": ["read"], "label": "r"})["token"]
    player.token = ann.ok("POST", "/v1/me/tokens", {"scopes": ["play"], "label": "p"})["token"]
    problem(ask(reader), 403, "forbidden")
    problem(reader.call("DELETE", f"/v1/seeks/{seek}"), 403, "forbidden")
    problem(player.call("GET", "/v1/seeks"), 403, "forbidden")
    problem(player.call("GET", f"/v1/seeks/{seek}"), 403, "forbidden")
    assert player.call("DELETE", f"/v1/seeks/{seek}").status == 204
    reader.close()
    player.close()


def test_a_nonce_goes_into_the_match_and_shows_nowhere(ann: Client, bob: Client) -> None:
    nonces = ["c0ffee" * 4, "BADA55" * 4]
    told = [ask(client, nonce=nonce) for client, nonce in zip((ann, bob), nonces, strict=True)]
    match = told[1].body["match"]["id"]
    told += [ann.call("GET", "/v1/seeks"), read_seek(ann, told[0].body["seek"]["id"])]
    told += [client.call("GET", f"/v1/matches/{match}") for client in (ann, bob)]
    assert [sitter.nonce for sitter in record_of(match).match.seats] == [nonce.lower() for nonce in nonces]
    assert not any("c0ffee" in repr(reply).lower() or "bada55" in repr(reply).lower() for reply in told)


def read_seek(client: Client, seek: str) -> Reply:
    return client.call("GET", f"/v1/seeks/{seek}")


def test_the_list_goes_by_pages(ann: Client) -> None:
    seeks = [waits(ann, game) for game in GAMES]
    found: list[str] = []
    cursor = ""
    while True:
        page = ann.ok("GET", f"/v1/seeks?limit=3{cursor}")
        found += [seek["id"] for seek in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert found == sorted(seeks, reverse=True)
    for query in ("limit=0", "limit=101", "limit=-1", "cursor=abc"):
        problem(ann.call("GET", f"/v1/seeks?{query}"), 400, "invalid-request")


def test_who_is_in_too_many_matches_seeks_no_more_and_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    from functions.shared.flows import seats

    waits(ann)
    create(ann, "liars-poker")
    monkeypatch.setattr(seats, "LIVE_LIMIT", 1)
    with nothing_stored(service):
        problem(ask(ann, "liars-poker"), 409, "limit-reached")
    waits(bob)  # ann has no room
    assert seated(finds(cyd)) == [me(bob), me(cyd)]
    assert len(own(ann)) == 1


def test_a_closed_account_seeks_no_more(service: LocalService, ann: Client, bob: Client) -> None:
    player = me(ann)
    waits(ann)
    waits(ann, "liars-poker")
    assert ann.call("DELETE", "/v1/me").status == 204
    assert not services().seeks.of_player(player)
    waits(bob)
    waits(bob, "liars-poker")
