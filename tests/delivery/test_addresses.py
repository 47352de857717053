"""Which addresses count as public (api.md, "Webhooks"): every special network, and each form that hides an address."""

import ipaddress
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.shared.delivery.addresses import is_public

PRIVATE_4 = {
    "this network": ("0.0.0.0", "0.255.255.255"),
    "private, 10": ("10.0.0.0", "10.255.255.255"),
    "carriers": ("100.64.0.0", "100.127.255.255"),
    "loopback": ("127.0.0.1", "127.255.255.255"),
    "link local": ("169.254.0.0", "169.254.169.254"),
    "private, 172": ("172.16.0.0", "172.31.255.255"),
    "protocols": ("192.0.0.1", "192.0.0.170"),
    "documentation 1": ("192.0.2.0", "192.0.2.255"),
    "relays of 6to4": ("192.88.99.1", "192.88.99.255"),
    "private, 192": ("192.168.0.0", "192.168.255.255"),
    "benchmarks": ("198.18.0.0", "198.19.255.255"),
    "documentation 2": ("198.51.100.0", "198.51.100.255"),
    "documentation 3": ("203.0.113.0", "203.0.113.255"),
    "multicast": ("224.0.0.1", "239.255.255.255"),
    "reserved": ("240.0.0.0", "255.255.255.254"),
    "broadcast": ("255.255.255.255",),
}
BESIDE_4 = (
    *("1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"),
    *("169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.88.98.255"),
    *("192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255"),
    *("198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8"),
)
PRIVATE_6 = {
    "unspecified": "::",
    "loopback": "::1",
    "IPv4-compatible, public inside": "::8.8.8.8",
    "IPv4-translated": "::ffff:0:8.8.8.8",
    "NAT64 of one's own": "64:ff9b:1::808:808",
    "discard": "100::1",
    "protocols": "2001:1::1",
    "benchmarks": "2001:2::1",
    "ORCHID": "2001:10::1",
    "ORCHID 2": "2001:20::1",
    "the end of the protocols": "2001:1ff:ffff::1",
    "documentation": "2001:db8::1",
    "documentation 2": "3fff:fff::1",
    "segment routing": "5f00::1",
    "unassigned": "4000::1",
    "unique local": "fc00::1",
    "metadata of a cloud": "fd00:ec2::254",
    "link local": "fe80::1",
    "site local": "fec0::1",
    "multicast": "ff02::1",
    "with a zone": "fe80::1%eth0",
    "public, with a zone": "2606:4700::1111%1",
}
PUBLIC_6 = ("2000::1", "2606:4700:4700::1111", "2a00:1450:4001:82a::200e", "2001:200::1", "2003::1", "3fff:1000::1")


def number(address: str) -> int:
    return int(ipaddress.IPv4Address(address))


def mapped(address: str) -> str:
    return f"::ffff:{address}"


def nat64(address: str) -> str:
    return str(ipaddress.IPv6Address(number("0.0.0.0") + int(ipaddress.IPv6Address("64:ff9b::")) + number(address)))


def six_to_four(address: str) -> str:
    return str(ipaddress.IPv6Address((0x2002 << 112) + (number(address) << 80) + 1))


def teredo(server: str, client: str) -> str:
    turned = number(client) ^ 0xFFFF_FFFF
    return str(ipaddress.IPv6Address((0x2001_0000 << 96) + (number(server) << 64) + (0x8000_F227 << 32) + turned))


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "mapped": mapped,
    "NAT64": nat64,
    "6to4": six_to_four,
    "Teredo client": lambda address: teredo("8.8.8.8", address),
    "Teredo server": lambda address: teredo(address, "8.8.8.8"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", PRIVATE_4)
def test_no_special_address_is_public_in_any_form(kind: str, form: str) -> None:
    for address in PRIVATE_4[kind]:
        assert not is_public(FORMS[form](address)), address


@pytest.mark.parametrize("form", FORMS)
def test_the_addresses_right_beside_them_are_public_in_every_form(form: str) -> None:
    for address in BESIDE_4:
        assert is_public(FORMS[form](address)), address


@pytest.mark.parametrize("kind", PRIVATE_6)
def test_no_special_ipv6_address_is_public(kind: str) -> None:
    assert not is_public(PRIVATE_6[kind])


@pytest.mark.parametrize("address", PUBLIC_6)
def test_global_ipv6_addresses_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "text", ["", "localhost", "127.1", "0177.0.0.1", "2130706433", "0x7f.1", "1.2.3.4.5", " 8.8.8.8"]
)
def test_what_is_no_address_is_not_public(text: str) -> None:
    assert not is_public(text)


@given(st.ip_addresses(v=4))
def test_whatever_is_public_is_global_to_the_standard_library_too(address: ipaddress.IPv4Address) -> None:
    if is_public(str(address)):
        assert address.is_global
        assert not address.is_multicast


@given(st.ip_addresses(v=6) | st.ip_addresses(network="2000::/3"))
def test_whatever_ipv6_address_is_public_is_global_to_the_standard_library_or_hides_one_that_is(
    address: ipaddress.IPv6Address,
) -> None:
    if is_public(str(address)):
        hidden = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        inside = [one for one in hidden if one is not None]
        assert inside or address.is_global
        assert all(one.is_global for one in inside)
