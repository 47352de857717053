"""The matrix's operations on matches."""

from typing import Any

from tests.faults.matrix_stage import Setting, Stage, asking, firing, posting
from tests.faults.matrix_stories import Kind, Operation
from tests.faults.world import Caller

ACE = {"type": "play", "card": "Ac", "claim": "lower"}
DUCE = {"type": "play", "card": "2h", "claim": "lower"}
RESIGN = {"type": "resign"}
MOVE_S = 259_200
"""The time for a move unless a match says otherwise."""


def acting(caller: Caller, match: str, action: Any, turn: int | None = None) -> Any:
    """An action of a player's."""
    return posting(
        caller, f"/v1/matches/{match}/actions", {"action": action} | ({} if turn is None else {"turn": turn})
    )


def opened(stage: Stage, seats: int, joined: int = 1, **order: Any) -> tuple[list[Caller], str]:
    """An open match, and its path: of four players the first made it, and so many of the others have joined."""
    players = stage.world.players(4)
    made = players[0].ok("POST", "/v1/matches", {"game": "liars-poker", "seats": seats, **order})
    path = f"/v1/matches/{made['id']}"
    for player in players[1 : 1 + joined]:
        player.ok("POST", f"{path}/join")
    return players, path


def active(stage: Stage) -> tuple[Caller, Caller, str]:
    """Two players, and their match of Misfortune."""
    ann, bob = stage.world.players(2)
    return ann, bob, stage.world.table([ann, bob])


def ended(stage: Stage) -> tuple[Caller, Caller, str]:
    """As `active`, and each has acted before one resigned."""
    ann, bob, match = active(stage)
    ann.act(match, 1, ACE)
    bob.act(match, 1, DUCE)
    ann.act(match, None, RESIGN)
    return ann, bob, match


def create(stage: Stage) -> Setting:
    ann, bob = stage.world.players(2)
    order = {"game": "misfortune", "invite": [bob.id]}
    return Setting(posting(ann, "/v1/matches", order), asking(ann, "PATCH", "/v1/me", {"name": "anna"}))


def create_with_a_bot(stage: Stage) -> Setting:
    (ann,) = stage.world.players(1)
    rename = asking(ann, "PATCH", "/v1/me", {"name": "anna"})
    return Setting(posting(ann, "/v1/matches", {"game": "misfortune", "bots": 1}), rename)


def join(stage: Stage) -> Setting:
    players, path = opened(stage, 4)
    return Setting(posting(players[2], f"{path}/join"), posting(players[3], f"{path}/join"))


def join_last(stage: Stage) -> Setting:
    players, path = opened(stage, 3)
    return Setting(posting(players[2], f"{path}/join"), posting(players[3], f"{path}/join"))


def leave(stage: Stage) -> Setting:
    players, path = opened(stage, 3)
    return Setting(posting(players[1], f"{path}/leave"), posting(players[2], f"{path}/join"))


def leave_as_creator(stage: Stage) -> Setting:
    players, path = opened(stage, 3)
    return Setting(posting(players[0], f"{path}/leave"), posting(players[2], f"{path}/join"))


def start(stage: Stage) -> Setting:
    players, path = opened(stage, 4)
    return Setting(posting(players[0], f"{path}/start"), posting(players[2], f"{path}/join"))


def nonce(stage: Stage) -> Setting:
    players, path = opened(stage, 3)
    put = asking(players[1], "PUT", f"{path}/nonce", {"nonce": "c0ffee"})
    return Setting(put, posting(players[0], f"{path}/start"))


def act(stage: Stage) -> Setting:
    ann, bob, match = active(stage)
    return Setting(acting(ann, match, ACE, 1), acting(bob, match, DUCE, 1))


def act_last(stage: Stage) -> Setting:
    ann, bob, match = active(stage)
    ann.act(match, 1, ACE)
    return Setting(acting(bob, match, DUCE, 1), acting(ann, match, RESIGN))


def act_after_a_deadline(stage: Stage) -> Setting:
    ann, _, match = active(stage)
    stage.world.advance(MOVE_S)
    return Setting(acting(ann, match, {**ACE, "card": "2c"}, 2), firing(stage, "RefereeFunction"))


def act_to_the_end(stage: Stage) -> Setting:
    ann, bob = stage.world.players(2)
    match = stage.world.table([ann, bob], "liars-poker")
    first, second = (ann, bob) if ann.ok("GET", f"/v1/matches/{match}")["to_act"] == [0] else (bob, ann)
    assert first.act(match, 1, {"type": "bid", "count": 1, "digit": 0}).status == 200
    return Setting(acting(second, match, {"type": "challenge"}, 2), acting(first, match, RESIGN))


def resign(stage: Stage) -> Setting:
    ann, bob, match = active(stage)
    return Setting(acting(ann, match, RESIGN), acting(bob, match, RESIGN))


