"""The counters of a ladder as bytes: variable-length integers, compressed. Ten million players take 5 KB."""

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
    counts, rest, shift = [], 0, 0
    for byte in zlib.decompress(body):
        rest |= (byte & (_MORE - 1)) << shift
        shift += 7
        if byte < _MORE:
            counts.append(rest >> 1 if rest % 2 == 0 else -(rest >> 1) - 1)
            rest, shift = 0, 0
    return tuple(counts)
