"""Clocks in play (api.md, "Clocks"; reports 20, 21; rules/README.md, "leaves")."""

from collections.abc import Callable
from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import less_moment, problem
from tests.service.moments import deadlines, jump, ms, sweep
from tests.service.playing import act, at, create, lay, legal, read, table

FISCHER = {"kind": "fischer", "seconds": 60, "increment": 5, "cap": 62}
BYO_YOMI = {"kind": "byo-yomi", "seconds": 20, "periods": 3, "period_seconds": 10}
PER_MOVE = {"kind": "per-move", "seconds": 60}
NONE = {"kind": "none"}
BID = {"type": "bid", "count": 1, "digit": 0}

Pair = tuple[Client, Client]


def clocks(client: Client, match: str) -> list[Any]:
    return [seat["clock"] for seat in read(client, match)["seats"]]


def liars(ann: Client, bob: Client, clock: Any) -> tuple[str, Pair]:
    """A match of Liar's Poker, and its players, the first one to bid in front."""
    match = table(ann, bob, game="liars-poker", clock=clock)
    return match, ((ann, bob) if read(ann, match)["to_act"] == [0] else (bob, ann))


def remaining(client: Client, match: str) -> int:
    """What the standing clock has in hand."""
    (found,) = [clock["remaining_ms"] for clock in clocks(client, match) if "remaining_ms" in clock]
    return int(found)


def ended(client: Client, match: str) -> tuple[str, list[int], int]:
    """How a match ended, and when."""
    over = read(client, match)
    assert over["status"] == "finished", over
    return over["result"]["reason"], over["result"]["ranks"], ms(over["ended_at"])


@pytest.mark.parametrize(
    ("clock", "thought", "left"),
    [
        (FISCHER, 20, 45_000),
        (FISCHER, 59.999, 5_001),
        (FISCHER, 1, 62_000),
        (BYO_YOMI, 0, 50_000),
        (BYO_YOMI, 19.999, 30_001),
        (BYO_YOMI, 29.999, 30_000),
        (BYO_YOMI, 30, 20_000),
        (BYO_YOMI, 49.999, 10_000),
        (PER_MOVE, 59, 60_000),
    ],
)
def test_a_move_leaves_what_the_clock_gives_back(
    service: LocalService, ann: Client, bob: Client, clock: Any, thought: float, left: int
) -> None:
    match, (first, second) = liars(ann, bob, clock)
    whole = remaining(first, match)
    opened = ms(read(ann, match)["server_time"])
    assert [limit - opened for limit in deadlines(ann, match) if limit] == [whole]
    moved = jump(service, thought)
    at(act(first, match, BID, 1))
    assert remaining(second, match) == left
    assert [limit - moved for limit in deadlines(ann, match) if limit] == [whole]


def test_reserves_run_down_over_several_moves(service: LocalService, ann: Client, bob: Client) -> None:
    match, players = liars(ann, bob, FISCHER)
    for turn in range(1, 5):
        jump(service, 30)
        at(act(players[(turn + 1) % 2], match, {**BID, "digit": turn}, turn))
    assert remaining(ann, match) == 60_000 - 2 * 25_000
    (limit,) = [limit for limit in deadlines(ann, match) if limit]
    jump(service, 10)
    assert ended(ann, match)[::2] == ("timeout", limit)


@pytest.mark.parametrize(("clock", "seconds"), [(FISCHER, 60), (BYO_YOMI, 50)])
def test_who_runs_out_of_time_forfeits_at_the_deadline(
    service: LocalService, ann: Client, bob: Client, clock: Any, seconds: int
) -> None:
    match = table(ann, bob, clock=clock)
    (limit, _) = deadlines(ann, match)
    at(lay(bob, match, "Q", "higher", 1))
    service.advance(seconds + 90)
    assert ended(ann, match) == ("timeout", [2, 1], limit)
    assert [seat["left"] for seat in read(ann, match)["seats"]] == ["timeout", None]


