"""Players and tokens as the API shows them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.types import EpochMs
from functions.shared.clock import rfc3339
from functions.shared.flows.absence import days_left, is_away
from functions.shared.flows.accounts import Welcome
from functions.shared.render import ladder
from functions.shared.render.ladder import RecordBody
from functions.shared.render.match import Head
from functions.shared.store.ladder_records import Rating
from functions.shared.store.records import Profile, Token


class PlayerBody(msgspec.Struct):
    """A player, to anybody."""

    id: str
    name: str
    created_at: str


class ProfileBody(PlayerBody):
    """A player with their rating and record in each game."""

    ratings: dict[str, RecordBody]


class PublicProfile(ProfileBody):
    """A player with what they played."""

    recent_matches: list[Head]


class WelcomeBody(msgspec.Struct):
    """What is shown once."""

    player: PlayerBody
    token: str
    recovery_code: str


class TokenBody(msgspec.Struct):
    """A token, less its secret."""

    id: str
    label: str
    scopes: list[str]
    created_at: str
    expires_at: str | None


class NewTokenBody(TokenBody):
    """A token, with the secret that is shown once."""

    token: str


def player(profile: Profile) -> PlayerBody:
    """A player, to anybody."""
    return PlayerBody(profile.id, profile.shown_name, rfc3339(profile.created_at))


def profile(shown: Profile, ratings: Mapping[str, Rating]) -> ProfileBody:
    """A player with their ratings by game."""
    return ProfileBody(**_profile(shown, ratings))


def public_profile(shown: Profile, ratings: Mapping[str, Rating], recent: list[Head]) -> PublicProfile:
    """A player with their ratings by game and their last matches."""
    return PublicProfile(**_profile(shown, ratings), recent_matches=recent)


def _profile(shown: Profile, ratings: Mapping[str, Rating]) -> dict[str, Any]:
    records = {game: ladder.record(rating) for game, rating in ratings.items()}
    return msgspec.structs.asdict(player(shown)) | {"ratings": records}


def welcome(shown: Welcome) -> WelcomeBody:
    """A new or recovered account."""
    return WelcomeBody(player(shown.profile), shown.token, shown.recovery_code)


def _token(token: Token) -> tuple[str, str, list[str], str, str | None]:
    expires_at = None if token.expires_at is None else rfc3339(token.expires_at)
    return token.id, token.label, list(token.scopes), rfc3339(token.created_at), expires_at


def token_body(token: Token) -> TokenBody:
    """A token in the list of its owner."""
    return TokenBody(*_token(token))


def new_token(token: Token, secret: str) -> NewTokenBody:
    """A token when it is made."""
    return NewTokenBody(*_token(token), secret)


class VacationBody(msgspec.Struct):
    """A player's vacation: the one under way, and what is left of this year's."""

    start: str | None
    end: str | None
    days_left: int


def vacation(profile: Profile, now: EpochMs) -> VacationBody:
    """The vacation to its player."""
    taken = profile.vacation if is_away(profile, now) else None
    start, end = (None, None) if taken is None else (rfc3339(taken.start), rfc3339(taken.end))
    return VacationBody(start, end, days_left(profile, now))
