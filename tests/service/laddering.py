"""Rated matches over HTTP, and whole ladders that nobody had to play for."""

from collections.abc import Mapping
from typing import Any

from engine.types import EpochMs
from functions.shared import clock, ids
from functions.shared.store.due import NEVER
from functions.shared.store.records import Profile, Scope, Token
from infra.client import Client
from infra.local.service import LocalService
from tests.service.moments import services
from tests.service.playing import act, at, legal, table


def won(service: LocalService, winner: Client, *losers: Client, game: str = "misfortune", **order: Any) -> str:
    """A match that the winner wins because all others resign, each after an action of its own."""
    clients = [winner, *losers]
    match = table(*clients, game=game, **order)
    acted: set[Client] = set()
    while len(acted) < len(clients):
        for client in clients:
            if actions := legal(client, match)["actions"]:
                at(act(client, match, actions[0]))
                acted.add(client)
    for loser in losers:
        at(act(loser, match, {"type": "resign"}))
    service.settle()
    return match


def entry(client: Client, game: str, player: str) -> Any:
    """Where a player stands, with the first rows of their history."""
    return client.ok("GET", f"/v1/ladders/{game}/players/{player}")


def crowd(service: LocalService, game: str, ratings: Mapping[str, int]) -> dict[str, str]:
    """Registers players by name, lists them with these ratings, and gives their ids by name."""
    store, now = services(), clock.now()
    players = {name: ids.new(ids.PLAYER, now) for name in ratings}
    for number, (name, points) in enumerate(ratings.items()):
        player = players[name]
        token = Token(ids.new(ids.TOKEN, now), f"hash of {player}", player, (Scope.READ,), "", now, None)
        store.players.register(Profile(player, name, now, "", version=1), token, None)
        moved(game, player, points, now + number)
    service.settle()
    return players


def emptied(service: LocalService, game: str) -> None:
    """Takes everybody off a ladder."""
    ladder = services().ladder
    for due in ladder.due(game, NEVER, 1000):
        before = ladder.ratings(game, [due.player])[due.player]
        ladder.change(before, before._replace(listed=False, due=None))
    service.settle()


def moved(game: str, player: str, points: int, at_: EpochMs) -> None:
    """Gives a listed player another rating, as a result would."""
    ladder = services().ladder
    before = ladder.ratings(game, [player])[player]
    standing = before.standing._replace(rating=1000 * points, won=before.standing.won + 1)
    due = at_ + 90 * 86_400_000
    ladder.change(
        before, before._replace(standing=standing, listed=True, reached_at=at_, played_at=at_, due=before.due or due)
    )
