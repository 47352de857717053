"""`bluff-rng/v1`: all chance of a match, from a committed key and the seats' nonces (rules/README.md, "Chance").

The server commits to a key before it knows any nonce; every draw comes from a stream with a label of its own, so
there is no generator state to store and one draw says nothing about another.
"""

import hashlib
import hmac
import json
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, TypeVar

from engine.types import Data

SPEC = "bluff-rng/v1"
_T = SPEC.encode() + b"/"
_WORDS = struct.Struct(">8I")
_RANGE = 2**32

Item = TypeVar("Item")


def _lp(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def commitment(match_id: str, key: bytes) -> bytes:
    """What is published of a secret 32-byte `key` before any nonce is known (step 1): 32 bytes."""
    return hashlib.sha256(_T + b"commit\0" + _lp(match_id.encode()) + _lp(key)).digest()


def ruleset(game: str, rules_version: int, options: Data) -> str:
    """The text that binds a deal to its rules (step 3). `options` holds those that differ from their defaults."""
    name = f"{game}@{rules_version}"
    if not options:
        return name
    return name + " " + json.dumps(options, sort_keys=True, separators=(",", ":"))


def root(key: bytes, match_id: str, rules: str, nonces: Sequence[bytes]) -> bytes:
    """The root of all chance of a match (step 3): 32 bytes. `nonces` has one entry a seat, empty by default."""
    message = [_T, b"root\0", _lp(match_id.encode()), _lp(rules.encode()), struct.pack(">I", len(nonces))]
    message += map(_lp, nonces)
    return hmac.digest(key, b"".join(message), "sha256")


class Stream:
    """The draws of one label, in order (steps 4 to 6)."""

    def __init__(self, root_key: bytes, label: str) -> None:
        self.key = hmac.digest(root_key, _T + b"stream\0" + _lp(label.encode()), "sha256")
        self._block = 0
        self._words: list[int] = []

    def word(self) -> int:
        """The next 32-bit word."""
        if not self._words:
            block = hmac.digest(self.key, struct.pack(">Q", self._block), "sha256")
            self._words = list(reversed(_WORDS.unpack(block)))
            self._block += 1
        return self._words.pop()

    def below(self, n: int) -> int:
        """A uniform integer in 0…n−1, for n in 1…2³². `below(1)` takes a word too."""
        limit = _RANGE - _RANGE % n
        while (word := self.word()) >= limit:
            pass
        return word % n

    def shuffle(self, items: Iterable[Item]) -> tuple[Item, ...]:
        """The items in a uniformly random order. A list is dealt from its front."""
        shuffled = list(items)
        for i in range(len(shuffled) - 1, 0, -1):
            j = self.below(i + 1)
            shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
        return tuple(shuffled)


Chance: TypeAlias = Callable[[str], Stream]
"""Gives the stream of a label, from its first draw."""


def chance(key: bytes, match_id: str, rules: str, nonces: Sequence[bytes]) -> Chance:
    """All chance of one match. The root is derived when the first stream is asked for."""
    memo: list[bytes] = []

    def stream(label: str) -> Stream:
        if not memo:
            memo.append(root(key, match_id, rules, nonces))
        return Stream(memo[0], label)

    return stream
