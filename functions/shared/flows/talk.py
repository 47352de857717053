"""Table talk: no part of the game, and off where something is at stake."""

import unicodedata

from engine.types import EpochMs
from functions.shared import ids
from functions.shared.flows.accounts import profile_of
from functions.shared.flows.marks import Key, recall, to_remember
from functions.shared.flows.seats import require_seat
from functions.shared.problems import Problem, Rejected, busy, invalid
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import MatchRecord, Message

LONGEST = 500
_FORBIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories of control and direction characters, and of what is no character."""


def checked_text(text: str) -> str:
    """The text in its composed form (NFC). Raises `Rejected` (invalid-request)."""
    composed = unicodedata.normalize("NFC", text)
    if not 1 <= len(composed) <= LONGEST or not composed.strip():
        raise invalid(("text",), f"must have 1 to {LONGEST} characters, not only blanks")
    if any(unicodedata.category(char) in _FORBIDDEN for char in composed):
        raise invalid(("text",), "must have no control or direction characters")
    return composed


def require_voice(record: MatchRecord, player: str) -> None:
    """Raises `Rejected` (forbidden) unless the player sits at a table that has talk."""
    require_seat(record.match, player)
    if not record.talk:
        raise Rejected(Problem.FORBIDDEN, "there is no table talk in this match")


def say(
    services: Services, record: MatchRecord, player: str, text: str, key: Key, now: EpochMs
) -> tuple[Message, bool]:
    """A message of a seat, and whether the request had been carried out before.

    Raises `Rejected`: invalid-request, key-reused.
    """
    text = checked_text(text)
    known = recall(services, key, now)
    if known is not None:
        return _again(services, record, known[0]), True
    message = Message(ids.new("msg_", now, services.random_bytes), player, profile_of(services, player).name, text, now)
    try:
        services.matches.say(record.match.id, message, to_remember(key, (message.id,), now))
    except ConflictError as conflict:
        known = recall(services, key, now)
        if known is None:
            raise busy() from conflict
        return _again(services, record, known[0]), True
    return message, False


def _again(services: Services, record: MatchRecord, message_id: str) -> Message:
    # Messages sort by id; the one before this id may be any text that is smaller.
    found = services.matches.messages(record.match.id, message_id[:-1], 2)
    return next(message for message in found if message.id == message_id)
