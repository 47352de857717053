"""`bluffhouse admin`: outages and what the streams' consumers could not take, on a running service."""

import io
import json
import socket
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import botocore.session
import pytest
from typer.testing import CliRunner, Result

from functions.shared import clock
from infra.cli.main import app
from infra.client import Client
from infra.local.dynamo_errors import client_error
from infra.local.gateway import Gateway
from infra.local.service import LocalService
from tests.service.moments import deadlines, deaf, jump, record_of
from tests.service.playing import act, at, create, lay, me, read, table

MINUTE = {"kind": "per-move", "seconds": 60}


@pytest.fixture(scope="module")
def service() -> Iterator[LocalService]:
    """A running service whose clock stands still, at a whole second."""
    running = LocalService(manual_clock=True)
    running.start()
    running.advance(1 - clock.now() % 1000 / 1000)
    yield running
    running.stop()


@pytest.fixture
def players(service: LocalService) -> Iterator[tuple[Client, Client]]:
    """Two players."""
    clients = Client(service.url), Client(service.url)
    for client in clients:
        name = f"admin-{len(service.dynamo.scan(TableName='PlayersTable')['Items']) if service.dynamo else 0}"
        client.token = client.ok("POST", "/v1/players", {"name": name})["token"]
    yield clients
    for client in clients:
        client.close()


def bluffhouse(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["admin", *arguments])


def instant(ms: int, ending: str = "Z") -> str:
    return datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S") + ending


def events(service: LocalService, client: Client) -> list[Any]:
    service.settle()
    return list(client.ok("GET", "/v1/me/events?limit=100")["items"])


def told(service: LocalService, client: Client, match: str) -> list[str]:
    return [event["type"] for event in events(service, client) if event["match"] == match]


def test_an_outage_is_declared_to_a_running_service(service: LocalService, players: tuple[Client, Client]) -> None:
    match = table(*players, clock=MINUTE)
    start = clock.now() + 30_000
    limit = deadlines(players[0], match)[0] or 0
    jump(service, 80)
    for ending in ("Z", ""):
        done = bluffhouse("declare-outage", instant(start), instant(start + 60_000, ending), "--url", service.url)
        assert (done.exit_code, done.stderr) == (0, "")
        assert done.stdout == f"The outage {start}-{start + 60_000} is written in.\n"
    assert deadlines(players[0], match) == [limit + 60_000] * 2