def test_without_a_clock_nobody_runs_out_of_time(service: LocalService, ann: Client, bob: Client) -> None:
    match = create(ann, clock=NONE)
    assert clocks(ann, match) == [{}]
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    seen = read(ann, match)
    assert (seen["rated"], seen["clock"], clocks(ann, match)) == (False, NONE, [{}, {}])
    assert 2 <= seen["poll_after"] <= 30
    timed = table(ann, bob)
    assert [head["id"] for head in ann.ok("GET", "/v1/matches?my_turn=true")["items"]] == [timed, match]
    jump(service, 390 * 86_400)
    sweep(service)
    assert read(ann, timed)["status"] == "aborted"
    assert less_moment(read(ann, match)) == less_moment(seen)
    at(lay(ann, match, "7", "higher", 1))
    assert at(lay(bob, match, "9", "higher", 1))["turn"] == 2


def test_a_match_without_a_clock_is_not_rated(ann: Client) -> None:
    order = {"game": "misfortune", "clock": NONE, "rated": True}
    assert problem(ann.call("POST", "/v1/matches", order), 422, "invalid-request")["errors"][0]["loc"] == ["rated"]
    for clock in (FISCHER, BYO_YOMI, PER_MOVE):
        assert ann.ok("POST", "/v1/matches", {**order, "clock": clock})["rated"] is True


@pytest.mark.parametrize(
    ("clock", "field"),
    [
        ({}, "kind"),
        ({"kind": "hourglass"}, "kind"),
        ({**FISCHER, "cap": 59}, "cap"),
        ({**FISCHER, "cap": 7_776_001}, "cap"),
        ({**FISCHER, "increment": -1}, "increment"),
        ({**FISCHER, "increment": None}, "increment"),
        ({**FISCHER, "seconds": 9}, "seconds"),
        ({**FISCHER, "on_timeout": "default-action"}, "on_timeout"),
        ({**FISCHER, "periods": 1}, "periods"),
        ({**BYO_YOMI, "periods": 21}, "periods"),
        ({**BYO_YOMI, "periods": True}, "periods"),
        ({**BYO_YOMI, "period_seconds": "10"}, "period_seconds"),
        ({**BYO_YOMI, "seconds": 7_776_000}, "periods"),
        ({**BYO_YOMI, "on_timeout": "default-action"}, "on_timeout"),
        ({**PER_MOVE, "seconds": 2_592_001}, "seconds"),
        ({**PER_MOVE, "increment": 5}, "increment"),
        ({**NONE, "seconds": 60}, "seconds"),
        ({**NONE, "on_timeout": "forfeit"}, "on_timeout"),
    ],
)
def test_a_clock_that_can_not_be_names_its_field(ann: Client, clock: Any, field: str) -> None:
    reply = ann.call("POST", "/v1/matches", {"game": "misfortune", "clock": clock})
    (error,) = problem(reply, 422, "invalid-request")["errors"]
    assert error["loc"] == ["clock", field]


@pytest.fixture
def uneven(service: LocalService, ann: Client, bob: Client) -> str:
    """Misfortune's second round: ann has 62 seconds, bob just 20."""
    match = table(ann, bob, clock=FISCHER)
    at(lay(ann, match, "7", "higher", 1))
    jump(service, 45)
    at(lay(bob, match, "7", "higher", 1))
    opened = ms(read(ann, match)["server_time"])
    assert [limit - opened for limit in deadlines(ann, match) if limit] == [62_000, 20_000]
    return match


def picture(client: Client, match: str) -> list[Any]:
    """Everything that a viewer is told of a match, and the tags of it."""
    paths = [f"/v1/matches/{match}", f"/v1/matches/{match}/log?limit=100"]
    if client.token is not None:
        paths += [f"/v1/matches/{match}/legal-actions", "/v1/matches?mine=true", "/v1/matches?my_turn=true"]
    replies = [client.call("GET", path) for path in paths]
    return [(reply.status, reply.headers["etag"], less_moment(reply.body)) for reply in replies]


@pytest.mark.parametrize("is_refereed", [True, False])
def test_who_has_run_out_of_time_in_an_open_phase_is_out_when_it_closes_and_nobody_sees_it_before(
    service: LocalService, anybody: Client, ann: Client, bob: Client, uneven: str, is_refereed: bool
) -> None:
    others = (ann, anybody)
    before, limits = [picture(client, uneven) for client in others], deadlines(ann, uneven)
    jump(service, 20)
    for _ in range(2):
        if is_refereed:
            sweep(service)
        assert [picture(client, uneven) for client in others] == before
        seen = read(bob, uneven)
        assert (seen["status"], seen["turn"], seen["to_act"]) == ("active", 2, [0, 1])
        assert (seen["you"]["to_act"], legal(bob, uneven)["actions"]) == (False, [])
        assert bob.ok("GET", "/v1/matches?my_turn=true")["items"] == []
        assert deadlines(bob, uneven) == limits
        problem(lay(bob, uneven, "8", "higher", 2), 409, "not-your-turn")
        jump(service, 10)
    closed = at(lay(ann, uneven, "8", "higher", 2))
    assert [seat["left"] for seat in closed["seats"]] == [None, "timeout"]
    assert ended(anybody, uneven) == ("timeout", [1, 2], ms(closed["server_time"]))


