"""Promise 2: how many calls of DynamoDB a request makes, counted at botocore, each attempt of each call."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.aws import Cloud, Sent, cloud
from tests.faults.clients import actions, first, house
from tests.faults.world import Caller, whole_of

READ = "GetItem strongly MatchesTable"
WRITE = "PutItem if MatchesTable"
TOKEN = "GetItem PlayersTable"
PROFILE = REMEMBERED = "GetItem strongly PlayersTable"
LIVE = "Query strongly PlayersTable"
LOG = "Query strongly MatchesTable"
TRANSACTION = "TransactWriteItems"
BOOKS = RATING = "BatchGetItem"

ACE, TWO = {"type": "play", "card": "Ac", "claim": "lower"}, {"type": "play", "card": "2h", "claim": "higher"}


@pytest.fixture(scope="module")
def aws() -> Iterator[Cloud]:
    with cloud() as running:
        yield running


def known(aws: Cloud, *callers: Caller) -> None:
    """Let the functions look the tokens up, and forget the calls so far."""
    for caller in callers:
        caller.ok("GET", "/v1/me")
    aws.drain()


def calls(aws: Cloud) -> list[str]:
    """The calls since they were last asked for."""
    return [str(sent) for sent in aws.drain()]


def written(sent: list[Sent]) -> list[tuple[str, str, bool]]:
    """What the one transaction among the calls does: kind of write, kind of item, and whether it has a condition."""
    (transaction,) = [one for one in sent if one.operation == TRANSACTION]
    return sorted(
        (kind, _kind_of(part.get("Item") or part["Key"]), "ConditionExpression" in part)
        for action in transaction.body["TransactItems"]
        for kind, part in action.items()
    )


def _kind_of(key: dict[str, Any]) -> str:
    is_mark = key["pk"]["S"].startswith("IDEM#")
    return "IDEM" if is_mark else str(key["sk"]["S"]).partition("#")[0]


@pytest.mark.parametrize("game", ["liars-poker", "misfortune", "half-deck-poker", "micro-poker"])
def test_an_accepted_action_is_one_strong_read_and_one_conditional_write_with_a_key_and_without(
    aws: Cloud, game: str
) -> None:
    callers = aws.world.players(3 if game == "micro-poker" else 2)
    match = aws.world.table(callers, game)
    for number, (caller, turn, action) in enumerate(actions(aws.world, callers, match, first)):
        if number == 12:
            break
        known(aws, caller)
        assert caller.act(match, turn, action, f"key-{number}" if number % 2 else None).status == 200
        assert calls(aws) == [READ, WRITE]


def test_both_a_sealed_choice_and_the_one_that_closes_the_phase_cost_the_same(aws: Cloud) -> None:
    ann, bob = aws.world.players(2)
    match = aws.world.table([ann, bob])
    known(aws, ann, bob)
    assert ann.act(match, 1, ACE, "a").status == 200
    assert calls(aws) == [READ, WRITE]
    assert bob.act(match, 1, TWO, "b").body["turn"] == 2
    assert calls(aws) == [READ, WRITE]


@pytest.mark.parametrize(("game", "seats"), [("liars-poker", 6), ("half-deck-poker", 2), ("micro-poker", 6)])
def test_house_bots_answer_in_the_same_write(aws: Cloud, game: str, seats: int) -> None:
    ann = aws.world.player()
    match = ann.ok("POST", "/v1/matches", {"game": game, "seats": seats, "bots": seats - 1})["id"]
    _, turn, action = next(iter(actions(aws.world, [ann] * seats, match, house)))
    known(aws, ann)
    after = ann.act(match, turn, action, "a").body
    assert calls(aws) == [READ, WRITE]
    assert after["you"]["to_act"] or after["status"] == "finished"


def test_resigning_and_the_last_action_of_a_match_cost_the_same(aws: Cloud) -> None:
    ann, bob = aws.world.players(2)
    match = aws.world.table([ann, bob])
    known(aws, ann)
    assert ann.act(match, None, {"type": "resign"}, "a").body["status"] == "finished"
    assert calls(aws) == [READ, WRITE]


@pytest.mark.parametrize("what", ["", "/legal-actions", "/log"])
def test_a_read_of_a_match_is_one_strong_read(aws: Cloud, what: str) -> None:
    callers = aws.world.players(2)
    match = aws.world.table(callers)
    known(aws, *callers)
    callers[0].ok("GET", f"/v1/matches/{match}{what}")
    assert calls(aws) == [READ]
    assert aws.world.call("GET", f"/v1/matches/{match}{what}").status == 200
    assert calls(aws) == [READ]


def test_who_asks_is_one_eventually_consistent_read_that_is_good_for_half_a_minute(aws: Cloud) -> None:
    ann, bob = aws.world.players(2)
    match = aws.world.table([ann, bob])
    aws.world.advance(60)
    aws.drain()
    for pause, expected in ((29, [TOKEN, READ]), (1, [READ]), (0, [TOKEN, READ])):
        ann.ok("GET", f"/v1/matches/{match}")
        assert calls(aws) == expected
        aws.world.advance(pause)


def test_an_action_that_puts_the_tail_away_is_one_read_and_one_transaction_of_two_writes(aws: Cloud) -> None:
    callers = aws.world.players(2)
    match = aws.world.table(callers, "liars-poker", options={"rounds": 25})
    for number, (caller, turn, action) in enumerate(actions(aws.world, callers, match, house)):
        known(aws, caller)
        assert caller.act(match, turn, action, f"key-{number}").status == 200
        sent = aws.drain()
        if list(map(str, sent)) != [READ, WRITE]:
            break
    assert list(map(str, sent)) == [READ, TRANSACTION]
    assert written(sent) == [("Put", "LOG", False), ("Put", "M", True)]
    # What a key that is found in what was put away costs: its turn has passed, so the log is looked at once.
    early = next(entry for entry in whole_of(match).log if entry.move == 1)
    assert early.seat is not None
    first_actor, body = callers[early.seat], {"count": early.data["count"], "digit": early.data["digit"]}
    known(aws, *callers)
    reply = first_actor.act(match, 1, {"type": "bid", **body}, "key-0")
    assert (reply.status, reply.headers.get("idempotency-replayed")) == (200, "true")
    assert calls(aws) == [READ, LOG]


def test_a_repeated_action_writes_nothing(aws: Cloud) -> None:
    ann, bob = aws.world.players(2)
    match = aws.world.table([ann, bob])
    ann.act(match, 1, ACE, "a")
    known(aws, ann)
    assert ann.act(match, 1, ACE, "a").headers["idempotency-replayed"] == "true"
    assert calls(aws) == [READ]
    bob.act(match, 1, TWO)
    known(aws, ann)
    assert ann.act(match, 1, ACE, "a").headers["idempotency-replayed"] == "true"
    assert calls(aws) == [READ]


def test_a_refused_action_writes_nothing(aws: Cloud) -> None:
    ann, bob = aws.world.players(2)
    match = aws.world.table([ann, bob])
    known(aws, ann)
    for turn, action, code in ((2, ACE, "stale-turn"), (1, TWO, "illegal-action"), (0, ACE, "stale-turn")):
        assert ann.act(match, turn, action, "a").code == code
        assert calls(aws) == [READ]


def test_who_finds_a_passed_deadline_commits_it_with_one_write(aws: Cloud) -> None:
    ann, bob = aws.world.players(2)
    match = aws.world.table([ann, bob])
    aws.world.advance(259_200)
    known(aws, ann)
    assert ann.ok("GET", f"/v1/matches/{match}")["turn"] == 2
    assert calls(aws) == [READ, WRITE]
    aws.world.advance(259_200)
    known(aws, ann)
    assert ann.act(match, 2, {**ACE, "card": "3c"}).code == "stale-turn"
    assert calls(aws) == [READ, WRITE]


@pytest.mark.parametrize("keyed", [False, True])
def test_creating_a_match_is_three_reads_and_one_transaction_and_a_fourth_read_with_a_key(
    aws: Cloud, keyed: bool
) -> None:
    """Of the profile, of the rating in this game, which the seat shows, and of the other matches."""
    ann = aws.world.player()
    known(aws, ann)
    order = {"game": "liars-poker", "seats": 3}
    ann.ok("POST", "/v1/matches", order, "a" if keyed else None)
    sent = aws.drain()
    assert sorted(map(str, sent)) == sorted([*[REMEMBERED] * keyed, LIVE, PROFILE, RATING, TRANSACTION])
    assert written(sent) == [*[("Put", "IDEM", True)] * keyed, ("Put", "LIVE", True), ("Put", "M", True)]
    if keyed:
        ann.ok("POST", "/v1/matches", order, "a")
        assert calls(aws) == [PROFILE, RATING, REMEMBERED, READ]


@pytest.mark.parametrize("seats", [2, 3])
def test_joining_is_four_reads_and_one_transaction_of_two_writes_the_last_seat_included(aws: Cloud, seats: int) -> None:
    """The fourth is of the rating, which the seat shows."""
    ann, bob = aws.world.players(2)
    match = ann.ok("POST", "/v1/matches", {"game": "liars-poker", "seats": seats})["id"]
    known(aws, bob)
    bob.ok("POST", f"/v1/matches/{match}/join", None, "b")
    sent = aws.drain()
    assert sorted(map(str, sent)) == sorted([READ, LIVE, PROFILE, RATING, TRANSACTION])
    assert written(sent) == [("Put", "LIVE", False), ("Put", "M", True)]
    bob.ok("POST", f"/v1/matches/{match}/join", None, "b")
    assert calls(aws) == [READ]


def test_leaving_is_one_read_and_one_transaction_and_starting_one_read_and_one_write(aws: Cloud) -> None:
    ann, bob, cyd = aws.world.players(3)
    match = ann.ok("POST", "/v1/matches", {"game": "liars-poker", "seats": 4})["id"]
    for caller in (bob, cyd):
        caller.ok("POST", f"/v1/matches/{match}/join")
    known(aws, ann, bob, cyd)
    cyd.ok("POST", f"/v1/matches/{match}/leave", None, "c")
    sent = aws.drain()
    assert list(map(str, sent)) == [READ, TRANSACTION]
    assert written(sent) == [("Delete", "LIVE", False), ("Put", "M", True)]
    ann.ok("POST", f"/v1/matches/{match}/start", None, "a")
    assert calls(aws) == [READ, WRITE]


def test_settling_is_two_reads_and_two_transactions(aws: Cloud) -> None:
    """The ratings first, on the ladder's books as they were read; then the match, which says what became of them."""
    ann, bob = aws.world.players(2)
    match = aws.world.table([ann, bob])
    for caller, card in ((ann, "Ac"), (bob, "2h")):
        caller.act(match, 1, {"type": "play", "card": card, "claim": "lower"})
    ann.act(match, None, {"type": "resign"})
    aws.drain()
    record = {"dynamodb": {"Keys": {"pk": {"S": f"MAT#{match}"}}, "SequenceNumber": "1"}}
    assert aws.world.settle([record]) == {"batchItemFailures": []}
    sent = aws.drain()
    assert list(map(str, sent)) == [READ, BOOKS, TRANSACTION, TRANSACTION]
    once = [("Put", "P", True), *[("Put", "R", True)] * 3]
    assert [row for row in written(sent[2:3]) if row[2]] == once
    assert sum(not row[2] for row in written(sent[2:3])) == 2  # a row in each history
    live, done = [("Delete", "LIVE", False)] * 2, [("Put", "DONE", False)] * 2
    assert written(sent[3:]) == [*live, *done, ("Put", "M", True)]
    aws.world.settle([record])
    assert calls(aws) == [READ]


