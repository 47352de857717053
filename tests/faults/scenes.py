"""Operations of the service, each with what has to be there before it, and what is stored as a comparable value."""

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from functions.shared.store.ports import Services
from tests.faults.world import Caller, Reply, World, record_of, whole_of
from tests.service.standings import give

KEY = "a-key-that-nobody-guesses"
ACE = {"type": "play", "card": "Ac", "claim": "lower"}
DUCE = {"type": "play", "card": "2h", "claim": "lower"}
RESIGN = {"type": "resign"}
MOVE_S = 259_200


class Scene(NamedTuple):
    """What is about to happen in a world. `go` may be repeated until it is done; it gives what is answered."""

    players: list[Caller]
    go: Callable[[], Any]


def _requested(players: list[Caller], send: Callable[[], Reply]) -> Scene:
    def go() -> tuple[int, str]:
        reply = send()
        return reply.status, reply.code

    return Scene(players, go)


def _open(world: World, seats: int = 3, **order: Any) -> tuple[list[Caller], str]:
    players = world.players(3)
    match = players[0].ok("POST", "/v1/matches", {"game": "liars-poker", "seats": seats, **order})["id"]
    players[1].ok("POST", f"/v1/matches/{match}/join")
    return players, match


def _active(world: World) -> tuple[list[Caller], str]:
    players = world.players(2)
    return players, world.table(players)


def register(world: World) -> Scene:
    return _requested([], lambda: world.call("POST", "/v1/players", {"name": "somebody"}, None, KEY))


def add_token(world: World) -> Scene:
    (ann,) = world.players(1)
    body = {"scopes": ["read"], "label": "one"}
    return _requested([ann], lambda: ann.call("POST", "/v1/me/tokens", body, KEY))


def create(world: World) -> Scene:
    ann, bob = world.players(2)
    order = {"game": "misfortune", "invite": [bob.id]}
    return _requested([ann, bob], lambda: ann.call("POST", "/v1/matches", order, KEY))


def create_with_bots(world: World) -> Scene:
    (ann,) = world.players(1)
    order = {"game": "misfortune", "bots": 1}
    return _requested([ann], lambda: ann.call("POST", "/v1/matches", order, KEY))


def join(world: World) -> Scene:
    players, match = _open(world, 4)
    return _requested(players, lambda: players[2].call("POST", f"/v1/matches/{match}/join", None, KEY))


def join_last(world: World) -> Scene:
    players, match = _open(world)
    return _requested(players, lambda: players[2].call("POST", f"/v1/matches/{match}/join", None, KEY))


def join_invited(world: World) -> Scene:
    players = world.players(3)
    order = {"game": "liars-poker", "seats": 4, "visibility": "private", "invite": [players[1].id, players[2].id]}
    match = players[0].ok("POST", "/v1/matches", order)["id"]
    return _requested(players, lambda: players[1].call("POST", f"/v1/matches/{match}/join", None, KEY))


def leave(world: World) -> Scene:
    players, match = _open(world)
    return _requested(players, lambda: players[1].call("POST", f"/v1/matches/{match}/leave", None, KEY))


def leave_as_creator(world: World) -> Scene:
    players, match = _open(world)
    return _requested(players, lambda: players[0].call("POST", f"/v1/matches/{match}/leave", None, KEY))


def start(world: World) -> Scene:
    players, match = _open(world)
    return _requested(players, lambda: players[0].call("POST", f"/v1/matches/{match}/start", None, KEY))


def seal(world: World) -> Scene:
    players, match = _active(world)
    return _requested(players, lambda: players[0].act(match, 1, ACE, KEY))


def close_phase(world: World) -> Scene:
    players, match = _active(world)
    players[0].act(match, 1, ACE)
    return _requested(players, lambda: players[1].act(match, 1, DUCE, KEY))


def act_after_a_deadline(world: World) -> Scene:
    """Two writes: the time-out, and the action in the turn after it."""
    players, match = _active(world)
    world.advance(MOVE_S)
    return _requested(players, lambda: players[0].act(match, 2, {**ACE, "card": "2c"}, KEY))


def end(world: World) -> Scene:
    players, match = _active(world)
    return _requested(players, lambda: players[0].act(match, None, RESIGN, KEY))


