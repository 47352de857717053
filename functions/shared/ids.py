"""Ids: a prefix, then 26 characters that sort by creation: 48 bits of time, 80 random ones, Crockford's base 32."""

import re
import secrets
from collections.abc import Callable

from engine.types import EpochMs

PLAYER, MATCH, TOKEN, SEEK, WEBHOOK = "ply_", "mat_", "tok_", "sek_", "whk_"
TOURNAMENT, PAIRING, AUDIT = "trn_", "par_", "aud_"

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_BODY = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")

RandomBytes = Callable[[int], bytes]


def _base32(number: int, length: int) -> str:
    return "".join(_DIGITS[number >> (5 * i) & 31] for i in reversed(range(length)))


def new(prefix: str, at: EpochMs, random_bytes: RandomBytes = secrets.token_bytes) -> str:
    """A new id. Two of one millisecond are in no order: an id tells nothing of what was created beside it."""
    return prefix + _base32(at << 80 | int.from_bytes(random_bytes(10), "big"), 26)


def derived(prefix: str, at: EpochMs, digest: bytes) -> str:
    """The id that always belongs to something: `digest` is a hash of what that is."""
    return prefix + _base32(at << 80 | int.from_bytes(digest[:10], "big"), 26)


def moment(text: str) -> EpochMs:
    """When an id with a prefix of four characters was made."""
    number = 0
    for digit in text[4:]:
        number = number << 5 | _DIGITS.index(digit)
    return number >> 80


def is_id(prefix: str, text: str) -> bool:
    """Whether the text can be an id with this prefix."""
    return text.startswith(prefix) and _BODY.fullmatch(text, len(prefix)) is not None


def code(entropy: bytes) -> str:
    """The bytes as base 32 that is easy to copy by hand, 5 bytes as 8 characters."""
    return _base32(int.from_bytes(entropy, "big"), len(entropy) * 8 // 5)