SEEKS = "Query strongly MatchesTable"


def test_a_seek_costs_the_same_however_many_wait(aws: Cloud) -> None:
    """Both sides of the own rating are read once, and of who is taken what their seat needs."""
    callers = aws.world.players(8)
    body = {"game": "half-deck-poker", "rating_range": [2000, 2100]}
    for caller in callers[:5]:
        caller.ok("POST", "/v1/seeks", body)
    ann, bob = callers[6:]
    known(aws, ann, bob)
    ann.ok("POST", "/v1/seeks", {"game": "half-deck-poker"}, "a")
    own, search = [PROFILE, REMEMBERED, LIVE, RATING, TRANSACTION], [SEEKS, SEEKS]
    assert calls(aws) == [*own, *search, LIVE]
    bob.ok("POST", "/v1/seeks", {"game": "half-deck-poker"}, "b")
    taken = [PROFILE, LIVE, RATING]
    sent = aws.drain()
    assert list(map(str, sent)) == [*own, *search, *taken, TRANSACTION, LIVE, PROFILE, READ]
    matched = written(sent[len(own) :])
    assert [kind for kind, what, _ in matched].count("Delete") == 4
    assert [what for _, what, _ in matched].count("SOUGHT") == 2
    assert [row for row in matched if row[2]] == [
        *[("Delete", "1500", True)] * 2,
        *[("Put", "LIVE", True)] * 2,
        ("Put", "M", True),
    ]
