"""What the ports ask of the database: which reads are strongly consistent, and that no write is unconditional."""

from collections.abc import Callable
from typing import Any

import pytest
from pynamodb.connection.base import Connection

from functions.shared.store.records import JobKind
from tests.storage.backend import Store
from tests.storage.examples import NOW, aborted, joined, left, open_match, outcome, profile, token, told

Calls = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def calls(store: Store, monkeypatch: pytest.MonkeyPatch) -> Calls:
    """The requests to the database, in their order, whichever it is."""
    made: Calls = []
    call = Connection._make_api_call

    def noted(connection: Connection, operation: str, parameters: dict[str, Any]) -> Any:
        made.append((operation, parameters))
        return call(connection, operation, parameters)

    monkeypatch.setattr(Connection, "_make_api_call", noted)
    return made


def is_strong(parameters: dict[str, Any]) -> bool:
    by_table = parameters.get("RequestItems", {}).values()
    return all(one.get("ConsistentRead") is True for one in (by_table or [parameters]))


READS: dict[str, tuple[str, Callable[[Store], object]]] = {
    "a match": ("GetItem", lambda store: store.matches.get("mat-1")),
    "matches": ("BatchGetItem", lambda store: store.matches.get_many(["mat-1", "mat-2"])),
    "a log": ("Query", lambda store: store.matches.log_parts("mat-1", 1, 9)),
    "live matches": ("Query", lambda store: store.matches.of_player("ann", ended=False, before=None, limit=5)),
    "ended matches": ("Query", lambda store: store.matches.of_player("ann", ended=True, before=None, limit=5)),
    "invitations": ("Query", lambda store: store.matches.invited("ann", None, 5)),
    "a profile": ("GetItem", lambda store: store.players.get("ann")),
    "a name": ("GetItem", lambda store: store.players.named("ann")),
    "tokens": ("Query", lambda store: store.players.tokens("ann")),
    "messages": ("Query", lambda store: store.matches.messages("mat-1", None, 5)),
    "a job": ("GetItem", lambda store: store.jobs.get(JobKind.CLOSE, "ann")),
    "an inbox": ("Query", lambda store: store.inbox.read("ann", "", 5)),
    "an outcome": ("GetItem", lambda store: store.players.remembered("ann", "mark", NOW)),
}


@pytest.mark.parametrize("what", READS)
def test_whatever_a_write_may_follow_is_read_in_one_strongly_consistent_call(
    store: Store, calls: Calls, what: str
) -> None:
    operation, read = READS[what]
    read(store)
    assert [made for made, _ in calls] == [operation]
    assert all(is_strong(parameters) for _, parameters in calls)


def test_an_index_is_read_in_one_call(store: Store, calls: Calls) -> None:
    store.matches.listed("open", "misfortune", None, 5)
    store.matches.due(3, NOW, 5)
    assert [(made, parameters["IndexName"]) for made, parameters in calls] == [("Query", "lists"), ("Query", "due")]


def test_a_known_token_is_one_read_and_only_an_unknown_one_is_looked_up_strongly(store: Store, calls: Calls) -> None:
    one = token("ann")
    ann = profile("ann", "ann")
    store.players.register(ann, one, None)
    calls.clear()
    assert store.players.token(one.hash) == one
    assert [(made, is_strong(parameters)) for made, parameters in calls] == [("GetItem", False)]
    calls.clear()
    assert store.players.token("0" * 64) is None
    assert [(made, is_strong(parameters)) for made, parameters in calls] == [("GetItem", False), ("GetItem", True)]


def test_every_write_is_one_call_that_names_what_it_expects(store: Store, calls: Calls) -> None:
    matches, players = store.matches, store.players
    ann, bob = profile("ann"), profile("bob")
    players.register(ann, token(ann.id), outcome("", "key"))
    first = token(bob.id)
    players.register(bob, first, None)
    players.rename(ann, ann._replace(name="eve"))
    players.add_token(bob, first.id, token(bob.id), outcome(bob.id, "key"))
    record = matches.create(open_match(ann.id, size=3, invited=(bob.id,)), ann.id, outcome(ann.id))
    record = matches.save(record, told(record, 1))
    record = matches.seat(record, joined(record, bob.id), bob.id)
    record = matches.unseat(record, left(record, 1), bob.id)
    record = matches.save(record, told(record, 45))
    record = matches.save(record, aborted(record))
    matches.close(record, record._replace(settled=True))
    assert [made for made, _ in calls] == [
        *["TransactWriteItems"] * 5,
        "PutItem",
        *["TransactWriteItems"] * 3,
        *["PutItem", "TransactWriteItems"],
    ]
    for operation, parameters in calls:
        if operation == "PutItem":
            assert parameters["ConditionExpression"]
        else:
            writes = [write for action in parameters["TransactItems"] for write in action.values()]
            assert any("ConditionExpression" in write for write in writes)
            assert parameters["ClientRequestToken"]
