"""The chance of a match: the vectors of rules/README.md, and what has to hold for every label and bound."""

import hmac
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import deal

KEY = bytes(range(32))
MATCH = "match-0001"
NONCES = (b"alice", b"bob", b"carol")
ROOT = "759acc69e8569af8b790a08f5c75c4fb99c34b239c7389c303aec34484f758c0"

labels = st.text(max_size=30)


@pytest.fixture
def chance() -> deal.Chance:
    return deal.chance(KEY, MATCH, "liars_poker@1", NONCES)


def test_the_commitment_is_the_vectors() -> None:
    expected = "ecd7f85c767f0186c744d5397fe94bc99e8a633e422968893a61fa6d2e5eee8a"
    assert deal.commitment(MATCH, KEY).hex() == expected


@pytest.mark.parametrize(
    ("ruleset", "expected"),
    [
        ("liars_poker@1", ROOT),
        ("liars-poker@1", "5c389d8a09a3e0b2a9c0db48765601cc156e3f53121a47e879e6f6bfd8386efe"),
        (
            'liars-poker@1 {"digits":4,"rank_order":"ace-high"}',
            "d668d347b3457a9b0c2ce64ac37341999660035bc36da246b78c13e5117c5fd5",
        ),
    ],
)
def test_the_roots_are_the_vectors(ruleset: str, expected: str) -> None:
    assert deal.root(KEY, MATCH, ruleset, NONCES).hex() == expected


def test_the_stream_key_is_the_vectors(chance: deal.Chance) -> None:
    expected = "cf8701b82839fbb8c5a94c062eab2af9b66976e06cc8f47d64e6864fab4b31e1"
    assert chance("deal/round=1").key.hex() == expected


def test_the_first_words_are_the_vectors(chance: deal.Chance) -> None:
    stream = chance("deal/round=1")
    assert [stream.word() for _ in range(4)] == [436498479, 2740570037, 909941089, 2099240972]


def test_the_draws_below_ten_are_the_vectors(chance: deal.Chance) -> None:
    stream = chance("deal/round=1")
    drawn = [stream.below(10) for _ in range(24)]
    assert drawn == [9, 7, 9, 2, 9, 3, 6, 1, 8, 5, 5, 8, 5, 9, 4, 0, 9, 5, 9, 1, 7, 3, 3, 9]


def test_the_shuffle_is_the_vectors(chance: deal.Chance) -> None:
    assert chance("shuffle/10").shuffle(range(1, 11)) == (3, 8, 2, 9, 7, 10, 5, 1, 6, 4)


def test_the_rejected_words_are_the_vectors(chance: deal.Chance) -> None:
    stream = chance("reject")
    drawn = [stream.below(2**31 + 1) for _ in range(5)]
    assert drawn == [881047454, 343070356, 1868002241, 45590255, 718806615]
    words = chance("reject")
    assert [words.word() for _ in range(13)][-1] % (2**31 + 1) == drawn[-1]
    assert stream.word() == words.word()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "liars-poker@1"),
        ({"rank_order": "ace-high", "digits": 4}, 'liars-poker@1 {"digits":4,"rank_order":"ace-high"}'),
    ],
)
def test_a_ruleset_names_the_options_that_differ_in_sorted_order(options: dict[str, object], expected: str) -> None:
    assert deal.ruleset("liars-poker", 1, options) == expected


@pytest.mark.parametrize(
    ("match", "ruleset", "nonces"),
    [
        ("match-0002", "liars_poker@1", NONCES),
        (MATCH, "liars_poker@2", NONCES),
        (MATCH, "liars_poker@1", (b"alice", b"bob")),
        (MATCH, "liars_poker@1", (b"bob", b"alice", b"carol")),
        (MATCH, "liars_poker@1", (b"aliceb", b"ob", b"carol")),
        (MATCH, "liars_poker@1", (*NONCES, b"")),
        ("match-0001liars", "_poker@1", NONCES),
    ],
)
def test_the_root_depends_on_match_rules_seats_and_the_place_of_each_nonce(
    match: str, ruleset: str, nonces: tuple[bytes, ...]
) -> None:
    assert deal.root(KEY, match, ruleset, nonces).hex() != ROOT


def test_the_commitment_depends_on_match_and_key() -> None:
    commitments = {deal.commitment(MATCH, KEY), deal.commitment("match-0002", KEY), deal.commitment(MATCH, KEY[::-1])}
    assert len(commitments) == 3


