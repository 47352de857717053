"""How messages are sent: to the address that was checked, by the name's certificate, once, and not for long."""

import base64
import hashlib
import hmac
import json
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from functions.shared.delivery import sending
from functions.shared.delivery.parcels import Failure, Message, Outcome, Parcel
from functions.shared.delivery.sending import send_all
from functions.shared.delivery.signing import shown
from tests.delivery.stub import PUBLIC, Network, certified, network, read_request

NOW = 1_764_460_800_123
URL = "https://hooks.example.com/in?x=1"
SECRET = bytes(range(32))
EVENT = Message("evt_1", b'{"id":"evt_1","type":"your-turn"}')
PARCEL = Parcel(URL, SECRET, (EVENT,))


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    return certified(tmp_path_factory.mktemp("certificates"), "hooks.example.com")


class Target:
    """A peer that speaks TLS and answers."""

    def __init__(self, server: ssl.SSLContext, answer: bytes) -> None:
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.names: list[str | None] = []
        self._server = server
        self._answer = answer
        server.sni_callback = lambda _, name, __: self.names.append(name)

    def __call__(self, connection: socket.socket) -> None:
        with suppress(OSError), self._server.wrap_socket(connection, server_side=True) as tls:
            self.requests.append(read_request(tls))
            tls.sendall(self._answer)


def status(line: str, more: str = "", body: bytes = b"") -> bytes:
    return f"HTTP/1.1 {line}\r\n{more}Content-Length: {len(body)}\r\n\r\n".encode() + body


def deliver(net: Network, parcel: Parcel = PARCEL) -> Outcome:
    (outcome,) = send_all([parcel], NOW, net=net.net)
    return outcome


def plain(answer: Callable[[socket.socket], None]) -> Callable[[socket.socket], None]:
    """A peer without TLS, for tests of what it says: `sent_plainly` sends to it."""

    def peer(connection: socket.socket) -> None:
        read_request(connection)
        with suppress(OSError):
            answer(connection)

    return peer


def sent_plainly(answer: bytes | Callable[[socket.socket], None], parcel: Parcel = PARCEL) -> Outcome:
    talk = answer if callable(answer) else lambda connection: connection.sendall(answer)
    with network(plain(talk)) as net:
        local = parcel._replace(url="http://127.0.0.1:9/")
        (outcome,) = send_all([local], NOW, loopback=True, net=net.net)
    return outcome


def test_a_message_is_a_signed_post_over_tls(certificates: Any) -> None:
    server, client = certificates
    target = Target(server, status("204 No Content"))
    with network(target) as net:
        net.context = client
        assert deliver(net) == Outcome(1)
    ((first, headers, body),) = target.requests
    assert (first, body) == ("POST /in?x=1 HTTP/1.1", EVENT.body)
    assert headers["host"] == "hooks.example.com"
    assert headers["content-type"] == "application/json"
    assert target.names == ["hooks.example.com"]
    assert headers["webhook-id"] == "evt_1"
    assert headers["webhook-timestamp"] == "1764460800"
    key = base64.b64decode(shown(SECRET).removeprefix("whsec_"))
    content = b"evt_1.1764460800." + body
    expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"


def test_the_connection_goes_to_the_address_that_was_checked(certificates: Any) -> None:
    """The name is looked up once for each message, and never again by whoever connects."""
    server, client = certificates
    with network(Target(server, status("200 OK")), {"hooks.example.com": ["2606:4700::1111"]}) as net:
        net.context = client
        assert deliver(net, PARCEL._replace(messages=(EVENT, EVENT))) == Outcome(2)
        assert net.connected == [("2606:4700::1111", 443)] * 2
        assert net.looked_up == ["hooks.example.com"] * 2


def test_a_name_that_leads_elsewhere_by_the_next_message_is_not_followed(certificates: Any) -> None:
    server, client = certificates
    target = Target(server, status("200 OK"))
    with network(target) as net:
        net.context = client
        answers = iter([[PUBLIC], ["169.254.169.254"]])
        real = net.net
        rebinding = real._replace(lookup=lambda *_: next(answers))
        outcome = send_all([PARCEL._replace(messages=(EVENT, EVENT))], NOW, net=rebinding)
        assert outcome == [Outcome(1, Failure("its name leads to an address that is not public"))]
        assert net.connected == [(PUBLIC, 443)]


def test_one_private_address_among_others_is_enough_to_send_nothing() -> None:
    with network(lambda _: None, {"hooks.example.com": [PUBLIC, "10.0.0.1"]}) as net:
        assert deliver(net) == Outcome(0, Failure("its name leads to an address that is not public"))
        assert net.connected == []


def test_a_url_that_would_not_be_taken_now_is_not_sent_to() -> None:
    with network(lambda _: None) as net:
        for url in ("http://127.0.0.1:9/", "https://10.0.0.1/", "http://hooks.example.com/"):
            outcome = deliver(net, PARCEL._replace(url=url))
            assert (outcome.sent, outcome.failure is None) == (0, False)
        assert (net.looked_up, net.connected) == ([], [])