def read_after_a_deadline(world: World) -> Scene:
    players, match = _active(world)
    world.advance(MOVE_S)
    return _requested(players, lambda: players[0].call("GET", f"/v1/matches/{match}"))


def _finished(world: World) -> tuple[list[Caller], str]:
    players, match = _active(world)
    players[0].act(match, 1, ACE)
    players[1].act(match, None, RESIGN)
    world.settle(world.stream())
    return players, match


def rematch(world: World) -> Scene:
    players, match = _finished(world)
    return _requested(players, lambda: players[0].call("POST", f"/v1/matches/{match}/rematch", None, KEY))


def rematch_too(world: World) -> Scene:
    players, match = _finished(world)
    players[1].ok("POST", f"/v1/matches/{match}/rematch")
    return _requested(players, lambda: players[0].call("POST", f"/v1/matches/{match}/rematch", None, KEY))


def say(world: World) -> Scene:
    players, match = _open(world, rated=False)
    body = {"text": "hello"}
    return _requested(players, lambda: players[1].call("POST", f"/v1/matches/{match}/messages", body, KEY))


SEEK = {"game": "misfortune", "nonce": "c0ffee"}


def seek(world: World) -> Scene:
    """Nobody else waits."""
    (ann,) = world.players(1)
    return _requested([ann], lambda: ann.call("POST", "/v1/seeks", SEEK, KEY))


def seek_and_find(world: World) -> Scene:
    """One waits who is not taken, since another is nearer."""
    players = world.players(3)
    for waiting, points in zip(players[1:], (1450, 1490), strict=True):
        give(wired(), waiting.id, "misfortune", points)
        waiting.ok("POST", "/v1/seeks", {**SEEK, "rating_range": [1500, 1600]})
        world.advance(0.001)  # or chance says who is the oldest
    return _requested(players, lambda: players[0].call("POST", "/v1/seeks", SEEK, KEY))


def seek_a_third(world: World) -> Scene:
    players = world.players(3)
    body = {"game": "liars-poker", "seats": 3}
    for waiting in players[1:]:
        waiting.ok("POST", "/v1/seeks", body)
        world.advance(0.001)
    return _requested(players, lambda: players[0].call("POST", "/v1/seeks", body, KEY))


def cancel_a_seek(world: World) -> Scene:
    (ann,) = world.players(1)
    seek_id = ann.ok("POST", "/v1/seeks", SEEK)["seek"]["id"]
    return _requested([ann], lambda: ann.call("DELETE", f"/v1/seeks/{seek_id}"))


def go_on_vacation(world: World) -> Scene:
    players, _ = _active(world)
    world.table(players)
    return _requested(players, lambda: players[0].call("POST", "/v1/me/vacation", {"days": 3}, KEY))


def close_account(world: World) -> Scene:
    players, _ = _active(world)
    over = world.table(players)
    players[0].act(over, None, RESIGN)
    players[1].ok("POST", "/v1/matches", {"game": "misfortune"})
    return _requested(players, lambda: players[0].call("DELETE", "/v1/me"))


def settle(world: World) -> Scene:
    players, match = _active(world)
    players[0].act(match, None, RESIGN)
    records = world.stream()
    return Scene(players, lambda: world.settle(records))


def settle_aborted(world: World) -> Scene:
    players, match = _open(world)
    players[0].ok("POST", f"/v1/matches/{match}/leave")
    records = world.stream()
    return Scene(players, lambda: world.settle(records))


def sweep_deadlines(world: World) -> Scene:
    players = world.players(2)
    for _ in range(2):
        world.table(players)
    world.advance(MOVE_S)
    return Scene(players, world.sweep)


def sweep_to_the_end(world: World) -> Scene:
    """The third missed turn: both seats leave, the match ends and is settled."""
    players, match = _active(world)
    players[0].act(match, 1, ACE)
    players[1].act(match, 1, DUCE)
    world.advance(4 * MOVE_S)
    return Scene(players, world.sweep)


def sweep_expired(world: World) -> Scene:
    players, _ = _open(world)
    world.advance(14 * 86_400)
    return Scene(players, world.sweep)


def sweep_unsettled(world: World) -> Scene:
    players, match = _active(world)
    players[0].act(match, None, RESIGN)
    world.advance(60)
    return Scene(players, world.sweep)


