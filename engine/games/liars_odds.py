"""Odds of a Liar's Poker bid, for learning: exact, and from the own serial alone (rules/liars-poker.md, "Odds")."""

from math import comb

from engine.errors import Code, Refused

_PLACES = 9


def odds(own_digits: str, seats: int, digits: int, digit: int, count: int) -> dict[str, str]:
    """The chance that `count` × `digit` holds if all unseen digits are independent and uniform, and the break-even of
    a raise that all will challenge, both as decimal strings of 9 places, halves rounded up.

    `own_digits` is the asker's serial at a table of `seats` with `digits` digits each. Raises `Refused` for a digit
    outside 0…9 or a count outside 1…digits × seats.
    """
    if not 0 <= digit <= 9:
        raise Refused(Code.INVALID_REQUEST, "digit must be an integer from 0 to 9", ("digit",))
    if not 1 <= count <= digits * seats:
        raise Refused(Code.INVALID_REQUEST, f"count must be an integer from 1 to {digits * seats}", ("count",))
    unseen = digits * (seats - 1)
    missing = count - own_digits.count(str(digit))
    return {
        "holds": _decimal(ways_to_hold(unseen, missing), 10**unseen),
        "break_even": _decimal(seats - 2, 2 * seats - 2),
    }


def ways_to_hold(unseen: int, missing: int) -> int:
    """In how many of the 10^unseen ways to fill the unseen digits a given digit is there `missing` times or more."""
    return sum(comb(unseen, found) * 9 ** (unseen - found) for found in range(max(0, missing), unseen + 1))


def _decimal(numerator: int, denominator: int) -> str:
    scaled = (2 * numerator * 10**_PLACES + denominator) // (2 * denominator)
    whole, part = divmod(scaled, 10**_PLACES)
    return f"{whole}.{part:0{_PLACES}}"
