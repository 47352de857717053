"""Canary cards, choices, keys, nonces, codes and tokens are searched in every answer, every line of the log at DEBUG,
every metric, and in what the consumers of streams and schedules give back."""

import base64
import json
import logging
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from random import Random
from typing import Any

import pytest

from engine.games.misfortune import State as Misfortune
from engine.match import play
from engine.match.play import RESIGN
from engine.match.record import Match, rules
from engine.types import Action
from infra.local.context import LambdaContext
from tests.engine.cases import Case
from tests.leaks.canaries import Canary, Planted, planted
from tests.leaks.routes import Position, acting, every_read, refused
from tests.leaks.scenes import EVERY_CASE, decisions
from tests.leaks.stage import ANYBODY, INVITED, SPECTATOR, Stage, at_seat, staged

DEFAULTS = [case for case in EVERY_CASE if not case.given and case.seats < 6]

every_table = pytest.mark.parametrize("case", DEFAULTS, ids=str)
every_game = pytest.mark.parametrize("case", [case for case in DEFAULTS if case.seats < 4], ids=str)


@cache
def gardens(case: Case) -> tuple[Planted, Planted]:
    """An early decision and a late one, each with something hidden: in Misfortune after an agreement."""
    found = [
        match
        for match in decisions(case)[:-1]
        if not isinstance(match.state, Misfortune) or _lies_something(match.state)
    ]
    assert found, f"nothing is hidden in {case}"
    return planted(found[0]), planted(found[-1])


def _lies_something(state: Misfortune) -> bool:
    return bool(state.played) and set(state.played[-1].claims) == {"higher", "lower"}


def found_in(text: str, canaries: tuple[Canary, ...]) -> list[Canary]:
    return [canary for canary in canaries if canary.text in text]


_USUAL = vars(logging.makeLogRecord({}))
"""What every record has: times and numbers of threads, which could look like anything."""


class Lines(logging.Handler):
    """Everything of every record, as text."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        more = {name: value for name, value in record.__dict__.items() if name not in _USUAL}
        self.lines.append(f"{logging.Formatter().format(record)} {more}")


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """All lines that are logged, the root logger and the service's own at DEBUG, metrics on."""
    from functions.shared import log

    handler = Lines()
    root, own = logging.getLogger(), logging.getLogger(log.logger.name)
    levels = root.level, own.level
    monkeypatch.setattr(log, "_is_measured", lambda: True)
    monkeypatch.setattr(log.metrics.provider, "namespace", "Bluffhouse")
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    for each in (root, own):
        each.setLevel(logging.DEBUG)
        each.addHandler(handler)
    yield handler.lines
    for each, level in zip((root, own), levels, strict=True):
        each.setLevel(level)
        each.removeHandler(handler)


@every_table
def test_no_answer_shows_a_canary_to_who_may_not_know_it(stage: Stage, case: Case) -> None:
    for garden in gardens(case):
        shows_no_canary(stage, garden)


def shows_no_canary(stage: Stage, garden: Planted) -> None:
    match = garden.record.match
    stage.put(garden.record)
    for viewer in (*map(at_seat, {0, 1, len(match.seats) - 1}), ANYBODY, SPECTATOR, INVITED):
        forbidden = tuple(canary for canary in garden.canaries if viewer.seat not in canary.seats)
        asked = every_read(stage.service.stack, match)
        asked += refused(stage.service.stack, Position(match, viewer.seat), Random(0))
        for question, answer in zip(asked, stage.ask(viewer, asked), strict=True):
            text = f"{answer.headers} {answer.body.decode()}"
            assert not found_in(text, forbidden), f"{viewer.name}: {question}"


@every_game
def test_every_canary_reaches_who_may_know_it(stage: Stage, case: Case) -> None:
    """Or they would be planted where nothing could ever show them."""
    garden = gardens(case)[0]
    stage.put(garden.record)
    asked = every_read(stage.service.stack, garden.record.match)
    told = {
        seat: "".join(answer.body.decode() for answer in stage.ask(at_seat(seat), asked))
        for seat in (0, 1, len(garden.record.match.seats) - 1)
    }
    known = [(c, seat) for c in garden.canaries for seat in told if seat in c.seats and c.place.startswith("a ")]
    assert known
    for canary, seat in known:
        assert canary.text in told[seat], canary