def test_the_next_address_is_tried_when_one_refuses(certificates: Any) -> None:
    server, client = certificates
    found = [f"2606:4700::{number}" for number in range(1, 9)]
    with network(Target(server, status("200 OK")), {"hooks.example.com": found}) as net:
        net.context = client
        net.refused = set(found[:2])
        assert deliver(net) == Outcome(1)
        assert [address for address, _ in net.connected] == found[:3]
        net.refused = set(found)
        del net.connected[:]
        assert deliver(net) == Outcome(0, Failure("no connection"))
        assert [address for address, _ in net.connected] == found[: sending.TRIES]


@pytest.mark.parametrize("host", ["other.example.com", PUBLIC])
def test_a_certificate_for_another_name_is_not_taken(tmp_path: Path, host: str) -> None:
    server, client = certified(tmp_path, host)
    target = Target(server, status("200 OK"))
    with network(target) as net:
        net.context = client
        assert deliver(net) == Outcome(0, Failure("its certificate is not valid for its name"))
    assert target.requests == []


def test_a_certificate_that_nobody_vouches_for_is_not_taken(certificates: Any) -> None:
    target = Target(certificates[0], status("200 OK"))
    with network(target) as net:
        assert deliver(net) == Outcome(0, Failure("its certificate is not valid for its name"))
    assert target.requests == []


@pytest.mark.parametrize("code", [300, 301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(code: int) -> None:
    answers = iter([status(f"{code} Over There", "Location: http://127.0.0.1:1/\r\n")])
    outcome = sent_plainly(lambda connection: connection.sendall(next(answers)))
    assert outcome == Outcome(0, Failure(f"answered with status {code}", answered=True))


@pytest.mark.parametrize("code", [200, 201, 202, 204, 299])
def test_any_success_will_do(code: int) -> None:
    assert sent_plainly(f"HTTP/1.1 {code} X\r\n\r\n".encode()) == Outcome(1)


@pytest.mark.parametrize("code", [400, 401, 404, 429, 500, 503, 600, 999])
def test_anything_else_is_a_refusal(code: int) -> None:
    outcome = sent_plainly(f"HTTP/1.1 {code} X\r\n\r\n".encode())
    assert outcome == Outcome(0, Failure(f"answered with status {code}", answered=True))


def test_who_says_gone_is_gone() -> None:
    outcome = sent_plainly(status("410 Gone"))
    assert outcome == Outcome(0, Failure("answered with status 410", answered=True, gone=True))


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\r\n",
        b"hello\r\n\r\n",
        b"\x00" * 100,
        b"HTTP/1.1 x\r\n\r\n",
        b"HTTP/1.1 99 X\r\n\r\n",
        b"HTTP/1.1 200" + b"x" * 70_000,
        b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 1000,
        b"HTTP/1.1 200 OK\r\nx: " + b"y" * 70_000,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 5000,
        b"SSH-2.0-OpenSSH_9.6\r\n",
    ],
    ids=lambda answer: repr(answer[:20]),
)
def test_what_is_no_answer_is_a_failure_whatever_it_is(answer: bytes) -> None:
    outcome = sent_plainly(answer)
    assert outcome.sent == 0
    assert outcome.failure is not None
    assert not outcome.failure.answered


def test_an_answer_has_its_limit_however_it_goes_on() -> None:
    """Each interim response is a small one; there are too many of them."""
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    outcome = sent_plainly(lambda connection: connection.sendall(interim * 10_000 + status("200 OK")))
    assert outcome == Outcome(0, Failure("no connection"))


def test_the_body_of_an_answer_is_not_read() -> None:
    """It never ends: 1 TB is announced, and the connection stays open."""

    def endless(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\nbegin")
        assert connection.recv(1) == b""  # closed by the other side, which has not waited for more

    assert sent_plainly(endless) == Outcome(1)


def test_an_answer_that_trickles_is_cut_off_when_its_time_is_up() -> None:
    """Each byte comes at once, by the clock a second after the one before: no single wait is long, all of them are."""
    with network(lambda _: None) as net:

        def trickle(connection: socket.socket) -> None:
            read_request(connection)
            for byte in b"HTTP/1.1 200 OK\r\n\r\n":
                net.now += 1
                with suppress(OSError):
                    connection.sendall(bytes([byte]))
                    handshake(connection)

        def handshake(connection: socket.socket) -> None:
            """Waits until the byte was read, so that no two are read at once."""
            while connection.fileno() >= 0 and _unread(connection):
                pass

        net.peer = trickle
        local = PARCEL._replace(url="http://127.0.0.1:9/")
        outcome = send_all([local], NOW, loopback=True, net=net.net)
    assert outcome == [Outcome(0, Failure("no answer within 5 s"))]


def _unread(connection: socket.socket) -> bool:
    """Whether the other side of a pair has bytes that it did not read."""
    import fcntl
    import struct
    import termios

    try:
        return bool(struct.unpack("i", fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, b"\0" * 4))[0])
    except OSError:
        return False


