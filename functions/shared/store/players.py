"""Players in DynamoDB: profile, name and tokens agree because they are written in one transaction."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from pynamodb.expressions.condition import Condition

from engine.types import EpochMs
from functions.shared.store.availability import guarded
from functions.shared.store.jobs import job_item
from functions.shared.store.models import JobItem, PlayerItem
from functions.shared.store.ports import NewerRecordError
from functions.shared.store.records import Job, Profile, Remembered, Scope, Token, Vacation
from functions.shared.store.remembering import read_remembered, remembered_item, unless_remembered
from functions.shared.store.transactions import Put, transact

_HOUR_S = 3600


class DynamoPlayers:
    """`ports.Players` over the players table."""

    @guarded
    def token(self, token_hash: str) -> Token | None:
        """See `ports.Players`. Read again strongly when it is not there: it may be a moment old."""
        for consistent in (False, True):
            item = _get(f"TOKEN#{token_hash}", "TOKEN", consistent=consistent)
            if item is not None:
                return _token(item)
        return None

    @guarded
    def get(self, player: str) -> Profile | None:
        """See `ports.Players`."""
        item = _get(f"PLAYER#{player}", "PROFILE")
        if item is None:
            return None
        return _profile(item)

    @guarded
    def get_many(self, players: Sequence[str]) -> Mapping[str, Profile]:
        """See `ports.Players`."""
        items = PlayerItem.batch_get([(f"PLAYER#{player}", "PROFILE") for player in dict.fromkeys(players)])
        return {profile.id: profile for profile in map(_profile, items)}

    @guarded
    def named(self, folded: str) -> str | None:
        """See `ports.Players`."""
        item = _get(f"NAME#{folded}", "NAME")
        return None if item is None else str(item.player)

    @guarded
    def register(self, profile: Profile, token: Token, remembered: Remembered | None) -> None:
        """See `ports.Players`."""
        fresh = PlayerItem.pk.does_not_exist()
        puts: list[Put] = [(_profile_item(profile), fresh), (_name_item(profile), fresh)]
        transact([*puts, *_token_puts(token), *_remember(remembered)])

    @guarded
    def rename(self, before: Profile, after: Profile) -> None:
        """See `ports.Players`."""
        mine = PlayerItem.pk.does_not_exist() | (PlayerItem.player == before.id)
        transact([changed_profile(before, after), (_name_item(after), mine)])

    @guarded
    def recover(self, before: Profile, after: Profile, token: Token, remembered: Remembered | None) -> None:
        """See `ports.Players`."""
        gone = [item for old in self.tokens(before.id) for item in _token_items(old)]
        transact([changed_profile(before, after), *_token_puts(token), *_remember(remembered)], gone)

    @guarded
    def save(self, before: Profile, after: Profile, job: Job, remembered: Remembered | None = None) -> None:
        """See `ports.Players`."""
        expected = JobItem.pk.does_not_exist() | (JobItem.v == job.version - 1)
        transact([changed_profile(before, after), (job_item(job), expected), *_remember(remembered)])

    @guarded
    def close(self, before: Profile, after: Profile, job: Job) -> None:
        """See `ports.Players`."""
        gone = [item for old in self.tokens(before.id) for item in _token_items(old)]
        transact([changed_profile(before, after), (job_item(job), JobItem.pk.does_not_exist())], gone)

    @guarded
    def tokens(self, player: str) -> Sequence[Token]:
        """See `ports.Players`."""
        of_player = PlayerItem.query(f"PLAYER#{player}", PlayerItem.sk.startswith("TOKEN#"), consistent_read=True)
        return [_token(item) for item in of_player]

    @guarded
    def add_token(self, owner: Profile, maker: str, token: Token, remembered: Remembered | None) -> None:
        """See `ports.Players`. The profile's version moves along, so that no token is added beside a recovery."""
        made_with = PlayerItem(f"PLAYER#{owner.id}", f"TOKEN#{maker}")
        transact([changed_profile(owner, owner), *_token_puts(token), *_remember(remembered)], present=[made_with])

    @guarded
    def revoke(self, player: str, token_id: str) -> bool:
        """See `ports.Players`."""
        item = _get(f"PLAYER#{player}", f"TOKEN#{token_id}", consistent=True)
        if item is None:
            return False
        transact([], _token_items(_token(item)))
        return True

    @guarded
    def remembered(self, owner: str, mark: str, now: EpochMs) -> Remembered | None:
        """See `ports.Players`."""
        return read_remembered(owner, mark, now)

    @guarded
    def count_try(self, player: str, what: str, hour: int) -> int:
        """See `ports.Players`."""
        item = PlayerItem(f"PLAYER#{player}", f"TRIES#{what}#{hour}")
        item.update(actions=[PlayerItem.tries.add(1), PlayerItem.ttl.set((hour + 2) * _HOUR_S)])
        return int(item.tries or 0)


def _get(pk: str, sk: str, *, consistent: bool = True) -> PlayerItem | None:
    try:
        return PlayerItem.get(pk, sk, consistent_read=consistent)
    except PlayerItem.DoesNotExist:
        return None


_PROFILE = ("name", "created_at", "recovery_hash", "vacation", "days_taken", "closed_at")


def _profile_item(profile: Profile) -> PlayerItem:
    body = msgspec.json.encode({name: getattr(profile, name) for name in _PROFILE}).decode()
    return PlayerItem(f"PLAYER#{profile.id}", "PROFILE", body=body, v=profile.version)


def _profile(item: PlayerItem) -> Profile:
    return Profile(item.pk.removeprefix("PLAYER#"), **_profile_fields(item.body or ""), version=int(item.v or 0))


def _profile_fields(body: str) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.json.decode(body)
    if not fields.keys() <= set(_PROFILE):
        raise NewerRecordError("a profile with fields that are not known here")
    if fields["vacation"] is not None:
        fields["vacation"] = Vacation(*fields["vacation"])
    return fields


def changed_profile(before: Profile, after: Profile) -> tuple[PlayerItem, Condition]:
    """A profile with the next version, and the expectation that the one before stands in its place."""
    return _profile_item(after._replace(version=before.version + 1)), PlayerItem.v == before.version


def _name_item(profile: Profile) -> PlayerItem:
    return PlayerItem(f"NAME#{profile.name.lower()}", "NAME", player=profile.id)


def _token_items(token: Token) -> list[PlayerItem]:
    body = msgspec.json.encode(token).decode()
    ttl = None if token.expires_at is None else token.expires_at // 1000 + 1
    keys = ((f"TOKEN#{token.hash}", "TOKEN"), (f"PLAYER#{token.player}", f"TOKEN#{token.id}"))
    return [PlayerItem(pk, sk, body=body, ttl=ttl) for pk, sk in keys]


def _token_puts(token: Token) -> list[Put]:
    return [(item, PlayerItem.pk.does_not_exist()) for item in _token_items(token)]


def _token(item: PlayerItem) -> Token:
    fields = msgspec.json.decode(item.body)
    if len(fields) > len(Token._fields):
        raise NewerRecordError("a token with fields that are not known here")
    token_id, digest, player, scopes, label, created_at, expires_at = fields
    return Token(token_id, digest, player, tuple(map(Scope, scopes)), label, created_at, expires_at)


def _remember(remembered: Remembered | None) -> list[Put]:
    return [] if remembered is None else [(remembered_item(remembered), unless_remembered(remembered))]
