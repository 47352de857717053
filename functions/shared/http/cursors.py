"""Cursors of lists: opaque, and good only for the route, the filters and the caller that they were made for."""

import base64
import binascii
import hmac

from functions.shared.http.request import Request, params
from functions.shared.problems import malformed

PAGE = {
    "limit": "items on a page, 1 to 100; 20 by default",
    "cursor": "the next_cursor of the page before",
}
"""The query parameters of a list."""

_MAC = 12


def _mac(request: Request, position: bytes, parameter: str) -> bytes:
    filters = sorted((name, value) for name, value in params(request).items() if name not in (parameter, "limit"))
    path = request.event.raw_path
    message = repr((path, filters, request.player, position)).encode("utf-8", "surrogatepass")
    return hmac.digest(request.services.secret, b"cursor\0" + message, "sha256")[:_MAC]


def _veiled(request: Request, mac: bytes, text: bytes) -> bytes:
    """The text hidden, or shown again: the last place that was looked at may be one that the caller may not know."""
    blocks = range(len(text) // 32 + 1)
    keys = (b"cursor-veil\0" + mac + block.to_bytes(4, "big") for block in blocks)
    stream = b"".join(hmac.digest(request.services.secret, key, "sha256") for key in keys)
    return bytes(a ^ b for a, b in zip(text, stream, strict=False))


def seal(request: Request, position: str | None, name: str = "cursor") -> str | None:
    """The cursor of a position in the list that was asked for, to be sent as the parameter `name`; None at its end."""
    if position is None:
        return None
    mac = _mac(request, position.encode(), name)
    return _text(mac + _veiled(request, mac, position.encode()))


def position(request: Request, name: str = "cursor") -> str | None:
    """The position of the cursor in the parameter `name`, or None without one. Raises `Rejected` (400) for a foreign
    one."""
    cursor = params(request).get(name)
    if cursor is None:
        return None
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise _foreign() from error
    mac, veiled = data[:_MAC], data[_MAC:]
    found = _veiled(request, mac, veiled)
    # One position has one text: base 64 would let the last character vary.
    if not hmac.compare_digest(_mac(request, found, name), mac) or _text(data) != cursor:
        raise _foreign()
    return found.decode()


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _foreign() -> Exception:
    return malformed("a cursor must be the next_cursor of a page of this same list")
