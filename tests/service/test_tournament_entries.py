"""Entering, waiting, checking in, leaving (tournaments.md, "Life"; reports 38, 47)."""

from collections.abc import Callable
from typing import Any

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.organizing import (
    HOUR,
    begin,
    by_player,
    enter,
    finish,
    items,
    open_matches,
    pairings,
    post,
    rows,
    scheduled,
    show,
    started,
)
from tests.service.playing import at, me, read
from tests.service.standings import rate

NewPlayer = Callable[[], Client]


def standing(client: Client, tournament: str) -> dict[str, str]:
    """What each entry is shown as, by player."""
    path = f"/v1/tournaments/{tournament}/entries"
    return {entry["player"]["id"]: entry["status"] for entry in items(client, path)}


def counts(client: Client, tournament: str) -> tuple[int, int]:
    """How many have a place, and how many wait."""
    registration = show(client, tournament)["registration"]
    return registration["entered"], registration["waitlisted"]


def leave(client: Client, tournament: str, player: str = "me") -> Any:
    """Withdraws an entry."""
    return at(client.call("DELETE", f"/v1/tournaments/{tournament}/entries/{player}"))


def told(client: Client, kind: str) -> int:
    """How often a player was told of something."""
    return sum(event["type"] == kind for event in client.ok("GET", "/v1/me/events?limit=100")["items"])


def test_an_entry_counts_once_however_often_it_is_sent(service: LocalService, ann: Client, bob: Client) -> None:
    tournament = scheduled(ann)
    first = post(bob, tournament, "entries", {"nonce": "00ff"}, key="one")
    assert first.status == 201
    expected = {"tournament": tournament, "seed": None, "status": "entered", "confirmed": True, "nonce": "00ff"}
    assert expected.items() <= first.body.items()
    assert (first.body["player"]["id"], first.body["rating"]) == (me(bob), None)
    with nothing_stored(service):
        again = post(bob, tournament, "entries", {"nonce": "00ff"}, key="one")
        assert post(bob, tournament, "entries").status == 201
        problem(post(bob, tournament, "entries", {"nonce": "00"}, key="one"), 422, "key-reused")
    assert (again.status, again.body["at"], again.headers["idempotency-replayed"]) == (201, first.body["at"], "true")
    assert counts(ann, tournament) == (1, 0)
    assert at(post(bob, tournament, "entries", {"nonce": "aa"}))["nonce"] == "aa"
    assert show(bob, tournament)["you"]["entry"]["nonce"] == "aa"


def test_beyond_the_capacity_entries_wait_and_move_up_in_their_order(
    service: LocalService, new_player: NewPlayer, ann: Client
) -> None:
    tournament = scheduled(ann, registration={"capacity": 2})
    one, two, three, four = (new_player() for _ in range(4))
    enter(tournament, one, two, three, four)
    assert standing(ann, tournament) == {
        me(one): "entered",
        me(two): "entered",
        me(three): "waitlisted",
        me(four): "waitlisted",
    }
    assert counts(ann, tournament) == (2, 2)
    assert leave(one, tournament)["status"] == "withdrawn"
    with nothing_stored(service):
        leave(one, tournament)
    assert counts(ann, tournament) == (2, 1)
    assert standing(ann, tournament) == {me(two): "entered", me(three): "entered", me(four): "waitlisted"}
    assert told(three, "tournament-promoted") == 1
    leave(four, tournament)
    assert counts(ann, tournament) == (2, 0)
    enter(tournament, one)  # who comes back stands behind
    assert standing(ann, tournament)[me(one)] == "waitlisted"
    at(ann.call("PATCH", f"/v1/tournaments/{tournament}", {"registration": {"capacity": 3}}))
    service.settle()
    assert standing(ann, tournament)[me(one)] == "entered"


