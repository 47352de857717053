"""Closing an account (api.md, "DELETE /me"; reports 32): a job that can be taken up again at any point."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from engine.replay import replay
from functions.shared import clock
from functions.shared.store.ports import ConflictError
from functions.shared.store.records import JobKind
from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem, stored
from tests.service.moments import cut_off, jump, just_before_it_is_saved, record_of, services, sweep
from tests.service.playing import act, at, create, lay, me, read, table


def close(client: Client) -> None:
    reply = client.call("DELETE", "/v1/me")
    assert (reply.status, reply.body) == (204, None)


def seats(client: Client, match: str) -> list[tuple[str, str | None]]:
    """The name at each seat, and why it has left."""
    return [(seat["player"]["name"], seat["left"]) for seat in read(client, match)["seats"]]


def name(client: Client) -> str:
    return str(client.ok("GET", "/v1/me")["name"])


def pending(player: str) -> Any:
    return services().jobs.get(JobKind.CLOSE, player)


def test_all_tokens_end_at_once(service: LocalService, anybody: Client, ann: Client) -> None:
    body = {"scopes": ["read", "play"], "label": "other"}
    other = Client(service.url, ann.ok("POST", "/v1/me/tokens", body)["token"])
    account, player = name(ann), me(other)
    close(ann)
    for client in (ann, other):
        for method, path in (("GET", "/v1/me"), ("GET", "/v1/games"), ("DELETE", "/v1/me")):
            problem(client.call(method, path), 401, "unauthenticated")
    other.close()
    assert not [key for key in stored(service) if key[1].startswith("TOKEN#") and player in str(stored(service)[key])]
    found = anybody.ok("GET", f"/v1/players/{player}")
    assert (found["name"], found["id"], found["recent_matches"]) == ("deleted", player, [])
    problem(anybody.call("GET", "/v1/players", query={"name": account}), 404, "not-found")
    problem(anybody.call("GET", "/v1/players", query={"name": "deleted"}), 404, "not-found")


def test_neither_recovery_nor_registering_brings_the_name_back(
    service: LocalService, anybody: Client, bob: Client
) -> None:
    made = anybody.ok("POST", "/v1/players", {"name": "leaver"})
    client = Client(service.url, made["token"])
    close(client)
    client.close()
    with nothing_stored(service):
        for code in (made["recovery_code"], "", "0" * 32):
            body = {"name": "leaver", "recovery_code": code}
            problem(anybody.call("POST", "/v1/players/recover", body), 401, "unauthenticated")
        problem(anybody.call("POST", "/v1/players", {"name": "LEAVER"}), 409, "name-taken")
        problem(bob.call("PATCH", "/v1/me", {"name": "leaver"}), 409, "name-taken")
        reply = bob.call("POST", "/v1/matches", {"game": "misfortune", "invite": [made["player"]["id"]]})
        assert problem(reply, 422, "invalid-request")["errors"][0]["loc"] == ["invite", "0"]


def test_matches_are_forfeited_left_or_aborted_and_the_name_is_taken_out_of_all(
    service: LocalService, anybody: Client, ann: Client, bob: Client, cyd: Client
) -> None:
    account, player = name(ann), me(ann)
    running, sealed, untouched = (table(ann, bob, rated=False) for _ in range(3))
    at(lay(bob, running, "7", "higher", 1))
    at(lay(ann, sealed, "7", "higher", 1))
    larger = table(ann, bob, cyd, game="liars-poker")
    left = table(ann, bob, cyd, game="liars-poker")
    at(act(ann, left, {"type": "resign"}))
    own, other = create(ann, "liars-poker", seats=3), create(bob, "liars-poker", seats=3)
    for client, match in ((bob, own), (ann, other)):
        at(client.call("POST", f"/v1/matches/{match}/join"))
    over = table(ann, bob)
    at(act(ann, over, {"type": "resign"}))
    unsettled = table(bob, ann)
    service.settle()
    at(act(bob, unsettled, {"type": "resign"}))
    at(ann.call("POST", f"/v1/matches/{running}/messages", {"text": "bye"}))
    close(ann)

    for match in (running, sealed):
        seen = read(bob, match)
        assert (seen["status"], seen["result"]["reason"], seen["result"]["ranks"]) == ("finished", "forfeit", [2, 1])
        assert seats(bob, match)[0] == ("deleted", "forfeit")
    assert read(bob, untouched)["status"] == "finished"  # whether the other one had sealed must not show
    assert (read(bob, larger)["status"], seats(bob, larger)[0]) == ("active", ("deleted", "forfeit"))
    assert (read(bob, left)["status"], seats(bob, left)[0]) == ("active", ("deleted", "resigned"))
    assert (read(bob, own)["status"], seats(bob, own)[0]) == ("aborted", ("deleted", None))
    assert (read(bob, other)["status"], [seat for seat, _ in seats(bob, other)]) == ("open", [name(bob)])
    assert seats(bob, over)[0] == ("deleted", "resigned")
    assert seats(bob, unsettled)[1] == ("deleted", None)
    assert read(bob, unsettled)["result"]["ranks"] == [2, 1]
    service.settle()
    for client, query in (
        (bob, "mine=true&limit=100"),
        (anybody, "status=finished&limit=100"),
        (anybody, f"player={player}&limit=100"),
        (anybody, "status=active&limit=100"),
        (anybody, "status=open&limit=100"),
    ):
        assert account not in str(client.ok("GET", f"/v1/matches?{query}"))
    for path in (f"/v1/players/{me(bob)}", f"/v1/players/{player}", f"/v1/matches/{running}/log", "/v1/me/events"):
        assert account not in str(bob.ok("GET", path))
    (said,) = bob.ok("GET", f"/v1/matches/{running}/messages")["items"]
    assert said["player"] == {"id": player, "name": "deleted"}
    assert [head["id"] for head in bob.ok("GET", "/v1/matches?mine=true&status=open")["items"]] == [other]


def test_the_words_of_who_had_given_up_the_seat_lose_their_name_too(ann: Client, bob: Client, cyd: Client) -> None:
    match = create(ann, "liars-poker", seats=4, rated=False)
    for client in (bob, cyd):
        at(client.call("POST", f"/v1/matches/{match}/join"))
        at(client.call("POST", f"/v1/matches/{match}/messages", {"text": "hello"}))
        at(client.call("POST", f"/v1/matches/{match}/leave"))
    stays = name(cyd)
    close(bob)
    said = ann.ok("GET", f"/v1/matches/{match}/messages")["items"]
    assert [message["player"]["name"] for message in said] == ["deleted", stays]


def test_the_others_play_on_and_are_told(service: LocalService, ann: Client, bob: Client, cyd: Client) -> None:
    clients = (ann, bob, cyd)
    match = table(*clients, game="liars-poker")
    first = read(ann, match)["to_act"][0]
    stays, goes_too = (client for seat, client in enumerate(clients) if seat != first)
    close(clients[first])
    seen = read(stays, match)
    assert (seen["status"], len(seen["to_act"]), seen["turn"]) == ("active", 1, 2)
    two = table(stays, goes_too)
    close(goes_too)
    service.settle()
    told = [event["type"] for event in stays.ok("GET", "/v1/me/events?limit=100")["items"] if event["match"] == two]
    assert told == ["match-started", "your-turn", "match-finished", "rated"]


def test_what_time_had_decided_before_is_not_a_forfeit(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, clock={"kind": "per-move", "seconds": 60, "on_timeout": "forfeit"})
    at(lay(ann, match, "7", "higher", 1))
    jump(service, 100)
    close(ann)
    over = read(bob, match)
    assert (over["result"]["reason"], over["result"]["ranks"]) == ("timeout", [1, 2])
    assert seats(bob, match) == [("deleted", None), (name(bob), "timeout")]


def test_a_rematch_needs_players_who_are_still_there(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    two, three = table(ann, bob), table(ann, bob, cyd, game="liars-poker")
    at(act(ann, two, {"type": "resign"}))
    for client in (bob, cyd):
        at(act(client, three, {"type": "resign"}))
    close(ann)
    with nothing_stored(service):
        problem(bob.call("POST", f"/v1/matches/{two}/rematch"), 409, "conflict")
    made = at(bob.call("POST", f"/v1/matches/{three}/rematch"))["id"]
    at(cyd.call("POST", f"/v1/matches/{three}/rematch"))
    assert at(bob.call("POST", f"/v1/matches/{made}/start"))["status"] == "active"


def test_a_token_that_is_still_taken_for_good_somewhere_opens_nothing(
    service: LocalService, ann: Client, bob: Client, cyd: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each instance remembers tokens for half a minute."""
    from functions.shared.http import identity

    match, waiting = table(ann, bob, rated=False), create(bob)
    over = table(ann, bob, cyd, game="liars-poker")
    for client in (bob, cyd):
        at(act(client, over, {"type": "resign"}))
    me(ann)
    monkeypatch.setattr(identity, "forget", lambda: None)
    close(ann)
    service.settle()
    with nothing_stored(service):
        for method, path, body in (
            ("GET", "/v1/me", None),
            ("PATCH", "/v1/me", {"name": "back-again"}),
            ("DELETE", "/v1/me", None),
            ("POST", "/v1/me/tokens", {"scopes": ["account"], "label": "x"}),
            ("GET", "/v1/me/vacation", None),
            ("POST", "/v1/me/vacation", {"days": 1}),
            ("DELETE", "/v1/me/vacation", None),
            ("POST", "/v1/matches", {"game": "misfortune"}),
            ("POST", f"/v1/matches/{waiting}/join", None),
            ("POST", f"/v1/matches/{over}/rematch", None),
            ("POST", f"/v1/matches/{match}/messages", {"text": "boo"}),
        ):
            problem(ann.call(method, path, body), 401, "unauthenticated")
    jump(service, 30)
    problem(ann.call("GET", "/v1/games"), 401, "unauthenticated")


