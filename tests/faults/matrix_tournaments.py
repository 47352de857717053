"""The matrix's operations on tournaments: what players and organizers ask for, and what moves one on by itself."""

from contextlib import suppress
from typing import Any

from functions.shared.clock import rfc3339
from tests.faults.breaking import Killed, killed_after, on
from tests.faults.matrix_play import ACE, DUCE, RESIGN, acting
from tests.faults.matrix_stage import Setting, Stage, asking, delivering, firing, posting
from tests.faults.matrix_stories import Kind, Operation
from tests.faults.world import Caller

HOUR_S = 3600
SLOW = {"kind": "per-move", "seconds": 2_592_000}
WEEK_S = 7 * 86_400


def announced(stage: Stage, **more: Any) -> tuple[Caller, str]:
    """An organizer, and the path of their tournament, which starts in an hour."""
    (organizer,) = stage.world.players(1)
    return organizer, f"/v1/tournaments/{organizer.ok('POST', '/v1/tournaments', _order(stage, **more))['id']}"


def _order(stage: Stage, **more: Any) -> dict[str, Any]:
    starts_at = rfc3339(stage.world.clock.now() + 1000 * HOUR_S)
    order = {"name": "An event", "game": "misfortune", "format": "single-elimination", "starts_at": starts_at}
    return order | more


def entered(stage: Stage, count: int, **more: Any) -> tuple[Caller, list[Caller], str]:
    """As `announced`, with so many entries, a second apart."""
    organizer, path = announced(stage, **more)
    players = stage.world.players(count)
    for player in players:
        player.ok("POST", f"{path}/entries")
        stage.world.advance(1)
    return organizer, players, path


def begun(stage: Stage, count: int, **more: Any) -> tuple[Caller, list[Caller], str]:
    """As `entered`, and it has started."""
    organizer, players, path = entered(stage, count, **more)
    stage.world.advance(HOUR_S)
    stage.minute()
    return organizer, players, path


def pairings(organizer: Caller, path: str) -> list[Any]:
    """All pairings that somebody is known of, in the order of display."""
    stages = organizer.ok("GET", f"{path}/bracket")["stages"]
    return [one for stage in stages for part in stage["rounds"] for one in part["pairings"]]


def finish(players: list[Caller], match: str) -> None:
    """Plays a match that whoever has seat 0 wins."""
    seats = players[0].ok("GET", f"/v1/matches/{match}")["seats"]
    by_id = {player.id: player for player in players}
    first, second = (by_id[seat["player"]["id"]] for seat in seats)
    assert first.act(match, 1, ACE).status == second.act(match, 1, DUCE).status == 200
    assert second.act(match, None, RESIGN).status == 200


def open_matches(organizer: Caller, path: str) -> list[str]:
    """The matches that are being played."""
    return [one["matches"][-1] for one in pairings(organizer, path) if one["status"] == "playing"]


def create(stage: Stage) -> Setting:
    (organizer,) = stage.world.players(1)
    return Setting(posting(organizer, "/v1/tournaments", _order(stage)))


def change(stage: Stage) -> Setting:
    """A place more, which whoever waits gets."""
    organizer, players, path = entered(stage, 3, registration={"capacity": 2})
    organizer.ok("POST", f"{path}/organizers/{players[0].id}")
    patch = asking(organizer, "PATCH", path, {"registration": {"capacity": 3}})
    return Setting(patch, asking(players[0], "PATCH", path, {"name": "Another event"}))


def enter(stage: Stage) -> Setting:
    _, _, path = entered(stage, 2, registration={"capacity": 3})
    ann, bob = stage.world.players(2)
    return Setting(posting(ann, f"{path}/entries"), posting(bob, f"{path}/entries"))


def withdraw(stage: Stage) -> Setting:
    """Whose place goes to who waits."""
    _, players, path = entered(stage, 3, registration={"capacity": 2})
    leave = asking(players[0], "DELETE", f"{path}/entries/me")
    return Setting(leave, asking(players[2], "DELETE", f"{path}/entries/me"))


