"""A network of the tests: names that lead where a test says, connections to a peer in this process, and a clock that
stands still until the peer moves it."""

import datetime
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from functions.shared.delivery.sending import Net

PUBLIC = "93.184.216.34"

Peer = Callable[[socket.socket], None]
"""What the other side of a connection does; it is closed afterwards."""


class Network:
    """Doubles for `sending.Net`."""

    def __init__(self, peer: Peer, names: dict[str, Sequence[str]] | None = None) -> None:
        self.peer = peer
        self.names = names or {}
        self.now = 1000.0
        self.looked_up: list[str] = []
        self.connected: list[tuple[str, int]] = []
        self.refused: set[str] = set()
        self.context = ssl.create_default_context()
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = []

    @property
    def net(self) -> Net:
        """What `send_all` takes."""
        return Net(self._lookup, self._connect, lambda: self.context, lambda: self.now)

    def close(self) -> None:
        """Waits for the peers, and closes what is left."""
        for each in self._threads:
            each.join()
        for one in self._sockets:
            one.close()

    def _lookup(self, host: str, port: int, seconds: float) -> Sequence[str]:
        self.looked_up.append(host)
        return self.names.get(host, (PUBLIC,))

    def _connect(self, address: tuple[str, int], seconds: float) -> socket.socket:
        self.connected.append(address)
        assert seconds > 0
        if address[0] in self.refused:
            raise ConnectionRefusedError
        ours, theirs = socket.socketpair()
        thread = threading.Thread(target=self._serve, args=(theirs,), daemon=True)
        self._threads.append(thread)
        self._sockets += [ours, theirs]
        thread.start()
        return ours

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            self.peer(connection)


@contextmanager
def network(peer: Peer, names: dict[str, Sequence[str]] | None = None) -> Iterator[Network]:
    """A network that is closed at the end."""
    made = Network(peer, names)
    try:
        yield made
    finally:
        made.close()


def read_request(connection: Any) -> tuple[str, dict[str, str], bytes]:
    """The first line, the headers and the body of what comes."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("ascii").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    while len(body) < int(headers["content-length"]):
        body += connection.recv(65536)
    return first, headers, body


def certified(folder: Path, host: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A certificate for a name that signs itself: what a server uses, and what a client that trusts it does."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    today = datetime.datetime.now(datetime.UTC)
    try:
        names: list[x509.GeneralName] = [x509.IPAddress(ip_address(host))]
    except ValueError:
        names = [x509.DNSName(host)]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - datetime.timedelta(days=1))
        .not_valid_after(today + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / f"{host}.pem", folder / f"{host}.key"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate, private)
    return server, ssl.create_default_context(cafile=str(certificate))
