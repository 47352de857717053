"""What hurt users of other tournament software (reports 35 to 47), where HTTP shows it.

36: test_tournament_formats plays every format with 2 to 12 entrants to its end. 46: series are refused until they are
offered (test_tournament_errors), so that none can overlap itself.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, stored
from tests.service.moments import DAY, jump, sweep
from tests.service.organizing import (
    by_player,
    finish,
    first_wins,
    items,
    open_matches,
    pairings,
    post,
    rows,
    scheduled,
    show,
    started,
    won_by,
)
from tests.service.playing import at, me, read

NewPlayer = Callable[[], Client]


@pytest.fixture
def crowd(new_player: NewPlayer) -> list[Client]:
    return [new_player() for _ in range(6)]


def players_of(pairing: Any) -> list[str | None]:
    return [None if side["player"] is None else side["player"]["id"] for side in pairing["sides"]]


@pytest.mark.parametrize("n", [3, 5, 6])
def test_35_byes_go_to_the_top_seeds_and_none_meets_another(
    service: LocalService, ann: Client, crowd: list[Client], n: int
) -> None:
    tournament = started(service, ann, *crowd[:n])
    found = pairings(ann, tournament)
    size = 4 if n == 3 else 8
    with_bye = [one for one in found if any(side["bye"] for side in one["sides"])]
    assert {one["round"] for one in with_bye} == {1}
    assert sorted(side["seed"] for one in with_bye for side in one["sides"] if side["player"]) == list(
        range(1, size - n + 1)
    )
    assert all(one["result"]["reason"] == "bye" and one["matches"] == [] for one in with_bye)
    # Who is not known yet is no bye.
    unknown = [side for one in found for side in one["sides"] if side["player"] is None and one["round"] > 1]
    assert unknown
    assert not any(side["bye"] or side["vacant"] for side in unknown)
    assert all(side["source"]["type"] == "winner" and side["source"]["pairing"] for side in unknown)


@pytest.mark.parametrize("kind", ["single-elimination", "double-elimination", "round-robin"])
def test_37_when_nobody_comes_the_event_ends_and_no_first_place_is_taken(
    service: LocalService, ann: Client, bob: Client, cyd: Client, kind: str
) -> None:
    tournament = started(service, ann, bob, cyd, format=kind, round_deadline=3600)
    service.advance(4 * 3600)
    service.settle()
    assert show(ann, tournament)["status"] == "finished"
    settled = [one for one in pairings(ann, tournament) if one["status"] == "settled"]
    assert settled[0]["result"]["reason"] == "double-forfeit"
    assert settled[0]["result"]["ranks"] == [2, 2]
    if kind != "round-robin":
        assert [row["rank"] for row in rows(ann, tournament)] == [2, 2]


@pytest.mark.parametrize("kind", ["single-elimination", "double-elimination", "round-robin", "heats"])
def test_38_when_all_withdraw_the_event_ends(
    service: LocalService, ann: Client, crowd: list[Client], kind: str
) -> None:
    game = "micro-poker" if kind == "heats" else "misfortune"
    tournament = started(service, ann, *crowd, format=kind, game=game)
    for client in crowd:
        is_over = show(ann, tournament)["status"] == "finished"  # when too few are left
        reply = client.call("DELETE", f"/v1/tournaments/{tournament}/entries/me")
        assert reply.status == (409 if is_over else 200)
        service.settle()
    assert show(ann, tournament)["status"] == "finished"
    assert all(one["status"] in ("settled", "void") for one in pairings(ann, tournament))
    assert len(rows(ann, tournament)) == len(crowd)
    assert {head["status"] for client in crowd for head in items(client, "/v1/matches", mine="true")} <= {
        "finished",
        "aborted",
    }


def test_39_a_round_is_made_once_and_only_when_the_last_one_has_closed(
    service: LocalService, ann: Client, crowd: list[Client]
) -> None:
    known = by_player(crowd[:4])
    tournament = started(service, ann, *crowd[:4], format="round-robin")
    first, second = open_matches(ann, tournament)
    first_wins(known, first)
    service.settle()
    sweep(service)
    assert {one["round"] for one in pairings(ann, tournament)} == {1}
    assert open_matches(ann, tournament) == [second]
    first_wins(known, second)
    service.settle()
    service.advance(120)
    with nothing_stored(service):
        sweep(service)
        sweep(service)
    made = [one for one in pairings(ann, tournament) if one["round"] == 2]
    assert [one["place"] for one in made] == [1, 2]
    matches = Counter(head["id"] for client in crowd[:4] for head in items(client, "/v1/matches", mine="true"))
    assert set(matches.values()) == {2}
    assert len(matches) == 4


def test_40_nobody_meets_himself_after_a_removal(service: LocalService, ann: Client, crowd: list[Client]) -> None:
    known = by_player(crowd)
    tournament = started(service, ann, *crowd, format="double-elimination")
    for match in open_matches(ann, tournament):
        first_wins(known, match)
    service.settle()
    loser = next(one for one in pairings(ann, tournament) if one["status"] == "settled" and one["matches"])
    removed = loser["sides"][loser["result"]["ranks"].index(2)]["player"]["id"]
    at(ann.call("DELETE", f"/v1/tournaments/{tournament}/entries/{removed}"))
    finish(service, ann, tournament, known)
    for one in pairings(ann, tournament):
        seated = [player for player in players_of(one) if player]
        assert len(set(seated)) == len(seated)
        assert removed not in seated or one["result"]["reason"] in ("played", "walkover", "forfeit", "bye")


@pytest.mark.parametrize("is_first", [True, False], ids=["before the final", "after the final"])
def test_41_the_third_place_is_the_same_before_and_after_the_final(
    service: LocalService, ann: Client, crowd: list[Client], is_first: bool
) -> None:
    clients = crowd[:4]
    known = by_player(clients)
    tournament = started(service, ann, *clients, third_place=True)
    order = [me(client) for client in clients]
    play = won_by(lambda seated: min(seated, key=order.index))
    for match in open_matches(ann, tournament):
        play(known, match)
    service.settle()
    stages = {one["stage"]: one["matches"][0] for one in pairings(ann, tournament) if one["status"] == "playing"}
    assert set(stages) == {"main", "third-place"}
    for stage in sorted(stages, reverse=is_first):
        play(known, stages[stage])
        service.settle()
    assert show(ann, tournament)["status"] == "finished"
    assert [(row["rank"], row["player"]["id"]) for row in rows(ann, tournament)] == list(enumerate(order, 1))


@pytest.mark.parametrize("needed", [True, False], ids=["needed", "not needed"])
def test_42_the_second_grand_final_is_played_when_it_is_needed_only(
    service: LocalService, ann: Client, bob: Client, cyd: Client, needed: bool
) -> None:
    known = by_player([bob, cyd])
    tournament = started(service, ann, bob, cyd, format="double-elimination")
    for number, winner in enumerate([bob, cyd if needed else bob]):
        (match,) = open_matches(ann, tournament)
        won_by(lambda _, winner=winner: me(winner))(known, match)
        service.settle()
        assert number or show(ann, tournament)["status"] == "running"
    second = next(one for one in pairings(ann, tournament) if (one["stage"], one["round"]) == ("final", 2))
    if not needed:
        assert (second["status"], second["matches"]) == ("void", [])
    else:
        assert second["status"] == "playing"
        finish(service, ann, tournament, known)
    assert show(ann, tournament)["status"] == "finished"


def test_43_ties_share_a_rank_and_a_finished_table_stays_as_it_is(
    service: LocalService, ann: Client, crowd: list[Client]
) -> None:
    clients = crowd[:3]
    order = [me(client) for client in clients]

    def in_a_circle(seated: Sequence[str]) -> str:
        first, second = sorted(seated, key=order.index)
        return second if (order.index(first), order.index(second)) == (0, 2) else first

    tournament = started(service, ann, *clients, format="round-robin")
    finish(service, ann, tournament, by_player(clients), won_by(in_a_circle))
    table = rows(ann, tournament)
    assert [(row["rank"], row["points"], row["decided_by"]) for row in table] == [(1, 1, None)] * 3
    assert [one["name"] for one in table[0]["tiebreaks"]] == ["head-to-head", "wins", "sonneborn-berger"]
    assert clients[0].call("DELETE", "/v1/me").status == 204
    jump(service, 2 * DAY)
    service.advance(60)
    service.settle()
    after = rows(ann, tournament)
    assert [row["player"]["id"] for row in after] == [row["player"]["id"] for row in table]
    assert [row | {"player": None, "tiebreaks": None} for row in after] == [
        row | {"player": None, "tiebreaks": None} for row in table
    ]
    assert "deleted" in [row["player"]["name"] for row in after]


def test_44_rounds_places_and_seeds_count_from_one_and_no_row_is_lost(
    service: LocalService, ann: Client, crowd: list[Client]
) -> None:
    tournament = started(service, ann, *crowd, format="double-elimination")
    finish(service, ann, tournament, by_player(crowd))
    stages = show(ann, tournament, "bracket")["stages"]
    for stage in stages:
        assert [part["round"] for part in stage["rounds"]] == list(range(1, len(stage["rounds"]) + 1))
        for part in stage["rounds"]:
            assert [one["place"] for one in part["pairings"]] == list(range(1, len(part["pairings"]) + 1))
    assert len(stages) == 3
    walked = list(items(ann, f"/v1/tournaments/{tournament}/standings", limit=1))
    assert [row["seed"] for row in walked] == [row["seed"] for row in rows(ann, tournament)]
    assert sorted(row["seed"] for row in walked) == list(range(1, 7))
    one = show(ann, tournament, "bracket", stage="losers", round=2)["stages"]
    assert one == [{**stages[1], "rounds": [stages[1]["rounds"][1]]}]


def test_45_with_an_odd_number_each_rests_once(service: LocalService, ann: Client, crowd: list[Client]) -> None:
    tournament = started(service, ann, *crowd[:5], format="round-robin")
    finish(service, ann, tournament, by_player(crowd))
    rests = [one for one in pairings(ann, tournament) if any(side["bye"] for side in one["sides"])]
    assert Counter(player for one in rests for player in players_of(one) if player) == Counter(
        {me(client): 1 for client in crowd[:5]}
    )
    assert sorted(one["round"] for one in rests) == [1, 2, 3, 4, 5]


def test_47_of_many_who_enter_at_once_as_many_as_there_are_places_get_one(
    service: LocalService, ann: Client, new_player: NewPlayer
) -> None:
    tournament = scheduled(ann, registration={"capacity": 4})
    clients = [new_player() for _ in range(12)]
    sessions = [*clients, *(Client(client.url, client.token) for client in clients)]
    with ThreadPoolExecutor(len(sessions)) as pool:
        replies = list(pool.map(lambda client: post(client, tournament, "entries"), sessions))
    for session in sessions[len(clients) :]:
        session.close()
    assert {reply.status for reply in replies} <= {201, 503}
    for client in clients:
        while (reply := post(client, tournament, "entries")).status == 503:
            pass
        assert reply.status == 201
    service.settle()
    statuses = Counter(entry["status"] for entry in items(ann, f"/v1/tournaments/{tournament}/entries"))
    assert statuses == {"entered": 4, "waitlisted": 8}
    registration = show(ann, tournament)["registration"]
    assert (registration["entered"], registration["waitlisted"]) == (4, 8)
    kept = [key for key in stored(service) if key[1] == f"TRN#{tournament}" and key[2].startswith("ENTRY#")]
    assert len(kept) == 12


def test_a_player_of_a_tournament_is_not_held_up_by_the_limit_of_live_matches(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    while bob.call("POST", "/v1/matches", {"game": "misfortune"}).status == 201:
        pass
    tournament = started(service, ann, bob, cyd)
    (match,) = open_matches(ann, tournament)
    assert read(bob, match)["status"] == "active"
