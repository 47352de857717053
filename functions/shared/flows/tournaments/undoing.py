"""What is left to do of a ruling that does not fit into one transaction. Until it is done no result counts, nobody
withdraws, and no further ruling is made."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from engine.tournament.protocol import Key
from engine.types import EpochMs
from functions.shared.flows.tournaments import life, telling
from functions.shared.store.ports import Services
from functions.shared.store.records import Notice
from functions.shared.store.records_tournament import Step, TournamentRecord


class Left(NamedTuple):
    """A ruling that is being carried on: the cursor of its tournament."""

    pairing: str
    """The key of the pairing that it is about, as text."""
    reason: str
    reached: str = ""
    """How far it has come."""
    untold: tuple[str, ...] = ()
    """Those whom it concerns, and whom it has not reached, who have still to be told."""

    @property
    def key(self) -> Key:
        """The pairing that it is about."""
        return life.key_of(self.pairing)


def begun(record: TournamentRecord, left: Left, now: EpochMs) -> TournamentRecord:
    """The tournament, which has to carry on a ruling of this moment."""
    return life.begun(record, Step.UNDO, now, now)._replace(cursor=_text(left))


def left_of(record: TournamentRecord) -> Left:
    """What is left of the ruling that a tournament has to carry on."""
    return msgspec.json.decode(record.cursor, type=Left)


def reached(record: TournamentRecord, left: Left, now: EpochMs) -> TournamentRecord:
    """The tournament, so much further with the ruling."""
    return life.reached(record, _text(left), now)


def news(
    record: TournamentRecord, key: Key, reason: str, players: Iterable[str], at: EpochMs
) -> tuple[tuple[str, Notice], ...]:
    """What players are told of a ruling on a pairing that was made at `at`."""
    pairing = life.pairing_id(record.id, key)
    return telling.news(record, telling.RULING, players, at, pairing=pairing, reason=reason)


def tell(services: Services, record: TournamentRecord, players: Iterable[str], now: EpochMs) -> None:
    """Tells players of the ruling that the tournament has to carry on."""
    left = left_of(record)
    told = news(record, left.key, left.reason, players, record.step_at)
    if told:
        services.inbox.put(told, now)


def _text(left: Left) -> str:
    return msgspec.json.encode(left).decode()