def withdraw_from_play(stage: Stage) -> Setting:
    organizer, players, path = begun(stage, 4)
    pairing = pairings(organizer, path)[0]
    first, second = (
        next(player for player in players if player.id == side["player"]["id"]) for side in pairing["sides"]
    )
    (match,) = pairing["matches"]
    return Setting(asking(first, "DELETE", f"{path}/entries/me"), acting(second, match, RESIGN))


def check_in(stage: Stage) -> Setting:
    organizer, players, path = entered(stage, 2, registration={"check_in_minutes": 15})
    stage.world.advance(HOUR_S - 600)
    leave = asking(organizer, "DELETE", f"{path}/entries/{players[0].id}")
    return Setting(posting(players[0], f"{path}/check-in"), leave)


def start(stage: Stage) -> Setting:
    organizer, _, path = entered(stage, 3)
    (late,) = stage.world.players(1)
    return Setting(posting(organizer, f"{path}/start"), posting(late, f"{path}/entries"))


def cancel(stage: Stage) -> Setting:
    organizer, _, path = begun(stage, 2)
    rename = asking(organizer, "PATCH", path, {"name": "Another event"})
    return Setting(posting(organizer, f"{path}/cancel", {"reason": "Rain"}), rename)


def add_organizer(stage: Stage) -> Setting:
    organizer, path = announced(stage)
    (ann,) = stage.world.players(1)
    rename = asking(organizer, "PATCH", path, {"name": "Another event"})
    return Setting(posting(organizer, f"{path}/organizers/{ann.id}"), rename)


def remove_organizer(stage: Stage) -> Setting:
    organizer, path = announced(stage)
    (ann,) = stage.world.players(1)
    organizer.ok("POST", f"{path}/organizers/{ann.id}")
    rename = asking(ann, "PATCH", path, {"name": "Another event"})
    return Setting(asking(organizer, "DELETE", f"{path}/organizers/{ann.id}"), rename)


def rule(stage: Stage) -> Setting:
    organizer, players, path = begun(stage, 3)
    (match,) = open_matches(organizer, path)
    pairing = next(one for one in pairings(organizer, path) if match in one["matches"])
    finish(players, match)
    settling = delivering(stage, "SettleFunction", stage.event_of("SettleFunction"))
    body = {"ranks": [2, 1], "reason": "They agreed"}
    return Setting(posting(organizer, f"{path}/pairings/{pairing['id']}/result", body), settling)


def overturn(stage: Stage) -> Setting:
    """A result whose follower is being played."""
    organizer, players, path = begun(stage, 4)
    for match in open_matches(organizer, path):
        finish(players, match)
    stage.streams.drain()
    (final,) = open_matches(organizer, path)
    pairing = pairings(organizer, path)[0]
    ranks = [3 - rank for rank in pairing["result"]["ranks"]]
    body = {"ranks": ranks, "reason": "They agreed", "cascade": True}
    finish(players, final)
    settling = delivering(stage, "SettleFunction", stage.event_of("SettleFunction"))
    return Setting(posting(organizer, f"{path}/pairings/{pairing['id']}/result", body), settling)


def start_at_its_hour(stage: Stage) -> Setting:
    _, players, path = entered(stage, 3)
    stage.world.advance(HOUR_S)
    return Setting(firing(stage, "RefereeFunction"), asking(players[2], "DELETE", f"{path}/entries/me"))


def call_off(stage: Stage) -> Setting:
    organizer, _, path = entered(stage, 1)
    stage.world.advance(HOUR_S)
    return Setting(firing(stage, "RefereeFunction"), asking(organizer, "PATCH", path, {"name": "Another event"}))


def step(stage: Stage) -> Setting:
    """All that is left of a start when whoever began it was stopped."""
    organizer, _, path = entered(stage, 3)
    stopping = on("TransactWriteItems", killed_after, table="TournamentsTable")
    with stage.world.around(stopping), suppress(Killed):
        posting(organizer, f"{path}/start")()
    rename = asking(organizer, "PATCH", path, {"name": "Another event"})
    return Setting(delivering(stage, "SettleFunction", stage.event_of("SettleFunction")), rename)


