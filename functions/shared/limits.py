"""How often somebody may ask: token buckets in the memory of each instance.

No call to the database, on any path. An instance counts what it serves itself, so a caller whose requests are spread
over k instances gets up to k times the rate; what must hold exactly (join codes tried in an hour) is counted in the
store.
"""

import ipaddress
from collections import OrderedDict
from typing import NamedTuple

from engine.types import EpochMs

KEPT = 10_000
"""Callers whose buckets are kept; the longest unused one goes first."""


class Policy(NamedTuple):
    """A bucket of `burst` requests, filled with `per_minute`."""

    name: str
    burst: int
    per_minute: int


MOVES = Policy("moves", 300, 600)
READS = Policy("reads", 300, 600)
WRITES = Policy("writes", 60, 60)
ACCOUNTS = Policy("accounts", 20, 6)
"""By address: registering and recovering."""


class Verdict(NamedTuple):
    """Whether a request may pass, how many more may at once, and in how many seconds the next one may."""

    passes: bool
    left: int
    wait_s: int


class Buckets:
    """The buckets of one instance."""

    def __init__(self) -> None:
        self._levels: OrderedDict[tuple[str, str], tuple[float, EpochMs]] = OrderedDict()

    def take(self, policy: Policy, who: str, now: EpochMs) -> Verdict:
        """Takes one request of a caller out of their bucket, if there is one in it."""
        key = (policy.name, who)
        level, at = self._levels.pop(key, (float(policy.burst), now))
        level = min(policy.burst, level + max(0, now - at) * policy.per_minute / 60_000)
        passes = level >= 1
        level -= passes
        self._levels[key] = (level, max(now, at))
        if len(self._levels) > KEPT:
            self._levels.popitem(last=False)
        missing = 0.0 if level >= 1 else 1 - level
        return Verdict(passes, int(level), int(missing * 60 / policy.per_minute) + 1)


def address(source_ip: str) -> str:
    """What counts as one caller without a token: an IPv4 address, or the /64 of an IPv6 one."""
    try:
        parsed = ipaddress.ip_address(source_ip)
    except ValueError:
        return source_ip
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))
    return str(parsed)
