"""Stored matches outlive releases: what an earlier one packed is read."""

import base64
import hashlib

import pytest

from engine.match.record import Status
from engine.replay import replay
from functions.shared.store import packing
from functions.shared.store.dictionary import DICTIONARIES
from functions.shared.store.records import Part

FIRST = base64.b64decode(
    "AI2XzW6DMBCEXyXinEo7xjjhmBfIC6Ac8kPOldpLD333rs2PB7CLb1HEDobdb2dI8Qemj+gq5SnOfu1KJl/nD2KkFiuNODnJWVq5y0Oe"
    "8pJe3hDd1AY1LBo4nHBGizseeOKFHu8NOc5apyJhsBcQ+ZH58Pv/qo93EEIjuALR5MLZCadQiql0WKMYSlHRij7S7W1SjkEjrpY4xUcA"
    "k7UUHykzK8rmS4xE4DoPzffPZz+u9uo4GW/4NlnbNKnUQnamHTsYbewtAmwjwPqSL14tfPOMmWH+oSV6COMr04hz2/K0jz0cEPbXfPlG"
    "bkjmF0hiSIhhIYZ9sdJtwo1AYazyLxiraHThbJXTxb6uH3juLHLxa3uP0vQpISTE9DmNQy598p10ok0MOKu4NfytH3F2pz6faCKjuUzj"
    "T588JzlBRzpD/TzV/7nDyhf2LGGazbbamEMHq4BA98lt8oiUO8SZbcqMYusRuqt+/wA="
)
"""A match of Misfortune that a seat resigned while the other one had a choice sealed."""


def test_a_body_of_the_first_release_is_read() -> None:
    record = packing.unpack(FIRST, 7, None)
    match = record.match
    assert (match.id, match.game, match.status) == ("mat_1", "misfortune", Status.FINISHED)
    assert (match.turn, match.moves) == (2, 4)
    assert match.result is not None
    assert (match.result.reason, match.result.ranks) == ("resigned", (1, 2))
    assert [choice.action["card"] for choice in match.seals] == ["3c"]
    assert (record.version, record.rating_range, record.invited) == (7, (1400, 1600), ("player-9",))
    assert record.parts == (Part(1, 0),)
    assert replay(match) == match


def test_a_record_is_kept_beside_its_body_and_gets_what_its_item_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_kept", {})
    record = packing.unpack(FIRST, 7, None)
    monkeypatch.delattr(packing, "_expand")
    assert packing.unpack(FIRST, 7, None) == record
    assert packing.unpack(FIRST, 8, 5) == record._replace(version=8, due=5)
    moved = record._replace(version=9, due=6, talk=not record.talk)
    body = packing.pack(moved)
    assert packing.unpack(body, 9, 6) is moved
    assert packing.unpack(FIRST, 7, None) == record


def test_what_is_kept_is_bounded_and_a_record_without_its_log_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_kept", {})
    short = packing.unpack(FIRST, 7, None, log=False)
    assert short.match.log == ()
    record = packing.unpack(FIRST, 7, None)
    assert record.match.log
    for number in range(packing.KEPT + 10):
        packing.pack(record._replace(expires_at=number))
        assert len(packing._kept) <= packing.KEPT


def test_a_dictionary_that_was_in_use_stays_as_it_is() -> None:
    known = [hashlib.sha256(text).hexdigest() for text in DICTIONARIES]
    assert known[:1] == ["4f2d09a8be74614f9b1baba96901f4e66f8e1745a7c8c499ef882280c87f9e1e"]


def test_a_body_says_which_dictionary_it_was_packed_with(monkeypatch: pytest.MonkeyPatch) -> None:
    record = packing.unpack(FIRST, 7, None)
    monkeypatch.setattr(packing, "DICTIONARIES", (*DICTIONARIES, b'"another":"dictionary"'))
    body = packing.pack(record)
    assert (FIRST[0], body[0]) == (0, len(DICTIONARIES))
    assert packing.unpack(body, 7, None) == packing.unpack(FIRST, 7, None) == record


def test_events_are_put_away_oldest_first_and_the_last_ones_stay() -> None:
    record = packing.unpack(FIRST, 7, None)
    log = tuple(record.match.log[0]._replace(at=number) for number in range(1, 61))
    record = record._replace(match=record.match._replace(log=log, put_away=100), parts=())
    seen = []
    while (shorter := packing.put_away(record))[1] is not None:
        record, part = shorter
        assert part is not None
        assert packing.unpack_part(part.first, packing.pack_part(part)) == part
        seen.append((part.first, [entry.at for entry in part.entries]))
    assert seen == [(101, [*range(1, 21)]), (121, [*range(21, 41)])]
    assert [entry.at for entry in record.match.log] == [*range(41, 61)]
    assert record.parts == (Part(101, log[0].turn), Part(121, log[20].turn))


def test_a_few_events_are_not_worth_putting_away() -> None:
    record = packing.unpack(FIRST, 7, None)
    log = record.match.log[:1] * (packing.LAST_EVENTS + packing.FEWEST)
    few = record._replace(match=record.match._replace(log=log[1:]))
    assert packing.put_away(few) == (few, None)
    assert packing.put_away(record._replace(match=record.match._replace(log=log)))[1] is not None
