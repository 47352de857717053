"""What the clients of a history are up to, besides playing: matches, seeks, a tournament, their accounts."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from engine import games
from functions.shared.clock import rfc3339
from tests.faults.history_clients import Client, Errand
from tests.faults.history_world import SKEW_MS
from tests.faults.world import START

CLOCKS: tuple[dict[str, Any], ...] = (
    {"kind": "per-move", "seconds": 60},
    {"kind": "per-move", "seconds": 30, "on_timeout": "forfeit"},
    {"kind": "fischer", "seconds": 60, "increment": 5, "cap": 90},
    {"kind": "byo-yomi", "seconds": 60, "periods": 2, "period_seconds": 20},
)
SEATING = ("match-not-open", "match-full", "already-joined", "not-found")
STARTS_S = (120, 240)
FORMATS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("single-elimination", "misfortune", {}),
    ("single-elimination", "half-deck-poker", {"third_place": True}),
    ("single-elimination", "liars-poker", {"match": {"best_of": 3}}),
    ("double-elimination", "misfortune", {}),
    ("round-robin", "liars-poker", {}),
    ("heats", "liars-poker", {"match": {"seats": 3}}),
)


def errand(client: Client, do: Any, shortest_s: float, longest_s: float) -> None:
    """Something that the client does after so many seconds from the beginning."""
    at = START + round(1000 * client.rng.uniform(shortest_s, longest_s))
    client.errands.append(Errand(at, do))


def table(clients: Sequence[Client], game: str) -> None:
    """A match: one creates it, the others look for it, more than there are seats perhaps. Then, perhaps, another."""
    host, *guests = clients
    rng = host.rng
    rules = games.find(game)
    assert rules is not None
    low, high = rules.SEATS
    order: dict[str, Any] = {"game": game, "clock": rng.choice(CLOCKS), "seats": rng.choice((low, min(high, low + 1)))}
    if rng.random() < 0.2:
        order |= {"bots": order["seats"] - 1, "bot_style": rng.choice(("house", "random"))}
    if rng.random() < 0.2:
        order["rated"] = False
    errand(host, partial(create, order=order), 0, 10)
    for guest in guests:
        errand(guest, partial(find_and_join, game=game, tries=4), 1, 30)


def create(client: Client, order: dict[str, Any]) -> Errand | None:
    """Creates a match, and says something; perhaps leaves it, or starts it before it is full."""
    made = client.try_to("POST", "/v1/matches", order | {"nonce": f"{client.rng.randrange(256):02x}"}, refused=())
    if made is None or made.body["status"] != "open":
        return client.later(rematch, 30, 90)
    match = made.body["id"]
    if made.body["talk"]:
        client.try_to("POST", f"/v1/matches/{match}/messages", {"text": f"{client.name} is here"}, refused=())
    then = client.rng.choice(("wait", "wait", "wait", "start", "leave", "nonce"))
    if then == "nonce":
        client.ask("PUT", f"/v1/matches/{match}/nonce", {"nonce": "c0ffee"})
    if then in ("start", "leave"):
        return client.later(partial(end_the_wait, match=match, how=then), 10, 60)
    return client.later(rematch, 60, 240)


def end_the_wait(client: Client, match: str, how: str) -> Errand | None:
    """Starts a match with those who are there, or leaves it."""
    client.try_to("POST", f"/v1/matches/{match}/{how}", refused=(*SEATING, "conflict", "forbidden"))
    return client.later(rematch, 60, 240)


def find_and_join(client: Client, game: str, tries: int) -> Errand | None:
    """Joins the first match of the game that there is; perhaps leaves it again."""
    found = client.look(f"/v1/matches?joinable=true&game={game}")["items"]
    if not found:
        return client.later(partial(find_and_join, game=game, tries=tries - 1), 3, 15) if tries else None
    match = found[0]["id"]
    joined = client.try_to("POST", f"/v1/matches/{match}/join", {"nonce": "0a"}, refused=SEATING)
    if joined is not None and client.rng.random() < 0.15:
        return client.later(partial(end_the_wait, match=match, how="leave"), 0, 20)
    return client.later(rematch, 60, 240)


def rematch(client: Client) -> Errand | None:
    """Asks for a rematch of the last match, or joins the one that was asked for."""
    if client.rng.random() < 0.6:
        return None
    ended = client.look("/v1/matches?mine=true&status=finished")["items"]
    if ended and ended[0]["tournament"] is None:
        refused = ("conflict", "forbidden", *SEATING)
        client.try_to("POST", f"/v1/matches/{ended[0]['id']}/rematch", refused=refused)
    return None


def seeks(clients: Sequence[Client], game: str) -> None:
    """Some look for opponents in a game, at about the same time."""
    for client in clients:
        errand(client, partial(seek, game=game, clock=CLOCKS[len(game) % len(CLOCKS)]), 0, 12)


def seek(client: Client, game: str, clock: dict[str, Any]) -> Errand | None:
    """Asks for opponents; perhaps takes that back, perhaps asks again."""
    sought = client.try_to("POST", "/v1/seeks", {"game": game, "clock": clock}, refused=("limit-reached",))
    if sought is not None and sought.body["seek"] is not None and client.rng.random() < 0.3:
        return client.later(partial(cancel, seek_id=sought.body["seek"]["id"]), 0, 12)
    return client.later(partial(seek, game=game, clock=clock), 30, 200) if client.rng.random() < 0.3 else None


def cancel(client: Client, seek_id: str) -> Errand | None:
    """Takes a seek back."""
    client.try_to("DELETE", f"/v1/seeks/{seek_id}", refused=("conflict",))
    return None


def tournament(clients: Sequence[Client]) -> None:
    """One holds a tournament, all enter it as far as there is room."""
    host = clients[0]
    format_id, game, more = host.rng.choice(FORMATS)
    starts_at = START + 1000 * host.rng.randrange(*STARTS_S)
    registration: dict[str, Any] = {"capacity": host.rng.choice((3, 4, len(clients), len(clients) + 1))}
    if host.rng.random() < 0.3:
        registration["check_in_minutes"] = 1
    order = {"name": "History", "game": game, "format": format_id, "starts_at": rfc3339(starts_at)} | more
    order["match"] = {"clock": host.rng.choice(CLOCKS)} | more.get("match", {})
    order |= {"registration": registration, "round_deadline": host.rng.choice((300, 3600))}
    errand(host, partial(announce, order=order, starts_at=starts_at), 0, 10)
    for client in clients:
        errand(client, partial(enter, tries=6, starts_at=starts_at), 5, 60)


def announce(client: Client, order: dict[str, Any], starts_at: int) -> Errand | None:
    """Creates the tournament; perhaps cancels it, or starts it early."""
    made = client.ask("POST", "/v1/tournaments", order)
    if made is not None and made.status != 201:
        # Its hour has passed while the client tried.
        assert (made.status, made.code) == (422, "invalid-request"), made
        assert client.history.tasks.now >= starts_at - SKEW_MS
        return None
    how = client.rng.choice(("", "", "", "", "", "start", "cancel"))
    if made is None or not how:
        return None
    path = f"/v1/tournaments/{made.body['id']}/{how}"
    return client.later(partial(hurry, path=path), 60, (starts_at - START) / 1000 + 60)


def hurry(client: Client, path: str) -> Errand | None:
    """Starts or cancels a tournament of one's own."""
    client.try_to("POST", path, refused=("conflict", "match-over"))
    return None


