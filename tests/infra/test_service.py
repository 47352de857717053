import json
import os
import sys
from pathlib import Path

import pytest

from functions.shared import clock
from infra.local.service import LocalService
from tests.infra.toys import ask

TOY = Path(__file__).with_name("toy.yaml")
START = 1_583_348_638_000


@pytest.fixture
def service(monkeypatch):
    monkeypatch.setattr(clock, "source", lambda: START)
    # its handlers read the environment when they are imported
    sys.modules.pop("tests.infra.toy_handlers", None)
    running = LocalService(path=TOY, manual_clock=True)
    running.start()
    yield running
    running.stop()


def port_of(service):
    return int(service.url.rpartition(":")[2])


def call(service, method, path, body=b""):
    return ask(port_of(service), method, path, body=body)


def keys(service):
    return sorted(item["pk"]["S"] for item in service.dynamo.scan(TableName="Things")["Items"])


def advance(service, seconds):
    return call(service, "POST", "/_local/clock", json.dumps({"advance": seconds}).encode())


def test_routes_reach_handlers_that_reach_the_tables(service):
    assert call(service, "PUT", "/things/a").json == [{"pk": "a", "ended": START, "at": None}]
    assert call(service, "GET", "/things/a").json == [{"pk": "a", "ended": START, "at": None}]
    assert call(service, "GET", "/elsewhere").status == 404


def test_a_call_that_no_policy_allows_fails_and_says_which_is_missing(service, capfd):
    assert call(service, "GET", "/things").status == 500
    assert "Http has no policy for dynamodb:Scan on Things" in capfd.readouterr().err


def test_what_ended_is_settled_by_the_stream(service):
    call(service, "PUT", "/things/a")
    service.settle()
    assert keys(service) == ["a", "settled a"]


def test_moving_the_clock_fires_each_schedule_at_its_moment_and_settles_what_follows(service, capfd):
    answer = advance(service, 150)
    assert (answer.status, answer.json) == (200, {"now": "2020-03-04T19:06:28.000Z"})
    assert clock.now() == START + 150_000
    assert keys(service) == ["settled tick 1", "settled tick 2", "tick 1", "tick 2"]
    at = {item["pk"]["S"]: item.get("at", {}).get("N") for item in service.dynamo.scan(TableName="Things")["Items"]}
    assert at["settled tick 1"] == str(START + 60_000)
    ticks = sys.modules["tests.infra.toy_handlers"].ticks
    assert ticks == [(START + 60_000, "2020-03-04T19:04:58Z"), (START + 120_000, "2020-03-04T19:05:58Z")]
    assert "Tick failed on its schedule" in capfd.readouterr().err
    assert advance(service, 30).json == {"now": "2020-03-04T19:06:58.000Z"}
    assert len(ticks) == 3


def test_moving_it_by_nothing_settles_what_is_left(service):
    call(service, "PUT", "/things/a")
    assert advance(service, 0).json == {"now": "2020-03-04T19:03:58.000Z"}
    assert keys(service) == ["a", "settled a"]


def test_it_moves_by_parts_of_a_second(service):
    assert advance(service, 0.25).json == {"now": "2020-03-04T19:03:58.250Z"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"60",
        b"{}",
        b"[1]",
        b'{"advance": "60"}',
        b'{"advance": -1}',
        b'{"advance": true}',
        b'{"advance": null}',
        b'{"advance": NaN}',
        b'{"advance": Infinity}',
        b'{"advance": 1e300}',
        b'{"advance": 34560001}',
        b'{"advance": 1',
        b"\xff",
    ],
)
def test_it_does_not_move_by_anything_else(service, body):
    answer = call(service, "POST", "/_local/clock", body)
    assert (answer.status, set(answer.json)) == (400, {"message"})
    assert clock.now() == START


def test_the_clock_is_moved_by_post_only(service):
    assert call(service, "GET", "/_local/clock").status == 405


def test_health_is_ok_once_it_serves(service):
    assert call(service, "GET", "/_local/health").status == 200


def test_without_the_manual_clock_its_path_is_unknown_and_time_is_real():
    sys.modules.pop("tests.infra.toy_handlers", None)
    before = clock.now()
    service = LocalService(path=TOY)
    service.start()
    try:
        assert call(service, "POST", "/_local/clock", b'{"advance": 60}').status == 404
        assert call(service, "PUT", "/things/a").json[0]["ended"] >= before
        with pytest.raises(ValueError, match="not manual"):
            service.advance(60)
    finally:
        service.stop()


def test_every_run_has_a_secret_of_its_own_unless_one_is_given(monkeypatch):
    monkeypatch.delenv("SERVICE_SECRET", raising=False)
    secrets = set()
    for given in (None, None, "chosen"):
        if given is not None:
            monkeypatch.setenv("SERVICE_SECRET", given)
        secrets.add(LocalService(path=TOY).stack.functions["Http"].environment["SERVICE_SECRET"])
    assert len(secrets) == 3
    assert "chosen" in secrets


def test_after_the_stop_environment_and_clock_are_as_before(monkeypatch):
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    sys.modules.pop("tests.infra.toy_handlers", None)
    before, source = dict(os.environ), clock.source
    service = LocalService(path=TOY, manual_clock=True)
    service.start()
    assert os.environ["AWS_REGION"] == "us-east-1"
    assert os.environ["THINGS_TABLE"] == "Things"
    service.stop()
    assert dict(os.environ) == before
    assert clock.source is source


def test_a_start_that_fails_leaves_nothing_behind(service):
    source = clock.source
    second = LocalService(path=TOY, port=port_of(service), manual_clock=True)
    with pytest.raises(OSError, match="in use"):
        second.start()
    assert clock.source is source
    assert call(service, "PUT", "/things/b").status == 200
