"""Cards: their canonical order, text and values (rules/README.md, "Common to all games")."""

import pytest

from engine import cards


def test_the_deck_goes_by_clubs_diamonds_hearts_and_spades_and_in_each_from_two_to_ace() -> None:
    assert " ".join(cards.deck()) == (
        "2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2d 3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad "
        "2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah 2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As"
    )


@pytest.mark.parametrize(("jokers", "last"), [(0, ()), (1, ("X1",)), (2, ("X1", "X2"))])
def test_jokers_come_last(jokers: int, last: tuple[str, ...]) -> None:
    assert cards.deck(jokers) == cards.deck() + last


def test_every_card_of_the_deck_has_a_value_and_no_other_text_has_one() -> None:
    assert set(cards.VALUES) == set(cards.deck(2))


def test_an_ace_counts_fourteen_and_a_joker_nothing() -> None:
    values = {card: cards.VALUES[card] for card in ("2d", "9h", "Td", "Jc", "Qc", "Kc", "As", "X1", "X2")}
    assert values == {"2d": 2, "9h": 9, "Td": 10, "Jc": 11, "Qc": 12, "Kc": 13, "As": 14, "X1": 0, "X2": 0}


def test_jacks_queens_and_kings_are_the_faces() -> None:
    assert {card for card in cards.deck(2) if cards.is_face(card)} == {r + s for r in "JQK" for s in "cdhs"}


def test_the_two_jokers_are_no_other_card() -> None:
    assert [card for card in cards.deck(2) if cards.is_joker(card)] == ["X1", "X2"]


@pytest.mark.parametrize("text", ["", "9h", "TdX2As"])
def test_cards_come_back_from_one_text_in_their_order(text: str) -> None:
    assert cards.pack(cards.unpack(text)) == text


def test_cards_of_one_text_are_two_characters_each() -> None:
    assert cards.unpack("TdX2As") == ("Td", "X2", "As")
