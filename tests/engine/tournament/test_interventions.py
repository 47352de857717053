"""A withdrawal, a double forfeit, a ruling at every point of an event: it ends all the same, with all in their places.

Up to nine entrants at every point and for everybody; above that at points drawn by lot.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import tournament
from engine.tournament import rulings, series
from engine.tournament.protocol import Key, Pairing, Reason, Status
from tests.engine.tournament.playing import (
    Play,
    begin,
    by_chance,
    chance,
    check_end,
    current_round,
    nobody_came,
    rule,
    step,
    table,
    tasks,
    to_the_end,
    withdraw,
)

SINGLE, DOUBLE, ROBIN, HEATS = tournament.IDS
CASES: list[tuple[str, dict[str, Any]]] = [
    (SINGLE, {"third_place": True}),
    (SINGLE, {"best_of": 3}),
    (DOUBLE, {}),
    (ROBIN, {}),
    (HEATS, {"seats": 4}),
    (HEATS, {"tables": (2, 6), "seats": 3, "rounds": 3}),
]
SMALL = {SINGLE: (2, 3, 4, 6, 9), DOUBLE: (2, 3, 4, 6, 9), ROBIN: (2, 3, 4, 5), HEATS: (3, 4, 6, 9)}


def points(format_id: str, n: int, given: dict[str, Any]) -> Iterator[Play]:
    """An event at each point from its start to its end."""
    happened = 0
    while True:
        play = begin(format_id, n, n, **given)
        if to_the_end(play, Random(n), limit=happened) < happened:
            return
        yield play
        happened += 1


def copy(play: Play) -> Play:
    return play._replace(stored=dict(play.stored), live=dict(play.live), out=set(play.out))


def finish(play: Play) -> None:
    to_the_end(play, Random(7))
    check_end(play)


@pytest.mark.parametrize(("format_id", "given"), CASES, ids=str)
def test_a_withdrawal_of_anybody_at_any_point_leads_to_an_end(format_id: str, given: dict[str, Any]) -> None:
    for n in SMALL[format_id]:
        for point in points(format_id, n, given):
            for entrant in point.field:
                play = copy(point)
                is_done = not any(
                    pairing.result is None and any(side.player == entrant.player for side in pairing.sides)
                    for pairing in play.stored.values()
                )
                withdraw(play, entrant.player)
                assert play.stored == point.stored or not is_done
                finish(play)


@pytest.mark.parametrize(("format_id", "given"), CASES, ids=str)
def test_when_everybody_withdraws_at_any_point_it_ends(format_id: str, given: dict[str, Any]) -> None:
    for n in SMALL[format_id]:
        for point in points(format_id, n, given):
            for order in (1, -1):
                play = copy(point)
                for entrant in play.field[::order]:
                    withdraw(play, entrant.player)
                finish(play)


@pytest.mark.parametrize(("format_id", "given"), CASES, ids=str)
def test_a_match_in_which_nobody_ever_acted_leads_to_an_end_wherever_it_happens(
    format_id: str, given: dict[str, Any]
) -> None:
    for n in SMALL[format_id]:
        for point in points(format_id, n, given):
            for task in tasks(point):
                if task[2] is None:
                    play = copy(point)
                    step(play, task, nobody_came)
                    result = play.stored[task[0]].result
                    assert result is not None
                    assert all(result.out)
                    finish(play)


@pytest.mark.parametrize("format_id", tournament.IDS)
def test_an_event_in_which_nobody_ever_acts_is_won_by_nobody_who_had_a_match(format_id: str) -> None:
    for n in range(3, 18):
        play = begin(format_id, n)
        to_the_end(play, Random(n), nobody_came)
        check_end(play)
        rows = table(play)
        had_a_match = {side.player for p in play.stored.values() if p.games for side in p.sides}
        if format_id == HEATS:
            assert {row.points.units for row in rows} == {2520}
        elif format_id == ROBIN:
            assert {row.player for row in rows if row.points.units}.isdisjoint(had_a_match)
        else:
            assert {row.player for row in rows if row.rank == 1}.isdisjoint(had_a_match)


def rankings(play: Play, pairing: Pairing) -> list[tuple[int, ...]]:
    if len(pairing.sides) == 2 and play.topology.format != HEATS:
        return [(1, 2), (2, 1), (2, 2)]
    size = len(pairing.sides)
    return [tuple(range(size, 0, -1)), (1,) * size]


def can_be_ruled_on(pairing: Pairing) -> bool:
    return pairing.status is not Status.VOID and all(side.player for side in pairing.sides)


@pytest.mark.parametrize(("format_id", "given"), CASES, ids=str)
def test_a_ruling_on_any_pairing_at_any_point_leads_to_an_end(format_id: str, given: dict[str, Any]) -> None:
    for n in SMALL[format_id][:-1]:
        for point in points(format_id, n, given):
            for key, pairing in point.stored.items():
                for ranks in rankings(point, pairing) if can_be_ruled_on(pairing) else []:
                    play = copy(point)
                    rule(play, key, ranks)
                    result = play.stored[key].result
                    assert result is not None
                    assert (result.reason, result.ranks) == (Reason.RULING, ranks)
                    finish(play)
                    assert play.stored[key].result == result


@pytest.mark.parametrize(("format_id", "given"), CASES, ids=str)
def test_a_ruling_that_was_overturned_to_what_had_been_played_gives_the_same_followers(
    format_id: str, given: dict[str, Any]
) -> None:
    """Whatever is ruled in between, with the old ranks again the followers have the old sides."""
    n = SMALL[format_id][-1]
    for point in points(format_id, n, given):
        for key, pairing in point.stored.items():
            if pairing.result is None or pairing.result.reason is not Reason.PLAYED or format_id == HEATS:
                continue
            for ranks in rankings(point, pairing):
                play = copy(point)
                rule(play, key, ranks)
                rule(play, key, pairing.result.ranks)
                for flow in tournament.find(format_id).flows(play.topology, pairing):
                    if flow.key in point.stored:
                        assert play.stored[flow.key].sides[flow.at] == point.stored[flow.key].sides[flow.at]
                finish(play)


@pytest.mark.parametrize("format_id", [SINGLE, DOUBLE])
def test_the_dry_run_names_exactly_the_pairings_that_the_ruling_undoes(format_id: str) -> None:
    for point in points(format_id, 6, {}):
        for key, pairing in point.stored.items():
            for ranks in rankings(point, pairing) if can_be_ruled_on(pairing) else []:
                impact = rulings.impact(point.topology, pairing, ranks, point.stored.get)
                play = copy(point)
                rule(play, key, ranks)
                undone = {
                    other: old
                    for other, old in point.stored.items()
                    if other != key
                    and len([g for g in play.stored[other].games if g.void]) > len([g for g in old.games if g.void])
                }
                begun = {k for k, old in undone.items() if any(game.started for game in series.live(old))}
                assert set(impact.begun) == begun
                assert set(undone) - begun <= set(impact.open)


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_any_mixture_of_interventions_in_a_larger_field_leads_to_an_end(data: st.DataObject) -> None:
    format_id, given_settings = data.draw(st.sampled_from(CASES))
    n = data.draw(st.integers(3, 33 if format_id != ROBIN else 9))
    play = begin(format_id, n, data.draw(st.integers(0, 9)), **given_settings)
    rng = Random(data.draw(st.integers(0, 9)))
    for _ in range(data.draw(st.integers(1, 8))):
        to_the_end(play, rng, limit=data.draw(st.integers(0, 2 * n)))
        what = data.draw(st.sampled_from(("withdraw", "absent", "rule")))
        if what == "withdraw":
            withdraw(play, f"p{data.draw(st.integers(1, n))}")
        elif what == "absent":
            running = [task for task in tasks(play) if task[2] is None]
            if running:
                step(play, data.draw(st.sampled_from(running)), nobody_came)
        else:
            keys = [key for key, pairing in sorted(play.stored.items()) if can_be_ruled_on(pairing)]
            if keys:
                key: Key = data.draw(st.sampled_from(keys))
                rule(play, key, data.draw(st.sampled_from(rankings(play, play.stored[key]))))
    finish(play)


def test_heats_after_a_ruling_make_the_later_rounds_anew_with_new_games() -> None:
    play = begin(HEATS, 12, 3, seats=4)
    while current_round(play) < 2:
        to_the_end(play, Random(1), limit=1)
    to_the_end(play, Random(1), limit=2)
    key = min(play.stored)
    pairing = play.stored[key]
    rule(play, key, tuple(range(len(pairing.sides), 0, -1)))
    second = [p for k, p in play.stored.items() if k.round == 2]
    assert {p.status for p in second} == {Status.VOID}
    assert current_round(play) == 1
    assert tournament.next_round(play.topology, play.field, play.stored.values(), 2, chance(play))
    to_the_end(play, Random(1), by_chance)
    again = [p for k, p in play.stored.items() if k.round == 2 and p.result is not None]
    assert again
    assert all([game.void for game in p.games] == [True, False] for p in again)
    check_end(play)
