"""Proofs of random matches, and what a proof says (`engine.proof`, `engine.verify`)."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from engine.clock import Pause
from engine.match import lobby, play
from engine.match.record import Match, Status, commitment
from engine.proof import prove
from engine.proof_form import Disproved, read
from engine.replay import replay
from engine.verify import verify
from tests.engine.match import tables
from tests.engine.match.stories import TIMED, Story, ending, over, stories
from tests.engine.match.tables import START, act, opened, people, person
from tests.faults.test_replay import STORIES
from tests.verify.proofs import by_node, fault, forged, needs_node

FIELDS = {
    *("spec", "match", "game", "ruleset", "options", "seats", "bots", "commitment", "key", "nonces", "clock"),
    *("started_at", "actions", "events", "status", "ended_at", "result", "checksums"),
}


def served(match: Match) -> dict[str, Any]:
    """The proof after a way over the wire."""
    found: dict[str, Any] = read(json.dumps(prove(match)).encode())
    return found


@settings(max_examples=120, deadline=None)
@given(stories(clocks=TIMED))
def test_the_proof_of_any_match_holds(story: Story) -> None:
    proof = served(over(ending(story)))
    verify(proof)
    assert [action["n"] for action in proof["actions"]] == list(range(1, len(proof["actions"]) + 1))


@pytest.mark.parametrize("story", STORIES)
def test_the_proof_of_a_match_with_a_special_turn_holds(story: Callable[[], Match]) -> None:
    verify(served(story()))


def test_a_proof_says_what_the_match_was_made_of_in_the_order_of_commitment() -> None:
    match = tables.seated("misfortune", [person(0, "00ff"), person(1)], {"ace": "high"})
    match = act(match, 1, {"type": "play", "card": "9h", "claim": "lower"}, after=1500)
    match = act(match, 0, {"type": "play", "card": "Kc", "claim": "lower"}, after=2000)
    match = act(match, 1, {"type": "play", "card": "Th", "claim": "lower"}, after=500)
    match = tables.resign(match, 0)
    proof = served(match)
    assert set(proof) == FIELDS
    made = [(a["n"], a["turn"], a["seat"], a["by"], a["at"][17:], a["action"]) for a in proof["actions"]]
    assert made == [
        (1, 1, 1, "player", "01.500Z", {"type": "play", "card": "9h", "claim": "lower"}),
        (2, 1, 0, "player", "02.000Z", {"type": "play", "card": "Kc", "claim": "lower"}),
        (3, 2, 1, "player", "02.500Z", {"type": "play", "card": "Th", "claim": "lower"}),
        (4, 2, 0, "player", "03.000Z", {"type": "resign"}),
    ]
    del proof["actions"], proof["checksums"]
    assert proof == {
        "spec": "bluff-rng/v1",
        "match": match.id,
        "game": "misfortune",
        "ruleset": 'misfortune@1 {"ace":"high"}',
        "options": {"ace": "high", "leftover": "void", "prayer_from_round": 1, "recall": "open"},
        "seats": 2,
        "bots": [],
        "commitment": commitment(match),
        "key": bytes(range(32)).hex(),
        "nonces": ["00ff", ""],
        "clock": {"kind": "per-move", "seconds": 60, "on_timeout": "default-action"},
        "started_at": "2027-01-15T08:00:00.000Z",
        "events": [],
        "status": "finished",
        "ended_at": "2027-01-15T08:00:03.000Z",
        "result": {"reason": "resigned", "ranks": [2, 1], "scores": [0, 2]},
    }


def test_pauses_are_told_by_numbers_and_where_they_came() -> None:
    match = opened("misfortune")
    match = lobby.join(match, person(0), START)
    match = play.pause(match, Pause("vacation of ann", 0, START, START + 9000), START)
    match = lobby.join(match, person(1), START + 1000)
    match = act(match, 1)
    match = play.pause(match, Pause("an outage", None, START + 3000, START + 5000), START + 4000)
    match = play.resume(match, "vacation of ann", START + 6000)
    proof = served(tables.resign(match, 0))
    assert "ann" not in json.dumps(proof)
    told = [(e["type"], e["after"], e["seat"], e["pause"], e["at"][18:], e["until"][18:]) for e in proof["events"]]
    assert told == [
        ("paused", 0, 0, 1, "1.000Z", "9.000Z"),
        ("paused", 1, None, 2, "4.000Z", "5.000Z"),
        ("resumed", 1, 0, 1, "6.000Z", "6.000Z"),
    ]
    verify(proof)


def overtaken(by: Callable[[Match], Match]) -> Match:
    """A seat has sealed; something that was stamped before that is written in after it."""
    match = people("micro-poker", 4)
    first = play.awaited(match)[0]
    return over(by(act(match, first, after=5000)))


@pytest.mark.parametrize("who", [1, 2])
def test_a_forfeit_that_was_overtaken_by_a_sealed_choice_keeps_its_place(who: int) -> None:
    match = overtaken(lambda match: play.forfeit(match, play.awaited(match)[-who], START + 2000))
    assert replay(match) == match
    verify(served(match))


def test_a_forfeit_that_ends_the_match_does_not_undo_a_choice_sealed_before_it() -> None:
    match = act(people("misfortune"), 1, after=5000)
    match = play.forfeit(match, 0, START + 2000)
    assert match.seals
    assert replay(match) == match
    proof = served(match)
    assert [(event["type"], event["after"]) for event in proof["events"]] == [("left", 1)]
    verify(proof)


def called_off() -> Match:
    return play.call_off(act(people("misfortune"), 0), START + 2000)


def adjudicated() -> Match:
    match = tables.everybody(people("liars-poker", 3))
    return play.adjudicate(match, match.opened_at + 2000)


@needs_node
@pytest.mark.parametrize(("end", "status"), [(called_off, "aborted"), (adjudicated, "finished")])
def test_a_match_that_is_ended_from_outside_has_a_proof(end: Callable[[], Match], status: str) -> None:
    match = end()
    assert replay(match) == match
    proof = served(match)
    verify(proof)
    assert by_node([proof]) == ["holds"]
    assert proof["status"] == status
    without = forged(proof | {"events": [], "result": None, "status": "aborted"})
    assert fault(without) != ""
    assert by_node([without]) != ["holds"]


def never_started() -> Match:
    match = lobby.join(opened("liars-poker", 4), person(0, "aa"), START)
    match = lobby.join(match, tables.robot(2), START)
    return lobby.leave(match, 0, START + 5)


def test_a_match_that_never_started_opens_its_key_and_nothing_else() -> None:
    proof = served(never_started())
    verify(proof)
    assert (proof["status"], proof["started_at"], proof["result"]) == ("aborted", None, None)
    assert (proof["actions"], proof["events"], proof["nonces"]) == ([], [], ["aa", "", "", ""])
    for name, value in (("status", "finished"), ("result", {"reason": "played", "ranks": [1], "scores": [1]})):
        assert fault(forged(proof | {name: value})).startswith(name)


def test_a_match_that_nobody_played_has_a_proof() -> None:
    proof = served(over(people("liars-poker", 3)))
    assert (proof["status"], proof["result"]) == ("aborted", None)
    verify(proof)


@pytest.mark.parametrize("match", [people("misfortune"), opened("misfortune")])
def test_a_match_that_goes_on_has_no_proof(match: Match) -> None:
    with pytest.raises(ValueError, match="over"):
        prove(match)


def test_a_log_without_its_beginning_gives_no_proof() -> None:
    match = over(people("misfortune"))
    with pytest.raises(ValueError, match="whole log"):
        prove(match._replace(put_away=2, log=match.log[2:]))


def proof_of(**changes: Any) -> dict[str, Any]:
    """A short proof with fitting checksums, some of its fields changed."""
    match = tables.resign(act(act(people("misfortune"), 0), 1), 0)
    return forged(served(match) | changes)


def acted(number: int, **changes: Any) -> dict[str, Any]:
    """The same with one action changed."""
    actions = proof_of()["actions"]
    actions[number - 1] = actions[number - 1] | changes
    return proof_of(actions=actions)


def bot_proof() -> dict[str, Any]:
    match = tables.seated("misfortune", [tables.robot(0), person(1)])
    match = play.act(match, play.Request(0, START, play.By.BOT), 1, tables.first(match, 0))
    return served(tables.resign(match, 1))


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        (proof_of(spec="bluff-rng/v2"), "spec"),
        (proof_of(game="poker"), "game"),
        (proof_of(ruleset="misfortune@2"), "ruleset"),
        (proof_of(ruleset='misfortune@1 {"ace":"high"}'), "ruleset"),
        (proof_of(options={"ace": "high", "leftover": "void", "prayer_from_round": 1, "recall": "open"}), "ruleset"),
        (proof_of(options={"ace": "low", "leftover": "void", "recall": "open"}), "options, prayer_from_round"),
        (proof_of(options=proof_of()["options"] | {"prayer_from_round": 14}), "options, prayer_from_round"),
        (proof_of(options=proof_of()["options"] | {"jokers": 2}), "options, jokers"),
        (proof_of(seats=3), "seats"),
        (proof_of(nonces=[""]), "nonces"),
        (proof_of(nonces=["", "0"]), "nonces"),
        (proof_of(nonces=["", "AA"]), "nonces"),
        (proof_of(bots=[1, 0]), "bots"),
        (proof_of(bots=[2]), "bots"),
        (proof_of(key="00" * 32), "commitment"),
        (proof_of(match="another"), "commitment"),
        (proof_of(clock={"kind": "per-move", "seconds": 60}), "clock, on_timeout"),
        (proof_of(clock={"kind": "per-move", "seconds": 9, "on_timeout": "forfeit"}), "clock, seconds"),
        (proof_of(status="aborted"), "status"),
        (proof_of(result=proof_of()["result"] | {"scores": [26, 0]}), "result, scores"),
        (proof_of(result=proof_of()["result"] | {"ranks": [True, 2]}), "result, ranks"),
        (proof_of(actions=proof_of()["actions"][:2]), "action 3"),
        (
            proof_of(
                events=[{"type": "left", "after": 3, "at": "2027-01-15T08:00:09.000Z", "seat": 1, "reason": "forfeit"}]
            ),
            "event 1",
        ),
        (acted(1, n=2), "action 1, n"),
        (acted(1, turn=2), "action 1"),
        (acted(1, seat=2), "action 1, seat"),
        (acted(1, seat=1), "action 1"),
        (acted(1, by="bot"), "action 1, by"),
        (acted(1, at="2027-01-15T08:01:00.000Z"), "action 1"),
        (acted(1, at="2027-01-15T07:59:00.000Z"), "action 1, at"),
        (acted(1, action={"type": "play", "card": "Ah", "claim": "lower"}), "action 1"),
        (acted(1, action={"type": "play", "card": "Ac", "claim": "lower", "more": 1}), "action 1"),
        (acted(1, action={"type": "resign"}), "action 2"),
        (acted(3, action={"type": "resign", "why": 1}), "action 3, action"),
        (forged(bot_proof() | {"actions": bot_proof()["actions"][1:]}), "action 1, n"),
        (forged(bot_proof() | {"bots": []}), "action 1, by"),
    ],
)
def test_what_cannot_have_been_is_named(changed: dict[str, Any], where: str) -> None:
    assert fault(changed) == where


def test_a_house_bot_does_not_miss_its_action() -> None:
    match = tables.seated("misfortune", [tables.robot(0), person(1)])
    while match.status is Status.ACTIVE:
        match = play.time_out(match)
    assert fault(served(match)) == "action 1"


def test_a_house_bot_does_not_take_its_time() -> None:
    match = tables.seated("misfortune", [tables.robot(0), person(1)])
    match = play.act(match, play.Request(0, START + 5000, play.By.BOT), 1, tables.first(match, 0))
    assert fault(served(tables.resign(match, 1))) == "action 1, at"


@pytest.mark.parametrize("leave", ["resign", "forfeit"])
def test_nobody_leaves_when_time_had_closed_the_decision_before(leave: str) -> None:
    match = tables.everybody(people("misfortune"))
    at = match.opened_at + 60_000
    late = play.resign(match, play.Request(0, at)) if leave == "resign" else play.forfeit(match, 0, at)
    assert fault(served(late)) == ("action 3, at" if leave == "resign" else "event 1, at")


def test_an_action_at_its_deadline_came_too_late() -> None:
    late = acted(1, at="2027-01-15T08:01:00.000Z")
    late["actions"][1]["at"] = late["actions"][2]["at"] = "2027-01-15T08:01:00.000Z"
    with pytest.raises(Disproved, match="run out"):
        verify(forged(late))


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"", "character 1"),
        (b'{"spec": ', "character 10"),
        (b'{"spec": \xff}', "byte 10"),
        (b'{"spec": 1, "spec": 1}', "proof"),
        (b'{"spec": NaN}', "proof"),
        (b"[" * 100_000, "proof"),
        (b'{"seats": 1' + b"0" * 5000 + b"}", "proof"),
    ],
)
def test_what_is_no_json_is_no_proof(data: bytes, where: str) -> None:
    with pytest.raises(Disproved) as found:
        read(data)
    assert found.value.where == where


@pytest.mark.parametrize("value", [None, [], {}, 7, "text", {"spec": []}, [proof_of()]])
def test_what_has_not_the_form_of_a_proof_is_none(value: Any) -> None:
    with pytest.raises(Disproved):
        verify(value)


def test_a_value_that_is_nested_deeply_is_refused() -> None:
    deep: Any = {}
    for _ in range(200):
        deep = {"a": deep}
    assert fault(proof_of() | {"options": deep}) == "options"


def test_sitters_names_and_ids_are_in_no_proof() -> None:
    text = json.dumps(prove(tables.resign(people("misfortune"), 0)))
    assert person(0).player not in text
    assert person(0).name not in text
