"""Limits: by player or address, moves apart from all else, and never a call to the database."""

import pytest

from functions.shared import limits
from functions.shared.http import limiting
from functions.shared.limits import Buckets, Policy

POLICY = Policy("some", 3, 60)


def test_a_bucket_gives_its_burst_then_one_for_each_refill():
    buckets = Buckets()
    assert [buckets.take(POLICY, "ann", 0).passes for _ in range(4)] == [True, True, True, False]
    assert [buckets.take(POLICY, "ann", 1000).passes for _ in range(2)] == [True, False]


def test_a_bucket_never_holds_more_than_its_burst():
    buckets = Buckets()
    buckets.take(POLICY, "ann", 0)
    assert [buckets.take(POLICY, "ann", 10**9).passes for _ in range(4)] == [True, True, True, False]


def test_callers_and_policies_have_buckets_of_their_own():
    buckets = Buckets()
    for _ in range(3):
        buckets.take(POLICY, "ann", 0)
    assert buckets.take(POLICY, "bob", 0).passes
    assert buckets.take(POLICY._replace(name="other"), "ann", 0).passes


def test_a_clock_that_goes_back_gives_nothing():
    buckets = Buckets()
    for _ in range(3):
        buckets.take(POLICY, "ann", 5000)
    assert not buckets.take(POLICY, "ann", 1000).passes
    assert not buckets.take(POLICY, "ann", 5000).passes


def test_the_wait_that_is_named_is_enough():
    buckets = Buckets()
    verdicts = [buckets.take(POLICY, "ann", 0) for _ in range(4)]
    assert buckets.take(POLICY, "ann", 1000 * verdicts[-1].wait_s).passes


def test_the_longest_unused_bucket_goes_first(monkeypatch):
    monkeypatch.setattr(limits, "KEPT", 2)
    buckets = Buckets()
    for who in ("ann", "bob", "ann", "ann", "cy"):
        buckets.take(POLICY, who, 0)
    assert not buckets.take(POLICY, "ann", 0).passes


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("10.0.0.1", "10.0.0.2", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
    ],
)
def test_addresses_count_by_64_bits_in_ipv6(one, other, same):
    assert (limits.address(one) == limits.address(other)) is same


@pytest.fixture
def limited(monkeypatch):
    monkeypatch.setenv("RATE_LIMITS", "on")
    monkeypatch.setattr(limiting, "_buckets", Buckets())


def test_reading_too_often_is_told_when_to_come_again_and_never_stops_a_game(service, limited, new_player):
    player = new_player()
    match = player.ok("POST", "/v1/matches", {"game": "misfortune", "bots": 1})
    path = f"/v1/matches/{match['id']}"
    for _ in range(limits.READS.burst):
        player.ok("GET", path)
    reply = player.call("GET", path)
    assert (reply.status, reply.body["code"]) == (429, "rate-limited")
    assert int(reply.headers["retry-after"]) >= 1
    assert reply.headers["ratelimit"].startswith('"reads";r=0;t=')
    assert reply.headers["ratelimit-policy"] == '"reads";q=300;w=30'
    action = {"type": "play", "card": "Kc", "claim": "higher"}
    assert player.call("POST", path + "/actions", {"turn": 1, "action": action}).status == 200


def test_a_limit_costs_no_call_to_the_database(service, limited, new_player):
    player = new_player()
    for _ in range(limits.WRITES.burst):
        player.call("POST", "/v1/matches", {"game": "none"})
    with service.dynamo.recorded_calls() as calls:
        assert player.call("POST", "/v1/matches", {"game": "none"}).status == 429
    assert calls == []


def test_accounts_are_limited_by_address(service, limited, anybody):
    statuses = [anybody.call("POST", "/v1/players", {"name": "!"}).status for _ in range(limits.ACCOUNTS.burst + 1)]
    assert statuses == [422] * limits.ACCOUNTS.burst + [429]
