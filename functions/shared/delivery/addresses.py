"""Which IP addresses a delivery may go to: global unicast ones, whatever form they are written in.

The networks are those of IANA's registries of special-purpose addresses. They stand here because the standard
library's `is_global` differs from one Python to the next.
"""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

_NOT_GLOBAL_4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private use
            "100.64.0.0/10",  # shared by carriers
            "127.0.0.0/8",  # loopback
            "169.254.0.0/16",  # link local, where clouds keep their metadata
            "172.16.0.0/12",  # private use
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # relays of 6to4, given up
            "192.168.0.0/16",  # private use
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and the broadcast address
        ),
    )
)

_GLOBAL_6 = IPv6Network("2000::/3")
"""All that is given out as global unicast. Loopback, unique local, link local and multicast addresses lie outside."""

_NOT_GLOBAL_6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments
            "2001:db8::/32",  # documentation
            "3fff::/20",  # documentation
        ),
    )
)

_MAPPED = IPv6Network("::ffff:0:0/96")  # RFC 4291, 2.5.5.2
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052, 2.1
_6TO4 = IPv6Network("2002::/16")  # RFC 3056, 2
_TEREDO = IPv6Network("2001::/32")  # RFC 4380, 4


def is_public(text: str) -> bool:
    """Whether the text is an address of the global internet: every address that lies in it must be."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return False
    return all(map(_is_global, _unwrapped(address)))


def _unwrapped(address: Address) -> Iterator[Address]:
    """The IPv4 addresses that an IPv6 address stands for, or the address itself."""
    number = int(address)
    if isinstance(address, IPv4Address):
        yield address
    elif address in _MAPPED or address in _NAT64:
        yield IPv4Address(number & 0xFFFF_FFFF)
    elif address in _6TO4:
        yield IPv4Address(number >> 80 & 0xFFFF_FFFF)
    elif address in _TEREDO:
        yield IPv4Address(number >> 64 & 0xFFFF_FFFF)  # the server
        yield IPv4Address(~number & 0xFFFF_FFFF)  # the client, whose bits are turned over
    else:
        yield address


def _is_global(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_GLOBAL_4)
    return address in _GLOBAL_6 and not any(address in network for network in _NOT_GLOBAL_6)
