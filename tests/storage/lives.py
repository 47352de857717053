"""Matches that are stored at each step of their lives, and what players add to what is theirs."""

from typing import Any

from engine.types import EpochMs
from functions.shared.store.records import MatchRecord, Profile, Remembered, Token
from tests.storage.backend import Store
from tests.storage.examples import NOW, joined, open_match, resigned


def created(store: Store, creator: str = "ann", at: EpochMs = NOW, **more: Any) -> MatchRecord:
    """A new match, of Liar's Poker unless `more` says otherwise."""
    return store.matches.create(open_match(creator, at=at, **more), creator, None)


def started(store: Store, record: MatchRecord, at: EpochMs = NOW) -> MatchRecord:
    """The match of two with Bob in its last seat."""
    return store.matches.seat(record, joined(record, "bob", at), "bob")


def finished(store: Store, record: MatchRecord, at: EpochMs = NOW) -> MatchRecord:
    """The running match, resigned by its creator."""
    return store.matches.save(record, resigned(record, 0, at))


def closed(store: Store, record: MatchRecord) -> MatchRecord:
    """The ended match, settled."""
    return store.matches.close(record, record._replace(settled=True))


def add_token(store: Store, owner: Profile, added: Token, remembered: Remembered | None = None) -> None:
    """One more token, made with the oldest one that the player has."""
    store.players.add_token(owner, store.players.tokens(owner.id)[0].id, added, remembered)
