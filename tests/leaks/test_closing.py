"""What the end of a match and the lists of a player tell of what is hidden."""

from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService


@pytest.fixture(scope="module")
def players() -> Any:
    with_clock = LocalService(manual_clock=True)
    with_clock.start()
    clients = []
    for name in ("ann", "bob", "cyd"):
        client = Client(with_clock.url)
        client.token = client.ok("POST", "/v1/players", {"name": name})["token"]
        clients.append(client)
    yield with_clock, clients
    for client in clients:
        client.close()
    with_clock.stop()


@pytest.mark.parametrize("sealed", [False, True])
def test_an_account_that_is_closed_in_the_first_phase_loses_whoever_has_sealed(players: Any, sealed: bool) -> None:
    service, (ann, bob, _) = players
    leaver = Client(service.url)
    leaver.token = leaver.ok("POST", "/v1/players", {"name": f"leaver-{sealed}"})["token"]
    match = ann.ok("POST", "/v1/matches", {"game": "misfortune"})["id"]
    leaver.ok("POST", f"/v1/matches/{match}/join")
    if sealed:
        action = {"type": "play", "card": "Kc", "claim": "higher"}
        ann.ok("POST", f"/v1/matches/{match}/actions", {"turn": 1, "action": action})
    leaver.ok("DELETE", "/v1/me")
    leaver.close()
    seen = bob.ok("GET", f"/v1/matches/{match}")
    assert (seen["status"], seen["result"]["ranks"]) == ("finished", [1, 2])


def test_private_matches_of_a_player_leave_no_gap_in_the_pages_of_others(
    players: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, (ann, _, cyd) = players
    monkeypatch.setattr("functions.shared.flows.lists.CHUNK", 1)
    me = ann.ok("GET", "/v1/me")["id"]
    public = ann.ok("POST", "/v1/matches", {"game": "misfortune"})["id"]
    for _ in range(9):
        ann.ok("POST", "/v1/matches", {"game": "misfortune", "visibility": "private"})
    page = cyd.ok("GET", "/v1/matches", query={"player": me, "status": "open"})
    assert [item["id"] for item in page["items"]] == [public]
    assert page["next_cursor"] is None
