"""The life of a pairing: orders, withdrawals, and events that come twice, late or in another order."""

from itertools import permutations
from typing import Any

import pytest

from engine.tournament import course, find
from engine.tournament.protocol import (
    Act,
    Deadline,
    Ended,
    Event,
    Nobody,
    Order,
    Pairing,
    Reason,
    Ruled,
    Settings,
    Started,
    Status,
    Stopped,
    Withdrawn,
)
from tests.engine.tournament.pairs import HEATS, after, at_table, facts, overdue, pair, play


def started(pairing: Pairing) -> Pairing:
    return after(pairing, Started(1))


def test_a_ready_pairing_orders_its_match_with_the_players_by_seat() -> None:
    pairing = pair(seeds=(5, 2))
    assert pairing.status is Status.READY
    assert course.orders(pairing) == (Order(Act.START, pairing.key, 1, ("b", "a")),)


def test_a_started_match_is_ordered_no_more() -> None:
    pairing = started(pair())
    assert pairing.status is Status.PLAYING
    assert course.orders(pairing) == ()


def test_each_game_of_a_series_is_ordered_when_the_last_one_has_ended() -> None:
    pairing = play(pair(3), (1, 2))
    assert course.orders(pairing) == (Order(Act.START, pairing.key, 2, ("b", "a")),)


def test_a_withdrawal_before_the_match_exists_is_a_walkover_and_calls_the_match_off() -> None:
    pairing = after(pair(), Withdrawn("a"))
    assert pairing.result is not None
    assert pairing.result[:2] == (Reason.WALKOVER, (2, 1))
    assert course.orders(pairing) == (Order(Act.ABORT, pairing.key, 1),)
    assert course.orders(after(pairing, Stopped(1))) == ()


def test_a_match_that_was_created_after_it_was_called_off_is_aborted() -> None:
    pairing = after(after(pair(), Withdrawn("a")), Stopped(1))
    late = after(pairing, Started(1))
    assert late.status is Status.SETTLED
    assert course.orders(late) == (Order(Act.ABORT, pairing.key, 1),)
    done = after(late, Stopped(1))
    assert course.orders(done) == ()
    assert after(done, Started(1)) == done


def test_a_withdrawal_while_a_match_runs_is_forfeited_there_and_settled_by_its_end() -> None:
    pairing = after(started(pair(3)), Withdrawn("b"))
    assert pairing.result is None
    assert course.orders(pairing) == (Order(Act.FORFEIT, pairing.key, 1, ("b",)),)
    done = after(pairing, Ended(1, facts(pairing, (1, 2), left=("", "forfeit"))))
    assert done.result is not None
    assert done.result[:2] == (Reason.FORFEIT, (1, 2))
    assert course.orders(done) == ()


def test_a_game_that_was_won_before_the_withdrawal_took_effect_counts_as_in_the_other_order() -> None:
    won = facts(started(pair()), (1, 2))
    first = after(after(started(pair()), Withdrawn("a")), Ended(1, won))
    second = after(after(started(pair()), Ended(1, won)), Withdrawn("a"))
    assert first.result == second.result
    assert first.result is not None
    assert first.result.ranks == (1, 2)


def test_a_withdrawal_between_two_games_settles_the_pairing() -> None:
    pairing = after(play(pair(3), (1, 2)), Withdrawn("a"))
    assert pairing.result is not None
    assert pairing.result[:2] == (Reason.FORFEIT, (2, 1))
    assert [order.act for order in course.orders(pairing)] == [Act.ABORT]


def test_a_withdrawal_of_both_is_settled_with_nobody_as_the_winner() -> None:
    pairing = after(after(started(pair()), Withdrawn("a")), Withdrawn("b"))
    assert {order.players for order in course.orders(pairing)} == {("a",), ("b",)}
    done = after(pairing, Ended(1, facts(pairing, (1, 1), left=("forfeit", "forfeit"))))
    assert done.result is not None
    assert done.result[:2] == (Reason.DOUBLE_FORFEIT, (2, 2))


def test_at_a_table_a_withdrawal_leaves_the_others_playing() -> None:
    table = after(after(at_table(4), Started(1), HEATS), Withdrawn("p2"), HEATS)
    assert table.status is Status.PLAYING
    assert course.orders(table) == (Order(Act.FORFEIT, table.key, 1, ("p2",)),)


def test_a_withdrawal_from_a_settled_pairing_or_of_a_stranger_changes_nothing() -> None:
    done = play(pair(), (1, 2))
    assert after(done, Withdrawn("a")) is done
    assert after(pair(), Withdrawn("c")) == pair()


