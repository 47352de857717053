"""Players and their tokens."""

import base64
import hashlib
import hmac
import re
from typing import NamedTuple

from engine.types import EpochMs
from functions.shared import ids
from functions.shared.flows.marks import Key, derived_secret, recall, to_remember
from functions.shared.problems import Problem, Rejected, busy, invalid, not_found
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import Profile, Scope, Token

ALL_SCOPES = tuple(Scope)
RESERVED = ("me", "admin", "bot", "deleted")
TOKEN_LIMIT = 20

LONG_KEY = 22
"""Characters of an idempotency key that can't be guessed: only such a key shows a secret again to who has no token."""

REPLAY_MS = 600_000
"""For how long a request without a token may be replayed."""

LABEL = 80

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{1,23}")
_PREFIX = "bh_"


class Welcome(NamedTuple):
    """What a player is shown once."""

    profile: Profile
    token: str
    recovery_code: str
    replayed: bool = False


class Identity(NamedTuple):
    """Who asks, and what for their token may be used."""

    player: str
    scopes: tuple[Scope, ...]
    expires_at: EpochMs | None
    token: str
    """The token's id."""


def hash_of(secret: str) -> str:
    """What is stored of a token or a recovery code. Both are random: a plain hash can't be searched."""
    return hashlib.sha256(secret.encode()).hexdigest()


def identify(services: Services, secret: str, now: EpochMs) -> Identity | None:
    """Whose token this is: one read. None when it is unknown, revoked or expired."""
    digest = hash_of(secret)
    token = services.players.token(digest)
    if token is None or not hmac.compare_digest(token.hash, digest):
        return None
    if token.expires_at is not None and token.expires_at <= now:
        return None
    return Identity(token.player, token.scopes, token.expires_at, token.id)


def checked_name(name: str) -> str:
    """The name. Raises `Rejected` (invalid-request) unless it is one that a player can have."""
    if not _NAME.fullmatch(name):
        raise invalid(("name",), "must be 2 to 24 ASCII letters, digits, _ or -, the first a letter or digit")
    if name.lower() in RESERVED:
        raise invalid(("name",), "this name is reserved")
    return name


def register(services: Services, name: str, key: Key, now: EpochMs) -> Welcome:
    """A new player with a token for everything. Raises `Rejected`: invalid-request, key-reused, name-taken."""
    checked_name(name)
    known = recall(services, key, now)
    if known is not None:
        return _welcome_again(services, key, known)
    player = ids.new(ids.PLAYER, now, services.random_bytes)
    token, code = _secrets(services, key, player)
    profile = Profile(player, name, now, hash_of(code), version=1)
    granted = _token(services, player, token, ALL_SCOPES, "first", now, None)
    try:
        services.players.register(profile, granted, to_remember(key, (player, player), now, REPLAY_MS))
    except ConflictError as conflict:
        holder = services.players.named(name.lower())
        known = recall(services, key, now)
        if known is not None:
            return _welcome_again(services, key, known)
        if holder is None:  # somebody's request for it is under way, maybe this one's first attempt
            raise busy() from conflict
        raise Rejected(Problem.NAME_TAKEN, "this name is taken; choose another") from conflict
    return Welcome(profile, token, code)


def _secrets(services: Services, key: Key, salt: str) -> tuple[str, str]:
    token = _shown(derived_secret(services, key, "token", salt))
    return token, ids.code(derived_secret(services, key, "code", salt)[:20])


def _shown(secret: bytes) -> str:
    return _PREFIX + base64.urlsafe_b64encode(secret).rstrip(b"=").decode()


def _welcome_again(services: Services, key: Key, known: tuple[str, ...]) -> Welcome:
    player, salt = known
    return Welcome(profile_of(services, player), *_secrets(services, key, salt), replayed=True)


def _token(
    services: Services,
    player: str,
    secret: str,
    scopes: tuple[Scope, ...],
    label: str,
    now: EpochMs,
    expires_at: EpochMs | None,
) -> Token:
    token_id = ids.new(ids.TOKEN, now, services.random_bytes)
    return Token(token_id, hash_of(secret), player, scopes, label, now, expires_at)


def recover(services: Services, name: str, code: str, key: Key, now: EpochMs) -> Welcome:
    """A new token and a new code for who has the code; the old tokens end. Raises `Rejected`: key-reused,
    unauthenticated (an unknown name and a wrong code alike)."""
    known = recall(services, key, now)
    if known is not None:
        return _welcome_again(services, key, known)
    player = services.players.named(name.lower())
    profile = None if player is None else services.players.get(player)
    digest = hash_of(code.strip().upper())
    if profile is None or not hmac.compare_digest(profile.recovery_hash, digest):
        known = recall(services, key, now)  # this very request may have come twice at once
        if known is not None:
            return _welcome_again(services, key, known)
        raise Rejected(Problem.UNAUTHENTICATED, "the name or the recovery code is wrong")
    salt = services.random_bytes(16).hex()
    token, new_code = _secrets(services, key, salt)
    after = profile._replace(recovery_hash=hash_of(new_code))
    granted = _token(services, profile.id, token, ALL_SCOPES, "recovered", now, None)
    remembered = to_remember(key, (profile.id, salt), now, REPLAY_MS)
    try:
        services.players.recover(profile, after, granted, remembered)
    except ConflictError as conflict:
        known = recall(services, key, now)
        if known is None:
            raise busy() from conflict
        return _welcome_again(services, key, known)
    return Welcome(after, token, new_code)


