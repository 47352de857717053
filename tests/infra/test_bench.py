"""The benches run, and what they count is right; what they time is nobody's promise."""

import subprocess
import sys
from typing import Any

import pytest

from engine import games
from infra.bench import engine, price
from infra.bench.capacity import Meter
from infra.bench.price import Counted
from tests.faults.world import STACK

WARM_AND_COLD = "from infra.bench import handler, start; print(min(handler.warm(3)) > 0, start.cold(1))"


@pytest.mark.parametrize("game", games.IDS)
def test_each_action_of_a_match_is_timed(game: str) -> None:
    found = engine.measure(game, matches=1)
    assert found.actions > 5
    assert min(found[1:]) > 0


def test_a_move_and_a_start_are_timed_and_a_start_loads_no_game() -> None:
    """In a process of its own: what is imported here already would cost nothing."""
    run = subprocess.run([sys.executable, "-c", WARM_AND_COLD], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("True Cold(boto3=")
    assert run.stdout.strip().endswith("games=0)")


def test_moves_and_what_follows_from_an_end_are_counted_apart() -> None:
    moves, ends = price.count("misfortune", (2, 2))
    assert ends.number == 2
    assert moves.number > 8
    assert moves.read >= moves.number  # each reads its match strongly
    assert moves.write >= moves.number
    assert moves.records > moves.number / 2  # a choice that closes nothing has no news
    assert ends.write > 20  # two settlements, four ratings with their books


def test_the_price_is_that_of_the_page() -> None:
    """stack.md: a strong read, a write of 2 KB, 512 MB for 15 ms and 0.6 KB of logs are about 3 USD a million."""
    a_move = Counted(number=1, read=1, write=2, records=0)
    assert a_move.usd() == pytest.approx(1 + 0.2 + 0.1 + 0.3 + 0.125 + 1.25, abs=0.001)
    woken = Counted(number=10, read=10, write=20, records=20)
    assert woken.usd(1) - woken.usd(0) == pytest.approx(2 * 0.6, abs=0.001)


def item(pk: str, size: int, **more: str) -> dict[str, Any]:
    """An item with so many bytes beside its keys and names."""
    return {"pk": {"S": pk}, "sk": {"S": "X"}, "body": {"B": b"x" * size}, **{k: {"S": v} for k, v in more.items()}}


def units(meter: Meter, operation: str, parameters: Any, answer: Any = None) -> tuple[float, float]:
    """What a call takes: read and write units."""
    meter.costs.clear()
    meter(operation, parameters, lambda: answer or {})
    return sum(cost.read for cost in meter.costs), sum(cost.write for cost in meter.costs)


def test_reads_cost_a_unit_for_4_kb_and_half_when_they_are_eventual() -> None:
    meter, table = Meter(STACK), "MatchesTable"
    small, large = item("a", 10), item("b", 9000)
    assert units(meter, "GetItem", {"TableName": table, "ConsistentRead": True}, {"Item": large}) == (3, 0)
    assert units(meter, "GetItem", {"TableName": table}, {}) == (0.5, 0)
    asked = {"RequestItems": {table: {"Keys": [{}] * 3, "ConsistentRead": True}}}
    assert units(meter, "BatchGetItem", asked, {"Responses": {table: [small, large]}}) == (1 + 3 + 1, 0)
    assert units(meter, "Query", {"TableName": table}, {"Items": [small] * 5}) == (0.5, 0)
    assert units(meter, "Query", {"TableName": table, "ConsistentRead": True}, {"Items": [large] * 2}) == (5, 0)


def test_writes_cost_a_unit_for_1_kb_of_the_larger_item_twice_in_a_transaction_and_one_for_each_index_key() -> None:
    meter, table = Meter(STACK), "MatchesTable"
    assert units(meter, "PutItem", {"TableName": table, "Item": item("a", 3000)}) == (0, 3)
    assert units(meter, "PutItem", {"TableName": table, "Item": item("a", 10)}) == (0, 3)
    assert units(meter, "PutItem", {"TableName": table, "Item": item("a", 10)}) == (0, 1)
    listed = item("b", 10, lp="x", la="y")
    put, delete = {"Put": {"TableName": table, "Item": listed}}, {"Delete": {"TableName": table, "Key": item("a", 0)}}
    assert units(meter, "TransactWriteItems", {"TransactItems": [put, delete]}) == (0, 2 + 1 + 2)
    moved = item("b", 10, lp="x", la="z")
    written = {"RequestItems": {table: [{"PutRequest": {"Item": moved}}, {"DeleteRequest": {"Key": item("c", 0)}}]}}
    assert units(meter, "BatchWriteItem", written) == (0, 1 + 2 + 1)


@pytest.mark.parametrize(
    ("operation", "parameters"),
    [("UpdateItem", {"TableName": "MatchesTable"}), ("TransactWriteItems", {"TransactItems": [{"Update": {}}]})],
)
def test_what_has_no_price_is_refused(operation: str, parameters: Any) -> None:
    with pytest.raises(ValueError, match="no price"):
        units(Meter(STACK), operation, parameters)