def test_an_outage_that_another_is_writing_in_is_left_to_it(
    service: LocalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    from functions.admin import handler
    from functions.shared.store.ports import ConflictError

    def busy(*_: Any) -> None:
        raise ConflictError("somebody else")

    monkeypatch.setattr(handler.absence, "declare_outage", busy)
    done = bluffhouse("declare-outage", "2030-01-01T00:00:00Z", "2030-01-01T01:00:00Z", "--url", service.url)
    assert done.exit_code == 0
    assert "the referee goes on" in done.stdout


def test_what_can_not_be_done_is_one_clear_line(service: LocalService) -> None:
    backwards = bluffhouse("declare-outage", "2030-01-02T00:00:00Z", "2030-01-01T00:00:00Z", "--url", service.url)
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
    unreachable = bluffhouse("redrive", "--url", nobody)
    for done in (backwards, unreachable):
        assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert done.stderr.startswith("bluffhouse: ")
    assert nobody in unreachable.stderr
    for wrong in ("yesterday", "2030-01-01", "2030-01-01T00:00:00+01:00"):
        assert bluffhouse("declare-outage", wrong, "2030-01-01T00:00:00Z", "--url", service.url).exit_code == 2


def test_what_a_service_does_not_answer_is_one_clear_line(
    service: LocalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = bluffhouse("redrive", "--url", service.url + "/elsewhere")
    assert done.exit_code == 0  # only the host of a URL counts
    monkeypatch.setattr(service, "_handlers", {**service._handlers, "AdminFunction": lambda *_: {}})
    done = bluffhouse("redrive", "--url", service.url)
    assert (done.exit_code, done.stderr) == (1, "bluffhouse: the command failed\n")
    elsewhere = Gateway(service.stack._replace(routes=()), {}, clock.now)  # another service
    elsewhere.start()
    done = bluffhouse("redrive", "--url", f"http://127.0.0.1:{elsewhere.port}")
    elsewhere.stop()
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("bluffhouse: POST /_local/admin: ")


def test_a_deployed_stack_is_asked_by_invoking_its_function(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    answers: list[dict[str, Any]] = [
        {"Payload": {"ok": True, "matches": 3, "shard": 5, "after": "x"}},
        {"Payload": {"ok": True, "matches": 4, "shard": None, "after": None}},
        {"Payload": {"errorMessage": "out of memory"}, "FunctionError": "Unhandled"},
    ]

    class Session:
        def create_client(self, name: str) -> Any:
            calls.append(name)
            return self

        def invoke(self, **parameters: Any) -> Any:
            calls.append((parameters["FunctionName"], json.loads(parameters["Payload"])))
            answer = answers.pop(0)
            return {**answer, "Payload": io.BytesIO(json.dumps(answer["Payload"]).encode())}

    monkeypatch.setattr(botocore.session, "get_session", Session)
    done = bluffhouse("redrive", "--function", "stack-Admin")
    assert (done.exit_code, done.stdout) == (0, "Looked at 7 matches.\n")
    assert calls == [
        "lambda",
        ("stack-Admin", {"command": "redrive", "shard": 0, "after": None}),
        "lambda",
        ("stack-Admin", {"command": "redrive", "shard": 5, "after": "x"}),
    ]
    failed = bluffhouse("redrive", "--function", "stack-Admin")
    assert (failed.exit_code, failed.stderr) == (1, "bluffhouse: out of memory\n")


def played(ann: Client, bob: Client) -> dict[str, str]:
    """Matches in every state, by what is to be known of them."""
    matches = {"invited": create(ann, invite=[me(bob)], rated=False), "timed": table(ann, bob)}
    matches |= {"second": table(ann, bob), "no clock": table(ann, bob, clock={"kind": "none"})}
    matches |= {"over": table(ann, bob), "aborted": create(bob)}
    for client in (ann, bob):
        at(lay(client, matches["second"], "7", "higher", 1))
    at(act(ann, matches["over"], {"type": "resign"}))
    at(bob.call("POST", f"/v1/matches/{matches['aborted']}/leave"))
    return matches


KNOWN = {
    "invited": ["invited"],
    "timed": ["match-started", "your-turn"],
    "second": ["match-started", "your-turn"],
    "no clock": ["match-started", "your-turn"],
    "over": ["match-started", "match-finished", "rated"],
    "aborted": ["match-finished"],
}


@pytest.mark.parametrize(("batch", "batches"), [(50, 20), (1, 1), (2, 3)])
def test_what_the_streams_never_brought_is_derived_again(
    service: LocalService, players: tuple[Client, Client], batch: int, batches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from functions.shared.flows import redrive

    ann, bob = players
    monkeypatch.setattr(redrive, "BATCH", batch)
    monkeypatch.setattr(redrive, "BATCHES", batches)
    with deaf(service):
        matches = played(ann, bob)
    assert events(service, bob) == []
    assert not record_of(matches["over"]).settled
    done = bluffhouse("redrive", "--url", service.url)
    assert done.exit_code == 0
    assert int(done.stdout.split()[2]) >= len(matches)
    known = {name: told(service, bob, match) for name, match in matches.items()}
    # Time stands still, and what is told anew comes last in its moment: after what the stream says of the rating.
    assert sorted(known.pop("over")) == sorted(KNOWN["over"])
    assert known == {name: kinds for name, kinds in KNOWN.items() if name != "over"}
    assert read(bob, matches["second"])["turn"] == 2
    assert record_of(matches["over"]).settled
    assert record_of(matches["aborted"]).settled


def test_what_was_told_already_keeps_its_id(service: LocalService, players: tuple[Client, Client]) -> None:
    ann, bob = players
    matches = played(ann, bob)
    once = events(service, bob)
    known = {event["id"]: event for event in once}
    assert bluffhouse("redrive", "--url", service.url).exit_code == 0
    more = events(service, bob)
    assert more[: len(once)] == once
    assert len(more) > len(once)
    assert all(event == known[event["id"]] for event in more)
    assert {event["match"] for event in once} == set(matches.values())


def failures(service: LocalService) -> list[dict[str, Any]]:
    """What the on-failure queue was told."""
    client = Client(service.url)
    found: list[dict[str, Any]] = client.ok("GET", "/_local/failures")
    client.close()
    return found


def test_a_consumer_that_keeps_failing_gives_up_its_record_and_only_that(
    service: LocalService, players: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    """The queue of failures is told of the record; when the fault is mended, redrive makes it good."""
    ann, bob = players
    handlers = service._handlers
    service.settle()
    poisoned: list[str] = []

    def faulty(event: Any, context: Any) -> Any:
        if any(record["dynamodb"]["Keys"]["pk"]["S"] in poisoned for record in event["Records"]):
            raise RuntimeError("a fault of ours")
        return handlers["InboxFunction"](event, context)

    monkeypatch.setattr(service, "_handlers", {**handlers, "InboxFunction": faulty})
    poison = create(ann)
    poisoned.append(f"MAT#{poison}")
    before = len(failures(service))
    at(bob.call("POST", f"/v1/matches/{poison}/join"))
    others = [table(ann, bob) for _ in range(3)]
    service.settle()
    (given_up,) = failures(service)[before:]
    assert int(given_up.pop("sequence_number")) > 0
    assert given_up == {
        "queue": "StreamFailures",
        "function": "InboxFunction",
        "table": "MatchesTable",
        "attempts": 11,
    }
    assert "a fault of ours" in capfd.readouterr().err
    assert {tuple(told(service, bob, match)) for match in others} == {("match-started", "your-turn")}
    assert told(service, bob, poison) == []
    poisoned.clear()
    assert bluffhouse("redrive", "--url", service.url).exit_code == 0
    assert told(service, bob, poison) == ["match-started", "your-turn"]


def test_an_end_that_could_not_be_settled_for_good_is_settled_by_a_redrive(
    service: LocalService, players: tuple[Client, Client]
) -> None:
    """The database refuses the settlement as often as the template's mapping tries; the rest of the stream goes on."""
    ann, bob = players
    dynamo, refused = service.dynamo, list[str]()
    assert dynamo is not None
    poison, other = table(ann, bob), table(ann, bob)
    service.settle()
    before, guard = len(failures(service)), dynamo.around

    def throttled(operation: str, parameters: Any, call: Callable[[], Any]) -> Any:
        if operation == "TransactWriteItems" and f"MAT#{poison}" in str(parameters):
            refused.append(operation)
            raise client_error(operation, "ThrottlingException", "a fault of the tests")
        return call() if guard is None else guard(operation, parameters, call)

    dynamo.around = throttled  # before anything ends: streams are delivered in the background, too
    try:
        for match in (poison, other):
            at(act(ann, match, {"type": "resign"}))
        service.settle()
    finally:
        dynamo.around = guard
    assert [failure["function"] for failure in failures(service)[before:]] == ["SettleFunction"]
    assert len(refused) >= failures(service)[-1]["attempts"]
    assert (record_of(poison).settled, record_of(other).settled) == (False, True)
    assert bluffhouse("redrive", "--url", service.url).exit_code == 0
    assert record_of(poison).settled
    assert [head["id"] for head in ann.ok("GET", "/v1/matches?mine=true&status=active")["items"]] == []


def test_of_a_batch_only_what_was_not_done_comes_again(
    service: LocalService, players: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settling function stops at the first match that it can't settle, and says so."""
    from functions.settle import handler
    from functions.shared.store.ports import ConflictError

    matches = [table(*players) for _ in range(4)]
    with deaf(service):
        for match in matches:
            at(act(players[0], match, {"type": "resign"}))
    settle, failing, calls = handler.settle_by_id, [matches[2]], list[str]()

    def contended(services: Any, match: str) -> None:
        calls.append(match)
        if match in failing:
            failing.remove(match)
            raise ConflictError(match)
        settle(services, match)

    monkeypatch.setattr(handler, "settle_by_id", contended)
    records = [
        {"dynamodb": {"Keys": {"pk": {"S": f"MAT#{match}"}}, "SequenceNumber": str(number)}}
        for number, match in enumerate(matches)
    ]
    answer = service._invoke("SettleFunction", {"Records": records})
    assert answer == {"batchItemFailures": [{"itemIdentifier": "2"}]}
    assert calls == matches[:3]
    assert service._invoke("SettleFunction", {"Records": records[2:]}) == {"batchItemFailures": []}
    assert all(record_of(match).settled for match in matches)