def advance(stage: Stage) -> Setting:
    """The second finalist becomes known, and the final begins."""
    organizer, players, path = begun(stage, 4)
    settling = []
    for match in open_matches(organizer, path):
        finish(players, match)
        settling.append(delivering(stage, "SettleFunction", stage.event_of("SettleFunction")))
    return Setting(*settling)


def end(stage: Stage) -> Setting:
    organizer, players, path = begun(stage, 2)
    (match,) = open_matches(organizer, path)
    finish(players, match)
    rename = asking(organizer, "PATCH", path, {"name": "Another event"})
    return Setting(delivering(stage, "SettleFunction", stage.event_of("SettleFunction")), rename)


def next_round(stage: Stage) -> Setting:
    """The last result of a round in which everybody plays everybody."""
    organizer, players, path = begun(stage, 4, format="round-robin")
    settling = []
    for match in open_matches(organizer, path):
        finish(players, match)
        settling.append(delivering(stage, "SettleFunction", stage.event_of("SettleFunction")))
    return Setting(*settling)


def pass_a_deadline(stage: Stage) -> Setting:
    organizer, players, path = begun(stage, 3, match={"clock": SLOW}, round_deadline=WEEK_S)
    (match,) = open_matches(organizer, path)
    stage.world.advance(WEEK_S)
    seated = players[0].ok("GET", f"/v1/matches/{match}")["seats"][0]["player"]["id"]
    player = next(one for one in players if one.id == seated)
    return Setting(firing(stage, "RefereeFunction"), acting(player, match, RESIGN))


_PATH = "/v1/tournaments/{tournament}"
_RENAMED = "it is given another name"

OPERATIONS = (
    Operation("create a tournament", "POST /v1/tournaments", Kind.REQUEST, create),
    Operation("change it", f"PATCH {_PATH}", Kind.REQUEST, change, "another organizer changes it"),
    Operation("enter", f"POST {_PATH}/entries", Kind.REQUEST, enter, "another takes the last place"),
    Operation(
        "withdraw", f"DELETE {_PATH}/entries/{{player}}", Kind.REQUEST, withdraw, "who waits for the place withdraws"
    ),
    Operation(
        "withdraw, while it runs",
        f"DELETE {_PATH}/entries/{{player}}",
        Kind.REQUEST,
        withdraw_from_play,
        "the opponent resigns",
    ),
    Operation("check in", f"POST {_PATH}/check-in", Kind.REQUEST, check_in, "the organizer withdraws them"),
    Operation("start it", f"POST {_PATH}/start", Kind.REQUEST, start, "another enters"),
    Operation("cancel it", f"POST {_PATH}/cancel", Kind.REQUEST, cancel, _RENAMED),
    Operation("add an organizer", f"POST {_PATH}/organizers/{{player}}", Kind.REQUEST, add_organizer, _RENAMED),
    Operation(
        "remove an organizer",
        f"DELETE {_PATH}/organizers/{{player}}",
        Kind.REQUEST,
        remove_organizer,
        "that organizer gives it another name",
    ),
    Operation("rule", f"POST {_PATH}/pairings/{{pairing}}/result", Kind.REQUEST, rule, "its match's result comes"),
    Operation(
        "rule, undoing a final",
        f"POST {_PATH}/pairings/{{pairing}}/result",
        Kind.REQUEST,
        overturn,
        "the final's result comes",
    ),
    Operation("its hour comes", "RefereeFunction", Kind.SCHEDULE, start_at_its_hour, "an entrant withdraws"),
    Operation("its hour comes, too few are there", "RefereeFunction", Kind.SCHEDULE, call_off, _RENAMED),
    Operation("its start goes on", "SettleFunction", Kind.STREAM, step, _RENAMED),
    Operation("a result moves it on", "SettleFunction", Kind.STREAM, advance, "the other result comes"),
    Operation("the last result of a round", "SettleFunction", Kind.STREAM, next_round, "the other result comes"),
    Operation("the last result", "SettleFunction", Kind.STREAM, end, _RENAMED),
    Operation("a round's deadline passes", "RefereeFunction", Kind.SCHEDULE, pass_a_deadline, "a player resigns"),
)
