"""Acting in a match: decisions, seals, resigning, the end (api.md, "Matches")."""

import random
from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, problem
from tests.service.playing import act, at, create, lay, legal, me, play_out, read, table

SEATS = {"micro-poker": 3, "liars-poker": 2, "misfortune": 2, "half-deck-poker": 2}


def resign(client: Client, match: str, **more: Any) -> Any:
    return client.call("POST", f"/v1/matches/{match}/actions", {"action": {"type": "resign"}, **more})


def in_turn(match: str, *clients: Client) -> list[Client]:
    """Who is to act, then who is not."""
    return sorted(clients, key=lambda client: not read(client, match)["you"]["to_act"])


def test_to_act_does_not_shrink_while_choices_come_in(
    service: LocalService, anybody: Client, ann: Client, bob: Client
) -> None:
    match = table(ann, bob)
    before = {client: read(client, match) for client in (anybody, bob)}
    sealed = at(lay(ann, match, "7", "higher", 1))
    assert (sealed["turn"], sealed["to_act"], sealed["you"]) == (1, [0, 1], {"seat": 0, "to_act": False})
    assert {client: read(client, match) for client in (anybody, bob)} == before
    assert before[bob]["you"] == {"seat": 1, "to_act": True}
    assert all("deadline" in seat["clock"] for seat in before[bob]["seats"])
    closed = at(lay(bob, match, "9", "higher", 1))
    assert (closed["turn"], closed["to_act"], closed["you"]["to_act"]) == (2, [0, 1], True)
    assert closed["view"]["collected"] == [0, 2]


def test_a_sealed_choice_can_not_be_changed(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob)
    at(lay(ann, match, "7", "higher", 1))
    with nothing_stored(service):
        for rank, claim in (("7", "higher"), ("7", "lower"), ("K", "higher")):
            problem(lay(ann, match, rank, claim, 1), 409, "not-your-turn")
        problem(act(ann, match, {"type": "nonsense"}), 409, "not-your-turn")
    closed = at(lay(bob, match, "9", "lower", 1))
    assert closed["view"]["played"][0]["claims"] == ["higher", "lower"]


def test_the_turn_numbers_decisions(ann: Client, bob: Client) -> None:
    match = create(ann)
    assert read(ann, match)["turn"] == 0
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    for turn in (1, 2, 3):
        assert at(lay(bob, match, "A23"[turn - 1], "higher", turn))["turn"] == turn
        assert at(lay(ann, match, "A23"[turn - 1], "lower", turn))["turn"] == turn + 1


def test_an_answer_to_an_action_is_what_a_read_shows(ann: Client, bob: Client) -> None:
    match = table(ann, bob)
    for client in (ann, bob, bob, ann):
        answer = at(lay(client, match, read(client, match)["view"]["hand"][0][0], "lower", read(ann, match)["turn"]))
        assert answer == read(client, match)


def test_legal_actions_are_for_who_is_to_act(anybody: Client, ann: Client, bob: Client, cyd: Client) -> None:
    match = create(ann)
    nothing = {"actions": [], "optional": {}}
    assert legal(ann, match) | nothing | {"turn": 0} == legal(ann, match)
    at(bob.call("POST", f"/v1/matches/{match}/join"))
    actions = legal(ann, match)["actions"]
    assert len(actions) == 13 * 3
    assert {action["type"] for action in actions} == {"play"}
    for client in (anybody, cyd):
        assert legal(client, match) | nothing | {"turn": 1} == legal(client, match)
    at(act(ann, match, actions[0], 1))
    assert legal(ann, match) | nothing | {"turn": 1} == legal(ann, match)
    assert len(legal(bob, match)["actions"]) == 13 * 3
    resign(ann, match)
    assert legal(bob, match) | nothing == legal(bob, match)


@pytest.mark.parametrize("game", SEATS)
def test_what_is_offered_is_accepted(ann: Client, bob: Client, cyd: Client, game: str) -> None:
    clients = (ann, bob, cyd)[: SEATS[game]]
    match, chance = table(*clients, game=game), random.Random(game)
    for _ in range(8):
        turn = read(ann, match)["turn"]
        for client in clients:
            offered = legal(client, match)
            if offered["turn"] != turn or not offered["actions"]:
                continue
            action = chance.choice(offered["actions"])
            remarks = offered["optional"].get("remarks", [])
            if remarks:
                by_seat = {remark["seat"]: remark for remark in chance.sample(remarks, len(remarks))}
                action = {**action, "remarks": list(by_seat.values())}
            at(act(client, match, action, turn))


def test_only_the_open_turn_can_be_acted_in(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob)
    for client in (ann, bob):
        at(lay(client, match, "A", "higher", 1))
    action = legal(ann, match)["actions"][0]
    with nothing_stored(service):
        for turn in (1, 3, 0, -1, 2**53):
            assert "turn 2" in problem(act(ann, match, action, turn), 409, "stale-turn")["detail"]


def test_who_is_not_asked_waits(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, game="liars-poker")
    acting, waiting = in_turn(match, ann, bob)
    assert legal(waiting, match)["actions"] == []
    with nothing_stored(service):
        problem(act(waiting, match, {"type": "bid", "count": 1, "digit": 0}), 409, "not-your-turn")
    assert at(act(acting, match, {"type": "bid", "count": 1, "digit": 0}))["you"]["to_act"] is False


def test_who_has_no_seat_does_not_act(service: LocalService, anybody: Client, ann: Client, bob: Client) -> None:
    match, stranger = table(ann, bob), Client(service.url)
    stranger.token = stranger.ok("POST", "/v1/players", {"name": "stranger-0"})["token"]
    with nothing_stored(service):
        for action in ({"type": "resign"}, {"type": "play", "card": "7c", "claim": "higher"}):
            problem(act(stranger, match, action), 403, "forbidden")
            problem(act(anybody, match, action), 401, "unauthenticated")
    stranger.close()


