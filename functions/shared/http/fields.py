"""Fields that the bodies of several functions have."""

from typing import Annotated

import msgspec

from functions.shared.problems import invalid

Nonce = Annotated[str, msgspec.Meta(max_length=128, pattern="^([0-9a-fA-F]{2})*$", description="Hexadecimal.")]
Rating = Annotated[int, msgspec.Meta(ge=0, le=5000)]
RatingRange = Annotated[list[Rating], msgspec.Meta(min_length=2, max_length=2)]


def rating_range(given: list[int] | None) -> tuple[int, int] | None:
    """The lowest and the highest rating of a body. Raises `Rejected` (invalid-request) when they are the wrong way
    round."""
    if given is None:
        return None
    low, high = given
    if low > high:
        raise invalid(("rating_range",), "must go from the lower rating to the higher one")
    return low, high
