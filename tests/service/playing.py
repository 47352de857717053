"""Tables to play at over HTTP, and moves at them."""

from collections.abc import Sequence
from typing import Any

from infra.client import Client, Reply

CLUBS = "A23456789TJQK"
"""Misfortune's ranks; seat 0 has the clubs, seat 1 the hearts."""


def me(client: Client) -> str:
    """The id of the client's player."""
    return str(client.ok("GET", "/v1/me")["id"])


def read(client: Client, match: str) -> Any:
    """The match as the client sees it."""
    return client.ok("GET", f"/v1/matches/{match}")


def create(client: Client, game: str = "misfortune", **order: Any) -> str:
    """A match of the client's, by its id."""
    return str(client.ok("POST", "/v1/matches", {"game": game, **order})["id"])


def table(*clients: Client, game: str = "misfortune", **order: Any) -> str:
    """A match with a seat for each client, in their order; it has started."""
    match = create(clients[0], game, seats=len(clients), **order)
    for client in clients[1:]:
        client.ok("POST", f"/v1/matches/{match}/join")
    return match


def legal(client: Client, match: str) -> Any:
    """What the client may do now."""
    return client.ok("GET", f"/v1/matches/{match}/legal-actions")


def act(client: Client, match: str, action: Any, turn: int | None = None, **more: Any) -> Reply:
    """An action in the open turn, or in another one."""
    turn = read(client, match)["turn"] if turn is None else turn
    return client.call("POST", f"/v1/matches/{match}/actions", {"turn": turn, "action": action}, **more)


def lay(client: Client, match: str, rank: str, claim: str, turn: int, **more: Any) -> Reply:
    """A card of the client's hand in Misfortune, with a claim."""
    card = next(card for card in read(client, match)["view"]["hand"] if card[0] == rank)
    return act(client, match, {"type": "play", "card": card, "claim": claim}, turn, **more)


def at(reply: Reply) -> Any:
    """The body of a reply that is a success."""
    assert reply.status < 300, reply
    return reply.body


def play_out(clients: Sequence[Client], match: str) -> Any:
    """Plays the match to its end, always by the last legal action; gives it as the first client sees it."""
    while (seen := read(clients[0], match))["status"] == "active":
        for client in clients:
            if (actions := legal(client, match)["actions"]) and read(client, match)["turn"] == seen["turn"]:
                at(act(client, match, actions[-1], seen["turn"]))
    return seen
