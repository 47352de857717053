"""URLs of webhooks, read strictly; and all the addresses behind a name."""

from collections.abc import Sequence

import pytest

from functions.shared.delivery.targets import BadTarget, Target, addresses, look_up, parse

GOOD = {
    "https://hooks.example.com": ("hooks.example.com", "/"),
    "https://hooks.example.com/": ("hooks.example.com", "/"),
    "https://hooks.example.com:443/a/b?c=d&e=%20": ("hooks.example.com", "/a/b?c=d&e=%20"),
    "https://hooks.example.com?x": ("hooks.example.com", "/?x"),
    "HTTPS://HOOKS.Example.COM/A": ("hooks.example.com", "/A"),
    "https://b\u00fccher.example/": ("xn--bcher-kva.example", "/"),
    "https://xn--bcher-kva.example/": ("xn--bcher-kva.example", "/"),
    "https://\u65e5\u672c.example/": ("xn--wgv71a.example", "/"),
    "https://a\u3002example/": ("a.example", "/"),
    "https://4chan.example/": ("4chan.example", "/"),
    "https://1.2.3.4.example.com/": ("1.2.3.4.example.com", "/"),
    "https://a.example//b/../c": ("a.example", "//b/../c"),
}
BAD = (
    *("", "x", "https:", "https://", "https:///x", "https:x", "//a.example/", "a.example", "file:///etc/passwd"),
    *("http://a.example/", "ftp://a.example/", "wss://a.example/", "gopher://a.example:443/", "javascript:alert(1)"),
    *("https://a.example:80/", "https://a.example:8443/", "https://a.example:0/", "https://a.example:99999/"),
    *("https://a.example:x/", "https://a.example:-443/", "https://a.example:4 43/"),
    *("https://user@a.example/", "https://user:pw@a.example/", "https://@a.example/", "https://a.example@b.example/"),
    *("https://a.example/#x", "https://a.example#", "https://a.example/#@127.0.0.1/"),
    *("https://a.example\\@127.0.0.1/", "https://a.example\\.b.example/", "https:\\\\a.example/"),
    *("https://localhost/", "https://intranet/", "https://a.example./", "https://.a.example/", "https://a..example/"),
    *(
        "https://-a.example/",
        "https://a-.example/",
        "https://a_b.example/",
        "https://a%2eexample/",
        "https://*.example/",
    ),
    *("https://127.0.0.1/", "https://8.8.8.8/", "https://8.8.8.8.:443/", "https://[::1]/", "https://[2606:4700::1]/"),
    *("https://[::ffff:127.0.0.1]/", "https://[fe80::1%25eth0]/", "https://[::1", "https://::1/"),
    *(
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.0.0.1/",
        "https://0177.0.0.1/",
        "https://017700000001/",
    ),
    *(
        "https://127.1/",
        "https://127.0.1/",
        "https://0/",
        "https://1.2.3/",
        "https://a.0x1/",
        "https://a.0x/",
        "https://a.7/",
    ),
    *("https://\uff11\uff12\uff17.0.0.1/", "https://127\u30020\u30020\u30021/", "https://\u2460\u2461\u2466.0.0.1/"),
    *("https://fa\u00df.example/", "https://\u03c2.example/", "https://a\u200db.example/", "https://a\u200cb.example/"),
    *("https://\u202ea.example/", "https://a\u00ad.\u00ad/", "https://a\u2100.example/"),
    *("https://a.example/\u00e9", "https://a.example/a b", "https://a.example/?\u65e5", "https://a.example/<x>"),
    *("https://a.example/\r\nHost: b", "https://a.example/\n", "\thttps://a.example/", "https://a.exa\tmple/"),
    *("https://a.example/\x00", "https://a.example/\x7f", "https://a.example/\x85", " https://a.example/"),
    *(f"https://{'a' * 64}.example/", f"https://{'a.' * 127}example/", f"https://a.example/{'a' * 2000}"),
)


THIS_MACHINE = ("https://localhost/", "https://127.0.0.1/", "https://[::1]/")


@pytest.mark.parametrize("url", GOOD)
def test_a_url_with_a_full_name_is_a_target(url: str) -> None:
    host, path = GOOD[url]
    target = parse(url)
    assert target == Target(host, 443, path, True)
    assert target.authority == host


