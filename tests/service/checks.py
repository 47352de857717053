"""What the tests of the HTTP contract hold answers and the store to."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from infra.client import Reply
from infra.local.service import LocalService

PROBLEM_FIELDS = {"type", "title", "status", "detail", "code", "request_id"}


def problem(reply: Reply, status: int, code: str) -> Any:
    """The body of a reply that is this problem in every field."""
    assert (reply.status, reply.body.get("code")) == (status, code), reply
    assert reply.headers["content-type"] == "application/problem+json"
    body = reply.body
    is_listed = (status, code) == (422, "invalid-request")
    assert set(body) == PROBLEM_FIELDS | ({"errors"} if is_listed else set())
    assert body["type"].startswith("https://")
    assert body["type"].endswith(f"/{code}")
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    assert body["request_id"] == reply.headers["apigw-requestid"]
    for error in body.get("errors", []):
        assert set(error) == {"loc", "msg"}
        assert error["msg"]
        assert all(isinstance(part, str) for part in error["loc"])
    return body


def less_moment(body: Any) -> Any:
    """The body less what differs from one request to the next by itself."""
    return {name: value for name, value in body.items() if name not in ("request_id", "server_time", "poll_after")}


def stored(service: LocalService) -> dict[tuple[str, str, str], Any]:
    """Every item of every table."""
    assert service.dynamo is not None
    return {
        (table["TableName"], item["pk"]["S"], item["sk"]["S"]): item
        for table in service.stack.tables
        for item in service.dynamo.items(table["TableName"])
    }


@contextmanager
def nothing_stored(service: LocalService) -> Iterator[None]:
    """Holds the block to leaving every item as it is."""
    service.settle()
    before = stored(service)
    yield
    assert stored(service) == before
