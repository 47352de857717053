"""No index key changes on an ordinary move: each would cost two more writes (promise 2, tables.md)."""

from typing import Any

import pytest

from tests.faults.clients import actions, house
from tests.faults.world import World, record_of

KEYS = ("lp", "la", "dp", "da")
DAYS_14 = 14 * 86_400_000


def index_keys(world: World, match: str) -> dict[str, Any]:
    """What the item has for the indexes of the table."""
    item = world.items()[f"MAT#{match}", "M"]
    return {name: next(iter(item[name].values())) for name in KEYS if name in item}


@pytest.mark.parametrize(
    ("game", "seats"), [("liars-poker", 4), ("misfortune", 2), ("half-deck-poker", 2), ("micro-poker", 3)]
)
def test_index_keys_stay_through_a_whole_match_and_move_with_its_status_only(
    world: World, game: str, seats: int
) -> None:
    callers = world.players(seats)
    match = world.table(callers, game)
    started = index_keys(world, match)
    seconds = callers[0].ok("GET", f"/v1/matches/{match}")["clock"]["seconds"]
    assert started["lp"] == f"active#{game}"
    assert started["da"] == str(world.clock.now() + 1000 * seconds)
    for caller, turn, action in actions(world, callers, match, house):
        assert index_keys(world, match) == started
        assert caller.act(match, turn, action).status == 200
    ended = index_keys(world, match)
    assert ended["lp"] == f"done#{game}"
    assert ended["dp"] == started["dp"]


def test_an_open_match_is_due_when_it_expires_and_a_started_one_at_its_first_deadline(world: World) -> None:
    ann, bob = world.players(2)
    match = ann.ok("POST", "/v1/matches", {"game": "misfortune"})["id"]
    opened = index_keys(world, match)
    assert (opened["lp"], opened["da"]) == ("open#misfortune", str(world.clock.now() + DAYS_14))
    world.advance(60)
    bob.ok("POST", f"/v1/matches/{match}/join")
    started = index_keys(world, match)
    assert (started["lp"], started["da"]) == ("active#misfortune", str(world.clock.now() + 259_200_000))


def test_what_happens_before_the_start_changes_no_index_key(world: World) -> None:
    ann, bob, cyd = world.players(3)
    match = ann.ok("POST", "/v1/matches", {"game": "liars-poker", "seats": 4})["id"]
    opened = index_keys(world, match)
    world.advance(60)
    for caller, method, what, body in (
        (bob, "POST", "join", None),
        (cyd, "POST", "join", None),
        (bob, "PUT", "nonce", {"nonce": "00"}),
        (cyd, "POST", "leave", None),
    ):
        caller.ok(method, f"/v1/matches/{match}/{what}", body)
        assert index_keys(world, match) == opened


def test_the_referee_moves_a_due_time_that_came_too_early_once(world: World) -> None:
    ann, bob = world.players(2)
    match = world.table([ann, bob])
    first_due = world.clock.now() + 259_200_000
    world.advance(200_000)
    ann.act(match, 1, {"type": "play", "card": "Ac", "claim": "lower"})
    bob.act(match, 1, {"type": "play", "card": "Ah", "claim": "lower"})
    second_due = world.clock.now() + 259_200_000
    assert index_keys(world, match)["da"] == str(first_due)
    world.advance(59_200)
    assert world.sweep() == {"postponed": 1}
    assert index_keys(world, match)["da"] == str(second_due)
    assert world.sweep() == {}
    world.advance(200_000)
    assert world.sweep() == {"advanced": 1}
    assert record_of(match).match.turn == 3


def test_a_due_time_that_would_come_too_late_is_written_at_once(world: World) -> None:
    """Of two players with a bank each, one has little left, and the referee has been told of the other's deadline."""
    players = world.players(2)
    bank = {"kind": "fischer", "seconds": 1000, "increment": 0, "cap": 1000}
    match = world.table(players, "liars-poker", clock=bank)
    started = world.clock.now()
    first = players[0].ok("GET", f"/v1/matches/{match}")["to_act"][0]
    world.advance(900)
    assert players[first].act(match, 1, {"type": "bid", "count": 1, "digit": 0}).status == 200
    assert index_keys(world, match)["da"] == str(started + 1_000_000)
    world.advance(100)
    assert world.sweep() == {"postponed": 1}
    assert index_keys(world, match)["da"] == str(started + 1_900_000)
    world.advance(100)
    assert players[1 - first].act(match, 2, {"type": "bid", "count": 1, "digit": 1}).status == 200
    assert index_keys(world, match)["da"] == str(started + 1_200_000)


def test_the_end_of_a_match_is_due_within_a_minute(world: World) -> None:
    ann, bob = world.players(2)
    match = world.table([ann, bob], clock={"kind": "per-move", "seconds": 2_592_000})
    assert index_keys(world, match)["da"] == str(world.clock.now() + DAYS_14)
    ann.act(match, None, {"type": "resign"})
    assert index_keys(world, match)["da"] == str(world.clock.now() + 60_000)


def test_private_matches_are_in_no_list_but_become_due(world: World) -> None:
    ann = world.player()
    match = ann.ok("POST", "/v1/matches", {"game": "misfortune", "visibility": "private"})["id"]
    assert set(index_keys(world, match)) == {"dp", "da"}