@every_game
def test_no_line_of_the_log_and_no_metric_shows_a_canary(
    case: Case, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor the action that a seat chooses, nor the key that it sends along."""
    garden = gardens(case)[0]
    match = garden.record.match
    *_, last = play.asked(match)
    action = rules(match).legal_actions(match.state, last).actions[-1]
    with staged() as stage:
        stage.put(garden.record)
        for viewer in (at_seat(last), ANYBODY):
            asked = every_read(stage.service.stack, match)
            stage.ask(viewer, asked + refused(stage.service.stack, Position(match, viewer.seat), Random(0)))
        deed = acting(match, action, "canary-key-that-a-client-sent")
        answers = stage.ask(at_seat(last), [deed, deed, acting(match, RESIGN, "another-key")])
        stage.service.advance(10 * 86_400)
    assert [answer.status for answer in answers[:2]] == [200, 200]
    printed = capsys.readouterr()
    assert any("GET /v1/matches/{match}" in line for line in lines)
    assert "4xx" in printed.out
    sent = (Canary("a key", "canary-key-that-a-client-sent"), *fragments(action))
    assert not found_in("\n".join([*lines, printed.out, printed.err]), everything(garden) + sent)


def fragments(action: Action) -> tuple[Canary, ...]:
    """How the fields of an action could be written."""
    return tuple(
        Canary("an action", text)
        for name, value in action.items()
        for text in (f"'{name}': {value!r}", f'"{name}":{json.dumps(value)}', f'"{name}": {json.dumps(value)}')
    )


def everything(garden: Planted) -> tuple[Canary, ...]:
    """The canaries, in the quotes of JSON and in those of Python."""
    return garden.canaries + tuple(c._replace(text=c.text.replace('"', "'")) for c in garden.canaries if '"' in c.text)


@every_game
def test_what_fails_shows_no_canary_in_its_log(stage: Stage, case: Case, lines: list[str]) -> None:
    """A store that is throttled while an action is saved, and one that fails in a way that nobody thought of."""
    from botocore.exceptions import ClientError

    garden = gardens(case)[0]
    match = garden.record.match
    *_, last = play.asked(match)
    dynamo = stage.service.dynamo
    assert dynamo is not None
    around = dynamo.around

    def failing(error: Exception) -> Any:
        def fail(operation: str, parameters: dict[str, Any], call: Any) -> Any:
            if operation in ("PutItem", "TransactWriteItems"):
                raise error
            return call()

        return fail

    error = {"Error": {"Code": "ThrottlingException", "Message": "slow down"}}
    deed = acting(match, {"type": "resign"})
    statuses = []
    for fault in (ClientError(error, "PutItem"), RuntimeError("a fault of ours")):
        stage.put(garden.record)
        dynamo.around, stage.faults_are_meant = failing(fault), True
        try:
            (answer,) = stage.ask(at_seat(last), [deed])
        finally:
            dynamo.around, stage.faults_are_meant = around, False
        statuses.append(answer.status)
        assert not found_in(answer.body.decode(), everything(garden))
    assert statuses == [503, 500]
    assert any("unexpected error" in line for line in lines)
    assert not found_in("\n".join(lines), everything(garden))


@every_game
def test_what_runs_without_a_request_gives_back_no_canary(stage: Stage, case: Case) -> None:
    """The consumers of streams, the schedules, and what operators call. A queue of failures gets numbers of records, by
    construction of its source, and none of their content."""
    garden = gardens(case)[0]
    stage.put(garden.record)
    stack = stage.service.stack
    silent = set(stack.functions) - {route.function for route in stack.routes}
    given = {name: _called(name, garden.record.match, stage) for name in silent}
    assert len(given) >= 2
    assert not found_in(json.dumps(given), everything(garden))


def _called(name: str, match: Match, stage: Stage) -> Any:
    function, dynamo = stage.service.stack.functions[name], stage.service.dynamo
    assert dynamo is not None
    keys = {"pk": {"S": f"MAT#{match.id}"}, "sk": {"S": "M"}}
    item = dynamo.get_item(TableName="MatchesTable", Key=keys)["Item"]
    image = {field: {kind: _in_json(value) for kind, value in typed.items()} for field, typed in item.items()}
    image = {"news": {"S": "your-turn"}, "ended": {"N": "1"}, **image}
    change = {"Keys": keys, "NewImage": image, "SequenceNumber": "1"}
    tables = {trigger.table for trigger in stage.service.stack.streams if trigger.function == name}
    # The streams of other tables carry nothing that is hidden in a match.
    records = [{"eventName": "MODIFY", "dynamodb": change}] if tables <= {"MatchesTable"} else []
    event = {"Records": records, "command": "redrive"}
    module, _, attribute = function.handler.rpartition(".")
    return getattr(import_module(module), attribute)(event, LambdaContext(function))


def _in_json(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value
