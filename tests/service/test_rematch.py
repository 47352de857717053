"""Rematches (api.md, "POST /matches/{id}/rematch")."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.moments import DAY, jump, record_of
from tests.service.playing import act, at, create, me, play_out, read, table


def ask(client: Client, match: str, **more: Any) -> Reply:
    return client.call("POST", f"/v1/matches/{match}/rematch", **more)


def sitting(client: Client, match: str) -> dict[int, str]:
    return {seat["seat"]: seat["player"]["id"] for seat in read(client, match)["seats"]}


def over(*clients: Client, **order: Any) -> str:
    """A match that has ended: the last of its players but one after the other resigned."""
    match = table(*clients, **order)
    for client in clients[:-1]:
        at(act(client, match, {"type": "resign"}))
    return match


def resigned(client: Client, match: str) -> str:
    at(act(client, match, {"type": "resign"}))
    return match


@pytest.fixture
def dee(new_player: Callable[[], Client]) -> Client:
    """A fourth player."""
    return new_player()


def test_everybody_sits_one_seat_further_and_who_asks_first_has_made_it(
    service: LocalService, ann: Client, bob: Client
) -> None:
    match = over(ann, bob)
    reply = ask(bob, match)
    made = at(reply)
    assert (reply.status, reply.headers["location"]) == (201, f"/v1/matches/{made['id']}")
    assert (made["status"], made["you"]["seat"], sitting(bob, made["id"])) == ("open", 0, {0: me(bob)})
    joined = ask(ann, match)
    assert (joined.status, joined.headers["location"]) == (201, reply.headers["location"])
    assert (joined.body["id"], joined.body["status"], joined.body["turn"]) == (made["id"], "active", 1)
    assert sitting(ann, made["id"]) == {0: me(bob), 1: me(ann)}
    with nothing_stored(service):
        for client in (ann, bob):
            assert at(ask(client, match))["id"] == made["id"]
    again = resigned(bob, made["id"])
    third = at(ask(bob, again))["id"]
    at(ask(ann, again))
    assert sitting(ann, third) == {0: me(ann), 1: me(bob)}
    assert len({match, made["id"], third}) == 3


def test_whoever_comes_in_whatever_order_the_seats_are_kept(ann: Client, bob: Client, cyd: Client, dee: Client) -> None:
    clients = (ann, bob, cyd, dee)
    match = over(*clients, game="micro-poker")
    for client in (cyd, ann, dee, bob):
        made = at(ask(client, match))
        assert made["you"]["seat"] == (clients.index(client) + 1) % 4
    assert made["status"] == "active"
    assert sitting(ann, made["id"]) == {0: me(dee), 1: me(ann), 2: me(bob), 3: me(cyd)}


def test_the_same_table_is_laid_again(ann: Client, bob: Client, cyd: Client) -> None:
    orders: list[dict[str, Any]] = [
        {"game": "liars-poker", "options": {"digits": 4}, "clock": {"kind": "none"}},
        {"game": "liars-poker", "rated": False, "talk": False},
        {"game": "liars-poker", "clock": {"kind": "byo-yomi", "seconds": 9, "periods": 2, "period_seconds": 30}},
        {"game": "micro-poker", "clock": {"kind": "fischer", "seconds": 99, "increment": 1, "cap": 100}},
        {"game": "liars-poker", "rating_range": [1000, 2000]},
    ]
    same = ("game", "options", "clock", "rated", "talk", "visibility", "size", "rating_range", "rules_version")
    for order in orders:
        match = over(ann, bob, cyd, **order)
        made, old = at(ask(cyd, match)), read(cyd, match)
        assert {name: made[name] for name in same} == {name: old[name] for name in same}
        assert made["deal"] != old["deal"]
        assert [seat["left"] for seat in made["seats"]] == [None]


def test_seats_are_for_those_who_played_before(
    service: LocalService, anybody: Client, ann: Client, bob: Client, cyd: Client
) -> None:
    match = over(ann, bob)
    made = at(ask(ann, match))["id"]
    with nothing_stored(service):
        problem(cyd.call("POST", f"/v1/matches/{made}/join"), 403, "forbidden")
        problem(ask(cyd, match), 403, "forbidden")
        problem(ask(anybody, match), 401, "unauthenticated")
    joinable = cyd.ok("GET", "/v1/matches?joinable=true&limit=100")["items"]
    assert made not in [head["id"] for head in joinable]
    assert made in [head["id"] for head in bob.ok("GET", "/v1/matches?joinable=true&limit=100")["items"]]
    assert at(bob.call("POST", f"/v1/matches/{made}/join"))["you"]["seat"] == 0


def test_old_seats_are_invited(service: LocalService, ann: Client, bob: Client, cyd: Client) -> None:
    match = over(ann, bob, cyd, game="liars-poker")
    made = at(ask(bob, match))["id"]
    service.settle()
    for client, told in ((ann, 1), (bob, 0), (cyd, 1)):
        events = client.ok("GET", "/v1/me/events?limit=100")["items"]
        assert [event["type"] for event in events if event["match"] == made] == ["invited"] * told


def test_a_private_match_has_a_private_rematch(anybody: Client, ann: Client, bob: Client, cyd: Client) -> None:
    match = create(ann, visibility="private", invite=[me(bob), me(cyd)])
    code = read(ann, match)["join_code"]
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    resigned(ann, match)
    problem(ask(cyd, match), 403, "forbidden")  # who was invited may see it
    made = at(ask(bob, match))
    assert (made["visibility"], made["rated"]) == ("private", False)
    assert made["join_code"] not in (None, code)
    path = f"/v1/matches/{made['id']}"
    for client in (anybody, cyd):
        problem(client.call("GET", path), 404, "not-found")
    problem(cyd.call("POST", path + "/join", {"join_code": made["join_code"]}), 403, "forbidden")
    assert read(ann, made["id"])["join_code"] is None
    assert at(ask(ann, match))["status"] == "active"


def test_a_private_match_is_not_there_for_others(ann: Client, bob: Client, cyd: Client) -> None:
    match = create(ann, visibility="private", invite=[me(bob)])
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    resigned(ann, match)
    problem(ask(cyd, match), 404, "not-found")


def test_house_bots_come_back(ann: Client, bob: Client) -> None:
    match = create(ann, "liars-poker", seats=4, bots=2, bot_style="random")
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    play_out((ann, bob), match)
    made = at(ask(bob, match))
    assert [(seat["seat"], seat["bot"]) for seat in made["seats"]] == [(0, False), (2, True), (3, True)]
    assert sitting(bob, made["id"])[0] == me(bob)
    assert made["rated"] is False
    at(ask(ann, match))
    assert play_out((ann, bob), made["id"])["status"] == "finished"

    alone = create(ann, bots=1)
    resigned(ann, alone)
    begun = at(ask(ann, alone))
    assert (begun["status"], begun["you"]["seat"], begun["turn"]) == ("active", 1, 1)


def test_its_maker_may_start_it_without_the_others_and_only_they(ann: Client, bob: Client, cyd: Client) -> None:
    match = over(ann, bob, cyd, game="liars-poker")
    made = at(ask(bob, match))["id"]
    path = f"/v1/matches/{made}"
    problem(bob.call("POST", path + "/start"), 409, "conflict")
    at(ask(cyd, match))
    problem(cyd.call("POST", path + "/start"), 403, "forbidden")
    problem(cyd.call("POST", path + "/start", b"{"), 403, "forbidden")
    problem(bob.call("POST", path + "/start", b"{"), 400, "invalid-request")
    begun = at(bob.call("POST", path + "/start"))
    assert (begun["status"], sitting(bob, made)) == ("active", {0: me(cyd), 1: me(bob)})
    problem(ask(ann, match), 409, "match-full")
    assert at(ask(cyd, match))["id"] == made
    # Seats were numbered anew, and its maker's with them.
    problem(bob.call("POST", path + "/start"), 409, "match-not-open")
    problem(cyd.call("POST", path + "/start"), 403, "forbidden")


def test_who_gives_the_seat_up_may_come_back_and_the_maker_takes_it_along(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    match = over(ann, bob, cyd, game="liars-poker")
    made = at(ask(bob, match))["id"]
    at(ask(ann, match))
    at(ann.call("POST", f"/v1/matches/{made}/leave"))
    assert at(ask(ann, match))["you"]["seat"] == 1
    assert at(bob.call("POST", f"/v1/matches/{made}/leave"))["status"] == "aborted"
    with nothing_stored(service):
        problem(ask(cyd, made), 403, "forbidden")
        problem(ask(bob, made), 409, "conflict")


def test_when_its_maker_has_left_there_may_be_another(service: LocalService, ann: Client, bob: Client) -> None:
    match = over(ann, bob)
    first = at(ask(bob, match, key="first"))["id"]
    at(bob.call("POST", f"/v1/matches/{first}/leave"))
    second = at(ask(ann, match))
    assert (second["status"], second["you"]["seat"], second["id"] != first) == ("open", 1, True)
    with nothing_stored(service):
        assert at(ask(ann, match))["id"] == second["id"]
        assert at(ask(bob, match, key="first"))["id"] == first  # what that request made, as it is now
    assert at(ask(bob, match))["id"] == second["id"]
    assert sitting(ann, second["id"]) == {0: me(bob), 1: me(ann)}
    assert read(ann, second["id"])["status"] == "active"


def test_it_is_for_when_the_match_is_over(service: LocalService, ann: Client, bob: Client, cyd: Client) -> None:
    waiting, running, aborted = create(ann), table(ann, bob), create(ann)
    at(ann.call("POST", f"/v1/matches/{aborted}/leave"))
    service.settle()
    with nothing_stored(service):
        for match in (waiting, running):
            problem(ask(ann, match), 409, "match-active")
            problem(ask(cyd, match), 403, "forbidden")
        problem(ask(ann, aborted), 409, "conflict")
        problem(ask(ann, "mat_" + "0" * 26), 404, "not-found")
        problem(ask(ann, running, body={"seats": 2}), 422, "invalid-request")


def test_a_match_that_time_has_ended_is_over_though_nobody_has_looked(
    service: LocalService, ann: Client, bob: Client
) -> None:
    match = table(ann, bob, clock={"kind": "per-move", "seconds": 60, "on_timeout": "forfeit"})
    at(act(ann, match, {"type": "play", "card": "Ac", "claim": "lower"}, 1))
    jump(service, 60)
    assert at(ask(bob, match))["status"] == "open"
    assert read(ann, match)["result"]["reason"] == "timeout"


def test_a_repeated_request_is_carried_out_once(service: LocalService, ann: Client, bob: Client) -> None:
    first, second = over(ann, bob), over(ann, bob)
    service.settle()
    made, joined = ask(ann, first, key="k"), ask(bob, first, key="k")
    with nothing_stored(service):
        for client, was in ((ann, made), (bob, joined)):
            again = ask(client, first, key="k")
            assert (again.status, again.body["id"]) == (201, was.body["id"])
            assert (was.headers.get("idempotency-replayed"), again.headers["idempotency-replayed"]) == (None, "true")
        assert "idempotency-replayed" not in ask(bob, first).headers
    # The key belongs to the path: at another match it is another request.
    other = ask(ann, second, key="k")
    assert "idempotency-replayed" not in other.headers
    assert other.body["id"] != made.body["id"]


def test_a_rematch_counts_among_the_open_matches_of_its_maker(ann: Client, bob: Client) -> None:
    match = over(ann, bob)
    for _ in range(20):
        create(ann)
    problem(ask(ann, match), 409, "limit-reached")
    assert record_of(match).rematch == ""


def test_a_rematch_that_nobody_joins_ends_like_any_open_match(service: LocalService, ann: Client, bob: Client) -> None:
    match = over(ann, bob)
    made = at(ask(ann, match))["id"]
    jump(service, 14 * DAY)
    again = at(ask(bob, match))
    assert read(bob, made)["status"] == "aborted"
    assert (again["id"] != made, again["status"], again["you"]["seat"]) == (True, "open", 0)


@pytest.mark.usefixtures("restless")
@pytest.mark.parametrize("is_settled", [True, False])
def test_sixteen_who_ask_at_once_get_one_rematch(
    service: LocalService, ann: Client, bob: Client, cyd: Client, dee: Client, is_settled: bool
) -> None:
    clients = (ann, bob, cyd, dee)
    match = over(*clients, game="micro-poker")
    if is_settled:
        service.settle()
    barrier = threading.Barrier(16)

    def run(number: int) -> Reply:
        client = Client(service.url, clients[number % 4].token)
        barrier.wait()
        reply = ask(client, match, key=f"key-{number}")
        while reply.status == 503:
            reply = ask(client, match, key=f"key-{number}")
        client.close()
        return reply

    with ThreadPoolExecutor(16) as pool:
        replies = list(pool.map(run, range(16)))
    assert Counter(reply.status for reply in replies) == {201: 16}
    (made,) = {reply.body["id"] for reply in replies}
    assert record_of(match).rematch == made
    assert sitting(ann, made) == {0: me(dee), 1: me(ann), 2: me(bob), 3: me(cyd)}
    assert read(ann, made)["status"] == "active"
    for client in clients:
        assert [head["id"] for head in client.ok("GET", "/v1/matches?mine=true&status=active")["items"]] == [made]
