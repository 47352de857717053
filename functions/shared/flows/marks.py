"""How a request is recognised when it comes again: a mark of who, where and key, and one of the body."""

import base64
import hashlib
import hmac
from typing import NamedTuple

import msgspec

from engine.types import EpochMs, Json
from functions.shared.problems import Problem, Rejected
from functions.shared.store.ports import Services
from functions.shared.store.records import Remembered

KNOWN_MS = 48 * 3_600_000
"""How long the outcome of a creation is known."""

_MARK, _BODY = 12, 6
"""Characters of six bits: enough that no two requests of one match, or of one player's 48 h, share a mark. They are
stored with each action, and nothing compresses them."""


class Key(NamedTuple):
    """A request that may come again: its owner, its mark and its body."""

    owner: str
    mark: str
    body: str
    is_given: bool
    """Whether the client sent a key; a request without one is recognised only while it is being carried out."""

    @property
    def stored(self) -> str:
        """What a log keeps of it."""
        return self.mark + self.body


def _digest(*parts: str) -> str:
    hashed = hashlib.sha256("\0".join(parts).encode()).digest()
    return base64.urlsafe_b64encode(hashed).decode()


def key_of(services: Services, owner: str, route: str, given: str | None, body: Json) -> Key:
    """The key of a request. The body counts by its content: blanks and the order of fields don't matter."""
    text = msgspec.json.encode(body, order="sorted").decode()
    secret = services.random_bytes(16).hex() if given is None else given
    return Key(owner, _digest(owner, route, secret)[:_MARK], _digest(text)[:_BODY], given is not None)


def require_same_body(key: Key, body: str) -> None:
    """Raises `Rejected` (key-reused) when the key came before with another body."""
    if not hmac.compare_digest(key.body, body):
        raise Rejected(Problem.KEY_REUSED, "this Idempotency-Key came before with another body; use a new one")


def recall(services: Services, key: Key, now: EpochMs) -> tuple[str, ...] | None:
    """The ids that an earlier request with this key created, or None. Raises `Rejected` (key-reused)."""
    if not key.is_given:
        return None
    remembered = services.players.remembered(key.owner, key.mark, now)
    if remembered is None:
        return None
    require_same_body(key, remembered.body)
    return remembered.ids


def to_remember(key: Key, ids: tuple[str, ...], at: EpochMs, known_ms: int = KNOWN_MS) -> Remembered | None:
    """What to store of a creation; nothing when the client sent no key."""
    return Remembered(key.owner, key.mark, key.body, ids, at, at + known_ms) if key.is_given else None


def derived_secret(services: Services, key: Key, what: str, salt: str) -> bytes:
    """32 secret bytes that a replay of the request shows again, and nothing else can tell."""
    if not key.is_given:
        return services.random_bytes(32)
    message = "\0".join(("derived", what, key.owner, key.mark, salt)).encode()
    return hmac.digest(services.secret, message, "sha256")
