"""Random matches over HTTP agree with the engine: what is stored replays from its key, nonces, options and actions."""

import os
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from engine import games
from engine.games.options import Choice, Option
from engine.match.record import Match
from engine.replay import replay
from infra.client import Client
from infra.local.service import LocalService
from tests.faults.world import whole_of

MATCHES = 25
SOAK = int(os.environ.get("SOAK_MATCHES", "250"))
"""Of each game: more than 25 of each size of table."""

CLOCKS: tuple[dict[str, Any], ...] = (
    {"kind": "per-move", "seconds": 60},
    {"kind": "per-move", "seconds": 60, "on_timeout": "forfeit"},
    {"kind": "fischer", "seconds": 60, "increment": 5, "cap": 90},
    {"kind": "byo-yomi", "seconds": 60, "periods": 2, "period_seconds": 20},
    {"kind": "none"},
)


@pytest.fixture(scope="module")
def clients(service: LocalService) -> Iterator[list[Client]]:
    """Ten players."""
    found = [Client(service.url) for _ in range(10)]
    for number, client in enumerate(found):
        client.token = client.ok("POST", "/v1/players", {"name": f"random-{number}"})["token"]
    yield found
    for client in found:
        client.close()


def option(choice: Option, seats: int, rng: Random) -> Any:
    """Any value that the option can have, the smaller ones more often."""
    if isinstance(choice, Choice):
        return rng.choice(choice.values)
    high = choice.high if isinstance(choice.high, int) else choice.high(seats)
    return choice.low + int((high - choice.low + 1) * rng.random() ** 3)


def order(game_id: str, number: int, rng: Random) -> dict[str, Any]:
    """Any match of a game: each size of table in turn, some house bots, some options, a clock."""
    game = games.find(game_id)
    assert game is not None
    low, high = game.SEATS
    seats = low + number % (high - low + 1)
    options = {one.name: option(one, seats, rng) for one in game.OPTIONS if rng.random() < 0.4}
    bots = rng.choice((0, 0, rng.randrange(seats)))
    more = {"clock": rng.choice(CLOCKS), "bots": bots, "bot_style": rng.choice(("house", "random"))}
    return {
        "game": game_id,
        "seats": seats,
        "options": options,
        "rated": False,
        "nonce": f"{rng.randrange(256):02x}",
    } | more


def began(clients: Sequence[Client], game_id: str, number: int, rng: Random) -> tuple[str, list[Client]]:
    """A match that has started, and who sits where (a bot's seat has nobody who acts)."""
    wanted = order(game_id, number, rng)
    made = clients[0].ok("POST", "/v1/matches", wanted)
    seated = {made["you"]["seat"]: clients[0]}
    for client in clients[1 : wanted["seats"] - wanted["bots"]]:
        joined = client.ok("POST", f"/v1/matches/{made['id']}/join", {"nonce": f"{rng.randrange(256):02x}"})
        seated[joined["you"]["seat"]] = client
    return made["id"], [seated.get(seat, clients[0]) for seat in range(wanted["seats"])]


def with_some(action: dict[str, Any], optional: dict[str, list[Any]], rng: Random) -> dict[str, Any]:
    """The action with any of its optional parts, at most one a seat."""
    for name, values in optional.items():
        some = {value["seat"]: value for value in rng.sample(values, rng.randrange(len(values) + 1))}
        action = {**action, name: list(some.values())}
    return action


def play_on(service: LocalService, seated: Sequence[Client], match: str, rng: Random, resigning: float) -> Any:
    """Random legal actions, now and then a resignation (so probable) or a passed deadline, until the match is over.

    What is listed as legal is accepted.
    """
    path = f"/v1/matches/{match}"
    seen = seated[0].ok("GET", path)
    while seen["status"] == "active":
        chance = rng.random()
        if chance < 0.02 and seen["clock"]["kind"] != "none":
            service.advance(rng.choice((20, 60, 130)))
            seen = seated[0].ok("GET", path)
            continue
        client = seated[rng.choice(seen["to_act"])]
        if chance > 1 - resigning:
            client.call("POST", f"{path}/actions", {"action": {"type": "resign"}})
            seen = client.ok("GET", path)
            continue
        legal = client.ok("GET", f"{path}/legal-actions")
        if not legal["actions"]:
            # It has sealed: another one is asked.
            continue
        service.advance(rng.choice((0, 0, 0, 3)))
        action = with_some(rng.choice(legal["actions"]), legal["optional"], rng)
        reply = client.call("POST", f"{path}/actions", {"turn": legal["turn"], "action": action})
        assert reply.status == 200 or reply.body["code"] in ("stale-turn", "not-your-turn", "match-over"), reply
        seen = client.ok("GET", path) if reply.status != 200 else reply.body
    return seen


def check(seen: Any, match: Match) -> None:
    """Holds a match, and what was answered about it, to its replay."""
    again = replay(match)
    assert again == match
    result = again.result
    shown = None if result is None else [result.reason, list(result.ranks), list(result.scores)]
    assert (seen["result"] and list(seen["result"].values())) == shown
    moves = [entry.move for entry in match.log if entry.move] + [choice.move for choice in match.seals]
    assert sorted(moves) == list(range(1, match.moves + 1))


def play_many(service: LocalService, clients: list[Client], game: str, count: int, salt: str) -> set[str]:
    """Plays, checks, and gives the reasons for which the matches ended."""
    reasons = set()
    for number in range(count):
        rng = Random(f"{salt} {game} {number}")
        rng.shuffle(clients)
        match, seated = began(clients, game, number, rng)
        # The deals are other ones each time, and may end no match early: one in ten is sure to.
        seen = play_on(service, seated, match, rng, 0.9 if number % 10 == 9 else 0.01)
        check(seen, whole_of(match))
        reasons.add((seen["result"] or {"reason": seen["status"]})["reason"])
    return reasons


@pytest.mark.parametrize("game", games.IDS)
def test_random_matches_over_http_are_their_replays(service: LocalService, clients: list[Client], game: str) -> None:
    reasons = play_many(service, clients, game, MATCHES, "default")
    assert "played" in reasons
    assert len(reasons) > 1


@pytest.mark.soak
@pytest.mark.parametrize("game", games.IDS)
def test_many_random_matches_over_http_are_their_replays(
    service: LocalService, clients: list[Client], game: str
) -> None:
    play_many(service, clients, game, SOAK, os.environ.get("SOAK_SALT", "soak"))
