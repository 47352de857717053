"""Sends parcels: each message over a connection of its own, to an address that was checked for it."""

import hmac
import http.client
import io
import json
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple, cast

from engine.types import EpochMs
from functions.shared.delivery.parcels import Failure, Message, Outcome, Parcel
from functions.shared.delivery.signing import signed
from functions.shared.delivery.targets import BadTarget, Lookup, Target, addresses, look_up, parse

SECONDS = 5.0
"""For one message: looking the name up, connecting, sending, and the answer."""

TOTAL_S = 10.0
"""After so long no further message is begun: what is left is sent another time."""

WORKERS = 16
TRIES = 4
"""Addresses of one name that a connection is tried to."""

_MOST = 64 * 1024
"""Bytes of an answer that are read at all, its headers included."""
_MOST_BODY = 4 * 1024
_GONE = 410


class Net(NamedTuple):
    """The network, and a clock to measure time with."""

    lookup: Lookup
    connect: Callable[[tuple[str, int], float], socket.socket]
    context: Callable[[], ssl.SSLContext]
    clock: Callable[[], float]


@cache
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()


NET = Net(look_up, socket.create_connection, _context, time.monotonic)


def send_all(parcels: Sequence[Parcel], now: EpochMs, *, loopback: bool = False, net: Net = NET) -> list[Outcome]:
    """Sends parcels side by side (`parcels.Send`). `loopback`: whether this machine may be a target."""
    end = net.clock() + TOTAL_S
    send = partial(_send, now=now, end=end, loopback=loopback, net=net)
    if len(parcels) < 2:
        return [send(parcel) for parcel in parcels]
    with ThreadPoolExecutor(min(WORKERS, len(parcels)), "deliveries") as pool:
        return list(pool.map(send, parcels))


def _send(parcel: Parcel, now: EpochMs, end: float, loopback: bool, net: Net) -> Outcome:
    for number, message in enumerate(parcel.messages):
        if net.clock() >= end:
            return Outcome(number)
        failure = _try(parcel, message, now, loopback, net)
        if failure is not None:
            return Outcome(number, failure)
    return Outcome(len(parcel.messages))


def _try(parcel: Parcel, message: Message, now: EpochMs, loopback: bool, net: Net) -> Failure | None:
    try:
        target = parse(parcel.url, loopback=loopback)
        status, said = _post(target, signed(message, parcel.secret, now), message.body, net, bool(parcel.challenge))
    except BadTarget as error:
        return Failure(str(error))
    except TimeoutError:
        return Failure(f"no answer within {SECONDS:.0f} s")
    except ssl.SSLCertVerificationError:
        return Failure("its certificate is not valid for its name")
    except OSError:
        return Failure("no connection")
    except http.client.HTTPException:
        return Failure("the answer is not HTTP")
    if not 200 <= status < 300:
        return Failure(f"answered with status {status}", answered=True, gone=status == _GONE)
    if parcel.challenge and not _echoes(said, parcel.challenge):
        return Failure("the answer does not echo the challenge", answered=True)
    return None


def _echoes(said: bytes, challenge: str) -> bool:
    """Whether a body is the challenge, or a JSON object that has it as `challenge`."""
    text = said.decode("utf-8", "replace").strip()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        text = str(value.get("challenge"))
    return hmac.compare_digest(text.encode("utf-8", "replace"), challenge.encode())


def _post(target: Target, headers: Mapping[str, str], body: bytes, net: Net, reads: bool) -> tuple[int, bytes]:
    """The status of an answer, and the beginning of its body if it is read. Redirects are answers like others.

    Raises `BadTarget`, `OSError` (`TimeoutError`, `ssl.SSLError`), `http.client.HTTPException`.
    """
    end = net.clock() + SECONDS
    connection = _connected(target, end, net)
    try:
        if target.is_tls:
            connection.settimeout(_left(end, net))
            connection = net.context().wrap_socket(connection, server_hostname=target.host)
        connection.settimeout(_left(end, net))
        connection.sendall(_request(target, headers, body))
        limited = _Limited(connection, lambda: _left(end, net))
        answer = http.client.HTTPResponse(cast(socket.socket, limited), method="POST")
        try:
            answer.begin()
            return answer.status, answer.read(_MOST_BODY) if reads else b""
        finally:
            answer.close()
    finally:
        connection.close()


def _connected(target: Target, end: float, net: Net) -> socket.socket:
    """A connection to one of the addresses that the name leads to now, each of which has been checked."""
    found = addresses(target, net.lookup, _left(end, net))[:TRIES]
    for address in found[:-1]:
        try:
            return net.connect((address, target.port), _left(end, net))
        except TimeoutError:
            raise
        except OSError:
            continue  # such as an IPv6 address, where this machine has none
    return net.connect((found[-1], target.port), _left(end, net))


def _left(end: float, net: Net) -> float:
    left = end - net.clock()
    if left <= 0:
        raise TimeoutError
    return left


def _request(target: Target, headers: Mapping[str, str], body: bytes) -> bytes:
    """The request as it is sent. `targets.parse` has left nothing in the target that could end a line."""
    fields = {
        "host": target.authority,
        "user-agent": "Bluffhouse/1",
        "content-type": "application/json",
        "content-length": str(len(body)),
        "connection": "close",
        **headers,
    }
    lines = [f"POST {target.path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


class _Limited(io.RawIOBase):
    """What a connection has to say, so long and so much as it may: a timeout of a socket is for one call only."""

    def __init__(self, connection: socket.socket, left: Callable[[], float]) -> None:
        self._connection = connection
        self._left = left
        self._bytes = _MOST

    def makefile(self, mode: str) -> io.BufferedReader:
        """What `http.client` asks a socket for."""
        del mode
        return io.BufferedReader(self)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes. Raises `TimeoutError`, `OSError`."""
        self._connection.settimeout(self._left())
        count = self._connection.recv_into(buffer)
        self._bytes -= count
        if self._bytes < 0:
            raise OSError("the answer is too long")
        return count
