"""A player's record: moved by results, moved back by annulments."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ladder.elo import CEILING, FLOOR, START, Change, Entrant, changes
from engine.ladder.outcome import Outcome, outcomes
from engine.ladder.standing import LISTED_MS, NEW, Standing, annulled, games, rated, unlisted_at


def move(before: int, after: int) -> Change:
    return Change("a", before, after, 16_000, ())


def play(standings: Sequence[Standing], ranks: Sequence[int]) -> tuple[list[Standing], tuple[Change, ...]]:
    table = [
        Entrant(f"ply_{i}", s.rating, games(s), rank) for i, (s, rank) in enumerate(zip(standings, ranks, strict=True))
    ]
    found = changes(table)
    after = [rated(*row) for row in zip(standings, found, outcomes(ranks), strict=True)]
    return after, found


def test_a_new_player_has_1500_and_no_games() -> None:
    assert (NEW.rating, games(NEW), NEW.reached_2400) == (START, 0, False)


@pytest.mark.parametrize(
    ("outcome", "record"), [(Outcome.WON, (1, 0, 0)), (Outcome.DRAWN, (0, 1, 0)), (Outcome.LOST, (0, 0, 1))]
)
def test_a_result_moves_the_rating_and_counts_once(outcome: Outcome, record: tuple[int, int, int]) -> None:
    after = rated(NEW, move(START, 1_510_000), outcome)
    assert (after.rating, games(after), (after.won, after.drawn, after.lost)) == (1_510_000, 1, record)
    assert annulled(after, move(START, 1_510_000), outcome) == NEW


def test_a_change_to_another_rating_is_refused() -> None:
    with pytest.raises(ValueError, match="another rating"):
        rated(NEW, move(1_500_001, 1_510_000), Outcome.WON)


def test_a_game_that_is_not_counted_is_not_taken_back() -> None:
    with pytest.raises(ValueError, match="lost"):
        annulled(Standing(won=3), move(START, 1_510_000), Outcome.LOST)


def test_an_annulment_takes_back_what_a_result_really_moved_at_the_floor() -> None:
    at_floor = rated(Standing(rating=105_000), move(105_000, FLOOR), Outcome.LOST)
    assert annulled(at_floor, move(105_000, FLOOR), Outcome.LOST).rating == 105_000


@pytest.mark.parametrize(
    ("now", "change", "after"),
    [
        (103_000, move(1_500_000, 1_540_000), FLOOR),
        (4_094_000, move(1_500_000, 1_460_000), CEILING),
        (1_700_000, move(1_500_000, 1_500_000), 1_700_000),
    ],
)
def test_an_annulment_stays_within_the_bounds(now: int, change: Change, after: int) -> None:
    assert annulled(Standing(rating=now, won=1), change, Outcome.WON).rating == after


def test_2400_once_shown_stays_shown() -> None:
    shown = rated(Standing(rating=2_390_000), move(2_390_000, 2_400_000), Outcome.WON)
    assert shown.reached_2400
    assert annulled(shown, move(2_390_000, 2_400_000), Outcome.WON).reached_2400
    assert rated(shown, move(2_400_000, 2_380_000), Outcome.LOST).reached_2400


@given(st.lists(st.permutations([1, 2, 3]) | st.just([1, 1, 3]), min_size=1, max_size=12), st.data())
def test_later_results_stay_when_an_earlier_one_is_annulled(results: list[list[int]], data: st.DataObject) -> None:
    standings, history = [NEW, NEW, NEW], []
    for ranks in results:
        standings, found = play(standings, ranks)
        history.append((found, outcomes(ranks)))
    moves, what = history[data.draw(st.integers(0, len(history) - 1))]
    after = [annulled(*row) for row in zip(standings, moves, what, strict=True)]
    for old, new, moved in zip(standings, after, moves, strict=True):
        assert new.rating == old.rating - (moved.after - moved.before)
        assert games(new) == games(old) - 1
    assert sum(new.rating for new in after) == sum(old.rating for old in standings) - sum(
        moved.after - moved.before for moved in moves
    )


@given(st.lists(st.permutations([1, 2, 3, 4]), max_size=12))
def test_annulling_everything_in_any_case_leaves_no_game_and_the_first_rating(results: list[list[int]]) -> None:
    standings, history = [NEW] * 4, []
    for ranks in results:
        standings, found = play(standings, ranks)
        history.append((found, outcomes(ranks)))
    for found, what in history:
        standings = [annulled(*row) for row in zip(standings, found, what, strict=True)]
    assert standings == [NEW] * 4


def test_a_player_is_listed_for_ninety_days() -> None:
    assert unlisted_at(1_000) - 1_000 == LISTED_MS == 90 * 86_400_000
