"""The ladder's bench, as far as it goes without the libraries that it compares with."""

import math
from collections.abc import Iterator

import pytest

from infra.bench.ladder import measure, predictions, score
from infra.bench.ladder_streams import STREAMS, Order, Stream, orders
from infra.bench.ladder_systems import OWN

SMALL = Stream("small", 300.0, seed=1, players=60, tables=1_500)


class Oracle:
    """Knows that lower numbers win, and notes what it is asked and told."""

    def __init__(self) -> None:
        self.story: list[object] = []

    def predict(self, one: int, other: int) -> float:
        self.story.append((one, other))
        return 0.9 if one < other else 0.1

    def learn(self, order: Order) -> None:
        self.story.append(order)


def test_a_stream_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    assert list(orders(SMALL)) == list(orders(SMALL))
    assert list(orders(SMALL)) != list(orders(SMALL._replace(seed=2)))


def test_tables_seat_two_to_six_different_players() -> None:
    tables = list(orders(SMALL))
    assert len(tables) == SMALL.tables
    assert {len(table) for table in tables} == {2, 3, 4, 5, 6}
    assert all(len(set(table)) == len(table) for table in tables)
    assert {player for table in tables for player in table} <= set(range(SMALL.players))


def test_newcomers_join_later_and_a_few_players_play_much() -> None:
    tables = list(orders(SMALL))
    early = {player for table in tables[:200] for player in table}
    assert max(early) < 0.75 * SMALL.players
    played = sorted((sum(player in table for table in tables) for player in range(SMALL.players)), reverse=True)
    assert sum(played[:6]) > 0.3 * sum(played)


def test_the_streams_are_those_of_the_page() -> None:
    assert [(stream.name, stream.players, stream.strength_sd) for stream in STREAMS] == [
        ("A", 1_500, 300.0),
        ("B", 1_500, 150.0),
    ]


def test_each_pair_of_the_last_60_percent_is_foretold_before_its_table_is_learned() -> None:
    oracle = Oracle()
    tables: list[Order] = [(0, 1), (1, 0), (2, 1, 0), (0, 2), (1, 2)]
    assert list(predictions(oracle, tables)) == [0.1, 0.1, 0.1, 0.9, 0.9]
    assert oracle.story == [
        *((0, 1), (1, 0)),
        *((2, 1), (2, 0), (1, 0), (2, 1, 0)),
        *((0, 2), (0, 2)),
        *((1, 2), (1, 2)),
    ]


def given(right: int, wrong: int) -> Iterator[float]:
    yield from [0.85] * right
    yield from [0.15] * wrong


def test_figures_are_as_by_hand() -> None:
    honest, boastful = score(given(17, 3)), score(given(10, 10))
    assert honest.log_loss == pytest.approx(-(17 * math.log(0.85) + 3 * math.log(0.15)) / 20)
    assert (honest.accuracy, boastful.accuracy) == (0.85, 0.5)
    assert honest.calibration == pytest.approx(0)
    assert boastful.calibration == pytest.approx(0.35)
    assert score([0.5, 0.5]).accuracy == 0.5


def test_our_ratings_foretell_more_than_a_coin_and_more_where_there_is_more_skill() -> None:
    skilled, lucky, none = (
        measure(OWN, list(orders(SMALL._replace(strength_sd=sd, drift_sd=0.0)))).score for sd in (300.0, 100.0, 0.0)
    )
    assert skilled.log_loss < lucky.log_loss < math.log(2) < none.log_loss
    assert skilled.accuracy > lucky.accuracy > 0.55
    assert abs(none.accuracy - 0.5) < 0.03
