"""Whether a seat has sealed its choice is known to it alone until the phase closes: in every answer, list and header,
and to whoever acts or resigns meanwhile. After that, in which order the choices came stays unknown."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from random import Random
from typing import Any

import pytest

from engine.clock import Clock, Pause, parse
from engine.errors import Refused
from engine.match import play
from engine.match.play import RESIGN
from engine.match.record import Match, replaced, sitters
from engine.types import Action, Json, Seat
from tests.engine.cases import Case
from tests.leaks.asking import cannot_tell, cannot_tell_after
from tests.leaks.routes import Position, acting, reads, refused, some_reads
from tests.leaks.scenes import (
    CLOCK,
    CLOCKS,
    EVERY_CASE,
    FISCHER,
    choice,
    decisions,
    is_simultaneous,
    kind,
    record_of,
    seal,
)
from tests.leaks.stage import ANYBODY, PLAYERS, SPECTATOR, Asked, Stage, Viewer, at_seat, staged
from tests.leaks.worlds import World

_CURSOR = re.compile(rb'"next_cursor":"[^"]*"')

SEALING = [case for case in EVERY_CASE if not case.given and case.seats < 5 and is_simultaneous(case)]

every_sealing_game = pytest.mark.parametrize("case", SEALING, ids=str)
every_clock = pytest.mark.parametrize(
    ("case", "clock"),
    [
        pytest.param(
            case, clock, id=f"{case}-{clock.kind}-{clock.on_timeout}", marks=[] if is_near else pytest.mark.soak
        )
        for number, case in enumerate(SEALING)
        for place, clock in enumerate(CLOCKS)
        # Each game with its usual clock, each other clock with one of the games.
        for is_near in [place == 0 or place % len(SEALING) == number]
    ],
)


def phases(case: Case, clock: Clock = CLOCK) -> list[Match]:
    """The first decision that asks several seats, and another kind of one; nobody has chosen."""
    several = [match for match in decisions(case, clock) if len(play.asked(match)) > 1]
    first, *others = list({kind(match): match for match in reversed(several)}.values())[::-1]
    return [first, Random(str(case)).choice(others or [first])]


def viewers(match: Match) -> list[Viewer]:
    asked = play.asked(match)
    others = [seat for seat in range(len(match.seats)) if seat not in asked]
    return [*map(at_seat, [asked[0], asked[-1], *others[:1]]), ANYBODY, SPECTATOR]


def sealed_by(match: Match, groups: Sequence[Sequence[Seat]], own: Mapping[Seat, Action]) -> list[World]:
    """The match with the choices of each group of seats, beside the own one."""
    rng = Random(match.id)
    found = []
    for group in groups:
        changed = match
        for number, (seat, action) in enumerate({**own, **{s: choice(match, s, "bold", rng) for s in group}}.items()):
            changed = seal(changed, seat, action, 1000 * (number + 1))
        found.append(World(f"sealed by {list(group)}", record_of(changed)))
    return found


def groups_of(seats: Sequence[Seat]) -> list[tuple[Seat, ...]]:
    """Nobody, one, and as many as there are, who choose anew."""
    return list(dict.fromkeys([(), tuple(seats[:1])])) + [tuple(seats)] * bool(seats)


def others_that_may_seal(match: Match, viewer: Viewer, own: Mapping[Seat, Action]) -> list[Seat]:
    asked = play.asked(match)
    others = [seat for seat in asked if seat != viewer.seat]
    return others if viewer.seat in asked and not own else others[1:]


def questions(stage: Stage, match: Match, viewer: Viewer, rng: Random) -> list[Asked]:
    refusals = refused(stage.service.stack, Position(match, viewer.seat), rng)
    return [*some_reads(stage.service.stack, match, 10, rng), *rng.sample(refusals, 6)]


def statuses(match: Match, viewer: Viewer) -> Iterator[dict[Seat, Action]]:
    """What the viewer itself has done: nothing yet, or made its choice."""
    yield {}
    if viewer.seat is not None and viewer.seat in play.asked(match):
        yield {viewer.seat: choice(match, viewer.seat, "mixed", Random(match.id))}


@every_clock
def test_no_answer_tells_who_has_sealed(stage: Stage, case: Case, clock: Clock) -> None:
    for match in phases(case, clock):
        for viewer in viewers(match):
            for own in statuses(match, viewer):
                same = sealed_by(match, groups_of(others_that_may_seal(match, viewer, own)), own)
                asked = questions(stage, same[0].record.match, viewer, Random(f"{match.turn} {viewer.name} {match.id}"))
                assert cannot_tell(stage, viewer, asked, same) or len(same) == 1


def test_every_kind_of_clock_is_looked_at() -> None:
    with pytest.raises(Refused) as refused:
        parse({"kind": "?"})
    assert sorted({clock.kind for clock in CLOCKS}) == sorted(refused.value.detail.rpartition(": ")[2].split(", "))


@every_clock
def test_turn_clocks_and_numbers_stand_still_while_choices_come_in(stage: Stage, case: Case, clock: Clock) -> None:
    """The same said field by field, as a client reads it."""
    match = phases(case, clock)[0]
    asked = play.asked(match)
    clocks: list[Json] = []
    for group in groups_of(asked[1:]):
        stage.put(sealed_by(match, [group], {})[0].record)
        seen = _read(stage, at_seat(asked[0]), f"/v1/matches/{match.id}")
        log = _read(stage, ANYBODY, f"/v1/matches/{match.id}/log?limit=100")
        waiting = _read(stage, at_seat(asked[0]), "/v1/matches?my_turn=true")
        assert (seen["turn"], seen["to_act"], seen["you"]["to_act"]) == (match.turn, list(asked), True)
        assert [event["n"] for event in log["items"]] == list(range(1, len(match.log) + 1))
        assert match.id in [head["id"] for head in waiting["items"]]
        clocks.append([seen["poll_after"], [seat["clock"] for seat in seen["seats"]]])
    assert all("deadline" in clocks[0][1][seat] for seat in asked) is (clock.kind != "none")
    assert clocks == clocks[:1] * len(clocks)


@every_sealing_game
def test_a_seat_whose_time_has_run_out_is_as_one_that_has_sealed(stage: Stage, case: Case) -> None:
    """Where each has a clock of its own, one may run out long before the phase closes."""
    match = phases(case, FISCHER)[0]
    first, *others = play.asked(match)
    match = replaced(match, first, reserve_ms=30_000)
    same = sealed_by(match, [(), (first,), (first,)], {})
    for viewer in (*map(at_seat, others), ANYBODY):
        assert cannot_tell(stage, viewer, questions(stage, match, viewer, Random(0)), same)


def _read(stage: Stage, viewer: Viewer, target: str) -> Any:
    (answer,) = stage.ask(viewer, [Asked("GET", target)])
    assert answer.status == 200
    return json.loads(answer.body)


@every_sealing_game
def test_a_second_session_sees_what_the_first_one_sees(stage: Stage, case: Case) -> None:
    match = phases(case)[0]
    first = at_seat(play.asked(match)[0])
    order = b'{"scopes": ["read", "play", "organize", "webhooks"], "label": "another device"}'
    (made,) = stage.ask(first, [Asked("POST", "/v1/me/tokens", order)])
    second = first._replace(token=json.loads(made.body)["token"])
    for own in statuses(match, first):
        stage.put(sealed_by(match, [()], own)[0].record)
        asked = [one for one in questions(stage, match, first, Random(match.id)) if "/v1/me" not in one.target]
        assert stage.ask(first, asked) == stage.ask(second, asked)
        # Without its token, the same person is a spectator like any other.
        alone = [one for one in reads(stage.service.stack, match)[0] if not one.target.endswith("odds")]
        told = [[_CURSOR.sub(b"", answer.body) for answer in stage.ask(who, alone)] for who in (ANYBODY, SPECTATOR)]
        assert told[0] == told[1]


@every_clock
def test_the_answer_to_ones_own_seal_does_not_tell_who_else_has_sealed(stage: Stage, case: Case, clock: Clock) -> None:
    for match in phases(case, clock):
        asked = play.asked(match)
        for seat in asked[:2]:
            others = [other for other in asked if other != seat]
            same = sealed_by(match, groups_of(others[1:]), {})
            deed = acting(match, choice(match, seat, "mixed", Random(match.id)))
            cannot_tell_after(
                stage, at_seat(seat), deed, some_reads(stage.service.stack, match, 10, Random(match.id)), same
            )


@every_clock
def test_who_resigns_is_not_told_who_has_sealed(stage: Stage, case: Case, clock: Clock) -> None:
    for match in phases(case, clock):
        asked = play.asked(match)
        for seat in range(len(match.seats)):
            others = [other for other in asked if other != seat]
            # Where only two play the match is over then, and what was sealed never opens.
            may_seal = others if len(match.seats) == 2 else others[1:]
            same = sealed_by(match, groups_of(may_seal), {})
            cannot_tell_after(
                stage,
                at_seat(seat),
                acting(match, RESIGN),
                some_reads(stage.service.stack, match, 10, Random(match.id)),
                same,
            )


@every_sealing_game
def test_the_order_and_the_moments_of_sealing_are_never_told(stage: Stage, case: Case) -> None:
    for match in phases(case):
        rng = Random(match.id)
        asked = play.asked(match)
        choices = {seat: choice(match, seat, "mixed", rng) for seat in asked}
        for viewer in viewers(match):
            orders = [order for order in permutations(asked) if viewer.seat in (None, order[-1])][:4]
            if viewer.seat not in (None, *asked):
                orders = list(permutations(asked))[:4]
            same = [
                World(f"sealed in the order {order}", record_of(_closed(match, order, choices))) for order in orders
            ]
            same += [World("sealed early", record_of(_closed(match, orders[0], choices, early_ms=100)))]
            assert cannot_tell(stage, viewer, some_reads(stage.service.stack, match, 10, Random(match.id)), same)


def _closed(match: Match, order: Sequence[Seat], choices: Mapping[Seat, Action], early_ms: int = 5000) -> Match:
    """The decision, closed at the same moment whatever the order."""
    for number, seat in enumerate(order):
        is_last = number == len(order) - 1
        match = seal(match, seat, choices[seat], 30_000 if is_last else early_ms + 1000 * number)
    return match


@every_sealing_game
def test_what_a_house_bot_has_chosen_is_not_told(stage: Stage, case: Case) -> None:
    """A bot has always chosen before anybody can ask."""
    match = phases(case)[0]
    seat, bot = play.asked(match)[:2]
    seats = tuple(
        sitter._replace(player="bot-1", name="House bot 1", bot="random") if number == bot else sitter
        for number, sitter in enumerate(sitters(match))
    )
    match = match._replace(seats=seats)
    same = sealed_by(match, [(bot,)] * 4, {})
    assert len({json.dumps(world.record.match.seals) for world in same}) > 1
    for viewer in (at_seat(seat), ANYBODY):
        assert cannot_tell(stage, viewer, questions(stage, match, viewer, Random(0)), same)


@pytest.mark.parametrize("case", SEALING[1:], ids=str)
def test_time_that_passes_tells_nothing_of_what_is_sealed(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """The referee looks at the match meanwhile, up to the last second before the deadline."""
    monkeypatch.setenv("SERVICE_SECRET", "the same in both services")
    match = phases(case)[-1]
    asked = play.asked(match)
    told: list[Json] = []
    for world in sealed_by(match, [(), asked[1:]], {}):
        with staged() as stage:
            stage.put(world.record)
            left_s = (play.closes_at(match) or 0) // 1000 - stage.service.advance(0) // 1000 - 2
            found = []
            for seconds in (300, left_s - 300):
                stage.service.advance(seconds)
                for viewer in (at_seat(asked[0]), ANYBODY):
                    found.append(stage.ask(viewer, some_reads(stage.service.stack, match, 10, Random(match.id))))
            told.append(found)
    assert told[0] == told[1]


@every_sealing_game
def test_an_outage_is_declared_alike_whoever_has_sealed(stage: Stage, case: Case) -> None:
    """One seat is away, so that its clock stands still over the whole outage; the others' clocks do not."""
    match = phases(case)[0]
    away, other, *_ = play.asked(match)
    opened = match.opened_at
    vacation = Pause(f"vacation#{PLAYERS[away].id}#{opened}", away, opened, opened + 5 * 86_400_000)
    match = play.pause(match, vacation, opened)
    outage = {"command": "declare-outage", "from": opened + 120_000, "until": opened + 720_000}
    worlds = sealed_by(match, [(), (away,)], {})
    (name,) = [name for name, function in stage.service.stack.functions.items() if "admin" in function.handler]
    told = []
    for world in worlds:
        with staged() as fresh:
            fresh.put(world.record)
            assert fresh.service._invoke(name, outage)["ok"]
            told.append(fresh.ask(at_seat(other), reads(fresh.service.stack, match)[0]))
    assert b'"paused"' in told[0][0].body
    assert told[0] == told[1]
