"""`MATRIX.md` says what happens; and the run that writes it fails where something is lost, doubled or told wrongly."""

from collections.abc import Callable

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from tests.faults import matrix_rivals, matrix_table
from tests.faults import matrix_stories as stories
from tests.faults.matrix_compare import Wrong
from tests.faults.matrix_run import Fault, row
from tests.faults.matrix_stage import Setting, Stage
from tests.faults.matrix_stories import Kind, Operation, run
from tests.faults.world import STACK

HELD = (
    *("act, sealed", "join, the last seat", "create a match", "make a token", "remove a webhook"),
    *("settle a result", "count a rating", "tell the players", "notify a webhook"),
)
"""The rows that each run of the tests makes anew."""

READING = ("GET", "HEAD", "")


def stated() -> list[str]:
    return matrix_table.FILE.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", HELD)
def test_the_matrix_says_what_happens(name: str) -> None:
    (operation,) = [one for one in matrix_table.operations() if one.name == name]
    assert matrix_table.line(operation, row(operation)) in stated()


@pytest.mark.soak
def test_the_whole_matrix_says_what_happens() -> None:
    rows = {operation.name: row(operation) for operation in matrix_table.operations()}
    assert matrix_table.written(rows).splitlines() == stated()


def test_each_operation_has_one_row_and_there_are_no_others() -> None:
    begins = [f"| {one.name} | `{one.by}` |" for one in matrix_table.operations()]
    rows = [line for line in stated() if line.startswith("| ") and " | `" in line]
    assert [row.startswith(begin) for row, begin in zip(rows, begins, strict=True)] == [True] * len(begins)
    assert len(set(begins)) == len(begins)


def test_whatever_writes_is_among_the_operations() -> None:
    writing = {f"{route.method} {route.path}" for route in STACK.routes if route.method not in READING}
    consumers = {trigger.function for trigger in STACK.streams} | {schedule.function for schedule in STACK.schedules}
    assert writing | consumers <= {operation.by for operation in matrix_table.operations()}


ITEM = {"pk": {"S": "MAT#toy"}, "sk": {"S": "MSG#toy"}}


def count(stage: Stage) -> int:
    found = stage.world.dynamo.get_item(TableName="MatchesTable", Key=ITEM).get("Item", {"body": {"S": "0"}})
    return int(found["body"]["S"])


def put(stage: Stage, number: int) -> None:
    stage.world.dynamo.put_item(TableName="MatchesTable", Item={**ITEM, "body": {"S": str(number)}})


def toy(write: Callable[[Stage], str], by: str = "", rival: str = "") -> Operation:
    """Two calls, of which the second writes. Its rival counts ten up."""

    def setting(stage: Stage) -> Setting:
        def go() -> str:
            try:
                return write(stage)
            except (ClientError, ReadTimeoutError):
                return "raised"

        def count_up() -> str:
            put(stage, count(stage) + 10)
            return "done"

        return Setting(go, count_up)

    return Operation("a toy", by, Kind.COMMAND, setting, rival)


def careful(stage: Stage) -> str:
    count(stage)
    put(stage, 1)
    return "done"


def careless(stage: Stage) -> str:
    put(stage, count(stage) + 1)
    return "done"


def forgetful(stage: Stage) -> str:
    if count(stage):
        return "409 taken"
    put(stage, 1)
    return "done"


def test_what_is_done_once_however_often_it_comes_passes() -> None:
    found = row(toy(careful))
    assert found[Fault.BEFORE] == {"redone": 2}
    assert found[Fault.AFTER] == {"redone": 1, "kept": 1}
    assert found[Fault.TWICE] == {"once": 2}


def test_what_a_repetition_does_again_is_wrong() -> None:
    with pytest.raises(Wrong, match=r"crash after the call, call 2 of 2: too much: MAT#toy .* 2\n"):
        row(toy(careless))


def test_what_a_conflicting_write_loses_is_wrong() -> None:
    operation = toy(careless, rival="another counts")
    with pytest.raises(Wrong, match="call 2 of 2: done and done in no order of the two"):
        matrix_rivals.outcomes(operation, run(operation, stories.clean))


def hasty(stage: Stage) -> str:
    """Tells of it as long as nobody counts, then does it if still nobody does."""
    news = {"Put": {"TableName": "MatchesTable", "Item": {**ITEM, "sk": {"S": "MSG#told"}}}}
    done = {"Put": {"TableName": "MatchesTable", "Item": {**ITEM, "body": {"S": "1"}}}}
    nobody = {"TableName": "MatchesTable", "Key": ITEM, "ConditionExpression": "attribute_not_exists(pk)"}
    try:
        stage.world.dynamo.transact_write_items(TransactItems=[news, {"ConditionCheck": nobody}])
        done["Put"]["ConditionExpression"] = nobody["ConditionExpression"]
        stage.world.dynamo.transact_write_items(TransactItems=[done])
    except ClientError:
        return "409 taken"
    return "done"


def test_what_is_refused_and_was_told_of_already_is_wrong() -> None:
    operation = toy(hasty, rival="another counts")
    with pytest.raises(Wrong, match=r"call 2 of 2: 409 taken and done in no order of the two\n(.*\n)*.*MSG#told"):
        matrix_rivals.outcomes(operation, run(operation, stories.clean))


def test_a_repetition_that_is_told_that_another_did_it_is_wrong_where_there_is_a_key() -> None:
    assert row(toy(forgetful))[Fault.AFTER] == {"redone": 1, "kept (409 taken)": 1}
    with pytest.raises(Wrong, match="crash after the call, call 2 of 2: kept, and answered 409 taken"):
        row(toy(forgetful, "POST /toy"))
