"""What a ruling would undo, and when it is refused."""

from random import Random

import pytest

from engine import tournament
from engine.errors import Code, Refused
from engine.tournament import course, rulings
from engine.tournament.protocol import Act, Ended, Key, Reason, Started, Status
from tests.engine.tournament.playing import (
    Play,
    begin,
    by_seed,
    chance,
    check_end,
    feed,
    ranked,
    step,
    store,
    tasks,
    to_the_end,
    withdraw,
)

SEMI, FINAL = Key("main", 1, 1), Key("main", 2, 1)


def semis_played() -> Play:
    """Four entrants, both semi-finals played, the final ready."""
    play = begin("single-elimination", 4)
    to_the_end(play, Random(1), by_seed, limit=4)
    assert play.stored[FINAL].status is Status.READY
    return play


def impact(play: Play, ranks: tuple[int, ...] = (2, 1)) -> rulings.Impact:
    return rulings.impact(play.topology, play.stored[SEMI], ranks, play.stored.get)


def rule(play: Play, ranks: tuple[int, ...] = (2, 1), cascade: bool = False) -> None:
    store(play, rulings.rule(play.topology, play.stored[SEMI], ranks, play.stored.get, cascade=cascade))


def test_an_open_follower_needs_no_cascade() -> None:
    play = semis_played()
    assert impact(play) == rulings.Impact(open=(FINAL,))
    rule(play)
    final = play.stored[FINAL]
    assert [side.player for side in final.sides] == ["p4", "p2"]
    assert final.status is Status.READY
    assert [(order.act, order.number) for order in course.orders(final)] == [(Act.ABORT, 1), (Act.START, 2)]


def test_a_follower_that_is_being_played_needs_cascade() -> None:
    play = semis_played()
    feed(play, FINAL, Started(1))
    assert impact(play) == rulings.Impact(playing=(FINAL,))
    before = dict(play.stored)
    with pytest.raises(Refused, match="begun: main/2/1") as caught:
        rule(play)
    assert (caught.value.code, caught.value.loc) == (Code.CONFLICT, ("cascade",))
    assert play.stored == before
    rule(play, cascade=True)
    assert [game.void for game in play.stored[FINAL].games] == [True, False]
    # The match that was undone ends all the same.
    before = dict(play.stored)
    feed(play, FINAL, Ended(1, ranked(play.stored[FINAL], 1, (1, 2))))
    assert play.stored == before
    to_the_end(play, Random(1))
    check_end(play)


def test_a_follower_that_was_played_needs_cascade_and_is_played_again() -> None:
    play = semis_played()
    to_the_end(play, Random(1), by_seed)
    assert impact(play) == rulings.Impact(played=(FINAL,))
    rule(play, cascade=True)
    assert play.stored[FINAL].result is None
    to_the_end(play, Random(1), by_seed)
    final = play.stored[FINAL]
    assert final.result is not None
    assert [game.number for game in final.games if not game.void] == [2]
    check_end(play)


def test_a_ruling_with_the_same_ranks_undoes_nothing() -> None:
    play = semis_played()
    to_the_end(play, Random(1), by_seed)
    before = play.stored[FINAL]
    assert impact(play, (1, 2)) == rulings.Impact()
    rule(play, (1, 2))
    assert play.stored[FINAL] == before
    assert play.stored[SEMI].result
    assert play.stored[SEMI].result.reason is Reason.RULING


def test_a_ruling_that_comes_twice_changes_nothing_the_second_time() -> None:
    play = semis_played()
    rule(play)
    assert rulings.rule(play.topology, play.stored[SEMI], (2, 1), play.stored.get) == ()


def test_a_ruling_settles_an_open_pairing() -> None:
    play = begin("single-elimination", 4)
    assert impact(play) == rulings.Impact()
    rule(play)
    assert play.stored[SEMI].status is Status.SETTLED
    assert play.stored[FINAL].sides[0].player == "p4"


@pytest.mark.parametrize(
    ("format_id", "ranks", "detail"),
    [
        ("single-elimination", (1, 1), r"must be one of \[1, 2\], \[2, 1\], \[2, 2\]$"),
        ("double-elimination", (1,), r"must be one of \[1, 2\], \[2, 1\], \[2, 2\]$"),
        ("round-robin", (1, 3), r"must be one of \[1, 2\], \[2, 1\], \[2, 2\], \[1, 1\]$"),
        ("heats", (1, 2), "must be 3 ranks such as 1, 2, 2, 4, by side"),
        ("heats", (1, 2, 2, 4), "must be 3 ranks such as 1, 2, 2, 4, by side"),
        ("heats", (1, 1, 2), "must be 3 ranks such as 1, 2, 2, 4, by side"),
    ],
)
def test_ranks_that_are_impossible_are_refused(format_id: str, ranks: tuple[int, ...], detail: str) -> None:
    play = begin(format_id, 3 if format_id == "heats" else 4)
    pairing = play.stored[min(play.stored)]
    with pytest.raises(Refused, match=detail) as caught:
        rulings.rule(play.topology, pairing, ranks, play.stored.get)
    assert (caught.value.code, caught.value.loc) == (Code.INVALID_REQUEST, ("ranks",))