def test_a_seat_that_is_taken_while_the_account_is_closed_is_given_up_again(
    service: LocalService, ann: Client, bob: Client
) -> None:
    """The request that sat ann down had read her profile before."""
    match, player, other = create(bob), me(ann), Client(service.url, ann.token)
    with just_before_it_is_saved(service, match, lambda: close(other)):
        at(ann.call("POST", f"/v1/matches/{match}/join"))
    other.close()
    assert read(bob, match)["status"] == "active"
    jump(service, 60)
    sweep(service)
    assert (read(bob, match)["status"], seats(bob, match)[1]) == ("finished", ("deleted", "forfeit"))
    assert pending(player) is None


def test_what_a_closing_ends_has_ended_when_the_account_was_closed_whoever_comes_to_it_when(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    """The request is cut off, the referee stopped, and bob's time runs out before anybody looks."""
    from functions.shared.flows import absence, jobs

    forfeit = {"kind": "per-move", "seconds": 60, "on_timeout": "forfeit"}
    over, waiting = table(ann, bob, clock=forfeit), create(ann)
    at(lay(ann, over, "7", "higher", 1))
    others = table(bob, ann, cyd, game="liars-poker", rated=False)
    account = me(ann)
    jump(service, 5)
    closed_at = clock.now()
    with cut_off(service, 0):
        absence.close_account(services(), account, closed_at)
    jump(service, 100)
    job = pending(account)
    with suppress(ConflictError):
        jobs.run(services(), job, clock.now())
    assert pending(account).data == {"since": closed_at}
    ended = record_of(over).match
    assert (ended.ended_at, ended.result.reason, ended.result.ranks) == (closed_at, "forfeit", (2, 1))
    assert (record_of(waiting).match.status, record_of(waiting).match.ended_at) == ("aborted", closed_at)
    assert replay(ended) == ended
    # Others play on: they lose no time to what nobody could see.
    left = record_of(others).match.seats[1]
    assert (left.left, left.left_at) == ("forfeit", clock.now())


def picture(match: str, names: dict[str, str]) -> Any:
    """A match, less when it happened."""
    found = record_of(match).match
    sitting = [s and (names[s.player], s.name == "deleted", s.left) for s in found.seats]
    return found.status, sitting, found.result, [(entry.type, entry.seat) for entry in found.log]


@pytest.mark.parametrize("is_written", [True, False])
def test_a_closing_that_is_cut_off_at_any_write_is_finished_by_the_referee(
    service: LocalService,
    new_player: Callable[[], Client],
    is_written: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from functions.shared.flows import absence, jobs

    monkeypatch.setattr(jobs, "BATCH", 2)  # matches that have ended, at a time

    def run(place: int) -> tuple[list[Any], list[str]]:
        player, bob = new_player(), new_player()
        account, names = me(player), {me(player): "closed", me(bob): "bob"}
        matches = [table(player, bob, rated=False), create(player)]
        at(lay(player, matches[0], "7", "higher", 1))
        matches.append(create(bob))
        waiting = create(bob, "liars-poker", seats=3)
        at(player.call("POST", f"/v1/matches/{waiting}/join"))
        for _ in range(3):
            matches.append(table(player, bob))
            at(act(bob, matches[-1], {"type": "resign"}))
            jump(service, 1)
        service.settle()
        with cut_off(service, place, is_written=is_written) as writes:
            absence.close_account(services(), account, clock.now())
        if place == 0 and not is_written:
            absence.close_account(services(), account, clock.now())  # which had not been begun at all
        for _ in range(3):
            jump(service, 60)
            sweep(service)
        assert pending(account) is None
        assert services().matches.of_player(account, ended=False, before=None, limit=10).places == ()
        return [picture(match, names) for match in (*matches, waiting)], writes

    clean, writes = run(-1)
    assert len(writes) > 7
    for place in range(len(writes)):
        assert run(place)[0] == clean, place


def test_two_who_work_on_a_closing_at_once_leave_what_one_leaves(
    service: LocalService, ann: Client, bob: Client
) -> None:
    from functions.shared.flows import absence, jobs

    account = me(ann)
    matches = [table(ann, bob) for _ in range(6)]
    for match in matches:
        at(lay(bob, match, "7", "higher", 1))
    with cut_off(service, 0):
        absence.close_account(services(), account, clock.now())
    job = pending(account)

    def work() -> None:
        with suppress(ConflictError):
            jobs.run(services(), job, clock.now())

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work) for _ in range(4)]:
            done.result()
    for _ in range(2):
        jump(service, 60)
        sweep(service)
    assert pending(account) is None
    for match in matches:
        log = [entry.type for entry in record_of(match).match.log]
        assert (log.count("left"), log.count("finished")) == (1, 1)
        assert seats(bob, match)[0] == ("deleted", "forfeit")
