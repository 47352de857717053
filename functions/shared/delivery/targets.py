"""Where deliveries go: a URL that is read strictly, and the addresses behind its name."""

import queue
import re
import socket
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from functions.shared.delivery.addresses import is_public

LONGEST = 2000
HTTPS_PORT = 443

_LOOPBACK = {"127.0.0.1": ("127.0.0.1",), "::1": ("::1",), "localhost": ("127.0.0.1", "::1")}

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PATH = re.compile(r"(/[!$%&'()*+,\-./0-9:;=@A-Z_a-z~]*)?(\?[!$%&'()*+,\-./0-9:;=?@A-Z_a-z~]*)?")
_AMBIGUOUS = "\u00df\u03c2\u200c\u200d"
"""Characters that are another name, or none, by the older rules for names in other scripts (RFC 3490), which Python
follows, than by the newer ones (RFC 5891)."""

Lookup = Callable[[str, int, float], Sequence[str]]
"""The addresses of a name, for a port, within so many seconds. Raises `OSError`."""


class BadTarget(Exception):
    """A target that nothing is sent to; the text says why, for its owner."""


class Target(NamedTuple):
    """Where a delivery goes."""

    host: str
    """A name in ASCII and lower case; an address only where loopback is allowed."""
    port: int
    path: str
    """With the query."""
    is_tls: bool

    @property
    def authority(self) -> str:
        """What the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (HTTPS_PORT if self.is_tls else 80) else f"{host}:{self.port}"


def parse(url: str, *, loopback: bool = False) -> Target:
    """The target of a URL: https, a name, port 443. With `loopback`, this machine too, by any port, also over http.

    Raises `BadTarget`.
    """
    if len(url) > LONGEST:
        raise BadTarget(f"must have at most {LONGEST} characters")
    if any(char <= " " or char in '\\\x7f"<>^`{|}' for char in url):
        raise BadTarget("must have no blanks, control characters, or characters that a URL has escaped only")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise BadTarget("is not a URL") from error
    if "@" in parts.netloc:
        raise BadTarget("must have no user name or password")
    if "#" in url:
        raise BadTarget("must have no fragment")
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    if not _PATH.fullmatch(path):
        raise BadTarget("its path and query must be ASCII, with everything else escaped by %")
    if loopback and host in _LOOPBACK and parts.scheme in ("http", "https"):
        is_tls = parts.scheme == "https"
        return Target(host, port or (HTTPS_PORT if is_tls else 80), path, is_tls)
    if parts.scheme != "https":
        raise BadTarget("must begin with https://")
    if port not in (None, HTTPS_PORT):
        raise BadTarget("must be on port 443")
    if parts.netloc.startswith("["):
        raise BadTarget("must have a name, not an address")
    return Target(_name(host), HTTPS_PORT, path, True)


def _name(host: str) -> str:
    """The name in ASCII. Raises `BadTarget` for what is none, an address in any spelling included."""
    if any(char in _AMBIGUOUS for char in host):
        raise BadTarget("its name must be given in ASCII (xn--…): it has characters that are read in two ways")
    try:
        name = host.encode("idna").decode().lower()
    except UnicodeError as error:
        raise BadTarget("has no valid name") from error
    labels = name.split(".")
    if len(name) > 253 or len(labels) < 2 or not all(map(_LABEL.fullmatch, labels)):
        raise BadTarget("must have a full name, such as hooks.example.com")
    if _NUMBER.fullmatch(labels[-1]):
        raise BadTarget("must have a name, not an address")
    return name


def addresses(target: Target, lookup: Lookup, seconds: float) -> Sequence[str]:
    """The addresses to connect to, as they were checked: all that the name leads to.

    Raises `BadTarget`, also when a single one is not public; `TimeoutError`.
    """
    if target.host in _LOOPBACK:  # `parse` lets it through only where it is allowed
        return _LOOPBACK[target.host]
    try:
        found = lookup(target.host, target.port, seconds)
    except TimeoutError:
        raise
    except OSError as error:
        raise BadTarget("its name leads to no address") from error
    if not found:
        raise BadTarget("its name leads to no address")
    if not all(map(is_public, found)):
        raise BadTarget("its name leads to an address that is not public")
    return found


def look_up(host: str, port: int, seconds: float) -> Sequence[str]:
    """What the system's resolver says. Raises `OSError`, of which `TimeoutError` is one."""
    answers: queue.SimpleQueue[Sequence[str] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            # With the dot at its end a name is whole: no domain of this machine is put behind it.
            found = socket.getaddrinfo(host + ".", port, type=socket.SOCK_STREAM)
            answers.put(list(dict.fromkeys(str(entry[4][0]) for entry in found)))
        except OSError as error:
            answers.put(error)

    # The system's call knows no limit of time, so it is left to itself when it takes too long.
    threading.Thread(target=ask, name="look up", daemon=True).start()
    try:
        answer = answers.get(timeout=max(0, seconds))
    except queue.Empty:
        raise TimeoutError("the resolver did not answer") from None
    if isinstance(answer, OSError):
        raise answer
    return answer
