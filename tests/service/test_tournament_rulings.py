"""Organizers together: co-organizers, changes, rulings with their dry run and cascade, and the audit of it all."""

from collections.abc import Callable
from typing import Any

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.laddering import entry
from tests.service.organizing import (
    HOUR,
    begin,
    by_player,
    enter,
    finish,
    first_wins,
    items,
    open_matches,
    pairings,
    post,
    rows,
    scheduled,
    show,
    soon,
    started,
)
from tests.service.playing import at, me, read

NewPlayer = Callable[[], Client]


def organize(client: Client, method: str, tournament: str, other: Client) -> Any:
    return client.call(method, f"/v1/tournaments/{tournament}/organizers/{me(other)}")


def audit(client: Client, tournament: str) -> list[Any]:
    """The audit, newest first."""
    return list(items(client, f"/v1/tournaments/{tournament}/audit", limit=2))


def rule(client: Client, tournament: str, pairing: Any, ranks: list[int], *, dry: bool = False, **more: Any) -> Any:
    """A ruling on a pairing."""
    path = f"/v1/tournaments/{tournament}/pairings/{pairing['id']}/result{'?dry_run=true' if dry else ''}"
    key = more.pop("key", None)
    return client.call("POST", path, {"ranks": ranks, "reason": "They agreed", **more}, key=key)


def winner_of(pairing: Any) -> str:
    ranks = pairing["result"]["ranks"]
    return str(pairing["sides"][ranks.index(1)]["player"]["id"])


def test_organizers_work_together(service: LocalService, ann: Client, bob: Client, cyd: Client) -> None:
    tournament = scheduled(ann)
    path = f"/v1/tournaments/{tournament}"
    problem(bob.call("PATCH", path, {"name": "Bob's Cup"}), 403, "forbidden")
    body = at(organize(ann, "POST", tournament, bob))
    assert [one["id"] for one in body["organizers"]] == [me(ann), me(bob)]
    with nothing_stored(service):
        at(organize(ann, "POST", tournament, bob))
    assert at(bob.call("PATCH", path, {"name": "Bob's Cup"}))["name"] == "Bob's Cup"
    assert show(bob, tournament)["you"] == {"entry": None, "organizer": True}
    assert [head["id"] for head in items(bob, "/v1/tournaments", mine="true")] == [tournament]
    problem(organize(bob, "DELETE", tournament, ann), 409, "conflict")  # whoever created it stays
    at(organize(bob, "DELETE", tournament, bob))
    problem(organize(bob, "POST", tournament, cyd), 403, "forbidden")
    assert list(items(bob, "/v1/tournaments", mine="true")) == []
    with nothing_stored(service):
        at(organize(ann, "DELETE", tournament, bob))


def test_a_tournament_has_twenty_organizers_at_most(ann: Client, new_player: NewPlayer) -> None:
    tournament = scheduled(ann)
    for _ in range(19):
        at(organize(ann, "POST", tournament, new_player()))
    problem(organize(ann, "POST", tournament, new_player()), 409, "limit-reached")


def test_the_audit_says_who_did_what_when_and_why(service: LocalService, ann: Client, bob: Client, cyd: Client) -> None:
    tournament = scheduled(ann, registration={"join_code": "open-sesame"})
    service.advance(1)
    at(organize(ann, "POST", tournament, bob))
    service.advance(1)
    changes = {"name": "Bob's Cup", "registration": {"join_code": "new-sesame", "capacity": 8}}
    at(bob.call("PATCH", f"/v1/tournaments/{tournament}", changes))
    service.advance(1)
    at(post(ann, tournament, "entries", {"player": me(cyd)}))
    service.advance(1)
    at(post(ann, tournament, "cancel", {"reason": "Rain"}))
    found = audit(cyd, tournament)
    assert [(one["action"], one["player"]["id"]) for one in found] == [
        ("cancelled", me(ann)),
        ("entered", me(ann)),
        ("changed", me(bob)),
        ("organizer-added", me(ann)),
        ("created", me(ann)),
    ]
    assert [one["at"] for one in found] == sorted((one["at"] for one in found), reverse=True)
    by_action = {one["action"]: one for one in found}
    assert by_action["cancelled"]["reason"] == "Rain"
    changed = by_action["changed"]
    assert (changed["before"]["name"], changed["after"]["name"]) == ("Fools' Cup", "Bob's Cup")
    assert (changed["before"]["registration"]["capacity"], changed["after"]["registration"]["capacity"]) == (10_000, 8)
    assert "sesame" not in str(found)
    assert by_action["organizer-added"]["after"] == {"player": me(bob)}