@given(labels, labels)
def test_streams_are_equal_exactly_when_their_labels_are(one: str, other: str) -> None:
    chance = deal.chance(KEY, MATCH, "r@1", ())
    words = [tuple(stream.word() for _ in range(20)) for stream in (chance(one), chance(other))]
    assert (words[0] == words[1]) == (one == other)


@given(labels, labels, st.integers(1, 40))
def test_drawing_from_one_label_does_not_move_another(one: str, other: str, draws: int) -> None:
    chance = deal.chance(KEY, MATCH, "r@1", ())
    alone = chance(other).word()
    stream, interleaved = chance(one), chance(other)
    for _ in range(draws):
        stream.word()
    assert interleaved.word() == alone


@given(labels)
def test_a_stream_reads_the_blocks_of_its_key_in_order(label: str) -> None:
    stream = deal.chance(KEY, MATCH, "r@1", ())(label)
    blocks = b"".join(hmac.digest(stream.key, i.to_bytes(8, "big"), "sha256") for i in range(3))
    assert b"".join(stream.word().to_bytes(4, "big") for _ in range(24)) == blocks


@given(st.integers(1, 2**32), labels)
def test_below_takes_the_first_word_under_the_limit(n: int, label: str) -> None:
    chance = deal.chance(KEY, MATCH, "r@1", ())
    words, stream = chance(label), chance(label)
    limit = 2**32 // n * n
    accepted = next(word for word in iter(words.word, None) if word < limit)
    assert stream.below(n) == accepted % n
    assert stream.word() == words.word()


def test_below_one_takes_a_word_too(chance: deal.Chance) -> None:
    stream, words = chance("one"), chance("one")
    assert stream.below(1) == 0
    words.word()
    assert stream.word() == words.word()


class Words(deal.Stream):
    """A stream of given words."""

    def __init__(self, *words: int) -> None:
        self._given = iter(words)

    def word(self) -> int:
        return next(self._given)


@pytest.mark.parametrize(
    ("n", "first_rejected"), [(10, 4294967290), (3, 4294967295), (2**31 + 1, 2**31 + 1), (2**32 - 1, 2**32 - 1)]
)
def test_below_rejects_from_the_last_full_multiple_on(n: int, first_rejected: int) -> None:
    assert Words(first_rejected, 7).below(n) == 7 % n
    assert Words(2**32 - 1, first_rejected - 1).below(n) == n - 1


@pytest.mark.parametrize("n", [1, 2, 4, 2**16, 2**32])
def test_below_a_power_of_two_rejects_nothing(n: int) -> None:
    assert Words(2**32 - 1).below(n) == n - 1


@pytest.mark.parametrize("n", [2, 3, 10, 52])
def test_below_is_uniform(n: int, chance: deal.Chance) -> None:
    draws = 400 * n
    stream = chance(f"uniform/{n}")
    counts = Counter(stream.below(n) for _ in range(draws))
    chi_square = sum((counts[i] - 400) ** 2 / 400 for i in range(n))
    # The key is fixed, so this can't flicker; five standard deviations above the mean of the distribution.
    assert chi_square < (n - 1) + 5 * (2 * (n - 1)) ** 0.5
    assert set(counts) == set(range(n))


@given(st.lists(st.integers()), labels)
def test_a_shuffle_is_a_permutation_and_leaves_its_argument(items: list[int], label: str) -> None:
    before = list(items)
    shuffled = deal.chance(KEY, MATCH, "r@1", ())(label).shuffle(items)
    assert Counter(shuffled) == Counter(items)
    assert items == before


@given(st.integers(0, 60), labels)
def test_a_shuffle_swaps_from_the_last_index_down(size: int, label: str) -> None:
    chance = deal.chance(KEY, MATCH, "r@1", ())
    draws, items = chance(label), list(range(size))
    for i in range(size - 1, 0, -1):
        j = draws.below(i + 1)
        items[i], items[j] = items[j], items[i]
    assert list(chance(label).shuffle(range(size))) == items


def test_each_order_of_four_items_comes_equally_often(chance: deal.Chance) -> None:
    orders = Counter(chance(f"order/{i}").shuffle("abcd") for i in range(4800))
    assert len(orders) == 24
    assert sum((count - 200) ** 2 / 200 for count in orders.values()) < 23 + 5 * 46**0.5
