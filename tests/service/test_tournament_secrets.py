"""What tournaments keep to themselves until all is over: the key, the nonces; and for ever: the join code."""

from collections.abc import Callable, Iterator

import pytest

from functions.shared.render.tournament import audit
from functions.shared.store.records_tournament import AuditEntry
from infra.client import Client
from infra.local.service import LocalService
from tests.service.moments import services
from tests.service.organizing import (
    begin,
    by_player,
    enter,
    finish,
    first_wins,
    items,
    open_matches,
    post,
    scheduled,
    show,
)
from tests.service.playing import at, me

NONCE = "c0ffee" * 8
CODE = "canary-of-the-code"


def below(client: Client, tournament: str, player: str) -> Iterator[tuple[str, str]]:
    """Everything that can be read of a tournament: each path with its whole answer, headers included."""
    below_ = ("", "/entries", "/bracket", "/standings", "/audit", "/calendar.ics", "/standings.csv", "/export.trf")
    paths = [f"/v1/tournaments/{tournament}{what}" for what in below_]
    paths += ["/v1/tournaments", "/v1/tournaments?status=running", "/v1/tournaments?status=finished"]
    paths += [f"/v1/players/{player}/calendar.ics", f"/v1/players/{player}"]
    paths += ["/v1/me/events?limit=100", "/v1/tournaments?mine=true"] if client.token else []
    for path in paths:
        reply = client.call("GET", path)
        assert reply.status in (200, 404), path
        yield path, f"{reply.headers}{reply.body}"


@pytest.mark.parametrize("stage", ["before", "running", "finished", "cancelled"])
def test_key_nonces_and_code_are_shown_to_nobody_who_may_not_know_them(
    service: LocalService, anybody: Client, ann: Client, new_player: Callable[[], Client], stage: str
) -> None:
    one, two, eve = clients = [new_player() for _ in range(3)]
    tournament = scheduled(ann, registration={"join_code": CODE})
    at(post(one, tournament, "entries", {"nonce": NONCE, "join_code": CODE}))
    at(post(two, tournament, "entries", {"join_code": CODE}))
    at(ann.call("PATCH", f"/v1/tournaments/{tournament}", {"registration": {"join_code": CODE + "!"}}))
    if stage != "before":
        begin(service)
    if stage == "finished":
        finish(service, ann, tournament, by_player([one, two]))
    if stage == "cancelled":
        at(post(ann, tournament, "cancel"))
    service.settle()
    record = services().tournaments.get(tournament)
    assert record is not None
    assert record.registration.join_code == CODE + "!"
    is_over = stage in ("finished", "cancelled")
    for client in (anybody, ann, *clients):
        for path, answer in below(client, tournament, me(one)):
            bodies = path in (f"/v1/tournaments/{tournament}", "/v1/tournaments") or "?" in path
            may_know_code = client is ann and bodies  # an organizer, where the tournament itself is shown
            assert CODE not in answer or may_know_code, path
            assert record.key not in answer or is_over, path
            assert NONCE not in answer or is_over or client is one, path
    shown = show(anybody, tournament)["deal"]
    assert shown["key"] == (record.key if is_over else None)
    nonces = {entry["player"]["id"]: entry["nonce"] for entry in items(eve, f"/v1/tournaments/{tournament}/entries")}
    assert nonces == ({me(one): NONCE, me(two): ""} if is_over else {me(one): None, me(two): None})


def test_the_view_follows_from_the_token_alone(service: LocalService, ann: Client, bob: Client, cyd: Client) -> None:
    tournament = scheduled(ann)
    enter(tournament, bob, nonce=NONCE)
    second = Client(service.url, bob.ok("POST", "/v1/me/tokens", {"scopes": ["read"], "label": "x"})["token"])
    path = f"/v1/tournaments/{tournament}?player={me(bob)}"
    assert second.ok("GET", path)["you"] == show(bob, tournament)["you"]
    assert cyd.ok("GET", path)["you"] == {"entry": None, "organizer": False}
    second.close()


def test_a_tournaments_match_is_seen_like_any_other(
    service: LocalService, anybody: Client, ann: Client, bob: Client, cyd: Client
) -> None:
    tournament = scheduled(ann)
    enter(tournament, bob, cyd)
    begin(service)
    (match,) = open_matches(ann, tournament)
    views = [client.ok("GET", f"/v1/matches/{match}") for client in (bob, cyd, ann, anybody)]
    assert [view["tournament"] for view in views] == [tournament] * 4
    assert [view["you"] is None for view in views] == [False, False, True, True]
    assert views[2]["view"] == views[3]["view"] != views[0]["view"]
    assert match in [head["id"] for head in items(anybody, "/v1/matches", status="active")]
    first_wins(by_player([bob, cyd]), match)
    assert anybody.ok("GET", f"/v1/matches/{match}/proof")["match"] == match


def test_the_audit_shows_no_secret_however_it_came_there() -> None:
    secrets = {"join_code": CODE, "key": CODE, "nonce": CODE}
    entry = AuditEntry("aud_1", 0, "ply_1", "changed", "", {"registration": secrets}, {"name": "x", **secrets})
    shown = audit(entry, {"ply_1": "ann"})
    assert (shown.before, shown.after) == ({"registration": {}}, {"name": "x"})