def test_a_ruling_settles_an_open_pairing_and_rates_nobody(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    tournament = started(service, ann, bob, cyd)
    (pairing,) = pairings(ann, tournament)
    (match,) = pairing["matches"]
    with nothing_stored(service):
        told = at(rule(ann, tournament, pairing, [2, 1], dry=True))
    assert told["voids"] == {"open": [], "playing": [], "played": []}
    assert (told["needs_cascade"], told["pairing"]) == (False, None)
    ruled = at(rule(ann, tournament, pairing, [2, 1]))["pairing"]
    assert (ruled["id"], ruled["status"]) == (pairing["id"], "settled")
    assert (ruled["result"]["reason"], ruled["result"]["ranks"]) == ("ruling", [2, 1])
    service.settle()
    assert show(ann, tournament)["status"] == "finished"
    assert [row["player"]["id"] for row in rows(ann, tournament)] == [me(cyd), me(bob)]
    assert read(bob, match)["status"] == "aborted"
    assert [entry(ann, "misfortune", me(client))["played"] for client in (bob, cyd)] == [0, 0]
    assert "tournament-ruling" in [event["type"] for event in bob.ok("GET", "/v1/me/events?limit=100")["items"]]


def test_a_ruling_is_carried_out_once(service: LocalService, ann: Client, new_player: NewPlayer) -> None:
    clients = [new_player() for _ in range(4)]
    tournament = started(service, ann, *clients)
    first = pairings(ann, tournament, round=1)[0]
    at(rule(ann, tournament, first, [2, 1], key="one"))
    service.settle()
    with nothing_stored(service):
        again = rule(ann, tournament, first, [2, 1], key="one")
    assert (again.status, again.headers["idempotency-replayed"]) == (200, "true")
    assert again.body["pairing"]["result"]["ranks"] == [2, 1]
    problem(rule(ann, tournament, first, [1, 2], key="one"), 422, "key-reused")
    problem(rule(new_player(), tournament, first, [1, 2]), 403, "forbidden")


def test_followers_that_have_begun_are_undone_with_cascade_only(
    service: LocalService, ann: Client, new_player: NewPlayer
) -> None:
    clients = [new_player() for _ in range(4)]
    known = by_player(clients)
    tournament = started(service, ann, *clients)
    for match in open_matches(ann, tournament):
        first_wins(known, match)
    service.settle()
    first, other, final = pairings(ann, tournament)
    assert final["status"] == "playing"
    loser = first["sides"][1]["player"]["id"]
    with nothing_stored(service):
        told = at(rule(ann, tournament, first, [2, 1], dry=True))
        refused = problem(rule(ann, tournament, first, [2, 1]), 409, "conflict")
    assert [one["id"] for one in told["voids"]["playing"]] == [final["id"]]
    assert told["needs_cascade"] is True
    assert "main/2/1" in refused["detail"]

    at(rule(ann, tournament, first, [2, 1], cascade=True))
    service.settle()
    again, same, rebuilt = pairings(ann, tournament)
    assert (winner_of(again), winner_of(same)) == (loser, winner_of(other))
    assert {side["player"]["id"] for side in rebuilt["sides"]} == {loser, winner_of(other)}
    assert read(ann, final["matches"][0])["status"] == "aborted"
    assert rebuilt["matches"] != final["matches"]
    assert len(rebuilt["matches"]) == 1
    finish(service, ann, tournament, known)
    (ruling,) = [one for one in audit(ann, tournament) if one["action"] == "ruling"]
    assert (ruling["reason"], ruling["player"]["id"]) == ("They agreed", me(ann))
    assert (ruling["before"]["ranks"], ruling["after"]["ranks"]) == ([1, 2], [2, 1])
    assert ruling["after"]["pairing"] == first["id"]


def test_a_ruling_may_put_both_out(service: LocalService, ann: Client, new_player: NewPlayer) -> None:
    clients = [new_player() for _ in range(4)]
    tournament = started(service, ann, *clients)
    first = pairings(ann, tournament, round=1)[0]
    at(rule(ann, tournament, first, [2, 2]))
    over = finish(service, ann, tournament, by_player(clients))
    final = pairings(ann, tournament)[-1]
    assert over["status"] == "finished"
    assert (final["result"]["reason"], final["matches"]) == ("walkover", [])
    assert sorted(side["vacant"] for side in final["sides"]) == [False, True]


def test_a_ruling_on_heats_draws_the_next_round_anew(service: LocalService, ann: Client, new_player: NewPlayer) -> None:
    clients = [new_player() for _ in range(6)]
    known = by_player(clients)
    tournament = started(service, ann, *clients, game="micro-poker", format="heats", advance=1, match={"seats": 3})
    for match in open_matches(ann, tournament):
        first_wins(known, match)
    service.settle()
    found = pairings(ann, tournament)
    table = next(one for one in found if one["round"] == 1)
    assert any(one["round"] == 2 for one in found)
    order = sorted(range(3), key=lambda side: -table["result"]["ranks"][side])
    ranks = [order.index(side) + 1 for side in range(3)]  # the last one first
    told = at(rule(ann, tournament, table, ranks, dry=True))
    assert told["needs_cascade"] is True
    at(rule(ann, tournament, table, ranks, cascade=True))
    service.settle()
    second = [one for one in pairings(ann, tournament) if one["round"] == 2 and one["status"] == "playing"]
    assert any(table["sides"][order[0]]["player"]["id"] in str(one["sides"]) for one in second)
    finish(service, ann, tournament, known)


def test_what_has_not_begun_follows_changes_after_the_start(
    service: LocalService, ann: Client, new_player: NewPlayer
) -> None:
    clients = [new_player() for _ in range(4)]
    known = by_player(clients)
    tournament = started(service, ann, *clients)
    at(ann.call("PATCH", f"/v1/tournaments/{tournament}", {"match": {"best_of": 3}, "round_deadline": 6000}))
    for match in open_matches(ann, tournament):
        first_wins(known, match)
    service.settle()
    first, _, final = pairings(ann, tournament)
    assert (first["best_of"], final["best_of"]) == (1, 3)
    assert read(ann, final["matches"][0])["clock"]["seconds"] == 6000 // 60
    over = finish(service, ann, tournament, known)
    assert over["name"] == "Fools' Cup"
    assert len(pairings(ann, tournament)[-1]["matches"]) in (2, 3)


def test_nobody_rules_before_the_start_or_after_the_end(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    tournament = scheduled(ann, starts_at=soon(HOUR))
    enter(tournament, bob, cyd)
    begin(service)
    (pairing,) = pairings(ann, tournament)
    early = scheduled(ann)
    problem(rule(ann, early, pairing, [1, 2]), 404, "not-found")
    finish(service, ann, tournament, by_player([bob, cyd]))
    problem(rule(ann, tournament, pairing, [2, 1]), 409, "conflict")