@pytest.mark.parametrize("is_refereed", [True, False])
def test_both_out_of_time_in_one_phase_is_a_draw_at_the_last_deadline(
    service: LocalService, ann: Client, bob: Client, uneven: str, is_refereed: bool
) -> None:
    limit = deadlines(ann, uneven)[0]
    if is_refereed:
        service.advance(100)
    else:
        jump(service, 100)
    assert ended(ann, uneven) == ("timeout", [1, 1], limit)


def test_a_choice_that_was_sealed_in_time_stands(service: LocalService, ann: Client, bob: Client, uneven: str) -> None:
    jump(service, 19.999)
    at(lay(bob, uneven, "8", "higher", 2))
    limit = deadlines(ann, uneven)[0]
    jump(service, 60)
    assert ended(bob, uneven) == ("timeout", [2, 1], limit)


def test_who_resigns_when_the_other_has_run_out_of_time_draws(
    service: LocalService, ann: Client, bob: Client, uneven: str
) -> None:
    jump(service, 30)
    at(act(ann, uneven, {"type": "resign"}))
    assert ended(bob, uneven)[1] == [1, 1]


def test_in_a_larger_game_the_phase_closes_without_who_is_out(
    service: LocalService, ann: Client, bob: Client, cyd: Client, new_player: Callable[[], Client]
) -> None:
    clients = (ann, bob, cyd, new_player())
    match = table(*clients, game="micro-poker", clock=FISCHER)
    late, second, third = read(ann, match)["to_act"]
    for seat in (second, third):
        at(act(clients[seat], match, legal(clients[seat], match)["actions"][0], 1))
        assert read(ann, match)["turn"] == 1
    (limit,) = {limit for limit in deadlines(ann, match) if limit}
    jump(service, 75)
    seen = read(ann, match)
    assert [seat["seat"] for seat in seen["seats"] if seat["left"] == "timeout"] == [late]
    log = ann.ok("GET", f"/v1/matches/{match}/log?limit=100")["items"]
    assert {event["seat"]: event["by"] for event in log if event["turn"] == 1 and "by" in event} == {
        late: "clock",
        second: "player",
        third: "player",
    }
    assert {ms(event["at"]) for event in log if event["turn"] == 1} == {limit}


def by_read(service: LocalService, client: Client, match: str) -> None:
    read(client, match)


def by_referee(service: LocalService, client: Client, match: str) -> None:
    sweep(service)


def by_nobody(service: LocalService, client: Client, match: str) -> None:
    """The action itself is the first to come."""


@pytest.mark.parametrize("look", [by_nobody, by_read, by_referee])
@pytest.mark.parametrize("offset", [-0.001, 0, 0.001])
@pytest.mark.parametrize("clock", [PER_MOVE, {**PER_MOVE, "on_timeout": "forfeit"}, FISCHER])
def test_around_the_deadline_either_the_move_stands_or_the_time_out(
    service: LocalService, ann: Client, bob: Client, look: Any, offset: float, clock: Any
) -> None:
    match, (first, second) = liars(ann, bob, clock)
    at(act(first, match, BID, 1))
    jump(service, 60 + offset)
    look(service, first, match)
    reply = act(second, match, {**BID, "digit": 1}, 2)
    sweep(service)
    log = ann.ok("GET", f"/v1/matches/{match}/log?limit=100")["items"]
    moves = [event for event in log if event["turn"] == 2 and event.get("by")]
    if offset < 0:
        at(reply)
        assert [event["by"] for event in moves] == ["player"]
        assert read(ann, match)["status"] == "active"
        return
    problem(reply, 409, "stale-turn" if clock is PER_MOVE else "match-over")
    assert [event["by"] for event in moves] == (["clock"] if clock is PER_MOVE else [])
    assert (read(ann, match)["status"] == "finished") == (clock is not PER_MOVE)