@pytest.mark.parametrize("url", BAD, ids=lambda url: ascii(url)[:40])
def test_anything_else_is_none(url: str) -> None:
    for loopback in (False, True):
        if loopback and url in THIS_MACHINE:
            continue
        with pytest.raises(BadTarget) as refused:
            parse(url, loopback=loopback)
        assert str(refused.value)


LOCAL = {
    "http://127.0.0.1:9000/x": (Target("127.0.0.1", 9000, "/x", False), "127.0.0.1:9000", ["127.0.0.1"]),
    "http://127.0.0.1/": (Target("127.0.0.1", 80, "/", False), "127.0.0.1", ["127.0.0.1"]),
    "https://127.0.0.1:9443/": (Target("127.0.0.1", 9443, "/", True), "127.0.0.1:9443", ["127.0.0.1"]),
    "http://localhost:9000/": (Target("localhost", 9000, "/", False), "localhost:9000", ["127.0.0.1", "::1"]),
    "http://[::1]:9000/": (Target("::1", 9000, "/", False), "[::1]:9000", ["::1"]),
}


def unasked(host: str, port: int, seconds: float) -> Sequence[str]:
    raise AssertionError(f"{host} was looked up")


@pytest.mark.parametrize("url", LOCAL)
def test_this_machine_is_a_target_where_that_is_allowed(url: str) -> None:
    target, authority, found = LOCAL[url]
    assert parse(url, loopback=True) == target
    assert target.authority == authority
    assert list(addresses(target, unasked, 1)) == found
    with pytest.raises(BadTarget):
        parse(url)


@pytest.mark.parametrize("url", ["http://127.0.0.2/", "http://127.1/", "http://10.0.0.1/", "http://a.example/"])
def test_loopback_allows_this_machine_only(url: str) -> None:
    with pytest.raises(BadTarget):
        parse(url, loopback=True)


HOOKS = parse("https://hooks.example.com/")


def test_every_address_of_a_name_must_be_public() -> None:
    public = ["93.184.216.34", "2606:2800:220:1::1"]
    asked = []

    def lookup(host: str, port: int, seconds: float) -> Sequence[str]:
        asked.append((host, port, seconds))
        return public

    assert list(addresses(HOOKS, lookup, 3)) == public
    assert asked == [("hooks.example.com", 443, 3)]
    for private in ("127.0.0.1", "10.1.2.3", "::ffff:10.0.0.1", "64:ff9b::a00:1", "fe80::1%eth0"):
        for found in ([private], [*public, private], [private, *public]):
            with pytest.raises(BadTarget, match="not public"):
                addresses(HOOKS, lambda *_, found=found: found, 3)


@pytest.mark.parametrize("failure", [OSError("no such name"), TimeoutError()])
def test_a_name_that_is_not_found_is_no_target_and_one_that_takes_too_long_says_so(failure: OSError) -> None:
    def lookup(host: str, port: int, seconds: float) -> Sequence[str]:
        raise failure

    with pytest.raises(TimeoutError if isinstance(failure, TimeoutError) else BadTarget):
        addresses(HOOKS, lookup, 1)
    with pytest.raises(BadTarget, match="no address"):
        addresses(HOOKS, lambda *_: [], 1)


def test_the_resolver_is_asked_for_the_whole_name_and_left_when_it_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import socket
    import threading

    asked, done = [], threading.Event()

    def answer(host: str, port: int, **more: object) -> object:
        asked.append((host, port))
        if host == "slow.example.":
            done.wait()
        if host == "none.example.":
            raise socket.gaierror("no such name")
        return [
            (socket.AF_INET, 1, 6, "", ("93.184.216.34", port)),
            (socket.AF_INET, 2, 6, "", ("93.184.216.34", port)),
        ]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    assert look_up("a.example", 443, 60) == ["93.184.216.34"]
    with pytest.raises(OSError, match="no such name"):
        look_up("none.example", 443, 60)
    with pytest.raises(TimeoutError):
        look_up("slow.example", 443, 0)
    done.set()
    assert [host for host, _ in asked][:2] == ["a.example.", "none.example."]
