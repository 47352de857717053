"""Pages of a ladder and the window around a player (reports.md, 31 to 33)."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from functions.shared import clock
from infra.client import Client
from infra.local.service import LocalService
from tests.service.laddering import crowd, emptied, moved, won
from tests.service.moments import DAY, jump, services
from tests.service.playing import me

GAMES = itertools.cycle(["liars-poker", "misfortune", "half-deck-poker", "micro-poker"])
_marks = itertools.count(1)
TIED = {"a": 1900, "b": 1800, "c": 1800, "d": 1800, "e": 1700, "f": 1700, "g": 1100}
RANKS = {"a": 1, "b": 2, "c": 2, "d": 2, "e": 5, "f": 5, "g": 7}


@pytest.fixture
def game(service: LocalService) -> str:
    """A ladder that nobody is in."""
    found = next(GAMES)
    emptied(service, found)
    return found


def page(client: Client, game: str, **query: object) -> Any:
    return client.ok("GET", f"/v1/ladders/{game}", query=query)


def forward(client: Client, game: str, limit: int) -> Iterator[Any]:
    """The pages from the first on."""
    shown = page(client, game, limit=limit)
    yield shown
    while shown["next_cursor"] is not None:
        shown = page(client, game, limit=limit, cursor=shown["next_cursor"])
        yield shown


def backward(client: Client, game: str, limit: int, last: Any) -> Iterator[Any]:
    """The pages before a page, the nearest first."""
    while last["prev_cursor"] is not None:
        last = page(client, game, limit=limit, cursor=last["prev_cursor"])
        yield last


def names(shown: Any) -> list[str]:
    return [entry["player"]["name"].rpartition("-")[2] for entry in shown["items"]]


def ranks(shown: Any) -> dict[str, int]:
    return dict(zip(names(shown), [entry["rank"] for entry in shown["items"]], strict=True))


def tied(service: LocalService, game: str) -> dict[str, str]:
    """Seven players, their ids by letter."""
    mark = f"field{next(_marks)}"
    found = crowd(service, game, {f"{mark}-{name}": points for name, points in TIED.items()})
    return {name.rpartition("-")[2]: player for name, player in found.items()}


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 6, 7, 100])
def test_pages_are_the_same_forward_and_backward_and_a_tie_has_one_rank_on_all(
    service: LocalService, game: str, anybody: Client, limit: int
) -> None:
    tied(service, game)
    pages = list(forward(anybody, game, limit))
    assert [name for shown in pages for name in names(shown)] == list(TIED)
    assert {name: rank for shown in pages for name, rank in ranks(shown).items()} == RANKS
    assert all(shown["of"] == 7 for shown in pages)
    assert pages[0]["prev_cursor"] is None
    back = list(backward(anybody, game, limit, pages[-1]))
    assert [names(shown) for shown in reversed(back)] == [names(shown) for shown in pages[:-1]]
    for shown, after in zip(reversed(back), pages[1:], strict=True):
        again = page(anybody, game, limit=limit, cursor=shown["next_cursor"])
        assert names(again) == names(after)


@pytest.mark.parametrize(
    ("is_upwards", "moves", "expected"),
    [(False, [("g", 1950), ("c", 1650)], "abdef"), (True, [("a", 1000), ("e", 1950)], "fdcb")],
)
def test_what_stays_where_it_is_is_neither_skipped_nor_repeated_while_results_come_in(
    service: LocalService,
    game: str,
    anybody: Client,
    is_upwards: bool,
    moves: list[tuple[str, int]],
    expected: str,
) -> None:
    players = tied(service, game)
    pages = forward(anybody, game, 1)
    if is_upwards:
        *_, last = pages
        pages = backward(anybody, game, 1, last)
    found: list[str] = []
    for shown, move in itertools.zip_longest(pages, moves):
        found += names(shown)
        if move is not None:
            name, points = move
            moved(game, players[name], points, clock.now())
            service.settle()
    assert [name for name in found if name in expected] == list(expected)


def test_a_page_that_has_become_empty_leads_back(service: LocalService, game: str, anybody: Client) -> None:
    players = tied(service, game)
    *_, before, last = forward(anybody, game, 3)
    assert names(last) == ["g"]
    moved(game, players["g"], 1750, clock.now())
    service.settle()
    empty = page(anybody, game, limit=3, cursor=before["next_cursor"])
    assert (names(empty), empty["next_cursor"]) == ([], None)
    assert names(page(anybody, game, limit=3, cursor=empty["prev_cursor"])) == ["g", "e", "f"]
    first = page(anybody, game, limit=1)
    second = page(anybody, game, limit=1, cursor=first["next_cursor"])
    moved(game, players["a"], 1000, clock.now())
    service.settle()
    empty = page(anybody, game, limit=1, cursor=second["prev_cursor"])
    assert (names(empty), empty["prev_cursor"]) == ([], None)
    assert names(page(anybody, game, limit=1, cursor=empty["next_cursor"])) == ["b"]


def test_a_list_can_begin_with_a_rank(service: LocalService, game: str, anybody: Client) -> None:
    tied(service, game)
    for rank, first in ((1, "a"), (2, "b"), (3, "b"), (4, "b"), (5, "e"), (6, "e"), (7, "g")):
        assert names(page(anybody, game, rank=rank, limit=1)) == [first]
    beyond = page(anybody, game, rank=8, limit=3)
    assert (names(beyond), beyond["next_cursor"]) == ([], None)
    back = page(anybody, game, rank=8, limit=3, cursor=beyond["prev_cursor"])
    assert names(back) == ["e", "f", "g"]


@pytest.mark.parametrize(
    ("name", "window", "expected"),
    [
        ("a", 2, "abc"),
        ("b", 1, "abc"),
        ("d", 2, "bcdef"),
        ("f", 5, "abcdefg"),
        ("g", 1, "fg"),
        ("g", 50, "abcdefg"),
    ],
)
def test_the_window_around_a_player(
    service: LocalService, game: str, anybody: Client, name: str, window: int, expected: str
) -> None:
    players = tied(service, game)
    shown = anybody.ok("GET", f"/v1/ladders/{game}/around/{players[name]}?window={window}")
    assert names(shown) == list(expected)
    assert ranks(shown) == {one: RANKS[one] for one in expected}
    assert (shown["of"], shown["next_cursor"]) == (7, None)


def test_the_window_in_a_ladder_of_one_and_of_none(service: LocalService, game: str, anybody: Client) -> None:
    assert page(anybody, game) | {"server_time": ""} == {
        **{"items": [], "next_cursor": None, "prev_cursor": None, "of": 0},
        "server_time": "",
    }
    (player,) = crowd(service, game, {f"one{next(_marks)}": 1500}).values()
    shown = anybody.ok("GET", f"/v1/ladders/{game}/around/{player}")
    assert [(entry["rank"], entry["player"]["id"]) for entry in shown["items"]] == [(1, player)]
    own = anybody.ok("GET", f"/v1/ladders/{game}/players/{player}")
    assert (own["rank"], own["of"], own["percentile"]) == (1, 1, 0)


def test_five_above_and_below_are_shown_without_a_wish(service: LocalService, game: str, anybody: Client) -> None:
    mark = next(_marks)
    players = crowd(service, game, {f"w{n:02d}-{mark}": 1000 + 20 * n for n in range(20)})
    shown = anybody.ok("GET", f"/v1/ladders/{game}/around/{players[f'w10-{mark}']}")
    assert [entry["rank"] for entry in shown["items"]] == list(range(5, 16))


def test_a_closed_account_leaves_no_ghost_and_shifts_nobody(
    service: LocalService, game: str, ann: Client, bob: Client, cyd: Client
) -> None:
    won(service, ann, bob, game=game) if game != "micro-poker" else won(service, ann, bob, cyd, game=game)
    tied(service, game)
    closed = me(bob)
    before = page(ann, game, limit=100)
    assert closed in str(before)
    assert bob.call("DELETE", "/v1/me").status == 204
    service.settle()
    after = page(ann, game, limit=100)
    assert closed not in str(after)
    assert after["of"] == before["of"] - 1
    expected = [entry for entry in before["items"] if entry["player"]["id"] != closed]
    gone = next(entry for entry in before["items"] if entry["player"]["id"] == closed)
    for entry in expected:
        entry["rank"] -= entry["rank"] > gone["rank"]
    assert after["items"] == expected
    own = ann.ok("GET", f"/v1/ladders/{game}/players/{closed}")
    assert (own["rank"], own["percentile"], own["player"]["name"]) == (None, None, "deleted")
    opponents = ann.ok("GET", f"/v1/ladders/{game}/players/{me(ann)}")["history"][0]["opponents"]
    assert "deleted" in [one["player"]["name"] for one in opponents]
    service.advance(1)
    assert page(ann, game, limit=100)["items"] == expected


def test_who_has_not_played_for_ninety_days_is_listed_no_more(
    service: LocalService, game: str, anybody: Client
) -> None:
    players = tied(service, game)
    jump(service, 45 * DAY)
    moved(game, players["e"], 1701, clock.now())
    jump(service, 45 * DAY)
    service.advance(60)
    assert ranks(page(anybody, game)) == {"e": 1}
    own = anybody.ok("GET", f"/v1/ladders/{game}/players/{players['a']}")
    assert (own["rank"], own["rating"]) == (None, 1900)
    moved(game, players["a"], 1650, clock.now())
    service.settle()
    assert ranks(page(anybody, game)) == {"e": 1, "a": 2}


def test_the_rank_of_an_entry_is_that_of_the_list(service: LocalService, game: str, anybody: Client) -> None:
    players = tied(service, game)
    for name, player in players.items():
        own = anybody.ok("GET", f"/v1/ladders/{game}/players/{player}")
        lower = sum(points < TIED[name] for points in TIED.values())
        assert (own["rank"], own["of"], own["percentile"]) == (RANKS[name], 7, 100 * lower // 7)


def test_a_page_shorter_by_a_closed_account_goes_on_behind_it(
    service: LocalService, game: str, anybody: Client
) -> None:
    """As long as it is not counted off the list, its place is passed over."""
    players = tied(service, game)
    store = services().players
    gone = store.get(players["b"])
    assert gone is not None
    store.rename(gone, gone._replace(closed_at=clock.now()))
    assert [name for shown in forward(anybody, game, 1) for name in names(shown)] == list("acdefg")
    *_, last = forward(anybody, game, 1)
    assert [name for shown in backward(anybody, game, 1, last) for name in names(shown)] == list("fedca")
