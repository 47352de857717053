"""The counters of a ladder as bytes: variable-length integers, compressed. Ten million players take 5 KB."""

import re
import zlib
from collections.abc import Sequence

_MORE = 0x80
"""Another seven bits follow, higher ones (LEB128)."""


def pack(counts: Sequence[int]) -> bytes:
    """The counters. One may be negative while what it counts is still in a delta that no snapshot has taken in."""
    packed = bytearray()
    for count in counts:
        rest = 2 * count if count >= 0 else -2 * count - 1  # zigzag: small numbers of either sign stay small
        while rest >= _MORE:
            packed.append(_MORE | rest & (_MORE - 1))
            rest >>= 7
        packed.append(rest)
    return zlib.compress(packed, 9)


def unpack(body: bytes) -> tuple[int, ...]:
    """The counters that `pack` was given."""
    packed, counts, start = zlib.decompress(body), list[int](), 0
    for large in _LARGE.finditer(packed):
        counts += _small(packed[start : large.start()])
        counts += _each(large[0])
        start = large.end()
    return (*counts, *_small(packed[start:]))


def _small(packed: bytes) -> list[int]:
    """Counters of a byte each, as most of a ladder are, all at once."""
    return memoryview(packed.translate(_AS_SIGNED)).cast("b").tolist()


def _each(packed: bytes) -> list[int]:
    counts, rest, shift = list[int](), 0, 0
    for byte in packed:
        rest |= (byte & (_MORE - 1)) << shift
        shift += 7
        if byte < _MORE:
            counts.append(rest >> 1 ^ -(rest & 1))
            rest, shift = 0, 0
    return counts


_LARGE = re.compile(rb"(?:[\x80-\xff]+[\x00-\x7f])+")
"""Counters of several bytes."""
_AS_SIGNED = bytes((byte >> 1 ^ -(byte & 1)) % 256 for byte in range(256))
"""What a byte alone says, as a signed byte."""