def test_a_ruling_aborts_the_match_that_runs() -> None:
    pairing = after(started(pair()), Ruled((2, 1)))
    assert pairing.result is not None
    assert pairing.result[:2] == (Reason.RULING, (2, 1))
    assert course.orders(pairing) == (Order(Act.ABORT, pairing.key, 1),)


def test_a_result_of_a_match_that_a_ruling_has_undone_changes_nothing() -> None:
    ruled = after(started(pair()), Ruled((2, 1)))
    assert after(ruled, Ended(1, facts(ruled, (1, 2)))) is ruled


def test_a_ruling_brings_back_whom_it_puts_first_and_leaves_out_whom_it_puts_last() -> None:
    absent = play(pair(), (1, 2), left=("", "timeout"), acted=(True, False))
    back, still = after(absent, Ruled((2, 1))), after(absent, Ruled((1, 2)))
    assert back.result is not None
    assert still.result is not None
    assert back.result.out == (False, False)
    assert still.result.out == (False, True)
    assert after(back, Ruled((1, 2))).result == still.result


def test_a_ruling_keeps_who_was_absent_at_the_deadline_out() -> None:
    pairing = overdue(pair(), (1, 2), acted=(True, False))
    assert pairing.result is not None
    assert pairing.result.reason is Reason.FORFEIT
    ruled = after(pairing, Ruled((1, 2)))
    assert ruled.result is not None
    assert ruled.result.out == (False, True)


def test_a_ruling_at_a_table_brings_back_who_was_absent_unless_it_puts_them_last() -> None:
    table = at_table(3)
    more: dict[str, Any] = {"scores": (0, 0, 0), "left": ("", "abandoned", "abandoned"), "acted": (True, False, False)}
    done = after(after(table, Started(1), HEATS), Ended(1, facts(table, (1, 2, 2), **more)), HEATS)
    assert done.result is not None
    assert done.result.out == (False, True, True)
    ruled = after(done, Ruled((1, 2, 3)), HEATS)
    assert ruled.result is not None
    assert ruled.result.out == (False, False, True)


def test_a_ruling_for_nobody_puts_both_out_and_can_be_overturned() -> None:
    both = after(started(pair()), Ruled((2, 2)))
    assert both.result is not None
    assert both.result.out == (True, True)
    again = after(both, Ruled((1, 2)))
    assert again.result is not None
    assert again.result.out == (False, False)


EVENTS: list[Event] = [
    Started(1),
    Ended(1, facts(pair(), (1, 2))),
    Ended(1, facts(pair(), (2, 1), left=("timeout", ""), acted=(False, True))),
    Deadline(1, facts(pair(), (2, 1))),
    Withdrawn("a"),
    Withdrawn("b"),
    Ruled((1, 2)),
    Stopped(1),
]


@pytest.mark.parametrize("best_of", [1, 3])
def test_any_event_may_come_twice_and_late(best_of: int) -> None:
    for order in permutations(EVENTS, 4):
        pairing = pair(best_of)
        for event in order:
            pairing = after(pairing, event)
            assert after(pairing, event) == pairing
        settled = pairing
        for event in order:
            if not isinstance(event, Ruled):
                pairing = after(pairing, event)
        assert settled.result is None or pairing.result == settled.result


def test_an_end_that_is_known_before_the_start_counts() -> None:
    end = Ended(1, facts(pair(), (1, 2)))
    early = after(after(pair(), end), Started(1))
    assert early == play(pair(), (1, 2))


def test_an_event_of_a_game_that_never_was_is_an_error() -> None:
    with pytest.raises(LookupError, match="main/1/1 has no game 2"):
        after(pair(), Ended(2, facts(pair(), (1, 2))))


def test_two_byes_make_a_void_pairing_and_two_empty_sides_too() -> None:
    rules, sides = find("double-elimination"), pair().sides
    empty = pair()._replace(games=(), status=Status.WAITING)
    byes = tuple(side._replace(player="", seed=0, nobody=Nobody.BYE) for side in sides)
    void = course.arranged(rules, Settings(), empty._replace(sides=byes))
    assert void.status is Status.VOID
    assert void.result is not None
    assert void.result.reason is Reason.BYE
    vacant = (byes[0], byes[1]._replace(nobody=Nobody.VACANT))
    assert course.arranged(rules, Settings(), empty._replace(sides=vacant)).status is Status.VOID


def test_who_is_out_wins_against_nobody() -> None:
    rules, (first, second) = find("double-elimination"), pair().sides
    empty = pair()._replace(games=(), status=Status.WAITING)
    sides = (first._replace(out=True), second._replace(player="", seed=0, nobody=Nobody.VACANT))
    done = course.arranged(rules, Settings(), empty._replace(sides=sides))
    assert done.result is not None
    assert done.result.ranks == (2, 2)