@pytest.mark.parametrize(
    "action",
    [
        {},
        {"type": None},
        {"type": 1},
        {"type": ["bid"]},
        {"type": "fold"},
        {"type": "challenge"},
        {"type": "bid"},
        {"type": "bid", "count": 1},
        {"type": "bid", "count": 0, "digit": 1},
        {"type": "bid", "count": 17, "digit": 1},
        {"type": "bid", "count": 1, "digit": 10},
        {"type": "bid", "count": 1, "digit": -1},
        {"type": "bid", "count": "1", "digit": 1},
        {"type": "bid", "count": True, "digit": 1},
        {"type": "bid", "count": 1.0, "digit": 1},
        {"type": "bid", "count": 2**63 - 1, "digit": 1},
        {"type": "bid", "count": 1, "digit": {}},
        {"type": "bid", "count": 1, "digit": 1, "seat": 0},
        {"type": "resign", "because": "tired"},
        {"type": "Resign"},
    ],
)
def test_an_illegal_action_changes_nothing(service: LocalService, ann: Client, bob: Client, action: Any) -> None:
    match = table(ann, bob, game="liars-poker")
    acting, _ = in_turn(match, ann, bob)
    before = read(acting, match)
    with nothing_stored(service):
        problem(act(acting, match, action), 422, "illegal-action")
    assert read(acting, match) == before


def test_only_resigning_needs_no_turn(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob)
    path, action = f"/v1/matches/{match}/actions", {"type": "play", "card": "7c", "claim": "higher"}
    with nothing_stored(service):
        for body in ({"action": action}, {"action": action, "turn": None}):
            assert problem(ann.call("POST", path, body), 422, "invalid-request")["errors"][0]["loc"] == ["turn"]
    assert resign(ann, match, turn=99).body["status"] == "finished"


def test_resigning_ends_a_match_of_two(anybody: Client, ann: Client, bob: Client) -> None:
    match = table(ann, bob)
    over = at(resign(bob, match))
    assert (over["status"], over["turn"], over["to_act"]) == ("finished", 1, [])
    assert over["result"] == {"reason": "resigned", "ranks": [1, 2], "scores": [0, 0]}
    assert [seat["left"] for seat in over["seats"]] == [None, "resigned"]
    assert over["ended_at"] == over["server_time"]
    assert over["you"] == {"seat": 1, "to_act": False}
    assert all("remaining_ms" in seat["clock"] for seat in over["seats"])
    assert read(anybody, match)["result"] == over["result"]
    for client in (ann, bob):
        problem(resign(client, match), 409, "match-over")
        problem(act(client, match, {"type": "nonsense"}, 7), 409, "match-over")


def test_a_seat_may_resign_while_others_are_to_act_and_the_rest_play_on(ann: Client, bob: Client, cyd: Client) -> None:
    match = table(ann, bob, cyd, game="liars-poker")
    *_, waiting = in_turn(match, ann, bob, cyd)
    left = at(resign(waiting, match))
    assert left["status"] == "active"
    assert left["you"]["to_act"] is False
    assert [seat["left"] for seat in left["seats"]].count("resigned") == 1
    problem(resign(waiting, match), 409, "not-your-turn")
    over = play_out([client for client in (ann, bob, cyd) if client is not waiting], match)
    assert over["status"] == "finished"
    assert over["result"]["ranks"][left["you"]["seat"]] == 3


def test_a_choice_stands_when_its_seat_resigns(ann: Client, bob: Client) -> None:
    match = table(ann, bob)
    at(lay(ann, match, "K", "higher", 1))
    assert at(resign(ann, match))["result"]["ranks"] == [2, 1]


@pytest.mark.parametrize("game", SEATS)
def test_a_match_against_house_bots_is_played_to_its_end(anybody: Client, ann: Client, game: str) -> None:
    match = create(ann, game, bots=SEATS[game] - 1)
    seen = read(ann, match)
    assert (seen["status"], seen["rated"]) == ("active", False)
    assert [seat["bot"] for seat in seen["seats"]] == [False] + [True] * (SEATS[game] - 1)
    assert seen["you"]["to_act"]  # bots have answered before anybody looks
    over = play_out([ann], match)
    assert over["status"] == "finished"
    assert over["result"]["reason"] == "played"
    assert len(over["result"]["ranks"]) == len(over["result"]["scores"]) == SEATS[game]
    assert min(over["result"]["ranks"]) == 1
    assert over["to_act"] == []
    assert read(anybody, match)["result"] == over["result"]


def test_every_style_of_bot_that_there_is_may_be_asked_for(ann: Client) -> None:
    for style in ("house", "random"):
        match = create(ann, "half-deck-poker", bots=1, bot_style=style)
        assert play_out([ann], match)["status"] == "finished"
    reply = ann.call("POST", "/v1/matches", {"game": "misfortune", "bots": 1, "bot_style": "cheating"})
    assert problem(reply, 422, "invalid-request")["errors"][0]["loc"] == ["bot_style"]


def test_a_finished_match_moves_from_the_live_list_to_the_ended_one(
    service: LocalService, ann: Client, bob: Client
) -> None:
    match = table(ann, bob)
    at(resign(ann, match))
    service.settle()
    for status, expected in (("active", []), ("finished", [match])):
        listed = ann.ok("GET", f"/v1/matches?mine=true&status={status}")["items"]
        assert [head["id"] for head in listed] == expected
    assert me(bob) in str(listed)