def test_who_has_not_checked_in_is_dropped_and_who_waits_takes_the_place(
    service: LocalService, new_player: NewPlayer, ann: Client
) -> None:
    tournament = scheduled(ann, registration={"capacity": 3, "check_in_minutes": 30})
    here, late, gone, waits, sleeps = clients = [new_player() for _ in range(5)]
    enter(tournament, *clients)
    problem(post(here, tournament, "check-in"), 409, "conflict")
    service.advance(HOUR / 2)
    problem(post(new_player(), tournament, "entries"), 409, "conflict")
    for client in (here, late, waits):
        assert at(post(client, tournament, "check-in"))["status"] == "checked-in"
    with nothing_stored(service):
        at(post(here, tournament, "check-in"))
    begin(service)
    problem(post(gone, tournament, "check-in"), 409, "conflict")
    assert show(ann, tournament)["entrants"] == 3
    found = standing(ann, tournament)
    assert {found[me(client)] for client in (here, late, waits)} == {"playing"}
    assert {found[me(client)] for client in (gone, sleeps)} == {"out"}
    seated = {side["player"]["id"] for one in pairings(ann, tournament) for side in one["sides"] if side["player"]}
    assert seated == {me(here), me(late), me(waits)}


def test_an_entry_made_by_an_organizer_waits_for_the_player(
    service: LocalService, new_player: NewPlayer, ann: Client, bob: Client, cyd: Client
) -> None:
    tournament = scheduled(ann, registration={"check_in_minutes": 10})
    silent = new_player()
    for client in (bob, cyd, silent):
        made = at(post(ann, tournament, "entries", {"player": me(client)}))
        assert (made["status"], made["confirmed"], made["player"]["id"]) == ("entered", False, me(client))
    assert told(bob, "tournament-invited") == 1
    assert at(post(bob, tournament, "entries"))["confirmed"] is True
    service.advance(HOUR - 500)
    at(post(bob, tournament, "check-in"))
    assert at(post(cyd, tournament, "check-in"))["confirmed"] is True
    begin(service)
    assert {player for player, status in standing(ann, tournament).items() if status == "playing"} == {me(bob), me(cyd)}
    assert [one["action"] for one in items(ann, f"/v1/tournaments/{tournament}/audit")].count("entered") == 3


def test_organizers_seed_by_hand_and_no_seed_is_given_twice(
    service: LocalService, new_player: NewPlayer, ann: Client
) -> None:
    tournament = scheduled(ann, seeding="manual")
    first, second, third = (new_player() for _ in range(3))
    rate(third, "misfortune", 1900)
    enter(tournament, first, second, third)
    assert at(post(ann, tournament, "entries", {"player": me(second), "seed": 1}))["seed"] == 1
    told_ = problem(post(ann, tournament, "entries", {"player": me(first), "seed": 1}), 422, "invalid-request")
    assert told_["errors"][0]["loc"] == ["seed"]
    problem(post(ann, tournament, "entries", {"player": me(first), "seed": 0}), 422, "invalid-request")
    begin(service)
    seeds = {one["player"]["id"]: one["seed"] for one in items(ann, f"/v1/tournaments/{tournament}/entries")}
    assert seeds == {me(second): 1, me(third): 2, me(first): 3}  # the unseeded follow by rating
    other = scheduled(ann)
    problem(post(ann, other, "entries", {"player": me(first), "seed": 1}), 422, "invalid-request")


def test_seeds_go_by_rating_then_by_the_time_of_entry(
    service: LocalService, new_player: NewPlayer, ann: Client
) -> None:
    weak, first, second, strong = (new_player() for _ in range(4))
    rate(weak, "misfortune", 1400)
    rate(strong, "misfortune", 1700)
    tournament = started(service, ann, weak, first, second, strong)
    seeds = {one["player"]["id"]: one["seed"] for one in items(ann, f"/v1/tournaments/{tournament}/entries")}
    assert [seeds[me(client)] for client in (strong, first, second, weak)] == [1, 2, 3, 4]
    sides = [[side["seed"] for side in one["sides"]] for one in pairings(ann, tournament, round=1)]
    assert sides == [[1, 4], [2, 3]]


