"""What may be said of a Micro Poker hand: claims, and which of them a role allows.

A claim is a number, its place among all claims from the lowest up: six categories, or with the option
`declaration` = `category-rank` six times thirteen.
"""

from collections.abc import Collection, Mapping
from functools import cache
from typing import NamedTuple, TypeAlias

from engine.cards import RANKS
from engine.errors import IllegalAction
from engine.games import fields
from engine.games.micro_hands import CATEGORIES, Hand, Role, best
from engine.types import Action, Data, Json, Options, Seat

Claim: TypeAlias = int


class Declaration(NamedTuple):
    """What a stranger has said of its own hand, and of others' (by seat, ascending)."""

    claim: Claim
    remarks: tuple[tuple[Seat, Claim], ...] = ()


@cache
def claims(declaration: str) -> tuple[Data, ...]:
    """Every claim as it is said, from the lowest up."""
    if declaration == "category":
        return tuple({"hand": category} for category in CATEGORIES)
    return tuple({"hand": category, "rank": rank} for category in CATEGORIES for rank in RANKS)


@cache
def _numbers(declaration: str) -> Mapping[tuple[Json, Json], Claim]:
    return {(said["hand"], said.get("rank")): number for number, said in enumerate(claims(declaration))}


def truth(options: Options, hand: Hand) -> Claim:
    """The one true claim about three cards."""
    return _truth(tuple(sorted(hand)), options["joker_hand"], options["declaration"])


@cache
def _truth(cards: Hand, joker_hand: str, declaration: str) -> Claim:
    category, rank = best(cards, joker_hand == "wild")
    return category if declaration == "category" else category * len(RANKS) + rank - 2


def lowest_false(true: Claim) -> Claim:
    """The lowest claim that is a lie."""
    return 0 if true else 1


def number(declaration: str, said: Data) -> Claim:
    """The claim that `said` makes by its `hand` (and `rank`). Raises `IllegalAction` when it makes none."""
    hand, rank = said["hand"], said.get("rank")
    # Only text is looked up: a list has no hash.
    if type(hand) is str and (rank is None or type(rank) is str):
        claim = _numbers(declaration).get((hand, rank))
        if claim is not None:
            return claim
    fields.one_of(said, "hand", CATEGORIES)
    raise IllegalAction("rank must be one of: " + ", ".join(RANKS))


def names(declaration: str) -> tuple[str, ...]:
    """The fields of a claim."""
    return ("hand",) if declaration == "category" else ("hand", "rank")


@cache
def _declare(declaration: str) -> tuple[Action, ...]:
    return tuple({"type": "declare", **said} for said in claims(declaration))


def declare(declaration: str, claim: Claim) -> Action:
    """The action that makes this claim, without remarks."""
    return _declare(declaration)[claim]


@cache
def declarations(declaration: str, role: Role, true: Claim) -> tuple[Action, ...]:
    """The actions, without remarks, of a role whose true claim is `true`: that one, all others, or either."""
    every = _declare(declaration)
    if role == "free":
        return every
    return (every[true],) if role == "honest" else every[:true] + every[true + 1 :]


@cache
def _remarks_on(declaration: str, seat: Seat, true: Claim, honest: bool) -> tuple[Data, ...]:
    every = claims(declaration)
    said = every[true : true + 1] if honest else every[:true] + every[true + 1 :]
    return tuple({"seat": seat, **claim} for claim in said)


def remarks(declaration: str, truths: Mapping[Seat, Claim], honest: bool) -> list[Data]:
    """All remarks that are true, or all that are false. `truths` holds the other strangers' true claims."""
    return [remark for seat, true in truths.items() for remark in _remarks_on(declaration, seat, true, honest)]


def read(action: Action, declaration: str, about: Collection[Seat]) -> Declaration:
    """The declaration that an action makes, its remarks sorted by seat, each about another one of the seats `about`.

    Raises `IllegalAction` when it is not well formed. Whether its maker's role allows it is not looked at.
    """
    wanted = names(declaration)
    if "remarks" not in action:
        fields.exactly(action, *wanted)
        return Declaration(number(declaration, action))
    fields.exactly(action, *wanted, "remarks")
    given = action["remarks"]
    if not isinstance(given, list):
        raise IllegalAction("remarks must be a list")
    keys = {"seat", *wanted}
    about_seat: dict[Seat, Claim] = {}
    for remark in given:
        if not isinstance(remark, dict) or remark.keys() != keys:
            raise IllegalAction("a remark has exactly: seat, " + ", ".join(wanted))
        seat = remark["seat"]
        if type(seat) is not int or seat not in about:
            raise IllegalAction("the seat of a remark must be one of: " + ", ".join(map(str, about)))
        if seat in about_seat:
            raise IllegalAction(f"there can be one remark about seat {seat} only")
        about_seat[seat] = number(declaration, remark)
    return Declaration(number(declaration, action), tuple(sorted(about_seat.items())))


def reread(action: Action, declaration: str) -> Declaration:
    """The declaration that an action in canonical form makes."""
    numbers = _numbers(declaration)
    added = [(remark["seat"], numbers[remark["hand"], remark.get("rank")]) for remark in action.get("remarks", ())]
    return Declaration(numbers[action["hand"], action.get("rank")], tuple(added))


def must_fit(said: Declaration, role: Role, true: Claim, truths: Mapping[Seat, Claim]) -> None:
    """Raises `IllegalAction` unless a role allows what was said. `truths` holds the other strangers' true claims."""
    honest = said.claim == true
    if role == "honest" and not honest:
        raise IllegalAction("an honest seat must declare its true hand")
    if role == "liar" and honest:
        raise IllegalAction("a liar must not declare its true hand")
    if any((truths[seat] == claim) is not honest for seat, claim in said.remarks):
        raise IllegalAction(
            "beside a true declaration every remark must be true"
            if honest
            else "beside a false declaration every remark must be false"
        )


def written(declaration: str, said: Declaration) -> Action:
    """The declaration as an action in its canonical form."""
    action = declare(declaration, said.claim)
    if not said.remarks:
        return action
    every = claims(declaration)
    return {**action, "remarks": [{"seat": seat, **every[claim]} for seat, claim in said.remarks]}


def parts(action: Action) -> Action:
    """The fields of an action, less its type."""
    return {name: value for name, value in action.items() if name != "type"}
