"""Every format from two entrants on, played by client programs over HTTP to its end (reports 35, 36, 43, 45)."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.laddering import entry
from tests.service.organizing import by_player, finish, pairings, rows, show, started, won_by
from tests.service.playing import read


class Kind(NamedTuple):
    """A format with its settings."""

    name: str
    order: dict[str, Any]
    least: int = 2


KINDS = (
    Kind("single", {"format": "single-elimination"}),
    Kind("single with third place", {"format": "single-elimination", "third_place": True}),
    Kind("double", {"format": "double-elimination"}),
    Kind("round robin", {"format": "round-robin"}),
    Kind("round robin twice", {"format": "round-robin", "cycles": 2}),
    Kind("heats", {"format": "heats", "game": "micro-poker", "match": {"seats": 4}}, 3),
    Kind("heats by points", {"format": "heats", "game": "liars-poker", "match": {"seats": 3}, "rounds": 3}),
)
SIZES = [(2, 5, 8), (4,), (3, 6), (2, 5), (3,), (3, 9), (5,)]
SAMPLE = {kind.name: sizes for kind, sizes in zip(KINDS, SIZES, strict=True)}
"""The numbers of entrants of the default run."""
MOST = 12

EVERY = [(kind, n) for kind in KINDS for n in range(kind.least, MOST + 1)]
RUNS = [
    pytest.param(kind, n, marks=() if n in SAMPLE[kind.name] else pytest.mark.soak, id=f"{kind.name} {n}")
    for kind, n in EVERY
]


@pytest.fixture(scope="module")
def crowd(service: LocalService) -> Iterator[list[Client]]:
    clients = [Client(service.url) for _ in range(MOST + 1)]
    for number, client in enumerate(clients):
        client.token = client.ok("POST", "/v1/players", {"name": f"crowd-{number}"})["token"]
    yield clients
    for client in clients:
        client.close()


@pytest.mark.parametrize(("kind", "n"), RUNS)
def test_an_event_of_any_size_comes_to_an_end_that_adds_up(
    service: LocalService, crowd: list[Client], kind: Kind, n: int
) -> None:
    organizer, *field = crowd[: n + 1]
    game = kind.order.get("game", "misfortune")
    players = by_player(field)
    played = Counter({player: entry(organizer, game, player)["played"] for player in players})
    chance = Random(f"{kind.name} {n}")
    tournament = started(service, organizer, *field, **kind.order)
    over = finish(service, organizer, tournament, players, won_by(lambda seated: chance.choice(list(seated))))
    assert over["entrants"] == n

    found = pairings(organizer, tournament)
    assert {pairing["status"] for pairing in found} <= {"settled", "void"}
    settled = [pairing for pairing in found if pairing["status"] == "settled"]
    at_the_table = [pairing for pairing in settled if pairing["result"]["reason"] == "played"]
    assert all(pairing["result"]["reason"] == "bye" for pairing in settled if pairing not in at_the_table)
    EXPECTED[kind.order["format"]](n, kind.order, at_the_table)
    for pairing in settled:
        seated = [side["player"]["id"] for side in pairing["sides"] if side["player"] is not None]
        assert len(set(seated)) == len(seated)
        assert not any(side["bye"] and side["player"] for side in pairing["sides"])

    # Each result is that of its matches, and each match was rated once.
    for pairing in at_the_table:
        for match in pairing["matches"]:
            assert read(organizer, match)["tournament"] == tournament
        assert_is_of_its_match(organizer, pairing)
        played.update(side["player"]["id"] for _ in pairing["matches"] for side in pairing["sides"])
    assert {player: entry(organizer, game, player)["played"] for player in players} == dict(played)

    table = rows(organizer, tournament)
    assert sorted(row["player"]["id"] for row in table) == sorted(players)
    assert_is_competition_ranking([row["rank"] for row in table])
    assert show(organizer, tournament, "standings")["final"] is True


def assert_is_of_its_match(client: Client, pairing: Any) -> None:
    """The result of a pairing of one game is that of the game."""
    (match,) = pairing["matches"]
    seen = read(client, match)
    ranks = dict(zip((seat["player"]["id"] for seat in seen["seats"]), seen["result"]["ranks"], strict=True))
    assert [ranks[side["player"]["id"]] for side in pairing["sides"]] == pairing["result"]["ranks"]


def assert_is_competition_ranking(ranks: Sequence[int]) -> None:
    """1, 2, 2, 4: a rank is 1 + how many are above."""
    assert list(ranks) == [1 + sum(other < rank for other in ranks) for rank in ranks]


def _losses(found: list[Any]) -> Counter[str]:
    return Counter(
        side["player"]["id"]
        for pairing in found
        for side, rank in zip(pairing["sides"], pairing["result"]["ranks"], strict=True)
        if rank == 2
    )


def _single(n: int, order: dict[str, Any], found: list[Any]) -> None:
    has_third = bool(order.get("third_place")) and n >= 4
    assert len(found) == n - 1 + has_third
    assert len([pairing for pairing in found if pairing["stage"] == "third-place"]) == has_third
    main = _losses([pairing for pairing in found if pairing["stage"] == "main"])
    assert set(main.values()) == {1}
    assert len(main) == n - 1


def _double(n: int, order: dict[str, Any], found: list[Any]) -> None:
    losses = _losses(found)
    champion_lost = len(found) == 2 * n - 1
    assert len(found) == 2 * n - 2 + champion_lost
    assert sorted(losses.values()) == [1] * champion_lost + [2] * (n - 1)


def _round_robin(n: int, order: dict[str, Any], found: list[Any]) -> None:
    cycles = order.get("cycles", 1)
    met = Counter(tuple(side["player"]["id"] for side in pairing["sides"]) for pairing in found)
    assert len(found) == cycles * n * (n - 1) // 2
    pairs = Counter(frozenset(pair) for pair in met.elements())
    assert set(pairs.values()) == {cycles}
    if cycles == 2:
        assert set(met.values()) == {1}  # once on each side


def _heats(n: int, order: dict[str, Any], found: list[Any]) -> None:
    rounds = [list(group) for _, group in itertools.groupby(found, key=lambda pairing: pairing["round"])]
    first = [side["player"]["id"] for pairing in rounds[0] for side in pairing["sides"]]
    assert len(first) == len(set(first)) == n
    if "rounds" in order:
        assert len(rounds) == order["rounds"]
        assert all(sum(len(pairing["sides"]) for pairing in part) == n for part in rounds)
    else:
        assert len(rounds[-1]) == 1


EXPECTED: dict[str, Callable[[int, dict[str, Any], list[Any]], None]] = {
    "single-elimination": _single,
    "double-elimination": _double,
    "round-robin": _round_robin,
    "heats": _heats,
}
