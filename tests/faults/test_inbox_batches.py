"""Notices that a throttled batch leaves over are stored with the next call, or all of them come again."""

from typing import Any

import pytest

from functions.shared.store.ports import UnavailableError
from functions.shared.store.records import Notice
from functions.shared.wiring import services
from tests.faults.world import Call, World

NOTICES = [("ann", Notice(f"evt-{number:02}", "invited", 1, {"match": "mat-1"})) for number in range(60)]


class Throttled:
    """Stores only some of each batch, so many times."""

    def __init__(self, times: int, stored: int) -> None:
        self.sizes: list[int] = []
        self._times = times
        self._stored = stored

    def __call__(self, operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        if operation != "BatchWriteItem":
            return call()
        ((table, requests),) = parameters["RequestItems"].items()
        self.sizes.append(len(requests))
        if len(self.sizes) > self._times:
            return call()
        kept, left = requests[: self._stored], requests[self._stored :]
        parameters["RequestItems"] = {table: kept}
        return {**(call() if kept else {}), "UnprocessedItems": {table: left}}


@pytest.mark.parametrize(
    ("stored", "sizes"), [(0, [25, 25, 25, 25, 10]), (1, [25, 24, 23, 25, 10]), (24, [25, 1, 25, 10])]
)
def test_what_a_batch_leaves_over_is_stored_with_the_next_call(world: World, stored: int, sizes: list[int]) -> None:
    throttled = Throttled(2, stored)
    with world.around(throttled):
        services().inbox.put(NOTICES, 1)
    assert throttled.sizes == sizes
    page = services().inbox.read("ann", "", 100)
    assert page.notices == tuple(notice for _, notice in NOTICES)


def test_when_the_database_takes_too_little_the_call_fails_and_a_repetition_makes_it_good(world: World) -> None:
    throttled = Throttled(1000, 3)
    with world.around(throttled), pytest.raises(UnavailableError):
        services().inbox.put(NOTICES, 1)
    assert throttled.sizes == [25, 22, 19]
    services().inbox.put(NOTICES, 1)
    assert services().inbox.read("ann", "", 100).notices == tuple(notice for _, notice in NOTICES)