def enter(client: Client, tries: int, starts_at: int) -> Errand | None:
    """Enters the tournament; checks in, or withdraws, later."""
    page = client.look("/v1/tournaments")["items"]
    found = [one["id"] for one in page if one["status"] in ("announced", "registration", "check-in")]
    if not found:
        return client.later(partial(enter, tries=tries - 1, starts_at=starts_at), 5, 20) if tries else None
    path = f"/v1/tournaments/{found[0]}"
    client.try_to("POST", f"{path}/entries", {"nonce": "0b"}, refused=("conflict", "limit-reached", "forbidden"))
    if client.rng.random() < 0.15:
        return client.later(partial(withdraw, path=path), 10, 200)
    check_in_s = (starts_at - client.history.tasks.now) / 1000
    return client.later(partial(check_in, path=path), max(0, check_in_s - 55), max(1, check_in_s - 5))


def check_in(client: Client, path: str) -> Errand | None:
    """Says that one is there."""
    client.try_to("POST", f"{path}/check-in", refused=("conflict", "not-found", "forbidden"))
    return None


def withdraw(client: Client, path: str) -> Errand | None:
    """Goes out of a tournament, before it or in the middle of it."""
    client.try_to("DELETE", f"{path}/entries/me", refused=("conflict", "not-found"))
    return None


def accounts(clients: Sequence[Client]) -> None:
    """Some change their names, lose their tokens, go on vacation, close their accounts."""
    ways = (rename, more_tokens, recover, vacation, close)
    for client in clients:
        errand(client, client.rng.choice(ways), 10, 200)


def rename(client: Client) -> Errand | None:
    """Takes another name."""
    client.ask("PATCH", "/v1/me", {"name": f"{client.name}-2"})
    return None


def more_tokens(client: Client) -> Errand | None:
    """Makes a token, perhaps ends it."""
    made = client.try_to("POST", "/v1/me/tokens", {"scopes": ["read"], "label": client.name}, refused=())
    if made is not None and client.rng.random() < 0.5:
        token = next(one["id"] for one in client.look("/v1/me/tokens")["items"] if one["label"] == client.name)
        client.try_to("DELETE", f"/v1/me/tokens/{token}", refused=("not-found",))
    return None


def recover(client: Client) -> Errand | None:
    """Has lost all tokens."""
    name = client.look("/v1/me")["name"]
    body = {"name": name, "recovery_code": client.code}
    token, client.token = client.token, ""
    reply = client.insist("POST", "/v1/players/recover", body)
    assert reply.body["token"] != token
    client.welcomed(client.id, reply.body)
    return None


def vacation(client: Client) -> Errand | None:
    """Is away, for a while or not."""
    client.try_to("POST", "/v1/me/vacation", {"days": 1}, refused=("conflict", "limit-reached"))
    return client.later(back, 30, 200) if client.rng.random() < 0.7 else None


def back(client: Client) -> Errand | None:
    """Ends the vacation."""
    client.try_to("DELETE", "/v1/me/vacation", refused=("conflict", "not-found"))
    return None


def close(client: Client) -> Errand | None:
    """Closes the account."""
    reply = client.ask("DELETE", "/v1/me", may_give_up=False)
    assert reply is not None
    assert reply.status == 204 or reply.code == "unauthenticated", reply
    client.is_closed = True
    return None
