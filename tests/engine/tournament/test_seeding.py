"""Who gets which seed."""

from itertools import permutations

import pytest

from engine.deal import Stream
from engine.errors import Code, Refused
from engine.tournament.seeding import Entry, Method, seeded, snake


def chance(label: str) -> Stream:
    return Stream(bytes(range(32)), label)


ENTRIES = [
    Entry("ply_a", 300, 1_600_000),
    Entry("ply_b", 100, 1_500_000),
    Entry("ply_c", 200, 1_600_000),
    Entry("ply_d", 100, 1_500_000),
]


def order(entries: list[Entry], method: Method) -> list[str]:
    field = seeded(entries, method, chance)
    assert [entrant.seed for entrant in field] == list(range(1, len(entries) + 1))
    return [entrant.player[-1] for entrant in field]


@pytest.mark.parametrize("entries", list(permutations(ENTRIES)))
def test_by_rating_the_highest_is_first_then_who_entered_first_then_the_lower_id(entries: tuple[Entry, ...]) -> None:
    assert order(list(entries), Method.RATING) == ["c", "a", "b", "d"]


def test_by_hand_those_without_a_seed_follow_by_rating_and_gaps_close() -> None:
    entries = [ENTRIES[0], ENTRIES[1]._replace(seed=7), ENTRIES[2], ENTRIES[3]._replace(seed=2)]
    assert order(entries, Method.MANUAL) == ["d", "b", "c", "a"]


@pytest.mark.parametrize(("seed", "detail"), [(2, "seed 2 is given twice"), (0, "must be 1 or more")])
def test_by_hand_a_seed_twice_or_below_one_is_refused(seed: int, detail: str) -> None:
    entries = [ENTRIES[0]._replace(seed=2), ENTRIES[1]._replace(seed=seed), *ENTRIES[2:]]
    with pytest.raises(Refused, match=detail) as caught:
        seeded(entries, Method.MANUAL, chance)
    assert (caught.value.code, caught.value.loc) == (Code.INVALID_REQUEST, ("seed",))


@pytest.mark.parametrize("method", [Method.RATING, Method.RANDOM])
def test_seeds_given_by_hand_count_only_with_manual_seeding(method: Method) -> None:
    given = [entry._replace(seed=1) for entry in ENTRIES]
    assert order(given, method) == order(ENTRIES, method)


@pytest.mark.parametrize("entries", list(permutations(ENTRIES)))
def test_by_lot_it_is_the_shuffle_of_the_entry_order(entries: tuple[Entry, ...]) -> None:
    drawn = Stream(bytes(range(32)), "seeding").shuffle(["b", "d", "c", "a"])
    assert order(list(entries), Method.RANDOM) == list(drawn)


def test_a_snake_goes_there_and_back() -> None:
    field = seeded([Entry(f"p{i}", i, 0) for i in range(1, 12)], Method.RATING, chance)
    assert [[e.seed for e in dealt] for dealt in snake(field, 3)] == [[1, 6, 7], [2, 5, 8, 11], [3, 4, 9, 10]]
