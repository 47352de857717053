"""The key and the nonces of a match, and the chance that follows from both (rules/README.md, "Chance")."""

import hashlib
import hmac
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.deal import Stream, root
from engine.errors import Code, Refused
from engine.match import lobby
from engine.match.record import Match, Sitter, chance, commitment, ruleset
from tests.engine.match import tables
from tests.engine.match.tables import KEY, START, opened, people, person

nonces = st.binary(max_size=lobby.NONCE_BYTES)


def lp(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def root_by_the_rules(match_id: str, rules: str, given: list[bytes]) -> bytes:
    """Step 3 of the rules, written out."""
    message = b"bluff-rng/v1/root\0" + lp(match_id.encode()) + lp(rules.encode()) + struct.pack(">I", len(given))
    return hmac.new(KEY, message + b"".join(map(lp, given)), hashlib.sha256).digest()


def key_of(match: Match, label: str) -> bytes:
    return chance(match)(label).key


def serials(match: Match) -> list[str]:
    found = []
    for seat in range(len(match.seats)):
        stream = chance(match)(f"liars/round=1/seat={seat}")
        found.append("".join(str(stream.below(10)) for _ in range(8)))
    return found


@given(nonces)
def test_a_nonce_is_hexadecimal_in_either_case(nonce: bytes) -> None:
    assert lobby.checked_nonce(nonce.hex()) == nonce.hex()
    assert lobby.checked_nonce(nonce.hex().upper()) == nonce.hex()


@pytest.mark.parametrize(
    "nonce",
    ["0", "0g", "0x00", "00 11", " 00", "00\n", "00" * 65, "é", "\uff10\uff10", "-1", "00\x00", "\u0660\u0660"],
)
def test_what_is_no_nonce_is_refused(nonce: str) -> None:
    with pytest.raises(Refused) as refused:
        lobby.checked_nonce(nonce)
    assert (refused.value.code, refused.value.loc) == (Code.INVALID_REQUEST, ("nonce",))


@given(st.text(max_size=140))
def test_no_text_is_half_accepted_as_a_nonce(nonce: str) -> None:
    try:
        checked = lobby.checked_nonce(nonce)
    except Refused:
        return
    assert bytes.fromhex(checked).hex() == nonce.lower()
    assert len(checked) <= 2 * lobby.NONCE_BYTES


@given(st.lists(nonces, min_size=3, max_size=3), st.sampled_from([{}, {"digits": 4, "rank_order": "ace-high"}]))
def test_the_root_of_all_chance_is_that_of_the_rules(given_nonces: list[bytes], options: dict[str, object]) -> None:
    sitters = [person(number, nonce.hex()) for number, nonce in enumerate(given_nonces)]
    match = tables.seated("liars-poker", sitters, options)
    text = "liars-poker@1" + (' {"digits":4,"rank_order":"ace-high"}' if options else "")
    assert ruleset(match) == text
    expected = root_by_the_rules(match.id, text, given_nonces)
    assert expected == root(KEY, match.id, text, given_nonces)
    assert key_of(match, "liars/first") == Stream(expected, "liars/first").key
    assert match.state.opener == Stream(expected, "liars/first").below(3)


def test_the_deal_comes_from_the_root() -> None:
    match = people("liars-poker", 3)
    assert list(match.state.serials) == serials(match)


def test_options_stand_in_the_ruleset_sorted_and_without_blanks() -> None:
    one = opened("liars-poker", 3, {"stake": 2, "digits": 4})
    other = opened("liars-poker", 3, {"digits": 4, "stake": 2, "rounds": 3})
    assert ruleset(one) == ruleset(other) == 'liars-poker@1 {"digits":4,"stake":2}'


def test_the_commitment_is_published_before_any_nonce_and_never_moves() -> None:
    match = opened("misfortune")
    expected = hashlib.sha256(b"bluff-rng/v1/commit\0" + lp(match.id.encode()) + lp(KEY)).hexdigest()
    assert commitment(match) == expected
    match = lobby.join(match, person(0, "aa"), START)
    match = lobby.join(lobby.set_nonce(match, 0, "bb"), person(1), START)
    assert commitment(tables.everybody(match)) == expected


def test_a_nonce_may_be_replaced_until_the_start_and_the_last_one_counts() -> None:
    def deal(*own: str) -> Match:
        match = lobby.join(opened("liars-poker"), person(0, own[0]), START)
        for nonce in own[1:]:
            match = lobby.set_nonce(match, 0, nonce)
        return lobby.join(match, person(1), START)

    assert deal("aa", "bb", "cc").state == deal("cc").state
    assert deal("aa").state != deal("cc").state


def test_each_seats_nonce_counts_in_its_place() -> None:
    def deal(first: str, second: str) -> object:
        return tables.seated("liars-poker", [person(0, first), person(1, second)]).state.serials

    deals = [deal("aa", ""), deal("", "aa"), deal("", ""), deal("aa", "aa")]
    assert len(set(map(str, deals))) == 4


def test_chance_knows_the_seats_that_play_and_not_the_free_ones() -> None:
    match = opened("liars-poker", 5)
    for number in (0, 1, 2):
        match = lobby.join(match, person(number, f"0{number}"), START)
    match = lobby.start(lobby.leave(match, 1, START), 0, START)
    expected = root_by_the_rules(match.id, "liars-poker@1", [b"\x00", b"\x02"])
    assert key_of(match, "liars/first") == Stream(expected, "liars/first").key


def test_names_and_ratings_are_no_part_of_chance() -> None:
    plain = tables.seated("liars-poker", [person(0), person(1)])
    other = tables.seated("liars-poker", [Sitter("a", "A", 1), Sitter("b", "B", 2)])
    assert plain.state == other.state