@pytest.mark.parametrize("moment", ["before the connection", "before the answer"])
def test_whatever_takes_too_long_is_cut_off(moment: str) -> None:
    with network(lambda _: None) as net:

        def slow(connection: socket.socket) -> None:
            read_request(connection)
            net.now += sending.SECONDS
            connection.sendall(b"HTTP/1.1 200 O")

        def look_up(*_: Any) -> list[str]:
            net.now += sending.SECONDS
            return [PUBLIC]

        net.peer = slow
        if moment == "before the connection":
            outcome = send_all([PARCEL], NOW, net=net.net._replace(lookup=look_up))
            assert net.connected == []
        else:
            local = PARCEL._replace(url="http://127.0.0.1:9/")
            outcome = send_all([local], NOW, loopback=True, net=net.net)
    assert outcome == [Outcome(0, Failure("no answer within 5 s"))]


def test_a_wait_is_never_longer_than_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    real = socket.socket.settimeout

    def note(connection: socket.socket, seconds: float | None) -> None:
        if seconds is not None:
            waits.append(seconds)
        real(connection, seconds)

    with network(lambda _: None) as net:

        def answer(connection: socket.socket) -> None:
            read_request(connection)
            net.now += 3
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")

        net.peer = answer
        monkeypatch.setattr(socket.socket, "settimeout", note)
        local = PARCEL._replace(url="http://127.0.0.1:9/")
        assert send_all([local], NOW, loopback=True, net=net.net) == [Outcome(1)]
    assert waits
    assert all(0 < seconds <= sending.SECONDS for seconds in waits)


def test_after_a_failure_nothing_more_is_sent_to_that_target_and_the_others_get_theirs() -> None:
    served: list[str] = []

    def peer(connection: socket.socket) -> None:
        first, _, body = read_request(connection)
        served.append(f"{first.split()[1]} {body.decode()}")
        bad = "/bad" in first and b"2" in body
        connection.sendall(status("500 Sorry" if bad else "200 OK"))

    messages = tuple(Message(f"evt_{number}", str(number).encode()) for number in (1, 2, 3))
    parcels = [Parcel(f"http://127.0.0.1:9/{path}", SECRET, messages) for path in ("good", "bad", "fine")]
    with network(peer) as net:
        outcomes = send_all(parcels, NOW, loopback=True, net=net.net)
    failure = Failure("answered with status 500", answered=True)
    assert outcomes == [Outcome(3), Outcome(1, failure), Outcome(3)]
    for path, count in (("good", 3), ("bad", 2), ("fine", 3)):
        assert [one for one in served if one.startswith(f"/{path}")] == [f"/{path} {n}" for n in range(1, count + 1)]


def test_no_message_is_begun_when_the_time_for_all_is_up() -> None:
    with network(lambda _: None) as net:

        def peer(connection: socket.socket) -> None:
            read_request(connection)
            net.now += 4
            connection.sendall(status("200 OK"))

        net.peer = peer
        local = PARCEL._replace(url="http://127.0.0.1:9/", messages=(EVENT,) * 9)
        assert send_all([local], NOW, loopback=True, net=net.net) == [Outcome(3)]
        assert len(net.connected) == 3


def test_nothing_to_send_is_sent() -> None:
    with network(lambda _: None) as net:
        assert send_all([], NOW, net=net.net) == []
        assert deliver(net, PARCEL._replace(messages=())) == Outcome(0)
        assert net.connected == []


CHALLENGE = Parcel(URL, SECRET, (EVENT,), "0123abcd")
ECHOES = (
    b"0123abcd",
    b" 0123abcd\r\n",
    b'{"challenge":"0123abcd"}',
    json.dumps({"ok": True, "challenge": "0123abcd"}).encode(),
)
NO_ECHOES = (
    *(b"", b"0123abc", b"0123abcde", b"0123ABCD", b'"0123abcd', b"[]", b"{}", b'{"challenge":1}', b"\xff\xfe", b"null"),
    *(b'{"challenge":["0123abcd"]}', b'{"challenge":"0123abcd', b"x" * 5000 + b"0123abcd", b'{"a":' * 900, b"0" * 8),
)


@pytest.mark.parametrize("body", ECHOES)
def test_a_challenge_is_echoed_as_text_or_in_json(body: bytes) -> None:
    assert sent_plainly(status("200 OK", body=body), CHALLENGE) == Outcome(1)


def test_an_echo_may_come_in_chunks() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0123\r\n4\r\nabcd\r\n0\r\n\r\n"
    assert sent_plainly(chunked, CHALLENGE) == Outcome(1)


@pytest.mark.parametrize("body", NO_ECHOES, ids=lambda body: repr(body[:20]))
def test_anything_else_is_no_echo(body: bytes) -> None:
    failure = Failure("the answer does not echo the challenge", answered=True)
    assert sent_plainly(status("200 OK", body=body), CHALLENGE) == Outcome(0, failure)


def test_an_echo_with_an_error_is_none() -> None:
    assert sent_plainly(status("404 Not Found", body=b"0123abcd"), CHALLENGE).sent == 0