def read_after_a_deadline(stage: Stage) -> Setting:
    ann, _, match = active(stage)
    stage.world.advance(MOVE_S)
    return Setting(asking(ann, "GET", f"/v1/matches/{match}"), firing(stage, "RefereeFunction"))


def rematch(stage: Stage) -> Setting:
    ann, bob, match = ended(stage)
    stage.streams.drain()
    return Setting(posting(ann, f"/v1/matches/{match}/rematch"), posting(bob, f"/v1/matches/{match}/rematch"))


def rematch_too(stage: Stage) -> Setting:
    ann, bob, match = ended(stage)
    stage.streams.drain()
    made = bob.ok("POST", f"/v1/matches/{match}/rematch")
    again = posting(ann, f"/v1/matches/{match}/rematch")
    return Setting(again, posting(bob, f"/v1/matches/{made['id']}/leave"))


def say(stage: Stage) -> Setting:
    players, path = opened(stage, 3, rated=False)
    message = posting(players[1], f"{path}/messages", {"text": "hello"})
    return Setting(message, posting(players[0], f"{path}/messages", {"text": "who is there?"}))


def time_out(stage: Stage) -> Setting:
    ann, _, match = active(stage)
    stage.world.advance(MOVE_S)
    return Setting(firing(stage, "RefereeFunction"), acting(ann, match, {**ACE, "card": "2c"}, 2))


def time_out_to_the_end(stage: Stage) -> Setting:
    ann, bob, match = active(stage)
    ann.act(match, 1, ACE)
    bob.act(match, 1, DUCE)
    stage.world.advance(4 * MOVE_S)
    return Setting(firing(stage, "RefereeFunction"), asking(ann, "GET", f"/v1/matches/{match}"))


def expire(stage: Stage) -> Setting:
    players, path = opened(stage, 3)
    stage.world.advance(14 * 86_400)
    return Setting(firing(stage, "RefereeFunction"), posting(players[2], f"{path}/join"))


_MATCH = "/v1/matches/{match}"

OPERATIONS = (
    Operation("create a match", "POST /v1/matches", Kind.REQUEST, create, "its creator takes another name"),
    Operation(
        "create, with a bot", "POST /v1/matches", Kind.REQUEST, create_with_a_bot, "its creator takes another name"
    ),
    Operation("join", f"POST {_MATCH}/join", Kind.REQUEST, join, "another joins"),
    Operation("join, the last seat", f"POST {_MATCH}/join", Kind.REQUEST, join_last, "another takes that seat"),
    Operation("leave", f"POST {_MATCH}/leave", Kind.REQUEST, leave, "the last seat is taken"),
    Operation(
        "leave, as the creator", f"POST {_MATCH}/leave", Kind.REQUEST, leave_as_creator, "the last seat is taken"
    ),
    Operation("start", f"POST {_MATCH}/start", Kind.REQUEST, start, "another joins"),
    Operation("nonce", f"PUT {_MATCH}/nonce", Kind.REQUEST, nonce, "the creator starts the match"),
    Operation("act, sealed", f"POST {_MATCH}/actions", Kind.REQUEST, act, "the other seat seals"),
    Operation("act, closing a phase", f"POST {_MATCH}/actions", Kind.REQUEST, act_last, "the other seat resigns"),
    Operation(
        "act, after a deadline passed",
        f"POST {_MATCH}/actions",
        Kind.REQUEST,
        act_after_a_deadline,
        "the referee finds the deadline",
    ),
    Operation(
        "act, ending the match", f"POST {_MATCH}/actions", Kind.REQUEST, act_to_the_end, "the other seat resigns"
    ),
    Operation("resign", f"POST {_MATCH}/actions", Kind.REQUEST, resign, "the other seat resigns"),
    Operation(
        "read, after a deadline passed",
        f"GET {_MATCH}",
        Kind.REQUEST,
        read_after_a_deadline,
        "the referee finds the deadline",
    ),
    Operation("rematch", f"POST {_MATCH}/rematch", Kind.REQUEST, rematch, "the other asks for it, too"),
    Operation("rematch, joining it", f"POST {_MATCH}/rematch", Kind.REQUEST, rematch_too, "who asked for it leaves it"),
    Operation("message", f"POST {_MATCH}/messages", Kind.REQUEST, say, "another message"),
    Operation("a deadline passes", "RefereeFunction", Kind.SCHEDULE, time_out, "a seat acts in the turn after it"),
    Operation(
        "the last deadline passes", "RefereeFunction", Kind.SCHEDULE, time_out_to_the_end, "somebody reads the match"
    ),
    Operation("an open match expires", "RefereeFunction", Kind.SCHEDULE, expire, "somebody takes the last seat"),
)