def profile_of(services: Services, player: str) -> Profile:
    """The player's profile. Raises `Rejected` (not-found)."""
    profile = services.players.get(player) if ids.is_id(ids.PLAYER, player) else None
    if profile is None:
        raise not_found("player")
    return profile


def own_profile(services: Services, player: str) -> Profile:
    """The profile of a caller. Raises `Rejected` (unauthenticated) when the account was closed while its token was
    still taken for good."""
    profile = profile_of(services, player)
    if profile.closed_at:
        raise Rejected(Problem.UNAUTHENTICATED, "this account is closed")
    return profile


def find_by_name(services: Services, name: str) -> Profile:
    """The profile of who holds a name now. Raises `Rejected` (not-found)."""
    player = services.players.named(name.lower()) if _NAME.fullmatch(name) else None
    profile = None if player is None else services.players.get(player)
    if profile is None or profile.shown_name.lower() != name.lower():
        raise not_found("player")
    return profile


def rename(services: Services, player: str, name: str) -> Profile:
    """The profile with a new name. Raises `Rejected`: invalid-request, name-taken."""
    checked_name(name)
    before = own_profile(services, player)
    after = before._replace(name=name)
    if after == before:
        return before
    try:
        services.players.rename(before, after)
    except ConflictError as conflict:
        if services.players.named(name.lower()) in (None, player):
            raise busy() from conflict
        raise Rejected(Problem.NAME_TAKEN, "this name is taken; choose another") from conflict
    return after


def add_token(
    services: Services,
    caller: Identity,
    scopes: tuple[Scope, ...],
    label: str,
    expires_in: int | None,
    key: Key,
    now: EpochMs,
) -> tuple[Token, str, bool]:
    """One more token, its secret, and whether this is a replay. Raises `Rejected`: unauthenticated, forbidden (a scope
    that the caller's token has not), key-reused, limit-reached.

    A token that has ended passes for half a minute more where it was looked up before, but makes none that outlives it.
    The profile is read first: a recovery after the tokens are listed moves its version, and nothing is written. Nor is
    it when the caller's token ends after that.
    """
    owner = own_profile(services, caller.player)
    live = _live_tokens(services, caller.player, now)
    if caller.token not in [token.id for token in live]:
        raise Rejected(Problem.UNAUTHENTICATED, "the token has ended")
    missing = [scope for scope in scopes if scope not in caller.scopes]
    if missing:
        raise Rejected(Problem.FORBIDDEN, "your own token lacks: " + ", ".join(missing))
    known = recall(services, key, now)
    if known is not None:
        return _token_again(services, caller, key, known)
    if len(live) >= TOKEN_LIMIT:
        raise Rejected(Problem.LIMIT_REACHED, f"you have {TOKEN_LIMIT} tokens; end one first")
    salt = services.random_bytes(16).hex()
    secret = _shown(derived_secret(services, key, "token", salt))
    ends = None if expires_in is None else now + 1000 * expires_in
    expires_at = min((end for end in (ends, caller.expires_at) if end is not None), default=None)
    token = _token(services, caller.player, secret, scopes, label, now, expires_at)
    try:
        services.players.add_token(owner, caller.token, token, to_remember(key, (token.id, salt), now))
    except ConflictError as conflict:
        known = recall(services, key, now)
        if known is None:
            raise busy() from conflict
        return _token_again(services, caller, key, known)
    return token, secret, False


def _live_tokens(services: Services, player: str, now: EpochMs) -> list[Token]:
    """The tokens that work. Expired ones that are still stored make room, lest their number outgrow a transaction."""
    tokens = services.players.tokens(player)
    expired = [token for token in tokens if token.expires_at is not None and token.expires_at <= now]
    if len(tokens) >= TOKEN_LIMIT:
        for token in expired:
            services.players.revoke(player, token.id)
    return [token for token in tokens if token not in expired]


def _token_again(services: Services, caller: Identity, key: Key, known: tuple[str, ...]) -> tuple[Token, str, bool]:
    token_id, salt = known
    token = next((token for token in services.players.tokens(caller.player) if token.id == token_id), None)
    if token is None:
        raise not_found("token: it was made with this key and has ended")
    return token, _shown(derived_secret(services, key, "token", salt)), True


def revoke(services: Services, player: str, token_id: str) -> None:
    """Ends one of the player's tokens; those in use fail within a minute. Raises `Rejected` (not-found)."""
    if not ids.is_id(ids.TOKEN, token_id) or not services.players.revoke(player, token_id):
        raise not_found("token")
