"""What webhooks carry is what their owner may know; their secrets and URLs show in no line of the log."""

import base64
import logging
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.engine.cases import Case
from tests.leaks.scenes import EVERY_CASE, Scene, decisions
from tests.leaks.stage import PLAYERS, Stage, at_seat, staged
from tests.leaks.test_canaries import gardens
from tests.leaks.worlds import own_choices, worlds
from tests.service.receiver import Delivery, Receiver, hook, receiving, shown

DEFAULTS = [case for case in EVERY_CASE if not case.given and case.seats < 4]

every_game = pytest.mark.parametrize("case", DEFAULTS, ids=str)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with staged(loopback_webhooks=True) as running:
        yield running


@pytest.fixture(scope="module")
def target(stage: Stage) -> Iterator[Receiver]:
    """A target to which every player's events go, by a path that says whose they are."""
    with receiving() as receiver:
        for seat, player in enumerate(PLAYERS):
            client = Client(stage.service.url, player.token)
            hook(client, f"{receiver.url}/{seat}")
            client.close()
        stage.service.settle()
        yield receiver


def told(stage: Stage, target: Receiver, record: Any, bound: int | None = None) -> dict[str, list[Delivery]]:
    """What is sent to whom when a match is stored, in their order."""
    stage.clear()
    stage.service.settle()
    target.got.clear()
    stage.put(record, bound)
    stage.service.settle()
    return {f"/{seat}": [one for one in target.got if one.path == f"/{seat}"] for seat in range(len(PLAYERS))}


@every_game
def test_a_webhook_carries_the_same_in_worlds_that_are_the_same_to_its_owner(
    stage: Stage, target: Receiver, case: Case
) -> None:
    compared = 0
    for match in (decisions(case)[0], decisions(case)[-2], decisions(case)[-1]):
        for seat in range(case.seats):
            viewer, rng = at_seat(seat), Random(f"{case} {match.turn} {seat}")
            for own in own_choices(Scene("webhooks", match), viewer, rng):
                expected: list[tuple[dict[str, str], bytes]] | None = None
                for world in worlds(Scene("webhooks", match), viewer, own, 2, rng):
                    found = told(stage, target, world.record, world.bound)[f"/{seat}"]
                    sent = [(_less_port(one.headers), one.body) for one in found]
                    expected = sent if expected is None else expected
                    assert sent == expected, world.name
                    compared += len(sent)
    assert compared


def _less_port(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name != "host"}


@every_game
def test_no_delivery_shows_a_canary_to_who_may_not_know_it(stage: Stage, target: Receiver, case: Case) -> None:
    garden = gardens(case)[0]
    sent = told(stage, target, garden.record)
    assert sum(map(len, sent.values())) >= case.seats
    for seat in range(len(PLAYERS)):
        text = " ".join(f"{one.headers} {one.body.decode()}" for one in sent[f"/{seat}"])
        forbidden = [canary for canary in garden.canaries if seat not in canary.seats]
        assert not [canary for canary in forbidden if canary.text in text]
    assert not any(sent[f"/{seat}"] for seat in range(case.seats, len(PLAYERS)) if not _is_invited(garden.record, seat))


def _is_invited(record: Any, seat: int) -> bool:
    return PLAYERS[seat].id in record.invited


class Lines(logging.Handler):
    """Everything of every record, as text."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += f"{logging.Formatter().format(record)} {record.__dict__}\n"


@pytest.fixture
def lines() -> Iterator[Lines]:
    """All that is logged, at DEBUG."""
    from functions.shared.log import logger

    handler, loggers = Lines(), (logging.getLogger(), logging.getLogger(logger.name))
    levels = [each.level for each in loggers]
    for each in loggers:
        each.setLevel(logging.DEBUG)
        each.addHandler(handler)
    yield handler
    for each, level in zip(loggers, levels, strict=True):
        each.setLevel(level)
        each.removeHandler(handler)


def test_no_line_of_the_log_shows_a_secret_a_url_or_a_challenge(
    lines: Lines, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither while all is well nor when the target, the lookup or the request fails."""
    service = LocalService(manual_clock=True, loopback_webhooks=True)
    service.start()
    with receiving() as target:
        client = Client(service.url)
        client.token = client.ok("POST", "/v1/players", {"name": "log-reader"})["token"]
        made = [hook(client, f"{target.url}/in?canary-of-a-url={number}", key=f"key-{number}") for number in (1, 2)]
        service.settle()
        client.call("POST", "/v1/webhooks", {"url": "https://canary-of-a-url.invalid/", "events": ["*"]})
        client.call("POST", "/v1/webhooks", {"url": "https://u:canary-of-a-url@x.example/", "events": ["*"]})
        target.answers = lambda _: 500
        client.ok("POST", "/v1/matches", {"game": "misfortune", "bots": 1})
        service.advance(120)
        target.answers = lambda _: 410
        service.advance(600)
        assert [shown(client, one)["status"] for one in made] == ["disabled", "disabled"]
        challenges = [one.event["challenge"] for one in target.challenges]
        signatures = [one.headers["webhook-signature"] for one in target.tried]
        client.close()
    service.stop()
    printed = capfd.readouterr()
    text = lines.text + printed.out + printed.err
    assert "a webhook failed" in text
    secrets = [one["secret"].removeprefix("whsec_") for one in made]
    spelled = [base64.b64decode(secret) for secret in secrets]
    never = [*secrets, *challenges, *signatures, "canary-of-a-url", *(raw.hex() for raw in spelled)]
    assert not [one for one in [*never, *map(repr, spelled)] if one in text]
