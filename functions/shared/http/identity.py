"""Who asks: a bearer token, looked up by its hash, kept for half a minute."""

from engine.types import EpochMs
from functions.shared.flows.accounts import Identity, hash_of, identify
from functions.shared.problems import Problem, Rejected
from functions.shared.store.ports import Services

KEPT_MS = 30_000
"""A revoked token fails within a minute: this, and what the eventually consistent read may lag."""

KEPT = 1000

_kept: dict[str, tuple[Identity, EpochMs]] = {}


def of(services: Services, authorization: str | None, now: EpochMs) -> Identity | None:
    """Whose token the Authorization header carries; None without one. Raises `Rejected` (unauthenticated)."""
    if authorization is None:
        return None
    scheme, _, token = authorization.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or len(token) > 200 or not token.isascii():
        raise _invalid()
    digest = hash_of(token)
    identity, kept_at = _kept.get(digest, (None, 0))
    if identity is None or not 0 <= now - kept_at < KEPT_MS:
        identity = identify(services, token, now)
        if identity is None:
            raise _invalid()
        if len(_kept) >= KEPT:
            _kept.clear()
        _kept[digest] = (identity, now)
    if identity.expires_at is not None and identity.expires_at <= now:
        raise _invalid()
    return identity


def forget() -> None:
    """Looks every token up again: some have ended."""
    _kept.clear()


def _invalid() -> Rejected:
    return Rejected(Problem.UNAUTHENTICATED, "the token is unknown, expired or revoked")
