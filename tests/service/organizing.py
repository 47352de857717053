"""Tournaments over HTTP, and client programs that play them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from functions.shared import clock
from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.moments import HOUR, jump
from tests.service.playing import act, at, legal, me, read

Play = Callable[[Mapping[str, Client], str], None]
"""Brings a match to its end, with the client of each player."""


def soon(seconds: float = HOUR) -> str:
    """So many seconds from now, as a request has it."""
    return clock.rfc3339(clock.now() + round(1000 * seconds))


def order(**more: Any) -> dict[str, Any]:
    """A tournament that starts in an hour."""
    start = {"name": "Fools' Cup", "game": "misfortune", "format": "single-elimination", "starts_at": soon()}
    return start | more


def ask(client: Client, **more: Any) -> Reply:
    """What comes of asking for a tournament."""
    return client.call("POST", "/v1/tournaments", order(**more))


def scheduled(client: Client, **more: Any) -> str:
    """A tournament of the client's, by its id."""
    return str(at(ask(client, **more))["id"])


def post(client: Client, tournament: str, what: str, body: Any = None, **more: Any) -> Reply:
    """A POST below the tournament."""
    return client.call("POST", f"/v1/tournaments/{tournament}/{what}", body, **more)


def show(client: Client, tournament: str, what: str = "", **query: Any) -> Any:
    """What a GET below the tournament, or of it, gives."""
    return client.ok("GET", f"/v1/tournaments/{tournament}{'/' if what else ''}{what}", query=query or None)


def enter(tournament: str, *clients: Client, **body: Any) -> None:
    """Enters the clients in this order, a millisecond apart."""
    for client in clients:
        at(post(client, tournament, "entries", body))
        at(client.call("POST", "/_local/clock", {"advance": 0.001}))


def started(service: LocalService, organizer: Client, *clients: Client, **more: Any) -> str:
    """A tournament of these entrants, brought to its hour, at which it has started by itself."""
    tournament = scheduled(organizer, **more)
    enter(tournament, *clients)
    begin(service)
    assert show(organizer, tournament)["status"] == "running"
    return tournament


def begin(service: LocalService) -> None:
    """An hour passes, and a minute more: the referee has been there."""
    jump(service, HOUR)
    service.advance(60)


def pairings(client: Client, tournament: str, **query: Any) -> list[Any]:
    """All pairings, in the order of display."""
    stages = show(client, tournament, "bracket", **query)["stages"]
    return [pairing for stage in stages for part in stage["rounds"] for pairing in part["pairings"]]


def status_of(client: Client, tournament: str) -> str:
    """Where a tournament is in its life."""
    return str(show(client, tournament)["status"])


def open_matches(client: Client, tournament: str) -> list[str]:
    """The matches that are being played."""
    playing = [pairing for pairing in pairings(client, tournament) if pairing["status"] == "playing"]
    return [match for pairing in playing for match in pairing["matches"][-1:]]


def by_player(clients: Iterable[Client]) -> dict[str, Client]:
    """The clients by the ids of their players."""
    return {me(client): client for client in clients}


def won_by(choose: Callable[[Sequence[str]], str]) -> Play:
    """Matches that the one wins who is chosen among their players: all others resign, each after an action of its
    own."""

    def play(clients: Mapping[str, Client], match: str) -> None:
        seated = [seat["player"]["id"] for seat in read(next(iter(clients.values())), match)["seats"]]
        winner = choose(seated)
        waiting = set(seated)
        while waiting:
            for player in seated:
                client = clients[player]
                if actions := legal(client, match)["actions"]:
                    at(act(client, match, actions[0]))
                    waiting.discard(player)
        for player in seated:
            if player != winner and read(clients[player], match)["status"] == "active":
                at(clients[player].call("POST", f"/v1/matches/{match}/actions", {"action": {"type": "resign"}}))

    return play


first_wins = won_by(lambda players: players[0])


def finish(
    service: LocalService, organizer: Client, tournament: str, clients: Mapping[str, Client], play: Play = first_wins
) -> Any:
    """Plays until the tournament is over, and gives it; the clock hardly moves."""
    for _ in range(200):
        service.settle()
        matches = open_matches(organizer, tournament)
        if not matches:
            break
        for match in matches:
            play(clients, match)
    service.settle()
    over = show(organizer, tournament)
    assert over["status"] == "finished", over
    return over


def rows(client: Client, tournament: str) -> list[Any]:
    """The whole table."""
    return list(items(client, f"/v1/tournaments/{tournament}/standings"))


def items(client: Client, path: str, **query: Any) -> Iterator[Any]:
    """All items of a list, page by page."""
    query = {"limit": 100, **query}
    while True:
        page = client.ok("GET", path, query=query)
        yield from page["items"]
        if page["next_cursor"] is None:
            return
        query["cursor"] = page["next_cursor"]
