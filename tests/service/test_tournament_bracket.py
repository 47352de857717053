"""A bracket as it is shown: whole, by stage and round, and in pages where it is large (api.md, "bracket")."""

from collections.abc import Callable
from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import problem
from tests.service.organizing import (
    by_player,
    finish,
    first_wins,
    open_matches,
    pairings,
    scheduled,
    show,
    started,
)
from tests.service.playing import read

NewPlayer = Callable[[], Client]


def pages(client: Client, tournament: str, **query: Any) -> list[Any]:
    """The pages of a bracket, to the last one."""
    found = []
    while True:
        page = show(client, tournament, "bracket", **query)
        found.append(page)
        if page["next_cursor"] is None:
            return found
        query["cursor"] = page["next_cursor"]


def of_pages(found: list[Any]) -> list[Any]:
    """The pairings of pages, in their order."""
    parts = [part for page in found for stage in page["stages"] for part in stage["rounds"]]
    return [pairing for part in parts for pairing in part["pairings"]]


def test_nothing_is_shown_before_the_start(ann: Client) -> None:
    tournament = scheduled(ann)
    shown = show(ann, tournament, "bracket")
    assert (shown["stages"], shown["next_cursor"]) == ([], None)


@pytest.mark.parametrize("kind", ["single-elimination", "double-elimination", "round-robin"])
def test_a_large_bracket_comes_in_pages_that_make_up_the_whole(
    service: LocalService, ann: Client, new_player: NewPlayer, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    from functions.tournaments import following

    clients = [new_player() for _ in range(7)]
    tournament = started(service, ann, *clients, format=kind)
    for match in open_matches(ann, tournament):
        first_wins(by_player(clients), match)
    service.settle()
    whole = show(ann, tournament, "bracket")
    assert whole["next_cursor"] is None
    monkeypatch.setattr(following, "WHOLE", 3)
    found = pages(ann, tournament)
    for page in found:
        (stage,) = page["stages"]
        (part,) = stage["rounds"]
        assert len(part["pairings"]) <= 3
    assert of_pages(found) == of_pages([whole])
    shapes = [(stage["stage"], part["round"]) for stage in whole["stages"] for part in stage["rounds"]]
    assert list(dict.fromkeys((p["stages"][0]["stage"], p["stages"][0]["rounds"][0]["round"]) for p in found)) == shapes
    only = pages(ann, tournament, round=1)
    assert of_pages(only) == [pairing for pairing in of_pages([whole]) if pairing["round"] == 1]
    cursor = found[0]["next_cursor"]
    path = f"/v1/tournaments/{tournament}/bracket"
    problem(ann.call("GET", path, query={"cursor": cursor, "round": 2}), 400, "invalid-request")
    problem(ann.call("GET", path, query={"cursor": cursor[:-1]}), 400, "invalid-request")


def test_a_pairing_says_where_its_sides_come_from_and_how_it_went(
    service: LocalService, ann: Client, new_player: NewPlayer
) -> None:
    clients = [new_player() for _ in range(4)]
    known = by_player(clients)
    tournament = started(service, ann, *clients, match={"best_of": 3})
    finish(service, ann, tournament, known)
    first, second, final = pairings(ann, tournament)
    assert [side["source"] for side in first["sides"]] == [
        {"type": "seed", "seed": seed, "pairing": None, "at": None} for seed in (1, 4)
    ]
    sources = [side["source"] for side in final["sides"]]
    assert [(one["type"], one["pairing"], one["at"]) for one in sources] == [
        ("winner", first["id"], "main/1/1"),
        ("winner", second["id"], "main/1/2"),
    ]
    for pairing in (first, second, final):
        assert pairing["best_of"] == 3
        games = [read(ann, match) for match in pairing["matches"]]
        points = [0.0, 0.0]
        players = [side["player"]["id"] for side in pairing["sides"]]
        for number, game in enumerate(games):
            seated = [seat["player"]["id"] for seat in game["seats"]]
            assert seated == (players if number % 2 == 0 else players[::-1])  # they take turns in seat 0
            ranks = dict(zip(seated, game["result"]["ranks"], strict=True))
            points = [so_far + (ranks[player] == 1) for so_far, player in zip(points, players, strict=True)]
        assert pairing["result"]["points"] == points
        assert max(points) == 2


def test_a_round_says_how_far_it_has_come(service: LocalService, ann: Client, new_player: NewPlayer) -> None:
    clients = [new_player() for _ in range(4)]
    tournament = started(service, ann, *clients)

    def rounds() -> list[tuple[str, bool]]:
        (stage,) = show(ann, tournament, "bracket")["stages"]
        return [(part["status"], part["deadline"] is not None) for part in stage["rounds"]]

    assert rounds() == [("playing", True), ("waiting", False)]
    assert show(ann, tournament)["round"] == 1
    first, second = open_matches(ann, tournament)
    first_wins(by_player(clients), first)
    service.settle()
    assert rounds() == [("playing", True), ("waiting", False)]
    first_wins(by_player(clients), second)
    service.settle()
    assert rounds() == [("settled", True), ("playing", True)]
    assert (show(ann, tournament)["round"], show(ann, tournament)["rounds"]) == (2, 2)
    (stage,) = show(ann, tournament, "bracket")["stages"]
    assert len(stage["rounds"][0]["digest"]) == 64