def test_a_range_of_ratings_and_a_code_keep_others_out(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    tournament = scheduled(ann, registration={"rating_range": [1600, 2000], "join_code": "open-sesame"})
    rate(bob, "misfortune", 1650)
    assert "1600 to 2000" in problem(post(cyd, tournament, "entries"), 403, "forbidden")["detail"]
    shown = show(bob, tournament)["registration"]
    assert (shown["needs_code"], shown["join_code"]) == (True, None)
    assert show(ann, tournament)["registration"]["join_code"] == "open-sesame"
    with nothing_stored(service):
        problem(post(bob, tournament, "entries"), 403, "forbidden")
    problem(post(bob, tournament, "entries", {"join_code": "open-barley"}), 404, "not-found")
    assert at(post(bob, tournament, "entries", {"join_code": "open-sesame"}))["status"] == "entered"
    at(post(ann, tournament, "entries", {"player": me(cyd)}))  # an organizer may let anybody in
    assert at(post(cyd, tournament, "entries"))["confirmed"] is True


def test_a_join_code_can_not_be_guessed_all_hour(ann: Client, bob: Client) -> None:
    tournament = scheduled(ann, registration={"join_code": "open-sesame"})
    for _ in range(10):
        problem(post(bob, tournament, "entries", {"join_code": "open-barley"}), 404, "not-found")
    refused = post(bob, tournament, "entries", {"join_code": "open-sesame"})
    problem(refused, 429, "rate-limited")
    assert int(refused.headers["retry-after"]) > 0


def test_who_withdraws_while_playing_forfeits_and_meets_nobody_any_more(
    service: LocalService, new_player: NewPlayer, ann: Client
) -> None:
    clients = [new_player() for _ in range(4)]
    tournament = started(service, ann, *clients, format="double-elimination")
    leaver = clients[0]
    matches = {match: read(ann, match) for match in open_matches(ann, tournament)}
    (mine,) = [match for match, seen in matches.items() if me(leaver) in str(seen["seats"])]
    assert leave(leaver, tournament)["status"] == "withdrawn"
    with nothing_stored(service):
        leave(leaver, tournament)
    seen = read(ann, mine)
    assert (seen["status"], seen["result"]["reason"]) == ("finished", "forfeit")
    finish(service, ann, tournament, by_player(clients))
    for pairing in pairings(ann, tournament):
        players = [side["player"]["id"] for side in pairing["sides"] if side["player"]]
        if me(leaver) in players and pairing["matches"] != [mine]:
            assert (pairing["matches"], pairing["result"]["reason"]) == ([], "walkover")
    assert rows(ann, tournament)[-1]["player"]["id"] == me(leaver)


def test_an_organizer_removes_an_entry_and_the_player_is_told(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    tournament = scheduled(ann)
    enter(tournament, bob, cyd)
    assert leave(ann, tournament, me(bob))["status"] == "withdrawn"
    assert told(bob, "tournament-removed") == 1
    assert standing(ann, tournament) == {me(cyd): "entered"}
    (entry,) = [one for one in items(ann, f"/v1/tournaments/{tournament}/audit") if one["action"] == "removed"]
    assert (entry["player"]["id"], entry["before"]) == (me(ann), {"player": me(bob)})


def test_a_closed_account_leaves_its_entries(service: LocalService, ann: Client, new_player: NewPlayer) -> None:
    tournament = scheduled(ann, registration={"capacity": 2})
    goes, stays, waits = (new_player() for _ in range(3))
    enter(tournament, goes, stays, waits)
    assert goes.call("DELETE", "/v1/me").status == 204
    service.advance(60)
    service.settle()
    assert standing(ann, tournament) == {me(stays): "entered", me(waits): "entered"}


def test_entries_come_in_pages(service: LocalService, new_player: NewPlayer, ann: Client) -> None:
    tournament = scheduled(ann)
    clients = [new_player() for _ in range(7)]
    enter(tournament, *clients)
    path = f"/v1/tournaments/{tournament}/entries"
    walked = [entry["player"]["id"] for entry in items(ann, path, limit=3)]
    assert sorted(walked) == sorted(me(client) for client in clients)
    assert len(set(walked)) == 7
    page = ann.ok("GET", path, query={"limit": 3})
    other = scheduled(ann)
    problem(
        ann.call("GET", f"/v1/tournaments/{other}/entries", query={"cursor": page["next_cursor"]}),
        400,
        "invalid-request",
    )