def test_a_pairing_with_a_bye_or_a_side_that_is_not_known_cannot_be_ruled_on() -> None:
    play = begin("single-elimination", 3)
    for key in (SEMI, FINAL):
        with pytest.raises(Refused, match="a ruling needs a player on each side") as caught:
            rulings.rule(play.topology, play.stored[key], (1, 2), play.stored.get)
        assert caught.value.code is Code.CONFLICT


def test_who_has_withdrawn_from_what_a_ruling_undoes_stays_so_wherever_it_puts_them() -> None:
    play = semis_played()
    withdraw(play, "p2")
    assert play.stored[FINAL].result is not None
    rule(play, cascade=True)
    final = play.stored[FINAL]
    assert [side.player for side in final.sides] == ["p4", "p2"]
    assert final.result is not None
    assert final.result.ranks == (1, 2)


def test_who_has_withdrawn_and_is_put_back_by_a_second_ruling_is_still_out() -> None:
    play = semis_played()
    withdraw(play, "p1")
    rule(play, (2, 1), cascade=True)
    assert play.stored[FINAL].status is Status.READY
    rule(play, (1, 2), cascade=True)
    final = play.stored[FINAL]
    assert [side.player for side in final.sides] == ["p1", "p2"]
    assert final.result is not None
    assert final.result.ranks == (2, 1)


def test_who_withdraws_when_all_is_over_is_not_put_back_to_play() -> None:
    play = semis_played()
    to_the_end(play, Random(1), by_seed)
    withdraw(play, "p2")
    changed = rulings.rule(play.topology, play.stored[SEMI], (2, 1), play.stored.get, cascade=True, withdrawn={"p2"})
    store(play, changed)
    final = play.stored[FINAL]
    assert [side.player for side in final.sides] == ["p4", "p2"]
    assert final.result is not None
    assert (final.result.reason, final.result.ranks) == (Reason.WALKOVER, (1, 2))


def test_a_ruling_that_undoes_nothing_lets_a_later_withdrawal_be() -> None:
    play = semis_played()
    to_the_end(play, Random(1), by_seed)
    changed = rulings.rule(play.topology, play.stored[SEMI], (1, 2), play.stored.get, withdrawn={"p1"})
    assert [pairing.key for pairing in changed] == [SEMI]


def test_in_a_round_robin_a_ruling_undoes_nothing() -> None:
    play = begin("round-robin", 4)
    to_the_end(play, Random(1))
    key = min(play.stored)
    assert rulings.impact(play.topology, play.stored[key], (2, 2), play.stored.get) == rulings.Impact()


def test_in_heats_a_ruling_with_the_same_ranks_undoes_nothing() -> None:
    play = begin("heats", 12, seats=4)
    to_the_end(play, Random(1), by_seed)
    first = play.stored[min(play.stored)]
    assert first.result is not None
    later = [pairing for key, pairing in play.stored.items() if key.round > 1]
    assert later
    changed = rulings.rule(play.topology, first, first.result.ranks, play.stored.get, later)
    assert [pairing.key for pairing in changed] == [first.key]


def test_in_heats_a_ruling_undoes_the_later_rounds_by_how_far_they_have_come() -> None:
    play = begin("heats", 22, seats=4)
    to_the_end(play, Random(1), by_seed, limit=12)
    assert not tasks(play)
    made = tournament.next_round(play.topology, play.field, tuple(play.stored.values()), 2, chance(play))
    store(play, made)
    assert [pairing.key.round for pairing in made] == [2, 2, 2]
    step(play, (made[0].key, 1, Act.START), by_seed)
    step(play, (made[0].key, 1, None), by_seed)
    step(play, (made[1].key, 1, Act.START), by_seed)
    first = play.stored[min(play.stored)]
    later = [play.stored[pairing.key] for pairing in made]
    ranks = tuple(range(len(first.sides), 0, -1))
    found = rulings.impact(play.topology, first, ranks, play.stored.get, later)
    assert found == rulings.Impact((made[2].key,), (made[1].key,), (made[0].key,))
    with pytest.raises(Refused, match="begun"):
        rulings.rule(play.topology, first, ranks, play.stored.get, later)
    store(play, rulings.rule(play.topology, first, ranks, play.stored.get, later, cascade=True))
    assert {play.stored[pairing.key].status for pairing in made} == {Status.VOID}
    acts = [[order.act for order in course.orders(play.stored[pairing.key])] for pairing in made]
    assert acts == [[Act.ABORT]] * 3
