"""Table talk: no part of the game, and off where something is at stake."""

from collections.abc import Sequence

from engine.match.record import sitters
from engine.types import EpochMs
from functions.shared import ids
from functions.shared.flows import texts
from functions.shared.flows.accounts import own_profile
from functions.shared.flows.marks import Key, recall, to_remember
from functions.shared.flows.seats import require_seat
from functions.shared.problems import Problem, Rejected, busy
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import MatchRecord, Message

LONGEST = 500


def require_voice(record: MatchRecord, player: str) -> None:
    """Raises `Rejected` (forbidden) unless the player sits at a table that has talk."""
    require_seat(record.match, player)
    if not record.talk:
        raise Rejected(Problem.FORBIDDEN, "there is no table talk in this match")


def say(
    services: Services, record: MatchRecord, player: str, text: str, key: Key, now: EpochMs
) -> tuple[Message, bool]:
    """A message of a seat, and whether the request had been carried out before.

    Raises `Rejected`: invalid-request, key-reused, unauthenticated (a closed account).
    """
    text = texts.checked("text", text, LONGEST)
    known = recall(services, key, now)
    if known is not None:
        return _again(services, record, known[0]), True
    name = own_profile(services, player).name
    last = services.matches.last_message(record.match.id)
    # Messages sort by id: this one comes behind those that are there, whatever the clocks say.
    moment = now if last is None else max(now, ids.moment(last.id) + 1)
    message = Message(ids.new("msg_", moment, services.random_bytes), player, name, text, now)
    try:
        services.matches.say(record.match.id, message, to_remember(key, (message.id,), now))
    except ConflictError as conflict:
        known = recall(services, key, now)
        if known is None:
            raise busy() from conflict
        return _again(services, record, known[0]), True
    return _named(services, record, [message])[0], False


def _again(services: Services, record: MatchRecord, message_id: str) -> Message:
    # Messages sort by id; the one before this id may be any text that is smaller.
    found = services.matches.messages(record.match.id, message_id[:-1], 2)
    message = next(message for message in found if message.id == message_id)
    return _named(services, record, [message])[0]


def read(services: Services, record: MatchRecord, after: str | None, limit: int) -> list[Message]:
    """Up to `limit` messages after one, oldest first."""
    return _named(services, record, services.matches.messages(record.match.id, after, limit))


def _named(services: Services, record: MatchRecord, messages: Sequence[Message]) -> list[Message]:
    """The messages with the names that the match shows; of who gave up the seat, the one of when they spoke, unless
    they have closed their account."""
    names = {sitter.player: sitter.name for sitter in sitters(record.match)}
    for message in messages:
        if message.player not in names:
            profile = services.players.get(message.player)
            names[message.player] = profile.shown_name if profile is not None and profile.closed_at else message.name
    return [message._replace(name=names[message.player]) for message in messages]