def sweep_too_early(world: World) -> Scene:
    players, match = _active(world)
    world.advance(1000)
    players[0].act(match, 1, ACE)
    players[1].act(match, 1, DUCE)
    world.advance(MOVE_S - 1000)
    return Scene(players, world.sweep)


def sweep_seeks(world: World) -> Scene:
    """After an hour one accepts another, who is not due yet, and one is no longer what it was."""
    players = world.players(3)
    wishes: list[dict[str, Any]] = [{}, {}, {"rating_range": [1300, 1700]}]
    for caller, points, wish in zip(players, (1400, 2000, 1600), wishes, strict=True):
        give(wired(), caller.id, "misfortune", points)
        caller.ok("POST", "/v1/seeks", SEEK | wish)
        world.advance(60)
        world.sweep()
    give(wired(), players[1].id, "misfortune", 2100)
    world.advance(3600 - 120)
    return Scene(players, world.sweep)


def sweep_expired_seek(world: World) -> Scene:
    players = world.players(1)
    players[0].ok("POST", "/v1/seeks", SEEK)
    world.advance(14 * 86_400)
    return Scene(players, world.sweep)


def wired() -> Services:
    """What the handlers use."""
    from functions.shared import wiring

    return wiring.services()


REQUESTS = (
    *(register, add_token, create, create_with_bots, join, join_last, join_invited, leave, leave_as_creator, start),
    *(seal, close_phase, act_after_a_deadline, end, read_after_a_deadline, rematch, rematch_too, say),
    *(seek, seek_and_find, seek_a_third, cancel_a_seek),
)
JOBS = (go_on_vacation, close_account)
"""A request after which the referee may have to go on."""
SETTLING = (settle, settle_aborted)
SWEEPS = (
    *(sweep_deadlines, sweep_to_the_end, sweep_expired, sweep_unsettled, sweep_too_early),
    *(sweep_seeks, sweep_expired_seek),
)


def stored(world: World, players: list[Caller]) -> Counter[str]:
    """What is stored, less what differs from one run to the next by chance: ids, keys, tokens, deals."""
    names = named(players)
    found: Counter[str] = Counter()
    for (pk, sk), item in world.items().items():
        if sk.startswith("EVENT#"):
            continue  # players are told at least once; the same news has the same id
        owner = next((name for player, name in names.items() if player in pk + sk + str(item.get("player"))), "new")
        kind = sk.partition("#")[0]
        if pk.startswith("IDEM#"):
            kind = "IDEM"
        indexed = [next(iter(item[name].values())) for name in ("lp", "da", "ended") if name in item]
        version = item["v"]["N"] if kind in ("M", "PROFILE") else ""
        found[f"{kind} of {owner if kind not in ('M', 'LOG') else ''} {indexed} v{version}"] += 1
        if kind == "M":
            record = record_of(pk.removeprefix("MAT#"))
            invited = [names[player] for player in record.invited]
            door = (record.rated, record.private, invited, record.settled, len(record.parts), bool(record.rematch))
            found[f"{shown(world, record.match.id, names)} {door}"] += 1
    return found + ladder(world, names)


def named(players: list[Caller]) -> dict[str, str]:
    """What stands for the players' ids."""
    return {player.id: f"player {number}" for number, player in enumerate(players)}


def ladder(world: World, names: dict[str, str]) -> Counter[str]:
    """What is stored of the ladders, less ids."""
    found: Counter[str] = Counter()
    for item in world.dynamo.items("LadderTable"):
        text = json.dumps(item, sort_keys=True)
        for player, name in names.items():
            text = text.replace(player, name)
        found[re.sub(r"mat_[0-9A-Z]{26}|\b[0-9a-f]{32}\b", "id", text)] += 1
    return found


def shown(world: World, match_id: str, names: dict[str, str]) -> str:
    """A match, by what was decided and logged, and when."""
    match = whole_of(match_id)
    seats = [None if s is None else (names.get(s.player, "bot"), s.name == "deleted", *s[5:10]) for s in match.seats]
    log = [(entry.at, entry.turn, entry.type, entry.seat, entry.by, entry.move, entry.committed) for entry in match.log]
    sealed = [(choice.seat, choice.by, choice.at, choice.move) for choice in match.seals]
    pauses = [(pause.seat, pause.start, pause.end) for pause in match.pauses]
    told = (match.status, match.turn, match.opened_at, match.ended_at, match.result, seats, sealed, pauses, log)
    return json.dumps(told)
