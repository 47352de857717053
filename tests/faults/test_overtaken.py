"""Requests that others overtake between two of their calls, or that overtake themselves: each is told what is so."""

import base64
import json
from collections.abc import Callable
from typing import Any

from tests.faults.breaking import on, resent
from tests.faults.matrix_people import HOOK
from tests.faults.matrix_play import ended
from tests.faults.matrix_stage import KEY, Meanwhile, Setting, Stage, asking, commanding, firing, posting, staged, told
from tests.faults.matrix_tournaments import HOUR_S, entered
from tests.faults.world import World, record_of


def overtaken(setting: Callable[[Stage], Setting], check: Callable[[Stage, str, str], None], every: int = 1) -> None:
    """Lets the rival act before each call of the operation, or before some, and has both answers checked."""
    place, is_over = 0, False
    while not is_over:
        with staged(setting) as (stage, made):
            assert made.rival is not None
            meanwhile = Meanwhile(place, made.rival)
            with stage.world.around(meanwhile):
                answer = made.go()
            is_over = not meanwhile.answer
            if not is_over:
                check(stage, answer, meanwhile.answer)
        place += every
    assert place > 2


def test_a_nonce_that_is_given_once_more_writes_nothing(world: World) -> None:
    ann, bob = world.players(2)
    match = ann.ok("POST", "/v1/matches", {"game": "liars-poker", "seats": 3})["id"]
    bob.ok("POST", f"/v1/matches/{match}/join")
    bob.ok("PUT", f"/v1/matches/{match}/nonce", {"nonce": "c0ffee"})
    before = world.items()
    assert bob.call("PUT", f"/v1/matches/{match}/nonce", {"nonce": "c0ffee"}).status == 200
    assert world.items() == before
    bob.ok("PUT", f"/v1/matches/{match}/nonce", {"nonce": "beef"})
    assert record_of(match).match.seats[1].nonce == "beef"


def test_a_webhook_whose_removal_the_sdk_sends_twice_has_been_removed() -> None:
    def webhook(stage: Stage) -> Setting:
        (ann,) = stage.world.players(1)
        path = f"/v1/webhooks/{ann.ok('POST', '/v1/webhooks', HOOK)['id']}"
        return Setting(asking(ann, "DELETE", path))

    with staged(webhook) as (stage, made):
        with stage.world.around(on("DeleteItem", resent, table="PlayersTable")):
            assert made.go() == "204"
        assert made.go() == "404 not-found"


def test_a_rematch_whose_maker_leaves_meanwhile_is_made_anew() -> None:
    def leaving(stage: Stage) -> Setting:
        ann, bob, match = ended(stage)
        stage.streams.drain()
        made = bob.ok("POST", f"/v1/matches/{match}/rematch")["id"]
        return Setting(
            posting(ann, f"/v1/matches/{match}/rematch"),
            lambda: told(bob.call("POST", f"/v1/matches/{made}/leave")),
        )

    def check(stage: Stage, answer: str, other: str) -> None:
        assert (answer, other) in (("201", "200"), ("201", "409 match-not-open"))

    overtaken(leaving, check)


def test_who_has_joined_a_rematch_that_is_over_is_told_so_again_and_gets_no_other(world: World) -> None:
    ann, bob, cyd = world.players(3)
    match = world.table([ann, bob, cyd], "liars-poker")
    for player in (ann, bob):
        assert player.act(match, None, {"type": "resign"}).status == 200
    made = bob.ok("POST", f"/v1/matches/{match}/rematch")["id"]
    path = f"/v1/matches/{match}/rematch"
    assert ann.call("POST", path, None, KEY).body["id"] == made
    bob.ok("POST", f"/v1/matches/{made}/leave")
    again = ann.call("POST", path, None, KEY)
    assert (again.body["id"], again.headers.get("idempotency-replayed")) == (made, "true")
    assert ann.ok("POST", path)["id"] != made


def test_a_result_that_two_operators_annul_at_once_is_annulled_once_and_both_are_told() -> None:
    def annulling(stage: Stage) -> Setting:
        _, _, match = ended(stage)
        stage.streams.drain()
        annul = commanding(stage, "annul", match=match)
        return Setting(annul, annul)

    def check(stage: Stage, answer: str, other: str) -> None:
        assert (answer, other) == ("done", "done")
        items = stage.world.dynamo.scan(TableName="LadderTable")["Items"]
        assert [item["sk"]["S"] for item in items].count("ANNULMENT") == 1

    overtaken(annulling, check)


def test_a_recovery_that_comes_twice_at_once_is_answered_alike() -> None:
    def recovering(stage: Stage) -> Setting:
        made = stage.world.call("POST", "/v1/players", {"name": "somebody"}).body
        body = {"name": "somebody", "recovery_code": made["recovery_code"]}
        return Setting(*[lambda: told(stage.world.call("POST", "/v1/players/recover", body, None, KEY))] * 2)

    def check(stage: Stage, answer: str, other: str) -> None:
        assert other == "200"
        assert answer == "200 replayed"

    overtaken(recovering, check)


def test_a_withdrawal_that_comes_while_a_tournament_starts_counts_or_is_to_be_sent_again() -> None:
    def starting(stage: Stage) -> Setting:
        _, players, path = entered(stage, 3)
        stage.world.advance(HOUR_S)
        return Setting(firing(stage, "RefereeFunction"), asking(players[0], "DELETE", f"{path}/entries/me"))

    answers = set()

    def check(stage: Stage, _: str, other: str) -> None:
        stage.streams.drain()
        items = stage.world.dynamo.scan(TableName="TournamentsTable")["Items"]
        states = [entry_of(item) for item in items if item["sk"]["S"].startswith("ENTRY#")]
        assert states.count("withdrawn") == (other == "200")
        answers.add(other)

    overtaken(starting, check, every=2)
    assert answers == {"200", "503 try-again"}


def entry_of(item: dict[str, Any]) -> str:
    """The state of an entry, as it is stored."""
    body = item["body"]["B"]
    return str(json.loads(body if isinstance(body, bytes) else base64.b64decode(body))[2])
